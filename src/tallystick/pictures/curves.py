"""The two curves that everything else is built from: entropy and the sigmoid.

Knows formulas, and a fitted logistic regression of one column.
"""

from __future__ import annotations

import math
from typing import Any

from tallystick.draw.charts import line_chart
from tallystick.draw.svg import Picture, brief
from tallystick.draw.text import clean
from tallystick.errors import OptionError, shown
from tallystick.estimators.logistic import LogisticRegression
from tallystick.learn import entropy as bits
from tallystick.learn import gini
from tallystick.pictures.rows import chosen, complete, only, read, two_classes

STEPS = 200
WEIGHTS = (0.5, 1.0, 2.0, 5.0)


def entropy(share: float | None = None) -> Picture:
    """Return the entropy of two classes against the share of one, beside the Gini index and the error.

    Parameters
    ----------
    share : float, default None
        A share of the first class to mark on the curve, such as 9/14.

    Returns
    -------
    Picture
        SVG; `save` writes it.

    Examples
    --------
    >>> import tallystick as ts
    >>> "9/14" in ts.pictures.entropy(9 / 14) or "0.9403" in ts.pictures.entropy(9 / 14)
    True
    """
    if share is not None and not 0 <= share <= 1:
        raise OptionError(f"share must lie between 0 and 1, not {shown(share)}.")
    at = [k / STEPS for k in range(STEPS + 1)]
    kinds = (
        ("entropy, in bits", [bits([p, 1 - p]) for p in at]),
        ("Gini index, 2p(1 − p)", [gini([p, 1 - p]) for p in at]),
        ("error of the more frequent class", [min(p, 1 - p) for p in at]),
    )
    marks = []
    if share is not None:
        doubt = bits([share, 1 - share])
        marks.append((share, doubt, f"H({brief(share)}) = {doubt:.4f}"))
    lines = [(name, at, values, values, values) for name, values in kinds]
    return Picture(line_chart(lines, "share p of the first class", "impurity", marks=marks))


def sigmoid(data: Any = None, target: Any = None, column: str | None = None, **shared: Any) -> Picture:
    """Return the sigmoid 1 / (1 + e^-(w0 + w x)) for several weights, or as it is fitted to a column.

    Parameters
    ----------
    data : path, frame, Arrow table, matrix or records, default None
        Rows of two classes; None draws the curve itself.
    target : str or array, default None
        The name of the column to predict, or the labels.
    column : str, default None
        A column of numbers; None is the most telling.
    **shared
        columns, kinds, engine, threads and memory, as every estimator takes them.

    Returns
    -------
    Picture
        SVG; `save` writes it.

    Examples
    --------
    >>> import tallystick as ts
    >>> ts.pictures.sigmoid()  # doctest: +ELLIPSIS
    <picture: ...>
    """
    if data is None:
        at = [-5 + 10 * k / STEPS for k in range(STEPS + 1)]
        lines = []
        for w in WEIGHTS:
            y = [1 / (1 + math.exp(-w * x)) for x in at]
            lines.append((f"w = {w:g}", at, y, y, y))
        return Picture(line_chart(lines, "x", "P(1 | x) = 1 / (1 + e^(−w x))", ("even odds", 0.5)))
    return _fitted(data, target, column, shared)


def _fitted(data: Any, target: Any, column: str | None, shared: dict[str, Any]) -> Picture:
    table = read(data, target, shared)
    (name,) = chosen(table, None if column is None else [column], 1, ("numeric",))
    truth = two_classes(table)
    model = LogisticRegression(**shared)._fit_table(only(table, [name]))
    rows = complete(table, [name])
    x = table.column(name)[rows].astype(float)
    low, high = float(x.min()), float(x.max())
    pad = 0.05 * ((high - low) or 1.0)
    at = [low - pad + (high - low + 2 * pad) * k / STEPS for k in range(STEPS + 1)]
    w0, w = float(model.intercept_[0]), float(model.coef_[0, 0])
    y = [1 / (1 + math.exp(-max(min(w0 + w * a, 700.0), -700.0))) for a in at]
    label = clean(table.schema.predicted.labels[1])
    told = f"P({label}) = 1 / (1 + e^−({w0:.4g} {'+' if w >= 0 else '−'} {abs(w):.4g}·{clean(name)}))"
    there = set(zip(x.tolist(), truth[rows].tolist(), strict=True))
    marks = [(float(a), float(t), "") for a, t in sorted(there)]
    if w and low < -w0 / w < high:
        marks.append((-w0 / w, 0.5, f"even odds at {brief(-w0 / w)}"))
    chart = line_chart([(told, at, y, y, y)], clean(name), f"probability of {label}", marks=marks)
    return Picture(chart)
