"""Models that add and subtract: the model of the rows of both, or of the rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small_models import SCHEMA, bayes

from tallystick.bayes.model import Counted, Worded
from tallystick.bayes.updates import combined, fingerprint, no_ranges, refuse_choices, scaled
from tallystick.errors import DataError, OptionError
from tallystick.model.additive import Calibration
from tallystick.schema import Column, Schema, Target


def other():
    """Two rows of class "perhaps", which have the level "t"."""
    schema = Schema((SCHEMA["x"], Column("a", "levels", ("t",))), Target("y", ("perhaps",)))
    x, _ = bayes().parts
    x = replace(x, rows=np.array([2]), missing=np.array([0]), sums=(0,), squares=(0,))
    levels = Counted("a", "levels", np.array([[2]]), np.array([0]), ("t",))
    return replace(bayes(), schema=schema, classes=np.array([2]), parts=(x, levels))


def test_the_sum_knows_the_levels_and_labels_of_both():
    both = combined(bayes(), other(), 1, ())
    assert both.schema.target.labels == ("no", "perhaps", "yes")
    assert both.classes.tolist() == [4, 2, 4]
    assert both.schema["a"].levels == ("r", "s", "t")
    assert both.parts[1].counts.tolist() == [[3, 0, 1], [1, 0, 3], [0, 2, 0]]


def test_what_is_taken_away_again_is_gone_unless_it_was_declared():
    both = combined(bayes(), other(), 1, ())
    left = combined(both, other(), -1, ())
    assert left.to_dict() == bayes().to_dict()
    assert left.schema["a"].levels == ("r", "s")
    kept = combined(both, other(), -1, {"a", "y"})
    assert kept.schema["a"].levels == ("r", "s", "t")
    assert kept.classes.tolist() == [4, 0, 4]


def test_counts_in_another_unit_are_the_same_model():
    double = scaled(bayes(), 2)
    assert double.classes.tolist() == [8, 8]
    assert double.parts[0].means() == bayes().parts[0].means()
    both = combined(bayes(), scaled(bayes(), 4), 1, ())
    assert (both.unit, both.classes.tolist()) == (4, [32, 32])


def test_models_of_other_columns_parameters_or_targets_do_not_add():
    fewer = Schema((SCHEMA["x"],), SCHEMA.target)
    with pytest.raises(DataError, match="do not have the same columns: 'a' differ"):
        combined(bayes(), replace(bayes(), schema=fewer), 1, ())
    with pytest.raises(OptionError, match="fitted with different parameters"):
        combined(bayes(), bayes(alpha=2.0), 1, ())
    renamed = Schema(SCHEMA.columns, Target("z", ("no", "yes")))
    with pytest.raises(DataError, match="the same target"):
        combined(bayes(), replace(bayes(), schema=renamed), 1, ())


def test_an_ordered_column_cannot_gain_a_level_between():
    ordered = [
        replace(m, schema=Schema((SCHEMA["x"], replace(m.schema["a"], kind="ordered")), m.schema.target))
        for m in (bayes(), other())
    ]
    with pytest.raises(DataError, match="column 'a' has the new level 't', whose order is not known"):
        combined(*ordered, 1, ())


def test_a_choice_that_depends_on_all_rows_is_refused_with_its_cure():
    with pytest.raises(OptionError, match="column 'x' is read was chosen from all rows"):
        refuse_choices(bayes(), {"x": "auto"})
    words = Worded("t", "multinomial", np.ones((1, 2), np.int64), np.zeros(2), np.ones(2), idf=(65536,))
    with pytest.raises(OptionError, match="tf-idf weights of column 't' depend on all rows"):
        refuse_choices(replace(bayes(), parts=(words,)), {})
    with pytest.raises(OptionError, match="calibration depends on all rows"):
        refuse_choices(replace(bayes(), calibration=Calibration(1.0, (0.0, 0.0))), {})
    refuse_choices(bayes(), {"x": "gaussian"})


def test_fingerprints_add_in_the_finer_unit_and_ranges_are_not_kept():
    one = {"count": 2, "fingerprint": f"{5:032x}", "unit": 1}
    fine = {"count": 3, "fingerprint": f"{2:032x}", "unit": 4}
    assert fingerprint(one, fine, 1) == {"count": 11, "fingerprint": f"{22:032x}", "unit": 4}
    assert fingerprint(one, one, -1) == {"count": 0, "fingerprint": f"{0:032x}", "unit": 1}
    assert no_ranges(SCHEMA, bayes().parts)["x"].high is None
