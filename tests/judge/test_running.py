"""Folds at work: answers do not depend on how they are run, and an interrupt keeps what is finished."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from far_rows import mixed_rows

import tallystick as ts
from tallystick.judge.folds import Dealing
from tallystick.judge.run import Steps, fresh, one_class, run_folds, spread, training_loss

VOTES = str(Path(ts.__file__).parent / "examples" / "votes.csv")


STOPPED = """
import os, signal, sys, threading
import tallystick as ts

def progress(done, total, what):
    if done == {after}:
        os.kill(os.getpid(), signal.SIGINT)  # as Ctrl-C does

found = {call}
print("stopped", found.stopped, sum(found.to_dict()["fold_sizes"]{first}))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "after", "first"),
    [
        ("ts.compare(sys.argv[1], 'party', methods=['tree'], folds=20, progress=progress)", 60, ""),
        ("ts.cross_validate(ts.DecisionTree(), sys.argv[1], 'party', folds=60, progress=progress)", 9, "[0]"),
    ],
)
def test_an_interrupt_keeps_the_folds_that_are_finished(call, after, first):
    code = textwrap.dedent(STOPPED).format(call=call, after=after, first=first)
    done = subprocess.run([sys.executable, "-c", code, VOTES], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    word, stopped, rows = done.stdout.split()
    assert (word, stopped) == ("stopped", "True")
    assert 0 < int(rows) < 435


@pytest.mark.slow
def test_an_interrupt_before_anything_is_finished_ends_the_work():
    code = STOPPED.format(call="ts.compare(sys.argv[1], 'party', progress=progress)", after=1, first="")
    done = subprocess.run([sys.executable, "-c", code, VOTES], capture_output=True, text=True, timeout=300)
    assert done.returncode != 0
    assert "KeyboardInterrupt" in done.stderr
    assert signal.SIGINT


@pytest.mark.slow
def test_more_folds_hold_no_more_memory():
    """The largest amount of memory in use at once, by Python's own count, for 5 and for 100 folds."""
    import tracemalloc

    rng = np.random.default_rng(0)
    data = {f"x{j}": rng.normal(size=4_000) for j in range(10)}
    table = ts.DecisionTree()._read({**data, "y": (data["x0"] > 0).astype(int)}, "y")
    from tallystick.judge.run import cross_shares

    most = {}
    for folds in (5, 5, 100):
        plan = Dealing().outer(table, folds)
        tracemalloc.start()
        cross_shares(ts.DecisionTree(max_depth=1), table, plan)
        most[folds] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert most[100] < 1.5 * most[5]


TWO = {"x": ["u", "v", "u", "v"], "y": ["p", "q", "p", "q"]}


def test_all_pieces_of_work_are_done_once_alone_or_two_at_a_time():
    for at_once in (1, 2):
        done = []
        assert run_folds(lambda at: at, 5, done.append, at_once=at_once) is False
        assert sorted(done) == [0, 1, 2, 3, 4]


def test_an_interrupt_is_raised_before_enough_is_finished_and_kept_after():
    def work(at):
        if at == 2:
            raise KeyboardInterrupt
        return at

    done = []
    assert run_folds(work, 5, done.append, at_once=1) is True
    assert done == [0, 1]
    with pytest.raises(KeyboardInterrupt):
        run_folds(work, 5, done.append, enough=3, at_once=1)


def test_progress_is_told_for_each_piece():
    told = []
    steps = Steps(2, lambda *step: told.append(step), "curves")
    steps.one()
    steps.one()
    assert told == [(1, 2, "curves"), (2, 2, "curves")]


def test_a_class_that_training_lacks_has_share_0():
    table = ts.NaiveBayes()._read(TWO, "y")
    shares = spread(np.array([[0.25, 0.75]]), table.schema.predicted.labels, ("p", "never", "q"))
    assert shares.tolist() == [[0.25, 0.0, 0.75]]


def test_training_rows_of_one_class_are_answered_with_it():
    table = ts.NaiveBayes()._read(TWO, "y")
    assert one_class(table, ("p", "q")) is None
    assert one_class(table.take(np.array([1, 3])), ("p", "q")).tolist() == [0.0, 1.0]


def test_threads_of_a_copy_are_set_where_the_user_did_not_say():
    assert fresh(ts.NaiveBayes(alpha=2.0), threads=1).get_params(deep=False)["threads"] == 1
    assert fresh(ts.NaiveBayes(threads=3), threads=1).threads == 3
    assert fresh(ts.NaiveBayes(engine=ts.Local(memory="1GB")), threads=1)._local() == ts.Local(1, "1GB")
    assert fresh(ts.NaiveBayes(engine=ts.Local(3)), threads=1)._local() == ts.Local(3)
    assert fresh(ts.NaiveBayes(threads=3, engine=ts.Local(memory="1GB")), threads=1)._local().threads == 3
    assert fresh(ts.NaiveBayes(alpha=2.0)).alpha == 2.0


def test_the_loss_on_training_rows_is_that_of_their_shares():
    table = ts.NaiveBayes()._read(TWO, "y")
    model = ts.NaiveBayes(alpha=1.0)._fit_table(table)
    right = model.predict_proba({"x": ["u", "v"]})[[0, 1], [0, 1]]
    assert training_loss(model, table) == pytest.approx(-np.log(right).mean())


def test_the_loss_on_training_rows_with_weights_is_that_of_their_copies():
    many = np.random.default_rng(2).integers(1, 9, 60)
    rows, told = mixed_rows(45), []
    for data, weights in ((rows, many), (rows.take(np.repeat(np.arange(60), many)), None)):
        table = ts.NaiveBayes()._read(data, "y", weights)
        told.append(training_loss(ts.NaiveBayes()._fit_table(table), table))
    assert told[0] == told[1]
