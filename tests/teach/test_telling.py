"""How a lesson is told: what stands under a command is what it prints, or dots for what is left out."""

from __future__ import annotations

import contextlib
import io
import shutil

import pytest

import tallystick as ts
from tallystick.cli.main import run
from tallystick.teach.document import Headline, Sentence
from tallystick.teach.lessons import LEFT_OUT, LESSONS, Lesson, Typed, Worked, cut_short, find

pytestmark = pytest.mark.slow

PARTS = (
    Headline(("Title",), 1),
    Headline(("One",)),
    Sentence(("first",)),
    Headline(("Below",), 3),
    Sentence(("deep",)),
    Headline(("Two",)),
    Sentence(("second",)),
)


def test_wanted_sections_are_kept_with_all_below_them_and_dots_stand_for_the_others():
    assert cut_short(PARTS, ("One",)).split("\n\n")[0] == LEFT_OUT
    assert "deep" in cut_short(PARTS, ("One",))
    assert "second" not in cut_short(PARTS, ("One",))
    assert cut_short(PARTS, ("One",)).endswith(f"\n{LEFT_OUT}\n")
    assert "first" not in cut_short(PARTS, ("Below", "Two"))
    assert {"deep", "second"} <= set(cut_short(PARTS, ("Below", "Two")).split())
    assert LEFT_OUT not in cut_short(PARTS, ())


@pytest.fixture
def tables(tmp_path, monkeypatch):
    for name in {table for lesson in LESSONS.values() for table in lesson.tables}:
        shutil.copy(find(name), tmp_path)
    monkeypatch.chdir(tmp_path)


def same(shown, whole):
    """Whether a text with lines of dots in it is the whole text with parts left out."""
    at = 0
    for piece in f"\n{shown}".split(f"\n{LEFT_OUT}\n"):
        found = f"\n{whole}".find(piece.strip("\n"), at)
        if found < 0:
            return False
        at = found + len(piece.strip("\n"))
    return True


@pytest.mark.parametrize("name", LESSONS)
def test_every_step_prints_what_its_command_or_its_lines_print(name, tables, capsys):
    lesson = LESSONS[name]
    names = {}
    for step, printed in zip(lesson.steps, lesson.printed, strict=True):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            if isinstance(step, Worked):
                import shlex

                assert run(shlex.split(step.command)[1:], debug=True) == 0
            else:
                exec(step.code, names)
        whole = isinstance(step, Typed)
        assert printed == out.getvalue() if whole else same(printed, out.getvalue()), step.command


@pytest.mark.parametrize("name", LESSONS)
def test_what_is_to_be_tried_runs(name, tables, capsys):
    import shlex

    if LESSONS[name].then:
        assert run(shlex.split(LESSONS[name].then)[1:], debug=True) == 0


def test_a_sheet_without_answers_has_the_question_and_nothing_that_was_worked_out():
    sheet = ts.lesson("threshold").text(blank=True)
    assert "Six temperatures" in sheet
    assert "0.4591" not in sheet
    assert "What to notice" not in sheet
    assert "Change one thing" in sheet


def test_a_lesson_is_told_as_text_as_markdown_and_as_data():
    lesson = Lesson(
        "own",
        "My own",
        "Is 1 more than 0?",
        (),
        (Typed("print(1 > 0)", "True\n", "Look:"),),
        ("It is.",),
        "Try 2.",
        "tally --help",
    )
    assert lesson.text().split("\n\n")[1:4] == ["Is 1 more than 0?", "Look:", ">>> print(1 > 0)"]
    assert "```pycon\n>>> print(1 > 0)\nTrue\n\n```" in lesson.markdown()
    assert lesson.to_dict()["steps"][0]["printed"] == "True\n"
    assert str(lesson) == lesson.text()
    assert lesson._repr_markdown_() == lesson.markdown()
    assert lesson.drawn() is None


def test_lines_that_go_on_have_the_second_prompt():
    step = Typed("for a in (1, 2):\n    print(a)\nx = f(1,\n  2)", "")
    assert step.command.split("\n") == [
        ">>> for a in (1, 2):",
        "...     print(a)",
        ">>> x = f(1,",
        "...   2)",
    ]


def test_a_command_names_its_row_settings_and_kinds():
    step = Worked("a.csv", "y", "c45", {"text": "two words"}, {"m": 0, "kinds": {"text": "text"}})
    assert step.command == (
        "tally work a.csv --target y --model c45 --row 'text=two words' --set m=0 --kind text=text"
    )
