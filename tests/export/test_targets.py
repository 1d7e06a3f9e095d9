"""Which model goes to which target: every cell of the table in docs/export.md, and the command."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import exports as e
import pytest

import tallystick as ts
from tallystick.cli.main import run
from tallystick.errors import NotFitted, OptionError
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
    "linear regression": ("linear", "linear products"),
    "scorecard": ("card", "card three", "card crossed"),
    "scorecard that reads text": ("card words",),
    "rule list, rule set": ("rules", "rules three", "rules costs", "rule set", "rule set three"),
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


# -- the door and the command --


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        (
            "sqll",
            {},
            "there is no export to 'sqll'. Did you mean 'sql'? Use one of rules, card, sql, python",
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
    with pytest.raises(NotFitted):
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
        ("--to c --name score", "c", {"name": "score"}),
        ("--to pmml", "pmml", {}),
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
        (
            "--to pascal",
            "'pascal' is not one of 'rules', 'card', 'sql', 'python', 'js', 'c', 'onnx', 'pmml', 'excel'",
        ),
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
