"""Which model goes to which target: every cell of the table in docs/export.md, rules, ONNX, the command."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import exports as e
import numpy as np
import pytest
from exports import run_onnx

import tallystick as ts
from tallystick.cli.main import run
from tallystick.errors import OptionError
from tallystick.export import targets

pytestmark = pytest.mark.slow

PAGE = Path(__file__).resolve().parents[2] / "docs" / "export.md"
TARGETS = tuple(targets.TARGETS)
KINDS = {
    "decision tree": ("tree", "tree cart", "tree id3", "tree costs"),
    'decision tree with `missing_values="fractions"` (C4.5)': ("tree c4.5",),
    "regression tree": ("regression tree",),
    "naive Bayes": ("bayes", "bayes gaussian", "bayes poisson", "bayes unsmoothed"),
    "naive Bayes that reads text": ("bayes words", "bayes complement", "bayes bernoulli", "bayes tf-idf"),
    "logistic regression": ("logistic", "logistic three", "logistic products"),
    "logistic regression that reads text": ("logistic words", "logistic counts"),
}


def cells() -> list[tuple[str, str, str]]:
    """Return (kind, target, cell) of the table in the documentation."""
    lines = [
        [c.strip() for c in line.strip("|\n").split("|")]
        for line in PAGE.read_text().splitlines()
        if "|" in line
    ]
    head = next(i for i, line in enumerate(lines) if line[1:] == list(TARGETS))
    found = lines[head + 2 : head + 2 + len(KINDS)]
    return [(line[0], target, cell) for line in found for target, cell in zip(TARGETS, line[1:], strict=True)]


@pytest.mark.parametrize(("kind", "target", "cell"), cells())
def test_every_cell_of_the_table_is_what_happens(kind, target, cell):
    for name in KINDS[kind]:
        if cell == "yes":
            found = e.fitted(name).export(target)
            assert len(found) > 200
            continue
        with pytest.raises(OptionError) as caught:
            e.fitted(name).export(target)
        listed = re.search(rf"^{re.escape(cell.removeprefix('no '))} `(.*)`$", PAGE.read_text(), re.MULTILINE)
        assert listed is not None
        assert listed[1] in str(caught.value)
        assert "\n" not in str(caught.value)


def test_the_table_has_every_kind_and_target():
    assert [(k, t) for k, t, _ in cells()] == [(k, t) for k in KINDS for t in TARGETS]


# -- onnx --


@pytest.mark.parametrize("name", [n for n in e.MODELS if n != "tree c4.5"])
def test_onnxruntime_answers_what_the_model_answers(name):
    e.same(run_onnx(e.fitted(name).export("onnx"), e.new_rows(name)), name, 1e-6)


@pytest.mark.parametrize("name", ["tree", "tree observed", "bayes"])
def test_a_number_at_a_cut_goes_where_the_model_sends_it(name):
    model, table = e.fitted(name), e.at_cuts(name)
    found = run_onnx(model.export("onnx"), table)[1]
    assert np.abs(found - model.predict_proba(table)).max() <= 1e-6


@pytest.mark.parametrize("name", ["tree", "bayes", "logistic"])
def test_onnx_answers_the_label_first_then_the_probabilities(name):
    onnx = pytest.importorskip("onnx")
    outputs = onnx.load_from_string(e.fitted(name).export("onnx")).graph.output
    assert [output.name for output in outputs] == ["label", "probabilities"]


def test_onnx_says_what_it_is():
    onnx = pytest.importorskip("onnx")
    model = onnx.load_from_string(e.fitted("bayes").export("onnx"))
    assert "a naive Bayes model for 'class'" in model.doc_string
    assert e.EVIL in [i.name for i in model.graph.input]


# -- rules --


def test_rules_in_three_formats_are_the_rules_of_the_tree():
    model = e.fitted("tree cart")
    rules = model.rules()
    text, markdown = model.export("rules"), model.export("rules", format="markdown")
    data = json.loads(model.export("rules", format="json"))
    assert str(rules) in text
    assert "as an expression: 1 = " in text
    assert data["rules"] == rules.to_dict()["rules"]
    assert data["expression"] == rules.expression()
    assert len(re.findall(r"^\| \d+ \|", markdown, re.MULTILINE)) == len(rules)


def test_no_name_can_leave_its_cell_of_a_markdown_table():
    name = "a|b\n<script>*x*"
    model = ts.DecisionTree(average=False).fit({name: ["p|q", "r"] * 20, "y": ["u|v", "w"] * 20}, "y")
    lines = model.export("rules", format="markdown").splitlines()
    table = [line for line in lines if line.startswith("| ") and "if" not in line.split("|")[2].split()]
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 6 for line in table)
    assert not re.search(r"(?<!\\)<script", "\n".join(lines))


def test_rules_of_an_averaged_tree_say_that_predictions_average():
    assert "predictions average over all prunings" in e.fitted("tree").export("rules")


# -- the door and the command --


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        (
            "sqll",
            {},
            "there is no export to 'sqll'. Did you mean 'sql'? Use one of rules, sql, python, js, onnx.",
        ),
        ("rules", {"format": "html"}, "rules have no format 'html'."),
        ("js", {"table": "x"}, "the export to js has no option 'table'. It takes none."),
    ],
)
def test_wrong_words_are_answered_in_one_line(kind, options, words):
    with pytest.raises(OptionError) as caught:
        e.fitted("tree").export(kind, **options)
    assert str(caught.value).startswith(words)


def test_an_unfitted_model_has_no_export():
    with pytest.raises(ts.estimators.base.NotFitted):
        ts.NaiveBayes().export("sql")


def test_the_command_writes_what_the_method_returns(tmp_path, capfd):
    model = e.fitted("tree cart")
    saved, out = tmp_path / "m.tally.json", tmp_path / "out"
    model.save(saved)
    for line, kind, options in [
        ("--to rules --format json", "rules", {"format": "json"}),
        (
            "--to sql --dialect spark --table a.b --keep id --keep day",
            "sql",
            {"dialect": "spark", "table": "a.b", "keep": ["id", "day"]},
        ),
        ("--to python", "python", {}),
        ("--to js", "js", {}),
    ]:
        assert run(["export", str(saved), *shlex.split(line)], debug=True) == 0
        assert capfd.readouterr().out == model.export(kind, **options)
    assert run(["export", str(saved), "--to", "onnx", "-o", str(out)], debug=True) == 0
    assert out.read_bytes() == model.export("onnx")
    assert "saved" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--to sql --format text", "the export to sql has no option 'format'"),
        ("--to pascal", "'pascal' is not one of 'rules', 'sql', 'python', 'js', 'onnx'"),
        ("", "Missing option '--to'"),
        ("--to js --json -o x", "--json prints; it does not go with -o."),
    ],
)
def test_the_command_refuses_in_one_line(line, words, tmp_path, capfd):
    e.fitted("bayes").save(tmp_path / "m.tally.json")
    assert run(["export", str(tmp_path / "m.tally.json"), *shlex.split(line)], debug=False) == 2
    said = capfd.readouterr().err
    assert words in said
    assert said.count("\n") == 1
