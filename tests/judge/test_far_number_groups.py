"""Errors of numbers by group from sums over blocks of answers: those of all answers at once."""

from __future__ import annotations

import json
from functools import reduce

import numpy as np
import pytest

from tallystick.judge.groups import Grouping
from tallystick.judge.number_groups import error_sizes
from tallystick.judge.out_of_core import FarFolds, beside_name, sizes_far
from tallystick.judge.result import FoldAnswers
from tallystick.schema import Column, Schema, Target
from tallystick.table.block import RowBlock as Block
from tallystick.table.subset import take_block


class Rows:
    """Blocks that are summed one by one. sizes[fold]: rows."""

    schema = Schema((), Target("y", ()))

    def __init__(self, blocks, sizes=(), unit=1):
        self.blocks, self.sizes, self.unit = blocks, sizes, unit

    def total(self, question, *_):
        parts = [question.add(question.zero(), block) for block in self.blocks]
        return reduce(question.merge, parts, question.zero())


@pytest.mark.parametrize("many", [3, 40])  # groups: of more than 20 the small ones are shown as one
@pytest.mark.parametrize("tested", [150, 200])
@pytest.mark.parametrize("unit", [None, 1, 1 << 32])
def test_sizes_from_sums_are_those_of_all_answers(many, tested, unit):
    rng = np.random.default_rng(many)
    group = np.minimum(rng.geometric(1.5 / many, 200), many) - 1
    truth = rng.normal(size=200) * 10.0 ** rng.integers(-3, 4, 200)
    answer, fold = truth + rng.normal(size=200), np.where(np.arange(200) < tested, 0, -1)
    weights = None if unit is None else rng.integers(1, 4 * unit, 200)
    column = Column("g", "levels", tuple(f"g{i:02}" for i in range(many)))
    names = np.array([*column.levels, "(missing)", "(unseen)"], object)[group]
    weight = None if unit is None else weights / unit
    here = error_sizes(names, truth, FoldAnswers(answer[:, None], fold), weight)
    grouping = Grouping.of(column)
    own = {"0": answer, beside_name(grouping): grouping.work(Block(200, {"g": group.astype(np.uint8)}))}
    whole = Block(200, own, response=truth, weights=weights)
    blocks = [take_block(whole, rows) for rows in np.array_split(np.arange(tested), 4)]
    every = [*blocks, take_block(whole, np.arange(tested, 200))]
    parts = FarFolds(Rows(every, (tested, 200 - tested), unit or 1), ((1,),), (0,))
    assert json.dumps(sizes_far(parts, Rows(blocks), grouping)) == json.dumps(here)
    assert len(here) == min(many, 21)
