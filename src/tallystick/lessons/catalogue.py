"""All lessons, in the order of a course, and how one is asked for by name.

Knows the lessons. Knows nothing of how they are told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, overload

from tallystick.draw.text import Span, plain, table
from tallystick.errors import OptionError, nearest, shown
from tallystick.lessons.bayes import BAYES
from tallystick.lessons.methods import METHODS
from tallystick.lessons.telling import Lesson
from tallystick.lessons.trees import TREES

LESSONS = {one.name: one for one in (*TREES, *BAYES, *METHODS)}


@dataclass(frozen=True)
class LessonList:
    """The lessons, a line each."""

    lessons: tuple[Lesson, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return names, titles and tables as plain data."""
        return {
            "lessons": [{"name": x.name, "tables": list(x.tables), "title": x.title} for x in self.lessons]
        }

    def __str__(self) -> str:
        rows = [[Span(x.name, "strong"), Span(x.title)] for x in self.lessons]
        return plain(table(["lesson", "about"], rows, frozenset(), 10_000))

    __repr__ = __str__


@overload
def lesson(name: str) -> Lesson: ...


@overload
def lesson(name: None = None) -> LessonList: ...


def lesson(name: str | None = None) -> Lesson | LessonList:
    """Return a lesson: a question, the working that answers it, what to notice, one thing to change and try.

    Parameters
    ----------
    name : str, default None
        Which one; None lists them all.

    Returns
    -------
    Lesson or LessonList
        Prints as text, shows in a notebook; `markdown()` gives a page, `drawn()` its picture.

    Examples
    --------
    >>> import tallystick as ts
    >>> print(ts.lesson("bayes-rule").title)
    Bayes' rule, four times
    """
    if name is None:
        return LessonList(tuple(LESSONS.values()))
    if not isinstance(name, str) or name not in LESSONS:
        close = nearest(name, list(LESSONS)) if isinstance(name, str) else ""
        raise OptionError(f"there is no lesson {shown(name)}.{close} `tally lesson` lists them.")
    return LESSONS[name]
