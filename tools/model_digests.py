"""Print the sha256 of many models and of their answers: the same lines on every processor.

    python tools/model_digests.py > here.txt

Needs Tallystick and what it needs, nothing else, so that it runs where little is installed: under an emulated
processor, say. Its table is made of whole numbers and their quotients by powers of two, without any function
of a library that could round differently elsewhere. `tests/kernels/test_processors.py` runs it with
instruction sets switched off.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

import tallystick as ts

ROWS = 700
SKIES = ("sun", "rain", "fög", "snow", None)
NOTES = ("late again and again", "very good service here", "good value, a find", "bad late food today")


def draws(count: int, seed: int) -> list[int]:
    """Return whole numbers below 2**20 from a linear congruential generator."""
    state, out = seed, []
    for _ in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        out.append(state >> 44)
    return out


def table() -> dict[str, list[Any]]:
    """Return a table with every kind of column; the class depends on some of them."""
    sky, warm, visits, member, note, noise = (draws(ROWS, seed) for seed in range(1, 7))
    size = [sum(d) for d in zip(*(draws(ROWS, seed) for seed in range(7, 13)), strict=True)]
    temperature = [
        None if w % 11 == 0 else (w - 2**19) / 2**15 + s % 5 for w, s in zip(warm, sky, strict=True)
    ]
    score = [
        (s % 5 == 0) + (m % 3 == 0) + ((t or 0) > 1) + n / 2**20
        for s, m, t, n in zip(sky, member, temperature, noise, strict=True)
    ]
    return {
        "sky": [SKIES[s % 5] for s in sky],
        "temperature": temperature,
        "size": [s / 2**17 for s in size],
        "visits": [v % 7 for v in visits],
        "member": ["yes" if m % 3 == 0 else "no" for m in member],
        "note": [NOTES[n % 4] + f" {'xyz'[n % 3]}{n % 17}" for n in note],
        "answer": ["low" if s < 1 else "middle" if s < 2 else "high" for s in score],
    }


def methods() -> dict[str, Any]:
    """Return an estimator for every way of learning."""
    bayes, tree, logistic = ts.NaiveBayes, ts.DecisionTree, ts.LogisticRegression
    return {
        "naive Bayes": bayes(),
        "naive Bayes, Gaussian": bayes(distributions="gaussian"),
        "naive Bayes, binned, calibrated": bayes(distributions="binned", calibrate=True),
        "tree": tree(),
        "tree, Gini, bins": tree(criterion="gini", max_bins=20),
        "ID3": tree.id3(),
        "C4.5": tree.c45(),
        "CART": tree.cart(class_weight="balanced"),
        "optimal tree": tree.optimal(max_depth=2, leaf_price=1, max_work=3_000_000),
        "logistic regression": logistic(),
        "logistic regression, no prior": logistic(l2=0, kinds={"note": "out"}),
        "logistic regression, prior by cross-validation": logistic(l2="cv", kinds={"note": "out"}),
        "logistic regression, L1": logistic(l2=0, l1=2.0),
    }


def digest(data: bytes) -> str:
    """Return the beginning of the sha256."""
    return hashlib.sha256(data).hexdigest()[:32]


def main() -> None:
    """Fit every method with and without weights; print one line each."""
    rows = table()
    weights = np.array([1 + v % 3 for v in rows["visits"]]) / 4
    inputs = {name: cells for name, cells in rows.items() if name != "answer"}
    for name, estimator in methods().items():
        for given in (None, weights):
            model = estimator.fit(inputs, rows["answer"], sample_weight=given)
            answers = np.ascontiguousarray(model.predict_proba(inputs))
            weighted = "" if given is None else ", weighted"
            print(f"{name}{weighted}: {digest(model.to_bytes())} {digest(answers.tobytes())}")
    numbers = {"temperature": rows["temperature"], "sky": rows["sky"], "visits": rows["visits"]}
    regression = ts.RegressionTree(min_samples_leaf=5).fit(numbers, rows["size"])
    print(f"regression tree: {digest(regression.to_bytes())} {digest(regression.predict(numbers).tobytes())}")


if __name__ == "__main__":
    main()
