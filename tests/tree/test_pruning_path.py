"""The table of prunings as lines, data and picture."""

from __future__ import annotations

import numpy as np
import pytest

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.tree.splits import PruningPath


def path(judged: bool) -> PruningPath:
    errors, se = (np.array([0.5, 0.25]), np.array([0.1, 0.05])) if judged else (None, None)
    chosen = (1, 0) if judged else (None, None)
    return PruningPath(np.array([0.2, 0.0]), np.array([1, 3]), np.array([0.4, 0.0]), errors, se, *chosen, 0.4)


def test_lines_and_data_say_the_same():
    found = path(True)
    assert "← least" in str(found).splitlines()[2]
    assert "← 1-SE" in str(found).splitlines()[1]
    assert str(found).endswith("within one standard error of the least error.")
    assert max(map(len, str(found).splitlines())) <= 80
    step = found.to_dict()["steps"][0]
    assert (step["cp"], step["training_error"], step["cv_error"]) == (0.5, 0.4, 0.5)


def test_without_folds_there_is_no_judged_error():
    found = path(False)
    assert "cross-validated" not in str(found)
    assert "cv_error" not in found.to_dict()["steps"][0]
    assert found.picture().startswith("<svg")


def test_both_marks_behind_one_row_leave_the_table_within_80_cells():
    five, many = np.array([0.5, 0.25]), np.array([1, 300])
    found = PruningPath(five, many, five, five, five, 1, 1, 0.4, test_error=five, rows=(9, 5, 5))
    assert str(found).splitlines()[3].endswith("  ← least, 1-SE")
    assert max(map(len, str(found).splitlines())) <= 80


# -- on rows held out --


def noisy(seed=0, rows=240):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 3)).round(2)
    return [
        {"a": float(a), "b": float(b), "c": float(c), "y": bool((a > 0) != (r < 0.2))}
        for (a, b, c), r in zip(x, rng.random(rows), strict=True)
    ]


def test_held_out_rows_judge_every_pruning_as_its_own_answers_do():
    rows = noisy()
    tree = ts.DecisionTree(average=False, smoothing=0).fit(rows[:160], "y")
    found = tree.pruning_path(held_out=rows[160:])
    for alpha, leaves, error in zip(found.alpha, found.leaves, found.cv_error, strict=True):
        small = tree.prune(alpha=alpha)
        assert small.get_n_leaves() == leaves
        assert error == pytest.approx(1 - small.score(rows[160:], "y"))
    assert found.cv_error[found.minimum] == found.cv_error.min()
    assert found.rows == (160, 80)
    assert "160 rows train, 80 rows validate" in str(found)


def test_parts_are_those_that_compare_makes_and_the_third_tests():
    rows = noisy(1)
    tree = ts.DecisionTree(average=False).fit(rows, "y")
    found = tree.pruning_path(folds=(0.6, 0.2, 0.2))
    assert found.rows == (144, 48, 48)
    step = found.to_dict()["steps"][-1]
    assert step["training_error"] == 0
    assert {"validation_error", "validation_se", "test_error"} < set(step)
    assert [name for name in ("training", "validation", "test") if f">{name} error" in found.picture()] == [
        "training",
        "validation",
        "test",
    ]
    one = ts.compare(rows, "y", methods=["c45"], folds=(0.6, 0.2, 0.2), tuned=False)
    assert len(one.best.result.truth) >= 48
    turned = ts.DecisionTree(average=False).fit(rows[::-1], "y").pruning_path(folds=(0.6, 0.2, 0.2))
    assert turned.to_dict() == found.to_dict()


def test_two_parts_leave_none_to_test():
    found = ts.DecisionTree().fit(noisy(2), "y").pruning_path(folds=[0.5, 0.5])
    assert found.test_error is None
    assert found.rows == (120, 120)


@pytest.mark.parametrize("shares", [(0.5,), (1, 0), ("a", "b"), (1, 1, 1, 1)])
def test_shares_that_make_no_sense_are_refused(shares):
    with pytest.raises(OptionError, match="shares of rows are two"):
        ts.DecisionTree().fit(noisy(2), "y").pruning_path(folds=shares)


def test_a_regression_is_validated_by_its_squares():
    rows = [row | {"y": row["a"] + row["b"] * row["c"]} for row in noisy(3)]
    tree = ts.RegressionTree().fit(rows[:160], "y")
    found = tree.pruning_path(held_out=rows[160:])
    truth = np.array([row["y"] for row in rows[160:]])
    assert found.cv_error[-1] == pytest.approx(((tree.predict(rows[160:]) - truth) ** 2).mean())
