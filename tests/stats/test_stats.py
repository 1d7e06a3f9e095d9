"""The laws of every statistic: the total depends on the multiset of rows alone, and weights are copies."""

from __future__ import annotations

import math
import pickle
from dataclasses import dataclass, field, fields, is_dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.kernels.linear import Curvature
from tallystick.schema import Column
from tallystick.stats.class_counts import Ask, BayesSums
from tallystick.stats.design_sums import CodedPart, Dense, Design, Factor, LogisticSums

SPECIAL = [math.nan, 0.0, -0.0, 5e-324, 1.7976931348623157e308, -1e308, 1e-308, 0.1, 3.0]


@dataclass
class Rows:
    """A block: a level column "a" of 5 codes, a numeric "x" of hard values, a numeric "z" within +-4."""

    a: np.ndarray
    x: np.ndarray
    z: np.ndarray
    classes: np.ndarray
    weights: np.ndarray | None = None
    response: np.ndarray | None = None
    memo: dict = field(default_factory=dict)

    @property
    def rows(self):
        return len(self.a)

    def codes(self, column):
        return getattr(self, column)

    def values(self, column):
        return getattr(self, column)

    def take(self, rows):
        weights = None if self.weights is None else self.weights[rows]
        return Rows(self.a[rows], self.x[rows], self.z[rows], self.classes[rows], weights)


LEVELS = Column("a", "levels", ("r", "s", "t"))
QUESTIONS = [
    BayesSums((), 3),
    BayesSums((Ask("a", "codes", 4),), 3),
    BayesSums((Ask("x", "moments"), Ask("z", "moments")), 3),
    BayesSums((Ask("z", "bins", cuts=(-1.0, 0.0, 2.5)),), 3),
    LogisticSums(
        Design((Dense("z", (Factor("z", "z", None, -4.0, 4.0),)),), (CodedPart(LEVELS, 0),), ()),
        np.array([[0.0], [0.25]]),
        np.linspace(-1, 2, 21).reshape(7, 3),
        40,
        curvature=Curvature.PAIRS,
    ),
]
NAMES = ["class counts", "codes", "moments", "bins", "linear sums"]


@st.composite
def tables(draw, weighted):
    n = draw(st.integers(0, 40))
    seed = np.random.default_rng(draw(st.integers(0, 2**32)))
    x = np.where(seed.random(n) < 0.5, seed.choice(SPECIAL, n), seed.normal(size=n))
    z = np.where(seed.random(n) < 0.1, np.nan, seed.uniform(-4, 4, n))
    weights = seed.integers(0, 4, n) if weighted else None
    a, classes = seed.integers(0, 5, n).astype(np.uint8), seed.integers(0, 3, n).astype(np.uint8)
    parts = np.split(seed.permutation(n), np.sort(seed.integers(0, n + 1, draw(st.integers(0, 4)))))
    return Rows(a, x, z, classes, weights), parts


def total(question, *blocks):
    out = question.zero()
    for block in blocks:
        out = question.add(out, block)
    return out


def same(a, b):
    """Equal to the bit, for dicts, nested tuples, lists and records of arrays and numbers; scratch aside."""
    if is_dataclass(a):
        return all(same(getattr(a, f.name), getattr(b, f.name)) for f in fields(a) if f.name != "work")
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return a == b


@pytest.mark.parametrize("question", QUESTIONS, ids=NAMES)
@pytest.mark.parametrize("weighted", [False, True])
@given(data=st.data())
def test_total_does_not_depend_on_order_or_partitions(question, weighted, data):
    table, parts = data.draw(tables(weighted))
    whole = total(question, table)
    merged = question.zero()
    for part in parts:
        merged = question.merge(merged, total(question, table.take(part)))
    assert same(merged, whole)
    assert same(total(question, *(table.take(part) for part in parts)), whole)
    assert same(question.merge(question.zero(), total(question, table)), whole)


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS, ids=NAMES)
@given(data=st.data())
def test_a_weight_is_that_many_copies(question, data):
    table, _ = data.draw(tables(weighted=True))
    copies = table.take(np.repeat(np.arange(table.rows), table.weights))
    copies.weights = None
    assert same(total(question, table), total(question, copies))


@pytest.mark.parametrize("question", QUESTIONS, ids=NAMES)
def test_questions_and_totals_can_be_pickled(question):
    table = Rows(
        np.array([0, 4], np.uint8), np.array([0.1, np.nan]), np.array([1.0, 2.0]), np.array([0, 2], np.uint8)
    )
    again = pickle.loads(pickle.dumps(question))
    assert same(pickle.loads(pickle.dumps(total(again, table))), total(question, table))
