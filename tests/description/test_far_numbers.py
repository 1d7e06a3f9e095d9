"""A column of numbers described by ranges of its values: what all values at once tell, and little is told."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from ranged import Pieces

import tallystick as ts
from tallystick.description import columns as counts_room
from tallystick.description import columns as doubts
from tallystick.description import columns as far_numbers
from tallystick.description.columns import Group, RangedNumbers, Stack, views
from tallystick.schema import Column
from tallystick.spark import ranks as ranked_room


def column_of(kind, k, many, seed):
    """Values with counts by class, of a column that tells the class or not."""
    rng = np.random.default_rng(seed)
    values = np.unique(rng.normal(size=many) * 10.0 ** rng.integers(-3, 5))
    best = np.sort(rng.integers(0, k, len(values))) if kind == "telling" else rng.integers(0, k, len(values))
    counts = np.zeros((len(values), k), np.int64)
    counts[np.arange(len(values)), best] = rng.integers(1, 30, len(values))
    if kind == "telling":
        wrong = rng.integers(0, len(values), 2)  # a few rows are not as the others
        counts[wrong, (best[wrong] + 1) % k] += 1
    if kind == "mark":
        values, counts = (
            np.append(values, 99999.0 * abs(values).max()),
            np.vstack([counts, counts.sum(axis=0)]),
        )
    missing = rng.integers(0, 3, k)
    return values, counts, missing


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("kind", ["telling", "any", "mark"])
def test_ranges_tell_what_all_values_at_once_tell(kind, k, seed):
    values, counts, missing = column_of(kind, k, 60, seed)
    column = Column("x", "numeric", low=float(values[0]), high=float(values[-1]))
    stack = Stack.of([np.vstack([counts, missing[None]])])
    (here,) = views(Group([column], stack, [values]), k > 1)
    rng = np.random.default_rng(seed)
    cuts = sorted(rng.choice(np.arange(1, len(values)), 5, replace=False).tolist())
    for places in ([], cuts, [1, 2, 3], list(range(1, len(values)))):
        there = RangedNumbers(column, Pieces(values, counts, places), missing)
        assert json.dumps(there.view(k > 1).to_dict()) == json.dumps(here.to_dict())
        notes = list(there.notes(k > 1, 3))
        given = doubts.giveaways(["x"], stack, False, 3)[0] if k > 1 else None
        assert [n for n in notes if n.code == "giveaway"] == ([] if given is None else [given])
        assert any(n.code == "sentinel" for n in notes) == (kind == "mark")
        assert kind != "telling" or k == 1 or given is not None


def test_what_ranges_tell_does_not_grow_with_their_values():
    told = []
    for many in (300, 30_000):
        values, counts, missing = column_of("telling", 2, many, 1)
        order = Pieces(values, counts, [len(values) // 3, len(values) // 2])
        found = RangedNumbers(Column("x", "numeric"), order, missing)
        found.view(True)
        assert list(found.notes(True, 1))
        told.append(order.told)
    assert told[1] < 1.1 * told[0]


def rows(many=120, seed=3):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=many)
    y = np.where(x + 0.3 * rng.normal(size=many) > 0, "yes", "no")
    gone = np.where(rng.random(many) < 0.1, None, rng.normal(size=many) * 1e5)
    data = {"x": x, "gone": pa.array(gone.tolist(), pa.float64()), "few": rng.integers(0, 3, many) * 0.5}
    told = np.where(y == "yes", 1.0, -1.0) + 0.1 * rng.random(many)  # gives the target away
    colour = rng.choice(["red", "green", None], many).tolist()
    return pa.table(data | {"told": told, "nothing": pa.nulls(many, pa.float64()), "colour": colour, "y": y})


@pytest.mark.slow
@pytest.mark.parametrize("target", ["y", None])
def test_a_description_of_many_rows_on_spark_is_the_one_here_and_no_value_is_asked_for(
    spark, monkeypatch, target
):
    def all_values(*given):
        raise AssertionError("all values were asked for")

    table = rows()
    here = ts.describe(table, target)
    frame = spark.createDataFrame(table).repartition(3)
    monkeypatch.setattr(counts_room, "MANY", 0)
    monkeypatch.setattr(far_numbers, "FEW", 20)
    monkeypatch.setattr(ranked_room, "PIECE_ROWS", 25)
    monkeypatch.setattr(counts_room, "ClassValues", all_values)
    there = ts.describe(frame, target)
    same = [{k: v for k, v in d.to_dict().items() if k not in ("name", "form")} for d in (there, here)]
    assert json.dumps(same[0]) == json.dumps(same[1])
    assert any(note.code == "giveaway" for note in there.notes) == (target is not None)
