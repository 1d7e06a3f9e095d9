"""Scorecard fit, last steps: pairs of columns (interactions), rounding to integer points, standard errors.

In this order: search for pairs (entry `add_pairs()`); integer points and joined lines (`joined`,
`parts_of`); standard errors of the points and their covariance (`spread_of`). line, link, piece, strength,
worth: as in `rounds.py`; bend = curvature of the loss on a line; coarse = with at most COARSE lines; price
= evidence that a pair must bring because it was chosen among many.
A pair is screened by the residuals on the joint lines of two coarse columns, taken into the card, and
dropped again unless its worth exceeds the price. Columns with the same coarse codes count as one: their
pairs would share the evidence, and none would be kept. Law: of equals the pair that comes first in the
order of the columns.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.kernels.check import Room
from tallystick.parallel import each_in_order
from tallystick.schema import Schema
from tallystick.scorecard.model import (
    LN2,
    CardSpread,
    LevelAxis,
    LinePoints,
    PairAxis,
    PairPoints,
    Part,
    RangeAxis,
    WordAxis,
    WordPoints,
)
from tallystick.scorecard.quadratic import CardPiece, PairResiduals, QuadraticPoint, pair_piece
from tallystick.scorecard.rounds import Ending, OneWay, Rounds, State

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
COARSE = 8  # lines of a column in a pair, missing not counted
BATCHES = 3  # in which pairs are taken into the card
STRENGTHS = (0.03, 0.1, 0.3, 1.0, 3.0)  # prior variances tried when a pair is screened
ENTER = 0.5  # nats of evidence predicted by screening from which a pair is tried
COLUMNS = 60  # columns that are paired at most, those of most worth first
CLOSER = 48  # pairs that pass the rough screening and get the exact one
SAME = 0.95  # part of the rows of each line of a column that are on one line of another, from which the one
# counts as a copy of the other; 1 would miss rounded copies


@dataclass(frozen=True)
class PairedColumn:
    """A column that may be paired: its coarse axis, and the rows on its lines."""

    piece: int
    axis: RangeAxis | LevelAxis
    rows: Array


@dataclass(frozen=True)
class FoundPair:
    """A pair that promises `gain` nats at a strength."""

    gain: float
    first: int
    second: int
    strength: float
    piece: CardPiece


def add_pairs(
    rounds: Rounds, state: State, bends: Array, counts: Array, most: int
) -> Generator[Any, Any, tuple[State, dict[str, str]]]:
    """Return the card with at most so many pairs, where any pays, and the columns that repeat another, with
    that. bends[line, link], counts[line]: curvature and rows of the lines of the card.
    """
    columns = candidates(state, bends.sum(axis=1), counts)
    repeats: dict[int, int] = {}
    tried: set[tuple[int, int]] = set()
    batch = -(-most // BATCHES)
    for first in (True, *[False] * (BATCHES - 1)):
        have = sum(piece.is_pair for piece in state.pieces)
        open_pairs = [
            p
            for p in combinations(range(len(columns)), 2)
            if p not in tried and p[0] not in repeats and p[1] not in repeats
        ]
        if have >= most or not open_pairs:
            break
        found, tables = yield from screened(rounds, state, columns, open_pairs)
        if first:
            repeats = repeating(tables)
            found = [one for one in found if one.first not in repeats and one.second not in repeats]
        alone = len(columns) - len(repeats)
        price = 1.0 + math.log(max(alone * (alone - 1) // 2, 1))
        chosen = [one for one in found if one.gain > ENTER][: min(batch, most - have)]
        del found, tables  # the covariances of all of them
        if not chosen:
            break
        tried |= {(one.first, one.second) for one in chosen}
        better = (yield from rounds.run(with_pairs(state, chosen)))[0]
        kept = paying(better, price)
        # Pairs of columns that are nearly one share the evidence, and none of them pays beside the others:
        # where no new one pays, the worst goes alone, and the rest is asked again.
        while pairs_of(better, kept) <= have < pairs_of(better):
            worst = min(
                (worth, -j)
                for j, (p, worth) in enumerate(zip(better.pieces, better.worth, strict=True))
                if p.is_pair
            )
            better = without(better, [j != -worst[1] for j in range(len(better.pieces))])
            if pairs_of(better) <= have:
                break
            better = (yield from rounds.run(better))[0]
            kept = paying(better, price)
        if pairs_of(better) <= have:
            continue
        if not all(kept):
            better = (yield from rounds.run(without(better, kept)))[0]
        state = better
    names = [state.pieces[column.piece].name for column in columns]
    return state, {names[copy]: names[of] for copy, of in sorted(repeats.items())}


def paying(state: State, price: float) -> list[bool]:
    """Return which pieces stay: all but the pairs that are not worth the price."""
    return [not p.is_pair or worth > price for p, worth in zip(state.pieces, state.worth, strict=True)]


def pairs_of(state: State, kept: Sequence[bool] | None = None) -> int:
    """Return how many pairs a card has, of the pieces that are kept."""
    return sum(p.is_pair for j, p in enumerate(state.pieces) if kept is None or kept[j])


def repeating(tables: Mapping[tuple[int, int], Array]) -> dict[int, int]:
    """Return the columns that have the coarse codes of an earlier one, with the first such. tables[pair]:
    what lies on each line of the one and the other [first, second].
    """
    out: dict[int, int] = {}
    for (a, b), held in sorted(tables.items()):
        if a in out or b in out:
            continue
        rows, others = np.flatnonzero(held.any(axis=1)), np.flatnonzero(held.any(axis=0))
        best = held[rows].argmax(axis=1)  # the line of the other column that goes with each
        own = np.maximum(held.sum(axis=1)[rows], held.sum(axis=0)[best])
        if (
            len(rows) > 1
            and sorted(best.tolist()) == others.tolist()
            and (held[rows, best] >= SAME * own).all()
        ):
            out[b] = a
    return out


def with_pairs(state: State, chosen: Sequence[FoundPair]) -> State:
    """Return the state with pairs that have no points yet."""
    pieces = [one.piece for one in chosen]
    strengths = [
        np.full(len(p.covariances), one.strength / len(p.covariances))
        for one, p in zip(chosen, pieces, strict=True)
    ]
    more = np.zeros((sum(p.lines for p in pieces), state.f.shape[1]))
    return state.with_pieces(
        (*state.pieces, *pieces), (*state.strengths, *strengths), np.concatenate([state.f, more])
    )


def without(state: State, kept: Sequence[bool]) -> State:
    """Return the state without some pieces."""
    at = [j for j, keep in enumerate(kept) if keep]
    lines = [state.f[state.part(j)] for j in at]
    f = np.concatenate(lines) if lines else np.zeros((0, state.f.shape[1]))
    return replace(state, worth=()).with_pieces(
        [state.pieces[j] for j in at], [state.strengths[j] for j in at], f
    )


def candidates(state: State, bends: Array, counts: Array) -> list[PairedColumn]:
    """Return the columns that may be paired, in their order: those of most worth where there are too many.
    bends[line], counts[line].
    """
    out = []
    for j, piece in enumerate(state.pieces):
        axis, part = piece.axes[0], state.part(j)
        if piece.monotone or not isinstance(axis, RangeAxis | LevelAxis):
            continue
        coarse, lines = coarsened(axis, bends[part], counts[part])
        rows = np.zeros(coarse.size)
        np.add.at(rows, lines, counts[part])
        if np.count_nonzero(rows) > 1:
            out.append(PairedColumn(j, coarse, rows))
    if len(out) > COLUMNS:
        best = sorted(range(len(out)), key=lambda i: (-state.worth[out[i].piece], i))[:COLUMNS]
        out = [out[i] for i in sorted(best)]
    return out


def line_bends(spot: QuadraticPoint) -> Array:
    """Return the curvature of each line [line, link]."""
    parts = zip(spot.curvature, spot.weight.tolist(), spot.cross, strict=True)
    return np.stack([np.diag(matrix) + weight * cross * cross for matrix, weight, cross in parts], axis=1)


def coarsened(axis: RangeAxis | LevelAxis, bends: Array, rows: Array) -> tuple[RangeAxis | LevelAxis, Whole]:
    """Return an axis of at most COARSE known lines, and which of them each line becomes.

    Ranges are joined to equal shares of curvature, which is where the rows are still to be separated;
    of levels those with most of it stand for themselves, the others together.
    """
    known = axis.known
    if isinstance(axis, RangeAxis):
        group = np.arange(known)
        if known > COARSE:
            before = np.concatenate([[0.0], np.add.accumulate(bends[:known])])
            middle = before[:-1] + 0.5 * bends[:known]
            group = np.minimum((COARSE * middle / max(before[-1], 1e-300)).astype(np.int64), COARSE - 1)
        starts = np.flatnonzero(np.diff(group)) + 1
        short = RangeAxis(axis.name, tuple(axis.cuts[i - 1] for i in starts.tolist()))
        line = short.within(axis)
        assert line is not None
        return short, line.astype(np.int64)
    line = np.arange(known)
    if known > COARSE:
        first = np.argsort(-bends[:known], kind="stable")
        line = np.full(known, COARSE - 1)
        line[np.sort(first[: COARSE - 1])] = np.arange(COARSE - 1)
    coarse = LevelAxis(axis.name, tuple(int(line[i]) for i in axis.line))
    return coarse, np.array([*line.tolist(), coarse.known, coarse.known + 1], np.int64)


def screened(
    rounds: Rounds, state: State, columns: Sequence[PairedColumn], pairs: Sequence[tuple[int, int]]
) -> Generator[Any, Any, tuple[list[FoundPair], dict[tuple[int, int], Array]]]:
    """Return what each pair promises, the best first, and its curvature on the lines of both."""
    known, axes = rounds.known, tuple(c.axis for c in columns)
    sample = rounds.sample(state.layout.lines)
    total = yield PairResiduals(
        state.layout, state.theta, known.bits, known.copies, axes, tuple(pairs), sample
    )
    unit = known.factor * 2.0**-known.bits * sample.every
    tables, rough = read_tables(total, unit, rounds.bend)
    closer = sorted(range(len(pairs)), key=lambda i: (rough[i], i))[:CLOSER]

    def one(i: int) -> FoundPair | None:
        return _found(columns, pairs[i], tables[i], rounds.share)

    out = [found for found in each_in_order(one, sorted(closer), rounds.threads) if found is not None]
    best = sorted(out, key=lambda one: (-one.gain, one.first, one.second))
    return best, {pair: tables[i][1].sum(axis=0) for i, pair in enumerate(pairs)}


def read_tables(
    total: Sequence[Whole], unit: float, bend: float
) -> tuple[dict[int, tuple[Array, Array]], dict[int, float]]:
    """Return gradient and curvature of each pair, and minus what it promises by a rough measure; pairs with
    as many lines are read together.
    """
    alike: dict[tuple[int, ...], list[int]] = {}
    for i, table in enumerate(total):
        alike.setdefault(table.shape, []).append(i)
    tables: dict[int, tuple[Array, Array]] = {}
    rough: dict[int, float] = {}
    for places in alike.values():
        whole = np.stack([total[i] for i in places])
        g, h = whole[:, 0] * unit, whole[:, 1] * (unit * bend)
        worth = (g * g / (h + 1.0)).reshape(len(places), -1).tolist()
        for i, own_g, own_h, parts in zip(places, g, h, worth, strict=True):
            tables[i], rough[i] = (own_g, own_h), -math.fsum(parts)
    return tables, rough


def _found(
    columns: Sequence[PairedColumn], pair: tuple[int, int], table: tuple[Array, Array], share: float
) -> FoundPair | None:
    """Return what a pair promises; None where its columns have nothing to add together."""
    a, b = columns[pair[0]], columns[pair[1]]
    piece = pair_piece(PairAxis(a.axis, b.axis), a.rows, b.rows)
    if piece is None:
        return None
    gain, strength = promise(piece, *table, share)
    return FoundPair(gain, *pair, strength, piece)


def promise(piece: CardPiece, gradient: Array, bends: Array, share: float) -> tuple[float, float]:
    """Return the most evidence that a pair promises, and at which strength; gradient, bends [link, first,
    second].
    """
    g, h = gradient.reshape(len(gradient), -1), bends.reshape(len(bends), -1)
    best = (-math.inf, STRENGTHS[0])
    for covariance in piece.covariances:
        gains = [0.0] * len(STRENGTHS)
        for one, bend in zip(g, h, strict=True):
            at = np.flatnonzero(bend > 1e-9)
            root = np.sqrt(bend[at])
            y = one[at] / root
            length, unit = kernels.dot(y, y), np.eye(len(at))
            inner = root[:, None] * covariance[np.ix_(at, at)] * root[None, :]
            for i, strength in enumerate(STRENGTHS):
                factor, _ = kernels.cholesky(np.ascontiguousarray(strength * inner + unit))
                fit = length - kernels.dot(kernels.cholesky_solve(factor, y), y)
                logs = math.fsum(kernels.log(np.diag(factor).copy()).tolist())
                gains[i] += 0.5 * share * (fit - 2.0 * logs)
        top = max(range(len(gains)), key=lambda i: (gains[i], -i))
        if gains[top] > best[0]:
            best = (gains[top], STRENGTHS[top])
    return best


# ---- from points in log-odds to integer points: joining lines, rounding, the parts of the model ----
#
# Law: what is rounded is the value of a line, so rising points still rise; neighbouring ranges with the same
# whole points are one line.

FINER = (
    1,
    2,
    5,
    10,
    20,
    50,
    100,
    200,
    500,
    1000,
)  # factors on the requested scale, tried until rounding costs at most COST
COST = 0.002  # mean log-loss that rounding may cost
SURE = 0.01  # least curvature per row, so that lines are not joined only because their shares are near 0 or 1
WASTE = 0.1  # nats that joining lines may cost over the whole card


@dataclass(frozen=True)
class Smooth:
    """Points before rounding: f[line, link] with class means taken out, and constant[link], both in
    log-odds. ways: lines whose points only rise or fall.
    """

    f: Array
    constant: Array
    ways: tuple[OneWay, ...] = ()

    @classmethod
    def of(cls, state: State) -> Smooth:
        """Return the points of a state; of several classes only differences count, so each line has a
        mean of 0.
        """
        if state.f.shape[1] == 1:
            return cls(state.f, state.constant, state.ways)
        means = np.array([math.fsum(row) for row in state.f.tolist()]) / state.f.shape[1]
        constant = state.constant - math.fsum(state.constant.tolist()) / len(state.constant)
        return cls(state.f - means.reshape(-1, 1), constant, state.ways)

    def rounded(self, step: int) -> tuple[Whole, Whole]:
        """Return whole points [line, link] and base [link]; halves go to the even number."""
        scale = step / LN2
        points = np.rint(self.f * scale).astype(np.int64)
        for way in self.ways:
            points[way.lines] = way.whole(self.f, scale)
        return points, np.rint(self.constant * scale).astype(np.int64)


def unrounded(points: Whole, base: Whole, step: int) -> tuple[Array, Array]:
    """Return whole points and base in log-odds."""
    return points.astype(np.float64) * (LN2 / step), base.astype(np.float64) * (LN2 / step)


def joined(state: State, smooth: Smooth, bends: Array, rows: Array) -> Smooth:
    """Return points in which neighbouring ranges that hardly differ are alike, cheapest first, as long as
    all of it costs next to nothing. bends[line, link]: curvature of each line; rows[line].
    """
    f, spent = smooth.f.copy(), 0.0
    weight = np.maximum(bends, SURE * rows.reshape(-1, 1))
    for way in state.ways:  # one mean for all links, or differences would no longer go their way
        means = [math.fsum(own) / len(own) for own in weight[way.lines].tolist()]
        weight[way.lines] = np.array(means).reshape(-1, 1)
    all_rows = math.fsum(rows[: state.pieces[0].lines].tolist()) if state.pieces else 0.0
    most = min(WASTE, COST / 8 * all_rows)
    runs: list[
        list[int]
    ] = []  # lines with the same points, neighbours side by side; an empty one ends a column
    for j, piece in enumerate(state.pieces):
        axis, start = piece.axes[0], state.starts[j]
        if isinstance(axis, RangeAxis):
            runs += [*([start + i] for i in range(axis.known)), []]
    costs = [_joining(f, weight, a, b) for a, b in pairwise(runs)]
    while costs:
        i = min(range(len(costs)), key=costs.__getitem__)
        if spent + costs[i] >= most:
            break
        spent += costs[i]
        a, b = runs[i], runs[i + 1]
        together = np.maximum(weight[a[0]] + weight[b[0]], 1e-300)
        f[a + b] = (weight[a[0]] * f[a[0]] + weight[b[0]] * f[b[0]]) / together
        weight[a + b] = together
        runs[i : i + 2] = [a + b]
        del costs[i]
        for k in (i - 1, i):
            if 0 <= k < len(costs):
                costs[k] = _joining(f, weight, runs[k], runs[k + 1])
    return replace(smooth, f=f)


def _joining(f: Array, weight: Array, a: Sequence[int], b: Sequence[int]) -> float:
    """Return what it costs to give two runs of lines the same points."""
    if not a or not b:
        return math.inf
    wa, wb, change = weight[a[0]], weight[b[0]], f[a[0]] - f[b[0]]
    return 0.5 * math.fsum((wa * wb / np.maximum(wa + wb, 1e-300) * change * change).tolist())


def parts_of(
    state: State, points: Whole, counts: Whole, schema: Schema
) -> tuple[list[Part], list[list[list[int]]]]:
    """Return the parts of the card, and for each of their lines the lines of the state that it is made of."""
    parts: list[Part] = []
    places: list[list[list[int]]] = []
    for j, piece in enumerate(state.pieces):
        at = state.part(j)
        own, rows, axis = points[at], counts[at], piece.axes[0]
        if not own.any():
            continue
        made = [[i] for i in range(len(own))]
        if isinstance(axis, WordAxis):
            words = [a.word for a in piece.axes if isinstance(a, WordAxis)]
            said = [i for i in range(len(words)) if own[2 * i + 1].any()]
            at_words = [2 * i + 1 for i in said]
            size = len(schema[piece.name].words)
            parts.append(
                WordPoints(piece.name, tuple(words[i] for i in said), own[at_words], rows[at_words], size)
            )
            made = [[i] for i in at_words]
        elif isinstance(axis, PairAxis):
            parts.append(PairPoints(axis, own, rows))
        elif isinstance(axis, LevelAxis):
            parts.append(LinePoints(axis, own, rows))
        else:
            lines, made = ranges_of(axis, own, rows)
            parts.append(lines)
        places.append([[at.start + i for i in line] for line in made])
    return parts, places


def ranges_of(axis: RangeAxis, points: Whole, rows: Whole) -> tuple[LinePoints, list[list[int]]]:
    """Return ranges with neighbours of the same points as one line, and the lines that each is made of."""
    change = (points[1 : axis.known] != points[: axis.known - 1]).any(axis=1)
    starts = np.concatenate([[0], np.flatnonzero(change) + 1])
    cuts = tuple(axis.cuts[i - 1] for i in starts[1:].tolist())
    made = [list(range(a, b)) for a, b in pairwise([*starts.tolist(), axis.known])]
    kept = np.concatenate([points[starts], points[-1:]])
    together = np.concatenate([np.add.reduceat(rows[: axis.known], starts, axis=0), rows[-1:]])
    return LinePoints(RangeAxis(axis.name, cuts), kept, together), [*made, [axis.known]]


# ---- standard errors of the points and their covariance, from the curvature at the end of the fit ----
#
# The covariance of the points is S S', S being the directions times the inverse of their Cholesky factor; the
# base follows the lines and has a variance of its own. The file keeps a low-rank approximation: a pivoted
# Cholesky factorisation of S S', the lines with most rows first, which is exact at full rank.

NUMBERS = 32_768  # entries of the factor in a file at most
SPREAD_SAME = 1e-4  # part of the largest variance (weighted by rows) below which no direction is added
FINE = 64  # the unit of factors is this part of the base's standard error
RARE = 1e-6  # share of the rows that a line without any gets as weight
DIGITS = 4  # significant digits of a standard error


def spread_of(
    ending: Ending, places: Sequence[Sequence[Sequence[int]]], shares: Array, step: int, room: Room
) -> tuple[tuple[Array, ...], CardSpread]:
    """Return the standard errors [line, link] of each part, and how they go together.

    places[part][line]: the lines, as they were learnt, that a line of the card is made of; shares[line]: of
    those, of all rows. room: makes the matrices.
    """
    lines = [line for part in places for line in part]
    most = max(1, NUMBERS // (len(ending.optima) * (len(lines) + 1)))
    weights = np.maximum([1.0, *(math.fsum(shares[list(line)].tolist()) for line in lines)], RARE)
    errors, factors = [], []
    for k, one in enumerate(ending.optima):
        roots = one.roots(room)
        whole = room((len(lines) + 1, roots.shape[1] + 1), np.float64)
        whole[0], whole[1:, -1] = base_root(roots, ending.spot, k), 0.0
        for i, line in enumerate(lines):
            whole[i + 1, :-1] = mean_root(roots, line, shares)
        del roots
        whole *= step / LN2
        errors.append(np.array([math.sqrt(kernels.dot(row, row)) for row in whole]))
        factors.append(leading(whole, weights, most))
    known = rounded(np.stack(errors, axis=1), DIGITS)
    units = rounded(known[0] / FINE, DIGITS)
    in_units = tuple(np.rint(f / unit).astype(np.int64) for f, unit in zip(factors, units, strict=True))
    ends = np.cumsum([1, *(len(part) for part in places)])
    by_part = tuple(np.split(known, ends[:-1])[1:]) if places else ()
    return by_part, CardSpread(known[0], units, in_units)


def base_spread(weight: Array, step: int) -> CardSpread:
    """Return the spread of a card that is its base alone; weight[link]: its curvature."""
    errors = rounded(step / LN2 / np.sqrt(np.maximum(weight, 1e-9)), DIGITS)
    return CardSpread(errors, errors / FINE, tuple(np.zeros((0, 1), np.int64) for _ in errors))


def base_root(roots: Array, spot: QuadraticPoint, link: int) -> Array:
    """Return the root [direction + 1] of the base, which follows all lines, roots [line, direction], and has
    a direction of its own.
    """
    follow = kernels.product(np.ascontiguousarray(spot.cross[link][None, :]), roots)[0]
    return np.append(-follow, 1.0 / math.sqrt(spot.weight[link]))


def mean_root(roots: Array, lines: Sequence[int], shares: Array) -> Array:
    """Return the root of lines that became one: their mean over the rows."""
    if len(lines) == 1:
        own: Array = roots[lines[0]]
        return own
    weight = shares[list(lines)]
    total = math.fsum(weight.tolist())
    weight = weight / total if total else np.full(len(lines), 1.0 / len(lines))
    mean: Array = kernels.product(weight[None, :], np.ascontiguousarray(roots[list(lines)]))[0]
    return mean


def leading(roots: Array, weights: Array, most: int) -> Array:
    """Return at most so many directions [direction, line] of roots roots', those that the rows meet most
    first; weights[line].
    """
    left = np.array([kernels.dot(row, row) for row in roots])
    enough = SPREAD_SAME * float((weights * left).max(initial=0.0))
    found = np.zeros((0, len(roots)))
    while len(found) < most:
        j = int(np.argmax(weights * left))
        if weights[j] * left[j] <= enough:
            break
        column = _by(roots, roots[j])
        if len(found):
            column = column - _by(np.ascontiguousarray(found.T), found[:, j])
        column = column / math.sqrt(left[j])
        left = np.maximum(left - column * column, 0.0)
        left[j] = 0.0
        found = np.concatenate([found, column[None, :]])
    return found


def _by(matrix: Array, vector: Array) -> Array:
    return kernels.product(matrix, np.ascontiguousarray(vector[:, None]))[:, 0]


def rounded(values: Array, digits: int) -> Array:
    """Return numbers to so many digits that count: a file is shorter, and no wiser number stands in it."""
    flat = [float(f"{x:.{digits}g}") + 0.0 for x in values.ravel().tolist()]
    return np.array(flat).reshape(values.shape)
