"""The fitted tree: how counts become shares, and shares an answer."""

from __future__ import annotations

import numpy as np
import pytest
from trees import SCHEMA, Rows, one_test

from tallystick.errors import OptionError
from tallystick.tree.model import Answers, ClassWeights, Tree


def test_an_empty_branch_answers_like_the_node_above():
    nodes = one_test(missing=0)
    nodes.counts[1], nodes.counts[2] = [0, 0, 0], [3, 1, 2]
    tree = Tree(SCHEMA, nodes)
    np.testing.assert_allclose(tree.node_shares[1], [3 / 6, 1 / 6, 2 / 6])


def test_equal_shares_take_the_first_class():
    nodes = one_test(missing=0)
    nodes.counts[2] = [0, 1, 1]
    assert Tree(SCHEMA, nodes).labels[2] == 1


def test_costs_decide_the_answer():
    costs = ((0.0, 1.0, 1.0), (1.0, 0.0, 1.0), (1.0, 9.0, 0.0))
    nodes = one_test(missing=0)
    nodes.counts[2] = [0, 2, 1]
    assert Tree(SCHEMA, nodes).labels[2] == 1
    assert Tree(SCHEMA, nodes, answers=Answers(costs=costs)).labels[2] == 2


def test_averaging_without_smoothing_is_refused():
    with pytest.raises(OptionError, match="smoothing above 0"):
        Answers(average=True)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"smoothing": -1.0}, "smoothing must be a number of rows from 0 up, not -1.0"),
        ({"keep": 1.0}, "keep is a probability between 0 and 1, not 1.0"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, says):
    with pytest.raises(OptionError, match=says):
        Answers(**options)


def test_smoothing_adds_rows_with_the_shares_of_the_root():
    tree = Tree(SCHEMA, one_test(missing=0), answers=Answers(smoothing=3.0))
    base = np.array([3.5, 1.5, 2.5]) / 7.5  # every class with half a row more
    np.testing.assert_allclose(tree.node_shares[1], (np.array([3, 0, 0]) + 3 * base) / 6)


def test_class_weights_change_shares_and_the_rows_stay():
    weights = ClassWeights((0.0, 3.0, 1.0))
    tree = Tree(SCHEMA, one_test(missing=0), answers=Answers(weights=weights))
    np.testing.assert_allclose(tree.node_shares[2], [0, 3 / 5, 2 / 5])
    assert tree.labels[2] == 1
    assert tree.node_shares[1].tolist() == [1, 0, 0]  # all of no weight: the plain shares
    assert tree.rows[2].tolist() == [0, 1, 2]


def test_one_record_and_a_block_get_the_same_answer():
    tree = Tree(SCHEMA, one_test(missing=1))
    codes = {name: np.zeros(1, np.uint8) for name in ("colour", "size", "wet")}
    block = Rows({"x": np.array([7.0]), **codes}, 1)
    record = {"x": 7.0, "colour": "a", "size": "low", "wet": "false"}
    assert tree.shares_of_row(record).tolist() == tree.shares(block)[0].tolist()
    assert tree.log_shares(block)[0, 0] == -np.inf


def test_rows_of_the_training_table_that_are_answered_wrongly():
    assert Tree(SCHEMA, one_test(missing=0)).training_error() == 1.0
    costs = ((0.0, 1.0, 1.0), (5.0, 0.0, 1.0), (1.0, 9.0, 0.0))
    assert Tree(SCHEMA, one_test(missing=0), answers=Answers(costs=costs)).training_error() == 1.0
