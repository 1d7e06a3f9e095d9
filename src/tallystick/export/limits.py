"""What a language cannot say of a model: words of text, rows that take many paths, a weight of -infinity.

Knows the form of a model and why a language stops there. Law: a refusal is one line with its reason and what
to do; the languages that take every model (python, js, c) have no limits.
"""

from __future__ import annotations

from dataclasses import dataclass

from tallystick.errors import OptionError, some
from tallystick.export.form import Form

INSTEAD = "Export it to python, js or c"


@dataclass(frozen=True)
class LanguageLimits:
    """Why a language stops: at words, at a row in parts, and at an impossible class; None: it does not."""

    language: str
    words: str
    parts: str
    impossible: str | None = None

    def refuse(self, form: Form) -> None:
        """Raise where the language cannot say what the model says."""
        if form.texts:
            raise OptionError(
                f"a model that reads the words of text ({some(form.texts, 3)}) has no {self.language}: "
                f"{self.words}. {INSTEAD}."
            )
        if form.spreads:
            raise OptionError(
                f"a tree that sends missing values down all branches in parts has no {self.language}: "
                f"{self.parts}. {INSTEAD}, or fit with missing_values='learned'."
            )
        if self.impossible and any(
            part is None for term in form.terms for row in term.get("table", ()) for part in row
        ):
            raise OptionError(
                f"a model in which a level makes a class impossible (alpha=0) has no {self.language}: "
                f"{self.impossible}. {INSTEAD}, or fit with alpha=1."
            )
