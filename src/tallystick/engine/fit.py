"""The loop: a learner asks, an engine sums, the learner goes on.

Law: the model depends on the totals alone, so on no engine, thread count or cut of the rows.
"""

from __future__ import annotations

from typing import TypeVar

from tallystick.contracts import Engine, Learner, Model, Table

M = TypeVar("M", bound=Model)


def fit(learner: Learner[M], table: Table, engine: Engine) -> M:
    """Return the fitted model: sum what the learner asks for until it has no further question."""
    questions = learner.learn(table.schema)
    total = None  # a generator begins so
    while True:
        try:
            question = questions.send(total)
        except StopIteration as end:
            model: M = end.value
            return model
        total = None  # the last one is not kept while the next is made
        total = engine.total(table, question)
