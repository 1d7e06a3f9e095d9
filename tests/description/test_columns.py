"""A table described column by column, as data."""

from __future__ import annotations

import math
from importlib import resources

import numpy as np
import pytest

import tallystick as ts
from tallystick.description.columns import (
    BINS,
    SHOWN_LEVELS,
    Part,
    Stack,
    bin_places,
    bin_step,
    level_parts,
    number_parts,
)

EXAMPLES = resources.files("tallystick.examples")


def test_distribution_of_numbers_counts_every_row_once():
    values = [float(v) for v in np.random.default_rng(0).normal(size=500)]
    found = ts.describe([{"v": v, "y": v > 0} for v in values], "y")
    assert sum(p.rows for p in found["v"].distribution) == 500
    assert found["v"].gain == pytest.approx(found.entropy)
    assert max(v for v in values if v <= 0) < found["v"].cut <= min(v for v in values if v > 0)


@pytest.mark.parametrize("classes", [1, 3])
def test_bins_found_by_halving_are_those_of_every_value(classes):
    rng = np.random.default_rng(classes)
    distinct = [np.unique(np.round(rng.normal(0, s, n), 3)) for s, n in ((1, 400), (50, 13), (9, 90), (1, 5))]
    distinct += [np.arange(40.0) ** 9 * sign for sign in (1, -1)]
    distinct = [np.sort(d) for d in distinct] + [np.arange(20) * 5e-324, np.arange(20.0) * 5e306 - 5e307]
    counts = [rng.integers(0, 9, (len(d) + 1, classes)) for d in distinct]
    for own, rows, parts in zip(distinct, counts, number_parts(distinct, Stack.of(counts)), strict=True):
        if len(own) <= BINS:
            assert [p.low for p in parts] == own.tolist()
            continue
        step = bin_step(own[0], own[-1])
        expected = np.zeros((BINS, classes), np.int64)
        np.add.at(expected, bin_places(own, own[0], step), rows[:-1])
        assert [p.rows for p in parts] == expected.sum(axis=1).tolist()
        assert [p.low for p in parts] == [float(own[0] + i * step) for i in range(BINS)]
        assert classes == 1 or [list(p.by_class) for p in parts] == expected.tolist()


@pytest.mark.parametrize("scale", [5e-324, 1e308 / 20])
def test_distribution_stands_at_the_ends_of_the_doubles(scale):
    found = ts.describe(
        {"v": [scale * i for i in range(20)], "y": ["a", "b"] * 10}, "y", columns=ts.Columns(keep=["v"])
    )
    assert sum(p.rows for p in found["v"].distribution) == 20


def test_missing_is_a_value_in_the_gain():
    rows = [{"x": None if i % 2 else float(i % 7), "y": "p" if i % 2 else "q"} for i in range(60)]
    assert ts.describe(rows, "y")["x"].gain == pytest.approx(1.0, abs=1e-12)


def test_text_is_split_by_its_most_telling_word():
    texts = ["free money now friend", "win free money today", "see you at lunch", "lunch at noon today", None]
    table = [
        {"message": t, "y": y} for t, y in zip(texts, ["spam", "spam", "ham", "ham", "ham"], strict=True)
    ]
    found = ts.describe(table, "y", kinds={"message": "text"})["message"]
    assert (found.kind, found.missing, found.cut) == ("text", 1, "free")
    assert found.gain == pytest.approx(-0.4 * math.log2(0.4) - 0.6 * math.log2(0.6))
    assert found.gain_ratio == pytest.approx(1.0)


def test_ordered_levels_are_cut_by_name():
    table = [{"size": s, "y": y} for s, y in zip(["S", "M", "L", "S", "L"], "aabab", strict=True)]
    found = ts.describe(table, "y", columns=ts.Columns({"size": "ordered"}, {"size": ["S", "M", "L"]}))
    assert found["size"].cut == "L"
    assert found["size"].gain == pytest.approx(found.entropy)


def test_without_a_target_there_are_no_gains():
    found = ts.describe(str(EXAMPLES / "play-tennis.csv"))
    assert [c.name for c in found.columns] == ["Outlook", "Temperature", "Humidity", "Wind", "Play"]
    assert all(c.gain is None for c in found.columns)
    assert "gain" not in str(found)


def test_levels_beyond_the_shown_are_one_sum():
    labels = tuple(f"l{i}" for i in range(SHOWN_LEVELS + 2))
    counts = np.ones((len(labels), 2), np.int64)
    counts[-1] = [5, 0]
    parts = level_parts(labels, counts)
    assert len(parts) == SHOWN_LEVELS + 1
    assert parts[0] == Part(labels[-1], 5, None, (5, 0))  # the most frequent first
    assert parts[-1] == Part("2 more levels", 4, None, (2, 2))


def test_few_levels_keep_their_order_and_one_class_is_not_told():
    parts = level_parts(("b", "a"), np.array([[1], [3]]))
    assert parts == (Part("b", 1), Part("a", 3))
    assert parts[0].to_dict() == {"rows": 1, "level": "b"}
    assert Part("", 2, 1.5, (2, 0)).to_dict() == {"rows": 2, "low": 1.5, "by_class": [2, 0]}


def test_a_column_is_found_by_its_name():
    found = ts.describe({"x": ["a", "b"], "y": ["p", "q"]}, "y")
    assert found["x"].kind == "levels"
    with pytest.raises(KeyError):
        found["y"]  # the target is not one of the columns
    assert [(p.label, p.rows) for p in found.classes] == [("p", 1), ("q", 1)]


@pytest.mark.parametrize("seed", range(5))
def test_numbers_are_those_of_numpy_in_any_order_in_memory_and_on_disk(seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=rng.integers(2, 400)) * 10.0 ** rng.integers(-3, 9)
    values = np.concatenate([values, values[:7].round()])
    found = ts.describe({"x": values}, kinds={"x": "numeric"})["x"].numbers
    assert (found.low, found.high) == (values.min(), values.max())
    np.testing.assert_allclose(found.mean, values.mean(), rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(found.median, np.median(values), rtol=1e-12)
    for share, value in found.quantiles:
        np.testing.assert_allclose(value, np.quantile(values, share), rtol=1e-9)
    again = {"x": [None, *rng.permutation(values).tolist()]}
    for memory in (None, "64MB"):
        assert ts.describe(again, kinds={"x": "numeric"}, memory=memory)["x"].numbers == found


def test_numbers_reach_to_the_ends_of_doubles():
    found = ts.describe({"x": [1.7e308, 1.6e308, -1.7e308, 1.7e308]}, kinds={"x": "numeric"})["x"]
    assert found.numbers.mean == pytest.approx(8.25e307)
    assert found.to_dict()["numbers"]["max"] == 1.7e308
    assert ts.describe({"x": ["a", "b"]}, kinds={"x": "levels"})["x"].to_dict()["numbers"] is None
