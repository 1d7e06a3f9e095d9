"""Trees by brute force: every split of every node tried on the rows themselves, in exact whole numbers.

A twin of the growing kernels, written from their stated rules and from nothing else: no sorting, no tables
kept from
parent to child. Slow, for tables of some dozens of rows.
"""

from __future__ import annotations

import itertools
import math
import struct
import sys
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any

from tallystick import kernels

NO_CUT = sys.float_info.max  # of a test whose first branch has all known rows


def log2_whole(x: float) -> float:
    """Return log2 by the kernel's stated series; exact for powers of two."""
    bits = struct.unpack("<q", struct.pack("<d", x))[0] - 0x3FE6A09E667F3BCD
    k = float(bits >> 52)
    m = struct.unpack("<d", struct.pack("<q", (bits & 0x000FFFFFFFFFFFFF) + 0x3FE6A09E667F3BCD))[0]
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    p = 2.0 / 23.0
    for d in range(21, 0, -2):
        p = p * z + 2.0 / d
    return k + s * p * 1.4426950408889634


@dataclass(frozen=True)
class Rules:
    criterion: str = "entropy"  # "entropy", "ratio", "gini", "variance"
    groups: bool = True
    penalty: float = 0.0
    cut_rows: bool = False
    stop_at_zero: bool = False
    max_depth: int = 1 << 30
    min_leaf: int = 1
    min_split: int = 2
    min_decrease: float = 0.0
    min_entropy: float = 0.0


@dataclass
class Data:
    """cells[column][row]: numbers, or codes; None is missing. kinds: "numeric", "ordered", "levels"."""

    cells: list[list[Any]]
    kinds: list[str]
    k: list[int]
    target: list[int]  # class, or response in fixed point
    classes: int  # 0: regression
    score: list[int]  # weight in the criterion
    rows: list[int]  # weight in counts


@dataclass
class Split:
    column: int
    key: Any  # score, larger is better
    cut: float
    sides: list[int]  # branch of each row of the node
    branches: int
    missing: int
    gain: float
    ratio: float = 0.0
    net: float = 0.0  # gain less the price of the groups or of a cut
    paid: Any = 0  # the price of the groups, as part of the score


@dataclass
class Node:
    counts: list[int]
    split: Split | None = None
    children: list[Node] = field(default_factory=list)


@dataclass(frozen=True)
class Price:
    """What it costs to name j of k levels, as part of a score; lost: missing rows are one of the k."""

    k: int
    all: float
    each: float
    coverage: float
    criterion: str
    lost: bool = False

    def of(self, j: int, missing: bool) -> Any:
        zero = 0.0 if self.criterion == "variance" else 0
        group = j + (self.lost and missing)
        if self.k < 3 or not group:
            return zero
        bits = group_bits(self.k, group)
        if self.criterion == "variance":
            whole = self.all * (1.0 - float(kernels.exp([self.each * bits])[0]))
            return whole / self.coverage if self.coverage > 0 else self.all * 2.0
        whole = self.all * min(self.each * bits, 1.0) if self.criterion == "gini" else self.each * bits
        return int(min(whole / self.coverage + 0.5, 2.0**61)) if self.coverage > 0 else 2**61

    def covered(self, score: Any, before: Any) -> Any:
        if self.coverage >= 1 or score <= before:
            return score
        kept = float(score - before) * self.coverage
        return before + (kept if self.criterion == "variance" else int(kept))


@cache
def factorials(most: int) -> list[float]:
    """The log2 of the factorials of 0 to `most`."""
    logs = [0.0, 0.0]
    for n in range(2, most + 1):
        logs.append(logs[-1] + log2_whole(float(n)))
    return logs


def group_bits(k: int, j: int) -> float:
    """The bits that name j of k levels: log2(k - 1) + log2(k over j) - 1."""
    logs = factorials(k)
    return log2_whole(float(k - 1)) + (logs[k] - logs[j] - logs[k - j]) - 1.0


@cache
def prime_factors(n: int) -> tuple[int, ...]:
    """The prime factors of n, each as often as it divides."""
    least = next((p for p in range(2, math.isqrt(n) + 1) if n % p == 0), n)
    return () if n < 2 else (least, *prime_factors(n // least))


class Twin:
    """Grows a tree by brute force."""

    def __init__(self, data: Data, rules: Rules) -> None:
        self.data, self.rules = data, rules
        self.largest = sum(data.score)
        bits = self.largest.bit_length()
        self.factor = 2.0 ** (59 - bits - bits.bit_length())
        self.shift = 61 - bits

    def f(self, n: int) -> int:
        """n log2(n): the logarithm of n is the sum of those of its prime factors, each rounded once."""
        assert n <= 1 << 16
        return n * sum(int(log2_whole(float(p)) * self.factor + 0.5) for p in prime_factors(n))

    def vector(self, rows: list[int]) -> list[int]:
        d = self.data
        if not d.classes:
            return [sum(d.rows[r] * d.target[r] for r in rows), sum(d.rows[r] for r in rows)]
        return [sum(d.score[r] for r in rows if d.target[r] == c) for c in range(d.classes)] + [
            sum(d.rows[r] for r in rows)
        ]

    def part(self, rows: list[int], middle: int) -> Fraction:
        v = self.vector(rows)
        if self.rules.criterion == "variance":
            return Fraction((v[0] - v[1] * middle) ** 2, v[1]) if v[1] else Fraction(0)
        n = sum(v[:-1])
        if self.rules.criterion == "gini":
            return Fraction(sum(c * c for c in v[:-1]) << self.shift, n) if n else Fraction(0)
        return Fraction(sum(self.f(c) for c in v[:-1]) - self.f(n))

    def score(self, *branches: list[int], middle: int) -> Any:
        """What the branches are worth together: exact, then rounded once."""
        total = sum((self.part(b, middle) for b in branches), Fraction(0))
        if self.rules.criterion != "variance":
            return math.floor(total)
        whole = math.floor(total)
        return float(whole) + math.floor((total - whole) * 2**40) * 2.0**-40

    def middle(self, rows: list[int]) -> int:
        if self.data.classes:
            return 0
        total, n = self.vector(rows)
        return (total + n // 2) // n if total >= 0 else -((-total + n // 2) // n)

    def weigh(self, rows: list[int]) -> int:
        return sum(self.data.rows[r] for r in rows)

    def gain(self, key: Any, rows: list[int], middle: int) -> float:
        before = self.score(rows, middle=middle)
        if self.rules.criterion == "variance":
            return max(key - before, 0.0) / float(self.weigh(rows))
        if key - before <= 2 * self.data.classes + 4:
            return 0.0
        unit = 2.0**self.shift if self.rules.criterion == "gini" else self.factor
        return float(key - before) / unit / float(sum(self.vector(rows)[:-1]))

    def least(self, column: int, rows: list[int]) -> int:
        if not self.rules.cut_rows or self.data.kinds[column] != "numeric":
            return self.rules.min_leaf
        tenth = 10 * self.data.classes
        wanted = -(-self.weigh(rows) // tenth)
        return self.rules.min_leaf if wanted <= self.rules.min_leaf else min(wanted, 25)

    def two_sided(self, column: int, rows: list[int]) -> list[tuple[list[int], float]]:
        """Return (levels or values of the left, cut) of every two-branch split of the known rows, in tie
        order.
        """
        cells, kind = self.data.cells[column], self.data.kinds[column]
        known = sorted({cells[r] for r in rows if cells[r] is not None})
        if kind != "levels":
            pairs = itertools.pairwise(known)
            return [
                (known[: i + 1], cut_between(a, b) if kind == "numeric" else math.nan)
                for i, (a, b) in enumerate(pairs)
            ]
        if self.data.classes == 2 or not self.data.classes:
            order = sorted(known, key=lambda v: (self.share([r for r in rows if cells[r] == v]), v))
            return [(order[:i], math.nan) for i in range(1, len(order))]
        assert len(known) <= 12
        masks = range(1, 1 << max(len(known) - 1, 0))
        return [([v for i, v in enumerate(known) if i == 0 or not m >> (i - 1) & 1], math.nan) for m in masks]

    def share(self, rows: list[int]) -> Fraction:
        v = self.vector(rows)
        return Fraction(v[1], v[0] + v[1]) if self.data.classes else Fraction(v[0], v[1])

    def best_of(self, column: int, rows: list[int]) -> Split | None:
        if self.data.kinds[column] == "levels" and not self.rules.groups:
            return self.multiway(column, rows)
        cells, middle = self.data.cells[column], self.middle(rows)
        away = [r for r in rows if cells[r] is None]
        best, cuts = None, 0
        price = self.price(column, rows)
        for left_values, cut in self.two_sided(column, rows):
            left = [r for r in rows if cells[r] in left_values]
            right = [r for r in rows if cells[r] is not None and cells[r] not in left_values]
            for side in (0, 1) if away else (0,):
                a, b = (left + away, right) if side == 0 else (left, right + away)
                if min(self.weigh(a), self.weigh(b)) < self.least(column, rows):
                    continue
                cuts += 1
                paid = price.of(len(left_values), bool(away) and side == 0)
                key = self.score(a, b, middle=middle) - paid
                if best is None or key > best.key:
                    missing = side if away else int(self.weigh(left) < self.weigh(right))
                    best = Split(column, key, cut, [int(r in set(b)) for r in rows], 2, missing, 0.0)
                    best.paid = paid
        there = [r for r in rows if cells[r] is not None]
        if away and there and min(self.weigh(away), self.weigh(there)) >= self.least(column, rows):
            paid = price.of(0, missing=True)
            key, cuts = self.score(there, away, middle=middle) - paid, cuts + 1
            if best is None or key > best.key:
                cut = NO_CUT if self.data.kinds[column] == "numeric" else math.nan
                best = Split(column, key, cut, [int(cells[r] is None) for r in rows], 2, 1, 0.0)
                best.paid = paid
        if best is None:
            return None
        if best.paid:
            best.key = price.covered(best.key, self.score(rows, middle=middle))
        self.settle(best, column, rows)
        return self.finish(best, rows, cuts)

    def price(self, column: int, rows: list[int]) -> Price:
        cells = self.data.cells[column]
        known = [cells[r] for r in rows if cells[r] is not None]
        lost = self.rules.penalty > 0 and len(known) < len(rows)
        if self.data.kinds[column] != "levels" or len(set(known)) + lost < 3:
            return Price(0, 0.0, 0.0, 1.0, "free")
        sizes = {v: self.weigh([r for r in rows if cells[r] == v]) for v in set(known)}
        all_rows = sum(sizes.values())
        single = sum(n for n in sizes.values() if n <= 1) if len(sizes) > 2 else 0
        coverage, k = (all_rows - single) / all_rows, len(sizes) + lost
        n = float(self.weigh(rows))
        if self.rules.criterion == "variance":
            return Price(k, self.deviance(rows), -2.0 * 0.6931471805599453 / n, coverage, "variance", lost)
        total = sum(self.vector(rows)[:-1])
        each = self.factor * float(total) / n
        if self.rules.criterion != "gini":
            return Price(k, 0.0, each, coverage, "entropy", lost)
        bits = -(sum(self.f(c) for c in self.vector(rows)[:-1]) - self.f(total))
        impurity = float((total << self.shift) - self.score(rows, middle=0))
        return Price(k, impurity, each / float(bits) if bits > 0 else math.inf, coverage, "gini", lost)

    def bits(self, rows: list[int]) -> float:
        """The entropy of the classes, rounded up by what whole numbers can be off."""
        v = self.vector(rows)[:-1]
        return (self.f(sum(v)) - sum(self.f(c) for c in v) + 2 * len(v) + 4) / self.factor / sum(v)

    def deviance(self, rows: list[int]) -> float:
        """The sum of squared deviations, as the kernels round it."""
        total, n = self.vector(rows)
        middle = int(total / n) if abs(total) < 2**50 else total // n
        squares = sum(self.data.rows[r] * (self.data.target[r] - middle) ** 2 for r in rows)
        rest = float(total - n * middle)
        return max(float(squares) - rest * rest / float(n), 0.0)

    def settle(self, best: Split, column: int, rows: list[int]) -> None:
        """The group of the lowest level present is the first branch."""
        if self.data.kinds[column] != "levels":
            return
        cells = self.data.cells[column]
        lowest = min((cells[r], i) for i, r in enumerate(rows) if cells[r] is not None)[1]
        if best.sides[lowest]:
            best.sides = [1 - s for s in best.sides]
            best.missing = 1 - best.missing
        if not any(cells[r] is None for r in rows):
            sizes = [self.weigh([r for r, s in zip(rows, best.sides, strict=True) if s == b]) for b in (0, 1)]
            best.missing = int(sizes[0] < sizes[1])

    def multiway(self, column: int, rows: list[int]) -> Split | None:
        cells, middle = self.data.cells[column], self.middle(rows)
        known = sorted({cells[r] for r in rows if cells[r] is not None})
        away = [r for r in rows if cells[r] is None]
        groups = {v: [r for r in rows if cells[r] == v] for v in known}
        large = sum(self.weigh(g) >= self.rules.min_leaf for g in groups.values())
        alone = bool(away) and self.weigh(away) >= self.rules.min_leaf
        if large + alone < 2:
            return None
        best_key, best_v = None, None
        if not away:
            best_key = self.score(*groups.values(), middle=middle)
            best_v = max(known, key=lambda v: (self.weigh(groups[v]), -v))
        for v in known if away and large >= 2 else []:
            own = [g + away if u == v else g for u, g in groups.items()]
            key = self.score(*own, middle=middle)
            if best_key is None or key > best_key:
                best_key, best_v = key, v
        k = self.data.k[column]
        if alone:
            key = self.score(*groups.values(), away, middle=middle)
            if best_key is None or key > best_key:
                best_key, best_v = key, k
        sides = [best_v if cells[r] is None else cells[r] for r in rows]
        return self.finish(Split(column, best_key, math.nan, sides, k + (best_v == k), best_v, 0.0), rows, 0)

    def finish(self, split: Split, rows: list[int], cuts: int) -> Split | None:
        middle = self.middle(rows)
        by = [[r for r, s in zip(rows, split.sides, strict=True) if s == b] for b in range(split.branches)]
        split.net = split.gain = self.gain(self.score(*by, middle=middle), rows, middle)
        if split.paid:  # groups that do not pay for their own description are none
            split.key = max(split.key, 0.0) if self.rules.criterion == "variance" else split.key
            split.net = self.gain(split.key, rows, middle)
            if not split.net > 0:
                return None
        if not self.data.classes:
            return split
        n = sum(self.vector(rows)[:-1])
        if self.rules.penalty and self.data.kinds[split.column] != "levels":
            split.net -= self.rules.penalty * log2_whole(float(cuts)) / float(self.weigh(rows))
            if self.rules.stop_at_zero and not split.net > 0:
                return None
        sizes = [0] * split.branches
        for r, s in zip(rows, split.sides, strict=True):
            sizes[s] += self.data.score[r]
        info = self.f(n) - sum(self.f(s) for s in sizes)
        split.ratio = split.net / (float(info) / self.factor / float(n)) if info > 0 else 0.0
        return split

    def choose(self, rows: list[int]) -> Split | None:
        splits = [s for j in range(len(self.data.cells)) if (s := self.best_of(j, rows)) is not None]
        if not splits:
            return None
        if self.rules.criterion == "ratio":
            total = 0.0
            for s in splits:
                total += s.net
            guard = total / len(splits) - 1e-3
            best = max((s for s in splits if s.net >= guard), key=lambda s: (s.ratio, -s.column))
        else:
            best = max(splits, key=lambda s: (s.key, -s.column))
        if self.rules.stop_at_zero and not best.net > 0:
            return None
        share = float(self.weigh(rows)) / float(sum(self.data.rows))
        return best if best.gain * share >= self.rules.min_decrease else None

    def grow(self, rows: list[int] | None = None, depth: int = 0) -> Node:
        d = self.data
        rows = list(range(len(d.target))) if rows is None else rows
        counts = [sum(d.rows[r] for r in rows if d.target[r] == c) for c in range(d.classes)]
        node = Node(counts if d.classes else [self.weigh(rows), self.vector(rows)[0]])
        n = self.weigh(rows)
        pure = d.classes and len({d.target[r] for r in rows}) < 2
        if depth >= self.rules.max_depth or n < self.rules.min_split or n < 2 * self.rules.min_leaf or pure:
            return node
        if d.classes and self.bits(rows) < self.rules.min_entropy:
            return node
        node.split = self.choose(rows)
        if node.split is not None:
            for b in range(node.split.branches):
                below = [r for r, s in zip(rows, node.split.sides, strict=True) if s == b]
                node.children.append(self.grow(below, depth + 1))
        return node


def cut_between(low: float, high: float) -> float:
    """Midpoint of two values; where it rounds onto the lower one, the upper one."""
    middle = 0.5 * low + 0.5 * high
    return middle if middle > low else high


def preorder(node: Node) -> list[Node]:
    """Return all nodes depth first."""
    return [node, *(n for child in node.children for n in preorder(child))]


def shape(n_children: list[int]) -> tuple[list[int], list[int]]:
    """Return parent, and all branches node by node, of a tree in preorder, read with a stack."""
    parent: list[int] = []
    waiting = [-1]  # one entry for each branch that is still to come: the node it belongs to
    for node, branches in enumerate(n_children):
        parent.append(waiting.pop())
        waiting += [node] * branches
    assert not waiting
    return parent, sorted(range(1, len(parent)), key=lambda node: (parent[node], node))
