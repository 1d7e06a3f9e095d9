"""The loop: a learner asks, an engine sums, the learner updates.

Knows the three words of the contracts. Knows nothing of rows, threads, or any learner in particular.
Law: the model depends on the totals alone, so on no engine, thread count or cut of the rows.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from tallystick.contracts import Engine, Learner, Model, Statistic, Table
from tallystick.schema import Schema

D = TypeVar("D")
M = TypeVar("M", bound=Model)


def fit(learner: Learner[D, M], table: Table, engine: Engine) -> M:
    """Return the fitted model: ask, sum and update until the learner has no further question."""
    draft = learner.start(table.schema)
    while (question := learner.ask(draft)) is not None:
        draft = learner.update(draft, engine.total(table, question))
    return learner.finish(draft)


# A learner written from top to bottom: a generator that yields each question and gets its total back.
#
# Knows the words of the contract. Knows nothing of any learner. Law: the same totals give the same model.


Stages = Generator[Statistic[Any], Any, M]


@dataclass
class StagesDraft(Generic[M]):
    """A fit under way: the stages, and the question they wait on; at the end the model."""

    stages: Stages[M]
    question: Statistic[Any] | None
    model: M | None = None


class LearnerInStages(Generic[M]):
    """The learner of the contracts for whoever writes `_stages`."""

    def _stages(self, schema: Schema) -> Stages[M]:
        """Yield questions, each answered by its total; return the model."""
        raise NotImplementedError

    def start(self, schema: Schema) -> StagesDraft[M]:
        """Return the first draft."""
        stages = self._stages(schema)
        return StagesDraft(stages, next(stages))

    def ask(self, draft: StagesDraft[M]) -> Statistic[Any] | None:
        """Return the next question."""
        return draft.question

    def update(self, draft: StagesDraft[M], total: Any) -> StagesDraft[M]:
        """Work the answer in."""
        try:
            draft.question = draft.stages.send(total)
        except StopIteration as end:
            draft.question, draft.model = None, end.value
        return draft

    def finish(self, draft: StagesDraft[M]) -> M:
        """Return the model."""
        assert draft.model is not None
        return draft.model
