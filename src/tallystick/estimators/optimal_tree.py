"""`OptimalTree`: the tree of a small depth that makes the fewest training errors, with the proof.

Knows the learner and the model. Knows nothing of how the search goes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np

from tallystick.contracts import Engine, Model
from tallystick.data.schema import Columns, Note, Target
from tallystick.data.threads import thread_count
from tallystick.errors import OptionError, shown
from tallystick.estimators.parameters import PLACES, Parameters
from tallystick.estimators.tree import ClassTree
from tallystick.estimators.tree_settings import plain_value, text_notes
from tallystick.learners.optimal.options import OptimalOptions
from tallystick.models.costs import cost_table
from tallystick.models.plain import is_number
from tallystick.models.tree import Answers, Tree
from tallystick.models.tree.certificate import Certificate
from tallystick.models.tree.weights import class_weights

if TYPE_CHECKING:
    from tallystick.contracts import Table
    from tallystick.learners.optimal.learner import Told

OWN = tuple(OptimalOptions.__dataclass_fields__)


class OptimalTree(ClassTree):
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
        Parameters._set_stored(self, parameters)

    def _grow(self, table: Table, engine: Engine, candidates: bool = False) -> Tree:
        """Return the best tree; no tree of a search has candidates."""
        from tallystick.learners.fit import fit
        from tallystick.learners.optimal.learner import OptimalLearner, Running

        work = self._local()
        running = Running(thread_count(work.threads), self.seconds, told(work.progress, self.max_work))
        answers = self._answers(table.schema.target)
        learner = OptimalLearner(self._options(), table.unit, answers, table.row_unit, running)
        return fit(learner, table, engine)

    def _learn(
        self, table: Table, engine: Engine, candidates: bool = False
    ) -> tuple[Model, tuple[Note, ...]]:
        tree = self._grow(table, engine, candidates)
        self._table = None if table.place == "disk" else table
        notes = [*text_notes(table.schema), *search_notes(tree.certificate)]
        return tree, tuple(notes)

    def _fit_settings(self, settings: Sequence[Any], training: Table, roughly: bool = False) -> None:
        """Return None: every setting is searched for by itself."""

    def splits(self, node: int = 0) -> NoReturn:
        """Refuse: no test of an optimal tree was chosen by itself.

        Parameters
        ----------
        node : int, default 0
            Not looked at.

        Returns
        -------
        nothing
            It is always an error, which says what to do instead.
        """
        raise OptionError(
            "the tests of an optimal tree were chosen together, not one by one. Print certificate_, or "
            "compare with a grown tree by against()."
        )

    def pruning_path(self, data: Any = None, folds: Any = 10, held_out: Any = None) -> NoReturn:
        """Refuse: the size of an optimal tree is searched for.

        Parameters
        ----------
        data : rows or (X, y), default None
            Not looked at.
        folds : int or list of shares, default 10
            Not looked at.
        held_out : rows or (X, y), default None
            Not looked at.

        Returns
        -------
        nothing
            It is always an error, which says what to do instead.
        """
        raise OptionError(
            "an optimal tree is not pruned. Fit it again with leaf_price=, or with a lower max_depth."
        )

    def prune(self, kind: Any = "cost-complexity", data: Any = None, **wanted: Any) -> NoReturn:
        """Refuse: the size of an optimal tree is searched for.

        Parameters
        ----------
        kind : str, default "cost-complexity"
            Not looked at.
        data : rows or (X, y), default None
            Not looked at.
        **wanted
            Not looked at.

        Returns
        -------
        nothing
            It is always an error, which says what to do instead.
        """
        self.pruning_path()


def search_notes(proof: Certificate | None) -> list[Note]:
    """Say of a search that was cut off what is still proven."""
    if proof is None or proof.proven:
        return []
    text = f"the search was cut off: {proof}"
    if not proof.reproducible:
        text += " Another run may give another tree; max_work= gives the same everywhere."
    return [Note("not-proven", text)]


def told(progress: Callable[..., None] | None, limit: int | None) -> Told | None:
    """Return how the search tells of itself: progress(work, limit, "best 37, bound 21"), or without the words
    where the function takes two numbers.
    """
    if progress is None:
        return None
    try:
        inspect.signature(progress).bind(0, 0, "")
    except TypeError:
        return lambda work, best, bound: progress(work, limit or 0)
    return lambda work, best, bound: progress(work, limit or 0, f"best {best:,.6g}, bound {bound:,.6g}")
