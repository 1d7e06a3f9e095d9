"""What a scorecard asks is answered as the sum over blocks answers it, and no value of a number travels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sql_tables import awkward, duckdb_address, put

import tallystick as ts
from tallystick.engine import Local
from tallystick.io.open import open_source
from tallystick.kernels.linear import Curvature
from tallystick.scorecard import rounds
from tallystick.scorecard.model import LevelAxis, PairAxis, RangeAxis
from tallystick.scorecard.quadratic import (
    CardLayout,
    CardSums,
    LineCounts,
    PairResiduals,
    RowSample,
    RowVariety,
)
from tallystick.sql import answers as cards
from tallystick.sql.answers import LineRows, _runs, answer
from tallystick.stats.design_sums import Copies, Design, RowFacts
from tallystick.stats.profile import AnswerCounts
from tallystick.table.reader import read_table

FRAME = awkward()
SKY, X, WIDE, SMALL = (
    LevelAxis("sky", (0, 1, 0, 1)),
    RangeAxis("x", (1.0, 5.0, 8.0)),
    RangeAxis("wide", ()),
    RangeAxis("v", (-3.0, 20.5)),
)
LAYOUT = CardLayout((SKY, X, WIDE, SMALL, PairAxis(SKY, RangeAxis("x", (5.0,)))))
THETA = np.linspace(-1.0, 1.0, LAYOUT.lines + 1).reshape(-1, 1)
QUESTIONS = [
    RowFacts(Design((), (), ()), 2),
    LineCounts(CardLayout((SKY, X, WIDE, SMALL)), 2),
    LineCounts(LAYOUT, 2),
    CardSums(LAYOUT, THETA, 20, Copies(), Curvature.OWN),
    CardSums(LAYOUT, THETA, 20, Copies(), Curvature.OWN, RowSample((SKY, X, SMALL), 3)),
    PairResiduals(CardLayout((X,)), THETA[:6], 20, Copies(), (SKY, RangeAxis("v", (20.5,))), ((0, 1),)),
    RowVariety((SKY, X)),
]


@pytest.fixture(scope="module", params=[None, "w"])
def tables(request, tmp_path_factory):
    address = put(duckdb_address(tmp_path_factory.mktemp("sql")), "t", FRAME)
    there = ts.Scorecard(engine=ts.Sql())._read(address, "y", request.param)
    yield there, read_table(open_source(FRAME), None, "y", request.param)
    there.release()


def flat(total):
    """Return all arrays of a total."""
    if isinstance(total, list | tuple):
        return [x for part in total for x in flat(part)]
    if isinstance(total, np.ndarray):
        return [total]
    names = ("loss", "gradient", "squares", "classes", "heaviest", "words", "most")
    return [x for name in names if name in dir(total) for x in flat(getattr(total, name))]


@pytest.mark.slow
@pytest.mark.parametrize("packed", [cards.PACKED, 50])
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: type(q).__name__)
def test_an_answer_is_the_sum(tables, question, packed, monkeypatch):
    monkeypatch.setattr(cards, "PACKED", packed)  # the second: lines lie in several whole numbers
    there, here = tables
    there.by_lines = None
    found = flat(answer(there, question))
    summed = flat(Local(1).total(here, question))
    assert found
    for mine, own in zip(found, summed, strict=True):
        np.testing.assert_array_equal(mine, own)
    assert not there.fetched


@pytest.mark.slow
def test_lines_are_asked_for_once_and_again_where_a_cut_is_new(tables):
    there, _ = tables
    there.by_lines = None
    answer(there, QUESTIONS[3])
    first = there.by_lines
    assert isinstance(first, LineRows)
    assert np.isin(
        first.rows.columns["x"][~np.isnan(first.rows.columns["x"])], [0.9999999999999999, 1, 5, 8]
    ).all()
    answer(there, QUESTIONS[5])
    assert there.by_lines is first
    answer(there, RowVariety((RangeAxis("x", (2.0,)),)))
    assert there.by_lines is not first


@pytest.mark.slow
def test_what_a_card_answers_is_counted_by_lines(tables):
    there, here = tables
    question = AnswerCounts(ts.Scorecard().fit(FRAME, "y", "w").model_, 2)
    for mine, own in zip(answer(there, question), Local(1).total(here, question), strict=True):
        np.testing.assert_array_equal(mine, own)


def test_codes_that_one_whole_number_does_not_hold_lie_in_several():
    assert _runs([2, 3, 4]) == [(0, 3)]
    assert _runs([2, 2**61, 2**61, 5]) == [(0, 2), (2, 3), (3, 4)]


@pytest.mark.slow
def test_a_card_of_a_sample_of_the_rows_is_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(rounds, "SAMPLE", 100)
    monkeypatch.setattr("tallystick.scorecard.learner.SAMPLE", 100)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"x{i}": rng.normal(size=1500).astype(np.float32) for i in range(4)})
    frame["y"] = frame.x0 * frame.x1 + frame.x2 + rng.normal(size=1500) > 0
    there = ts.Scorecard(engine=ts.Sql()).fit(put(duckdb_address(tmp_path), "t", frame), "y")
    assert there.to_bytes() == ts.Scorecard().fit(frame, "y").to_bytes()
    assert not there.source_notes_
