"""A learner written as a generator keeps the contract: ask, update, finish."""

from __future__ import annotations

import pytest

from tallystick.engine.fit import LearnerInStages


class Adding(LearnerInStages):
    """Asks twice; its model is the sum of both answers."""

    def _stages(self, schema):
        first = yield f"first of {schema}"
        second = yield f"second after {first}"
        return first + second


def test_every_answer_goes_to_its_question_and_the_last_makes_the_model():
    learner = Adding()
    draft = learner.start("t")
    assert learner.ask(draft) == "first of t"
    draft = learner.update(draft, 2)
    assert learner.ask(draft) == "second after 2"
    draft = learner.update(draft, 5)
    assert learner.ask(draft) is None
    assert learner.finish(draft) == 7


def test_there_is_no_model_before_the_end():
    learner = Adding()
    with pytest.raises(AssertionError):
        learner.finish(learner.start("t"))
