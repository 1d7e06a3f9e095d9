"""The comment at the top of every export, and what each language cannot express of a model.

Entry: `heading()`, `LanguageLimits`. The comment names the model, what it reads, and how missing values are
treated. Names go through `plain_words`: nothing in a comment can end it.
"""

from __future__ import annotations

from dataclasses import dataclass

from tallystick import __version__, methods
from tallystick.errors import OptionError, counted, some, with_article
from tallystick.export.form import Form
from tallystick.model.conditions import plain_words
from tallystick.schema import Column
from tallystick.text import label_text

MOST = 100  # columns and labels that are named one by one


def heading(form: Form) -> list[str]:
    """Return the lines of the comment."""
    what = with_article(methods.of_kind(form.kind).noun)
    lines = [f"Tallystick {__version__}: {what} for '{plain_words(form.target)}'."]
    if form.labels:
        lines.append(f"Classes: {_some([plain_words(label_text(label)) for label in form.labels])}.")
    if form.decision:
        lines.append(f"Answers: {plain_words(form.decision)}.")
    if form.sha256:
        lines.append(f"Model file sha256: {form.sha256}.")
    lines.append("Columns:")
    lines += [f"  {plain_words(c.name)} ({_kind(c)})" for c in form.columns[:MOST]]
    if len(form.columns) > MOST:
        lines.append(f"  and {len(form.columns) - MOST:,} more")
    marks = ", ".join(f"'{plain_words(m)}'" for m in form.marks)
    if form.spreads:
        way = "goes down all branches of a test, in the proportion of their rows"
    else:
        way = methods.of_kind(form.kind).missing
    said = [f"A missing value {way}."]
    return [*lines, *([f"Missing: null, NaN and the texts {marks}.", *said] if marks else said)]


def _kind(column: Column) -> str:
    if column.kind == "numeric":
        return "dates, as days since 1970-01-01" if column.unit == "date" else "numbers"
    if column.kind == "text":
        return f"text, {counted(len(column.words), 'word')}"
    return counted(len(column.levels), "level") if column.kind != "boolean" else "two levels"


def _some(texts: list[str]) -> str:
    more = f" and {len(texts) - MOST:,} more" if len(texts) > MOST else ""
    return ", ".join(texts[:MOST]) + more


# What a language cannot express: words of text, rows that take several paths, a weight of -infinity.
#
# Law: a refusal is one line with its reason and what to do; the languages that take every model (python, js,
# c) have no limits.


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
