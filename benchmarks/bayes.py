"""Naive Bayes against scikit-learn's, two threads, both as users run them, in the same minute.

    TALLYSTICK_DATA=folder python benchmarks/bayes.py [part ...]     gaussian levels strings bernoulli cross
    words predict row

Each figure is the peer's time over ours (the better of two runs each), or ours in the unit named.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB
from sklearn.preprocessing import OrdinalEncoder

import tallystick as ts

ROWS, COLUMNS = 1_000_000, 30


def best(work, runs: int = 2) -> float:
    """Return the shortest time of some runs."""
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def gaussian():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, ROWS)
    X = rng.normal(size=(ROWS, COLUMNS)) + y[:, None]
    ours = best(lambda: ts.NaiveBayes(distributions="gaussian").fit(X, y), 3)
    yield "gaussian fit, x faster than GaussianNB", best(lambda: GaussianNB().fit(X, y)) / ours
    yield "gaussian fit, in reads of the table", ours / best(lambda: X.sum(), 5)


def small_integers():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, ROWS)
    return (rng.integers(0, 8, (ROWS, COLUMNS)) + y[:, None]) % 9, y


LEVELS = {f"x{j}": "levels" for j in range(COLUMNS)}


def levels():
    X, y = small_integers()
    ours = best(lambda: ts.NaiveBayes(kinds=LEVELS).fit(X, y), 3)
    yield "levels fit, x faster than CategoricalNB", best(lambda: CategoricalNB().fit(X, y)) / ours


def strings():
    rng = np.random.default_rng(2)
    words = np.array([f"level {i}" for i in range(40)], object)
    frame = pd.DataFrame({f"c{j}": words[rng.integers(0, 40, ROWS)] for j in range(8)})
    y = rng.integers(0, 2, ROWS)

    def peer():
        codes = OrdinalEncoder().fit_transform(frame)
        CategoricalNB().fit(codes, y)

    ours = best(lambda: ts.NaiveBayes().fit(frame, y), 3)
    yield "strings fit, x faster than OrdinalEncoder + CategoricalNB", best(peer, 1) / ours


def bernoulli():
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 2, (ROWS, COLUMNS)).astype(np.uint8), rng.integers(0, 2, ROWS)
    ours = best(lambda: ts.NaiveBayes().fit(X, y), 3)
    yield "bernoulli fit, x faster than BernoulliNB", best(lambda: BernoulliNB().fit(X, y)) / ours


def cross():
    X, y = small_integers()
    ours = best(lambda: ts.cross_validate(ts.NaiveBayes(kinds=LEVELS), X, y, folds=10))
    peer = best(lambda: cross_val_score(CategoricalNB(min_categories=9), X, y, cv=10), 1)
    yield "10-fold cross-validation, x faster than cross_val_score", peer / ours


def words():
    folder = Path(os.environ["TALLYSTICK_DATA"]) / "20newsgroups"
    train, test = (
        pd.read_csv(folder / f"20news-bydate-{part}.csv.gz", keep_default_na=False)
        for part in ("train", "test")
    )
    texts, new = train[["text"]], test[["text"]]
    ours = ts.NaiveBayes(kinds={"text": "text"})
    fit = best(lambda: ours.fit(texts, train["newsgroup"]))
    both = fit + best(lambda: ours.predict(new))
    vectorizer, model = CountVectorizer(), MultinomialNB()
    peer_fit = best(lambda: model.fit(vectorizer.fit_transform(train["text"]), train["newsgroup"]), 1)
    peer_both = peer_fit + best(lambda: model.predict(vectorizer.transform(test["text"])), 1)
    yield "20 newsgroups fit, x faster than CountVectorizer + MultinomialNB", peer_fit / fit
    yield "20 newsgroups to predictions, x faster", peer_both / both


def predict():
    X, y = small_integers()
    ours = ts.NaiveBayes(kinds=LEVELS).fit(X, y)
    peer = CategoricalNB().fit(X, y)
    yield (
        "levels predict, x faster than CategoricalNB",
        best(lambda: peer.predict(X), 1) / best(lambda: ours.predict(X), 3),
    )


def row():
    X, y = small_integers()
    ours = ts.NaiveBayes(kinds=LEVELS).fit(X[:10_000], y[:10_000])
    given = {f"x{j}": int(v) for j, v in enumerate(X[0])}

    def many():
        for _ in range(1000):
            ours.predict_one(given)

    ours.predict_one(given)
    yield "one row as a dict, microseconds", best(many, 3) * 1000


PARTS = (gaussian, levels, strings, bernoulli, cross, words, predict, row)


def figures() -> list[tuple[str, float]]:
    """Return all figures."""
    return [figure for part in PARTS for figure in part()]


if __name__ == "__main__":
    for part in PARTS:
        if len(sys.argv) < 2 or part.__name__ in sys.argv[1:]:
            for name, figure in part():
                print(f"{name:<66} {figure:8.2f}", flush=True)
