"""Points and tails of the distributions that tests are measured by: normal and chi-square.

Knows numbers only. Law: `chi_square_tail(normal_point(level) ** 2, 1)` is 1 - level.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from tallystick.errors import OptionError, shown
from tallystick.models.plain import is_number


class NormalEstimate:
    """A number with its standard error, judged as normally distributed; `value` names the number.

    error: None where the model has none; level: of the interval.
    """

    error: float | None
    level: float

    @property
    def value(self) -> float:
        """The number."""
        raise NotImplementedError

    @property
    def z(self) -> float | None:
        """The number in standard errors."""
        return self.value / self.error if self.error else None

    @property
    def p(self) -> float | None:
        """The probability of a z this far from 0, if the number were 0."""
        return None if self.z is None else math.erfc(abs(self.z) / math.sqrt(2.0))

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval at the level, 95 % unless another was asked for."""
        if self.error is None:
            return None
        half = normal_point(self.level) * self.error
        return self.value - half, self.value + half


def normal_point(level: float) -> float:
    """Return the z between whose negative and itself the normal distribution holds `level`."""
    return NormalDist().inv_cdf(0.5 + level / 2)


def check_level(level: float) -> float:
    """Return a confidence level, or say what one is."""
    if not (is_number(level) and 0 < level < 1):
        raise OptionError(f"level must be a number between 0 and 1, such as 0.95, not {shown(level)}.")
    return float(level)


def chi_square_tail(x: float, freedom: float) -> float:
    """Return P(X > x) under chi-square: the incomplete gamma function, by its series below the mean and its
    continued fraction above, to about 1e-14.
    """
    if math.isnan(x):
        return math.nan
    if x <= 0 or freedom <= 0:
        return 1.0
    a, x = freedom / 2, x / 2
    front = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1.0 / a
        n = a
        while term > total * 1e-17:
            n += 1
            term *= x / n
            total += term
        return 1.0 - front * total
    tiny = 1e-300
    b = x + 1 - a
    c, d = 1 / tiny, 1 / b
    h = d
    for i in range(1, 10_000):
        step = -i * (i - a)
        b += 2
        d = 1 / (step * d + b or tiny)
        c = b + step / c or tiny
        h *= d * c
        if abs(d * c - 1) < 1e-16:
            break
    return front * h
