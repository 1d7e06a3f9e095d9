"""The table of prunings as lines, data and picture."""

from __future__ import annotations

import numpy as np

from tallystick.estimators.pruning_path import PruningPath


def path(judged: bool) -> PruningPath:
    errors, se = (np.array([0.5, 0.25]), np.array([0.1, 0.05])) if judged else (None, None)
    chosen = (1, 0) if judged else (None, None)
    return PruningPath(np.array([0.2, 0.0]), np.array([1, 3]), np.array([0.4, 0.0]), errors, se, *chosen, 0.4)


def test_lines_and_data_say_the_same():
    found = path(True)
    assert "← least" in str(found).splitlines()[2]
    assert "one standard error" in str(found).splitlines()[1]
    step = found.to_dict()["steps"][0]
    assert (step["cp"], step["training_error"], step["cv_error"]) == (0.5, 0.4, 0.5)


def test_without_folds_there_is_no_judged_error():
    found = path(False)
    assert "cross-validated" not in str(found)
    assert "cv_error" not in found.to_dict()["steps"][0]
    assert found.picture().startswith("<svg")
