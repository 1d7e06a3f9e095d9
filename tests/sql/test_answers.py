"""Each question that has a query is answered as the sum over blocks answers it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sql_tables import awkward, duckdb_address, put

import tallystick as ts
from tallystick import kernels
from tallystick.engine import Local
from tallystick.io.open import open_source
from tallystick.sql.answers import ANSWERS, answer
from tallystick.stats.class_counts import Ask, BayesSums, ClassValues
from tallystick.stats.profile import WithoutTarget
from tallystick.stats.quantiles import Grid, Spreads, ValueRuns, ValuesInCells
from tallystick.stats.values import QUARTER, ValueSample
from tallystick.table.reader import read_table
from tallystick.tree.tables import LargestBelow

pytestmark = pytest.mark.slow

FRAME = awkward()
GRIDS = (Grid("x", -5.0, 15.0, 64), Grid("wide", -1e100, 1e9, 256))
ASKS = (
    Ask("sky", "codes", 4),
    Ask("x", "bins", cuts=(1.0, 5.0)),
    Ask("wide", "moments"),
    Ask("f", "moments"),
)
QUESTIONS = [
    BayesSums(ASKS, 2),
    WithoutTarget(BayesSums(ASKS[:1], 1)),
    ClassValues(("x", "wide"), 2),
    ValueSample(("x", "wide"), 2, size=50),
    Spreads(GRIDS, (0, 0)),
    Spreads(GRIDS, (1000, 20)),
    ValuesInCells(GRIDS, (np.arange(64) % 5 == 0, np.arange(256) == 255)),
    LargestBelow(("x",), (np.array([-100.0, 1.0, 1.05, 99.0]),)),
]


@pytest.fixture(scope="module", params=[None, "w"])
def tables(request, tmp_path_factory):
    address = put(duckdb_address(tmp_path_factory.mktemp("sql")), "t", FRAME)
    there = ts.NaiveBayes(engine=ts.Sql())._read(address, "y", request.param)
    yield there, read_table(open_source(FRAME), None, "y", request.param)
    there.release()


def flat(total):
    """Return all arrays and numbers of a total."""
    if isinstance(total, ValueRuns):
        return flat([total.values, total.counts, total.missing])
    if isinstance(total, dict):
        return [x for name in sorted(total) for x in flat(total[name])]
    if isinstance(total, list | tuple):
        return [x for part in total for x in flat(part)]
    return [np.asarray(total)]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: type(q).__name__)
def test_an_answer_is_the_sum(tables, question):
    there, here = tables
    summed = question.zero()
    for block in here.blocks():
        summed = question.add(summed, block)
    for mine, own in zip(flat(answer(there, question)), flat(summed), strict=True):
        np.testing.assert_array_equal(mine, own)
    assert type(question) in ANSWERS
    assert not there.fetched


@pytest.mark.parametrize("near", [0, 7, 8, 9])
def test_a_sample_ends_where_it_ends_here(tmp_path, near):
    x = np.random.default_rng(0).random(400)
    low = kernels.value_hashes(x) <= np.uint64(QUARTER)
    values = np.concatenate([x[low][:near], x[~low][:30]])
    frame = pd.DataFrame({"x": values, "y": np.where(np.arange(len(values)) % 2, "a", "b")})
    there = ts.NaiveBayes(engine=ts.Sql())._read(put(duckdb_address(tmp_path), "t", frame), "y")
    here = read_table(open_source(frame), None, "y")
    question = ValueSample(("x",), 2, size=8)
    summed = question.add(question.zero(), next(iter(here.blocks())))
    assert len(summed[0].values.values) == (8 if near > 8 else len(values))
    for total in (answer(there, question), Local(1).total(here, question)):
        for mine, own in zip(flat(total), flat(summed), strict=True):
            np.testing.assert_array_equal(mine, own)
    there.release()


def test_words_are_not_counted_there(tables):
    assert answer(tables[0], BayesSums((Ask("sky", "words", 2),), 2)) is None
