"""Rounds of learning: sums at the present points, then the optimum and the strengths that they bear out.

Law: the same totals give the same points.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.errors import OptionError
from tallystick.kernels.check import Room
from tallystick.kernels.linear import Curvature, Sums, Together
from tallystick.linear.learner import null_likelihood
from tallystick.linear.prepare import KnownRows
from tallystick.scorecard.model import Axis, LevelAxis, RangeAxis
from tallystick.scorecard.quadratic import (
    ALL_ROWS,
    CardLayout,
    CardPiece,
    CardSums,
    Desk,
    Directions,
    LinkSystem,
    Optimum,
    QuadraticPoint,
    RowSample,
    desks_of,
    over_links,
)

Array = NDArray[np.float64]

Whole = NDArray[np.int64]
BROKEN = 1e-10  # of a step's own spread: a step that goes the wrong way by less is rounding
RIDGE = 1e-12  # of the largest spread


@dataclass(frozen=True)
class OneWay:
    """Lines whose points only rise (sign 1) or only fall (-1); of several links those of one against every
    other.
    """

    lines: slice
    sign: int
    link: int = 0

    def kept(self, f: Array) -> Array:
        """Return f[line, link] with what is left of steps that go the wrong way taken out."""
        own, links = f[self.lines].copy(), f.shape[1]
        if links == 1:
            own = self._run(own)
        else:
            ahead = own[:, self.link : self.link + 1] - own
            own = own[:, self.link : self.link + 1] - self._run(ahead)
        out = f.copy()
        out[self.lines] = own
        return out

    def whole(self, f: Array, scale: float) -> Whole:
        """Return whole points [line, link] of the lines, f being in log-odds: differences are rounded, so
        that none turns round.
        """
        if f.shape[1] == 1:
            return self._run(np.rint(f[self.lines] * scale)).astype(np.int64)
        own = f[self.lines]
        ahead = self._run(np.rint((own[:, self.link : self.link + 1] - own) * scale))
        middle = np.rint(ahead.sum(axis=1, keepdims=True) / f.shape[1])
        out: Whole = (middle - ahead).astype(np.int64)
        return out

    def _run(self, values: Array) -> Array:
        out: Array = self.sign * np.maximum.accumulate(self.sign * values, axis=0)
        return out


def held(found: Sequence[Optimum], ways: Sequence[OneWay]) -> list[Optimum]:
    """Return the optima of all links [link] among the points that go the ways they may."""
    if not ways:
        return list(found)
    steps = [HeldSteps.of(one, ways) for one in found]
    place, signs = _held_steps(ways, len(found))
    gram = np.zeros((len(place), len(place)))
    slack = np.zeros(len(place))
    for k, own in enumerate(steps):
        gram += np.multiply.outer(signs[:, k], signs[:, k]) * own.gram[np.ix_(place, place)]
        slack += signs[:, k] * own.slack[place]
    pull = multipliers(gram, slack)
    vs = []
    for k, (one, own) in enumerate(zip(found, steps, strict=True)):
        by_step = np.zeros(len(own.slack))
        np.add.at(by_step, place, pull * signs[:, k])
        vs.append(one.v + kernels.product(by_step[None, :], own.moves)[0])
    f = np.stack([one.lines_at(v) for one, v in zip(found, vs, strict=True)], axis=1)
    for way in ways:
        f = way.kept(f)
    return [
        replace(one, v=v, f=np.ascontiguousarray(f[:, k]))
        for k, (one, v) in enumerate(zip(found, vs, strict=True))
    ]


@dataclass(frozen=True)
class HeldSteps:
    """The steps of all ways in one link: how v moves where one is held [step, direction], what holding one
    does to the others [step, step], and how far each goes its way by itself [step].
    """

    moves: Array
    gram: Array
    slack: Array

    @classmethod
    def of(cls, one: Optimum, ways: Sequence[OneWay]) -> HeldSteps:
        """Work the steps out at a free optimum."""
        directions, rises = one.directions, []
        for way in ways:
            j = next(
                i for i, part in enumerate(directions.parts) if part.start <= way.lines.start < part.stop
            )
            part, at = directions.parts[j], directions.at[j]
            inner = directions.factors[j][way.lines.start - part.start : way.lines.stop - part.start]
            rows = np.zeros((len(inner) - 1, len(one.scale)))
            rows[:, at] = way.sign * np.diff(inner * one.scale[at], axis=0)
            rises.append(rows[:, one.seen])
        rise = np.ascontiguousarray(np.concatenate(rises))
        half = kernels.product(one.root, np.ascontiguousarray(rise.T))
        moves = kernels.product(np.ascontiguousarray(half.T), one.root)
        gram = kernels.product(rise, np.ascontiguousarray(moves.T))
        slack = kernels.product(rise, np.ascontiguousarray(one.v[:, None]))[:, 0]
        return cls(moves, gram, slack)


def _held_steps(ways: Sequence[OneWay], links: int) -> tuple[Whole, Array]:
    """Return what is held to be at least 0, each a sum over links of one step: which step [held], and with
    which sign in each link [held, link].
    """
    place: list[int] = []
    signs: list[Array] = []
    first = 0
    for way in ways:
        count = way.lines.stop - way.lines.start - 1
        against: list[list[int]] = [[k] for k in range(links) if k != way.link] or [[]]
        for other in against:
            sign = np.zeros(links)
            sign[way.link] = 1.0
            sign[other] = -1.0
            place += range(first, first + count)
            signs += [sign] * count
        first += count
    return np.array(place, np.int64), np.array(signs).reshape(-1, links)


def multipliers(gram: Array, slack: Array) -> Array:
    """Return the least pulls of at least 0 that make slack + gram pulls at least 0, by Lawson's and Hanson's
    active sets: steps join one by one, the worst first, and leave where their pull would be below 0.
    """
    size = np.sqrt(np.maximum(np.diag(gram), 1e-300))
    ridge = RIDGE * float(size.max(initial=0.0)) ** 2
    pull, joined = np.zeros(len(slack)), np.zeros(len(slack), bool)
    open_ = np.diag(gram) > ridge
    for _ in range(3 * len(slack) + 10):
        wrong = np.where(open_ & ~joined, -(slack + kernels.times(gram, pull)) / size, 0.0)
        worst = int(np.argmax(wrong)) if len(wrong) else 0
        if not len(wrong) or wrong[worst] <= BROKEN:
            break
        joined[worst] = True
        pull = _settled(gram, slack, pull, joined, ridge)
        open_[worst] = joined[worst]  # one that leaves at once is held by the others already
    return pull


def _settled(gram: Array, slack: Array, pull: Array, joined: NDArray[np.bool_], ridge: float) -> Array:
    """Return the pulls that put every joined step at exactly 0; those that would fall below 0 leave."""
    out = pull.copy()
    while joined.any():
        at = np.flatnonzero(joined)
        inner = np.ascontiguousarray(gram[np.ix_(at, at)])
        inner.reshape(-1)[:: len(at) + 1] += ridge
        factor, _ = kernels.cholesky(inner)
        wanted = kernels.cholesky_solve(factor, -slack[at])
        below = wanted <= 0.0
        if not below.any():
            out[:] = 0.0
            out[at] = wanted
            return out
        own = out[at]
        part = float((own[below] / np.maximum(own[below] - wanted[below], 1e-300)).min())
        own = own + part * (wanted - own)
        gone = below & (own <= 1e-15 * max(float(own.max(initial=0.0)), 1e-300))
        if not gone.any():
            gone = below & (own <= own[below].min())
        own[gone] = 0.0
        out[at] = own
        joined[at[gone]] = False
    out[:] = 0.0
    return out


ALIKE = 0.3  # directions' worth by which a strength is drawn towards those of its kind
LAMBDA = 0.2  # a strength's prior falls as (1 + strength)^(-LAMBDA / 2): finite where classes are separated
START = 0.3  # the strength a piece begins with, over its covariances
MIN_STRENGTH = 1e-5  # a strength below is 0 from then on
INNER = 2  # times the strengths are improved on the sums of one walk over the rows
MOST = 30  # rounds
ROUGH_TOL, FINAL_TOL = (
    5e-3,
    5e-4,
)  # a change of the evidence, in nats for each number that the rows determine,
# that is none: on the way, and at the end
MAX_STEP_LOG_ODDS = (
    5.0  # log-odds that a line may change by in one round: beyond, the quadratic predicts nothing
)
STEP, MOVED = 0.02, 0.05  # or: of a score, and of a strength
AHEAD = 0.75  # of two steps that go the same way: the second is taken 1 / (1 - ratio) times, so at most four
MOST_STEP = 2.3  # in the logarithm of a strength: about ten times
STILL = 0.01  # a change of strengths after which they are not improved again on the same sums
POLISHED = 1e-3  # a change of points, in log-odds, that is none
SLACK = 0.5  # nats by which a step may miss what was predicted
LEAST = 0.02  # of a step that is still one
MAX_LOG_ODDS = 1e3  # log-odds
BEYOND = 1e9  # log-odds that no rows and no step could come to
SAMPLE_GROWTH = 4  # times the rows, where their curvature is off
SAMPLE, PER_LINE = 16_384, 8  # rows that the curvature is asked of: at least, and for each line


@dataclass(frozen=True)
class State:
    """Points so far in log-odds: f[line, link] and constant[link]; strengths[piece][covariance]."""

    pieces: tuple[CardPiece, ...]
    strengths: tuple[Array, ...]
    f: Array
    constant: Array
    evidence: float = -math.inf
    worth: tuple[float, ...] = ()
    degrees: float = 0.0
    loss: float = math.inf
    passes: int = 0

    @cached_property
    def layout(self) -> CardLayout:
        """The lines of all pieces."""
        return CardLayout(tuple(axis for piece in self.pieces for axis in piece.axes))

    @property
    def theta(self) -> Array:
        """Weights as the sums take them: the constant, then the lines."""
        return np.concatenate([self.constant[None, :], self.f])

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Where the lines of each piece begin."""
        return tuple(int(s) for s in np.cumsum([0, *(p.lines for p in self.pieces)])[:-1])

    def part(self, j: int) -> slice:
        """Return where the lines of a piece lie."""
        return slice(self.starts[j], self.starts[j] + self.pieces[j].lines)

    @cached_property
    def ways(self) -> tuple[OneWay, ...]:
        """The lines whose points only rise or fall."""
        out = []
        for j, piece in enumerate(self.pieces):
            axis = piece.axes[0]
            if piece.monotone and isinstance(axis, RangeAxis | LevelAxis):
                lines = slice(self.starts[j], self.starts[j] + axis.known)
                out.append(OneWay(lines, piece.monotone, piece.link))
        return tuple(out)

    def with_pieces(self, pieces: Sequence[CardPiece], strengths: Sequence[Array], f: Array) -> State:
        """Return other pieces with points of their own."""
        return replace(self, pieces=tuple(pieces), strengths=tuple(strengths), f=f)


class Ending(NamedTuple):
    """Where rounds ended: the sums there, and the optimum of each link. Matrices of lines by lines: who
    holds it holds much memory.
    """

    spot: QuadraticPoint
    optima: list[Optimum]


def share_constants(known: KnownRows, more: float = 0.0) -> Array:
    """Return the constants [link] of the class shares; more: rows that each class is given beside its own."""
    counts = np.maximum(known.classes * known.class_weights + more, 1e-9)
    logs = kernels.log(counts / math.fsum(counts.tolist()))
    return logs[1:] - logs[0] if known.links == 1 else logs - math.fsum(logs.tolist()) / len(logs)


def first_state(pieces: Sequence[CardPiece], known: KnownRows) -> State:
    """Return no points, and the constants of the class shares."""
    strengths = tuple(np.full(len(p.covariances), START / len(p.covariances)) for p in pieces)
    lines = sum(p.lines for p in pieces)
    return State(tuple(pieces), strengths, np.zeros((lines, known.links)), share_constants(known, 0.5))


def no_end() -> OptionError:
    """Return the error of points that grow without bound."""
    return OptionError(
        "the points have no end: l2 or class_weight is too far from 1 for these rows. Bring it nearer."
    )


@dataclass(frozen=True)
class Rounds:
    """How rounds are done. axes: the lines that rows are sampled by; variety: how many kinds of rows they
    have. fixed: strengths stay as they are. settled: a change of the evidence that ends the rounds.
    threads: how many share the work between two questions (None: all cores). room, sums_room: make
    the matrices here, and those of sums, of zeros.
    """

    known: KnownRows
    axes: tuple[Axis, ...] = ()
    variety: float = 0.0
    fixed: bool = False
    settled: float = ROUGH_TOL
    most: int = MOST
    threads: int | None = 1
    room: Room = np.empty
    sums_room: Room = np.zeros

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self.known.facts.classes)

    @property
    def bend(self) -> float:
        """What a link's own curvature is taken for: with more than two classes the others move too."""
        return 1.0 if self.classes == 2 else self.classes / (self.classes - 1.0)

    @property
    def share(self) -> float:
        """The numbers that the links amount to, a link: one of many follows from the others."""
        return 1.0 if self.classes == 2 else (self.classes - 1.0) / self.classes

    def sample(self, lines: int) -> RowSample:
        """Return the rows that the curvature of a card of so many lines is asked of."""
        every = int(min(self.known.rows, self.variety)) // max(SAMPLE, PER_LINE * lines)
        return RowSample(self.axes, every) if every > 1 else ALL_ROWS

    def ask(self, state: State, sample: RowSample) -> Generator[Any, Any, tuple[float, Sums]]:
        """Ask for loss and gradient of all rows at the present points; with the curvature, if all rows are
        asked for that.
        """
        own = Curvature.OWN if sample.every == 1 else Curvature.NONE
        total: Sums = yield self._sums(state, own, ALL_ROWS)
        return self.loss_of(total), total

    def _sums(self, state: State, curvature: Curvature, sample: RowSample) -> CardSums:
        known = self.known
        return CardSums(
            state.layout, state.theta, known.bits, known.copies, curvature, sample, self.sums_room
        )

    def with_curvature(
        self, state: State, total: Sums, sample: RowSample, desks: Sequence[Desk]
    ) -> Generator[Any, Any, QuadraticPoint]:
        """Return the spot, in the place of the last one; where the curvature is still to be asked for, it
        is that of a sample of rows.
        """
        every = sample.every
        if every == 1:
            return self.spot(total, total, 1.0, desks)
        part: Sums = yield self._sums(state, Curvature.OWN, sample)
        times = self.loss_of(total) / max(self.loss_of(part), 1e-300)
        return self.spot(total, part, min(max(times, every / 2.0), every * 2.0), desks)

    def loss_of(self, total: Sums) -> float:
        """Return minus the log-likelihood."""
        unit = self.known.factor * 2.0**-self.known.bits
        return float(total.loss[0]) * self.known.factor + float(total.loss[1]) * unit

    def spot(self, total: Sums, part: Sums, times: float, desks: Sequence[Desk]) -> QuadraticPoint:
        """Read the sums; part: of rows whose curvature, so many times, stands for that of all."""
        unit = self.known.factor * 2.0**-self.known.bits
        gradient = total.gradient.astype(np.float64) * unit
        scale = unit * self.bend * times
        links = [
            kernels.without_constant(lower, scale, desk.curvature(len(lower) - 1))
            for lower, desk in zip(part.squares, desks, strict=True)
        ]
        return QuadraticPoint(
            gradient[1:],
            gradient[0].copy(),
            tuple(w for w, _, _ in links),
            np.array([weight for _, weight, _ in links]),
            np.array([cross for _, _, cross in links]),
        )

    def run(self, state: State) -> Generator[Any, Any, tuple[State, Ending]]:
        """Return the state after as many rounds as it takes, and how they ended."""
        sample = self.sample(state.layout.lines)
        directions = Directions.of(state.pieces, self.threads)  # which stay
        desks = desks_of(directions, len(state.constant), self.room)
        loss, total = yield from self.ask(state, sample)
        if state.f.any() and loss > -null_likelihood(self.known):
            # Points whose columns or lines are gone can be so wrong that the curvature there vanishes and no
            # step leads away: begin again from the class shares.
            state = replace(
                state, f=np.zeros_like(state.f), constant=share_constants(self.known), passes=state.passes + 1
            )
            del total
            loss, total = yield from self.ask(state, sample)
        spot = yield from self.with_curvature(state, total, sample, desks)
        del total  # the spot has all that is needed of it
        state, before = replace(state, loss=loss, passes=state.passes + 1), -math.inf
        found: list[Optimum] = []
        for turn in range(self.most):
            better, found, moved = self.improve(state, spot, directions, desks, INNER if turn else 1)
            if not np.abs(better.f).max(initial=0.0) < BEYOND:
                raise no_end()
            tried, total, part = yield from self.checked(state, better, spot, sample)
            if part < 0.5 and sample.every > 1:  # the curvature of these rows is off: ask more of them
                every = sample.every // SAMPLE_GROWTH
                sample = RowSample(self.axes, every) if every > 1 else ALL_ROWS
                del total
                spot = yield from self.again(state, sample, desks)
                continue
            if part < LEAST:  # no way on from here; points without an end are for the caller to refuse
                state = (
                    state if np.abs(better.f).max(initial=0.0) < MAX_LOG_ODDS else replace(state, f=better.f)
                )
                break
            change = float(np.abs(tried.f - state.f).max(initial=0.0))
            spot = yield from self.with_curvature(tried, total, sample, desks)
            state = tried
            del total
            if self.fixed:
                if change <= POLISHED:
                    break
                continue
            rise = abs(state.evidence - before)
            still = rise < self.settled * max(self.determined(found), 1.0)
            if (turn > 2 and still) or (change < STEP and moved < MOVED):
                break
            before = state.evidence
        return self.with_worth(state, found), Ending(spot, found)

    def again(
        self, state: State, sample: RowSample, desks: Sequence[Desk]
    ) -> Generator[Any, Any, QuadraticPoint]:
        """Return the spot of a state by the curvature of more rows."""
        _, total = yield from self.ask(state, sample)
        spot: QuadraticPoint = yield from self.with_curvature(state, total, sample, desks)
        return spot

    def checked(
        self, state: State, better: State, spot: QuadraticPoint, sample: RowSample
    ) -> Generator[Any, Any, tuple[State, Sums, float]]:
        """Return the better state, or a point on the way to it where the loss falls about as predicted, and
        which part of the way, as far as it goes at once, it is.
        """
        change, shift = better.f - state.f, better.constant - state.constant
        rise, bend = spot.gain(change, shift)
        far = float(np.abs(change).max(initial=0.0))
        if far > MAX_STEP_LOG_ODDS:  # and what the strengths would be there is not known
            better = replace(better, strengths=state.strengths)
        slack, first = better.evidence, MAX_STEP_LOG_ODDS / max(far, MAX_STEP_LOG_ODDS)
        t = first
        while True:
            tried = replace(better, f=state.f + t * change, constant=state.constant + t * shift)
            loss, total = yield from self.ask(tried, sample)
            tried = replace(tried, loss=loss, evidence=slack - loss, passes=tried.passes + 1)
            if state.loss - loss >= t * rise - 1.7 * t * t * bend - SLACK or t < LEAST * first:
                return tried, total, t / first
            del total
            better, t = replace(better, passes=tried.passes), 0.5 * t

    def improve(
        self, state: State, spot: QuadraticPoint, directions: Directions, desks: Sequence[Desk], times: int
    ) -> tuple[State, list[Optimum], float]:
        """Return the optimum of the quadratic with better strengths (the evidence without the loss yet),
        the same by link, and how far strengths moved at last. times: how often they are improved.
        """
        kinds = [kind for piece in state.pieces for kind in piece.kinds]
        strengths, moved = np.concatenate(state.strengths), 0.0
        before = np.zeros(len(strengths))
        with over_links(len(spot.curvature), directions.basis.directions, self.threads) as every:
            pulls = every(partial(_pull, directions, desks, spot, state.f, strengths))
            for _ in range(times):
                found = held(every(partial(_optimum, pulls, strengths)), state.ways)
                if self.fixed:
                    break
                borne_out = self.update_strengths(kinds, strengths, found)
                strengths, before, moved = further(strengths, borne_out, before)
                if moved < STILL:
                    break
        f, slack = center_links(np.stack([o.f for o in found], axis=1)), 0.0
        for o in found:
            slack -= 0.5 * kernels.dot(o.v, o.v) + 0.5 * self.share * o.log_determinant
        ends = np.cumsum([len(p.covariances) for p in state.pieces])
        better = replace(
            state,
            strengths=tuple(np.split(strengths, ends[:-1])),
            f=f,
            constant=spot.constant(state.constant, f - state.f),
            evidence=slack,
        )
        return better, found, moved

    def determined(self, found: Sequence[Optimum]) -> float:
        """Return how many numbers the rows determine."""
        return self.share * math.fsum(x for o in found for x in o.determined.tolist())

    def with_worth(self, state: State, found: Sequence[Optimum]) -> State:
        """Return the state with what its pieces are worth."""
        every = np.stack([o.worths(self.share, self.threads) for o in found], axis=1)  # [piece, link]
        worth = tuple(map(math.fsum, every.tolist()))
        return replace(state, worth=worth, degrees=self.determined(found))

    def update_strengths(self, kinds: Sequence[str], strengths: Array, found: Sequence[Optimum]) -> Array:
        """Return the strengths that the optimum bears out. kinds[covariance]: those of a kind are alike, so
        each is drawn towards what they are together.
        """
        length, degrees = np.zeros(len(kinds)), np.zeros(len(kinds))
        for o in found:
            own = o.sizes(len(kinds))
            length, degrees = length + own[0] * strengths, degrees + own[1] * self.share
        own_bound = degrees + LAMBDA * strengths / (1.0 + strengths)
        alike = {}
        for kind in dict.fromkeys(kinds):
            at = [c for c, k in enumerate(kinds) if k == kind]
            total = max(math.fsum(own_bound[at].tolist()), 1e-9)
            alike[kind] = math.fsum(length[at].tolist()) / total
        shared = np.array([0.0 if kind.startswith("pair") else ALIKE for kind in kinds])
        drawn = shared * np.array([alike[kind] for kind in kinds])
        bound = own_bound + shared
        new = (length + drawn) / np.maximum(bound, 1e-300)
        out: Array = np.where(strengths > 0.0, new, 0.0)
        return out


def _pull(
    directions: Directions,
    desks: Sequence[Desk],
    spot: QuadraticPoint,
    f: Array,
    strengths: Array,
    link: int,
    helpers: Together | None,
) -> LinkSystem:
    right = spot.pulled(f, link)
    return LinkSystem.of(directions, spot.curvature[link], right, strengths, helpers, desks[link])


def _optimum(pulls: Sequence[LinkSystem], strengths: Array, link: int, helpers: Together | None) -> Optimum:
    return pulls[link].optimum(strengths, helpers)


def further(strengths: Array, better: Array, before: Array) -> tuple[Array, Array, float]:
    """Return strengths on the way from these to better ones, the way taken in logarithms, and how far they
    moved. Where two steps go the same way (before: the last one), the rest of it is taken at once.
    """
    live = better > 0.0
    way = np.zeros(len(strengths))
    way[live] = kernels.log(better[live] / strengths[live])
    ratio = np.clip(way / np.where(before == 0.0, np.inf, before), 0.0, AHEAD)
    step = np.clip(way / (1.0 - ratio), -MOST_STEP, MOST_STEP)
    new = strengths * kernels.exp(step)
    new = np.where((new < MIN_STRENGTH) | ~live, 0.0, new)
    moved = float((np.abs(new - strengths) / (0.05 + strengths)).max(initial=0.0))
    return new, way, moved


def center_links(f: Array) -> Array:
    """Return points of several links with a sum of 0 on each line, which is where the prior wants them: the
    rows see only differences.
    """
    if f.shape[1] == 1:
        return f
    total = np.zeros(len(f))
    for column in f.T:
        total += column
    out: Array = f - (total / f.shape[1])[:, None]
    return out
