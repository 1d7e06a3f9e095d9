"""Logistic regression beside scikit-learn's, to the same objective: fits, predictions, text, one row.

    TALLYSTICK_DATA=folder python benchmarks/logistic.py [small]

Ours stops at a gradient norm of 1e-8 per row; the peer at its default tolerance. Where the peer's objective
is worse by more than 1e-6 of itself, its tolerance is lowered until it is not.
"""

from __future__ import annotations

import gzip
import os
import sys
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression as Peer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, scale

import tallystick as ts

ROWS = 500_000
SOLVERS = ("lbfgs", "newton-cholesky", "newton-cg")


def seconds(work, times=3):
    """Return the shortest of some runs and the last result."""
    best, result = np.inf, None
    for _ in range(times):
        start = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - start)
    return best, result


def numbers(classes, rows=ROWS, columns=30):
    """Return a matrix of doubles and classes that depend on it."""
    rng = np.random.default_rng(classes)
    X = rng.normal(size=(rows, columns))
    weights = rng.normal(0, 0.3, (columns, classes))
    return X, np.argmax(X @ weights + rng.gumbel(size=(rows, classes)), axis=1)


def objective(shares, y, coefficients, l2=1.0):
    """Return minus the log-likelihood plus the prior."""
    own = shares[np.arange(len(y)), y]
    return -np.log(np.maximum(own, 1e-300)).sum() + l2 / 2 * (coefficients**2).sum()


def matched(X, y, solvers, target, times=2):
    """Return the shortest time of the peer over solvers, each at the loosest tolerance that reaches the
    target.
    """
    best = np.inf
    for solver in solvers:
        for tolerance in (1e-4, 1e-6, 1e-8):
            peer = Peer(solver=solver, tol=tolerance, max_iter=1000)
            took, model = seconds(partial(peer.fit, X, y), times)
            reached = objective(model.predict_proba(X), y, model.coef_)
            if reached <= target * (1 + 1e-6):
                best = min(best, took)
                break
            if took > 3 * best:
                break
    return best


def dense(classes):
    """Return how much faster a fit on numbers is."""
    X, y = numbers(classes)
    ours, model = seconds(lambda: ts.LogisticRegression(l2=1.0, standardize=False).fit(X, y))
    target = objective(model.predict_proba(X), y, model.coef_)
    return matched(X, y, SOLVERS, target) / ours


def strings(rows=1_000_000):
    """Return how much faster a fit on a frame of strings is."""
    rng = np.random.default_rng(5)
    sizes = [12, 25, 50, 100, 200, 400, 700, 1000]
    codes = [rng.integers(0, k, rows) for k in sizes]
    score = sum(rng.normal(0, 0.5, k)[c] for k, c in zip(sizes, codes, strict=True))
    y = (score + rng.logistic(size=rows) > 0).astype(int)
    texts = [np.array([f"value {i}" for i in range(k)])[c] for k, c in zip(sizes, codes, strict=True)]
    frame = pd.DataFrame({f"s{k}": text for k, text in zip(sizes, texts, strict=True)})
    ours, _ = seconds(lambda: ts.LogisticRegression(l2=1.0).fit(frame, y), 2)
    peer, _ = seconds(lambda: make_pipeline(OneHotEncoder(), Peer(max_iter=1000)).fit(frame, y), 1)
    return peer / ours


def newsgroups():
    """Return texts and groups of training and test rows."""
    out = []
    for part in ("train", "test"):
        path = Path(os.environ["TALLYSTICK_DATA"]) / f"20newsgroups/20news-bydate-{part}.csv.gz"
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            frame = pd.read_csv(file)
        text = max(frame.columns, key=lambda c: frame[c].astype(str).str.len().mean())
        out += [frame[[text]].rename(columns={text: "text"}), frame["newsgroup"].to_numpy()]
    return out


def words():
    """Return how much faster 20 classes of texts are fitted from tf-idf weights, and the accuracy on the
    test part.
    """
    X, y, X_test, y_test = newsgroups()
    model = ts.LogisticRegression(l2=0.1, kinds={"text": "text"})
    table = model._read(X, y)
    ours, _ = seconds(lambda: model._fit_table(table), 1)
    fit = model.model_.fit
    target = -fit.log_likelihood + 0.05 * sum((p.weights**2).sum() for p in model.model_.parts)
    weights = TfidfVectorizer(sublinear_tf=True).fit_transform(X["text"])
    codes = np.unique(y, return_inverse=True)[1]
    for tolerance in (1e-5, 1e-6, 1e-7):
        peer, other = seconds(partial(Peer(C=10, max_iter=1000, tol=tolerance).fit, weights, codes), 1)
        if objective(other.predict_proba(weights), codes, other.coef_, 0.1) <= target * (1 + 1e-6):
            break
    return peer / ours, model.score(X_test, y_test)


def chosen():
    """Return the accuracy on the test part of 20 Newsgroups when the prior is chosen by cross-validation."""
    X, y, X_test, y_test = newsgroups()
    model = ts.LogisticRegression(l2="cv", kinds={"text": "text"})
    took, _ = seconds(lambda: model.fit(X, y), 1)
    print(f"prior chosen in {took:.0f} s: l2 = {model.path_.best:g}", flush=True)
    return model.score(X_test, y_test)


def breast_cancer():
    """Return how much faster a small fit is."""
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    ours, model = seconds(lambda: ts.LogisticRegression(l2=1.0, standardize=False).fit(X, y), 30)
    target = objective(model.predict_proba(X), y, model.coef_)
    return matched(X, y, SOLVERS, target, 30) / ours, seconds(lambda: Peer().fit(X, y), 30)[0] / ours


def predictions():
    """Return how much faster predict is, and the microseconds of one row as a dict."""
    X, y = numbers(2, 1_000_000)
    model, peer = ts.LogisticRegression(l2=1.0).fit(X, y), Peer().fit(X, y)
    ours, _ = seconds(lambda: model.predict(X), 5)
    theirs, _ = seconds(lambda: peer.predict(X), 5)
    row = {f"x{j}": float(X[0, j]) for j in range(X.shape[1])}
    one, _ = seconds(lambda: [model.predict_one(row) for _ in range(1000)], 3)
    return theirs / ours, one / 1000 * 1e6


def figures():
    warnings.simplefilter("ignore")
    out = [
        ("500k x 30, two classes: x faster than scikit-learn", dense(2)),
        ("500k x 30, four classes: x faster than scikit-learn", dense(4)),
    ]
    best, default = breast_cancer()
    out.append(("breast cancer, fit: x faster than scikit-learn", best))
    out.append(("breast cancer, fit: x faster than scikit-learn's default solver", default))
    ratio, micro = predictions()
    out.append(("1M x 30, predict: x faster than scikit-learn", ratio))
    out.append(("one row as a dict, microseconds", micro))
    out.append(("1M x 8 strings: x faster than OneHotEncoder + LogisticRegression", strings()))
    if os.environ.get("TALLYSTICK_DATA"):
        out.append(("20 newsgroups tf-idf, 20 classes: x faster than scikit-learn", words()[0]))
        out.append(("20 newsgroups by date, accuracy", chosen()))
    return out


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    tasks = {
        "two": lambda: dense(2),
        "four": lambda: dense(4),
        "cancer": breast_cancer,
        "predict": predictions,
        "strings": strings,
        "words": words,
        "chosen": chosen,
    }
    for name in sys.argv[1:] or tasks:
        print(name, tasks[name](), flush=True)
