"""Growing: what the kernels choose is what brute force on the rows themselves chooses."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest
import reference_tree as twin

import tallystick as ts
from tallystick.kernels.trees import GrowColumn, Grower, GrowRules
from tallystick.stats import binning as price

KINDS = ("numeric", "numeric", "ordered", "levels")


def random_data(rng: random.Random, regression: bool) -> twin.Data:
    """A small table full of ties: few distinct values, copies of rows, missing cells, weights."""
    rows, classes = rng.randint(2, 40), rng.choice([2, 2, 3, 5])
    kinds = [rng.choice(KINDS) for _ in range(rng.randint(1, 4))]
    k = [rng.choice([2, 3, 6, 70]) for _ in kinds]
    numbers = [
        rng.choice([[-1.5, 0.0, 0.25, 1e300], [0.1 * i for i in range(50)], [1.0, math.nextafter(1.0, 2)]])
        for _ in kinds
    ]
    holes = rng.choice([0.0, 0.0, 0.2])

    def cell(j: int) -> float | int | None:
        if rng.random() < holes:
            return None
        return rng.choice(numbers[j]) if kinds[j] == "numeric" else rng.randrange(k[j])

    cells = [[cell(j) for _ in range(rows)] for j in range(len(kinds))]
    for _ in range(rng.choice([0, rows // 2])):  # copies of rows
        a, b = rng.randrange(rows), rng.randrange(rows)
        for column in cells:
            column[a] = column[b]
    if not regression and classes > 2:  # brute force tries all groups of at most 12 levels
        for j, column in enumerate(cells):
            cells[j] = [v % 12 if kinds[j] == "levels" and v is not None else v for v in column]
    target = [rng.randrange(1000 if regression else classes) for _ in range(rows)]
    weights = [1] * rows if rng.random() < 0.6 else [rng.randint(1, 5) for _ in range(rows)]
    score = weights
    if not regression and rng.random() < 0.3:  # class weights
        scale = [rng.randint(1, 4) for _ in range(classes)]
        score = [w * scale[t] for w, t in zip(weights, target, strict=True)]
    return twin.Data(cells, kinds, k, target, 0 if regression else classes, score, weights)


def random_rules(rng: random.Random, regression: bool) -> twin.Rules:
    criterion = "variance" if regression else rng.choice(["entropy", "ratio", "gini"])
    return twin.Rules(
        criterion=criterion,
        groups=rng.random() < 0.6,
        penalty=float(rng.choice([0.0, 0.5, 1.0])) if criterion == "ratio" else 0.0,
        cut_rows=criterion == "ratio" and rng.random() < 0.5,
        stop_at_zero=rng.random() < 0.3,
        max_depth=rng.choice([1, 3, 100]),
        min_leaf=rng.choice([1, 1, 2, 5]),
        min_split=rng.choice([2, 6]),
        min_decrease=rng.choice([0.0, 0.0, 0.02]),
        min_entropy=0.0 if regression else rng.choice([0.0, 0.0, 0.6, 0.95]),
    )


def kernel_tree(data: twin.Data, rules: twin.Rules, order: list[int], small: int) -> dict[str, np.ndarray]:
    """Grow with the kernel, rows in the given order."""
    columns = []
    for cells, kind, k in zip(data.cells, data.kinds, data.k, strict=True):
        if kind == "numeric":
            values = np.array([math.nan if cells[r] is None else cells[r] for r in order])
            columns.append(GrowColumn(kind, values))
        else:
            codes = np.array([k if cells[r] is None else cells[r] for r in order], np.uint8)
            columns.append(GrowColumn(kind, codes, k))
    target = np.array([data.target[r] for r in order])
    plain = set(data.score) == {1} and set(data.rows) == {1}
    score, rows = (np.array([w[r] for r in order], np.int64) for w in (data.score, data.rows))
    grower = Grower(
        columns,
        range(len(columns)),
        GrowRules(**{n: getattr(rules, n) for n in rules.__dataclass_fields__}),
        classes=data.classes,
        labels=target.astype(np.uint8) if data.classes else None,
        response=None if data.classes else target.astype(np.int64),
        score_weights=None if plain else score,
        row_weights=None if plain else rows,
        small=small,
    )
    grower.run()
    return grower.arrays()


@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize(
    "seed", [*range(60), *(pytest.param(n, marks=pytest.mark.slow) for n in range(60, 300))]
)
def test_chosen_splits_equal_brute_force(seed: int, regression: bool) -> None:
    rng = random.Random(seed)
    data, rules = random_data(rng, regression), random_rules(rng, regression)
    nodes = twin.preorder(twin.Twin(data, rules).grow())
    order = list(range(len(data.target)))
    rng.shuffle(order)
    for small in (65_535, 6):  # all in one go, or level by level down to six rows
        got = kernel_tree(data, rules, order, small)
        assert got["column"].tolist() == [n.split.column if n.split else -1 for n in nodes]
        assert got["counts"].tolist() == [n.counts for n in nodes]
        assert got["children"].tolist() == [n.split.branches if n.split else 0 for n in nodes]
        assert got["gain"].tolist() == [n.split.gain if n.split else 0.0 for n in nodes]
        assert got["missing"].tolist() == [n.split.missing if n.split else -1 for n in nodes]
        cuts = [n.split.cut if n.split else math.nan for n in nodes]
        assert np.array_equal(got["cut"], cuts, equal_nan=True)


@pytest.mark.parametrize("heavy", [0, 66_000])
def test_two_groups_of_many_levels_are_a_cut_in_the_exact_order_of_shares(heavy: int) -> None:
    """Shares are sorted by their digits, or compared as fractions where a level has too many rows."""
    rng = np.random.default_rng(heavy)
    k = 700
    sizes = rng.integers(1, 40, k)
    ones = np.floor(sizes * rng.random(k)).astype(np.int64)
    if heavy:
        sizes[2], ones[2] = heavy, heavy // 2
    codes = np.repeat(np.arange(k), sizes).astype(np.uint16)
    starts = np.cumsum(sizes) - sizes
    labels = (np.arange(len(codes)) - np.repeat(starts, sizes) < np.repeat(ones, sizes)).astype(np.uint8)
    grower = Grower([GrowColumn("levels", codes, k)], [0], GrowRules(max_depth=1), classes=2, labels=labels)
    grower.run()
    got = grower.arrays()
    order = sorted(range(k), key=lambda level: Fraction(int(ones[level]), int(sizes[level])))
    rows, tops = np.cumsum(sizes[order])[:-1], np.cumsum(ones[order])[:-1]
    n, top = sizes.sum(), ones.sum()

    def bits(part, all_rows):
        shares = np.stack([part, all_rows - part]) / all_rows
        return -all_rows * np.sum(
            np.where(shares > 0, shares * np.log2(np.where(shares > 0, shares, 1)), 0), 0
        )

    gains = (bits(top, n) - bits(tops, rows) - bits(top - tops, n - rows)) / n
    paid = [price.group_bits(k, j) / n for j in range(1, k)]
    cut = int(np.argmax(gains - np.array(paid) / price.coverage(sizes)))
    side = np.zeros(k, np.uint8)
    side[order[cut + 1 :]] = 1
    assert got["gain"][0] == pytest.approx(gains[cut], abs=1e-9)
    assert got["maps"].tolist() == (side ^ side[0]).tolist()


def test_equal_gains_of_different_counts_tie_exactly() -> None:
    """3 + 3 rows beside one of a third class gain as much as 3 + 1 beside 2 + 1: the first name wins."""
    rows = [0, 0, 0, 1, 1, 1, 2]
    alone = [0, 0, 0, 0, 0, 0, 1]  # (3, 3, 0) and (0, 0, 1)
    mixed = [0, 0, 0, 0, 1, 1, 1]  # (3, 1, 0) and (0, 2, 1)
    for small in (65_535, 1):
        for first, second in ((alone, mixed), (mixed, alone)):
            columns = [GrowColumn("levels", np.array(c, np.uint8), 2) for c in (first, second)]
            labels = np.array(rows, np.uint8)
            rules = GrowRules(max_depth=1)
            grower = Grower(columns, [0, 1], rules, classes=3, labels=labels, small=small)
            grower.run()
            assert grower.arrays()["column"][0] == 0
            turned = Grower(columns, [1, 0], rules, classes=3, labels=labels, small=small)
            turned.run()
            assert turned.arrays()["column"][0] == 1


def exact_gain(column: list[int], target: list[int], criterion: str) -> Fraction:
    """A number that orders splits as their gain does, in exact arithmetic: of entropies 2^(-rows · gain)."""
    branches = [[t for c, t in zip(column, target, strict=True) if c == b] for b in (0, 1)]
    counts = [[rows.count(c) for c in set(target)] for rows in branches]
    if criterion == "gini":
        return sum((Fraction(sum(n * n for n in part), sum(part)) for part in counts), Fraction(0))
    if criterion == "variance":
        return sum((Fraction(sum(rows) ** 2, len(rows)) for rows in branches), Fraction(0))
    score = Fraction(1)
    for part in counts:
        score *= Fraction(math.prod(n**n for n in part), sum(part) ** sum(part))
    return score


@pytest.mark.parametrize("criterion", ["entropy", "gini", "variance"])
@pytest.mark.parametrize("seed", range(20))
def test_ties_are_those_of_exact_arithmetic(seed: int, criterion: str) -> None:
    rng = random.Random(seed)
    for _ in range(40):
        n, classes = rng.randint(5, 16), rng.choice([2, 3, 4])
        target = [rng.randrange(classes if criterion != "variance" else 5) for _ in range(n)]
        table = [[rng.randrange(2) for _ in range(n)] for _ in range(12)]
        table = [c for c in table if len(set(c)) == 2]
        worth = [exact_gain(c, target, criterion) for c in table]
        if len(set(target)) < 2 or max(worth) == min(worth):
            continue
        kind = rng.choice(["levels", "numeric"])
        cells = [np.array(c, float if kind == "numeric" else np.uint8) for c in table]
        goal = np.array(target)
        grower = Grower(
            [GrowColumn(kind, c, 0 if kind == "numeric" else 2) for c in cells],
            range(len(cells)),
            GrowRules(criterion=criterion, max_depth=1),
            classes=classes if criterion != "variance" else 0,
            labels=None if criterion == "variance" else goal.astype(np.uint8),
            response=goal.astype(np.int64) if criterion == "variance" else None,
            small=rng.choice([65_535, 1]),
        )
        grower.run()
        assert grower.arrays()["column"][0] == worth.index(max(worth))


def test_many_classes_that_few_leaves_can_part_are_grown():
    rows = [[i % 2] for i in range(4000)]
    assert ts.DecisionTree().fit(rows, [f"c{i % 2000}" for i in range(4000)]).get_n_leaves() == 2
