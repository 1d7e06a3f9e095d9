"""Answers of fitted models to rows of numbers on a device: shares, or the best class of each row.

Knows which kinds of models have kernels, and what these need of a model. Knows nothing of how models are
learned. Laws: an answer is the processor's, bit for bit; None: the processor answers, which it does for
infinite numbers too; rows that lie on the device are read where they lie.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.source.size import budget
from tallystick.data.threads import checkpoint
from tallystick.engines.gpu import Gpu, device_of
from tallystick.engines.gpu.device import KINDS, Device
from tallystick.engines.gpu.rows import SHARE, side_by_side
from tallystick.errors import DeviceFull
from tallystick.models.additive import Additive, BinTerm, NormalTerm
from tallystick.models.decision import in_force
from tallystick.models.logistic.model import LogisticModel
from tallystick.models.logistic.parts import Slope
from tallystick.models.naive_bayes.model import NaiveBayesModel
from tallystick.models.scorecard.model import ScorecardModel
from tallystick.models.tree.model import Tree

ROWS = 256  # of a tile, where they fit
LEAST_ROWS = 8
FEW = 4096  # rows here that the processor answers sooner than they are copied
BLOCKS = 32  # for each processor
HELD = 16 << 10  # bytes of tests of a tree that a block holds in its own memory
FOUR, ALIGNED = 4, 16  # cells that are asked for at once, where they begin at a multiple of so many bytes
Columns = Sequence[Any]
Numbers = NDArray[Any]


@dataclass(frozen=True)
class AnswerPlan:
    """What a kernel is given: columns[place] of the schema it reads, classes, and arrays and numbers in the
    order of its parameters. decides: may the device tell the best class? adds: is every column's part of a
    score added in their order, so that cells come by fours? held: bytes of the model in a block's memory;
    scores: of a row there.
    """

    kernel: str
    columns: tuple[int, ...]
    classes: int
    given: tuple[Any, ...]
    decides: bool = True
    adds: bool = False
    held: int = 0
    scores: int = 0


def answers(engine: Gpu, model: Any, columns: Columns, rows: int, *, best: bool) -> Numbers | None:
    """Return the shares [row, class] or the best classes [row] of rows given as float columns, all of the
    schema in its order, here or on the device; None: the processor answers.
    """
    way = WAYS.get(type(model))
    plan = None if way is None or not rows else way(model, len(columns))
    if plan is None or not plan.columns or len({c.dtype for c in columns}) > 1:
        return None
    kept = device_of(engine.device)
    if rows < FEW and not kept.device.holds(columns[0]):
        return None
    room = None if engine.memory is None else budget(engine.memory)
    deciding = best and plan.decides
    for memory in (room, kept.device.room() // 8):
        try:
            with kept.device.use():
                found = _Answering(kept.device, plan, deciding, memory).answer(
                    [columns[j] for j in plan.columns], rows
                )
            break
        except DeviceFull:
            kept.arrays.clear()
    else:
        return None
    return model.decide(found) if best and not deciding and found is not None else found


@dataclass(frozen=True)
class _Answering:
    """A plan on a device. memory: bytes that rows may take there, None for what is free."""

    device: Device
    plan: AnswerPlan
    best: bool
    memory: int | None

    def answer(self, columns: Columns, rows: int) -> Numbers | None:
        """Return what is answered; None where something was met that the processor has to answer."""
        size = self._tile(columns[0].dtype.itemsize)
        if size < LEAST_ROWS:
            return None
        kind = np.dtype(np.uint8 if self.plan.classes <= 256 else np.uint32)
        out = np.empty(rows, kind) if self.best else np.empty((rows, self.plan.classes))
        odd = self.device.zeros(1, np.uint32)
        given = [self.device.put(g) if isinstance(g, np.ndarray) else g for g in self.plan.given]
        for start, stop, places, step, lying in self._parts(columns, rows, out.nbytes // rows):
            checkpoint()
            found = self.device.empty((stop - start, *out.shape[1:]), out.dtype)
            asked = (None, found, KINDS[str(kind)]) if self.best else (found, None, 0)
            cell = columns[0].dtype.itemsize
            together = _together(places, step, cell)
            tiled = together < FOUR or not self.plan.adds
            self.device.launch(
                self.plan.kernel, min(self.device.processors * BLOCKS, -(-(stop - start) // size)),
                stop - start, len(columns), self.device.put(places), step, KINDS[str(columns[0].dtype)], size,
                together, self.plan.classes, *asked, odd, *given,
                memory=(self.plan.held + self._bytes(cell) * size) * tiled,
            )  # fmt: skip
            if stop - start == rows:
                out = self.device.get(found)
            else:
                out[start:stop] = self.device.get(found)
            del lying
        return None if self.device.get(odd)[0] else out

    def _bytes(self, cell: int) -> int:
        """Return what a row takes in a block's memory: scores, then cells, both of an odd length."""
        scores = self.plan.scores | 1 if self.plan.scores else 0
        return 8 * scores + cell * (len(self.plan.columns) | 1)

    def _tile(self, cell: int) -> int:
        return min(ROWS, (self.device.block_memory - self.plan.held) // self._bytes(cell))

    def _parts(
        self, columns: Columns, rows: int, answer: int
    ) -> Any:  # of (start, stop, addresses, cells from row to row, what has to live meanwhile)
        """Yield all rows: where they lie if that is on the device, else copies of as many as fit."""
        room = int(SHARE * self.device.room())
        room = room if self.memory is None else min(room, self.memory)
        cell = columns[0].dtype.itemsize
        own = [c.strides[0] // cell for c in columns]
        there = self.device.holds(columns[0])
        if there and len(set(own)) == 1:
            start = np.array([self.device.address(c) for c in columns], np.int64)
            size = max(room // answer, 1)
            for first in range(0, rows, size):
                yield first, min(first + size, rows), start + first * own[0] * cell, own[0], None
            return
        if there:
            columns = [self.device.get(c) for c in columns]
        lying = side_by_side(columns)
        width = lying[0].matrix.shape[1] if len(lying) == 1 else len(columns)
        size = max(room // (answer + width * cell), 1)
        for first in range(0, rows, size):
            stop = min(first + size, rows)
            if len(lying) == 1:
                whole = self.device.put(lying[0].matrix[first:stop])
                yield first, stop, self.device.address(whole) + lying[0].cells * cell, width, whole
            else:
                parts = [self.device.put(c[first:stop]) for c in columns]
                yield first, stop, np.array([self.device.address(p) for p in parts], np.int64), 1, parts


def _together(places: NDArray[np.int64], step: int, cell: int) -> int:
    """Return how many cells may be asked for at once; 0 where rows do not lie one after the other and hold
    these columns alone, in their order.
    """
    if step != len(places) or (np.diff(places) != cell).any():
        return 0
    return 1 if len(places) % FOUR or places[0] % ALIGNED else FOUR


# ---- what kernels need of a model ----


def _tree(model: Tree, columns: int) -> AnswerPlan | None:
    n = model.nodes
    if model.spreads or len(n.branch_of):
        return None
    tested = sorted(model.tested - {-1})
    if 2 * len(tested) > columns:
        tested = list(range(columns))  # whole rows are read sooner than most of each
    inner = np.flatnonzero(n.column >= 0)
    first, missing = n.first[inner], n.missing_branch[inner]
    gone = np.where(missing < 0, inner, n.child[first + np.maximum(missing, 0)])
    steps = np.full((len(n.column), 4), -1, np.int32)
    steps[inner, 0] = np.searchsorted(tested, n.column[inner])
    steps[inner, 1:] = np.stack([n.child[first], n.child[first + 1], gone], axis=1)
    shares = np.ascontiguousarray(model.node_shares)
    labels = np.zeros(len(steps), np.int64) if model.regression else np.asarray(model.labels, np.int64)
    quick = _quick_steps(n.cut, steps)
    held = quick.nbytes if quick.nbytes <= HELD else 0
    given = n.cut, steps, quick, shares, labels, held
    return AnswerPlan("answer_tree", tuple(tested), shares.shape[1], given, held=held)


def _quick_steps(cut: NDArray[np.float64], steps: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return tests of single floats: a number is below a cut where it is below the least single float that is
    not below it.
    """
    with np.errstate(over="ignore"):
        near = cut.astype(np.float32)
    above = np.where(near < cut, np.nextafter(near, np.float32(np.inf)), near).astype(np.float32)
    return np.concatenate([above.view(np.int32)[:, None], steps[:, :3]], axis=1)


def _logistic(model: LogisticModel, columns: int) -> AnswerPlan | None:
    place = {c.name: j for j, c in enumerate(model.schema.used)}
    read = []
    for part in model.parts:
        if not isinstance(part, Slope):
            return None
        read += (
            [(place[part.name], 0)]
            if part.missing is None
            else [(place[part.name], 0), (place[part.name], 1)]
        )
    plan, cells = model._plan, np.array(read, np.int64).reshape(-1, 2)
    quick = _quick_columns(cells, columns, plan)
    given = (len(cells), model.links, cells, plan.scaling, plan.theta, quick)
    decides, classes = in_force(model.decision) is None, max(model.links, 2)
    return AnswerPlan(
        "answer_linear", tuple(range(columns)), classes, given, decides, quick is not None, scores=classes
    )


def _quick_columns(cells: NDArray[np.int64], columns: int, plan: Any) -> NDArray[np.float64] | None:
    """Return centre, factor and weight of each column, where all are read in their order by one link."""
    if plan.theta.shape[1] != 1 or cells[:, 1].any() or cells[:, 0].tolist() != list(range(columns)):
        return None
    weights = plan.theta[1:, 0]
    return np.stack([*plan.scaling, weights, np.zeros_like(weights)], axis=1)


def _naive_bayes(model: NaiveBayesModel, columns: int) -> AnswerPlan | None:
    own, lost = model.calibration, model.calibrated.base
    slope, shift = (1.0, None) if own is None else (float(own.slope), np.array(own.shift))
    return _additive(model, model.additive, (slope, shift, lost))


def _scorecard(model: ScorecardModel, columns: int) -> AnswerPlan | None:
    return _additive(model, model.additive, (float(model.slope), None, None))


def _additive(
    model: NaiveBayesModel | ScorecardModel, form: Additive, calibrated: tuple[Any, ...]
) -> AnswerPlan | None:
    place = {c.name: j for j, c in enumerate(model.schema.used)}
    terms, numbers, at = [], [np.zeros(1)], 1
    for term in form.terms:
        if isinstance(term, NormalTerm):
            own = [term.mean, term.half, term.constant]
            terms.append((0, place[term.column], 0, at))
        elif isinstance(term, BinTerm):
            own = [term.cuts, term.table.ravel()]
            terms.append((1, place[term.column], len(term.cuts), at))
        else:
            return None
        numbers += own
        at += sum(len(o) for o in own)
    table = np.array(terms, np.int64).reshape(-1, 4)
    quick = _quick_terms(form, table, len(place))
    given = (np.ascontiguousarray(form.base), table, len(table), np.concatenate(numbers), *calibrated, quick)
    decides, classes = in_force(model.decision) is None, len(form.base)
    return AnswerPlan(
        "answer_sums", tuple(range(len(place))), classes, given, decides, quick is not None, scores=classes
    )


def _quick_terms(form: Additive, table: NDArray[np.int64], columns: int) -> NDArray[np.float64] | None:
    """Return mean, half and constant of both classes of each column, where all have a normal term."""
    normal = [t for t in form.terms if isinstance(t, NormalTerm)]
    if len(form.base) != 2 or len(normal) < len(table) or table[:, 1].tolist() != list(range(columns)):
        return None
    return np.array([np.concatenate([t.mean, t.half, t.constant]) for t in normal])


WAYS: Mapping[type[Any], Callable[[Any, int], AnswerPlan | None]] = {
    Tree: _tree,
    LogisticModel: _logistic,
    NaiveBayesModel: _naive_bayes,
    ScorecardModel: _scorecard,
}
