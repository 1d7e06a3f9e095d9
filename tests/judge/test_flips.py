"""Two models on the same rows: which answers differ is what `predict` says, and each is told with its why."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.estimator.base import Estimator
from tallystick.judge.two_models import Flip

ROWS = [{"x": i % 7 + 0.5, "s": "uvw"[i % 3], "y": "ab"[(i % 7 > 3) ^ (i % 5 == 0)]} for i in range(90)]
OTHER = [r | {"y": "ab"[(i % 7 > 4) ^ (i % 4 == 0)]} for i, r in enumerate(ROWS)]
METHODS = (ts.DecisionTree, ts.NaiveBayes, ts.LogisticRegression, ts.Scorecard, ts.RuleList)


@pytest.mark.slow
@pytest.mark.parametrize("make", METHODS)
def test_flips_are_the_rows_that_predict_answers_differently(make):
    a, b = make().fit(ROWS, "y"), make().fit(OTHER, "y")
    found = ts.diff(a, b, on=ROWS)
    differ = np.flatnonzero(a.predict(ROWS) != b.predict(ROWS))
    assert found.flips.count == len(differ)
    assert [f.row - 1 for f in found.flips.first] == differ[:10].tolist()
    assert sum(n for *_, n in found.flips.ways) == len(differ)
    for flip in found.flips.first:
        assert flip.why[0]
        assert flip.why[1]
    assert found.to_dict()["on"]["flipped"] == len(differ)
    assert str(found.flips).splitlines()[0] in str(found)


def test_a_change_of_the_decision_is_said_first_with_the_probability_of_the_answer():
    bare, early = (ts.NaiveBayes().fit(ROWS, "y") for _ in range(2))
    early.set_decision(threshold=0.1, of="b")
    shares = bare.predict_proba(ROWS)
    found = ts.diff(early, bare, on=ROWS)
    differ = np.flatnonzero(early.predict(ROWS) != bare.predict(ROWS))
    assert len(differ) > 10
    assert len(found.flips.first) == 10
    for row, flip in zip(differ, found.flips.first, strict=False):
        assert (flip.before, flip.after, flip.shares) == ("'b'", "'a'", (shares[row, 1], shares[row, 0]))
    first, second, *rest = str(found).splitlines()
    assert first == (
        "decision changed from b where its probability is above 0.1, else a to the most probable class"
    )
    assert second.startswith(f"{len(differ):,} of 90 rows")
    assert not any("decision" in line for line in rest)
    assert found.to_dict()["changes"][0]["place"] == "decision"


def test_one_model_flips_nothing():
    model = ts.NaiveBayes().fit(ROWS, "y")
    found = ts.diff(model, model, on=ROWS)
    assert not found.flips
    assert found.flips.moved == 0.0
    assert not found


def test_numbers_are_told_by_the_largest_change():
    rows = [r | {"y": r["x"]} for r in ROWS]
    other = [r | {"y": r["x"] ** 2} for r in ROWS]
    a, b = ts.RegressionTree().fit(rows, "y"), ts.RegressionTree().fit(other, "y")
    found = ts.diff(a, b, on=rows).flips
    change = np.abs(a.predict(rows) - b.predict(rows))
    assert found.count == (change > 0).sum()
    assert found.moved == pytest.approx(change.mean())
    assert found.first[0].row - 1 == int(np.argmax(change))


def test_models_of_different_targets_are_refused():
    number = ts.RegressionTree().fit([r | {"y": r["x"]} for r in ROWS], "y")
    with pytest.raises(OptionError, match="predict the same column"):
        ts.diff(ts.NaiveBayes().fit(ROWS, "y"), number, on=ROWS)


def test_a_row_is_told_with_both_answers_and_both_reasons():
    flip = Flip(71, "'yes'", "'no'", (0.65, 0.5), ("mass = 41.3", "preg = 1"))
    assert str(flip) == (
        "row 71: 'yes' (probability of 'yes' 65.0%), now 'no' (of 'no' 50.0%); "
        "before because of mass = 41.3; now because of preg = 1"
    )


@pytest.mark.slow
def test_flips_do_not_depend_on_the_pieces_that_rows_come_in(monkeypatch):
    a, b = (
        ts.NaiveBayes().fit(ROWS, "y"),
        ts.DecisionTree().fit([r | {"y": "cd"[r["y"] == "a"]} for r in OTHER], "y"),
    )
    whole = ts.diff(a, b, on=ROWS).flips
    each = Estimator._each_block

    def pieces(self, *args, **reading):
        size = 7 if self is a else 11
        for shares in each(self, *args, **reading):
            yield from (shares[at : at + size] for at in range(0, len(shares), size))

    monkeypatch.setattr(Estimator, "_each_block", pieces)
    assert ts.diff(a, b, on=ROWS).flips == whole
    assert whole.count == len(ROWS)  # no class of one is a class of the other
    assert whole.moved == pytest.approx(a.predict_proba(ROWS).max(axis=1).mean())


def test_a_row_that_cannot_be_read_moves_nothing(tmp_path):
    path, lines = tmp_path / "rows.csv", [f"{r['x']},{r['s']}" for r in ROWS]
    path.write_text("\n".join(["x,s", *lines[:40], "1,2,3,4,5", *lines[40:], ""]))
    a, b = ts.NaiveBayes().fit(ROWS, "y"), ts.NaiveBayes(alpha=2).fit(ROWS, "y")
    broken, whole = ts.diff(a, b, on=path).flips, ts.diff(a, b, on=ROWS).flips
    assert (broken.rows, broken.count, broken.moved) == (len(ROWS) + 1, 0, whole.moved)
    assert whole.moved > 0


def test_no_more_rows_are_held_than_come_at_once(monkeypatch):
    model = ts.NaiveBayes().fit(ROWS, "y")

    def pieces(self, *args, **reading):
        return (np.tile([0.25, 0.75], (20_000, 1)) for _ in range(50))

    monkeypatch.setattr(Estimator, "_each_block", pieces)
    tracemalloc.start()
    try:
        found = ts.diff(model, model, on=ROWS).flips
        assert tracemalloc.get_traced_memory()[1] < 8 << 20  # the shares of all rows are 32 MB
    finally:
        tracemalloc.stop()
    assert (found.rows, found.count) == (1_000_000, 0)
