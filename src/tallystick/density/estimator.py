"""`DensityTree`: the estimator; rows drawn from it (`drawn_table`); explanation of a row; the tree drawn."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.contracts import Block, Engine, Table
from tallystick.density.model import (
    HELD_OUT,
    KIND,
    ColumnCells,
    DensityModel,
    DensityOptions,
    Leaf,
    leaves_of,
    percent,
    read,
)
from tallystick.draw.charts import bar_chart
from tallystick.draw.svg import Picture, Span, as_html, plain, table
from tallystick.errors import DataError, OptionError, clean, shown
from tallystick.estimator.base import Estimator
from tallystick.model.conditions import footnote, number, reachable, rows
from tallystick.model.file import is_whole
from tallystick.schema import Columns, Note, Schema
from tallystick.tree.picture import OTHERS, Box, tree_picture

if TYPE_CHECKING:
    from tallystick.density.learner import DensityLearner


FOLDS = 5
SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)  # leaves, chosen by held-out rows


class DensityTree(Estimator):
    """A tree without a target: its leaves hold the distribution of all columns.

    A test parts the rows where that makes them most likely: where it tells most about all other columns.
    Within a leaf the columns are taken as independent: levels by their counts, numbers in pieces.

    Parameters
    ----------
    pruning : {"length", "held-out"} or None, default "length"
        The grown tree is cut back to the shortest description of tree and rows, or to the number of leaves
        under which held-out rows are likeliest (five folds); None keeps it whole.
    max_leaf_nodes : int, default None
        The most leaves, those of the largest gains; None: no limit.
    max_depth : int, default None
        The most tests on the way to a leaf; None: no limit.
    min_samples_leaf : int, default 5
        The fewest rows in a leaf. A whole weight counts as so many rows; where weights are not whole, a row
        of the mean weight counts as one.
    pieces : int, default 16
        The most pieces that a number is cut into, of about equally many rows; a value of many rows has a
        piece of its own, and so have few distinct values.
    alpha : float, default 8.0
        How many rows the shares of all rows weigh in a leaf: its own shares are held towards them.
    columns : ts.Columns, default None
        What you know of the columns: kinds, levels, marks of missing values, columns to keep.
    kinds : dict, default None
        Short for `columns=ts.Columns(kinds=...)`.
    engine : ts.Local, ts.Spark or ts.Sql, default None
        Who sums the rows; None is this machine. It changes no model.
    threads, memory : int; int or str, default None
        Short for `engine=ts.Local(threads=..., memory=...)`: all cores, and all rows in memory.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"age": 20 + n % 5, "home": "rents"} for n in range(60)]
    >>> rows += [{"age": 60 + n % 5, "home": "owns"} for n in range(40)]
    >>> for leaf in ts.DensityTree().fit(rows).leaves_:
    ...     print(leaf)
    60 % of rows: age 20 to 24, home = rents
    40 % of rows: age 60 to 64, home = owns
    """

    _kind = KIND
    _predicts: ClassVar[bool] = False
    _estimator_type = "DensityEstimator"
    model_: DensityModel

    def __init__(
        self,
        *,
        pruning: str | None = "length",
        max_leaf_nodes: int | None = None,
        max_depth: int | None = None,
        min_samples_leaf: int = 5,
        pieces: int = 16,
        alpha: float = 8.0,
        columns: Columns | None = None,
        kinds: Mapping[str, str] | None = None,
        engine: Engine | None = None,
        threads: int | None = None,
        memory: int | str | None = None,
    ) -> None:
        self.pruning = pruning
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.pieces = pieces
        self.alpha = alpha
        self.columns = columns
        self.kinds = kinds
        self.engine = engine
        self.threads = threads
        self.memory = memory

    def _options(self) -> DensityOptions:
        return DensityOptions(**{name: getattr(self, name) for name in DensityOptions.__slots__})

    # -- fitting --

    def fit(self, X: Any, y: None = None, sample_weight: Any = None) -> Self:
        """Learn from rows.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix or records
            The rows; all columns count.
        y : None, default None
            Nothing: a density tree has no target.
        sample_weight : array or str, default None
            The weight of each row; None is 1.

        Returns
        -------
        self
            The fitted tree.
        """
        return super().fit(X, y, sample_weight)

    def _read(self, X: Any, y: Any = None, sample_weight: Any = None) -> Table:
        """Return the encoded table that is learnt from."""
        if y is not None:
            raise OptionError(
                "a density tree has no target: all columns count alike. Leave out y; a column that should "
                "not count is kinds={'NAME': 'out'}."
            )
        return super()._read(X, None, sample_weight)

    def _learn(self, table: Table, engine: Engine) -> tuple[DensityModel, tuple[Note, ...]]:
        from tallystick.density.learner import pruned
        from tallystick.engine import fit

        if not table.weight:
            raise DataError("there is no row to learn from. Pass at least one.")
        notes: list[Note] = []
        options = self._options()
        if options.pruning == HELD_OUT:
            leaves = self._best_size(table, engine, options)
            notes.append(
                Note("leaves-chosen", f"rows held out in {FOLDS} folds are likeliest with {leaves} leaves.")
            )
            model = fit(self._learner(table, options, notes), table, engine)
            return pruned(model, leaves), tuple(notes)
        return fit(self._learner(table, options, notes), table, engine), tuple(notes)

    def _learner(
        self, table: Table, options: DensityOptions, notes: list[Note] | None = None
    ) -> DensityLearner:
        from tallystick.density.learner import DensityLearner

        patience = {"patience": None} if options.pruning is None else {}
        return DensityLearner(options, table.weight, table.unit, table.row_unit, notes=notes, **patience)

    def _best_size(self, table: Table, engine: Engine, options: DensityOptions) -> int:
        """Return the number of leaves under which rows held out are likeliest; of equals the smallest."""
        from tallystick.engine import fit
        from tallystick.judge.folds import deal

        terms: dict[int, list[float]] = {size: [] for size in SIZES}
        for training, tested in deal(table, FOLDS).halves(table):
            grown = fit(self._learner(training, options), training, engine)
            held = likelihoods(grown, tested, SIZES)
            for size, own in terms.items():
                own += held[size]
        sums = {size: math.fsum(own) for size, own in terms.items()}  # exact, so in any order of rows
        return max(SIZES, key=lambda size: (sums[size], -size))

    def _restore(self, document: Mapping[str, Any]) -> None:
        self._set_stored(document["parameters"])
        schema = Schema.from_dict(document["schema"])
        rows = dict(document["rows"])
        model = read(document["model"], schema, rows["unit"], float(self.alpha))
        self._adopt(model, tuple(Note(**n) for n in document["notes"]), rows)
        self._set_columns(list(schema.given), named=True)

    @property
    def transform(self) -> Any:
        """There is none: rows are scored where they can be read."""
        raise AttributeError("a density tree transforms no rows. Use score_samples(rows) or apply(rows).")

    @property
    def leaves_(self) -> tuple[Leaf, ...]:
        """The leaves, each with its share of the rows and its columns in words, the most telling first."""
        self._check_fitted()
        return leaves_of(self.model_)

    def score_samples(
        self, X: Any, *, lenient: bool = False, missing_columns: str = "error"
    ) -> NDArray[np.float64]:
        """Return the log-likelihood of each row: log P for levels, log density for numbers.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix, records or dict
            New rows, with the columns of the fit; a dict of values is one row.
        lenient : bool, default False
            Whether cells that cannot be read as numbers count as missing; otherwise they are an error.
        missing_columns : {"error", "as-missing"}, default "error"
            What to do about columns of the fit that are not there.

        Returns
        -------
        array [row]
            The natural logarithms.
        """
        self._check_fitted()
        reading: dict[str, Any] = {"lenient": lenient, "missing_columns": missing_columns}
        parts = list(self._each_block(X, self.model_.log_shares, unread="keep", **reading))
        return np.concatenate([np.empty((0, 1)), *parts])[:, 0]

    def score(self, X: Any, y: None = None, sample_weight: Any = None) -> float:
        """Return the mean log-likelihood of rows: larger is better, on rows that were not learnt from.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix or records
            The rows.
        y : None, default None
            Nothing: a density tree has no target.
        sample_weight : array, default None
            The weight of each row; None is 1.

        Returns
        -------
        float
            The mean, in nats a row.
        """
        found = self.score_samples(X)
        if sample_weight is None:
            return math.fsum(found) / len(found) if len(found) else math.nan
        weights = np.asarray(sample_weight, dtype=np.float64)
        if weights.shape != found.shape:
            raise DataError(
                f"sample_weight has {len(weights):,} weights for {len(found):,} rows. Pass one per row."
            )
        return math.fsum(found * weights) / math.fsum(weights)

    def apply(self, X: Any, *, lenient: bool = False, missing_columns: str = "error") -> NDArray[np.int64]:
        """Return the leaf that each row comes to, as `leaves_` counts them.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix, records or dict
            New rows, with the columns of the fit; a dict of values is one row.
        lenient : bool, default False
            Whether cells that cannot be read as numbers count as missing; otherwise they are an error.
        missing_columns : {"error", "as-missing"}, default "error"
            What to do about columns of the fit that are not there.

        Returns
        -------
        array [row]
            Numbers of leaves from 0.
        """
        self._check_fitted()
        reading: dict[str, Any] = {"lenient": lenient, "missing_columns": missing_columns}
        parts = list(self._each_block(X, self.model_.leaf_of, **reading))
        return np.concatenate([np.empty(0, np.int64), *parts])

    def sample(self, n: int = 1, seed: int = 0) -> pa.Table:
        """Return rows drawn from the tree: a leaf by its share, then each column by its distribution there.

        Only values as the training rows had them are drawn: levels that were seen and numbers within the
        range, though others have a small share in `score_samples`.

        Parameters
        ----------
        n : int, default 1
            How many rows.
        seed : int, default 0
            Where drawing begins: the same seed gives the same rows, on any machine.

        Returns
        -------
        pyarrow.Table
            The rows, with the columns of the fit; `to_pandas()` makes a frame of them.
        """

        self._check_fitted()
        for name, value, high in (("n", n, 10**9), ("seed", seed, 2**63 - 1)):
            if not is_whole(value) or not 0 <= value <= high:
                raise OptionError(f"{name} must be a whole number from 0 to {high:,}, not {shown(value)}.")
        return drawn_table(self.model_, int(n), int(seed))

    def show(self, most: int = 5, leaves: int = 20) -> str:
        """Return a sentence for each leaf, those of most rows first.

        Parameters
        ----------
        most : int, default 5
            The most columns that a sentence tells.
        leaves : int, default 20
            The most leaves to tell.

        Returns
        -------
        str
            Lines of text.
        """
        from tallystick.tree.view import count

        self._check_fitted()
        for name, value in (("most", most), ("leaves", leaves)):
            if not is_whole(value) or value < 1:
                raise OptionError(f"{name} must be a whole number of at least 1, not {shown(value)}.")
        ordered = sorted(leaves_of(self.model_), key=lambda leaf: -leaf.share)
        lines = [leaf.sentence(int(most)) for leaf in ordered]
        if len(lines) > leaves:
            left = count(len(lines) - int(leaves), "leaf")
            lines = [*lines[: int(leaves)], f"… and {left} more; show(leaves={len(lines)}) tells all."]
        return "\n".join([self._heading(), *lines])

    def _heading(self) -> str:
        from tallystick.tree.view import count

        model = self.model_
        all_rows = count(float(model.nodes.counts[0, 0]) / model.unit, "row")
        return (
            f"Density tree of {count(len(model.cells), 'column')}: {all_rows}, "
            f"{count(len(model.leaves), 'leaf')}, depth {int(model.nodes.depth.max())}"
        )

    def _as_text(self) -> str:
        return self.show()

    def picture(self, most: int = 63) -> Picture:
        """Return the tree as a picture.

        Parameters
        ----------
        most : int, default 63
            The most boxes to draw.

        Returns
        -------
        Picture
            SVG; `save` writes it.
        """

        self._check_fitted()
        if not is_whole(most) or most < 1:
            raise OptionError(f"most must be a whole number of at least 1, not {shown(most)}.")
        return Picture(density_svg(self.model_, int(most)))

    def _in_notebook(self) -> str:
        from tallystick.draw.svg import framed

        return framed(self.picture(), text=self._as_text())

    def _numbers(self) -> int | None:
        """Return how many numbers a reader of the model must look at."""
        tests = len(self.model_.nodes) - len(self.model_.leaves)
        return tests + sum(own.size for own in self.model_.counts)

    def __sklearn_tags__(self) -> Any:
        """Return tags for scikit-learn, which is loaded when this is called."""
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type="density_estimator",
            target_tags=TargetTags(required=False),
            input_tags=InputTags(allow_nan=True, string=True, categorical=True, sparse=True),
        )


def likelihoods(grown: DensityModel, tested: Table, sizes: Sequence[int]) -> dict[int, list[float]]:
    """Return the weighted log-likelihoods of rows under the tree cut back to each number of leaves."""
    from tallystick.density.learner import pruned

    out: dict[int, list[float]] = {}
    for size in sizes:
        most = min(size, len(grown.leaves))
        if most in out:
            out[size] = out[most]
            continue
        model, out[size] = pruned(grown, most), []
        for block in tested.blocks():
            assert block.weights is not None
            here = block.weights > 0
            out[size] += (model.log_shares(block)[here, 0] * block.weights[here]).tolist()
        out[most] = out[size]
    return out


# ---- rows drawn from a density tree, as an Arrow table ----
#
# Draws are 53 bits of PCG64, whose stream NumPy keeps for good; a share is a whole number of 2^-53, so whole
# numbers are compared, and the same seed gives the same rows anywhere.

Ints = NDArray[np.int64]
BITS = 53


def drawn_table(model: DensityModel, n: int, seed: int) -> pa.Table:
    """Return n rows."""
    bits = np.random.PCG64(seed)
    leaf = _drawn(bits, model.nodes.counts[model.leaves, 0].astype(np.float64), n)
    arrays, names = [], []
    for j, own in enumerate(model.cells):
        code = np.zeros(n, np.int64)
        for i in range(len(model.leaves)):
            here = np.flatnonzero(leaf == i)
            code[here] = _drawn(bits, model.leaf_shares[j][i, : own.k + 1], len(here))
        arrays.append(_column(own, code, bits))
        names.append(own.name)
    return pa.Table.from_arrays(arrays, names=names)


def _raw(bits: np.random.PCG64, n: int) -> Ints:
    """Return n whole numbers below 2^53, each as likely as any other."""
    if not n:
        return np.empty(0, np.int64)
    out: Ints = (bits.random_raw(n) >> np.uint64(64 - BITS)).astype(np.int64)
    return out


def _drawn(bits: np.random.PCG64, shares: NDArray[np.float64], n: int) -> Ints:
    """Return n places drawn by shares, which need not sum to 1."""
    ends = np.add.accumulate(shares)  # in their order: the same bits on every machine
    whole = np.floor(np.ldexp(ends / ends[-1], BITS)).astype(np.int64)
    out: Ints = np.searchsorted(whole, _raw(bits, n), side="right")
    return out


def _column(own: ColumnCells, code: Ints, bits: np.random.PCG64) -> pa.Array:
    """Return the cells of a column; code k is missing."""
    missing = code == own.k
    if not own.numeric:
        return pa.array([None if c == own.k else own.column.levels[c] for c in code.tolist()], pa.string())
    at = np.where(missing, 0, code)
    low, high = own.edges[at], own.edges[at + 1]
    part = np.ldexp(_raw(bits, len(code)).astype(np.float64), -BITS)
    values = low / 2 + part * (high / 2 - low / 2)
    values = np.clip(2 * values, own.column.low, own.column.high)
    if own.whole:
        values = np.clip(np.floor(low + 0.5) + np.floor(part * (high - low)), own.column.low, own.column.high)
    if own.column.unit == "date":
        first = datetime.datetime(1970, 1, 1)
        dates = [
            None if gone else first + datetime.timedelta(days=days)
            for days, gone in zip(values.tolist(), missing.tolist(), strict=True)
        ]
        return pa.array(dates, pa.date32() if own.whole else pa.timestamp("us"))
    return pa.array(values.astype(np.int64) if own.whole else values, mask=missing)


# ---- explanation of a row's likelihood: its leaf, and the term of each column there; the tree drawn ----
#
# Law: the parts shown add up to the log-likelihood of the row.

LINES, WIDEST = 4, 56  # columns in a leaf's box, and letters of one


@dataclass(frozen=True, slots=True)
class CellTerm:
    """A column of the row: its value in words, the share of its cell in the leaf and in all rows, and the log
    density that it adds.
    """

    column: str
    value: str
    share: float
    overall: float
    term: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "column": self.column,
            "value": self.value,
            "share": self.share,
            "overall": self.overall,
            "log_density": self.term,
        }


@dataclass(frozen=True)
class DensityExplanation:
    """The leaf of a row, and what each column adds to its log-likelihood, the least likely first."""

    leaf: Leaf
    log_leaf: float
    terms: tuple[CellTerm, ...]
    log_likelihood: float
    classes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "leaf": self.leaf.to_dict(),
            "log_leaf": self.log_leaf,
            "columns": [t.to_dict() for t in self.terms],
            "log_likelihood": self.log_likelihood,
        }

    def picture(self) -> Picture:
        """Return what each column adds as bars: how much less likely its value is in this leaf than the
        likeliest.
        """
        bars = [(f"{t.column} {t.value}", t.share) for t in self.terms]
        return Picture(bar_chart(bars, "share of the leaf's rows like this one", "the row in its leaf"))

    def _repr_html_(self) -> str:
        return as_html(self)

    def __str__(self) -> str:
        lines = [
            f"leaf {self.leaf.number}, {clean(self.leaf.sentence())}",
            f"log-likelihood {self.log_likelihood:.4f}: the log of the leaf's share of rows, "
            f"{self.log_leaf:.4f}, and what the columns add",
        ]
        body = [
            [
                Span(clean(t.column)),
                Span(clean(t.value)),
                Span(f"{t.share:.4f}"),
                Span(f"{t.overall:.4f}"),
                Span(f"{t.term:.4f}"),
            ]
            for t in self.terms
        ]
        heads = ["column", "value", "in the leaf", "of all rows", "log density"]
        return "\n".join([*lines, plain(table(heads, body, frozenset({2, 3, 4}), 80))])

    __repr__ = __str__


def explain(model: DensityModel, block: Block, row: int) -> DensityExplanation:
    """Return why one row of a block is as likely as it is."""
    leaf, terms = model.terms(block)
    at = int(leaf[row])
    found = []
    for j, own in enumerate(model.cells):
        code = int(own.outcomes(block)[0][row])
        found.append(
            CellTerm(
                own.name,
                _value(own, block, row, code),
                float(model.leaf_shares[j][at, code]),
                float(model.overall[j][code]),
                float(terms[j][row]),
            )
        )
    order = sorted(range(len(found)), key=lambda j: (found[j].share, j))
    total = float(model.log_shares(block)[row, 0])
    log_leaf = float(model.log_leaf[at])
    return DensityExplanation(leaves_of(model)[at], log_leaf, tuple(found[j] for j in order), total)


def _value(own: ColumnCells, block: Block, row: int, code: int) -> str:
    """Return the cell of a row in words."""
    if code == own.k:
        return "missing"
    if own.numeric:
        return number(float(block.values(own.name)[row]), own.column)
    return own.column.levels[code] if code < own.k else "a level never seen"


def density_svg(model: DensityModel, most: int) -> str:
    """Return the tree as a picture: leaves with their share of rows and the columns that differ there."""
    nodes, unit = model.nodes, model.unit
    leaves = dict(zip(model.leaves.tolist(), leaves_of(model), strict=True))
    total = float(nodes.counts[0, 0])
    boxes = []
    for node in range(min(len(nodes), most)):
        up = int(nodes.parent[node])
        branch = "" if up < 0 else _branch(model, up, node)
        share = float(nodes.counts[node, 0]) / total
        lines = [f"{percent(share)} of rows"] if up >= 0 else [f"all {rows(nodes.counts[0, 0], unit)} rows"]
        leaf = leaves.get(node)
        if leaf is not None:
            lines += [_short(str(t)) for t in leaf.unusual(LINES)]
        hint = "" if leaf is None else leaf.sentence(len(model.cells))
        parts = ((OTHERS, share),)
        boxes.append(Box(up, branch, tuple(lines), parts, share, strong=leaf is not None, hint=hint))
    left = len(nodes) - len(boxes)
    more = f" (the first {len(boxes)} of {len(nodes)} nodes)" if left else ""
    note = f"A bar is the share of all rows. {footnote(model.schema, nodes)}".strip()
    return tree_picture(boxes, (), f"density tree{more}", note)


def _branch(model: DensityModel, up: int, node: int) -> str:
    branch = model.nodes.branches(up).tolist().index(node)
    return _short(reachable(model.schema, model.nodes, up, branch).sentence(WIDEST))


def _short(text: str) -> str:
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"
