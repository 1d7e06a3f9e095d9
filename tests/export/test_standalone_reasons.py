"""The reasons of an exported card are those of the model, in Python and in JavaScript."""

from __future__ import annotations

import json
import shutil
import subprocess

import exports as e
import pytest
import small_cards as s

from tallystick.export.standalone import Model, reasons
from tallystick.export.targets import export
from tallystick.scorecard.explain import card_form

pytestmark = pytest.mark.slow

CARDS = ["card", "card three", "card crossed", "card words"]
GIVEN = {"income (€)": 12.5, "flag": True, "name": "O'Brien", "count": 3, "stars": 1.5, "review": "bad film"}
NODE = """
const model = require("./model.js"), [rows, asked] = require("./rows.json");
process.stdout.write(JSON.stringify(asked.map((how) => rows.map((row) => model.reasons(row, how)))));
"""


def asked(name):
    """The ways to ask, with the answers of the model."""
    model, rows = e.fitted(name), {n: cells[:300] for n, cells in e.new_rows(name).items()}
    asked_for = {c.name for c in model.schema_.used}  # the card refuses a row with other columns
    given = {n: v for n, v in GIVEN.items() if n in asked_for}
    assert len(given) >= 2
    label = model.classes_[0].item()
    ways = [{}, {"against": "average"}, {"against": given, "most": 9}, {"label": label, "most": 2}]
    want = [[[c.text for c in row] for row in model.reasons(rows, **way)] for way in ways]
    return model, e.records(rows), ways, want


@pytest.mark.parametrize("name", CARDS)
def test_the_reasons_in_python_are_those_of_the_model(name):
    model, rows, ways, want = asked(name)
    plain: dict = {}
    exec(compile(model.export("python"), "model.py", "exec"), plain)
    for way, wanted in zip(ways, want, strict=True):
        assert [[r["text"] for r in plain["reasons"](row, **way)] for row in rows] == wanted


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("name", CARDS)
def test_the_reasons_in_javascript_are_those_of_the_model(name, tmp_path):
    model, rows, ways, want = asked(name)
    (tmp_path / "model.js").write_text(model.export("js"), encoding="utf-8")
    (tmp_path / "rows.json").write_text(json.dumps([rows, ways]), encoding="utf-8")
    (tmp_path / "run.js").write_text(NODE, encoding="utf-8")
    done = subprocess.run(["node", "run.js"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert [[[r["text"] for r in row] for row in way] for way in json.loads(done.stdout)] == want


def test_reasons_have_section_line_and_points():
    model = Model(card_form(s.card(), "").to_dict())
    row = {"age": 20, "since": None, "home": "tent", "note": "late, late"}
    first, second = reasons(model, row, most=2)
    assert first == {
        "section": "age",
        "line": "age below 25",
        "points": 34,
        "text": "age below 25: 34 points less than the best",
    }
    assert second["text"] == "note contains late: 12 points less than without"
    with pytest.raises(ValueError, match="against must be 'best', 'average' or a row, not 'worst'"):
        reasons(model, row, against="worst")


def test_other_models_have_no_reasons():
    assert "reasons = functools.partial(reasons, MODEL)" in export(s.card(), "python")
    assert "reasons" not in e.fitted("bayes").export("python").splitlines()[-5:]
    assert "def reasons" not in e.fitted("bayes").export("python")
