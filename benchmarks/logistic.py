"""Logistic regression beside scikit-learn's, to the same objective: fits, predictions, text, one row.

    TALLYSTICK_DATA=folder python benchmarks/logistic.py [two four cancer predict types strings words chosen]

Ours stops at a gradient norm of 1e-8 per row; the peer at its default tolerance. Where the peer's objective
is worse by more than 1e-6 of itself, its tolerance is lowered until it is not.
"""

from __future__ import annotations

import gzip
import os
import sys
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
from turns import in_turn, over, ratio, seconds, timed

import tallystick as ts
from tallystick.parallel import each_in_order

ROWS = 500_000
SOLVERS = ("lbfgs", "newton-cholesky", "newton-cg")


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


def matched(X, y, target):
    """Return the peer as fast as it gets: the solver that takes least time, at the loosest tolerance that
    reaches the target.
    """
    best, found = np.inf, None
    for solver in SOLVERS:
        for tolerance in (1e-4, 1e-6, 1e-8):
            peer = Peer(solver=solver, tol=tolerance, max_iter=1000)
            took = timed(partial(peer.fit, X, y))
            reached = objective(peer.predict_proba(X), y, peer.coef_)
            if reached <= target * (1 + 1e-6):
                best, found = min((best, found), (took, peer), key=lambda pair: pair[0])
                break
            if took > 3 * best:
                break
    return found


def fits(X, y, runs=1):
    """Return how much faster a fit is than the peer's fastest, and than the peer's default."""
    ours = ts.LogisticRegression(l2=1.0, standardize=False)
    model = ours.fit(X, y)
    peer, usual = matched(X, y, objective(model.predict_proba(X), y, model.coef_)), Peer(max_iter=1000)
    mine, best, default = in_turn(
        *(lambda m=m: [m.fit(X, y) for _ in range(runs)] for m in (ours, peer, usual))
    )
    return over(best, mine), over(default, mine)


def strings(rows=1_000_000):
    """Return how much faster a fit on a frame of strings is."""
    rng = np.random.default_rng(5)
    sizes = [12, 25, 50, 100, 200, 400, 700, 1000]
    codes = [rng.integers(0, k, rows) for k in sizes]
    score = sum(rng.normal(0, 0.5, k)[c] for k, c in zip(sizes, codes, strict=True))
    y = (score + rng.logistic(size=rows) > 0).astype(int)
    texts = [np.array([f"value {i}" for i in range(k)])[c] for k, c in zip(sizes, codes, strict=True)]
    frame = pd.DataFrame({f"s{k}": text for k, text in zip(sizes, texts, strict=True)})
    return ratio(
        lambda: make_pipeline(OneHotEncoder(), Peer(max_iter=1000)).fit(frame, y),
        lambda: ts.LogisticRegression(l2=1.0).fit(frame, y),
    )


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
    ours = timed(lambda: model._fit_table(table))
    fit = model.model_.fit
    target = -fit.log_likelihood + 0.05 * sum((p.weights**2).sum() for p in model.model_.parts)
    weights = TfidfVectorizer(sublinear_tf=True).fit_transform(X["text"])
    codes = np.unique(y, return_inverse=True)[1]
    for tolerance in (1e-5, 1e-6, 1e-7):
        other = Peer(C=10, max_iter=1000, tol=tolerance)
        peer = timed(partial(other.fit, weights, codes))
        if objective(other.predict_proba(weights), codes, other.coef_, 0.1) <= target * (1 + 1e-6):
            break
    return peer / ours, model.score(X_test, y_test)


def chosen():
    """Return the accuracy on the test part of 20 Newsgroups when the prior is chosen by cross-validation."""
    X, y, X_test, y_test = newsgroups()
    model = ts.LogisticRegression(l2="cv", kinds={"text": "text"})
    took = timed(lambda: model.fit(X, y))
    print(f"prior chosen in {took:.0f} s: l2 = {model.path_.best:g}", flush=True)
    return model.score(X_test, y_test)


def breast_cancer():
    """Return how much faster a small fit is."""
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    return fits(X, y, runs=10)


def predictions():
    """Return how much faster predict is, what it takes in readings of the table by two threads, which is the
    least that any prediction takes, and the microseconds of one row as a dict.
    """
    X, y = numbers(2, 1_000_000)
    model, peer = ts.LogisticRegression(l2=1.0).fit(X, y), Peer().fit(X, y)
    halves = X[: len(X) // 2], X[len(X) // 2 :]
    theirs, ours, read = in_turn(
        lambda: peer.predict(X),
        lambda: model.predict(X),
        lambda: each_in_order(np.sum, halves, 2, on_cores=True),
    )
    row = {f"x{j}": float(X[0, j]) for j in range(X.shape[1])}
    micro = seconds(lambda: model.predict_one(row), runs=1000) * 1e6
    return over(theirs, ours), over(ours, read), micro


def types():
    """Return how much faster predict is on single floats and on whole numbers, and what single floats take in
    predictions of doubles.
    """
    X, y = numbers(2, 1_000_000)
    found = []
    for kind in (np.float32, np.int64):
        new = (100 * X).astype(kind)
        model, peer = (m.fit(new[:100_000], y[:100_000]) for m in (ts.LogisticRegression(l2=1.0), Peer()))
        found.append(ratio(lambda new=new, m=peer: m.predict(new), lambda new=new, m=model: m.predict(new)))
    single = X.astype(np.float32)
    model = ts.LogisticRegression(l2=1.0).fit(X[:100_000], y[:100_000])
    return *found, ratio(lambda: model.predict(single), lambda: model.predict(X))


def figures():
    warnings.simplefilter("ignore")
    out = [
        ("500k x 30, two classes: x faster than scikit-learn", fits(*numbers(2))[0]),
        ("500k x 30, four classes: x faster than scikit-learn", fits(*numbers(4))[0]),
    ]
    best, default = breast_cancer()
    out.append(("breast cancer, fit: x faster than scikit-learn", best))
    out.append(("breast cancer, fit: x faster than scikit-learn's default solver", default))
    faster, reads, micro = predictions()
    out.append(("1M x 30, predict: x faster than scikit-learn", faster))
    out.append(("1M x 30, predict: in readings of the table", reads))
    out.append(("one row as a dict, microseconds", micro))
    single, whole, share = types()
    out.append(("1M x 30 float32, predict: x faster than scikit-learn", single))
    out.append(("1M x 30 int64, predict: x faster than scikit-learn", whole))
    out.append(("1M x 30 float32, predict: in predictions of float64", share))
    out.append(("1M x 8 strings: x faster than OneHotEncoder + LogisticRegression", strings()))
    if os.environ.get("TALLYSTICK_DATA"):
        out.append(("20 newsgroups tf-idf, 20 classes: x faster than scikit-learn", words()[0]))
        out.append(("20 newsgroups by date, accuracy", chosen()))
    return out


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    tasks = {
        "two": lambda: fits(*numbers(2)),
        "four": lambda: fits(*numbers(4)),
        "cancer": breast_cancer,
        "predict": predictions,
        "types": types,
        "strings": strings,
        "words": words,
        "chosen": chosen,
    }
    for name in sys.argv[1:] or tasks:
        print(name, tasks[name](), flush=True)
