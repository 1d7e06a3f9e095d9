"""A card of two classes as a Scorecard."""

from __future__ import annotations

import exports as e
import pytest

from tallystick.export.form import form_of
from tallystick.export.pmml import Fields, scorecard

pytestmark = pytest.mark.slow


def test_the_partial_scores_are_the_points_of_the_card():
    form = form_of(e.fitted("card").model_)
    model = scorecard(form, Fields(form, True))
    sections = model.findall("Characteristics/Characteristic")
    assert len(sections) == len(form.terms)
    for section, term in zip(sections, form.terms, strict=True):
        points = {float(line.get("partialScore")) for line in section}
        assert points == {float(row[1] - row[0]) for row in term["table"]}
        assert float(section.get("baselineScore")) == max(points)
        best = [line for line in section if float(line.get("partialScore")) == max(points)]
        assert all(line.get("reasonCode") == "" for line in best)
