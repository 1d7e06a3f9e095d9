"""The best tree is the best: every tree of small tables is tried, one by one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import optimal_twin as twin
import pandas as pd
import pytest

import tallystick as ts

TABLES = 400

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::tallystick.TallyWarning")]


def a_table(rng):
    """Return a frame, its columns as the twin takes them, and how they are to be read."""
    rows = int(rng.integers(4, 13))
    columns, cells, kinds, levels = {}, {}, {}, {}
    for j in rng.permutation(int(rng.integers(1, 4))).tolist():
        kind = str(rng.choice(["numeric", "levels", "ordered", "boolean"]))
        few = 2 if kind == "boolean" else int(rng.integers(2, 7))
        codes = rng.integers(0, few, rows)
        gone = rng.random(rows) < rng.choice([0.0, 0.2])
        if len(set(codes[~gone].tolist())) < (2 if kind == "boolean" else 1):
            gone[:], codes[:2] = False, [0, 1]
        name = f"{'zyxé'[j]}{j}"
        texts = ["false", "true"] if kind == "boolean" else [f"l{c}" for c in (3, 1, 2, 0, 5, 4)[:few]]
        if kind == "numeric":
            values = codes * 1.5
            cells[name] = pd.array([None if g else v for v, g in zip(values, gone, strict=True)], "Float64")
        else:
            cells[name] = [None if g else texts[c] for c, g in zip(codes, gone, strict=True)]
        order = {t: n for n, t in enumerate(sorted(texts) if kind == "levels" else texts)}
        own = [None if g else order[texts[c]] for c, g in zip(codes, gone, strict=True)]
        if kind == "ordered":
            levels[name] = texts
        columns[name] = ("levels" if kind == "levels" else "order", own)
        kinds[name] = kind
    return rows, pd.DataFrame(cells), columns, kinds, levels


def a_problem(rng):
    """Return a table with classes, weights and all that makes up the loss of a tree."""
    rows, frame, columns, kinds, levels = a_table(rng)
    labels = ["a", "b", "c"][: int(rng.integers(2, 4))]
    classes = rng.integers(0, len(labels), rows)
    classes[: len(labels)] = range(len(labels))
    options = {"max_depth": int(rng.integers(1, 4 if rows < 10 else 3))}
    if rng.random() < 0.3:
        options["max_leaf_nodes"] = int(rng.integers(2, 6))
    if rng.random() < 0.5:
        options["leaf_price"] = float(rng.choice([0.5, 1.0, 0.3, rng.uniform(0, 2), 1e-7, 1e9]))
    costs = 1 - np.eye(len(labels))
    if rng.random() < 0.4:
        costs = rng.integers(0, 4, costs.shape) + costs
        costs = costs * rng.uniform(0.01, 100, costs.shape) if rng.random() < 0.5 else costs
        options["costs"] = costs.tolist()
    way = rng.choice(["none", "whole", "whole"])  # others are scaled: test_weight_units.py
    weights = None if way == "none" else rng.integers(1, 9, rows)
    each = [Fraction(1)] * rows if weights is None else [Fraction(w) for w in weights.tolist()]
    own = [Fraction(1)] * len(labels)
    weighing = rng.choice(["none", "whole", "any", "balanced"])
    if weighing == "balanced":
        of_class = [sum(w for w, c in zip(each, classes, strict=True) if c == k) for k in range(len(labels))]
        own = [sum(each) / len(labels) / w for w in of_class]
        options["class_weight"] = "balanced"
    elif weighing != "none":
        drawn = rng.integers(1, 4, len(labels)) * (1.0 if weighing == "whole" else rng.uniform(0, 2))
        own = [Fraction(w) for w in drawn.tolist()]
        options["class_weight"] = dict(zip(labels, drawn.tolist(), strict=True))
    prices = [[w * Fraction(k) for k in row] for w, row in zip(own, costs.tolist(), strict=True)]
    losses = tuple(tuple(w * k for k in prices[c]) for w, c in zip(each, classes, strict=True))
    target = np.array(labels)[classes]
    return frame, target, weights, columns, kinds, levels, losses, options


@pytest.mark.parametrize("part", range(8))
def test_no_tree_there_is_is_better_nor_an_equal_one_first(part):
    for seed in range(part, TABLES, 8):
        made = a_problem(np.random.default_rng(seed))
        frame, target, weights, columns, kinds, levels, losses, options = made
        known = ts.Columns(kinds=kinds, levels=levels, keep=list(kinds))
        tree = ts.DecisionTree.optimal(**options, columns=known, threads=1).fit(frame, target, weights)
        leaves = min(options.get("max_leaf_nodes", 8), 2 ** options["max_depth"])
        price = Fraction(options.get("leaf_price", 0)).limit_denominator(10**9)
        found, size, shape = twin.best_tree(columns, losses, options["max_depth"], leaves, price)
        proof = tree.certificate_
        assert (proof.proven, proof.ended) == (True, "proven"), seed
        assert (proof.found, proof.bound) == pytest.approx((float(found), float(found)), rel=1e-8), seed
        assert proof.leaves == size, seed
        labels = tree.classes_.tolist()
        answers = [labels.index(answer) for answer in tree.predict(frame).tolist()]
        lost = sum(row[a] for row, a in zip(losses, answers, strict=True))
        assert float(lost) == pytest.approx(float(found - size * price)), seed
        assert proof.loss == pytest.approx(float(lost), rel=1e-8, abs=1e-12 * proof.found), seed
        assert twin.told(tree.model_, columns, tree.apply(frame).tolist()) == shape, seed
