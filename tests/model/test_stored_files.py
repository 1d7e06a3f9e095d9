"""Model files of every version of the format are read by all later ones, and answer the same bits.

A file in tests/files/vN is never changed and never deleted once it was released; tools/make_model_files.py
adds.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from model_files import models

import tallystick as ts
from tallystick.methods import KINDS

ROOT = Path(__file__).resolve().parents[2]
FILES = Path(__file__).resolve().parents[1] / "files"
VERSIONS = ("v1", "v2")
NEWER = {"linear": "v2"}  # kinds that came after the first version
NAMES = (
    "bayes",
    "bayes-3",
    "bayes-marks",
    "bayes-text",
    "bayes-weights",
    "bayes-whole-labels",
    "card",
    "card-3",
    "cart",
    "density",
    "linear",
    "logistic",
    "logistic-3",
    "logistic-flags",
    "optimal",
    "rule-set",
    "rules",
    "tree",
    "tree-numbers",
    "tree-plain",
    "tree-real-labels",
    "tree-weights",
)


@pytest.fixture(scope="module")
def schema():
    text = (ROOT / "docs" / "model-file.schema.json").read_text(encoding="utf-8")
    return jsonschema.Draft202012Validator(json.loads(text))


STORED = pytest.mark.parametrize("folder", [FILES / v for v in VERSIONS], ids=VERSIONS)
EACH = pytest.mark.parametrize(
    ("folder", "name"),
    [pytest.param(FILES / v, n, id=f"{n}-{v}") for v in VERSIONS for n in NAMES if NEWER.get(n, "v1") <= v],
)


@STORED
def test_no_file_was_deleted_and_all_kinds_are_there(folder):
    names = [n for n in NAMES if NEWER.get(n, "v1") <= folder.name]
    assert sorted(p.name.partition(".")[0] for p in folder.glob("*.tally.json")) == sorted(names)
    kinds = {json.loads((folder / f"{n}.tally.json").read_bytes())["kind"] for n in names}
    assert kinds == set(KINDS) - ({"linear-regression"} if folder.name == "v1" else set())


@EACH
def test_a_stored_model_answers_the_same_bits(folder, name):
    model = ts.load(folder / f"{name}.tally.json")
    known = json.loads((folder / f"{name}.answers.json").read_bytes())
    if "log_likelihoods" in known:
        assert [v.hex() for v in model.score_samples(known["rows"]).tolist()] == known["log_likelihoods"]
        return
    found = [v.hex() if isinstance(v, float) else v for v in model.predict(known["rows"]).tolist()]
    assert found == known["predictions"]
    if "shares" in known:
        assert [[v.hex() for v in row] for row in model.predict_proba(known["rows"]).tolist()] == known[
            "shares"
        ]


@EACH
def test_a_stored_model_is_written_as_it_was_read(folder, name):
    data = (folder / f"{name}.tally.json").read_bytes()
    assert ts.load(folder / f"{name}.tally.json").to_bytes() == data


# -- the format as JSON Schema --


@pytest.mark.slow
def test_the_json_schema_is_that_of_the_reader():
    tool = ROOT / "tools" / "make_model_schema.py"
    done = subprocess.run([sys.executable, str(tool), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
@EACH
def test_stored_models_follow_the_json_schema(schema, folder, name):
    schema.validate(json.loads((folder / f"{name}.tally.json").read_bytes()))


@pytest.mark.slow
def test_what_is_fitted_today_follows_the_json_schema(schema):
    for model in models().values():
        schema.validate(json.loads(model.to_bytes()))


@pytest.mark.slow
@pytest.mark.parametrize(
    "section", ["format", "model", "notes", "parameters", "profile", "rows", "schema", "sha256"]
)
def test_the_json_schema_refuses_another_type_and_unknown_keys(schema, section):
    document = json.loads((FILES / "v2" / "bayes.tally.json").read_bytes())
    assert not schema.is_valid(document | {section: 7})
    assert not schema.is_valid({k: v for k, v in document.items() if k != section})
    assert not schema.is_valid(document | {"more": 1})
    if isinstance(document[section], dict):
        assert not schema.is_valid(document | {section: document[section] | {"more": 1}})


def test_the_json_schema_has_a_profile_from_version_2_on(schema):
    old, new = (json.loads((FILES / v / "bayes.tally.json").read_bytes()) for v in VERSIONS)
    assert not schema.is_valid(old | {"profile": None})
    assert schema.is_valid(new | {"profile": None})


# -- what a file does not hold --

SECRET = "xyzzy-7421-plugh"


@pytest.mark.slow
@pytest.mark.parametrize(
    "method", ["NaiveBayes", "DecisionTree", "LogisticRegression", "Scorecard", "RuleList"]
)
def test_a_secret_in_a_column_left_out_is_nowhere_in_the_model(method):
    rows = [
        {
            "a": i % 3,
            "b": "uv"[i % 2],
            "secret": f"{SECRET} {i}",
            "fixed": SECRET,
            "y": "no" if i % 5 else "yes",
        }
        for i in range(60)
    ]
    for options in ({"kinds": {"secret": "out"}}, {}):  # left out by wish, and as an identifier
        model = getattr(ts, method)(**options).fit(rows, "y")
        assert "secret" not in {c.name for c in model.schema_.used}
        texts = [model.to_bytes().decode(), str(model), repr(model), *(n.text for n in model.notes_)]
        texts += [n.text for n in model.source_notes_]
        texts += exports(model)
        if method == "NaiveBayes":
            texts.append(ts.report(rows, "y", methods=("bayes",), repeats=0, folds=3, **options).html)
        for text in texts:
            assert SECRET not in text


def exports(model):
    """Return every export of the model that there is."""
    out = []
    if hasattr(model, "export"):
        from tallystick.export import targets

        for kind in targets.TARGETS:
            try:
                made = model.export(kind)
            except ts.errors.TallyError:
                continue
            out.append(made if isinstance(made, str) else repr(made))
    return out
