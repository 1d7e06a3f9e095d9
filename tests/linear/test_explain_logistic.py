"""Reasons of a logistic regression are measured from the average training row, wherever they are told."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tallystick as ts
from tallystick.linear.summary import scales

FILES = Path(__file__).resolve().parents[1] / "files" / "v1"


def loans(classes=2, rows=240):
    rng = np.random.default_rng(7)
    out = pd.DataFrame(
        {
            "age": rng.integers(20, 70, rows).astype(float),
            "duration": rng.integers(4, 60, rows).astype(float),
            "housing": rng.choice(["free", "own", "rent"], rows, p=[0.1, 0.7, 0.2]),
            "foreign": rng.random(rows) < 0.2,
            "about": [" ".join(rng.choice(["car", "red", "old", "house"], 1 + i % 4)) for i in range(rows)],
        }
    )
    out.loc[rng.random(rows) < 0.15, "age"] = np.nan
    score = 0.05 * (out.duration - 30) - (out.housing == "own") + rng.logistic(size=rows)
    out["class"] = np.where(score > 0, "bad", "good")
    if classes == 3:
        out["class"] = np.where(rng.random(rows) < 0.3, "late", out["class"])
    return out


def fitted(classes, rows=240, **options):
    table = loans(classes, rows)
    if options.get("interactions"):  # a product counts as its centre where it is missing
        table["age"] = table.age.fillna(40)
    model = ts.LogisticRegression(kinds={"about": "text"}, **options).fit(table, "class")
    return model, table.drop(columns="class")


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("options", [{}, {"l2": 0.5, "words": "counts"}, {"l1": 0.5}, {"interactions": 2}])
def test_reasons_of_all_training_rows_average_to_nothing(classes, options):
    model, rows = fitted(classes, 80, **options)
    told = [model.explain(rows, row=i) for i in range(len(rows))]
    mean = np.mean([[r.parts for r in t.reasons] for t in told], axis=0)
    assert np.abs(mean - mean[:, :1]).max() < 1e-12  # what all classes share says nothing
    for t in told[:20]:
        assert np.allclose(np.add(t.base, np.sum([r.parts for r in t.reasons], axis=0)), t.scores, atol=1e-12)


def test_weights_count_in_the_average_row():
    table = loans().drop(columns="about")
    weights = np.arange(len(table)) % 4
    copies = table.loc[table.index.repeat(weights)]
    weighed = ts.LogisticRegression().fit(table, "class", sample_weight=weights)
    assert weighed.to_bytes() == ts.LogisticRegression().fit(copies, "class").to_bytes()


@pytest.mark.slow
def test_a_value_speaks_for_the_class_that_it_makes_more_probable_than_usual():
    model, rows = fitted(2)
    for i in range(40):
        told = model.explain(rows, row=i)
        duration = next(r for r in told.reasons if r.column == "duration")
        towards_good = duration.parts[1] - duration.parts[0]
        assert (towards_good > 0) == (rows.duration[i] < rows.duration.mean())
    assert str(told).splitlines()[1].startswith("average row")
    assert told.to_dict()["begins"] == "average row"


@pytest.mark.slow
def test_nomogram_and_report_measure_from_the_same_point(tmp_path):
    table = loans().drop(columns="about")
    model = ts.LogisticRegression().fit(table, "class")
    row = {"age": None, "duration": 20.0, "housing": "rent", "foreign": True}
    told = model.explain(row)
    lines = dict(scales(model.model_, 1, 0, model._usual_ranges()))
    shown = {"age": "missing", "duration": "20", "housing": "rent", "foreign": "true"}
    for reason in told.reasons:
        marks = dict(lines[reason.column])
        assert marks[shown[reason.column]] == pytest.approx(reason.parts[1] - reason.parts[0], abs=1e-9)
    page = tmp_path / "report.html"
    ts.report(table, "class", methods=["logistic"], path=page, folds=3, repeats=1)
    text = page.read_text(encoding="utf-8")
    assert "on the average training row" in text
    assert "median of every number" not in text


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 3])
def test_exports_tell_the_same_reasons(classes, tmp_path):
    model, rows = fitted(classes)
    row = {k: v for k, v in rows.iloc[3].to_dict().items() if v == v}
    row["foreign"] = bool(row["foreign"])
    told = model.explain(row)
    names = {}
    exec(compile(model.export("python"), "model.py", "exec"), names)
    found = [names["explain"](row)]
    if shutil.which("node"):
        script = model.export("js") + f"\nconsole.log(JSON.stringify(model.explain({json.dumps(row)})));"
        (tmp_path / "model.cjs").write_text(script.replace("export ", ""), encoding="utf-8")
        run = subprocess.run(["node", tmp_path / "model.cjs"], capture_output=True, check=True)
        found.append(json.loads(run.stdout))
    for other in found:
        assert np.allclose(other["base"], told.base, atol=1e-12)
        assert [p["column"] for p in other["parts"]] == [r.column for r in told.reasons]
        assert np.allclose([p["parts"] for p in other["parts"]], [r.parts for r in told.reasons], atol=1e-12)


def test_a_file_from_before_averages_were_kept_measures_numbers_from_their_mean():
    model = ts.load(FILES / "logistic.tally.json")
    data = json.loads((FILES / "logistic.tally.json").read_text(encoding="utf-8"))
    assert all("average" not in p for p in data["model"]["parts"])
    assert len(model.model_.additive.averages) == len(data["model"]["parts"])
    slope = next(p for p in model.model_.parts if hasattr(p, "centre"))
    at = model.model_.parts.index(slope)
    assert np.allclose(model.model_.additive.averages[at][1], slope.slope * slope.centre)


# -- the numbers under the table --


def test_criteria_count_what_the_rows_determine():
    table = loans().drop(columns="about")
    free = ts.LogisticRegression(l2=0).fit(table, "class").summary()
    assert free.degrees == free.to_dict()["weights"]
    nearly = ts.LogisticRegression(l2=1e-9).fit(table, "class").summary()
    assert nearly.to_dict()["weights"] == free.to_dict()["weights"] + 1  # housing has all its levels
    assert nearly.degrees == pytest.approx(free.degrees, abs=1e-4)
    assert nearly.aic == pytest.approx(free.aic, abs=1e-3)
    assert nearly.bic == pytest.approx(free.bic, abs=1e-3)
    strong = ts.LogisticRegression(l2=1e6).fit(table, "class").summary()
    assert strong.degrees == pytest.approx(1.0, abs=0.01)  # the constant


def test_criteria_of_several_classes_do_not_depend_on_redundant_weights():
    table = loans(3).drop(columns="about")
    free = ts.LogisticRegression(l2=0).fit(table, "class").summary()
    nearly = ts.LogisticRegression(l2=1e-8).fit(table, "class").summary()
    assert nearly.degrees == pytest.approx(free.degrees, abs=1e-3)
    words = ts.LogisticRegression(kinds={"about": "text"}).fit(loans(3), "class")
    vocabulary = len(words.schema_["about"].words)
    assert words.summary().degrees == free.degrees + 2 * vocabulary


def test_a_column_follows_from_those_that_matter_alone():
    table = loans().drop(columns="about")
    table["twice"] = 2 * table.duration
    table["sum"] = table.duration + 3 * table.age.fillna(40)
    table["age"] = table.age.fillna(40)
    notes = [n.text for n in ts.LogisticRegression(l2=0).fit(table, "class").notes_]
    assert any("'twice' repeats 'duration'" in n for n in notes)
    assert any("'sum' follows from 'age', 'duration';" in n for n in notes)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (["duration", "foreign", "housing"], "standardised numbers and booleans and on levels as they are,"),
        (["housing"], "on levels as they are,"),
        (["duration"], "on standardised numbers,"),
    ],
)
def test_the_prior_is_told_as_it_acts(columns, words):
    model = ts.LogisticRegression(l2=1).fit(loans()[[*columns, "class"]], "class")
    assert words in " ".join(str(model).split())
