"""The lessons as a whole: named once, with tables that are there, and pages that are current."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import tallystick as ts
from tallystick.cli.teach import bundled
from tallystick.teach.lessons import LESSONS

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]


def test_the_list_names_every_lesson_in_the_order_of_a_course():
    lines = str(ts.lesson()).split("\n")[1:]
    assert [line.split()[0] for line in lines] == list(LESSONS)
    assert [entry["name"] for entry in ts.lesson().to_dict()["lessons"]] == list(LESSONS)


@pytest.mark.parametrize("name", ["id4", 3, ""])
def test_an_unknown_lesson_is_one_line(name):
    with pytest.raises(ts.TallyError, match=r"there is no lesson .*`tally lesson` lists them"):
        ts.lesson(name)


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_is_whole_and_its_tables_are_bundled(name):
    lesson = LESSONS[name]
    assert set(lesson.tables) <= set(bundled())
    used = {step.table for step in lesson.steps if hasattr(step, "table")}
    assert used <= set(lesson.tables)
    assert "?" in lesson.question
    assert all((lesson.steps, lesson.notice, lesson.change))
    assert len(lesson.title) < 80


@pytest.mark.parametrize("name", [n for n in LESSONS if n not in ("text", "generative")])
def test_decimals_that_a_lesson_tells_to_notice_stand_in_its_working(name):
    """But for those of tables that do not come with the package (`test_figures_at_night.py`)."""
    lesson = LESSONS[name]
    working = "\n".join(lesson.printed)
    for words in lesson.notice:
        for number in re.findall(r"(?<![\d.])\d+\.\d{3,}(?!\d)", words):
            assert number in working, f"{name}: {number}"


@pytest.mark.parametrize("name", [n for n, lesson in LESSONS.items() if lesson.picture])
def test_a_lesson_with_a_picture_draws_it(name):
    assert "<svg" in LESSONS[name].drawn()
    assert LESSONS[name].pictured
    assert (ROOT / "docs" / "lessons" / f"{name}.svg").exists()


def test_the_pages_of_the_lessons_are_current():
    tool = ROOT / "tools" / "make_lessons.py"
    done = subprocess.run([sys.executable, str(tool), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
