"""The section `decision` of a model file."""

from __future__ import annotations

from pathlib import Path

import pytest

import tallystick as ts
from tallystick.errors import ModelFileError
from tallystick.model.file import from_bytes, to_bytes

OLD = sorted((Path(__file__).parents[1] / "files" / "v1").glob("*.tally.json"))


def model():
    rows = [{"sky": "sun", "play": "no"}, {"sky": "rain", "play": "yes"}] * 10
    return ts.NaiveBayes().fit(rows, "play")


def test_a_file_without_a_decision_has_no_such_section():
    fitted = model()
    assert "decision" not in fitted.to_dict()
    fitted.set_decision(threshold=0.3, of="yes")
    assert fitted.to_dict()["decision"] == {"of": "yes", "threshold": 0.3}
    assert "decision" not in fitted.clear_decision().to_dict()


def test_a_file_of_version_1_becomes_one_of_version_2_when_it_decides():
    found = [path for path in OLD if getattr(ts.load(path).schema_.target, "labels", ())]
    assert found
    for path in found[:4]:
        old = ts.load(path)
        before = old.to_bytes()
        classes = len(old.classes_)
        old.set_decision(costs=[[float(a != b) * 2 for b in range(classes)] for a in range(classes)])
        assert from_bytes(old.to_bytes())["format"]["version"] == 2
        assert from_bytes(before)["format"]["version"] == 1


@pytest.mark.parametrize(
    "decision",
    [
        {},
        {"threshold": 0.3},
        {"threshold": 0.3, "of": "maybe"},
        {"threshold": 1.0, "of": "yes"},
        {"threshold": float("nan"), "of": "yes"},
        {"costs": [[0.0, 1.0]]},
        {"costs": [[0.0, 0.0], [0.0, 0.0]]},
        {"costs": [[0.0, -1.0], [1.0, 0.0]]},
        {"costs": [[0.0, 1.0], [1.0, 0.0]], "of": "yes"},
        {"costs": [[0.0, 1.0], [1.0, 0.0]], "code": "x"},
        "cheap",
    ],
)
def test_a_decision_that_makes_no_sense_is_refused_in_one_line(decision):
    document = model().to_dict() | {"decision": decision}
    try:
        data = to_bytes(document)
    except ValueError:  # JSON has no NaN
        return
    with pytest.raises(ModelFileError) as caught:
        from_bytes(data)
    assert "\n" not in str(caught.value)
