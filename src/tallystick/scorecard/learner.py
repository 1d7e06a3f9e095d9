"""The learner of scorecards: initial lines, rounds of the fit, columns left out, pairs, integer points.

Entry: `ScorecardLearner.learn()`; it asks an engine for totals and reads no rows. After it: columns of no use
(`useful`), complete and nearly complete separation of classes, levels regrouped, shift of class shares.
line, link, piece, strength, worth: as in `rounds.py`. Law: the same totals give the same model.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Statistic
from tallystick.errors import Argument, OptionError, shown, some
from tallystick.io.scratch import DiskBeyond
from tallystick.linear.learner import null_likelihood
from tallystick.linear.prepare import KnownRows, known_rows
from tallystick.schema import Note, Schema
from tallystick.scorecard.lines import beginning, check_columns, fewer_lines, single
from tallystick.scorecard.model import (
    LN2,
    CardFit,
    LevelAxis,
    LinePoints,
    Part,
    RangeAxis,
    ScorecardModel,
)
from tallystick.scorecard.options import MOST_PAIRS, ScorecardOptions
from tallystick.scorecard.pairs import (
    COST,
    FINER,
    Smooth,
    add_pairs,
    base_spread,
    joined,
    line_bends,
    parts_of,
    spread_of,
    unrounded,
    without,
)
from tallystick.scorecard.quadratic import CardPiece, CardSums, LineCounts, RowVariety, variety
from tallystick.scorecard.rounds import (
    FINAL_TOL,
    SAMPLE,
    START,
    Ending,
    Rounds,
    State,
    first_state,
    no_end,
    share_constants,
)
from tallystick.stats.design_sums import Design

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
NOTHING = Design((), (), ())  # no columns besides those of the lines
DROPS, USELESS = 3, -0.5  # how often columns are left out at most; worth in nats below which they are
FEW_MIXED = 10  # nearly separated: all rows are so many times those in ranges of several classes, or more
DESKS, MATRIX = 4, 16  # 1 / DESKS of a budget for the buffers of all links; 1 / MATRIX for a temporary matrix
SUMS = 1 << 21  # bytes of a matrix of sums in memory, of which each thread has one
POLISH = 6  # last rounds, with fixed strengths
MOST_LOGITS = 500.0  # log-odds: larger points change no share, and on the finest scale a file has no room


@dataclass(frozen=True)
class ScorecardLearner:
    """unit: a weight of 1 is this many; chosen: the strength in force where l2 is "cv"; notes are filled
    on the way; threads: how many share the work between two questions (None: all cores).
    """

    options: ScorecardOptions
    unit: int = 1
    chosen: float = 1.0
    notes: list[Note] | None = None
    threads: int | None = 1
    budget: int = 0  # bytes of memory to work in, where rows lie on disk; decides where matrices lie

    def learn(self, schema: Schema) -> Generator[Statistic[Any], Any, ScorecardModel]:
        """Ask for counts of lines, then round after round for gradients, and round the points."""
        check_columns(self.options, schema)
        known = yield from known_rows(NOTHING, self.options.class_weight, schema.predicted, self.unit)
        begun = yield from beginning(schema, self.options, known)
        self._note_names(
            "crowded",
            begun.crowded,
            "{} stayed out: a card has no room for more lines. Leave out columns that you do not need.",
        )
        state = first_state(begun.pieces, known)
        wished_away: tuple[str, ...] = ()
        counts, ending = begun.counts, None
        rounds = Rounds(known)
        if known.rows >= 2 * SAMPLE:  # many: ask by how many kinds a sample can be drawn
            axes = state.layout.axes
            rounds = Rounds(known, axes, variety((yield RowVariety(axes))))
        rounds = replace(
            rounds,
            fixed=self._strength() is not None,
            threads=self.threads,
            room=self._room(DESKS),
            sums_room=DiskBeyond(SUMS if self.budget else 0, np.zeros),
        )
        if strength := self._strength():
            state = replace(state, strengths=tuple(np.full(len(s), strength) for s in state.strengths))
        if state.pieces:
            state, bends, counts = yield from self._shortened(rounds, state, counts, schema)
            kept = {piece.name for piece in state.pieces}
            wished_away = tuple(piece.name for piece in begun.pieces if piece.name not in kept)
            wishes = [w for w in ("max_columns", "max_lines") if getattr(self.options, w) is not None]
            leave = "leaves" if len(wishes) == 1 else "leave"
            self._note_names("fewer-columns", wished_away, f"{' and '.join(wishes)} {leave} out {{}}.")
            limit = MOST_PAIRS if self.options.pairs is None else self.options.pairs
            if limit:
                rows = counts.sum(axis=1) / self.unit
                state, repeats = yield from add_pairs(rounds, state, bends, rows, limit)
                if repeats:
                    who = [f"{shown(name)} repeats {shown(of)}" for name, of in repeats.items()]
                    more = f" and {len(who) - 5} more" if len(who) > 5 else ""
                    once = "pairs are looked for with one of the two."
                    self._note("repeats", f"{', '.join(who[:5])}{more}: {once}", len(who))
                counts = yield LineCounts(state.layout, len(schema.predicted.labels))
            if not rounds.fixed:
                state, counts = yield from useful(rounds, state, counts)
            if state.pieces and not rounds.fixed:
                state = (yield from replace(rounds, settled=FINAL_TOL).run(state))[0]
            if state.pieces:
                state, ending = yield from replace(rounds, fixed=True, most=POLISH).run(state)
        if not state.pieces:
            state = replace(state, constant=share_constants(known))
        model = yield from self._pointed(schema, known, state, ending, counts)
        silent = tuple(n for n in model.left_out if n not in wished_away and n not in begun.crowded)
        self._note_names("no-points", silent, "The rows give no points to {}.")
        return model

    def _room(self, part: int) -> DiskBeyond:
        """Return the allocator of matrices: on disk if larger than a part of the budget, if there is one."""
        return DiskBeyond(self.budget // part)

    def _strength(self) -> float | None:
        """Return the variance of every prior, where it is not left to the rows."""
        if self.options.l2 == "auto":
            return None
        return 1.0 / (self.chosen if self.options.l2 == "cv" else float(self.options.l2))

    def _note(self, code: str, text: str, count: int = 0) -> None:
        if self.notes is not None:
            self.notes.append(Note(code, text, count=count))

    def _note_names(self, code: str, names: Sequence[str], words: str) -> None:
        if names:
            self._note(code, words.format(some(names, 5)), len(names))

    def _shortened(
        self, rounds: Rounds, state: State, counts: Whole, schema: Schema
    ) -> Generator[Any, Any, tuple[State, Array, Whole]]:
        """Return the state after its first rounds, with as few columns and lines as wished, and curvature and
        rows of its lines.
        """
        state, bends = yield from with_bends(rounds, state)
        most, before = self.options.max_columns, state.pieces
        if most is not None and len(state.pieces) > most:
            order = sorted(range(len(state.pieces)), key=lambda j: (-state.worth[j], j))[:most]
            state = without(state, [j in order for j in range(len(state.pieces))])
        if self.options.max_lines is not None:
            state = self._with_fewer_lines(rounds.known, state, bends, before, counts, schema)
        if state.pieces != before:
            counts = yield LineCounts(state.layout, len(schema.predicted.labels))
            if state.pieces:
                state, bends = yield from with_bends(rounds, state)
        return state, bends, counts

    def _with_fewer_lines(
        self,
        known: KnownRows,
        state: State,
        bends: Array,
        before: Sequence[CardPiece],
        counts: Whole,
        schema: Schema,
    ) -> State:
        """Return the state with the lines of each column joined until they are as few as wished, without
        points yet. before: the pieces that bends and counts are of.
        """
        most = self.options.max_lines
        assert most is not None
        pieces, strengths, start, places = [], [], 0, {}
        for piece in before:
            places[piece.name] = slice(start, start + piece.lines)
            start += piece.lines
        for j, piece in enumerate(state.pieces):
            axis, at = piece.axes[0], places[piece.name]
            strength = state.strengths[j]
            if isinstance(axis, RangeAxis | LevelAxis):
                ordered = schema[axis.name].kind == "ordered"
                shorter = fewer_lines(axis, state.f[state.part(j)], bends[at], most, ordered)
                if shorter != axis:
                    fewer = regrouped(axis, shorter, counts[at])
                    made = single(shorter, fewer, schema, self.options, self.unit)
                    if made is None:
                        continue
                    piece, strength = made, np.full(len(made.covariances), START / len(made.covariances))
            pieces.append(piece)
            strengths.append(strength)
        # The constant goes with the points that were there: without them it says too much. Both begin anew.
        begun = first_state(pieces, known)
        return replace(begun, strengths=tuple(strengths), passes=state.passes)

    def _pointed(
        self, schema: Schema, known: KnownRows, state: State, ending: Ending | None, counts: Whole
    ) -> Generator[Any, Any, ScorecardModel]:
        """Return the model with whole points on a scale fine enough that rounding costs next to nothing."""
        smooth = Smooth.of(state)
        exact = yield from self._loss(known, state, smooth.f, smooth.constant)
        most = max(float(np.abs(x).max(initial=0.0)) for x in (smooth.f, smooth.constant))
        if not (math.isfinite(exact) and most < MOST_LOGITS):
            raise no_end()
        if ending is not None:
            fewer = joined(state, smooth, line_bends(ending.spot), counts.sum(axis=1) / self.unit)
            loss = yield from self._loss(known, state, fewer.f, fewer.constant)
            smooth = fewer if loss - exact <= 0.5 * COST * known.rows else smooth
        for times in FINER:
            step = self.options.points_to_double * times
            points, base = smooth.rounded(step)
            rounded = yield from self._loss(known, state, *unrounded(points, base, step))
            if rounded - exact <= COST * known.rows:
                break
        if step != self.options.points_to_double:
            self._note(
                "finer-scale",
                f"{step} points double the odds, not {self.options.points_to_double}: whole points on that "
                "scale would have cost more than 0.002 of log-loss.",
            )
        parts, places = parts_of(state, points, counts, schema)
        errors: tuple[Array, ...] = ()
        if ending is None:
            weighted = known.classes * known.class_weights
            weight = weighted * (1.0 - weighted / math.fsum(weighted.tolist())) * Rounds(known).bend
            spread = base_spread(weight[1:] if known.links == 1 else weight, step)
        else:
            shares = counts.sum(axis=1) / (self.unit * math.fsum(known.classes.tolist()))
            errors, spread = spread_of(ending, places, shares, step, self._room(MATRIX))
        self._note_separation(parts, exact, known)
        used = {name for part in parts for name in part.columns}
        left_out = tuple(c.name for c in schema.used if c.name not in used)
        shift = population_shift(self.options, schema, known)
        fit = CardFit(
            exact / known.rows,
            rounded / known.rows,
            -null_likelihood(known) / known.rows,
            math.fsum(known.classes.tolist()),
            state.degrees,
            state.evidence if math.isfinite(state.evidence) else -exact,
            state.passes,
        )
        base = base + np.rint(shift * (step / LN2)).astype(np.int64)
        asked = schema.only(used)
        return ScorecardModel(
            asked, self.options, step, base, tuple(parts), fit, self.unit, errors, left_out, spread
        )

    def _note_separation(self, parts: Sequence[Part], loss: float, known: KnownRows) -> None:
        """Say where points are only as large as the prior lets them be: the rows want no end of them."""
        singles = [part for part in parts if isinstance(part, LinePoints)]
        names = [part.name for part in singles if separates(part, self.unit)]
        who = some(names, 5) + (" separates" if len(names) == 1 else ", each by itself, separate")
        if not names and (near := [part.name for part in singles if nearly_separates(part)]):
            self._note(
                "separated",
                f"{some(near, 5)}: all rows but those of one range lie in ranges of one class, so the points "
                "come from the prior; the rows would have them nearly without end.",
                len(near),
            )
            return
        if not names:
            if not known.whole or loss >= LN2 * float(known.class_weights.min()):  # a row on the wrong side
                return
            who = "The lines together separate"
        self._note(
            "separated",
            f"{who} the classes completely: the points come from the prior, since the rows would have them "
            "without end.",
            len(names),
        )

    def _loss(self, known: KnownRows, state: State, f: Array, constant: Array) -> Generator[Any, Any, float]:
        theta = np.concatenate([constant[None, :].astype(np.float64), f.reshape(-1, len(constant))])
        total = yield CardSums(state.layout, theta, known.bits, known.copies)
        return Rounds(known).loss_of(total)


def useful(rounds: Rounds, state: State, counts: Whole) -> Generator[Any, Any, tuple[State, Whole]]:
    """Return the card without columns that the rows would rather do without, and the counts of its lines."""
    for _ in range(DROPS):
        kept = [worth > USELESS for worth in state.worth]
        if all(kept):
            break
        lines = [counts[state.part(j)] for j, keep in enumerate(kept) if keep]
        counts = np.concatenate(lines) if lines else counts[:0]
        state = without(state, kept)
        if not state.pieces:
            break
        state = (yield from rounds.run(state))[0]
    return state, counts


def with_bends(rounds: Rounds, state: State) -> Generator[Any, Any, tuple[State, Array]]:
    """Return the state after rounds, and the curvature of its lines [line, link]."""
    state, ending = yield from rounds.run(state)
    return state, line_bends(ending.spot)


def separates(part: LinePoints, unit: int) -> bool:
    """Do the lines of a column hold one class each: the ranges one after the other, levels of more than a
    row or two?
    """
    rows = part.rows[part.rows.any(axis=1)]
    if (np.count_nonzero(rows, axis=1) > 1).any():
        return False
    if isinstance(part.axis, LevelAxis):
        return int(rows.sum()) >= 3 * unit * len(rows)
    lines = part.rows[: part.axis.known]
    classes = lines[lines.any(axis=1)].argmax(axis=1)
    return int(np.count_nonzero(np.diff(classes))) < len(set(classes.tolist()))


def nearly_separates(part: LinePoints) -> bool:
    """Return whether the classes occupy successive stretches of ranges, where neighbours share at most one
    range, of few rows.
    """
    lines = part.rows[: part.axis.known]
    if isinstance(part.axis, LevelAxis) or len(lines) < 4:
        return False
    at = [np.flatnonzero(lines[:, k]) for k in range(lines.shape[1]) if lines[:, k].any()]
    ends = sorted((int(own[0]), int(own[-1])) for own in at)
    mixed = np.count_nonzero(lines, axis=1) > 1
    few = int(lines[mixed].sum()) * FEW_MIXED <= int(lines.sum())
    return len(ends) > 1 and few and all(b[0] >= a[1] for a, b in pairwise(ends))


def regrouped(axis: RangeAxis | LevelAxis, shorter: RangeAxis | LevelAxis, counts: Whole) -> Whole:
    """Return counts[line, class] on the lines of a shorter axis."""
    out = np.zeros((shorter.size, counts.shape[1]), np.int64)
    if isinstance(axis, RangeAxis):
        assert isinstance(shorter, RangeAxis)
        line = shorter.within(axis)
        assert line is not None
    else:
        assert isinstance(shorter, LevelAxis)
        line = np.zeros(axis.size, np.int64)
        line[axis.lines] = shorter.lines
    np.add.at(out, line, counts)
    return out


def population_shift(options: ScorecardOptions, schema: Schema, known: KnownRows) -> Array:
    """Return what the class shares of another population add to the constants [link]."""
    if options.population is None:
        return np.zeros(known.links)
    target = schema.predicted
    given = {target.label_of(k): float(v) for k, v in options.population.items()}
    if sorted(given) != sorted(target.labels):
        raise OptionError(
            Argument("population"),
            f" names {some(sorted(given))}; the classes are {some(target.labels)}. Give a share for each.",
        )
    rows = known.classes * known.class_weights
    wanted = np.array([given[label] for label in target.labels])
    logs = kernels.log(wanted) - kernels.log(np.maximum(rows, 1e-9) / math.fsum(rows.tolist()))
    return logs[1:] - logs[0] if known.links == 1 else logs - math.fsum(logs.tolist()) / len(logs)
