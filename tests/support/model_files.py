"""Small models of every kind, and files made of edited documents with a checksum that fits.

Knows the frame of a model file, but none of the code that reads one: the tests' own view of the format, but
for canonical text, which is the product's.
"""

from __future__ import annotations

import hashlib
from typing import Any

import tallystick as ts
from tallystick.model.file import to_bytes

FRAME = '{\n"format":{"name":"tallystick model","version":2}'
CLASSIFIERS = ("naive-bayes", "decision-tree", "logistic-regression", "scorecard", "rule-list", "rule-set")


def rows(count: int = 24) -> list[dict[str, Any]]:
    """Return rows with a column of every kind; levels, numbers and words are missing here and there."""
    words = ["red apple", "green apple pie", "red wine", "white wine and cheese", "cheese pie"]
    return [
        {
            "sky": [None, "sun", "rain", "fog"][i % 4],
            "wet": i % 2 == 0,
            "temp": None if i % 9 == 8 else i * 0.37 - 2,
            "n": i % 5,
            "said": words[i % 5] + " " + words[(i * 3 + 1) % 5],
            "y": "ab"[(i % 7 < 3) ^ (i % 11 == 5)],
        }
        for i in range(count)
    ]


def told() -> list[dict[str, Any]]:
    """Return rows whose class lies in two columns together: a card of them has a pair, and words."""
    table = rows(120)
    both = [(r["sky"] in ("sun", "fog")) ^ (r["n"] > 2) for r in table]
    good = [b if i % 4 else "pie" in r["said"] for i, (b, r) in enumerate(zip(both, table, strict=True))]
    return [r | {"y": "ab"[g]} for r, g in zip(table, good, strict=True)]


def models() -> dict[str, Any]:
    """Return fitted models: every kind of model and of column, every way to keep a column."""
    table = rows()
    three = [r | {"y": "abc"[i % 3 if i % 5 else 0]} for i, r in enumerate(table)]
    numbers = [
        {k: v for k, v in r.items() if k not in ("y", "said")} | {"y": i % 6 * 1.5}
        for i, r in enumerate(table)
    ]
    untold = [{k: v for k, v in r.items() if k != "said"} for r in three]
    kinds = {"said": "text", "sky": "levels", "n": "numeric"}
    return {
        "bayes": ts.NaiveBayes(
            kinds=kinds, distributions={"n": "poisson", "temp": "gaussian", "said": "multinomial"}
        ).fit(table, "y"),
        "bayes-3": ts.NaiveBayes(
            kinds=kinds, distributions={"n": "binned", "temp": "binned", "said": "bernoulli"}, calibrate=True
        ).fit(three, "y"),
        "bayes-text": ts.NaiveBayes(
            kinds=kinds, distributions={"said": "complement"}, words="tf-idf", variance="unbiased"
        ).fit(three, "y"),
        "tree": ts.DecisionTree(kinds={"sky": "levels"}).fit(untold, "y"),
        "tree-plain": ts.DecisionTree(
            average=False, missing_values="fractions", level_splits="each", class_weight="balanced"
        ).fit(untold, "y"),
        "optimal": ts.DecisionTree.optimal(max_depth=2, kinds={"sky": "levels"}).fit(untold, "y"),
        "tree-numbers": ts.RegressionTree(min_samples_leaf=3).fit(numbers, "y"),
        "logistic": ts.LogisticRegression(kinds=kinds).fit(table, "y"),
        "card": ts.Scorecard(kinds=kinds, l2=1.0, ranges=4, monotone={"temp": "rising"}).fit(told(), "y"),
        "card-3": ts.Scorecard(cuts={"temp": [0, 3.5]}, max_lines=3, l2=0.5, pairs=2).fit(untold, "y"),
        "rules": ts.RuleList(kinds={"sky": "levels"}, costs={"a": {"b": 3.0}}).fit(
            [{k: v for k, v in r.items() if k != "said"} for r in told()], "y"
        ),
        "rule-set": ts.RuleSet(max_conditions=3, class_weight={"b": 2.0}).fit(
            [r | {"y": "abc"[(r["n"] > 1) + (r["n"] > 3)]} for r in told()], "y"
        ),
        "density": ts.DensityTree(pruning=None, min_samples_leaf=4, pieces=4, kinds={"sky": "levels"}).fit(
            numbers
        ),
        "logistic-3": ts.LogisticRegression(interactions=2, polynomial=2, l2=1.0).fit(untold, "y"),
        "linear": ts.LinearRegression(kinds={"sky": "levels"}, interactions=[("sky", "temp")], l2=0.5).fit(
            numbers, "y"
        ),
    }


def questions(schema: Any) -> list[dict[str, Any]]:
    """Return rows that ask everything of a model: each column's ends, middle, missing and unseen values."""
    out: list[dict[str, Any]] = []
    for i in range(6):
        row: dict[str, Any] = {}
        for column in schema.columns:
            if column.kind == "numeric":
                low, high = column.low or 0.0, column.high or 0.0
                row[column.name] = [low, high, low / 2 + high / 2, None, -1e300, 1e300][i]
            elif column.kind == "text":
                row[column.name] = ["", "red pie", "cheese wine", None, "unheard of", "apple " * 9][i]
            elif column.kind == "boolean":
                row[column.name] = [*column.levels, *column.levels, None, None][i]
            else:
                row[column.name] = [*column.levels[:3], None, "unseen", None, None][i]
        out.append(row)
    return out


def signed(document: dict[str, Any]) -> bytes:
    """Return an edited document in the frame of a model file, with a checksum that fits."""
    inner = {k: v for k, v in document.items() if k not in ("format", "sha256")}
    return to_bytes(inner)


def resigned(members: str) -> bytes:
    """Return the text of some members of an object in the frame of a model file."""
    body = f"{FRAME},\n{members},\n".encode("utf-8", "surrogatepass")
    return body + b'"sha256":"' + hashlib.sha256(body).hexdigest().encode() + b'"}\n'
