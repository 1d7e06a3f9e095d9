"""What every engine must keep. A new engine joins by adding its name and a way to make it to ENGINES."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tallystick.data.schema import Column, Schema, Target
from tallystick.data.table.block import Block, pack, unpack
from tallystick.engines.local import Local
from tallystick.engines.spark import Spark
from tallystick.errors import OptionError
from tallystick.stats.bayes import Ask, BayesSums

ENGINES = {
    "local, 1 thread": lambda progress=None: Local(1, progress=progress),
    "local, 2 threads": lambda progress=None: Local(2, progress=progress),
    "local, 8 threads": lambda progress=None: Local(8, progress=progress),
}
engines = pytest.mark.parametrize("engine", ENGINES.values(), ids=list(ENGINES))

SCHEMA = Schema(
    (Column("sky", "levels", ("a", "b", "c")), Column("x", "numeric"), Column("t", "text", words=("u", "v"))),
    Target("y", ("no", "yes")),
)
QUESTION = BayesSums((Ask("sky", "codes", 3), Ask("x", "moments"), Ask("t", "words", 2)), 2)


class Blocks:
    """A table of given blocks; `rows` is 0 so that engines do not take it for small."""

    schema, notes, unit, rows = SCHEMA, (), 1, 0

    def __init__(self, blocks):
        self.given = blocks

    def blocks(self):
        yield from self.given


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
    assert a.keys() == b.keys()
    for name in a:
        np.testing.assert_array_equal(a[name], b[name], err_msg=name)


cut_rows = {
    "rows": st.lists(row, max_size=30),
    "cuts": st.lists(st.integers(0, 30), max_size=6),
    "seed": st.randoms(),
}


@engines
@settings(max_examples=40, deadline=None)
@given(**cut_rows)
def test_total_does_not_depend_on_order_or_partitions(engine, rows, cuts, seed):
    check_order(engine(), rows, cuts, seed)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(**cut_rows)
def test_total_on_spark_does_not_depend_on_order_or_partitions(spark, rows, cuts, seed):
    check_order(Spark(spark), rows, cuts, seed)


def check_order(engine, rows, cuts, seed):
    whole = QUESTION.add(QUESTION.zero(), block(rows))
    shuffled = list(rows)
    seed.shuffle(shuffled)
    ends = sorted({0, len(rows), *(c for c in cuts if c < len(rows))})
    parts = [block(shuffled[a:b]) for a, b in itertools.pairwise(ends)]
    same(engine.total(Blocks(parts), QUESTION), whole)


@engines
@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(row, st.integers(1, 5)), min_size=1, max_size=12))
def test_a_whole_weight_is_that_many_copies(engine, rows):
    check_weights(engine(), rows)


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(row, st.integers(1, 5)), min_size=1, max_size=12))
def test_a_whole_weight_is_that_many_copies_on_spark(spark, rows):
    check_weights(Spark(spark), rows)


def check_weights(engine, rows):
    weighted = block([r for r, _ in rows], [w for _, w in rows])
    copies = block([r for r, w in rows for _ in range(w)])
    same(engine.total(Blocks([weighted]), QUESTION), engine.total(Blocks([copies]), QUESTION))


@engines
def test_no_rows_give_the_total_of_no_rows(engine):
    same(engine().total(Blocks([]), QUESTION), QUESTION.zero())


def test_no_rows_on_spark_give_the_total_of_no_rows(spark):
    same(Spark(spark).total(Blocks([]), QUESTION), QUESTION.zero())


def test_totals_of_many_partitions_are_merged_in_a_tree(spark):
    given = [(i % 2, i % 4, i / 7, {i % 3}) for i in range(50)]
    packed = spark.sparkContext.parallelize([pack(block([r])) for r in given], 64)  # some have no block
    same(Spark.sum(packed.map(unpack), QUESTION), QUESTION.add(QUESTION.zero(), block(given)))


def test_an_error_in_a_block_is_raised_on_spark_and_progress_ends_at_all_rows(spark):
    seen = []
    parts = Blocks([block([(0, 1, 2.0, {1})] * 10) for _ in range(20)])
    parts.rows = 200
    Spark(spark, lambda done, of: seen.append((done, of))).total(parts, QUESTION)
    assert seen == [(200, 200)]

    class Bad(Blocks):
        def blocks(self):
            yield block([(0, 1, 2.0, set())])
            raise RuntimeError("the disk is gone")

    with pytest.raises(RuntimeError, match="the disk is gone"):
        Spark(spark).total(Bad([]), QUESTION)


@engines
def test_progress_ends_at_all_rows(engine):
    seen = []
    parts = [block([(0, 1, 2.0, {1})] * 10) for _ in range(20)]
    engine(lambda done, of: seen.append(done)).total(Blocks(parts), QUESTION)
    assert seen[-1] == max(seen) == 200
    assert len(seen) == 20


@engines
def test_an_error_in_a_block_is_raised_and_no_thread_is_left(engine):
    class Bad(Blocks):
        def blocks(self):
            yield block([(0, 1, 2.0, set())])
            raise RuntimeError("the disk is gone")

    before = threading.active_count()
    with pytest.raises(RuntimeError, match="the disk is gone"):
        engine().total(Bad([]), QUESTION)
    assert threading.active_count() == before


@engines
def test_memory_is_bounded_by_one_block_per_thread(engine):
    alive, most = [0], [0]

    class Counted(BayesSums):
        def add(self, total, given):
            out = super().add(total, given)
            alive[0] -= 1
            return out

    class Streamed(Blocks):
        def blocks(self):
            for _ in range(50):
                alive[0] += 1
                most[0] = max(most[0], alive[0])
                yield block([(0, 1, 2.0, set())])

    engine().total(Streamed([]), Counted(QUESTION.asks, 2))
    assert most[0] <= 9  # 8 threads hold a block each, one is on its way


def test_threads_must_be_a_whole_number_from_1():
    for bad in (0, -1, 1.5, "2", True):
        with pytest.raises(OptionError, match="threads"):
            Local(bad).total(Blocks([block([(0, 1, 2.0, set())])]), QUESTION)


JOB = textwrap.dedent(
    """
    import sys, threading, time
    import numpy as np
    from tallystick.data.table.block import Block
    from tallystick.engines.local import Local
    from tallystick.stats.bayes import Ask, BayesSums
    rows, columns = 5_000_000, 20
    rng = np.random.default_rng(0)
    codes = {f"c{j}": rng.integers(0, 50, rows).astype(np.uint8) for j in range(columns)}
    classes = rng.integers(0, 2, rows).astype(np.uint8)
    class Table:
        def blocks(self):
            while True:  # for ever: only an interrupt ends it
                for a in range(0, rows, 65_536):
                    yield Block(len(classes[a:a + 65_536]), {n: c[a:a + 65_536] for n, c in codes.items()},
                                classes[a:a + 65_536])
    Table.rows = rows
    print("ready", flush=True)
    try:
        Local(2).total(Table(), BayesSums(tuple(Ask(n, "codes", 50) for n in codes), 2))
    except KeyboardInterrupt:
        print("interrupted", threading.active_count(), flush=True)
    """
)


GROWING = textwrap.dedent(
    """
    import sys, threading, time
    import numpy as np
    from tallystick.estimators.tree import DecisionTree
    from tallystick.kernels.trees import Grower
    step = getattr(Grower, sys.argv[1])
    def told(*given):  # the signal comes when growing has reached this step
        if not told.once:
            told.once = True
            print("ready", flush=True)
        return step(*given)
    told.once = False
    setattr(Grower, sys.argv[1], told)
    rng = np.random.default_rng(0)
    X = rng.random((500_000, 20), np.float32)
    y = rng.integers(0, 2, len(X))  # noise: a tree of a hundred thousand leaves
    try:
        DecisionTree(threads=int(sys.argv[2])).fit(X, y)
    except KeyboardInterrupt:
        print("interrupted", threading.active_count(), flush=True)
    """
)


def interrupted(folder: Path, *command: str, after: float = 0.5) -> float:
    """Seconds from the signal to the answer of one job, which leaves no thread and no file behind."""
    with subprocess.Popen(
        [sys.executable, "-c", *command], stdout=subprocess.PIPE, cwd=folder, text=True
    ) as job:
        try:
            assert job.stdout.readline() == "ready\n"
            time.sleep(after)
            sent = time.monotonic()
            job.send_signal(signal.SIGINT)
            assert job.stdout.readline() == "interrupted 1\n"
            took = time.monotonic() - sent
            assert job.wait(timeout=30) == 0
        finally:
            job.kill()
    assert os.listdir(folder) == []
    return took


# The promise is about us, not about a machine busy with other tests: one of four tries must be on time.
def test_an_interrupt_ends_a_5m_by_20_job_within_half_a_second_with_no_thread_left(tmp_path):
    assert any(interrupted(tmp_path, JOB) < 0.5 for _ in range(4))


@pytest.mark.parametrize(("step", "threads"), [("prepare", "2"), ("advance", "2"), ("work", "1")])
def test_an_interrupt_ends_growing_within_half_a_second_with_no_thread_left(tmp_path, step, threads):
    assert any(interrupted(tmp_path, GROWING, step, threads, after=0.1) < 0.5 for _ in range(4))
