"""Conditions on columns: least Boolean expressions, tests as sentences, and when a class is answered.

Parts: exact two-level minimisation, entry `least()`; a test of a tree in words, entry `condition()`; rules as
the least disjunction for a class, entry `disjunction()`.
cube = some variables fixed, the others free: an entry of an array of n axes of length 3 (0 false, 1 true,
2 free); way = one assignment of all variables; prime = a cube of which no axis can be freed.

Law of the minimisation: for every way that the conditions can be true or false together, the terms hold
just where the function does; no disjunction has fewer terms, and none of as many terms has fewer literals.
Cubes that hold only where the function does, or where it does not matter, are found by joining halves along
each axis. The fewest primes are found by essential primes, dominance, and a search whose bound is a set of
points no two of which one prime covers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import shown
from tallystick.schema import ABSENT, Column, Schema
from tallystick.text import quantity
from tallystick.tree.nodes import NO_CUT, SPREADS, Nodes

MOST_VARIABLES = 12
MOST_STEPS = 20_000  # of the search for the fewest primes; after these the best found so far is returned
Cube = tuple[int, ...]  # 0 false, 1 true, 2 free, of each variable
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Least:
    """Terms, and whether no others are fewer: `proven` is False where the search was given up."""

    terms: tuple[Cube, ...]
    proven: bool = True

    @property
    def literals(self) -> int:
        """How many literals all terms have."""
        return sum(literals(term) for term in self.terms)


def literals(cube: Cube) -> int:
    """Return how many variables a cube fixes."""
    return sum(value < 2 for value in cube)


def least(true: Bools, free: Bools) -> Least:
    """Return the least terms. true, free: of every way (2,) * variables, whether the function holds, and
    whether it does not matter.
    """
    n = true.ndim
    if n > MOST_VARIABLES:
        raise ValueError(f"at most {MOST_VARIABLES} variables, not {n}")
    points = [int(p) for p in np.flatnonzero(true & ~free)]
    if not points:
        return Least(())
    primes = sorted(prime_cubes(true | free), key=lambda cube: (literals(cube), cube))
    bit = {point: 1 << i for i, point in enumerate(points)}
    covers = [sum(bit.get(p, 0) for p in _points(cube)) for cube in primes]
    useful = [(cover, cube) for cover, cube in zip(covers, primes, strict=True) if cover]
    search = _Search([c for c, _ in useful], [literals(cube) for _, cube in useful])
    chosen = search.run((1 << len(points)) - 1)
    terms = sorted((useful[i][1] for i in chosen), key=lambda c: (literals(c), [_rank(v) for v in c]))
    return Least(tuple(terms), search.steps <= MOST_STEPS)


def _rank(value: int) -> int:
    """Return the order of a literal in a list of terms: true, false, free."""
    return (1, 0, 2)[value]


def prime_cubes(allowed: Bools) -> list[Cube]:
    """Return the prime cubes of all ways that are allowed."""
    cubes = allowed
    for axis in range(allowed.ndim):
        both = np.all(np.take(cubes, [0, 1], axis), axis=axis, keepdims=True)
        cubes = np.concatenate([cubes, both], axis=axis)
    prime = cubes.copy()
    for axis in range(allowed.ndim):
        freed = np.take(cubes, [2], axis)
        fixed = np.take(prime, [0, 1], axis) & ~freed
        prime = np.concatenate([fixed, np.take(prime, [2], axis)], axis=axis)
    return [tuple(int(v) for v in cube) for cube in np.argwhere(prime)]


def _points(cube: Cube) -> list[int]:
    """Return the ways that a cube holds in, as numbers whose first variable is the highest bit."""
    out = [0]
    for value in cube:
        out = [2 * p + v for p in out for v in ((0, 1) if value == 2 else (value,))]
    return out


@dataclass
class _Search:
    """The fewest sets that cover all points, of as many those with the fewest literals."""

    covers: list[int]
    prices: list[int]
    best: tuple[int, int] = (1 << 30, 0)  # sets and literals of the best cover so far
    chosen: list[int] = field(default_factory=list)
    steps: int = 0

    def run(self, points: int) -> list[int]:
        """Return the numbers of the chosen sets."""
        self._go(points, list(range(len(self.covers))), [])
        return self.chosen

    def _go(self, points: int, open_: list[int], taken: list[int]) -> None:
        points, open_, taken = self._reduced(points, open_, taken)
        size = len(taken), sum(self.prices[i] for i in taken)
        if size >= self.best:
            return
        if not points:
            self.best, self.chosen = size, taken
            return
        self.steps += 1
        if self.steps > MOST_STEPS and self.chosen:
            return
        more, dear = self._bound(points, open_)
        if (size[0] + more, size[1] + dear) >= self.best:
            return
        point = self._hardest(points, open_)
        ways = [i for i in open_ if self.covers[i] & point]
        ways.sort(key=lambda i: (-(self.covers[i] & points).bit_count(), self.prices[i]))
        for k, i in enumerate(ways):
            rest = [j for j in open_ if j not in ways[: k + 1]]
            self._go(points & ~self.covers[i], rest, [*taken, i])

    def _reduced(self, points: int, open_: list[int], taken: list[int]) -> tuple[int, list[int], list[int]]:
        """Take sets that must be taken, drop those that another does better, until nothing changes."""
        while points:
            open_ = self._undominated(points, open_)
            once, more = 0, 0
            for i in open_:
                more |= once & self.covers[i]
                once |= self.covers[i]
            alone = points & once & ~more
            if not alone:
                break
            must = [i for i in open_ if self.covers[i] & alone]
            for i in must:
                points &= ~self.covers[i]
            taken = [*taken, *must]
            gone = set(must)
            open_ = [i for i in open_ if i not in gone]
        return points, open_, taken

    def _undominated(self, points: int, open_: list[int]) -> list[int]:
        """Return the sets that no other one of at most as many literals holds in full."""
        here = sorted(
            (i for i in open_ if self.covers[i] & points),
            key=lambda i: (-(self.covers[i] & points).bit_count(), self.prices[i], i),
        )
        kept: list[int] = []
        for i in here:
            own = self.covers[i] & points
            if not any(own & ~self.covers[j] == 0 and self.prices[j] <= self.prices[i] for j in kept):
                kept.append(i)
        return kept

    def _bound(self, points: int, open_: list[int]) -> tuple[int, int]:
        """Return sets and literals that are needed at least: points no two of which one set covers."""
        sets = dear = 0
        while points:
            point = self._hardest(points, open_)
            ways = [i for i in open_ if self.covers[i] & point]
            sets += 1
            dear += min((self.prices[i] for i in ways), default=0)
            for i in ways:
                points &= ~self.covers[i]
            points &= ~point
        return sets, dear

    def _hardest(self, points: int, open_: list[int]) -> int:
        """Return the point that the fewest sets cover, of equals the first."""
        left, fewest, found = points, len(open_) + 1, points & -points
        while left:
            point = left & -left
            left ^= point
            ways = sum(1 for i in open_ if self.covers[i] & point)
            if ways < fewest:
                fewest, found = ways, point
        return found


# Tests of a tree in words, with the names of columns and levels.
# Law: a sentence says exactly which values take a branch, missing and unseen ones included; of a column that
# had no missing value in training a footnote says it once for all tests.


def plain_words(text: object) -> str:
    """Return a name with control and direction characters escaped."""
    return shown(text, limit=1_000_000)[1:-1]


@dataclass(frozen=True, slots=True)
class Condition:
    """What a value of one column must be: low <= x < high, or one of some levels; perhaps missing as well.

    levels: the codes allowed, None for a numeric column. missing: whether a missing or unseen value is
    allowed.
    """

    column: Column
    low: float = -np.inf
    high: float = np.inf
    levels: tuple[int, ...] | None = None
    missing: bool = False

    def and_(self, other: Condition) -> Condition:
        """Return the condition that both hold."""
        levels = None
        if self.levels is not None and other.levels is not None:
            levels = tuple(sorted(set(self.levels) & set(other.levels)))
        return replace(
            self,
            low=max(self.low, other.low),
            high=min(self.high, other.high),
            levels=levels,
            missing=self.missing and other.missing,
        )

    def or_(self, other: Condition) -> Condition | None:
        """Return the condition that one of the two holds, or None when no single condition says it."""
        missing = self.missing or other.missing
        if self.levels is not None and other.levels is not None:
            return replace(self, levels=tuple(sorted({*self.levels, *other.levels})), missing=missing)
        if self.never or other.never:
            return replace(other if self.never else self, missing=missing)
        first, second = sorted([self, other], key=lambda c: c.low)
        if first.high < second.low:
            return None
        return replace(self, low=first.low, high=max(first.high, second.high), missing=missing)

    @property
    def never(self) -> bool:
        """Whether no known value is allowed."""
        return not self.levels if self.levels is not None else self.low >= self.high

    @property
    def always(self) -> bool:
        """Whether every known value is allowed."""
        if self.levels is not None:
            return len(self.levels) == len(self.column.levels)
        return bool(np.isneginf(self.low) and np.isposinf(self.high))

    @property
    def names_missing(self) -> bool:
        """Whether the sentence speaks of missing values: not where training had none (`footnote`), nor where
        missing is a level, and told as one.
        """
        return self.missing and self.column.missing > 0 and ABSENT not in self.column.levels

    @property
    def bracketed(self) -> str:
        """The sentence as it stands beside others."""
        return f"({self.sentence()})" if self.names_missing and not self.never else self.sentence()

    def sentence(
        self, widest: int = 0, missing: bool | None = None, name: str | None = None, equals: str = "= "
    ) -> str:
        """Return the condition in words; `widest` > 0 shortens long lists of levels to about that length.

        missing: whether missing values are told of where they are allowed; None: as `names_missing` says.
        name: what to call the column, if not by its own name. equals: what stands before a single level.
        """
        said = self.names_missing if missing is None else missing and self.missing
        tail = " or missing" if said else ""
        name = plain_words(self.column.name) if name is None else name
        if self.never:
            return f"{name} is missing" if self.missing else f"{name} is impossible"
        if self.always and not self.missing:
            return f"{name} is known"
        if self.levels is not None:
            return name + _levels(self.column, self.levels, widest, equals) + tail
        low, high = bound(self.low, self.column), bound(self.high, self.column)
        if np.isneginf(self.low):
            return (f"{name} is known" if np.isposinf(self.high) else f"{name} {high[0]} {high[1]}") + tail
        if np.isposinf(self.high):
            return f"{name} {'≥' if low[0] == '<' else '>'} {low[1]}{tail}"
        return f"{low[1]} {'≤' if low[0] == '<' else '<'} {name} {high[0]} {high[1]}{tail}"

    def to_dict(self) -> dict[str, object]:
        """Return the condition as plain data."""
        out: dict[str, object] = {"column": self.column.name, "missing": self.missing}
        if self.levels is not None:
            return out | {"levels": [self.column.levels[k] for k in self.levels]}
        if self.never:  # no number: there is no range to tell
            return out | {"known": False}
        low = None if np.isneginf(self.low) else self.low
        return out | {"low": low, "high": None if np.isposinf(self.high) else self.high}


def _levels(column: Column, codes: Sequence[int], widest: int, equals: str) -> str:
    """Return ` = a`, ` in {a, b}` or, for ordered levels in one run, ` ≤ b`, ` > b`."""
    names = [plain_words(column.levels[k]) for k in codes]
    if len(names) == 1:
        return f" {equals}{names[0]}"
    if _one_side(column, codes):
        return f" ≤ {names[-1]}" if codes[0] == 0 else f" > {plain_words(column.levels[codes[0] - 1])}"
    text, used = "", 0
    for name in names:
        if widest and text and len(text) + len(name) > widest:
            return f" in {{{text}, … {len(names) - used} more}}"
        text, used = (f"{text}, {name}" if text else name), used + 1
    return f" in {{{text}}}"


def _one_side(column: Column, codes: Sequence[int]) -> bool:
    """Tell whether these are all ordered levels up to one, or all above one, but not all there are."""
    run = bool(codes) and list(codes) == list(range(codes[0], codes[-1] + 1))
    last = len(column.levels) - 1
    return column.kind == "ordered" and run and (codes[0] == 0) != (codes[-1] == last)


def bound(cut: float, column: Column | None = None) -> tuple[str, str]:
    """Return how the values below a cut are written: ("<", cut), or ("≤", the double before it) if that is
    shorter.

    Cuts at observed values (C4.5) are stored as the next double, so that one test, x < cut, serves both.
    """
    before = float(np.nextafter(cut, -np.inf)) if np.isfinite(cut) else cut
    if before == 0 or len(repr(before)) + 4 < len(repr(float(cut))):
        return "≤", number(before, column)
    return "<", number(cut, column)


def number(value: float, column: Column | None = None) -> str:
    """Return a number in at most 12 digits, or a date for a column of dates."""
    return quantity(value, "" if column is None else column.unit, 12)


def condition(schema: Schema, nodes: Nodes, node: int, branch: int) -> Condition:
    """Return what a value must be to take a branch of a node's test."""
    column = schema.used[int(nodes.column[node])]
    missing = int(nodes.missing_branch[node]) == branch
    return tested(column, float(nodes.cut[node]), nodes.levels(node), branch, missing)


def tested(column: Column, cut: float, levels: NDArray[np.int32], branch: int, missing: bool) -> Condition:
    """Return what a value must be to take a branch of a test, at a cut or else by the branch of its level."""
    if cut == NO_CUT:  # every number goes to the first branch
        return Condition(column, missing=missing) if branch == 0 else replace(_lost(column), missing=missing)
    if cut == cut:
        low, high = (-np.inf, cut) if branch == 0 else (cut, np.inf)
        return Condition(column, low, high, missing=missing)
    return Condition(column, levels=tuple(np.flatnonzero(levels == branch).tolist()), missing=missing)


def missing_alone(cut: float, levels: NDArray[np.int32]) -> bool:
    """Say of a test whether its first branch has all known values and its second the missing ones."""
    return cut == NO_CUT or (len(levels) > 0 and not levels.any())


def _lost(column: Column) -> Condition:
    """Return the condition that no number fulfils."""
    return Condition(column, low=np.inf, high=-np.inf)


def reachable(schema: Schema, nodes: Nodes, node: int, branch: int) -> Condition:
    """Return `condition` without the levels, and the missing values, that tests above send elsewhere.

    Cuts, and ordered levels on one side of a level, stay as they are: they list nothing.
    """
    test = condition(schema, nodes, node, branch)
    levels, missing = test.levels, test.missing
    at, up = node, int(nodes.parent[node])
    while up >= 0:
        if nodes.column[up] == nodes.column[node]:
            above = condition(schema, nodes, up, nodes.branches(up).tolist().index(at))
            missing = missing and above.missing
            if levels is not None and above.levels is not None:
                levels = tuple(sorted({*levels} & {*above.levels}))
        at, up = up, int(nodes.parent[up])
    if test.levels is not None and (_one_side(test.column, test.levels) or not (levels or missing)):
        levels = test.levels
    return replace(test, levels=levels, missing=missing)


def away(nodes: Nodes, node: int) -> str:
    """Return what happens to a value that no branch names, when that is not a branch."""
    if nodes.missing_branch[node] == SPREADS:
        return "missing values go down all branches in proportion"
    return "missing values stop here"


def footnote(schema: Schema, nodes: Nodes) -> str:
    """Return where missing values go at tests of columns that had none in training; "" without such tests."""
    tests = [n for n in np.flatnonzero(nodes.column >= 0).tolist() if nodes.missing_branch[n] >= 0]
    silent = [n for n in tests if not schema.used[int(nodes.column[n])].missing]
    if not silent:
        return ""
    way = "the branch of most rows"
    if any(nodes.missing_branch[n] != np.argmax(nodes.weight[nodes.branches(n)]) for n in silent):
        way = "the branch that had most rows before the tree was pruned"  # subtrees were raised
    if len(silent) == len(tests):
        return f"No tested value was missing in training; a missing or new one takes {way}."
    return f"Where a column had no missing value in training, a missing or new one takes {way}."


def fitted(test: Condition, cells: int) -> str:
    """Return a test in at most so many letters: of a long list of levels fewer are named and the others
    counted; then the column's name gives way, for the rest tells branches apart.
    """
    for widest in (60, 40, 20, 1):
        sentence = test.sentence(widest)
        if len(sentence) <= cells:
            return sentence
    rest = test.sentence(1, name="")
    counted = test.levels is not None and len(test.levels) > 1 and len(rest) + 6 > cells
    if counted and test.levels is not None:
        rest = f" in {len(test.levels):,} levels{' or missing' if test.names_missing else ''}"
    name = plain_words(test.column.name)
    name = name if len(name) + len(rest) <= cells else name[: max(cells - len(rest) - 1, 5)] + "…"
    sentence = name + rest if counted else test.sentence(1, name=name)
    return sentence if len(sentence) <= cells else sentence[: cells - 1] + "…"


def rows(units: float, unit: int) -> str:
    """Return a number of rows: whole when it is, else with at most two decimals."""
    value = units / unit
    return f"{int(value):,}" if value == int(value) else f"{value:,.2f}"


# When a class is answered: rules and trees as the least disjunction of conjunctions.
# Law: the expression holds for every known value just where the rules answer the class; conditions that
# exclude each other (x < 3 and x ≥ 5) are known to.


@dataclass(frozen=True)
class ColumnTests:
    """The variables of one column. of[value, variable]: what each kind of value of the column makes of them;
    numbers fall between cuts, levels have what they are.
    """

    column: Column
    tests: tuple[Condition, ...]  # true
    contrary: tuple[Condition, ...]  # false
    values: tuple[float, ...]  # a number of each stretch, or codes
    of: Bools


@dataclass(frozen=True)
class Disjunction:
    """Terms, each conditions that must all hold. proven: no disjunction has fewer terms, or as many and fewer
    literals; False also where there are too many conditions to tell.
    """

    terms: tuple[tuple[Condition, ...], ...]
    proven: bool

    @property
    def conditions(self) -> int:
        """How many conditions all terms have."""
        return sum(len(term) for term in self.terms)

    def __str__(self) -> str:
        if any(not term for term in self.terms):
            return "true"
        return " ∨ ".join("∧".join(map(literal, term)) for term in self.terms) or "false"


def literal(c: Condition) -> str:
    """Return a condition as it stands in an expression: a boolean column by its name, others in brackets."""
    if c.column.kind == "boolean" and c.levels is not None and len(c.levels) == 1:
        return ("" if c.levels[0] else "¬") + plain_words(c.column.name)
    return f"({c.sentence(missing=False)})"


def disjunction(
    rules: Sequence[tuple[tuple[Condition, ...], bool]], default: bool, columns: Sequence[str] = ()
) -> Disjunction | None:
    """Return the least disjunction of the first rule that holds, of (conditions, whether it says yes); None
    where there are more than MOST_VARIABLES distinct conditions. It speaks of known values. columns: names in
    the order in which a term has them.
    """
    place = {name: k for k, name in enumerate(columns)}
    named = sorted(_by_column(rules), key=lambda tests: place.get(tests[0].column.name, len(place)))
    axes = [_axis(tests) for tests in named]
    if sum(len(axis.tests) for axis in axes) > MOST_VARIABLES:
        return None
    n = sum(len(axis.tests) for axis in axes)
    true, free = np.zeros((2,) * n, bool), np.ones((2,) * n, bool)
    wanted = np.zeros([len(axis.values) for axis in axes], bool)  # wanted[value of each column]
    ranges = [range(len(axis.values)) for axis in axes]
    for values in product(*ranges):
        way = tuple(int(v) for axis, i in zip(axes, values, strict=True) for v in axis.of[i])
        if free[way]:
            free[way] = False
            cells = {axis.column.name: axis.values[i] for axis, i in zip(axes, values, strict=True)}
            true[way] = next((says for test, says in rules if _holds(test, cells)), default)
        wanted[values] = true[way]
    found = least(true, free)
    return Disjunction(
        _with_few_levels([_term(cube, axes) for cube in found.terms], axes, wanted), found.proven
    )


def _with_few_levels(
    terms: list[tuple[Condition, ...]], axes: Sequence[ColumnTests], wanted: Bools
) -> tuple[tuple[Condition, ...], ...]:
    """Return the terms without levels that other terms have already: in the least disjunction each term holds
    wherever it may, and a reader wants it where it must. wanted: where a term must hold.
    """
    names = [axis.column.name for axis in axes]

    def holds(term: tuple[Condition, ...]) -> Bools:
        out = np.ones(wanted.shape, bool)
        for c in term:
            at = names.index(c.column.name)
            mask = np.array([_holds((c,), {c.column.name: x}) for x in axes[at].values], bool)
            out &= mask.reshape([-1 if k == at else 1 for k in range(len(axes))])
        return out

    for k in range(len(terms)):
        elsewhere = np.zeros(wanted.shape, bool)
        for other in (*terms[:k], *terms[k + 1 :]):
            elsewhere |= holds(other)
        for j in range(len(terms[k])):
            for level in terms[k][j].levels or ():
                c = terms[k][j]
                fewer = tuple(x for x in c.levels or () if x != level)
                smaller = (*terms[k][:j], replace(c, levels=fewer), *terms[k][j + 1 :])
                if fewer and not (wanted & ~elsewhere & ~holds(smaller)).any():
                    terms[k] = smaller
    return tuple(terms)


def _by_column(rules: Sequence[tuple[tuple[Condition, ...], bool]]) -> list[list[Condition]]:
    """Return the conditions of each column, in the order in which columns are first named."""
    out: dict[str, list[Condition]] = {}
    for test, _ in rules:
        for condition in test:
            out.setdefault(condition.column.name, []).append(condition)
    return list(out.values())


def _axis(tests: list[Condition]) -> ColumnTests:
    column = tests[0].column
    if tests[0].levels is None:
        ends = {end for c in tests if not c.never for end in (c.low, c.high)}
        cuts = sorted(end for end in ends if np.isfinite(end))
        values = (-np.inf, *cuts)
        of = np.array([[x < cut for cut in cuts] for x in values], bool).reshape(len(values), len(cuts))
        low = tuple(Condition(column, high=cut) for cut in cuts)
        return ColumnTests(column, low, tuple(Condition(column, low=cut) for cut in cuts), values, of)
    groups: dict[tuple[int, ...], None] = {}
    every = tuple(range(len(column.levels)))
    for c in tests:
        own = tuple(c.levels or ())
        rest = tuple(k for k in every if k not in own)
        boolean = column.kind == "boolean" and (1,) in (own, rest)
        kept = (1,) if boolean else own if (len(own), own) <= (len(rest), rest) else rest
        if kept and len(kept) < len(every):
            groups.setdefault(kept)
    held = tuple(Condition(column, levels=g) for g in groups)
    rest_of = tuple(Condition(column, levels=tuple(k for k in every if k not in g)) for g in groups)
    of = np.array([[k in g for g in groups] for k in every], bool).reshape(len(every), len(groups))
    return ColumnTests(column, held, rest_of, tuple(map(float, every)), of)


def _holds(test: tuple[Condition, ...], cells: dict[str, float]) -> bool:
    for c in test:
        x = cells[c.column.name]
        if not (c.low <= x < c.high if c.levels is None else int(x) in c.levels):
            return False
    return True


def _term(cube: Cube, axes: Sequence[ColumnTests]) -> tuple[Condition, ...]:
    """Return a cube as conditions, one for each column."""
    out, values = [], iter(cube)
    for axis in axes:
        both: Condition | None = None
        for yes, no in zip(axis.tests, axis.contrary, strict=True):
            value = next(values)
            if value < 2:
                own = yes if value else no
                both = own if both is None else both.and_(own)
        if both is not None:
            out.append(both)
    return tuple(out)
