"""The loop: a learner asks, an engine sums, the learner updates.

Knows the three words of the contracts. Knows nothing of rows, threads, or any learner in particular.
Law: the model depends on the totals alone, so on no engine, thread count or cut of the rows.
"""

from __future__ import annotations

from typing import TypeVar

from tallystick.contracts import Engine, Learner, Model, Table

D = TypeVar("D")
M = TypeVar("M", bound=Model)


def fit(learner: Learner[D, M], table: Table, engine: Engine) -> M:
    """Return the fitted model: ask, sum and update until the learner has no further question."""
    draft = learner.start(table.schema)
    while (question := learner.ask(draft)) is not None:
        draft = learner.update(draft, engine.total(table, question))
    return learner.finish(draft)
