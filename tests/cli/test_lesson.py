"""tally lesson: lists, tells, leaves the answers out, gives tables and pictures."""

from __future__ import annotations

import json

import pytest
from svg import words

from tallystick.cli.main import run

pytestmark = pytest.mark.slow


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_without_a_name_the_lessons_are_listed(here, capsys):
    assert run(["lesson"], debug=True) == 0
    out = capsys.readouterr().out
    assert "ID3: shall we play tennis?" in out
    assert out.endswith("Next, type: tally lesson id3\n")
    assert run(["lesson", "--json"], debug=True) == 0
    assert json.loads(capsys.readouterr().out)["lessons"][0]["name"] == "id3"


def test_a_lesson_is_told_from_its_question_to_what_to_try(here, capsys):
    assert run(["lesson", "threshold"], debug=True) == 0
    out = capsys.readouterr().out
    places = [
        out.index(part)
        for part in ("Six temperatures", "$ tally work", "0.4591", "What to notice", "Change one")
    ]
    assert places == sorted(places)
    assert run(["lesson", "threshold", "--blank"], debug=True) == 0
    assert "0.4591" not in capsys.readouterr().out
    assert run(["lesson", "threshold", "--json"], debug=True) == 0
    assert json.loads(capsys.readouterr().out)["tables"] == ["temperatures.csv"]


def test_tables_are_put_into_a_folder_and_never_over_other_files(here, capsys):
    assert run(["lesson", "many-values", "--tables", "t"], debug=True) == 0
    assert sorted(p.name for p in (here / "t").iterdir()) == ["tennis-batches.csv", "tennis-days.csv"]
    assert run(["lesson", "--tables", "t"], debug=True) == 0
    assert (here / "t" / "play-tennis.csv").exists()
    (here / "t" / "xor.csv").write_text("mine\n")
    assert run(["lesson", "xor", "--tables", "t"], debug=False) == 2
    assert "already exists and holds something else" in capsys.readouterr().err
    assert (here / "t" / "xor.csv").read_text() == "mine\n"


def test_a_lesson_saves_its_picture(here, capsys):
    assert run(["lesson", "bits", "--picture", "p.svg"], debug=True) == 0
    assert "entropy, in bits" in words((here / "p.svg").read_text(encoding="utf-8"))
    assert run(["lesson", "bayes-rule", "--picture", "q.svg"], debug=False) == 2
    assert "'bayes-rule' has no picture" in capsys.readouterr().err


def test_an_unknown_lesson_is_one_line(here, capsys):
    assert run(["lesson", "id"], debug=False) == 2
    assert "there is no lesson 'id'. Did you mean 'id3'?" in capsys.readouterr().err
