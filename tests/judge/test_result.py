"""Out-of-fold answers: measures, folds and groups as they are counted by hand."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from tallystick.errors import OptionError
from tallystick.judge.result import CrossValidation, FoldAnswers, count_rows, mean_error
from tallystick.judge.scores import copies

SHARES = np.array([[0.8, 0.2], [0.4, 0.6], [0.6, 0.4], [0.1, 0.9]])
TRUTH = np.array([0, 1, 1, 1])
FOLD = np.array([0, 0, 1, 1])


def judged(**more):
    return CrossValidation(("no", "yes"), TRUTH, (FoldAnswers(SHARES, FOLD),), **more)


def test_accuracy_and_loss_are_those_counted_by_hand():
    found = judged()
    assert (found.accuracy, found.baseline, found.most_frequent) == (0.75, 0.75, "yes")
    assert found.log_loss == pytest.approx(-np.log([0.8, 0.6, 0.4, 0.9]).mean())
    assert found.fold_accuracies == (1.0, 0.5)
    assert found.standard_error == pytest.approx(0.25)
    assert found.answered.tolist() == [0, 1, 0, 1]


def test_costs_decide_answers_and_those_of_the_method_come_first():
    dear = np.array([[0.0, 1.0], [10.0, 0.0]])
    assert judged(cost=dear).answered.tolist() == [1, 1, 1, 1]
    assert judged(cost=dear, own_costs=1 - np.eye(2)).answered.tolist() == [0, 1, 0, 1]


def test_a_row_that_was_never_tested_counts_nowhere():
    part = FoldAnswers(SHARES, np.array([0, 0, -1, 1]))
    found = CrossValidation(("no", "yes"), TRUTH, (part,))
    assert found.accuracy == 1.0
    assert found.to_dict()["fold_sizes"] == [[2, 1]]


def test_pieces_of_a_row_have_its_truth_and_their_own_weight():
    part = FoldAnswers(SHARES[[0, 0, 1]], np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([2.0, 1.0, 1.0]))
    assert part.of(np.array(["a", "b"])).tolist() == ["a", "a", "b"]
    assert part.weight(None).tolist() == [2.0, 1.0, 1.0]
    assert part.sizes(None) == [2, 2]


def test_a_weight_that_is_not_whole_is_one_row():
    assert copies(np.array([3.0, 0.5, 0.0])).tolist() == [1.0, 1.0, 0.0]
    assert copies(np.array([3.0, 1.0, 0.0])).tolist() == [3.0, 1.0, 0.0]
    assert count_rows(3, np.array([3.0, 0.5, 0.0])) == 2
    assert count_rows(3, None) == 3


def test_the_error_of_a_mean_is_the_usual_one_and_none_of_one_row():
    values = np.array([1.0, 2.0, 4.0])
    assert mean_error(values, None) == pytest.approx(values.std(ddof=1) / 3**0.5)
    assert mean_error(np.array([1.0, 2.0, 2.0]), None) == pytest.approx(
        mean_error(np.array([1.0, 2.0]), np.array([1.0, 2.0]))
    )
    assert mean_error(np.array([7.0]), None) == 0.0


def test_what_is_not_there_is_named_with_what_is():
    with pytest.raises(OptionError, match=r"there is no measure 'f2' of these answers.*'accuracy'"):
        judged().measure("f2")
    with pytest.raises(OptionError, match=r"no picture 'pie' of scores\. Use roc, pr or calibration"):
        judged().picture("pie")
    with pytest.raises(OptionError, match="a fold has a mean 'log-loss' or 'accuracy', not 'cost'"):
        judged().fold_means("cost")


def test_errors_are_counted_by_the_values_of_a_column():
    found = judged(groups={"town": np.array(["a", "b", "b", "b"])})
    assert [(g["group"], g["rows"], g["error"]) for g in found.by("town")] == [
        ("b", 3.0, 1 / 3),
        ("a", 1.0, 0.0),
    ]


def test_the_most_frequent_class_is_found_in_little_memory():
    rows = 8_000_000
    truth = np.zeros(rows, np.uint8)
    truth[: rows // 2 + 1] = 1
    nothing = FoldAnswers(np.empty((0, 2)), np.empty(0, np.int64))
    found = CrossValidation(("no", "yes"), truth, (nothing,))
    tracemalloc.start()
    try:
        assert found.most_frequent == "yes"
        assert tracemalloc.get_traced_memory()[1] < 4 * rows  # eight bytes a row would be 8 * rows
    finally:
        tracemalloc.stop()
