"""A column of numbers on disk in pieces of its order: what all values at once tell, and little in hand."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

import tallystick as ts
from tallystick.description.text import describe_table
from tallystick.io.open import open_source
from tallystick.stats import leakage as disk_ranks
from tallystick.stats.leakage import DiskRanks, giveaways, in_hand
from tallystick.table.disk import DiskTable
from tallystick.table.reader import read_table, read_to_disk

LITTLE = 8_000  # bytes: pieces of a few values


def rows(many=400, seed=0):
    """Columns of numbers of which one gives the target away, and one does but for a few rows."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, many)
    nearly = np.where(np.arange(many) % 200 == 7, 1 - y, y)
    return {
        "x": rng.normal(size=many),
        "told": y + 0.9 * rng.random(many),
        "nearly": 10.0 * nearly + rng.normal(size=many) / 3,
        "gone": np.where(rng.random(many) < 0.1, np.nan, rng.normal(size=many) * 1e5),
        "few": rng.integers(0, 3, many) * 0.5,
        "colour": rng.choice(["red", "green"], many).tolist(),
        "y": np.where(y == 1, "yes", "no").tolist(),
    }


def on_disk(data, target="y"):
    table = read_to_disk(open_source(data), 1 << 25, target=target)
    table.budget = LITTLE
    return table


def test_pieces_are_all_values_with_their_counts_and_each_is_small():
    data = rows()
    table = on_disk(data)
    order = DiskRanks.of(table, "gone", table.classes, 2)
    pieces = list(order.pieces())
    assert len(pieces) > 5
    assert max(len(p.values) for p in pieces) * (disk_ranks.VALUE + 2 * disk_ranks.LABEL) <= LITTLE
    values = np.concatenate([p.values for p in pieces])
    there = ~np.isnan(data["gone"])
    assert values.tolist() == np.unique(data["gone"][there]).tolist()
    labels = np.array(data["y"]) == "yes"
    counts = np.concatenate([p.counts for p in pieces])
    assert counts[:, 1].tolist() == [int(labels[data["gone"] == v].sum()) for v in values]
    assert order.missing.tolist() == [int((~there & ~labels).sum()), int((~there & labels).sum())]
    for a, b in pairwise(pieces):
        assert b.first == a.first + len(a.values)
        assert b.before.tolist() == (a.before + a.counts.sum(axis=0)).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("target", ["y", None])
@pytest.mark.parametrize("many", [60, 4_000])
def test_a_description_of_rows_on_disk_that_no_memory_holds_is_that_of_rows_in_memory(many, target):
    data = rows(many)
    table = on_disk(data, target)
    assert not in_hand(table, 2)
    there = describe_table("t", table, form="f").to_dict()
    here = describe_table("t", read_table(open_source(data), None, target), form="f").to_dict()
    assert json.dumps(there) == json.dumps(here)


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
def test_columns_that_tell_the_target_are_the_same_in_pieces(weighted):
    for seed in range(3):
        data = rows(4_000, seed)
        weight = {"weights": np.random.default_rng(seed).integers(0, 4, 4_000) / 2} if weighted else {}
        here = read_table(open_source(data), None, "y", **weight)
        there = read_to_disk(open_source(data), 1 << 25, None, "y", **weight)
        there.budget = LITTLE
        told = [[text for _, text in giveaways(t, t.schema.used)] for t in (here, there)]
        assert told[0] == told[1]
        assert any("'told'" in text for text in told[0])
        assert any("'nearly'" in text for text in told[0])


class Meanwhile(DiskTable):
    """A table of which another thread asks for another column as soon as one is ranked."""

    def __setattr__(self, name, value):
        super().__setattr__(name, {} if name == "_last" else value)


def test_threads_may_ask_for_the_ranks_of_several_columns_at_once():
    data = rows()
    table = on_disk(data)
    table.__class__ = Meanwhile
    assert table.ranks("x")[1].tolist() == np.unique(data["x"]).tolist()


def test_a_budget_that_holds_all_values_asks_for_no_pieces(monkeypatch):
    monkeypatch.setattr(DiskRanks, "of", None)
    ts.describe(rows(), "y", memory="64MB")
