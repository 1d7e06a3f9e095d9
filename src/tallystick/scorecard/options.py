"""The options of a scorecard, and what they mean.

Law: an option that makes no sense is an error that names it, before any row is read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from tallystick.errors import Argument, OptionError, nearest, shown
from tallystick.model.decision import check_weights
from tallystick.model.file import check_whole, is_number, make_plain
from tallystick.text import label_text

CHOSEN = ("auto", "cv")
WAYS = ("rising", "falling")
MOST_PAIRS = 10  # taken in where the number is left to the rows
MOST_RANGES = 1_000


@dataclass(frozen=True, slots=True)
class ScorecardOptions:
    """Learning parameters: all of them are in the model file. `Scorecard` has their defaults.

    points_to_double: points that double the odds. ranges: the most ranges of a number to begin with.
    cuts: where the ranges of a column begin, given. monotone: columns whose points only rise or fall, by
    themselves or for one class against every other.
    pairs: the most pairs of columns; None leaves it to the rows. max_lines: lines that a column may have;
    max_columns: columns that a card may have. l2: "auto" finds the strength of each column's prior from
    the rows, "cv" one for all by cross-validation, a number is given. population: the shares of the
    classes where the card will be used.
    """

    points_to_double: int
    ranges: int
    cuts: Mapping[str, tuple[float, ...]] | None
    monotone: Mapping[str, str | Mapping[str, str]] | None
    pairs: int | None
    max_lines: int | None
    max_columns: int | None
    l2: float | str
    class_weight: str | Mapping[str, float] | None
    population: Mapping[str, float] | None
    min_letters: int

    @classmethod
    def of(cls, holder: Any) -> ScorecardOptions:
        """Return the options an estimator holds; labels and names of columns become text."""
        values = {name: getattr(holder, name) for name in cls.__slots__}
        for name in ("cuts", "monotone"):
            if isinstance(values[name], Mapping):
                values[name] = {str(k): v for k, v in values[name].items()}
        for name in ("class_weight", "population"):
            if isinstance(values[name], Mapping):
                values[name] = {label_text(k): v for k, v in values[name].items()}
        if isinstance(values["monotone"], Mapping):
            values["monotone"] = {
                name: {label_text(k): v for k, v in way.items()} if isinstance(way, Mapping) else way
                for name, way in values["monotone"].items()
            }
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """Return the options as plain data for the model file."""
        out = {name: getattr(self, name) for name in self.__slots__}
        out["l2"] = out["l2"] if isinstance(out["l2"], str) else float(out["l2"])
        if self.cuts is not None:
            out["cuts"] = {name: [float(c) for c in cuts] for name, cuts in self.cuts.items()}
        for name in ("class_weight", "population"):
            if isinstance(out[name], Mapping):
                out[name] = {k: float(v) for k, v in out[name].items()}
        return out

    def __post_init__(self) -> None:
        make_plain(self, tuple(self.__slots__))
        for name, low, high in (
            ("points_to_double", 1, 1_000_000),
            ("ranges", 2, MOST_RANGES),
            ("min_letters", 1, 1_000),
        ):
            check_whole(name, getattr(self, name), low, high)
        for name, low in (("pairs", 0), ("max_lines", 1), ("max_columns", 1)):
            if getattr(self, name) is not None:
                check_whole(name, getattr(self, name), low, 1_000_000)
        chosen = isinstance(self.l2, str) and self.l2 in CHOSEN
        if not (chosen or (is_number(self.l2) and 0 < float(self.l2) < math.inf)):
            raise OptionError(
                Argument("l2"), f" must be a number above 0, 'auto' or 'cv', not {shown(self.l2)}."
            )
        check_weights(self.class_weight)
        self._check_cuts()
        self._check_monotone()
        self._check_population()

    def _check_cuts(self) -> None:
        if self.cuts is None:
            return
        if not isinstance(self.cuts, Mapping):
            raise OptionError(
                Argument("cuts"),
                f" must be numbers by column ({{'age': [25, 40]}}), not {shown(self.cuts)}.",
            )
        for name, given in self.cuts.items():
            numbers = list(given) if isinstance(given, list | tuple) else [None]
            if not all(is_number(c) and math.isfinite(c) for c in numbers):
                raise OptionError(
                    Argument("cuts"), f" of column {shown(name)} must be numbers, not {shown(given)}."
                )
            if any(b <= a for a, b in pairwise(numbers)):
                raise OptionError(
                    Argument("cuts"), f" of column {shown(name)} must rise; found {shown(given)}."
                )
            if len(numbers) >= MOST_RANGES:
                raise OptionError(
                    Argument("cuts"),
                    f" of column {shown(name)}: {len(numbers):,} of at most {MOST_RANGES - 1}.",
                )
            if self.max_lines is not None and len(numbers) + 1 > self.max_lines:
                raise OptionError(
                    Argument("cuts"),
                    f" of column {shown(name)} make {len(numbers) + 1:,} lines, and ",
                    Argument("max_lines"),
                    f" is {self.max_lines}. Give fewer cuts or allow more lines.",
                )

    def _check_monotone(self) -> None:
        if self.monotone is None:
            return
        if not isinstance(self.monotone, Mapping):
            raise OptionError(
                Argument("monotone"),
                " must say 'rising' or 'falling' by column ({'income': 'falling'}), "
                f"not {shown(self.monotone)}.",
            )
        for name, wish in self.monotone.items():
            if isinstance(wish, Mapping) and len(wish) != 1:
                raise OptionError(
                    Argument("monotone"),
                    f" of column {shown(name)} must name one class, not {len(wish)}: what rises for one "
                    "falls for another.",
                )
            way = next(iter(wish.values())) if isinstance(wish, Mapping) else wish
            if not isinstance(way, str) or way not in WAYS:
                raise OptionError(
                    Argument("monotone"),
                    f" of column {shown(name)} must be 'rising' or 'falling', not {shown(way)}."
                    f"{nearest(way, WAYS)}",
                )

    def _check_population(self) -> None:
        given = self.population
        if given is None:
            return
        if not isinstance(given, Mapping) or not all(is_number(v) and 0 < v < 1 for v in given.values()):
            raise OptionError(
                Argument("population"),
                " must be a share between 0 and 1 for each class ({'yes': 0.1, 'no': 0.9}), "
                f"not {shown(given)}.",
            )
        if abs(math.fsum(given.values()) - 1.0) > 1e-6:
            raise OptionError(
                Argument("population"), f" must sum to 1, not to {math.fsum(given.values()):g}."
            )
