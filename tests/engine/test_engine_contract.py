"""What every engine must keep. A new engine joins by adding its name and a way to make it to ENGINES, a new
place for rows by adding it to PLACES, a statistic with a `solve` by adding a model that asks for it to
SHORT_WAYS.
"""

from __future__ import annotations

import dataclasses
import itertools
import pickle
import tempfile
import threading
from functools import cache, partial
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from declared import lacking, members
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sql_tables import duckdb_address, put

import tallystick as ts
from tallystick import contracts
from tallystick.contracts import Statistic, Table
from tallystick.density.learner import CellEnds, PairTables, WholeNumbers
from tallystick.engine import Local
from tallystick.errors import OptionError
from tallystick.io.open import open_source
from tallystick.kernels.linear import Curvature
from tallystick.rules.learner import ListCounts, Pick, RuleTables
from tallystick.schema import Column, Schema, Target
from tallystick.scorecard.model import LevelAxis, RangeAxis
from tallystick.scorecard.quadratic import CardLayout, CardSums, LineCounts, PairResiduals, RowVariety
from tallystick.spark.table import Spark
from tallystick.sql import Sql
from tallystick.sql.table import SqlTable
from tallystick.stats.class_counts import Ask, BayesSums, ClassValues
from tallystick.stats.design_sums import Copies, LogisticSums, NewtonSums
from tallystick.stats.exact import Prints, TwoStatistics
from tallystick.stats.profile import RowSample
from tallystick.stats.values import ValueSample
from tallystick.table.block import RowBlock as Block
from tallystick.table.block import pack, unpack
from tallystick.table.reader import read_table, read_to_disk
from tallystick.table.subset import Within
from tallystick.table.table import LocalTable
from tallystick.testing import BlocksSummed, BlockTable, check_engine, difference
from tallystick.tree.growth import GrowingTree
from tallystick.tree.tables import CodedColumn, Coding, LevelCounts

ENGINES = {
    "local, 1 thread": lambda spark, progress=None: Local(1, progress=progress),
    "local, 2 threads": lambda spark, progress=None: Local(2, progress=progress),
    "local, 8 threads": lambda spark, progress=None: Local(8, progress=progress),
    "Spark": lambda spark, progress=None: Spark(spark, progress),
    "SQL": lambda spark, progress=None: Sql(progress=progress),
}
SERVED = {"Spark": "spark", "far": "spark", "PostgreSQL": "postgres"}  # what needs a server, and time


def listed(names):
    return [pytest.param(name, marks=[pytest.mark.slow] if name in SERVED else []) for name in names]


@pytest.fixture(scope="session", params=listed(ENGINES))
def engine(request):
    """A way to make each engine: engine(progress=None)."""
    session = server(request)
    return lambda progress=None: ENGINES[request.param](session, progress)


def server(request):
    """What an engine or a place needs: a session of Spark, the address of a database."""
    name = SERVED.get(request.param)
    return None if name is None else request.getfixturevalue(name)


SCHEMA = Schema(
    (Column("sky", "levels", ("a", "b", "c")), Column("x", "numeric"), Column("t", "text", words=("u", "v"))),
    Target("y", ("no", "yes")),
)
QUESTION = BayesSums((Ask("sky", "codes", 3), Ask("x", "moments"), Ask("t", "words", 2)), 2)


def table_of(*blocks):
    made = BlockTable(SCHEMA, blocks)
    made.rows = 0  # not known, so that engines do not take it for small
    return made


def block(rows, weights=None):
    """Return a block of rows (class, code, value, words)."""
    starts = np.cumsum([0] + [len(r[3]) for r in rows]).astype(np.int64)
    words = np.array([w for r in rows for w in sorted(r[3])], np.uint32)
    columns = {
        "sky": np.array([r[1] for r in rows], np.uint8),
        "x": np.array([r[2] for r in rows], np.float64),
        "t": (starts, words, np.ones(len(words), np.uint32)),
    }
    classes = np.array([r[0] for r in rows], np.uint8)
    return Block(len(rows), columns, classes, None, None if weights is None else np.array(weights, np.int64))


row = st.tuples(
    st.integers(0, 1),
    st.integers(0, 3),
    st.floats(allow_infinity=False),
    st.sets(st.integers(0, 2), max_size=3),
)


def same(a, b):
    """Totals are equal, bit for bit, however they are built."""
    assert not difference(a, b)


# ---- the laws of a sum ----


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(row, max_size=30), st.lists(st.integers(0, 30), max_size=6), st.randoms())
def test_total_does_not_depend_on_order_or_partitions(engine, rows, cuts, seed):
    whole = QUESTION.add(QUESTION.zero(), block(rows))
    shuffled = list(rows)
    seed.shuffle(shuffled)
    ends = sorted({0, len(rows), *(c for c in cuts if c < len(rows))})
    parts = [block(shuffled[a:b]) for a, b in itertools.pairwise(ends)]
    same(engine().total(table_of(*parts), QUESTION), whole)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(row, st.integers(1, 5)), min_size=1, max_size=12))
def test_a_whole_weight_is_that_many_copies(engine, rows):
    weighted = block([r for r, _ in rows], [w for _, w in rows])
    copies = block([r for r, w in rows for _ in range(w)])
    same(engine().total(table_of(weighted), QUESTION), engine().total(table_of(copies), QUESTION))


def test_an_engine_has_all_of_its_contract(engine):
    assert lacking(contracts.Engine, engine()) == set()


def test_an_engine_passes_the_published_suite(engine):
    check_engine(engine())


def test_no_rows_give_the_total_of_no_rows(engine):
    same(engine().total(table_of(), QUESTION), QUESTION.zero())


def test_progress_ends_at_all_rows(engine):
    seen = []
    parts = table_of(*(block([(0, 1, 2.0, {1})] * 10) for _ in range(20)))
    parts.rows = 200
    engine(lambda done, of: seen.append((done, of))).total(parts, QUESTION)
    assert seen[-1] == max(seen) == (200, 200)


def test_an_error_in_a_block_is_raised_and_no_thread_is_left(engine):
    class Bad(BlockTable):
        def blocks(self):
            yield block([(0, 1, 2.0, set())])
            raise RuntimeError("the disk is gone")

    before = set(threading.enumerate())  # of other tests; some may end meanwhile
    with pytest.raises(RuntimeError, match="the disk is gone"):
        engine().total(Bad(SCHEMA, []), QUESTION)
    assert set(threading.enumerate()) <= before


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_memory_is_bounded_by_one_block_per_thread(threads):
    alive, most, counting = [0], [0], threading.Lock()

    class Counted(BayesSums):
        def add(self, total, given):
            out = super().add(total, given)
            with counting:
                alive[0] -= 1
            return out

    class Streamed(BlockTable):
        def blocks(self):
            for _ in range(50):
                with counting:
                    alive[0] += 1
                    most[0] = max(most[0], alive[0])
                yield block([(0, 1, 2.0, set())])

    Local(threads).total(Streamed(SCHEMA, []), Counted(QUESTION.asks, 2))
    assert most[0] <= threads + 1  # each thread holds a block, one is on its way


def test_threads_must_be_a_whole_number_from_1():
    for bad in (0, -1, 1.5, "2", True):
        with pytest.raises(OptionError, match="threads"):
            Local(bad).total(table_of(block([(0, 1, 2.0, set())])), QUESTION)


@pytest.mark.slow
def test_totals_of_many_partitions_are_merged_in_a_tree(spark):
    given = [(i % 2, i % 4, i / 7, {i % 3}) for i in range(50)]
    packed = spark.sparkContext.parallelize([pack(block([r])) for r in given], 64)  # some have no block
    same(Spark.sum(packed.map(unpack), QUESTION), QUESTION.add(QUESTION.zero(), block(given)))


# ---- one table, wherever its rows lie ----


def some_rows(n=900):
    rng = np.random.default_rng(5)
    sky = rng.choice(["sun", "rain", "snow", None], n)
    x = np.where(rng.random(n) < 0.1, np.nan, np.round(rng.normal(5, 3, n), 1))
    z = rng.integers(0, 40, n).astype(float)
    good = (sky == "sun") + (np.nan_to_num(x) > 5) + (z > 20) + rng.normal(0, 0.6, n) > 1.4
    return pd.DataFrame({"sky": sky, "x": x, "z": z, "y": np.where(good, "yes", "no")})


FRAME = some_rows()
PLACES = {
    "memory": lambda spark: read_table(open_source(FRAME), None, "y"),
    "disk": lambda spark: read_to_disk(open_source(FRAME), 32 << 20, None, "y"),
    "far": lambda spark: ts.NaiveBayes()._read(spark.createDataFrame(FRAME), "y"),
    "DuckDB": lambda spark: ts.NaiveBayes(engine=ts.Sql())._read(in_duckdb(), "y"),
    "PostgreSQL": lambda base: ts.NaiveBayes(engine=ts.Sql())._read(in_postgresql(base), "y"),
}


@cache
def in_duckdb():
    """The address of the rows in a DuckDB file of their own."""
    return put(duckdb_address(Path(tempfile.mkdtemp())), "rows", FRAME)


@cache
def in_postgresql(base):
    """The address of the rows in PostgreSQL."""
    return put(base, "rows of the suite", FRAME)


@pytest.fixture(scope="module", params=listed(PLACES))
def table(request):
    made = PLACES[request.param](server(request))
    assert isinstance(made, LocalTable) == (request.param in ("memory", "disk"))
    assert (made.budget > 0) == (request.param == "disk")
    yield made
    made.release()


def questions(schema):
    asks = (Ask("sky", "codes", 3), Ask("x", "moments"), Ask("z", "moments"))
    return [
        BayesSums(asks, 2),
        ClassValues(("x", "z"), 2),
        ValueSample(("x", "z"), 2, size=20),
        Prints(schema),
        TwoStatistics(Prints(schema), BayesSums(asks, 2)),
        Within(schema, True),
        *card_questions(),
        *rule_questions(),
        *density_questions(),
    ]


def card_questions():
    """What a scorecard asks of the lines of two columns, and of both at once."""
    axes = (LevelAxis("sky", (0, 1, 2)), RangeAxis("x", (-0.5, 0.5)))
    layout = CardLayout(axes)
    theta = np.linspace(-1.0, 1.0, layout.lines + 1).reshape(-1, 1)
    return [
        LineCounts(layout, 2),
        CardSums(layout, theta, 20, Copies(), Curvature.OWN),
        PairResiduals(layout, theta, 20, Copies(), axes, ((0, 1),)),
        RowVariety(axes),
    ]


def density_questions():
    """What a density tree asks: which numbers are whole, where cells end, how often two cells meet."""
    form = CodedColumn((Coding("sky", "levels", 3), Coding("x", "numeric", 3, np.array([-0.5, 0.5]), True)))
    return [
        WholeNumbers(("x", "z"), 2.0**53),
        CellEnds(("x", "z"), ((-0.5, 0.5), ())),
        PairTables(form, (), (0,), 1, ((0, 1),)),
    ]


def rule_questions():
    """What rules ask: tables of the rows that conditions pick, and what a list takes."""
    form = CodedColumn((Coding("sky", "levels", 3), Coding("x", "numeric", 3, np.array([-0.5, 0.5]), True)))
    rules = (
        (Pick(0, (True, False, True, False)), Pick(1, (True, True, False, True))),
        (Pick(1, (False, True, True, False)),),
    )
    return [RuleTables(form, rules[:1], (rules[1], ()), 2), ListCounts(form, rules, 2)]


WHOLE = {  # what needs all rows in one place
    "column": lambda table: table.column("x"),
    "local": lambda table: table.local(),
    "without": lambda table: table.without(["x"]),
    "with_weights": lambda table: table.with_weights(np.ones(table.rows, np.int64)),
}


def test_a_table_and_its_blocks_have_all_of_their_contracts(table):
    assert lacking(Table, table) == set()
    assert lacking(contracts.Block, next(iter(table.blocks()))) == set()


ON_SPARK = ("column", "without", "with_weights")  # rows there are known by what they hold


@pytest.mark.parametrize("name", WHOLE)
def test_what_needs_all_rows_in_one_place_is_refused_where_they_are_far(table, name):
    assert name in members(Table)
    if not isinstance(table, LocalTable) and (isinstance(table, SqlTable) or name not in ON_SPARK):
        with pytest.raises(
            OptionError, match=r"needs all rows in one place, and they are (on Spark|in a database)"
        ):
            WHOLE[name](table)
    else:
        WHOLE[name](table)


def test_a_table_changed_in_one_thing_is_the_same_in_all_others(table):
    if isinstance(table, SqlTable):
        return
    less = table.without(["x"])
    assert [c.name for c in less.schema.used] == ["sky", "z"]
    assert less.column("z").tolist() == table.column("z").tolist()
    doubled = table.with_weights(np.full(table.rows, 2, np.int64))
    assert len({t.fingerprint for t in (table, less, doubled)}) == 3
    assert (less.rows, doubled.weight) == (table.rows, 2 * table.weight)
    if not isinstance(table, LocalTable):
        return
    turned = table.with_classes(1 - table.classes)
    assert (less.rows, doubled.weight, turned.rows) == (table.rows, 2 * table.weight, table.rows)
    assert turned.classes.tolist() == (1 - table.classes).tolist()
    assert len({t.fingerprint for t in (table, less, doubled, turned)}) == 4
    assert {type(t) for t in (less, doubled, turned)} == {type(table)}


def test_a_total_is_the_sum_wherever_the_rows_lie(table):
    here = PLACES["memory"](None)
    asked = table.engine or Local(2)
    for question in questions(here.schema):
        same(asked.total(table, question), BlocksSummed().total(here, question))


def test_a_table_says_the_same_wherever_its_rows_lie(table):
    here = PLACES["memory"](None)
    facts = ["schema", "rows", "notes", "unit", "weight", "row_unit", "fingerprint"]
    for name in facts + ["source_notes", "files"] * (not isinstance(table, SqlTable)):
        assert getattr(table, name) == getattr(here, name), name
    assert sorted(table.row_hashes()) == sorted(here.row_hashes())
    assert np.bincount(table.classes).tolist() == np.bincount(here.classes).tolist()
    found = np.concatenate(list(table.answers(lambda block: block.values("z"))))
    assert sorted(found) == sorted(here.column("z"))
    assert table.holds(0)
    if not isinstance(table, LocalTable):
        return
    assert [a.tolist() for a in table.ranks("z")] == [a.tolist() for a in here.ranks("z")]
    for most in (10, 1000):
        for mine, own in zip(table.number_codes("z", most, 8), here.number_codes("z", most, 8), strict=True):
            np.testing.assert_array_equal(mine, own)


# ---- faster ways ----

# By name: a dataclass with slots is made twice.
SOLVED = {kind.__name__ for kind in Statistic.__subclasses__() if kind.solve is not Statistic.solve}


def written(question):
    """What a question says, as bytes; what it works out of that, once, is no part of it."""
    return pickle.dumps([getattr(question, f.name) for f in dataclasses.fields(question)])


class Walked(Local):
    """This machine, and the questions that it summed block by block."""

    walked: ClassVar[list] = []

    def summed(self, table, question):
        self.walked.append(question)
        return super().summed(table, question)


class Compared:
    """An engine that takes every faster way and compares it with the sum, where both are totals."""

    def __init__(self):
        self.taken = set()

    def total(self, table, question):
        before, engine = written(question), Walked(2)
        engine.walked.clear()
        found = engine.total(table, question)
        assert written(question) == before, "a question changed while it was answered"
        if not any(asked is question for asked in engine.walked):
            self.taken.add(type(question))
        summed = BlocksSummed().total(table, question)
        if isinstance(question, ClassValues | ValueSample | RuleTables):
            same(found, summed)
        if isinstance(question, LevelCounts):
            for i in range(len(question.open)):
                same(found.counts(i), summed.counts(i))
                same(found.node(i), summed.node(i))
        return found


# What stands for a total is judged by what the learner makes of it: the bytes of the model.
SHORT_WAYS = {
    ClassValues: lambda calibrate=True, **given: ts.NaiveBayes(
        distributions="binned", calibrate=calibrate, **given
    ),
    LevelCounts: lambda **given: ts.DecisionTree(missing_values="fractions", **given),
    GrowingTree: lambda **given: ts.DecisionTree(**given),
    NewtonSums: lambda **given: ts.LogisticRegression(**given),
    RuleTables: lambda **given: ts.RuleList(**given),
    ValueSample: lambda **given: ts.NaiveBayes(**given),
}


def test_every_shortcut_is_compared():
    # asked of numbers alone: tests/table/test_along.py
    of_numbers = {BayesSums}
    of_words = {LogisticSums}  # tests/stats/test_long_rows.py
    of_many = {RowSample}  # tests/stats/test_row_sample.py
    assert {kind.__name__ for kind in set(SHORT_WAYS) | of_numbers | of_words | of_many} == SOLVED


@pytest.mark.parametrize("question", SHORT_WAYS, ids=lambda kind: kind.__name__)
def test_a_shortcut_leads_where_the_sum_does(question, table):
    method = SHORT_WAYS[question]
    if question is ClassValues and not isinstance(table, LocalTable):
        method = partial(method, calibrate=False)  # rows on Spark are not calibrated with
    here = PLACES["memory"](None)
    summed = method(engine=BlocksSummed())._fit_table(here).to_bytes()
    assert method()._fit_table(table).to_bytes() == summed
    if isinstance(table, LocalTable):
        compared = Compared()
        assert method(engine=compared)._fit_table(table).to_bytes() == summed
        assert question in compared.taken


def test_a_question_asked_again_has_the_same_answer():
    """Where rows stand is kept between the levels of a tree; an earlier question still begins at the root."""
    asked = []

    class Kept:
        def total(self, table, question):
            asked.append(question)
            return Local(1).total(table, question)

    here = PLACES["memory"](None)
    ts.DecisionTree(missing_values="fractions", engine=Kept())._fit_table(here)
    levels = [q for q in asked if isinstance(q, LevelCounts)]
    assert len(levels) > 2
    for question in (levels[1], levels[-1], levels[0]):
        found, summed = Local(1).total(here, question), BlocksSummed().total(here, question)
        for i in range(len(question.open)):
            same(found.node(i), summed.node(i))
