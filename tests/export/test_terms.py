"""Models that add up parts as a RegressionModel."""

from __future__ import annotations

import exports as e
import pytest

from tallystick.export.form import form_of
from tallystick.export.pmml import Fields, regression_model


def test_every_class_has_a_table_and_softmax_makes_shares_of_them():
    form = form_of(e.fitted("logistic three").model_)
    model = regression_model(form, Fields(form, True))
    assert model.get("normalizationMethod") == "softmax"
    tables = model.findall("RegressionTable")
    assert [t.get("targetCategory") for t in tables] == list(form.labels)


@pytest.mark.slow
def test_a_card_of_three_classes_sums_whole_points_before_it_scales_them():
    form = form_of(e.fitted("card three").model_)
    tables = regression_model(form, Fields(form, True)).findall("RegressionTable")
    for table in tables:
        assert [float(p.get("coefficient")) for p in table] == [form.slope]
