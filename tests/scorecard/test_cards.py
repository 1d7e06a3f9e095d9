"""The sums of a card: rows on lines, and samples that no order of rows, no block and no place changes."""

from __future__ import annotations

import hashlib
import math

import numpy as np
import pandas as pd
import pytest

import tallystick as ts
from tallystick.scorecard import quadratic as cards
from tallystick.scorecard.model import LevelAxis, PairAxis, RangeAxis
from tallystick.scorecard.quadratic import (
    ALL_ROWS,
    CardLayout,
    LineCounts,
    PairResiduals,
    RowSample,
    RowVariety,
    laid_out,
    variety,
)
from tallystick.stats.design_sums import Copies
from tallystick.table import table as table_room
from tallystick.table.block import RowBlock as Block

X, A = RangeAxis("x", (1.5,)), LevelAxis("a", (0, 1))
LAYOUT = CardLayout((X, A, PairAxis(X, A)))


def block(rows=400, seed=1, weights=None):
    rng = np.random.default_rng(seed)
    columns = {"x": rng.integers(0, 40, rows) / 10, "a": rng.integers(0, 4, rows).astype(np.uint8)}
    return Block(rows, columns, rng.integers(0, 2, rows).astype(np.uint8), None, weights)


def part(given, rows):
    weights = None if given.weights is None else given.weights[rows]
    return Block(
        len(rows), {k: v[rows] for k, v in given.columns.items()}, given.classes[rows], None, weights
    )


def digest(model):
    return hashlib.sha256(model.to_bytes()).hexdigest()


def test_lines_lie_one_axis_after_the_other():
    assert LAYOUT.starts == (0, 3, 7)
    assert LAYOUT.lines == 3 + 4 + 12
    assert LAYOUT.part(1) == slice(3, 7)


def test_a_sample_looks_at_no_number_again_where_finer_lines_are_known():
    fine, coarse = CardLayout((RangeAxis("x", tuple(i / 10 for i in range(1, 40))),)), CardLayout((X,))
    given, sample = block(), RowSample(fine.axes, 3)
    want = laid_out(coarse, block(), sample)[0].codes[0]
    laid_out(fine, given, ALL_ROWS)
    given.columns.clear()  # whoever asks for a value now ends in an error
    found = laid_out(coarse, given, sample)[0].codes[0]
    assert found.dtype == want.dtype
    assert 0 < len(want) < 400
    assert found.tolist() == want.tolist()


def test_rows_on_lines_are_counted_by_class_and_weight():
    given = Block(
        3,
        {"x": np.array([1.0, 2.0, np.nan]), "a": np.array([0, 1, 3], np.uint8)},
        np.array([0, 1, 1], np.uint8),
        None,
        np.array([2, 3, 5], np.int64),
    )
    question = LineCounts(LAYOUT, 2)
    found = question.add(question.zero(), given)
    assert found[:3].tolist() == [[2, 0], [0, 3], [0, 5]]
    assert found[3:7].tolist() == [[2, 0], [0, 3], [0, 0], [0, 5]]
    assert [i for i, row in enumerate(found[7:]) if row.any()] == [0, 5, 11]


def test_what_is_left_on_the_lines_of_pairs_is_summed_row_by_row():
    rng = np.random.default_rng(4)
    columns = {f"c{j}": rng.integers(0, 2 + j // 4, 300).astype(np.uint8) for j in range(7)}
    given = Block(300, columns, rng.integers(0, 2, 300).astype(np.uint8), None, rng.integers(1, 4, 300))
    axes = tuple(LevelAxis(f"c{j}", tuple(range(2 + j // 4))) for j in range(7))
    pairs = ((0, 1), (5, 2), (3, 6), (0, 6))
    layout = CardLayout(axes[:1])
    theta = np.array([[0.3], [-0.5], [0.2], [0.0], [0.0]])
    question = PairResiduals(layout, theta, 20, Copies(), axes, pairs)
    found = question.add(question.add(question.zero(), given), given)
    score = theta[0, 0] + theta[1 + columns["c0"].astype(int), 0]
    share = 1 / (1 + np.exp(-score))
    for (a, b), table in zip(pairs, found, strict=True):
        for what, values in enumerate((given.classes - share, share * (1 - share))):
            want = np.zeros(table.shape[2:], np.int64)
            whole = np.rint(values * 2.0**20).astype(np.int64) * given.weights
            np.add.at(want, (columns[f"c{a}"], columns[f"c{b}"]), whole)
            np.testing.assert_array_equal(table[what, 0], 2 * want)


def test_a_sample_is_the_same_rows_in_any_order_block_and_question():
    given, axes = block(), (X, A)
    sample = RowSample(axes, 3)
    _, whole, _ = laid_out(LAYOUT, given, sample)
    assert 0 < len(whole) < given.rows
    order = np.random.default_rng(2).permutation(given.rows)
    turned = part(given, order)
    before = CardLayout((RangeAxis("x", (0.5, 2.5)),))
    laid_out(before, turned, RowSample(axes, 2))  # what was asked before is forgotten
    laid_out(before, turned, sample)
    columns, classes, _ = laid_out(LAYOUT, turned, sample)
    assert np.bincount(classes).tolist() == np.bincount(whole).tolist()
    halves = [laid_out(LAYOUT, part(given, rows), sample) for rows in np.array_split(order, 2)]
    assert sum(len(c) for _, c, _ in halves) == len(whole)
    together = np.concatenate([h[0].codes[2] for h in halves])
    assert np.bincount(together).tolist() == np.bincount(columns.codes[2]).tolist()


def test_all_rows_are_no_sample():
    given = block()
    _, classes, weights = laid_out(LAYOUT, given, ALL_ROWS)
    assert classes is given.classes
    assert weights is None


@pytest.mark.parametrize("kinds", [1, 5, 1_000, 100_000])
def test_the_variety_of_rows_is_about_how_many_kinds_there_are(kinds):
    rows = 200_000
    values = np.arange(rows) % kinds + 0.0
    given = Block(rows, {"x": values}, np.zeros(rows, np.uint8))
    question = RowVariety((RangeAxis("x", tuple(np.arange(kinds - 1) + 0.5)),))
    assert variety(question.add(question.zero(), given)) == pytest.approx(kinds, rel=0.1)


@pytest.mark.parametrize("unit", [1, cards.LIGHT // 9, cards.LIGHT, 1 << 50])
def test_the_variety_of_heavy_rows_is_that_of_light_ones(unit):
    light = (
        np.random.default_rng(0).integers(0, 9, (cards.BUCKETS, 1)) + np.arange(cards.BUCKETS)[:, None] % 2
    )
    assert variety(light * unit) == variety(light)


def test_the_variety_of_no_rows_and_of_rows_all_apart_is_no_limit():
    assert variety(np.zeros((cards.BUCKETS, 1), np.int64)) == math.inf
    assert variety(np.ones((cards.BUCKETS, 1), np.int64)) == math.inf


# ---- samples in a fit ----


def many(rows=70_000, seed=3):
    rng = np.random.default_rng(seed)
    x, b, c = rng.normal(size=rows), rng.integers(0, 5, rows), rng.choice(list("pqrst"), rows)
    good = x + (b > 2) * (c == "p") * 2 + rng.logistic(size=rows) > 0.5
    u, v = rng.normal(size=(2, rows))
    return pd.DataFrame({"x": x, "u": u, "v": v, "b": b, "c": c, "y": np.where(good, "yes", "no")})


@pytest.mark.slow
def test_one_model_of_many_rows_in_memory_on_disk_and_in_any_blocks(monkeypatch, tmp_path):
    frame = many()
    frame.to_csv(tmp_path / "t.csv", index=False)
    asked = []
    monkeypatch.setattr(
        cards, "mixed_lines", lambda *given, real=cards.mixed_lines: asked.append(1) or real(*given)
    )
    want = digest(ts.Scorecard().fit(frame, "y"))
    assert len(asked) > 2  # rows were sampled
    assert digest(ts.Scorecard(memory="32MB").fit(tmp_path / "t.csv", "y")) == want
    monkeypatch.setattr(table_room, "BLOCK", 9_000)
    assert digest(ts.Scorecard(threads=2).fit(frame.sample(frac=1, random_state=1), "y")) == want


@pytest.mark.slow
@pytest.mark.parametrize("columns", [["x"], ["b"], ["b", "c"]])
def test_many_rows_of_few_kinds_are_learnt_from_as_they_are(columns):
    frame = many(200_000)
    score = frame["x"] + (frame["b"] > 2) + (frame["c"] == "p")
    noise = np.random.default_rng(4).logistic(size=len(frame))
    model = ts.Scorecard().fit(frame[columns], np.where(score + noise > 1, "yes", "no"))
    assert {name for part in model.model_.parts for name in part.columns} == set(columns)
    assert model.model_.fit.rounded < model.model_.fit.null - 0.01
