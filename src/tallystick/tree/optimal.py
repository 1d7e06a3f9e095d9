"""`OptimalTree`: the decision tree with provably least training cost, its options, search and estimator.

In this order: costs of distinct rows as integers (`Losses`); parameters (`OptimalOptions`) and the
estimator; distinct rows as the compiled search takes them (`Points`); the learner. Entry:
`OptimalTree.fit`, and below it `OptimalLearner`. key = cost and leaves in one integer, cost * fold
+ leaves; leaf_price = penalty per leaf.
"""

from __future__ import annotations

import inspect
import math
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Engine, Model, Statistic
from tallystick.errors import OptionError, shown
from tallystick.estimator.base import PLACES, Absent, Estimator
from tallystick.estimator.classifier import Classifier
from tallystick.kernels.trees import MOST_KEY, Search, SearchColumn, TestFound
from tallystick.model.decision import cost_table
from tallystick.model.file import is_number, is_whole, make_plain
from tallystick.parallel import checkpoint, crew, thread_count
from tallystick.schema import CODED, Columns, Note, Schema, Target
from tallystick.stats.class_counts import DistinctRows, RowCells, groups_of
from tallystick.tree.estimator import AnyTree
from tallystick.tree.learner import tested_columns
from tallystick.tree.model import Answers, ClassWeights, Tree, class_weights
from tallystick.tree.nodes import NO_CUT, STAYS, Nodes
from tallystick.tree.options import check_one_of, check_whole_option, plain_value, text_notes
from tallystick.tree.view import Certificate

if TYPE_CHECKING:
    from tallystick.contracts import Table


# ---- the cost of each answer for each distinct row, in integers, so that equal trees tie exactly ----
#
# Law: short fractions are exact while all rows together stay below 62 bits. Others are rounded to 2^-44 of
# the largest or less, and rows too heavy for 62 bits are rounded up in a coarser unit. Refused is what
# would then keep less than four digits.


Ints = NDArray[np.int64]
FINE = 2**44  # the largest cost in units of itself, where costs are not short fractions
MOST_FINER = 17  # bits finer where there is room: whole costs stay below 2^62
EXACT = 1000  # denominators of costs that are kept exactly
PRICE = 10**6  # the finest denominator of a leaf_price that is kept exactly
FEWEST = 2**14  # units of the smallest cost and of the price, where they are rounded: four digits


@dataclass(frozen=True, eq=False)
class Losses:
    """loss[row, answer] and the price of a leaf. A key is loss * worth + leaves * leaf; key // fold is the
    cost of a tree in 1/unit.
    """

    form: str
    loss: Ints
    worth: int
    leaf: int
    fold: int
    unit: Fraction

    @classmethod
    def of(
        cls,
        classes: Ints,
        weights: Ints,
        costs: NDArray[np.float64],
        leaf_price: float,
        leaves: int,
        row_unit: int,
    ) -> Losses:
        """Return the losses of rows. costs[class, answer] of a row of weight 1, which is `row_unit`; leaves:
        the most of a tree.
        """
        fold = leaves + 1
        heavy, largest = int(weights.sum()), Fraction(float(costs.max(initial=0)))
        all_priced = heavy * largest + Fraction(leaf_price) * row_unit * leaves  # no tree loses more
        exact = _exact(costs, leaf_price, row_unit)
        if exact is not None and _bits(all_priced * exact[2], len(weights), fold) <= 0:
            (whole, each, scale), drop = exact, 0
        else:
            scale = FINE / (largest or Fraction(1))
            scale *= 2 ** min(max(0, -_bits(all_priced * scale, len(weights), fold)), MOST_FINER)
            whole = np.array([round(Fraction(c) * scale) for c in costs.ravel().tolist()], np.int64)
            whole = whole.reshape(costs.shape)
            drop = max(0, _bits(all_priced * scale, len(weights), fold))
            each = round(Fraction(leaf_price) * row_unit * scale / 2**drop)
            heaviest = int(weights.max()) * int(whole.max()) >> drop
            lost = min(int(whole[costs > 0].min(initial=FINE)), heaviest) < FEWEST
            if lost or (leaf_price > 0 and each < FEWEST):
                raise OptionError(
                    f"leaf_price, class weights and costs are too far apart for a proof: an error costs from "
                    f"{costs[costs > 0].min(initial=math.inf):g} to {float(largest):g}, a leaf "
                    f"{leaf_price:g}. Bring them closer together, or use 0."
                )
        loss = weights[:, None] * whole[classes] if not drop else np.zeros(0, np.int64)
        if drop:  # rounded up to units of 2^drop
            each_row = weights.astype(object)[:, None] * whole[classes].astype(object)
            loss = ((each_row + ((1 << drop) - 1)) >> drop).astype(np.int64)
        common = int(np.gcd.reduce(loss.ravel(), initial=0)) or 1
        unit = row_unit * scale / 2**drop
        # the kernels' word for how losses are made
        wrong = whole.max(axis=1, initial=0)
        plain = bool((whole == wrong[:, None] * (1 - np.eye(len(whole), dtype=np.int64))).all())
        form = "two" if len(whole) == 2 else "classes" if plain and len(whole) > 2 else "any"
        return cls(form, loss // common, common * fold, each * fold + 1, fold, unit)

    def loss_of(self, key: int) -> float:
        """Return what a tree of this key loses, its leaves priced: as weight 1 is 1 error."""
        return float(Fraction(key // self.fold) / self.unit)


def price_table(
    weights: ClassWeights | None, costs: tuple[tuple[float, ...], ...], counts: Ints
) -> NDArray[np.float64]:
    """Return the cost of each answer for a row of each class; counts[class] of the table."""
    table = np.array(costs) if costs else 1.0 - np.eye(len(counts))
    return table if weights is None else table * weights.of_mean_one(counts)[:, None]


def _exact(costs: NDArray[np.float64], leaf_price: float, row_unit: int) -> tuple[Ints, int, Fraction] | None:
    """Return costs and the price of a leaf as whole numbers, and what 1 is among them; None where they are
    not short fractions.
    """
    near = [Fraction(c).limit_denominator(EXACT) for c in costs.ravel().tolist()]
    price = Fraction(leaf_price).limit_denominator(PRICE)
    given = [*costs.ravel().tolist(), leaf_price]
    if any(float(f) != c for f, c in zip([*near, price], given, strict=True)):
        return None
    scale = math.lcm((price * row_unit).denominator, *(f.denominator for f in near))
    if scale * max(near, default=Fraction(0)) >= 2**62:
        return None
    whole = np.array([int(f * scale) for f in near], np.int64).reshape(costs.shape)
    return whole, int(price * row_unit * scale), Fraction(scale)


def _bits(total: Fraction, rows: int, fold: int) -> int:
    """Return how many bits must go so that keys of trees that lose `total` fit, a unit more in each row."""
    return (int(total + rows + 1) * fold).bit_length() - MOST_KEY.bit_length() + 1


# ---- parameters ----

MOST_LEAVES = 2**16  # of any tree: nothing larger can be searched


@dataclass(frozen=True)
class OptimalOptions:
    """Parameters of the search; `OptimalTree` says what they mean and has their defaults."""

    max_depth: int | None
    max_leaf_nodes: int | None
    leaf_price: float
    class_weight: Any
    costs: Any
    max_work: int | None

    def __post_init__(self) -> None:
        make_plain(self, tuple(f.name for f in fields(self)))
        check_whole_option("max_depth", self.max_depth, 1, optional=True)
        check_whole_option("max_leaf_nodes", self.max_leaf_nodes, 2, optional=True)
        if self.max_work is not None and not (is_whole(self.max_work) and 1 <= self.max_work < 2**60):
            raise OptionError(
                f"max_work must be a whole number of at least 1 or None, not {shown(self.max_work)}."
            )
        if self.max_depth is None and self.max_leaf_nodes is None:
            raise OptionError("an optimal tree needs a limit of its size. Pass max_depth or max_leaf_nodes.")
        if isinstance(self.class_weight, str):
            check_one_of("class_weight", self.class_weight, ("balanced",))
        if not (is_number(self.leaf_price) and 0 <= self.leaf_price < 1e12):
            raise OptionError(f"leaf_price must be a number from 0 up, not {shown(self.leaf_price)}.")

    def size(self, rows: int) -> tuple[int, int]:
        """Return the most depth and leaves, also of rows: a tree has no more leaves than rows."""
        most = min(rows, MOST_LEAVES if self.max_leaf_nodes is None else self.max_leaf_nodes)
        depth = most - 1 if self.max_depth is None else min(self.max_depth, max(most - 1, 0))
        return max(depth, 0), max(min(most, 1 << min(depth, 16)), 1)

    def parts(self, schema: Schema, unit: int) -> int:
        """Return into how many parts a row can be shared out: a missing value goes down one branch."""
        return 1

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)


OWN = tuple(OptimalOptions.__dataclass_fields__)


class OptimalTree(AnyTree, Classifier):
    """The tree with the fewest training errors among all of its depth, found by search, with a certificate.

    Of equal trees it is the one with the fewest leaves, then the first by the name of its columns and by its
    cuts. Numbers are cut anywhere, ordered levels in their order, other levels parted one against the rest;
    missing values take the better branch. Ctrl-C ends the search with the best tree so far.

    Parameters
    ----------
    max_depth : int, default 3
        The most tests on the way to a leaf; None: as many as `max_leaf_nodes` allows.
    max_leaf_nodes : int, default None
        The most leaves; None: as many as `max_depth` allows.
    leaf_price : float, default 0.0
        How many errors (with `costs`: how much cost) a leaf must save to be worth having.
    class_weight : dict or "balanced", default None
        What an error in a row of each class counts: {label: weight}.
    costs : dict or table, default None
        {label: {answer: cost}} (not named: 1 for a wrong answer, 0 for a right) or `costs[class][answer]`:
        the cheapest class is answered, and the tree is the one of least cost.
    max_work : int, default 100000000000
        The most work of the search, in rows times columns looked at: what is cut off there is cut off
        everywhere. None: no limit.
    seconds : float, default None
        The most seconds of the search; None: no limit. What the clock cuts off may come out otherwise the
        next time, and the certificate says so.
    columns : ts.Columns, default None
        What you know of the columns: kinds, levels, marks of missing values, columns to keep.
    kinds : dict, default None
        Short for `columns=ts.Columns(kinds=...)`.
    engine : ts.Local, ts.Spark or ts.Sql, default None
        Who sums the rows; None is this machine. It changes no model.
    threads, memory : int; int or str, default None
        Short for `engine=ts.Local(threads=..., memory=...)`: all cores, and all rows in memory.

    Attributes
    ----------
    certificate_ : Certificate
        What is proven: `found` (training errors and the price of the leaves), `bound` (no tree has less),
        `proven`, `gap`, `reproducible`. It is kept in the model file.

    See Also
    --------
    DecisionTree : grown test by test, of any size, in a moment.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"a": a, "b": b, "odd": (a + b) % 2} for a in (0, 1) for b in (0, 1)]
    >>> tree = ts.DecisionTree.optimal(max_depth=2).fit(rows, "odd")
    >>> print(tree.certificate_)
    no tree of depth 2 makes fewer than 0 errors; this one makes 0.
    """

    _kind = "optimal-tree"
    _places = PLACES
    _settled: ClassVar[Mapping[str, Any]] = {"priors": None}

    def __init__(
        self,
        *,
        max_depth: int | None = 3,
        max_leaf_nodes: int | None = None,
        leaf_price: float = 0.0,
        class_weight: Any = None,
        costs: Any = None,
        max_work: int | None = 100_000_000_000,
        seconds: float | None = None,
        columns: Columns | None = None,
        kinds: Mapping[str, str] | None = None,
        engine: Engine | None = None,
        threads: int | None = None,
        memory: int | str | None = None,
    ) -> None:
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.leaf_price = leaf_price
        self.class_weight = class_weight
        self.costs = costs
        self.max_work = max_work
        self.seconds = seconds
        self.columns = columns
        self.kinds = kinds
        self.engine = engine
        self.threads = threads
        self.memory = memory

    @property
    def certificate_(self) -> Certificate:
        """What is proven of the tree."""
        self._check_fitted()
        assert self.model_.certificate is not None
        return self.model_.certificate

    def _options(self) -> OptimalOptions:  # type: ignore[override]  # not how a tree is grown
        return OptimalOptions(**{name: getattr(self, name) for name in OWN})

    def _answers(self, target: Target | None) -> Answers:
        if target is None or not target.labels:
            return Answers()
        costs, weights = cost_table(self.costs, target), class_weights(self.class_weight, None, target)
        # imagined rows that weigh the same in every class change no answer, but where answers have costs
        few = 0.0 if costs else float(np.sqrt(8 / len(target.labels)))
        return Answers(smoothing=few, costs=costs, weights=weights)

    def _check_parameters(self) -> None:
        for name in ("class_weight", "costs"):
            plain_value(name, getattr(self, name))
        self._options()
        self._wishes()
        self._engine()
        if self.seconds is not None and not (is_number(self.seconds) and 0 < self.seconds < float("inf")):
            raise OptionError(f"seconds must be None or a number above 0, not {shown(self.seconds)}.")

    def _learning(self) -> dict[str, Any]:
        self._check_parameters()
        own = {name: plain_value(name, getattr(self, name)) for name in OWN}
        return own | {"leaf_price": float(self.leaf_price)} | self._wishes().to_dict()

    def _set_stored(self, parameters: Mapping[str, Any]) -> None:
        Estimator._set_stored(self, parameters)

    def _grow(self, table: Table, engine: Engine, candidates: bool = False) -> Tree:
        """Return the best tree; no tree of a search has candidates."""
        from tallystick.engine import fit

        work = self._local()
        running = Running(thread_count(work.threads), self.seconds, _report_to(work.progress, self.max_work))
        answers = self._answers(table.schema.target)
        learner = OptimalLearner(self._options(), table.unit, answers, table.row_unit, running)
        return fit(learner, table, engine)

    def _learn(
        self, table: Table, engine: Engine, candidates: bool = False
    ) -> tuple[Model, tuple[Note, ...]]:
        tree = self._grow(table, engine, candidates)
        self._table = None if table.budget else table
        notes, proof = [*text_notes(table.schema)], tree.certificate
        if proof is not None and not proof.proven:  # what is still proven
            text = f"the search was cut off: {proof}"
            if not proof.reproducible:
                text += " Another run may give another tree; max_work= gives the same everywhere."
            notes.append(Note("not-proven", text))
        return tree, tuple(notes)

    def _fit_settings(self, settings: Sequence[Any], training: Table, roughly: bool = False) -> None:
        """Return None: every setting is searched for by itself."""

    splits: Any = Absent(
        "the tests of an optimal tree were chosen together, not one by one. Print certificate_, or compare "
        "with a grown tree by against()."
    )
    pruning_path: Any = Absent(
        "an optimal tree is not pruned. Fit it again with leaf_price=, or with a lower max_depth."
    )
    prune: Any = pruning_path


def _report_to(progress: Callable[..., None] | None, limit: int | None) -> Report | None:
    """Return what is called as the search goes on: progress(work, limit, "best 37, bound 21"), or without the
    words where the function takes two numbers.
    """
    if progress is None:
        return None
    try:
        inspect.signature(progress).bind(0, 0, "")
    except TypeError:
        return lambda work, best, bound: progress(work, limit or 0)
    return lambda work, best, bound: progress(work, limit or 0, f"best {best:,.6g}, bound {bound:,.6g}")


# ---- distinct rows in the form of the compiled search ----


@dataclass(frozen=True, eq=False)
class Points:
    """classes[row], weights[row] in units of the table. numbers[at]: the column's position in `schema.used`,
    of the at-th column by name; values[at][code] of numbers, empty for levels.
    """

    schema: Schema
    classes: Ints
    weights: Ints
    groups: Ints  # [row]: rows of one group differ in their class alone
    numbers: tuple[int, ...]
    columns: tuple[SearchColumn, ...]
    values: tuple[NDArray[np.float64], ...]

    @classmethod
    def of(cls, schema: Schema, columns: tuple[int, ...], found: RowCells) -> Points:
        """Return the rows of a total that was asked for with these columns."""
        by_name = sorted(range(len(columns)), key=lambda at: schema.used[columns[at]].name.encode())
        coded = [_coded(schema, columns[at], found.cells[:, at]) for at in by_name]
        return cls(
            schema,
            found.cells[:, -1].astype(np.int64),
            found.weights,
            groups_of(found.cells[:, :-1]),
            tuple(columns[at] for at in by_name),
            tuple(column for column, _ in coded),
            tuple(values for _, values in coded),
        )

    @cached_property
    def counts(self) -> Ints:
        """The weight of each class."""
        out = np.zeros(len(self.schema.predicted.labels), np.int64)
        np.add.at(out, self.classes, self.weights)
        return out

    def floor(self, loss: Ints) -> Ints:
        """Return what no tree saves of loss[row, answer], at the first row of each group: equal rows get one
        answer.
        """
        _, first = np.unique(self.groups, return_index=True)
        together = np.zeros((len(first), loss.shape[1]), np.int64)
        np.add.at(together, self.groups, loss)
        out = np.zeros(len(loss), np.int64)
        out[first] = together.min(axis=1)
        return out


def _coded(schema: Schema, j: int, cells: NDArray[np.uint64]) -> tuple[SearchColumn, NDArray[np.float64]]:
    """Return a column as codes, missing last, and the numbers they stand for."""
    column = schema.used[j]
    if column.kind in CODED:
        codes = np.minimum(cells, len(column.levels)).astype(np.uint32)
        return SearchColumn(column.kind == "levels", len(column.levels), codes), np.empty(0)
    given = np.ascontiguousarray(cells).view(np.float64)
    lost = np.isnan(given)
    values, place = np.unique(given[~lost], return_inverse=True)
    codes = np.full(len(given), len(values), np.uint32)
    codes[~lost] = place
    return SearchColumn(False, len(values), codes), values


# ---- the learner ----
#
# Law: the same total gives the same tree, whatever the threads; only a clock or an interrupt can change that.


Report = Callable[[int, float, float], None]  # work, best, bound


@dataclass(frozen=True)
class Running:
    """How the search is run: no part of what is learnt, unless it is cut off; report: called as it goes."""

    threads: int = 1
    seconds: float | None = None
    report: Report | None = None


@dataclass(frozen=True)
class OptimalLearner:
    """The learner of the contracts; unit, row_unit: as a table has them."""

    options: OptimalOptions
    unit: int = 1
    answers: Answers = field(default_factory=Answers)
    row_unit: int = 0
    running: Running = field(default_factory=Running)

    def learn(self, schema: Schema) -> Generator[Statistic[RowCells], RowCells, Tree]:
        """Ask for all distinct rows, and search."""
        columns = tested_columns(schema)
        total = yield DistinctRows(schema, columns)
        points = Points.of(schema, columns, total)
        depth, leaves = self.options.size(len(points.classes))
        target = schema.predicted
        costs = cost_table(self.options.costs, target)
        weights = class_weights(self.options.class_weight, None, target)
        losses = Losses.of(
            points.classes,
            points.weights,
            price_table(weights, costs, points.counts),
            self.options.leaf_price,
            leaves,
            self.unit,
        )
        search = Search(
            points.columns, losses.form, losses.loss, points.floor(losses.loss), losses.worth, losses.leaf
        )
        ended = self._run(search, losses, depth, leaves)
        measure = "cost" if costs else "weighted errors" if weights else "errors"
        nodes = _nodes(points, search.tests)
        found = losses.loss_of(search.key)
        certificate = Certificate(
            measure,
            self.options.max_depth,
            self.options.max_leaf_nodes,
            float(self.options.leaf_price),
            losses.loss_of(search.key - nodes.leaves * (losses.leaf - 1)),
            nodes.leaves,
            found,
            min(losses.loss_of(search.bound), found),
            ended,
            search.work,
        )
        counted = 0 if self.unit == 1 else self.row_unit
        return Tree(schema, nodes, self.unit, self.answers, None, counted, certificate)

    def _run(self, search: Search, losses: Losses, depth: int, leaves: int) -> str:
        """Search round by round; return how it ended. An interrupt ends it with the best tree so far."""
        run, began = self.running, time.monotonic()
        search.start(depth, leaves, self.options.max_work, run.seconds)
        try:
            rounds(search, run, lambda: (losses.loss_of(search.key), losses.loss_of(search.bound)))
        except KeyboardInterrupt:
            search.merge()
            return "proven" if search.bound >= search.key else "interrupted"
        if search.bound >= search.key:
            return "proven"
        late = run.seconds is not None and time.monotonic() - began >= run.seconds
        return "seconds" if late else "max_work"


def rounds(search: Search, run: Running, reached: Callable[[], tuple[float, float]]) -> None:
    """Do all rounds of a search. They run in threads, also one alone, so that the caller stays free to see an
    interrupt; whatever ends the wait stops them, and none is left behind.
    """
    with crew(run.threads) as every:
        try:
            while cuts := search.plan():
                checkpoint()
                every(search.evaluate, range(cuts))
                search.merge()
                if run.report is not None:
                    run.report(search.work, *reached())
        except BaseException:
            search.stop()
            raise


def _nodes(points: Points, tests: list[TestFound]) -> Nodes:
    """Return the tests as nodes, with the counts of the rows that come to them."""
    size, labels = len(tests), len(points.schema.predicted.labels)
    counts = np.zeros((size, labels), np.int64)
    column, missing = np.full(size, -1, np.int32), np.full(size, STAYS, np.int32)
    cut, gain = np.full(size, np.nan), np.zeros(size)
    children, levels = np.zeros(size, np.int32), [np.empty(0, np.int32)] * size
    waiting = [np.arange(len(points.classes))]
    parents: list[int] = []
    for node, test in enumerate(tests):
        rows = waiting.pop()
        np.add.at(counts[node], points.classes[rows], points.weights[rows])
        if test.column < 0:
            continue
        own = points.columns[test.column]
        codes = own.codes[rows]
        known = codes != test.low if own.levels else codes >= test.high
        if test.high == own.k:
            known = np.zeros(len(rows), bool)
        right = np.where(codes == own.k, test.missing == 1, known)
        weight = points.weights[rows]
        lost = test.missing if test.missing >= 0 else int(weight[right].sum() > weight[~right].sum())
        column[node], missing[node], children[node] = points.numbers[test.column], lost, 2
        cut[node], levels[node] = _test(points, test, rows, lost)
        waiting += [rows[right], rows[~right]]
        parents.append(node)
    start = np.concatenate([[0], np.cumsum([len(b) for b in levels])]).astype(np.int64)
    nodes = Nodes(counts, column, cut, children, start, np.concatenate(levels), missing, gain)
    for node in parents:
        gain[node] = _gain(counts, node, nodes.branches(node).tolist())
    return nodes


def _test(
    points: Points, test: TestFound, rows: NDArray[np.int64], lost: int
) -> tuple[float, NDArray[np.int32]]:
    """Return the cut of a test of numbers, or the branch of each level."""
    column, values = points.columns[test.column], points.values[test.column]
    alone = test.high == column.k
    numeric = points.schema.used[points.numbers[test.column]].kind == "numeric"
    if numeric:
        if alone:
            return NO_CUT, np.empty(0, np.int32)
        low, high = float(values[test.low]), float(values[test.high])
        middle = 0.5 * low + 0.5 * high
        return middle if middle > low else high, np.empty(0, np.int32)
    if alone:
        return np.nan, np.zeros(column.k, np.int32)
    if not column.levels:
        return np.nan, (np.arange(column.k) >= test.high).astype(np.int32)
    branch = np.full(column.k, lost, np.int32)  # a level that no row here has goes where missing ones do
    branch[np.unique(column.codes[rows][column.codes[rows] < column.k])] = 1
    branch[test.low] = 0
    return np.nan, branch


def _gain(counts: Ints, node: int, below: list[int]) -> float:
    """Return the information gain of a test, in bits a row."""

    def bits(n: Ints) -> float:
        there = n[n > 0].astype(np.float64)
        return float((there * kernels.log2(there.sum() / there)).sum()) if len(there) else 0.0

    left = sum(bits(counts[b]) for b in below)
    return max(bits(counts[node]) - left, 0.0) / float(counts[node].sum())


def guarded_optimal(estimator: Any, table: Table) -> Any:
    """Return the tree, searched for again where a leaf holds a single row: at a higher and higher price of a
    leaf none does.
    """
    found, price = estimator, max(1.0, estimator.leaf_price)
    while found.get_n_leaves() > 1 and bool((found.model_.rows.sum(axis=1) <= 1).any()):
        found = type(estimator)(**estimator.get_params(deep=False) | {"leaf_price": price})._fit_table(table)
        price *= 2
    return found
