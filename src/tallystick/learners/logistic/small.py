"""A small logistic regression of plain numbers, by one question; what it tells of itself is found when asked.

Knows schemas, options and the rules of the long way. Knows nothing of rows.
Law: the weights are those of the long way, to the bit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from tallystick.data.schema import Note, Schema
from tallystick.kernels import WholeFit
from tallystick.learners.logistic import solvers
from tallystick.learners.logistic.build import in_units
from tallystick.learners.logistic.prepare import HELD, reference_class
from tallystick.learners.logistic.problem import unit_bits
from tallystick.models.logistic.model import Fit, KnownFit, LogisticModel
from tallystick.models.logistic.options import LogisticOptions
from tallystick.models.logistic.parts import Slope
from tallystick.stats.small_fit import SmallFit, SmallWeights


@dataclass
class ToldAgain:
    """What a fit tells of itself where only its weights were found: the same fit, made the long way."""

    again: Callable[[], KnownFit]

    @cached_property
    def known(self) -> KnownFit:
        """All that is told."""
        found = self.again()
        self.again = lambda: found  # the rows are no longer needed
        return found

    @property
    def fit(self) -> Fit:
        """How the fit went."""
        return self.known.fit

    @property
    def errors(self) -> tuple[tuple[float, ...], ...]:
        """Standard errors, in the order of the model's coefficients."""
        return self.known.errors

    @property
    def notes(self) -> tuple[Note, ...]:
        """What has to be said of the fit."""
        return self.known.notes


def small_question(options: LogisticOptions, schema: Schema, most: int) -> SmallFit | None:
    """Return the question whose answer is the whole fit; None where the long way is to be gone."""
    if isinstance(options.l2, str) or options.l2 <= 0 or not is_plain(options):
        return None
    used = schema.used
    if len(schema.predicted.labels) != 2 or any(c.missing or c.kind != "numeric" for c in used):
        return None
    bounds = np.array([(c.low, c.high) for c in used], np.float64)
    rule = partial(rule_of, float(options.l2), options.standardize)
    return SmallFit(tuple(c.name for c in used), bounds, rule, most)


def is_plain(options: LogisticOptions) -> bool:
    """Say whether nothing but an l2 prior was asked for that changes weights."""
    more = options.l1 or options.firth or options.max_iter or options.class_weight or options.offset
    usual = options.solver == "auto" and options.fit_intercept
    return usual and not more and options.interactions == 1 and options.polynomial == 1


def rule_of(strength: float, standardize: bool, rows: int) -> tuple[int, WholeFit]:
    """Return the bits of a row's terms, and what the fit of so many rows needs: as `Problem` and `SolverRun`
    have it for rows that count once.
    """
    bits = unit_bits(float(rows))
    small, least = solvers.TOLERANCE * rows, solvers.LEAST * rows
    doubt, grain = 2.0 ** (60 - 2 * bits), rows * 2.0**-54
    fine, unit = solvers.FINE, 2.0**-bits
    return bits, WholeFit(strength, HELD, standardize, unit, small, fine, least, doubt, grain)


def small_model(
    schema: Schema, options: LogisticOptions, found: SmallWeights, again: Callable[[], KnownFit]
) -> LogisticModel:
    """Return the model of weights that were found in one question. again: what it tells of its fit."""
    centre, scale, w = found
    constant, slopes, averages = in_units(w[:, None], centre, scale)
    each = zip(schema.used, slopes, averages, centre.tolist(), scale.tolist(), strict=True)
    parts = tuple(Slope(c.name, slope, at, size, None, mean) for c, slope, mean, at, size in each)
    reference = reference_class(options, schema.predicted)
    return LogisticModel(schema, options, constant, parts, ToldAgain(again), reference)
