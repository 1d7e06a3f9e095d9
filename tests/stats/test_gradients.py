"""The questions of logistic regression: rows by class and word, what a row counts for, sides and meetings."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick.schema import Column
from tallystick.stats.design_sums import (
    CodedPart,
    Copies,
    Dense,
    Design,
    Factor,
    LogisticSums,
    Meetings,
    RowFacts,
    Sampled,
    Sides,
    laid_out,
)
from tallystick.table.block import RowBlock as Block
from tallystick.table.block import WordCounts

X = Dense("x", (Factor("x", "x", None, -1.0, 1.0),))
GONE = Dense("x missing", (Factor("x", "x", None, -1.0, 1.0),), missing=True)
A = CodedPart(Column("a", "levels", ("r", "s")), 0)
TEXT = Column("t", "text", words=("pie", "tea"))
WORDS = WordCounts(np.array([0, 1, 3, 3]), np.array([0, 0, 1], np.uint32), np.array([5, 1, 1], np.uint32))


def block(weights=None):
    columns = {"x": np.array([-1.0, np.nan, 1.0]), "a": np.array([0, 1, 0], np.uint8), "t": WORDS}
    given = None if weights is None else np.array(weights, np.int64)
    return Block(3, columns, np.array([0, 1, 1], np.uint8), weights=given)


def test_rows_are_counted_by_class_and_word_with_the_heaviest_weight():
    ask = RowFacts(Design((), (), (TEXT,)), 2)
    found = ask.add(ask.zero(), block([2, 1, 4]))
    assert found.classes.tolist() == [2, 5]
    assert found.heaviest.tolist() == [4]
    assert found.words[0].tolist() == [3, 1, 0]
    assert found.most[0].tolist() == [5]  # the largest count of a word in a row
    both = ask.merge(found, ask.add(ask.zero(), block()))
    assert (both.classes.tolist(), both.heaviest.tolist()) == ([3, 7], [4])


def test_whole_weights_are_copies_and_others_are_factors_of_at_most_1():
    weights = np.array([4, 8])
    assert Copies().of(weights).copies is weights
    found = Copies(whole=False, unit=4, heaviest=2.0).of(weights)
    assert found.copies is None
    assert found.row_factor.tolist() == [0.5, 1.0]
    assert Copies().of(None).copies is None


def test_a_block_remembers_its_columns_for_one_design_only():
    rows, design = block(), Design((X,), (A,), ())
    assert laid_out(design, rows, 1) is laid_out(design, rows, 1)
    other = Design((GONE,), (), ())
    assert laid_out(other, rows, 1).columns.values[0].tolist() == [0.0, 1.0, 0.0]


def test_a_sample_is_a_block_of_whole_rows_and_the_question_of_it_asks_all():
    design = Design((X,), (A,), ())
    rng = np.random.default_rng(0)
    columns = {"x": rng.random(400), "a": np.zeros(400, np.uint8)}
    rows = Block(400, columns, np.zeros(400, np.uint8), weights=np.arange(400))
    some = Sampled(design, 4)(rows)
    assert 40 < some.rows < 200
    assert (some.columns["x"] == columns["x"][some.weights]).all()
    ask = LogisticSums(design, np.array([[0.0], [1.0]]), np.ones((6, 1)), 40, every=4)
    (form, part), whole = ask.prepared(), ask.add(ask.zero(), rows)
    assert part.prepared() is None
    assert (part.add(part.zero(), form(rows)).sums.gradient == whole.sums.gradient).all()


def test_sides_are_the_ends_of_the_scores_of_each_class():
    design = Design((X,), (), ())
    ask = Sides(design, np.array([[0.0], [1.0]]), (np.array([[0.0], [1.0]]),), 2)
    rows = Block(3, {"x": np.array([-1.0, 0.25, 1.0])}, np.array([0, 1, 1], np.uint8))
    sides, margins = ask.add(ask.zero(), rows)
    assert sides.tolist() == [[[0.25, 1.0, -1.0, -1.0]]]
    assert margins.tolist() == [[0.25, 1.0]]
    none = ask.merge(ask.zero(), ask.zero())[0]
    assert none.tolist() == [[[np.inf, -np.inf, np.inf, -np.inf]]]


@pytest.mark.parametrize(("weights", "seen"), [(None, [True, True]), ([1, 0, 0], [True, False])])
def test_classes_met_by_a_cell_a_gap_or_a_word_leave_out_rows_of_no_weight(weights, seen):
    design = Design((GONE,), (A,), (TEXT,))
    ask = Meetings(design, 2)
    met, there, words = ask.add(ask.zero(), block(weights))
    assert met[0].tolist() == seen
    assert met[1].tolist() == [False, weights is None]  # only the second row has a gap
    assert there[0].tolist() == seen
    assert met[design.cell(A)].tolist() == seen  # the level "r"
    assert words.tolist() == [seen, [False, weights is None], [False, False]]
    assert ask.merge(ask.zero(), [met, there, words])[0].tolist() == met.tolist()
