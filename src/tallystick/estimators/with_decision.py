"""The section `decision` of a model file: how probabilities become an answer, where the user said so.

Knows model documents and decisions. Knows nothing of any learner.
Law: a decision is not part of learning: a refit, a pruning and a profile of the rows know nothing of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tallystick.draw.text import clean, plain, wrapped
from tallystick.errors import for_reader
from tallystick.estimators.with_profile import VERSION, WithProfile
from tallystick.models.decision import AnswerDecision, from_dict

if TYPE_CHECKING:
    from tallystick.data.schema import Note, Schema


class WithDecision(WithProfile):
    """Read, written, shown and handed on."""

    schema_: Schema
    _notes: tuple[Note, ...]

    @property
    def notes_(self) -> tuple[Note, ...]:
        """What was dropped, merged, guessed or found on the way."""
        return self._notes

    def _decision_section(self) -> dict[str, Any]:
        """Return the section of the model file; nothing where there is no decision."""
        decision = self.model_.decision
        return {} if decision is None else {"decision": decision.to_dict()}

    def _restore_decision(self, document: Mapping[str, Any]) -> None:
        """Set what a checked document says."""
        if "decision" in document:
            self._decide_by(from_dict(document["decision"], self.schema_.predicted))

    def _decide_by(self, decision: AnswerDecision | None) -> None:
        """Keep a decision with the model, or none; a file of version 1 has no place for one."""
        self.model_ = replace(self.model_, decision=decision)  # type: ignore[type-var]
        if decision is not None:
            self._version = VERSION

    def _decide_as(self, known: WithDecision) -> None:
        """Decide as another model does."""
        if known.model_.decision is not None:
            self._decide_by(known.model_.decision)

    def _below(self) -> list[str]:
        """Return what stands below a printed model: how it answers, if not by the largest probability, and
        the notes.
        """
        decision, out = self.model_.decision, []
        if decision is not None:
            out.append(plain(wrapped(clean(str(decision)), 80, "answers ")))
        if self.notes_:
            texts = [clean(for_reader(note.text)) for note in self.notes_]
            lines = [line for text in texts for line in wrapped(text, 80, "  - ")]
            out.append("notes\n" + plain(lines))
        return out
