"""The fit of a scorecard's points: monotonicity constraints, then Newton rounds with empirical Bayes priors.

In this order: optima under "points only rise or fall" (`OneWay`, `held`: an active-set solver); constants of
the rounds; `State` (points and prior variances so far); `Rounds`, each round being sums of loss, gradient and
curvature over the rows, a step to the optimum of the quadratic, and an update of the prior variances.
Entry: `first_state()`, then `Rounds.run()`.
line = one row of the card (a range, level, word or cell of a pair); link = one score, the log-odds of two
classes or a score per class; piece = the lines of one column, text or pair while it is learnt; covariance =
prior shape over its lines; strength = the variance that multiplies it; direction = a principal direction of a
covariance; way = a monotone piece; step = the difference of neighbouring lines; desk = buffers of one link;
worth = the evidence, in nats, that a piece adds. Law: the same totals give the same points.
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

# ---- monotone points: the optimum under inequality constraints on steps ----

Whole = NDArray[np.int64]
BROKEN = 1e-10  # standard deviations of a step: a constraint violated by less counts as satisfied
RIDGE = 1e-12  # part of the largest variance of a step: added to the diagonal; steps with less are ignored


@dataclass(frozen=True)
class OneWay:
    """Lines whose points only rise (sign 1) or only fall (-1); with several links, the points of `link`
    less those of every other one.
    """

    lines: slice
    sign: int
    link: int = 0

    def kept(self, f: Array) -> Array:
        """Return f[line, link] without the solver's rounding errors: steps of wrong sign become 0."""
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
        """Return integer points [line, link] of the lines, f being in log-odds: the monotone values are
        rounded, so that no step changes its sign.
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
    """Return the optima of all links under the monotonicity constraints, given those without them."""
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
    """The steps of all monotone pieces in one link. moves[step, direction]: the change of v per unit of a
    step's multiplier; gram[step, step]: the change of the steps, their posterior covariance; slack[step]: the
    step at the free optimum, positive where it has the right sign.
    """

    moves: Array
    gram: Array
    slack: Array

    @classmethod
    def of(cls, one: Optimum, ways: Sequence[OneWay]) -> HeldSteps:
        """Compute the steps at an unconstrained optimum."""
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
    """Return the constraints, each "a signed sum over links of one step is at least 0": the number of the
    step [constraint], and its sign in each link [constraint, link].
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
    """Return Lagrange multipliers, pull >= 0 with slack + gram pull >= 0, by the active-set method of Lawson
    and Hanson: constraints join one by one, the most violated first, and leave if their multiplier would be
    negative.
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
        open_[worst] = joined[worst]  # one that leaves at once is implied by the others
    return pull


def _settled(gram: Array, slack: Array, pull: Array, joined: NDArray[np.bool_], ridge: float) -> Array:
    """Return the multipliers that make every joined step 0; those with negative ones leave `joined`."""
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


# ---- constants of the rounds; points are in log-odds, evidence and loss in nats ----

ALIKE = 0.3  # weight, in degrees of freedom, of the mean strength of a kind in the estimate of each strength
LAMBDA = 0.2  # a strength's prior falls as (1 + strength)^(-LAMBDA / 2): finite where classes are separated
START = 0.3  # the initial strength of a piece, divided over its covariances
MIN_STRENGTH = 1e-5  # a strength that falls below becomes 0 and stays so
INNER = 2  # updates of the strengths per pass over the rows
MOST = 30  # rounds at most
ROUGH_TOL, FINAL_TOL = (
    5e-3,  # nats per effective parameter: rounds end when the evidence changes by less, in model selection
    5e-4,  # and in the last fit
)
MAX_STEP_LOG_ODDS = (
    5.0  # log-odds that a line may change by in one round; the quadratic approximation is not trusted beyond
)
STEP, MOVED = 0.02, 0.05  # rounds also end when points (log-odds) and strengths (relative) change by less
AHEAD = 0.75  # largest ratio of successive changes that is extrapolated: a change grows 1 / (1 - ratio) times
MOST_STEP = 2.3  # largest change of the logarithm of a strength in one update, a factor of about ten
STILL = 0.01  # relative change of strengths below which they are not updated again on the same sums
POLISHED = 1e-3  # log-odds: with fixed strengths, rounds end when no point changes by more
SLACK = 0.5  # nats by which the loss may fall short of the predicted decrease before a step is halved
LEAST = 0.02  # part of the first step below which halving gives up
MAX_LOG_ODDS = 1e3  # where no step helps, points from here on go to the caller, who refuses them as unbounded
BEYOND = 1e9  # log-odds: points from here on, or NaN, end the fit with `no_end()`
SAMPLE_GROWTH = 4  # factor by which the sample of rows grows when its curvature predicts the loss badly
SAMPLE, PER_LINE = 16_384, 8  # rows in the sample for the curvature: at least so many, and so many per line


@dataclass(frozen=True)
class State:
    """The fit so far, in log-odds: f[line, link] and constant[link]; strengths[piece][covariance].

    worth[piece]: nats of evidence; degrees: effective parameters; passes: over the rows, so far.
    """

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
        """The weights [1 + line, link] for `CardSums`: the constant, then the lines."""
        return np.concatenate([self.constant[None, :], self.f])

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The first line of each piece."""
        return tuple(int(s) for s in np.cumsum([0, *(p.lines for p in self.pieces)])[:-1])

    def part(self, j: int) -> slice:
        """Return the lines of a piece."""
        return slice(self.starts[j], self.starts[j] + self.pieces[j].lines)

    @cached_property
    def ways(self) -> tuple[OneWay, ...]:
        """The monotonicity constraints."""
        out = []
        for j, piece in enumerate(self.pieces):
            axis = piece.axes[0]
            if piece.monotone and isinstance(axis, RangeAxis | LevelAxis):
                lines = slice(self.starts[j], self.starts[j] + axis.known)
                out.append(OneWay(lines, piece.monotone, piece.link))
        return tuple(out)

    def with_pieces(self, pieces: Sequence[CardPiece], strengths: Sequence[Array], f: Array) -> State:
        """Return the state with other pieces, strengths and points."""
        return replace(self, pieces=tuple(pieces), strengths=tuple(strengths), f=f)


class Ending(NamedTuple):
    """The sums where rounds ended, and the optimum of each link. It holds matrices of lines by lines: drop
    it as soon as possible.
    """

    spot: QuadraticPoint
    optima: list[Optimum]


def share_constants(known: KnownRows, more: float = 0.0) -> Array:
    """Return the constants [link] that give the class shares; more: pseudo-rows added to each class."""
    counts = np.maximum(known.classes * known.class_weights + more, 1e-9)
    logs = kernels.log(counts / math.fsum(counts.tolist()))
    return logs[1:] - logs[0] if known.links == 1 else logs - math.fsum(logs.tolist()) / len(logs)


def first_state(pieces: Sequence[CardPiece], known: KnownRows) -> State:
    """Return the state to begin with: points 0, and the constants that give the class shares."""
    strengths = tuple(np.full(len(p.covariances), START / len(p.covariances)) for p in pieces)
    lines = sum(p.lines for p in pieces)
    return State(tuple(pieces), strengths, np.zeros((lines, known.links)), share_constants(known, 0.5))


def no_end() -> OptionError:
    """Return the error for points that grow without bound."""
    return OptionError(
        "the points have no end: l2 or class_weight is too far from 1 for these rows. Bring it nearer."
    )


@dataclass(frozen=True)
class Rounds:
    """The settings of rounds, and the rounds (`run`). axes: rows are sampled by their lines on these;
    variety: the effective number of distinct rows. fixed: strengths are not updated. settled: tolerance of
    the evidence, per effective parameter. most: rounds at most. threads: for the work between two passes
    (None: all cores). room, sums_room: allocate matrices of the solver, and of the sums (zeros).
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
        """The factor on a link's own curvature: above 1 with more than two classes, where links interact."""
        return 1.0 if self.classes == 2 else self.classes / (self.classes - 1.0)

    @property
    def share(self) -> float:
        """Free parameters per link: with more than two classes, one link follows from the others."""
        return 1.0 if self.classes == 2 else (self.classes - 1.0) / self.classes

    def sample(self, lines: int) -> RowSample:
        """Return the sample of rows for the curvature of a card of so many lines."""
        every = int(min(self.known.rows, self.variety)) // max(SAMPLE, PER_LINE * lines)
        return RowSample(self.axes, every) if every > 1 else ALL_ROWS

    def ask(self, state: State, sample: RowSample) -> Generator[Any, Any, tuple[float, Sums]]:
        """Request loss and gradient of all rows at the present points; and the curvature, if the sample is
        all rows.
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
        """Return the quadratic at the state, in the buffers of the last one; if the sample is not all rows,
        its curvature is requested here.
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
        """Return the quadratic from the sums; part: those of the sample, its curvature scaled by `times`."""
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
        """Return the state after rounds until convergence, and the sums and optima of the last round."""
        sample = self.sample(state.layout.lines)
        directions = Directions.of(state.pieces, self.threads)  # the same in all rounds
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
            if part < 0.5 and sample.every > 1:  # the curvature of the sample is wrong: take more rows
                every = sample.every // SAMPLE_GROWTH
                sample = RowSample(self.axes, every) if every > 1 else ALL_ROWS
                del total
                spot = yield from self.again(state, sample, desks)
                continue
            if part < LEAST:  # no step lowers the loss; the caller refuses unbounded points
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
        """Return the quadratic at a state by the curvature of a larger sample."""
        _, total = yield from self.ask(state, sample)
        spot: QuadraticPoint = yield from self.with_curvature(state, total, sample, desks)
        return spot

    def checked(
        self, state: State, better: State, spot: QuadraticPoint, sample: RowSample
    ) -> Generator[Any, Any, tuple[State, Sums, float]]:
        """Return the better state, or one between where the loss falls about as predicted (backtracking line
        search), its sums, and the step taken as a part of the longest step allowed.
        """
        change, shift = better.f - state.f, better.constant - state.constant
        rise, bend = spot.gain(change, shift)
        far = float(np.abs(change).max(initial=0.0))
        if far > MAX_STEP_LOG_ODDS:  # then the new strengths cannot be trusted either
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
        """Return the state at the optimum of the quadratic with updated strengths (its evidence still lacks
        the loss), the optimum of each link, and the last change of strengths. times: updates of strengths.
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
        """Return the effective number of parameters."""
        return self.share * math.fsum(x for o in found for x in o.determined.tolist())

    def with_worth(self, state: State, found: Sequence[Optimum]) -> State:
        """Return the state with the worth of its pieces and its effective number of parameters."""
        every = np.stack([o.worths(self.share, self.threads) for o in found], axis=1)  # [piece, link]
        worth = tuple(map(math.fsum, every.tolist()))
        return replace(state, worth=worth, degrees=self.determined(found))

    def update_strengths(self, kinds: Sequence[str], strengths: Array, found: Sequence[Optimum]) -> Array:
        """Return the strengths re-estimated at the optimum (empirical Bayes). kinds[covariance]: each is
        shrunk towards the mean of its kind, except those of pairs.
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
    """Return new strengths, the change from strengths to better in logarithms, and the relative change made.
    Where it has the sign of the last change (before), it is extrapolated.
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
    """Return points whose sum over several links is 0 on each line: the likelihood depends on differences
    only, and there the prior is largest.
    """
    if f.shape[1] == 1:
        return f
    total = np.zeros(len(f))
    for column in f.T:
        total += column
    out: Array = f - (total / f.shape[1])[:, None]
    return out
