"""The loop: ask, sum, update, until there is no further question."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tallystick.engine import fit


class Counting:
    """A learner that asks for as many numbers as it was told to, and adds them."""

    def __init__(self, questions):
        self.questions = questions

    def learn(self, schema):
        found = 0
        for asked in range(self.questions):
            found += yield f"question {asked}"
        return schema, self.questions, found


class Answering:
    def __init__(self):
        self.asked = []

    def total(self, table, question):
        self.asked.append(question)
        return 10


def test_every_question_is_answered_once_in_its_order():
    engine = Answering()
    assert fit(Counting(3), SimpleNamespace(schema="s"), engine) == ("s", 3, 30)
    assert engine.asked == ["question 0", "question 1", "question 2"]


def test_a_learner_without_a_question_is_at_its_end():
    engine = Answering()
    assert fit(Counting(0), SimpleNamespace(schema="s"), engine) == ("s", 0, 0)
    assert engine.asked == []


def test_an_error_of_the_engine_is_raised_as_it_is():
    class Broken:
        def total(self, table, question):
            raise StopIteration("no rows")

    with pytest.raises(StopIteration, match="no rows"):
        fit(Counting(1), SimpleNamespace(schema="s"), Broken())
