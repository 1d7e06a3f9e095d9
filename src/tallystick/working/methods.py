"""`work`: fit a method to a small table and tell how it is done by hand.

Knows the estimators and which solver tells of which. Knows nothing of formats.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tallystick.errors import OptionError, nearest, shown
from tallystick.working.document import Part, Working
from tallystick.working.given import MOST_WHOLE


@dataclass(frozen=True)
class Task:
    """What is to be worked out: a fitted estimator, its table, and a row to answer, if one is given: rows and
    a place among them.
    """

    estimator: Any
    table: Any
    title: str
    row: tuple[Any, int] | None = None

    @property
    def whole(self) -> bool:
        """Whether the table is small enough to be worked out whole."""
        return bool(self.table.rows <= MOST_WHOLE)


def _trees(name: str) -> Callable[..., Any]:
    def make(**settings: Any) -> Any:
        from tallystick.estimators import DecisionTree

        return getattr(DecisionTree, name)(**settings) if name else DecisionTree(**settings)

    return make


@dataclass(frozen=True)
class WorkedMethod:
    """One method: how its estimator is made, who tells of it, and what the page is called."""

    make: Callable[..., Any]
    solve: Callable[[Task], list[Part]]
    title: str


def _tree(task: Task) -> list[Part]:
    from tallystick.working.tree_task import tree_parts

    return tree_parts(task.estimator, task.table, task.title, task.row, task.whole)


METHODS = {
    "id3": WorkedMethod(_trees("id3"), _tree, "Decision tree by ID3"),
    "c45": WorkedMethod(_trees("c45"), _tree, "Decision tree by C4.5"),
    "cart": WorkedMethod(_trees("cart"), _tree, "Decision tree by CART"),
    "tree": WorkedMethod(_trees(""), _tree, "Decision tree"),
}


def work(
    X: Any,
    y: Any,
    *,
    method: str = "id3",
    row: Any = None,
    blank: bool = False,
    answers: bool = False,
    **settings: Any,
) -> Working:
    """Return the complete worked solution of a small table: every count, formula and choice of a method.

    Tables of up to 300 rows are worked out whole; of larger ones a tree is worked out at its root.

    Parameters
    ----------
    X : path, frame, Arrow table, matrix or records
        The rows.
    y : str or array
        The labels, or the name of their column.
    method : {"id3", "c45", "cart", "tree"}, default "id3"
        What is worked out.
    row : dict or int, default None
        A row to answer, by its values or by its place in X, from 0.
    blank : bool, default False
        Whether the answers are left out: a sheet to be filled in.
    answers : bool, default False
        Whether the sheet without answers is followed by its solution.
    **settings
        Parameters of the method, such as min_samples_leaf=2 or kinds={"zip": "levels"}.

    Returns
    -------
    Working
        A document that prints as text; `markdown()`, `latex()`, `html()` and `save(path)` give other forms.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"a": i // 2 % 2, "b": i % 2, "y": "no yes".split()[i // 2 % 2]} for i in range(8)]
    >>> print(ts.work(rows, "y"))
    Decision tree by ID3 for y: the working
    ...
    """
    if not isinstance(method, str) or method not in METHODS:
        close = nearest(method, list(METHODS)) if isinstance(method, str) else ""
        raise OptionError(f"work has no method {shown(method)}.{close} Known: {', '.join(METHODS)}.")
    way = METHODS[method]
    estimator = way.make(**settings)
    table = estimator._read(X, y)
    if table.place != "memory":
        raise OptionError("a working needs its rows in memory: it is for small tables. Leave memory= out.")
    estimator._fit_table(table)
    title = f"{way.title} for {table.schema.predicted.name}: the working"
    asked = None if row is None else (row, 0) if isinstance(row, Mapping) else (X, row)
    return Working(tuple(way.solve(Task(estimator, table, title, asked))), estimator, blank, answers)
