"""Confidence intervals of scores and shares; distributions for tests: beta, Student's t, normal, chi-square.

- 95 % intervals of scores, (low, high): `wilson()`, `mean()`, `recalls()`, `f1()`, `on_logit()`; for
  cross-validation `widening()` and `corrected()`. A function has the name of its method in `METHODS`, so
  that no interval is shown without saying how it was made, and of what it is one (`OF`).
- Intervals of shares from the beta distribution: `mixture_interval()`; `searched()` for selected groups.
- Points and tails: `NormalEstimate`, `normal_point()`, `student()`, `chi_square_tail()`.

Held-out rows that one model answers are independent: there intervals cover as they promise (tests hold them
to 93-97 % by simulation). Rows of folds are not: folds share training rows, and the model of all rows is none
of those that answered. `widening` is the factor of variance for it; coverage is in `docs/judge.md`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.errors import OptionError, shown
from tallystick.model.file import is_number
from tallystick.stats.exact import weighted_total
from tallystick.tree.model import log_gamma

Interval = tuple[float, float]

METHODS = {
    "wilson": "Wilson's interval for a share",
    "mean": "Student's interval for a mean of rows, bent for skewness (Johnson)",
    "root": "the root of the interval of the mean squared error",
    "recalls": "Wilson's intervals of the class recalls, joined by their distances (MOVER)",
    "auc": "DeLong's variance, of pairs that one model answered, on the logit scale",
    "precision": "normal interval on the logit scale with the number of positives as the size",
    "r2": "the interval of the mean squared error, carried to R² (the base as it was measured)",
    "f1": "Wilson's interval for hits among hits, misses and false alarms, carried to F1",
}

OF = {
    True: "the score on new rows of a model trained on all of these rows",
    False: "the score on new rows of the one model that answered",
}
MOST_FOLDS = 100  # whose means enter the variance; a fold of one row (leave-one-out) has no mean worth it

NORMAL_975 = 1.959963984540054


def widening(means: NDArray[np.float64], error: float, folds: float) -> float:
    """Return the variance of a score by cross-validation over that of as many independent rows.

    means[fold] of a score whose rows give it the standard error `error`. The factor is 1 + K/(K - 1) for K
    folds that share training rows (Nadeau and Bengio), times what the fold means vary beyond chance: they
    would vary by K · error².
    """
    if folds < 2:
        return 1.0
    chance = folds * error * error
    beyond = float(np.var(means, ddof=1)) / chance if len(means) > 1 and chance > 0 else 1.0
    return (1 + folds / (folds - 1)) * max(1.0, beyond)


def paired_error(away: NDArray[np.float64], repeats: int) -> float:
    """Return the standard error of the mean of differences[fold] between two methods on the same folds.

    The variance of J fold differences is taken times (1/J + test rows / training rows), as Nadeau and
    Bengio do.
    """
    many = len(away)
    spread = float(np.var(away, ddof=1)) if many > 1 else 0.0
    folds = max(many / repeats, 2)  # of one part held out the test rows count as many as those that train
    return math.sqrt(spread * (1 / many + 1 / (folds - 1))) if spread else 0.0


def corrected(away: NDArray[np.float64], repeats: int) -> float:
    """Return the two-sided p that differences[fold] have the mean 0."""
    error = paired_error(away, repeats)
    if error == 0.0:
        return 1.0 if not away.any() else 0.0
    return 2 * student_tail(abs(float(away.mean())) / error, len(away) - 1)


def stretched(value: float, ends: Interval, factor: float, least: float, most: float) -> Interval:
    """Return the ends sqrt(factor) times as far from the value, but not below `least` or above `most`."""
    low, high = (value + (end - value) * math.sqrt(factor) for end in ends)
    return max(low, min(least, ends[0])), min(high, max(most, ends[1]))


def wilson(hits: float, rows: float) -> Interval:
    """Return Wilson's interval of hits / rows."""
    if rows <= 0:
        return 0.0, 1.0
    z2 = NORMAL_975**2
    share = hits / rows
    centre = (share + z2 / (2 * rows)) / (1 + z2 / rows)
    half = NORMAL_975 * math.sqrt(share * (1 - share) / rows + z2 / (4 * rows * rows)) / (1 + z2 / rows)
    return max(0.0, centre - half), min(1.0, centre + half)


def mean(values: NDArray[np.float64], weights: NDArray[np.float64], centre: float) -> Interval:
    """Return Student's interval of a weighted mean, which is centre, with Johnson's correction for skewed
    values.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        away = values - centre
        squares, cubes = away**2, away**3
    if not np.isfinite(cubes).all():  # squares are finite where cubes are
        return -math.inf, math.inf
    return of_sums(
        float(weights.sum()), centre, weighted_total(squares, weights), weighted_total(cubes, weights)
    )


def of_sums(rows: float, centre: float, squares: float, cubes: float) -> Interval:
    """Return the interval of a mean, from the sums of the squares and cubes of what is away from it."""
    if rows < 2 or not math.isfinite(squares) or not math.isfinite(cubes):
        return -math.inf, math.inf
    return of_moments(rows, centre, squares / (rows - 1), cubes / rows)


def of_moments(rows: float, centre: float, second: float, third: float) -> Interval:
    """Return the interval of a mean from the variance and the third moment of the values about it."""
    if second == 0.0:
        return centre, centre
    shift = third / (6 * second * rows)
    half = student_975(rows - 1) * math.sqrt(second / rows)
    return centre + shift - half, centre + shift + half


def recalls(hits: Sequence[float], rows: Sequence[float]) -> Interval:
    """Return the interval of the mean of class recalls; classes without rows do not count."""
    parts = [(h / n, *wilson(h, n)) for h, n in zip(hits, rows, strict=True) if n > 0]
    if not parts:
        return 0.0, 1.0
    centre = sum(p for p, _, _ in parts) / len(parts)
    below = math.sqrt(sum((p - low) ** 2 for p, low, _ in parts)) / len(parts)
    above = math.sqrt(sum((high - p) ** 2 for p, _, high in parts)) / len(parts)
    return max(0.0, centre - below), min(1.0, centre + above)


def f1(hits: float, misses: float, false_alarms: float) -> Interval:
    """Return the interval of F1 = 2J / (1 + J), where J = hits / (hits + misses + false alarms) is a
    share.
    """
    low, high = wilson(hits, hits + misses + false_alarms)
    return 2 * low / (1 + low), 2 * high / (1 + high)


def on_logit(value: float, error: float, size: float) -> Interval:
    """Return value ± 1.96 standard errors on the logit scale; at 0 or 1 half a row in `size` is assumed."""
    inner = min(max(value, 0.5 / (size + 1)), 1 - 0.5 / (size + 1))
    spread = max(error, math.sqrt(inner * (1 - inner) / (size + 1)) if value in (0.0, 1.0) else 0.0)
    half = NORMAL_975 * spread / (inner * (1 - inner))
    at = math.log(inner / (1 - inner))
    low, high = (1 / (1 + math.exp(-min(max(at + side * half, -700), 700))) for side in (-1, 1))
    return (low if value > 0.0 else 0.0), (high if value < 1.0 else 1.0)


def student_975(freedom: float) -> float:
    """Return the 97.5 % point of Student's t, by bisection of its tail."""
    low, high = NORMAL_975, 13.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if student_tail(middle, freedom) > 0.025 else (low, middle)
    return (low + high) / 2


def student_tail(t: float, freedom: float) -> float:
    """Return P(T > t) for t >= 0 under Student's t with the given degrees of freedom."""
    return 0.5 * incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t))


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function by its continued fraction (Lentz's way)."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    tiny = 1e-300
    c, d = 1.0, 1 / max(1 - (a + b) * x / (a + 1), tiny)
    total = d
    for m in range(1, 500):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for step in (even, odd):
            d = 1 / (1 + step * d or tiny)
            c = 1 + step / c or tiny
            total *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return front * total / a


# ---- intervals of shares from the beta distribution; of means from Student's t ----
# Law: the interval of a mixture holds just the wanted probability, half of the rest on each side.
# A group of rows that was searched for is not one that was given: its tests were chosen because the classes
# differ there, so its counts look surer than they are. `searched` says by how much the variance grows: an
# interval that is to hold for every group among 2^bits has the ends of level 1 - 0.05 / 2^bits, not 95 %.

MOST_BITS = 900.0  # beyond, the tail probability underflows a double


def beta_cdf(x: float, a: float, b: float) -> float:
    """Return P(X < x) for X of the beta distribution: Lentz's continued fraction, to about 1e-14."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if a <= 0 or b <= 0:  # no rows on one side, and none imagined there: all of it is at an end
        return float(a <= 0)
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_cdf(1 - x, b, a)
    logs = kernels.log([x, 1 - x])
    front = float(kernels.exp([_log_one_over_beta(a, b) + a * logs[0] + b * logs[1]])[0]) / a
    return front * _fraction(x, a, b)


@lru_cache(maxsize=1024)  # the search for an interval's end evaluates many x
def _log_one_over_beta(a: float, b: float) -> float:
    """Return -log B(a, b)."""
    gammas = log_gamma(np.array([a + b, a, b]))
    return float(gammas[0] - gammas[1] - gammas[2])


def _fraction(x: float, a: float, b: float) -> float:
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    out = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        step = 1.0
        for term in (even, odd):
            d = 1 + term * d
            c = 1 + term / c
            d = 1 / (d if abs(d) > tiny else tiny)
            c = c if abs(c) > tiny else tiny
            step = c * d
            out *= step
        if abs(step - 1) < 1e-15:
            break
    return out


def mixture_interval(
    parts: Sequence[tuple[float, float, float, float]], mass: float = 0.95
) -> tuple[float, float]:
    """Return the interval that holds `mass` of a mixture of distributions (weight, a, b, odds), equal
    tails.

    Each is a beta distribution whose odds x / (1 - x) are multiplied by `odds` (0 and infinity included).
    """

    def below(x: float) -> float:
        return sum(w * beta_cdf(x / (x + odds * (1 - x)) if x < 1 else 1.0, a, b) for w, a, b, odds in parts)

    return _root(below, (1 - mass) / 2), _root(below, (1 + mass) / 2)


def searched(bits: float) -> float:
    """Return by what the variance of a share grows when its group was chosen among 2^bits; 1 for none."""
    tail = 0.025 * 2.0 ** -min(max(bits, 0.0), MOST_BITS)
    low, high = 1.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if math.erfc(middle / math.sqrt(2)) / 2 > tail else (low, middle)
    return max(((low + high) / 2 / NORMAL_975) ** 2, 1.0)


@lru_cache(maxsize=64)  # a table of coefficients asks for one point again and again
def student(freedom: float, mass: float = 0.95) -> float:
    """Return the t between whose negative and itself Student's distribution holds `mass`."""
    # t² / (freedom + t²) has the beta distribution of 1/2 and freedom/2
    x = _root(lambda x: beta_cdf(x, 0.5, freedom / 2), mass)
    return float(np.sqrt(freedom * x / (1 - x)))


def _root(below: Callable[[float], float], wanted: float) -> float:
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if below(middle) < wanted:
            low = middle
        else:
            high = middle
    return (low + high) / 2


# ---- points and tails of the normal and chi-square distributions ----
# Law: `chi_square_tail(normal_point(level) ** 2, 1)` is 1 - level.


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
