"""Pairs of columns that say together what neither says alone: looked for by sums, kept where the evidence
pays.

A pair is screened by what is left of the rows' residuals on the joint lines of two coarse columns, taken
into the card, and dropped again unless the evidence it brings pays for having been looked for among so
many. Columns with the same coarse codes are one column here: their pairs would share the evidence, so that
none of them paid. Knows rounds and sums. Knows nothing of rows. Law: of equals the pair that comes first in
the order of the columns.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.threads import each_in_order
from tallystick.learners.scorecard.priors import CardPiece, pair_piece
from tallystick.learners.scorecard.quadratic import Spot
from tallystick.learners.scorecard.rounds import Rounds, State
from tallystick.models.scorecard.axes import LevelAxis, PairAxis, RangeAxis
from tallystick.stats.cards import PairResiduals

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
COARSE = 8  # lines of a column in a pair, missing not counted
BATCHES = 3
STRENGTHS = (0.03, 0.1, 0.3, 1.0, 3.0)  # tried when a pair is screened
ENTER = 0.5  # nats that a pair must promise to be tried
COLUMNS = 60  # the most that are paired, those of most worth first
CLOSER = 48  # pairs that are looked at closely, by a rough measure
SAME = 0.95  # of what lies on each line of a column on one line of another: a copy that was rounded has less
# than all there


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


def line_bends(spot: Spot) -> Array:
    """Return the curvature of each line [line, link]."""
    parts = zip(spot.curvature, spot.weight.tolist(), spot.cross, strict=True)
    return np.stack([np.diag(matrix) + weight * cross * cross for matrix, weight, cross in parts], axis=1)


def coarsened(axis: RangeAxis | LevelAxis, bends: Array, rows: Array) -> tuple[RangeAxis | LevelAxis, Whole]:
    """Return an axis of at most COARSE known lines, and which of them each line becomes.

    Ranges are joined to equal shares of curvature, which is where the rows still have to be told apart;
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
    """Return what a pair promises; None where its columns have nothing to tell together."""
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
