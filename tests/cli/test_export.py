"""tally export: a saved model in another language, to a file, a pipe or as JSON."""

from __future__ import annotations

import base64
import json

import pytest
from command import call

import tallystick as ts
from tallystick.export.sql_dialects import DIALECTS
from tallystick.export.targets import TARGETS

TENNIS = {"wind": ["weak", "strong", "weak", "strong"], "play": ["yes", "no", "yes", "no"]}


@pytest.fixture
def tree(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = ts.DecisionTree().fit(TENNIS, "play")
    model.save("m.tally.json")
    return model


def test_the_text_is_that_of_python(tree, capfd):
    assert call("tally export m.tally.json --to sql --dialect sqlite --table days --keep wind") == 0
    known = tree.export("sql", dialect="sqlite", table="days", keep=["wind"])
    assert capfd.readouterr().out == known


def test_a_file_has_the_bytes_and_the_screen_their_number(tree, capfd, tmp_path):
    assert call("tally export m.tally.json --to python -o model.py") == 0
    content = (tmp_path / "model.py").read_bytes()
    assert content.decode() == tree.export("python")
    assert capfd.readouterr().out == f"saved model.py: python, {len(content):,} bytes\n"


def test_json_holds_text_as_text_and_onnx_in_base64(tree, capfd):
    assert call("tally export m.tally.json --to rules --json") == 0
    found = json.loads(capfd.readouterr().out)
    assert found == {"to": "rules", "bytes": len(tree.export("rules").encode()), "text": tree.export("rules")}
    assert call("tally export m.tally.json --to onnx --json") == 0
    assert base64.b64decode(json.loads(capfd.readouterr().out)["base64"]) == tree.export("onnx")


def test_json_does_not_go_with_a_file(tree, capfd, tmp_path):
    assert call("tally export m.tally.json --to rules --json -o rules.txt") == 2
    assert "--json prints; it does not go with -o." in capfd.readouterr().err
    assert not (tmp_path / "rules.txt").exists()


def test_the_model_is_not_written_over(tree, capfd, tmp_path):
    before = (tmp_path / "m.tally.json").read_bytes()
    assert call("tally export m.tally.json --to sql -o m.tally.json") == 2
    assert "that this command reads" in capfd.readouterr().err
    assert (tmp_path / "m.tally.json").read_bytes() == before


def test_every_target_and_dialect_that_is_offered_works(tree):
    for target in TARGETS:
        done = 2 if target == "card" else 0  # a tree is not a card, and is told so
        assert call(f"tally export m.tally.json --to {target} -o out.{target}") == done
    for dialect in DIALECTS:
        assert call(f"tally export m.tally.json --to sql --dialect {dialect} -o out.{dialect}") == 0
