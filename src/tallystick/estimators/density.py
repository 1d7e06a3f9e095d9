"""`DensityTree`: a tree without a target, its leaves the distribution of all columns.

Knows the learner, the model and how to show it. Knows nothing of sums.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Engine, Table
from tallystick.data.schema import Columns, Note, Schema
from tallystick.draw.svg import Picture
from tallystick.errors import DataError, OptionError, shown
from tallystick.estimators.base import Estimator
from tallystick.models.density.file import read
from tallystick.models.density.model import KIND, DensityModel
from tallystick.models.density.options import HELD_OUT, DensityOptions
from tallystick.models.plain import is_whole

if TYPE_CHECKING:
    import pyarrow as pa

    from tallystick.learners.density import DensityLearner
    from tallystick.models.density.sentences import Leaf

FOLDS = 5
SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)  # leaves that held-out rows choose from


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
        from tallystick.learners.density.grown import pruned
        from tallystick.learners.fit import fit

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
        from tallystick.learners.density import DensityLearner

        patience = {"patience": None} if options.pruning is None else {}
        return DensityLearner(options, table.weight, table.unit, table.row_unit, notes=notes, **patience)

    def _best_size(self, table: Table, engine: Engine, options: DensityOptions) -> int:
        """Return the number of leaves under which rows held out are likeliest; of equals the smallest."""
        from tallystick.evaluate import deal
        from tallystick.learners.fit import fit

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

    # -- what it tells --

    @property
    def leaves_(self) -> tuple[Leaf, ...]:
        """The leaves, each with its share of the rows and its columns in words, the most telling first."""
        from tallystick.models.density.sentences import leaves_of

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
        from tallystick.estimators.density_rows import drawn_table

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
        from tallystick.explain.density import told
        from tallystick.models.tree.text import count

        self._check_fitted()
        for name, value in (("most", most), ("leaves", leaves)):
            if not is_whole(value) or value < 1:
                raise OptionError(f"{name} must be a whole number of at least 1, not {shown(value)}.")
        lines = told(self.model_, int(most))
        if len(lines) > leaves:
            left = count(len(lines) - int(leaves), "leaf")
            lines = [*lines[: int(leaves)], f"… and {left} more; show(leaves={len(lines)}) tells all."]
        return "\n".join([self._heading(), *lines])

    def _heading(self) -> str:
        from tallystick.models.tree.text import count

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
        from tallystick.explain.density import density_svg

        self._check_fitted()
        if not is_whole(most) or most < 1:
            raise OptionError(f"most must be a whole number of at least 1, not {shown(most)}.")
        return Picture(density_svg(self.model_, int(most)))

    def _in_notebook(self) -> str:
        from tallystick.draw.notebook import framed

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
    from tallystick.learners.density.grown import pruned

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
