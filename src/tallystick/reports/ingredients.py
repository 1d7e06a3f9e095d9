"""What a page is made from, and what all sections ask of it.

Knows results of other rooms. Knows nothing of HTML.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.description import Description
from tallystick.draw.svg import brief
from tallystick.errors import OptionError
from tallystick.evaluate import Comparison, LearningCurve
from tallystick.evaluate.compare import Entry
from tallystick.export.form import Form, form_of
from tallystick.reports.column_effects import face_of, pulls

Row = dict[str, str | None]


@dataclass(frozen=True)
class Ingredients:
    """Results, all of the same rows in an order of their content.

    row(number): a raw row as texts, or None when no raw row may be shown. groups: the columns that errors are
    to be counted by, and their value in each row; when empty, those where it differs most. work: how many
    rows were `compared`, `judged` and drawn as a `curve`, 0 for all, and `left_out`, a sentence; None: all.
    """

    title: str
    table: Table
    description: Description
    comparison: Comparison[Any]
    curve: LearningCurve | None = None
    groups: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    row: Callable[[int], Row] | None = None
    folds: int = 10
    work: Any = None
    decimal: str = "."  # of the numbers in raw rows, where their columns know no way of their own

    @property
    def target(self) -> str:
        """The name of the target."""
        return self.comparison.target

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes, in their order everywhere on the page."""
        return self.table.schema.predicted.labels

    @property
    def aim(self) -> str:
        """What the target is, in words: `2 classes`, `a number from 5 to 50`."""
        many, numbers = len(self.labels), self.table.response
        if numbers is not None:
            return f"a number from {brief(float(numbers.min()))} to {brief(float(numbers.max()))}"
        return f"{many:,} class{'' if many == 1 else 'es'}"

    @property
    def chosen(self) -> Entry[Any]:
        """The razor's entry."""
        return self.comparison.chosen

    @cached_property
    def model(self) -> Any:
        """The chosen method's fitted model; None when the most frequent class was chosen."""
        return None if self.chosen.family in ("majority", "yours") else self.chosen.model.model_

    @cached_property
    def told(self) -> Any:
        """The chosen model as the page tells it in words (`faces.Face.told`)."""
        return None if self.model is None else face_of(self.model).told(self.model, self.table)

    @cached_property
    def form(self) -> Form | None:
        """The chosen model in the form that all exports read; None without a model, or without a form."""
        try:
            return None if self.model is None else form_of(self.model)
        except OptionError:
            return None

    @cached_property
    def form_text(self) -> str:
        """The form as JSON; empty without a form."""
        return "" if self.form is None else self.form.to_json()

    @cached_property
    def others(self) -> list[Entry[Any]]:
        """The best entry of each other family, in the order of the comparison."""
        seen = {self.chosen.family, "majority", "yours"}
        out = []
        for entry in self.comparison.entries:
            if entry.family not in seen:
                seen.add(entry.family)
                out.append(entry)
        return out

    @cached_property
    def weights(self) -> dict[str, float]:
        """How far each column moves the chosen model."""
        found = {} if self.model is None else pulls(self.model, self.table)
        known = {c.name for c in self.table.schema.used}
        return {name: weight for name, weight in found.items() if name in known}

    @cached_property
    def columns(self) -> list[str]:
        """The columns that the chosen model looks at, the one that moves it most first."""
        weights = self.weights
        return [n for n in sorted(weights, key=lambda n: (-weights[n], n)) if weights[n] > 0]
