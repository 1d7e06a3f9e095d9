"""Lessons: every worked example as a question, its table, the working, what to notice, one thing to change.

`ts.lesson("id3")` and `tally lesson id3`. A lesson is data; `telling.py` tells it.
"""

from tallystick.lessons.catalogue import LESSONS, LessonList, lesson

__all__ = ["LESSONS", "LessonList", "lesson"]
