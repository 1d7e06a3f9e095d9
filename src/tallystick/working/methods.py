"""`work`: fit a method to a small table and tell how it is done by hand.

Knows the entries of methods, which name the solver of each. Knows nothing of formats.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tallystick import methods
from tallystick.errors import OptionError, nearest, shown, some
from tallystick.working.document import Part, Working
from tallystick.working.given import MOST_WHOLE

NONE = methods.Method.working  # the solver of methods without one
NAMES = tuple(v.name for v in methods.VARIANTS if v.method.working != NONE)


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
    method : str, default "id3"
        What is worked out: "id3", "c45", "cart", "tree", "bayes", "logistic", or one of their variants.
    row : dict or int, default None
        A row to answer, by its values (what is not named is missing) or by its place in X, from 0; None:
        naive Bayes and logistic regression take the first, a tree none.
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
    ID3 tree for y: the working
    ...
    """
    if not isinstance(method, str):
        raise OptionError(f"method must be a name such as id3, not {shown(method)}.")
    way = methods.variant(method)
    if way.method.working == NONE:
        raise OptionError(f"{way.words} has no working. Use one of {', '.join(NAMES)}.")
    estimator = way.make({}).set_params(**settings)
    table = estimator._read(X, y)
    if table.place != "memory":
        raise OptionError("a working needs its rows in memory: it is for small tables. Leave memory= out.")
    estimator._fit_table(table)
    estimator._keep_profile(table)
    title = f"{way.words[0].upper()}{way.words[1:]} for {table.schema.predicted.name}: the working"
    asked = None if row is None else (_whole(row, estimator), 0) if isinstance(row, Mapping) else (X, row)
    solve = way.method.load("working")
    parts: Sequence[Part] = solve(estimator, table, title, asked, table.rows <= MOST_WHOLE)
    return Working(tuple(parts), estimator, blank, answers)


def _whole(row: Mapping[str, Any], estimator: Any) -> dict[str, Any]:
    """Return a record with all columns of the fit; what it does not name is missing, what it alone names is
    an error.
    """
    names = list(estimator._columns_in())
    for name in row:
        if name not in names and name != estimator.schema_.predicted.name:
            raise OptionError(
                f"the row names {shown(name)}, which is not a column of the table.{nearest(name, names)} "
                f"Columns: {some(names)}."
            )
    return {name: row.get(name) for name in names}


def no_working(*given: Any) -> list[Part]:
    """Stand for the solver of a method without one; `work` refuses such a method before it is asked."""
    raise OptionError("this method has no working.")
