"""Intervals: of a share, from the beta distribution that counts leave it; of a mean, by Student's t.

Knows numbers only. Law: the interval of a mixture holds just the wanted probability, half of the rest on
each side.

A group of rows that was looked for is not one that was given: its tests were chosen because the classes lie
apart there, so its counts look surer than they are. `searched` says how much less they are to count for: an
interval that is to hold for every group among 2^bits has ends as far as those of 1 - 0.05 / 2^bits, not of
95 %.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from tallystick import kernels
from tallystick.models.tree.average import log_gamma

MOST_BITS = 900.0  # beyond, the tail is no longer a number
NORMAL_975 = 1.959963984540054


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


@lru_cache(maxsize=1024)  # the end of an interval is looked for at many x
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
