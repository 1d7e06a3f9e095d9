"""Threads are made in one place, and no job is left behind."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time
import weakref
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import tallystick
from tallystick import parallel as module
from tallystick.contracts import Statistic
from tallystick.engine import Local
from tallystick.errors import OptionError
from tallystick.parallel import (
    KEPT,
    STRETCH,
    Stopped,
    as_they_come,
    checkpoint,
    crew,
    each_in_order,
    in_order,
    shared_out,
    thread_count,
)

PATIENCE = 300  # seconds until a test gives up, on however busy a machine
PACKAGE = Path(tallystick.__file__).parent
MAKERS = (
    "ThreadPoolExecutor",
    "threading.Thread",
    "ProcessPool",
    "multiprocessing",
    "os.cpu_count",
    "os.fork",
)


SERVERS = {  # they wait for people and answer while others work: not work on rows shared out
    ("serve/app.py", "ThreadPoolExecutor"),
    ("serve/server.py", "os.fork"),
    ("studio/app.py", "ThreadPoolExecutor"),
    ("studio/folder.py", "threading.Thread"),
}


def test_nobody_else_makes_threads_or_counts_cores():
    found = {
        (path.relative_to(PACKAGE).as_posix(), word)
        for path in PACKAGE.rglob("*.py")
        for word in MAKERS
        if word in path.read_text(encoding="utf-8")
    }
    own = {("parallel.py", "ThreadPoolExecutor"), ("parallel.py", "os.cpu_count")}
    assert found == own | SERVERS


def endless(began: threading.Event, ended: threading.Event) -> None:
    began.set()
    try:
        while True:
            checkpoint()
    except Stopped:
        ended.set()
        raise


@pytest.mark.parametrize("run", [in_order, as_they_come])
def test_a_job_that_nobody_waits_for_ends_at_its_next_checkpoint(run):
    began, ended = threading.Event(), threading.Event()
    answers = run([lambda: 1, partial(endless, began, ended), partial(endless, began, ended)], 2)
    assert next(answers) == 1
    began.wait()
    answers.close()
    assert ended.wait(PATIENCE)


@pytest.mark.slow
def test_answers_in_order_and_as_they_come():
    def job(n):
        time.sleep(0.02 * (3 - n))
        return n

    jobs = [partial(job, n) for n in range(4)]
    for threads in (1, 2, 4):
        assert list(in_order(jobs, threads)) == [0, 1, 2, 3]
        assert sorted(as_they_come(jobs, threads)) == [0, 1, 2, 3]
    first = threading.Event()
    waiting = as_they_come([lambda: first.wait(PATIENCE) and "late", lambda: "early"], 2)
    assert next(waiting) == "early"
    first.set()
    assert list(waiting) == ["late"]


def test_a_walk_that_was_begun_does_not_hold_up_the_end_of_the_process():
    code = "from tallystick.parallel import in_order\nwalk = in_order([int] * 100, 4)\nprint(next(walk))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=PATIENCE, check=True)
    assert done.stdout.split() == [b"0"]


def test_the_first_error_in_order_is_raised_after_the_answers_before_it():
    late = threading.Event()

    def slow():
        assert late.wait(PATIENCE)
        raise KeyError("first")

    def quick():
        late.set()
        raise IndexError("second")

    answers = in_order([lambda: 1, slow, quick, lambda: 4], 2)
    assert next(answers) == 1
    with pytest.raises(KeyError, match="first"):
        next(answers)


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("many", [1, 2, 4])
@pytest.mark.parametrize("bad", [0, 1, 3, None])
def test_what_ends_the_jobs_does_not_overtake_what_an_earlier_job_raises(threads, many, bad):
    def job(n):
        if n == bad:
            raise KeyError("of a job")
        return n

    def jobs():
        yield from (partial(job, n) for n in range(many))
        raise OSError("no more jobs")

    good, found = many if bad is None or bad >= many else bad, []
    with pytest.raises(OSError if good == many else KeyError):
        found.extend(in_order(jobs(), threads))
    assert found == list(range(good))


@pytest.mark.parametrize("threads", [1, 2, 3, 16])
@pytest.mark.parametrize("many", [0, 1, 2, 7, 30, 100])
def test_each_item_is_answered_in_order_whatever_their_number(threads, many):
    assert each_in_order(lambda n: n * n, range(many), threads) == [n * n for n in range(many)]


@pytest.mark.parametrize("threads", [1, 2, 16])
def test_the_first_error_in_the_order_of_items_is_raised_and_no_item_is_begun_after_it(threads):
    done, late = [], threading.Event()

    def work(n):
        done.append(n)
        if n == 50 and threads > 1:
            assert late.wait(PATIENCE)  # a later item fails before it
        if n == 51:
            late.set()
        if n >= 50:
            raise KeyError(n)

    with pytest.raises(KeyError, match="50"):
        each_in_order(work, range(100), threads)
    assert len(done) <= 50 + threads


@pytest.mark.parametrize("threads", [1, 2, 16])
def test_items_may_come_one_by_one_and_what_ends_them_is_raised_behind_those_before(threads):
    assert each_in_order(lambda n: n * n, (n for n in range(50)), threads) == [n * n for n in range(50)]
    assert each_in_order(abs, iter(()), threads) == []

    def items():
        yield from range(9)
        raise KeyError("items")

    done = []
    with pytest.raises(KeyError, match="items"):
        each_in_order(done.append, items(), threads)
    assert sorted(done) == list(range(9))
    with pytest.raises(ZeroDivisionError):
        each_in_order(lambda n: 1 // (8 - n), items(), 1)


def test_threads_wait_for_the_next_call_and_end_with_a_walk_that_is_left():
    every = threading.Barrier(3)

    def who() -> threading.Thread:
        every.wait(PATIENCE)  # so each of three threads has one job
        return threading.current_thread()

    first = set(in_order([who] * 3, 3))
    assert set(in_order([who] * 3, 3)) == first
    assert len(first) == 3
    walk = in_order([int] * 20, 3)
    next(walk)
    walk.close()
    assert not any(thread.is_alive() for thread in first)
    assert list(in_order([checkpoint] * 9, 3)) == [None] * 9


def test_threads_of_a_call_with_few_items_do_those_of_one_with_more():
    def who(many: int) -> set[int]:
        every = threading.Barrier(many, timeout=PATIENCE)  # so each thread has one item

        def work(_):
            every.wait()
            return threading.get_ident()

        return set(each_in_order(work, range(many), 8))

    few, more = who(3), who(5)
    assert few < more
    assert len(more) == 5


def test_an_interrupt_behind_the_answer_is_told_as_itself():
    once = module._Once(lambda: 1)
    plain = once.future.set_result

    def interrupted(answer):
        plain(answer)
        raise KeyboardInterrupt

    once.future.set_result = interrupted
    with pytest.raises(KeyboardInterrupt):
        once()
    assert once.future.result() == 1


def test_an_interrupt_while_the_first_job_is_handed_out_stops_it(monkeypatch):
    plain = module._begun

    def interrupted(*given):
        plain(*given)
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_begun", interrupted)
    began, ended = threading.Event(), threading.Event()
    with pytest.raises(KeyboardInterrupt):
        list(in_order([partial(endless, began, ended)] * 2, 2))
    assert ended.is_set() or not began.is_set()


def test_however_many_the_items_are_no_more_threads_wait_than_were_asked_for():
    for many in range(2, 20):
        each_in_order(lambda n: n, range(many), 6)
        each_in_order(lambda n: n, range(many), 3)
    soon = time.monotonic() + PATIENCE  # those of a pool that is let go end by themselves
    while sum(t.name.startswith(KEPT) for t in threading.enumerate()) > 3:
        assert time.monotonic() < soon
        time.sleep(0.01)


def test_what_ends_a_program_is_raised_as_an_error_is():
    done, ending = [], threading.Event()

    def ends(n):
        done.append(n)
        if n == 1:
            raise SystemExit("now")

    with pytest.raises(SystemExit, match="now"):
        each_in_order(ends, range(200), 1)
    assert done == [0, 1]

    def fails_first(n):
        if n == 0:
            assert ending.wait(PATIENCE)
            raise KeyError("first")
        ending.set()
        raise SystemExit("second")

    with pytest.raises(KeyError, match="first"):
        each_in_order(fails_first, range(2), 2)


def test_an_error_that_was_told_holds_nothing():
    class Large:
        pass

    seen = []

    def work(n):
        large = Large()
        seen.append(weakref.ref(large))
        raise KeyError(n)

    gc.disable()
    try:
        with pytest.raises(KeyError):
            each_in_order(work, range(4), 2)
        assert not any(ref() for ref in seen)
    finally:
        gc.enable()


def test_a_job_may_hand_out_jobs():
    def job(n):
        return sum(in_order([lambda k=k: k for k in range(n)], 2))

    assert list(in_order([partial(job, n) for n in range(12)], 2)) == [n * (n - 1) // 2 for n in range(12)]


@pytest.mark.parametrize(
    ("rows", "threads", "sizes"),
    [
        (0, 2, [0]),
        (1, 2, [1]),
        (STRETCH, 2, [STRETCH]),
        (STRETCH + 1, 2, [STRETCH, 1]),
        (32 * STRETCH, 2, [2 * STRETCH] * 16),
        (32 * STRETCH, 64, [STRETCH] * 32),
        (200 * STRETCH, 1, [8 * STRETCH] * 25),
    ],
)
def test_rows_are_shared_out_in_stretches_of_one_size(rows, threads, sizes):
    slices = shared_out(rows, threads)
    assert [s.stop - s.start for s in slices] == sizes
    assert [s.start for s in slices] == [0, *(s.stop for s in slices[:-1])]
    assert slices[-1].stop == rows


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system keeps no thread to a core")
class TestCores:
    """Threads that are as many as the cores keep to one each, while they work."""

    @pytest.fixture
    def asked(self, monkeypatch):
        """The cores of each thread, in a process that may use three."""
        cores = {}

        def keep(_, own):
            cores[threading.get_ident()] = set(own)

        monkeypatch.setattr(os, "sched_getaffinity", lambda _: cores.get(threading.get_ident(), {3, 5, 9}))
        monkeypatch.setattr(os, "sched_setaffinity", keep)
        return cores

    def test_each_has_one_of_its_own_and_its_own_again_when_it_is_done(self, asked):
        all_here = threading.Barrier(3, timeout=PATIENCE)

        def work(_):
            all_here.wait()
            return os.sched_getaffinity(0)

        at_work = each_in_order(work, range(3), 3, on_cores=True)
        assert sorted(map(sorted, at_work)) == [[3], [5], [9]]
        assert list(asked.values()) == [{3, 5, 9}] * 3

    def test_also_when_the_work_fails(self, asked):
        def work(_):
            raise KeyError("here")

        with pytest.raises(KeyError, match="here"):
            each_in_order(work, range(3), 3, on_cores=True)
        assert asked
        assert all(own == {3, 5, 9} for own in asked.values())

    @pytest.mark.parametrize(("count", "items"), [(1, 3), (2, 3), (4, 9), (3, 2)])
    def test_fewer_or_more_threads_than_cores_go_where_they_like(self, asked, count, items):
        each_in_order(str, range(items), count, on_cores=True)
        assert not asked

    def test_nobody_is_kept_who_did_not_ask(self, asked):
        each_in_order(str, range(9), 3)
        assert not asked

    def test_a_thread_on_one_core_does_its_jobs_alone(self, asked):
        def who(_=None):
            return threading.get_ident()

        def work(_):
            those = {*each_in_order(who, range(5), 3, on_cores=True), *in_order([who] * 5, 3)}
            return those == {who()} and thread_count(None) == 1

        assert each_in_order(work, range(3), 3, on_cores=True) == [True] * 3
        assert list(asked.values()) == [{3, 5, 9}] * len(asked)

    def test_the_caller_stays_free_where_no_thread_can_be_had(self, asked, monkeypatch):
        def none(*_):
            raise RuntimeError("can't start new thread")

        module._end_idle()
        monkeypatch.setattr(module.ThreadPoolExecutor, "submit", none)
        assert each_in_order(str, range(5), 3, on_cores=True) == ["0", "1", "2", "3", "4"]
        assert not asked

    def test_the_work_is_done_where_the_system_allows_none(self, asked, monkeypatch):
        def refused(*_):
            raise PermissionError("not allowed")

        monkeypatch.setattr(os, "sched_setaffinity", refused)
        assert each_in_order(str, range(5), 3, on_cores=True) == ["0", "1", "2", "3", "4"]

    @pytest.mark.slow
    @pytest.mark.skipif(thread_count(None) == 1, reason="there is one core")
    def test_no_thread_of_any_library_stays_on_a_core(self):
        """A thread begins with the cores of the one that starts it: those of Arrow may begin in our work."""
        subprocess.run([sys.executable, "-W", "ignore", "-c", EVERY_WAY], check=True, timeout=PATIENCE)


EVERY_WAY = """
import os, tempfile
from contextlib import suppress
from pathlib import Path

cores = set(sorted(os.sched_getaffinity(0))[:2])
os.sched_setaffinity(0, cores)  # as many as threads of a look at two stretches of rows, and more
asked, keep = [], os.sched_setaffinity
os.sched_setaffinity = lambda task, own: asked.append(own) or keep(task, own)

import numpy as np, pandas as pd, pyarrow as pa
import tallystick as ts

rng, rows = np.random.default_rng(0), 140_000
frame = pd.DataFrame({f"x{j}": rng.normal(size=rows) for j in range(8)})
numbers = frame.to_numpy()
frame["level"] = rng.choice(["low", "middle", "high"], rows)
frame["text"] = [f"word{i % 97} and word{i % 31}" for i in range(rows)]
frame["y"] = np.where(frame.x0 + rng.normal(size=rows) > 0, "yes", "no")
for model in (ts.NaiveBayes(), ts.LogisticRegression(), ts.DecisionTree(max_depth=3), ts.Scorecard()):
    model.fit(numbers, frame.y).predict(numbers)
assert asked, "no thread was kept to a core"
with tempfile.TemporaryDirectory() as folder:
    frame.to_csv(Path(folder) / "rows.csv", index=False)
    frame.to_parquet(Path(folder) / "rows.parquet")
    for data in (Path(folder) / "rows.csv", Path(folder) / "rows.parquet", frame):
        for kind, method in (("text", ts.NaiveBayes), ("out", ts.DecisionTree)):
            method(kinds={"text": kind}).fit(data, "y").predict(data)
ts.describe(frame, target="y")
left = {}
for task in Path("/proc/self/task").iterdir():
    with suppress(ProcessLookupError):  # it has ended meanwhile
        if (own := os.sched_getaffinity(int(task.name))) != cores:
            left[task.name] = own
assert not left, left
assert pa.cpu_count() == len(cores)
"""


@pytest.mark.slow
def test_jobs_and_answers_are_let_go_as_they_are_taken():
    class Large:
        def __call__(self):
            return Large()

    made = [Large() for _ in range(9)]
    seen = [weakref.ref(job) for job in made]
    answers = in_order((made.pop() for _ in range(9)), 2)
    first = weakref.ref(next(answers))
    for _ in range(6):
        next(answers)
    gc.collect()
    assert first() is None
    assert sum(ref() is not None for ref in seen) <= 4
    answers.close()


def test_a_crew_does_each_step_for_all_items_before_the_next():
    done = []
    with crew(2) as every:
        assert every(lambda n: done.append(n) or n * n, range(5)) == [0, 1, 4, 9, 16]
        assert sorted(done) == [0, 1, 2, 3, 4]
    with pytest.raises(ZeroDivisionError), crew(2) as every:
        every(lambda n: 1 // n, range(2))


def test_threads_are_counted_or_refused():
    assert [thread_count(3), thread_count(None) >= 1] == [3, True]
    assert [thread_count(n) for n in (4096, 10**30, np.uint64(2**63))] == [4096] * 3
    for wrong in (0, -1, True, 1.5, "2"):
        with pytest.raises(OptionError, match="threads must be"):
            thread_count(wrong)


class Failing(Statistic):
    """A question that one block of the table cannot answer; the others are waited for by nobody."""

    under_way = 0

    def zero(self):
        return 0

    def add(self, total, block):
        if block.rows != 65_536:
            raise ZeroDivisionError
        self.under_way += 1
        time.sleep(0.01)
        self.under_way -= 1
        return total + block.rows

    def merge(self, total, other):
        return total + other


def test_an_error_of_one_thread_ends_a_sum_and_leaves_no_job():
    import numpy as np

    from tallystick.io.open import open_source
    from tallystick.table.reader import read_table

    table = read_table(open_source(np.random.default_rng(0).normal(size=(200_000, 1))))
    adding = Failing()
    with pytest.raises(ZeroDivisionError):
        Local(threads=2).total(table, adding)
    assert adding.under_way == 0
