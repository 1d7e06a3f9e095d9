"""The loop: ask, sum, update, until there is no further question."""

from __future__ import annotations

from types import SimpleNamespace

from tallystick.engine.fit import fit


class Counting:
    """A learner that asks for as many numbers as it was told to, and adds them."""

    def __init__(self, questions):
        self.questions = questions

    def start(self, schema):
        return (schema, 0, 0)

    def ask(self, draft):
        _, asked, _ = draft
        return f"question {asked}" if asked < self.questions else None

    def update(self, draft, total):
        schema, asked, found = draft
        return schema, asked + 1, found + total

    def finish(self, draft):
        return draft


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
