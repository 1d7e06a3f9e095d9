"""Naive Bayes against scikit-learn's, two threads, both as users run them, in the same minute.

    TALLYSTICK_DATA=folder python benchmarks/bayes.py [part ...]     gaussian default brought types levels
    strings bernoulli cross words predict predict_types row

Each figure is the peer's time over ours (the better of two runs each), or ours in the unit named.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB
from sklearn.preprocessing import OrdinalEncoder
from turns import in_turn, over, ratio, seconds

import tallystick as ts

ROWS, COLUMNS = 1_000_000, 30


def gaussian():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, ROWS)
    X = rng.normal(size=(ROWS, COLUMNS)) + y[:, None]
    ours, peer, read = in_turn(
        lambda: ts.NaiveBayes(distributions="gaussian").fit(X, y), lambda: GaussianNB().fit(X, y), X.sum
    )
    yield "gaussian fit, x faster than GaussianNB", over(peer, ours)
    yield "gaussian fit, in reads of the table", over(ours, read)


def default():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, ROWS)
    X = rng.normal(size=(ROWS, COLUMNS))
    X[:, : COLUMNS // 2] += y[:, None]
    ours, gaussian, peer = in_turn(
        lambda: ts.NaiveBayes().fit(X, y),
        lambda: ts.NaiveBayes(distributions="gaussian").fit(X, y),
        lambda: GaussianNB().fit(X, y),
    )
    yield "default fit, in fits of the Gaussian", over(ours, gaussian)
    yield "default fit, x faster than GaussianNB", over(peer, ours)


def brought():
    """What rows are brought with: gaps, of which GaussianNB knows nothing, and weights."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, ROWS)
    X = rng.normal(size=(ROWS, COLUMNS)) + y[:, None]
    gaps, weights = np.where(rng.random(X.shape) < 0.05, np.nan, X), rng.random(ROWS) + 0.1
    plain, holes, weighed, both, peer = in_turn(
        lambda: ts.NaiveBayes(distributions="gaussian").fit(X, y),
        lambda: ts.NaiveBayes(distributions="gaussian").fit(gaps, y),
        lambda: ts.NaiveBayes(distributions="gaussian").fit(X, y, sample_weight=weights),
        lambda: ts.NaiveBayes(distributions="gaussian").fit(gaps, y, sample_weight=weights),
        lambda: GaussianNB().fit(X, y, sample_weight=weights),
    )
    yield "gaussian fit with 5 % missing, in fits of none", over(holes, plain)
    yield "gaussian fit with weights of rows, x faster than GaussianNB", over(peer, weighed)
    yield "gaussian fit with both, in fits of neither", over(both, plain)


def types():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, ROWS)
    X = rng.normal(size=(ROWS, COLUMNS))
    X[:, : COLUMNS // 2] += 0.3 * y[:, None]
    for name, given in (("int64", (X * 1000).astype(np.int64)), ("float32", X.astype(np.float32))):
        ours, gaussian, doubles, peer = in_turn(
            lambda given=given: ts.NaiveBayes().fit(given, y),
            lambda given=given: ts.NaiveBayes(distributions="gaussian").fit(given, y),
            lambda: ts.NaiveBayes(distributions="gaussian").fit(X, y),
            lambda given=given: GaussianNB().fit(given, y),
        )
        yield f"default fit of {name}, x faster than GaussianNB", over(peer, ours)
        yield f"gaussian fit of {name}, x faster than GaussianNB", over(peer, gaussian)
        yield f"gaussian fit of {name}, in fits of float64", over(gaussian, doubles)


def small_integers():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, ROWS)
    return (rng.integers(0, 8, (ROWS, COLUMNS)) + y[:, None]) % 9, y


LEVELS = {f"x{j}": "levels" for j in range(COLUMNS)}


def levels():
    X, y = small_integers()
    found = ratio(lambda: CategoricalNB().fit(X, y), lambda: ts.NaiveBayes(kinds=LEVELS).fit(X, y))
    yield "levels fit, x faster than CategoricalNB", found


def strings():
    rng = np.random.default_rng(2)
    words = np.array([f"level {i}" for i in range(40)], object)
    frame = pd.DataFrame({f"c{j}": words[rng.integers(0, 40, ROWS)] for j in range(8)})
    y = rng.integers(0, 2, ROWS)

    def peer():
        codes = OrdinalEncoder().fit_transform(frame)
        CategoricalNB().fit(codes, y)

    found = ratio(peer, lambda: ts.NaiveBayes().fit(frame, y))
    yield "strings fit, x faster than OrdinalEncoder + CategoricalNB", found


def bernoulli():
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 2, (ROWS, COLUMNS)).astype(np.uint8), rng.integers(0, 2, ROWS)
    found = ratio(lambda: BernoulliNB().fit(X, y), lambda: ts.NaiveBayes().fit(X, y))
    yield "bernoulli fit, x faster than BernoulliNB", found


def cross():
    X, y = small_integers()
    found = ratio(
        lambda: cross_val_score(CategoricalNB(min_categories=9), X, y, cv=10),
        lambda: ts.cross_validate(ts.NaiveBayes(kinds=LEVELS), X, y, folds=10),
    )
    yield "10-fold cross-validation, x faster than cross_val_score", found


def words():
    folder = Path(os.environ["TALLYSTICK_DATA"]) / "20newsgroups"
    train, test = (
        pd.read_csv(folder / f"20news-bydate-{part}.csv.gz", keep_default_na=False)
        for part in ("train", "test")
    )
    texts, new = train[["text"]], test[["text"]]
    ours = ts.NaiveBayes(kinds={"text": "text"})
    vectorizer, model = CountVectorizer(), MultinomialNB()
    fit, asked, peer_fit, peer_asked = in_turn(
        lambda: ours.fit(texts, train["newsgroup"]),
        lambda: ours.predict(new),
        lambda: model.fit(vectorizer.fit_transform(train["text"]), train["newsgroup"]),
        lambda: model.predict(vectorizer.transform(test["text"])),
    )
    yield "20 newsgroups fit, x faster than CountVectorizer + MultinomialNB", over(peer_fit, fit)
    both, peer_both = (
        [a + b for a, b in zip(*pair, strict=True)] for pair in ((fit, asked), (peer_fit, peer_asked))
    )
    yield "20 newsgroups to predictions, x faster", over(peer_both, both)


def predict():
    X, y = small_integers()
    ours = ts.NaiveBayes(kinds=LEVELS).fit(X, y)
    peer = CategoricalNB().fit(X, y)
    found = ratio(lambda: peer.predict(X), lambda: ours.predict(X))
    yield "levels predict, x faster than CategoricalNB", found


def predict_types():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, ROWS)
    X = rng.normal(size=(ROWS, COLUMNS)) + y[:, None]
    some = slice(0, 100_000)
    for name, kind in (("float64", np.float64), ("float32", np.float32), ("int64", np.int64)):
        new = (1000 * X).astype(kind)
        peer = GaussianNB().fit(new[some], y[some])
        for how, model in (
            ("gaussian", ts.NaiveBayes(distributions="gaussian")),
            ("default", ts.NaiveBayes()),
        ):
            ours = model.fit(new[some], y[some])
            found = ratio(lambda new=new, m=peer: m.predict(new), lambda new=new, m=ours: m.predict(new))
            yield f"{how} predict of {name}, x faster than GaussianNB", found


def row():
    X, y = small_integers()
    ours = ts.NaiveBayes(kinds=LEVELS).fit(X[:10_000], y[:10_000])
    given = {f"x{j}": int(v) for j, v in enumerate(X[0])}
    ours.predict_one(given)
    yield "one row as a dict, microseconds", seconds(lambda: ours.predict_one(given), runs=1000) * 1e6


PARTS = (
    gaussian,
    default,
    brought,
    types,
    levels,
    strings,
    bernoulli,
    cross,
    words,
    predict,
    predict_types,
    row,
)


def figures() -> list[tuple[str, float]]:
    """Return all figures."""
    return [figure for part in PARTS for figure in part()]


if __name__ == "__main__":
    for part in PARTS:
        if len(sys.argv) < 2 or part.__name__ in sys.argv[1:]:
            for name, figure in part():
                print(f"{name:<66} {figure:8.2f}", flush=True)
