"""Every result draws: as SVG from Python, in a notebook, and by --picture."""

from __future__ import annotations

import math
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from functools import cache
from importlib import resources

import pytest

import tallystick as ts
from tallystick.bayes import estimator as saying
from tallystick.cli.main import run
from tallystick.draw.svg import GROUND, INK
from tallystick.errors import OptionError

pytestmark = pytest.mark.slow

VOTES = str(resources.files("tallystick.examples") / "votes.csv")
ROW = {"physician-fee-freeze": "y"}


@cache
def fitted(kind):
    return getattr(ts, kind)().fit(VOTES, "party")


def row():
    names = fitted("NaiveBayes").feature_names_in_
    return {name: ROW.get(name) for name in names}


DRAWN = {
    "tree": lambda: fitted("DecisionTree"),
    "naive Bayes": lambda: fitted("NaiveBayes"),
    "logistic": lambda: fitted("LogisticRegression"),
    "card": lambda: fitted("Scorecard"),
    "rules": lambda: fitted("RuleList"),
    "comparison": lambda: ts.compare(VOTES, "party", methods=("bayes",), tuned=False, folds=2),
    "curve": lambda: ts.learning_curve(VOTES, "party", methods=("bayes",), repeats=1),
    "scores": lambda: ts.cross_validate(ts.NaiveBayes(), VOTES, "party", folds=2),
    "description": lambda: ts.describe(VOTES, "party"),
    "description without a target": lambda: ts.describe(VOTES),
    "votes": lambda: fitted("NaiveBayes").votes(),
    "explanation": lambda: fitted("NaiveBayes").explain(row()),
    "explanation of logistic": lambda: fitted("LogisticRegression").explain(row()),
    "path": lambda: fitted("DecisionTree").explain(row()),
    "use of columns": lambda: fitted("DecisionTree").column_use(),
    "pruning": lambda: fitted("DecisionTree").pruning_path(folds=0),
}
TOLD = {
    "shares": lambda: fitted("NaiveBayes").shares("crime"),
    "splits": lambda: fitted("DecisionTree").splits(),
    "rules": lambda: fitted("DecisionTree").rules(),
    "summary": lambda: fitted("LogisticRegression").summary(),
    "bayes rule": lambda: ts.bayes_rule([0.5, 0.5], [0.1, 0.9]),
    "unfitted": lambda: ts.DecisionTree(),
}


@pytest.mark.parametrize("name", list(DRAWN))
def test_every_result_draws_a_picture_that_is_well_formed_and_savable(name, tmp_path):
    found = DRAWN[name]()
    picture = found.picture()
    root = ET.fromstring(picture)
    assert root.tag.endswith("svg")
    assert root.find("{http://www.w3.org/2000/svg}title") is not None
    assert "<svg" in found._repr_html_()
    assert picture == picture.svg
    picture.save(tmp_path / "p.svg")
    alone = (tmp_path / "p.svg").read_text(encoding="utf-8")
    assert picture._repr_svg_() == alone
    root = ET.fromstring(alone)
    assert root.get("color") == INK  # what currentColor is: no page lends a file the colour of its text
    ground = root.find("{http://www.w3.org/2000/svg}rect")
    assert ground.attrib == {"width": "100%", "height": "100%", "fill": GROUND}


@pytest.mark.parametrize("name", list(TOLD))
def test_other_results_stand_in_a_notebook_as_their_own_lines(name):
    text = TOLD[name]()._repr_html_()
    assert text.startswith(("<pre", "<div"))
    assert text.endswith(("</pre>", "</div>"))
    assert "overflow: auto" in text


@pytest.mark.parametrize("kind", ["roc", "pr", "calibration"])
def test_scores_draw_three_curves(kind):
    assert ET.fromstring(DRAWN["scores"]().picture(kind)) is not None


def test_a_report_stands_in_a_notebook_as_its_page():
    found = ts.report(VOTES, "party", methods=("bayes",), folds=2, repeats=0)
    frame = ET.fromstring(found._repr_html_())
    assert frame.tag == "iframe"
    assert frame.get("srcdoc").split() == found.html.split()  # XML makes one space of a line's end
    assert frame.get("sandbox") == "allow-scripts allow-downloads"


def test_a_report_tells_its_progress_from_0_to_100_and_never_back():
    told = []
    ts.report(VOTES, "party", folds=2, repeats=1, progress=lambda *step: told.append(step))
    done = [count for count, _, _ in told]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0, 100)
    assert {total for _, total, _ in told} == {100}
    jobs = list(dict.fromkeys(what for _, _, what in told))
    assert jobs == [
        "reading and describing",
        "comparing 4 methods, 2 folds",
        "learning curves",
        "drawing the page",
    ]


@pytest.mark.parametrize("calibrate", [False, True])
def test_a_nomogram_adds_up_to_the_shares_of_the_model_for_any_two_classes(calibrate):
    table = [
        {"a": "xyz"[(i * i + i // 7) % 3], "b": "pqr"[i % 3 if i % 4 else i % 2], "y": "uvw"[i % 3]}
        for i in range(90)
    ]
    model = ts.NaiveBayes(calibrate=calibrate).fit(table, "y")
    shares = model.predict_proba([{"a": "x", "b": "q"}])[0]
    for label, against in (("u", "v"), ("w", "u")):
        picture = model.picture(label, against)
        title = ET.fromstring(picture).find("{http://www.w3.org/2000/svg}title").text
        assert title == f"y: {label} against {against}"
        base = float(re.search(r"values to ([+-][0-9.]+);", picture)[1])
        c, d = "uvw".index(label), "uvw".index(against)
        parts = [told_weight(model, name, value, c, d) for name, value in (("a", "x"), ("b", "q"))]
        assert base + sum(parts) == pytest.approx(math.log(shares[c] / shares[d]), abs=0.011)


def told_weight(model, column, value, c, d):
    """The weight of a value on the line that the nomogram draws."""
    known = model.model_.calibration
    slope = 1.0 if known is None else known.slope
    number = [p.name for p in model.model_.parts].index(column)
    marks = dict(saying._scale(model.model_, number, (c, d, slope), {}).marks)
    return marks[value]


def test_hostile_names_cannot_break_a_picture():
    table = [
        {"<script>&\"'": "</svg>" if i % 2 else "\u202eb", "y": "<b>" if i % 2 else "]]>"} for i in range(40)
    ]
    for kind in ("DecisionTree", "NaiveBayes", "LogisticRegression", "Scorecard"):
        model = getattr(ts, kind)().fit(table, "y")
        for text in (model.picture(), ts.describe(table, "y").picture()):
            assert ET.fromstring(text) is not None
            assert "<script>" not in text
            assert "\u202e" not in text
        assert "<script>" not in model._repr_html_()


@pytest.mark.parametrize(
    "args",
    [("fit", "--model", "tree"), ("fit", "--model", "bayes"), ("describe",), ("curve", "--repeats", "1")],
)
def test_commands_save_their_picture(args, tmp_path):
    code = "from tallystick.cli.main import main; main()"
    command = [sys.executable, "-c", code, *args, VOTES, "-t", "party", "--picture", "p.svg"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    root = ET.parse(tmp_path / "p.svg").getroot()
    assert root.tag.endswith("svg")
    assert root.get("color") == INK


@pytest.mark.parametrize("kind", ["DecisionTree", "NaiveBayes", "LogisticRegression", "Scorecard"])
def test_an_explanation_saves_its_picture(kind, tmp_path, capsys):
    fitted(kind).save(tmp_path / "m.json")
    saved = tmp_path / "p.svg"
    code = run(["explain", str(tmp_path / "m.json"), VOTES, "--row", "3", "--picture", str(saved)], False)
    assert code == 0
    picture = fitted(kind).explain(VOTES, 2).picture()
    assert saved.read_text(encoding="utf-8") == picture.with_own_colours()


@pytest.mark.parametrize(
    ("args", "thing"),
    [
        (("export", "m.json", "--to", "rules", "-o"), "-o"),
        (("explain", "m.json", VOTES, "--picture"), "--picture"),
        (("fit", "--model", "bayes", VOTES, "-t", "party", "--folds", "0", "-o"), "-o"),
        (("report", VOTES, "-t", "party", "--method", "bayes", "--repeats", "0", "-o"), "-o"),
    ],
)
def test_what_cannot_be_written_is_called_by_its_name(args, thing, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    fitted("DecisionTree").save("m.json")
    assert run([*args, "nowhere/x.svg"], False) == 2
    assert f"{thing} 'nowhere/x.svg' cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["p.png", "p.pdf", "p", "p.svg.jpg"])
def test_a_picture_is_not_written_under_another_formats_name(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OptionError, match=r"pictures are SVG, and '.*' (ends in|has no ending).* \.svg"):
        fitted("DecisionTree").picture().save(name)
    assert run(["describe", VOTES, "-t", "party", "--picture", name], False) == 2
    said = capsys.readouterr().err
    assert "pictures are SVG" in said
    assert said.count("\n") == 1
    assert not (tmp_path / name).exists()
