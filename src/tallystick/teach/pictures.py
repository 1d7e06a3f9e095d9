"""Pictures of the ideas: each function returns an SVG picture that a notebook shows and `save` writes.

`ts.pictures.entropy()`, `ts.pictures.regions("iris.csv", "species")`, ...; on the command line `tally draw`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.bayes.estimator import NaiveBayes
from tallystick.bayes.explain import Shares
from tallystick.contracts import Table
from tallystick.description.text import describe_table
from tallystick.draw.charts import Axis, Chart, ChartCurve, ShareRow, charts, line_chart, share_bars
from tallystick.draw.planes import (
    MOST_POINTS,
    REGION_CELLS,
    Region,
    RegionPoints,
    Surface,
    regions_picture,
    surface_picture,
)
from tallystick.draw.svg import Picture, brief
from tallystick.errors import DataError, OptionError, TallyWarning, clean, counted, nearest, shown, some
from tallystick.io.open import is_spark, opened
from tallystick.judge.api import methods_named
from tallystick.judge.folds import deal
from tallystick.judge.run import fresh
from tallystick.linear.estimator import LogisticRegression
from tallystick.linear.file import coefficients
from tallystick.linear.path import path_models
from tallystick.teach.learn import entropy as bits
from tallystick.teach.learn import gini
from tallystick.tree.estimator import DecisionTree

__all__ = ["entropy", "likelihood", "overfitting", "prior", "regions", "shares", "sigmoid"]


# The rows behind a picture: a table that was read once, and which of its columns are drawn.
# Law: what is drawn is what a fit would see.

FEW = 1_000  # rows that are drawn at most, evenly taken


def read(data: Any, target: Any, shared: Mapping[str, Any]) -> Table:
    """Return the table of rows with a class each."""
    if is_spark(data):
        raise OptionError(
            "a picture needs the rows in one place, and they are on Spark. Collect some of them."
        )
    return LogisticRegression(**shared)._read(opened(data), target)


def numeric(table: Table) -> list[str]:
    """Return the columns of numbers."""
    return [c.name for c in table.schema.used if c.kind == "numeric"]


def chosen(table: Table, names: Sequence[str] | None, many: int, kinds: Sequence[str]) -> list[str]:
    """Return the columns to draw: those named, or the most telling of some kinds, numbers first."""
    there = [c.name for c in table.schema.used if c.kind in kinds]
    if names is not None:
        given = [names] if isinstance(names, str) else list(names)
        for name in given:
            if name not in there:
                raise OptionError(
                    f"there is no column {shown(name)} to draw.{nearest(str(name), there)} "
                    f"Columns that can be drawn: {some(there) if there else 'none'}."
                )
        if len(set(given)) != many:
            raise OptionError(f"this picture takes {many} columns, not {shown(given)}.")
        return given
    if len(there) < many:
        raise DataError(
            f"this picture needs {counted(many, 'column')} ({', '.join(kinds)}), and the table has "
            f"{len(there)}. Say what columns are with kinds=."
        )
    numbers = set(numeric(table))
    gains = {c.name: c.gain or 0.0 for c in describe_table("", table).columns}
    order = sorted(there, key=lambda name: (name not in numbers, -gains.get(name, 0.0), name))
    return sorted(order[:many], key=there.index)


def only(table: Table, names: Sequence[str]) -> Table:
    """Return the table with some of its columns alone."""
    return table.without([c.name for c in table.schema.columns if c.name not in names])


def complete(table: Table, names: Sequence[str]) -> NDArray[np.int64]:
    """Return the numbers of rows that have a value in each of some columns, at most FEW, evenly taken."""
    there = np.ones(table.rows, dtype=bool)
    for name in names:
        cells = table.column(name)
        column = table.schema[name]
        there &= np.isfinite(cells) if column.kind == "numeric" else cells < len(column.levels)
    rows = np.flatnonzero(there)
    if not len(rows):
        raise DataError(f"no row has a value in {some(names)}. Draw other columns.")
    return rows[np.linspace(0, len(rows) - 1, min(FEW, len(rows))).round().astype(np.int64)]


def two_classes(table: Table) -> NDArray[np.float64]:
    """Return 1 for rows of the second class and 0 for rows of the first."""
    labels = table.schema.predicted.labels
    if len(labels) != 2:
        raise DataError(
            f"this picture is of two classes, and {shown(table.schema.predicted.name)} has {len(labels)}."
        )
    assert table.classes is not None
    return np.asarray(table.classes == 1, dtype=np.float64)


# The likelihood of a logistic regression over its two weights, and the path of gradient ascent.
# The steps are those of the textbook: w + eta * gradient.

Floats = NDArray[np.float64]
Way = list[tuple[float, float]]  # constant and weight, step by step
CELLS = 160
MOST_STEPS = 2_000
SHOWN = 60  # points of the path that are drawn
NEAR = 1e-6  # gradient per row at which the ascent ends
BELOW = (32.0, 16.0, 8.0, 4.0, 2.0, 1.0, 0.5, 0.25, 0.1)  # under the top, in halves of the climb


def likelihood(
    data: Any,
    target: Any = None,
    column: str | None = None,
    *,
    eta: float | None = None,
    l2: float = 0.0,
    **shared: Any,
) -> Picture:
    """Return the log-likelihood of logistic regression over its constant and one weight, with the way that
    plain gradient ascent takes from 0 to the top.

    Parameters
    ----------
    data : path, frame, Arrow table, matrix or records
        Rows of two classes.
    target : str or array, default None
        The name of the column to predict, or the labels.
    column : str, default None
        A column of numbers, which is standardised; None is the most telling.
    eta : float, default None
        The length of a step over the gradient; None is 1 over the rows, at which every step climbs.
    l2 : float, default 0.0
        The strength of a Gaussian prior on the weight, 1/κ²; 0 is the likelihood alone.
    **shared
        columns, kinds, engine, threads and memory, as every estimator takes them.

    Returns
    -------
    Picture
        SVG; `save` writes it.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"dose": n, "cured": n > 3 + n % 3} for n in range(10)]
    >>> ts.pictures.likelihood(rows, "cured")  # doctest: +ELLIPSIS
    <picture: ...>
    """
    table = read(data, target, shared)
    (name,) = chosen(table, None if column is None else [column], 1, ("numeric",))
    rows = complete(table, [name])
    x, y = np.asarray(table.column(name)[rows], dtype=float), two_classes(table)[rows]
    spread = float(x.std())
    if not spread or y.min() == y.max():
        raise DataError(f"column {shown(name)} or the target has one value only. Draw another column.")
    if l2 < 0 or (eta is not None and not eta > 0):
        raise OptionError(f"eta must be above 0 and l2 at least 0, not {shown(eta)} and {shown(l2)}.")
    z = (x - x.mean()) / spread
    way = ascent(z, y, 1.0 / len(z) if eta is None else eta, l2)
    label = clean(table.schema.predicted.labels[1])
    words = f"weight of {clean(name)}, per standard deviation"
    surface = _surface(z, y, l2, way, (f"constant, log-odds of {label}", words))
    return Picture(
        surface_picture(surface, thinned(way), _notes(z, y, l2, way, eta), f"likelihood over {words}")
    )


def height(z: Floats, y: Floats, l2: float, w0: Any, w: Any) -> Any:
    """Return Σ y(w0 + w z) − ln(1 + e^(w0 + w z)) − l2 w²/2, for numbers or grids of them."""
    score = np.multiply.outer(np.asarray(w), z) + np.asarray(w0)[..., None]
    return (y * score - np.logaddexp(0.0, score)).sum(axis=-1) - l2 * np.square(w) / 2


def ascent(z: Floats, y: Floats, eta: float, l2: float) -> Way:
    """Return the weights before each step and after the last: w + eta * gradient, from 0."""
    w0 = w = 0.0
    way = [(w0, w)]
    for _ in range(MOST_STEPS):
        missed = y - 1.0 / (1.0 + np.exp(-np.clip(w0 + w * z, -700, 700)))
        up = float(missed.sum()), float((missed * z).sum()) - l2 * w
        w0, w = w0 + eta * up[0], w + eta * up[1]
        way.append((w0, w))
        if max(map(abs, up)) < NEAR * len(z) or max(abs(w0), abs(w)) > 1e6:
            break
    return way


def thinned(way: Way) -> Way:
    """Return what can be seen of a way: places at rising distances, its two ends among them."""
    if len(way) <= SHOWN:
        return way
    keep = np.unique(np.geomspace(1, len(way), SHOWN).round().astype(int) - 1)
    return [way[k] for k in keep]


def _surface(z: Floats, y: Floats, l2: float, way: Way, words: tuple[str, str]) -> Surface:
    ends = []
    for k in (0, 1):
        values = [p[k] for p in way]
        half = max(0.75 * (max(values) - min(values)), 1.0)
        middle = (max(values) + min(values)) / 2
        ends.append((middle - 1.3 * half, middle + 1.3 * half))
    w0, w = (np.linspace(low, high, CELLS) for low, high in ends)
    heights = height(z, y, l2, *np.broadcast_arrays(w0[None, :], w[:, None]))
    top = float(max(heights.max(), height(z, y, l2, *way[-1])))
    climb = max(top - float(height(z, y, l2, 0.0, 0.0)), 1e-9)
    lines = [top - climb * part / 2 for part in BELOW]
    return Surface(heights, (words[0], *ends[0]), (words[1], *ends[1]), lines)


def _notes(z: Floats, y: Floats, l2: float, way: Way, eta: float | None) -> list[str]:
    start, end = (float(height(z, y, l2, *p)) for p in (way[0], way[-1]))
    steps = len(way) - 1
    ended = "the gradient is nearly 0" if steps < MOST_STEPS else f"after {MOST_STEPS:,} steps"
    return [
        f"step length η = {'1/' + format(len(z), ',') if eta is None else format(eta, 'g')}",
        f"start (0, 0): log-likelihood {_signed(start, 4)}",
        f"end ({_signed(way[-1][0], 3)}, {_signed(way[-1][1], 3)}): {_signed(end, 4)}",
        f"{steps:,} steps; {ended}",
        f"prior λ = 1/κ² = {l2:g}" if l2 else "no prior: the likelihood alone",
        "each line: equally likely weights",
        "fuller: more likely",
    ]


def _signed(value: float, digits: int) -> str:
    """Return a number with a minus as wide as a plus, and none before 0."""
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


# Two curves: entropy and the sigmoid.

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
    formula = f"P({label}) = 1 / (1 + e^−({w0:.4g} {'+' if w >= 0 else '−'} {abs(w):.4g}·{clean(name)}))"
    there = set(zip(x.tolist(), truth[rows].tolist(), strict=True))
    marks = [(float(a), float(t), "") for a, t in sorted(there)]
    if w and low < -w0 / w < high:
        marks.append((-w0 / w, 0.5, f"even odds at {brief(-w0 / w)}"))
    chart = line_chart([(formula, at, y, y, y)], clean(name), f"probability of {label}", marks=marks)
    return Picture(chart)


# Decision regions of models on a plane of two columns.

METHODS = ("tree", "bayes", "logistic")
KINDS = ("numeric", "levels", "ordered", "boolean")


def regions(
    data: Any,
    target: Any = None,
    *,
    methods: Sequence[str] | Mapping[str, Any] | None = None,
    draw: Sequence[str] | None = None,
    **shared: Any,
) -> Picture:
    """Return what models answer on the plane of two columns, side by side, with the rows on it.

    Every model is fitted on the two columns alone. The fuller the colour, the surer the answer.

    Parameters
    ----------
    data : path, frame, Arrow table, matrix or records
        The rows, as `fit` takes them.
    target : str or array, default None
        The name of the column to predict, or the labels.
    methods : list of str or dict, default None
        Methods or variants, such as "tree", or estimators by name; None is a tree, naive Bayes and logistic
        regression.
    draw : list of str, default None
        The two columns; None is the two most telling, columns of numbers first.
    **shared
        columns, kinds, engine, threads and memory, as every estimator takes them.

    Returns
    -------
    Picture
        SVG; `save` writes it.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"a": i % 7, "b": i % 5, "y": i % 7 > i % 5} for i in range(35)]
    >>> ts.pictures.regions(rows, "y", methods=["tree"])  # doctest: +ELLIPSIS
    <picture: ...>
    """
    models = methods_named(METHODS if methods is None else methods, shared)
    if not models:
        raise OptionError("no method to draw. Name one, such as tree.")
    table = read(data, target, shared)
    x, y = chosen(table, draw, 2, KINDS)
    plane = only(table, [x, y])
    rows = complete(table, [x, y])
    axes = _axis(plane, x, rows), _axis(plane, y, rows)
    grid = {name: _places(axis, cells) for name, axis, cells in zip((x, y), axes, REGION_CELLS, strict=True)}
    labels = table.schema.predicted.labels
    assert table.classes is not None
    few = rows[np.linspace(0, len(rows) - 1, min(MOST_POINTS, len(rows))).round().astype(np.int64)]
    drawn = [_region(name, model, plane, grid, few) for name, model in models.items()]
    spots = _spots(table, x, few, True), _spots(table, y, few, False)
    points = RegionPoints(spots[0], spots[1], table.classes[few].astype(np.int64).tolist())
    title = f"{clean(table.schema.predicted.name)} on {clean(x)} and {clean(y)}"
    return Picture(regions_picture(drawn, *axes, labels, points, title))


def _axis(table: Table, name: str, rows: NDArray[np.int64]) -> Axis:
    column = table.schema[name]
    if column.kind != "numeric":
        return Axis(clean(name), -0.5, len(column.levels) - 0.5, names=tuple(column.levels))
    values = table.column(name)[rows]
    low, high = float(values.min()), float(values.max())
    pad = 0.06 * ((high - low) or 1.0)
    return Axis(clean(name), low - pad, high + pad, unit=column.unit)


def _places(axis: Axis, cells: int) -> list[Any]:
    """Return the middle of every cell of an axis: numbers, or levels."""
    if axis.names:
        return list(axis.names)
    return [axis.low + (axis.high - axis.low) * (k + 0.5) / cells for k in range(cells)]


def _region(
    name: str, model: Any, plane: Table, grid: Mapping[str, Sequence[Any]], few: NDArray[np.int64]
) -> Region:
    import pyarrow as pa

    fitted = fresh(model)._fit_table(plane)
    (x, across), (y, up) = grid.items()
    cells = pa.table({x: list(across) * len(up), y: [b for b in up for _ in across]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TallyWarning)  # a plane goes beyond its rows, as everybody sees
        shares = np.asarray(fitted.predict_proba(cells)).reshape(len(up), len(across), -1)
    answers = np.concatenate([fitted.model_.shares(block).argmax(axis=1) for block in plane.blocks()])
    wrong = answers != plane.classes
    note = f"{plane.rows - int(wrong.sum()):,} of {plane.rows:,} rows right"
    return Region(name, shares, wrong[few].tolist(), note)


def _spots(table: Table, name: str, rows: NDArray[np.int64], across: bool) -> list[float]:
    """Return where rows lie on an axis; rows of one level are spread a little, that each is seen."""
    cells = table.column(name)[rows]
    if table.schema[name].kind == "numeric":
        return [float(v) for v in cells]
    step = 0.618034 if across else 0.754878  # two rows of numbers that never fall into a pattern together
    return [float(c) + 0.5 * ((k * step) % 1 - 0.5) for k, c in enumerate(cells.tolist())]


# The prior of a logistic regression: weights and losses against its strength κ.

STRENGTHS = tuple(float(f"{v:.4g}") for v in np.geomspace(1000, 0.01, 21))
FOLDS = 5
MOST = 8  # weights drawn: those that grow largest


def prior(data: Any, target: Any = None, **shared: Any) -> Picture:
    """Return the weights of a logistic regression, and its losses in training and cross-validated, against
    the spread κ of the Gaussian prior on the weights (l2 = 1/κ²).

    Parameters
    ----------
    data : path, frame, Arrow table, matrix or records
        The rows, as `fit` takes them.
    target : str or array, default None
        The name of the column to predict, or the labels.
    **shared
        columns, kinds, engine, threads and memory, as every estimator takes them.

    Returns
    -------
    Picture
        SVG; `save` writes it.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"dose": n % 10, "cured": n % 10 > 3 + n % 3} for n in range(30)]
    >>> ts.pictures.prior(rows, "cured")  # doctest: +ELLIPSIS
    <picture: ...>
    """
    table = read(data, target, shared)
    kappa = [l2**-0.5 for l2 in STRENGTHS]
    names, weights, training = _fits(table, shared)
    tested = _tested(table, shared)
    best = int(np.argmin(tested))
    x = Axis("κ, the spread of the prior", kappa[0], kappa[-1], log=True)
    low, high = float(weights.min()), float(weights.max())
    room = 0.05 * ((high - low) or 1.0)
    chosen = f"κ = {brief(float(f'{kappa[best]:.2g}'))}", kappa[best]
    first = Chart(
        [ChartCurve(name, kappa, weights[:, k].tolist()) for k, name in enumerate(names)],
        x,
        Axis("weight", min(low - room, 0.0), max(high + room, 0.0)),
        level=("", 0.0),
        upright=chosen,
        head="Weights",
    )
    losses = [
        ChartCurve("training", kappa, training),
        ChartCurve(f"cross-validated, {FOLDS} folds", kappa, tested),
    ]
    least, most = min([*training, *tested]), max([*training, *tested])
    room = 0.08 * ((most - least) or 1.0)
    second = Chart(
        losses,
        x,
        Axis("log-loss of a row", max(least - room, 0.0), most + room),
        upright=("least", kappa[best]),
        head="Losses",
    )
    return Picture(charts([first, second], "weights and losses against the spread of the prior"))


def _fits(table: Table, shared: dict[str, Any]) -> tuple[list[str], Any, list[float]]:
    """Return the names of the largest weights, weights[strength, name] per standard deviation, and the
    training loss of each strength.
    """
    spread = {name: float(np.nanstd(table.column(name))) for name in numeric(table)}
    found, training, names = [], [], []
    model = LogisticRegression(**shared, l2=1.0)
    labels = table.schema.predicted.labels
    for fitted in path_models(table, model._engine(table), model._options(), STRENGTHS, table.unit):
        free = [c for c in coefficients(fitted)[1:] if c.free]
        several = len(free) > 0 and len(free[0].weights) > 1
        names = [
            f"{c.name}{f' ({labels[k]})' if several else ''}" for c in free for k in range(len(c.weights))
        ]
        found.append([w * spread.get(c.name, 1.0) for c in free for w in c.weights])
        training.append(-fitted.fit.log_likelihood / fitted.fit.rows)
    weights = np.array(found)
    kept = np.sort(np.argsort(-np.abs(weights[-1]), kind="stable")[:MOST])
    return [names[k] for k in kept], weights[:, kept], training


def _tested(table: Table, shared: dict[str, Any]) -> list[float]:
    """Return the mean loss on rows left out, for each strength."""
    from tallystick.judge.answers import log_losses

    losses = np.zeros(len(STRENGTHS))
    settings = [LogisticRegression(**shared, l2=l2) for l2 in STRENGTHS]
    rows = 0
    for training, left_out in deal(table, FOLDS).halves(table):
        models = settings[0]._fit_settings(settings, training)
        assert models is not None
        assert left_out.classes is not None
        truth = left_out.classes.astype(np.int64)
        for k, model in enumerate(models):
            losses[k] += log_losses(truth, np.concatenate(list(left_out.answers(model.shares)))).sum()
        rows += len(truth)
    return [float(v) for v in losses / rows]


# Two tables as pictures: the shares that naive Bayes multiplies, and the prunings of a tree.

MOST_VALUES = 60


def shares(
    data: Any,
    target: Any = None,
    *,
    model: NaiveBayes | None = None,
    draw: Sequence[str] | None = None,
    **shared: Any,
) -> Picture:
    """Return the R table of naive Bayes as bars: how often each class has each value of a column.

    Parameters
    ----------
    data : path, frame, Arrow table, matrix or records
        The rows, as `fit` takes them.
    target : str or array, default None
        The name of the column to predict, or the labels.
    model : ts.NaiveBayes, default None
        The settings, such as `ts.NaiveBayes(m=0)` for plain counts; None is the Laplace correction.
    draw : list of str, default None
        The columns; None is all of them that are counted.
    **shared
        columns, kinds, engine, threads and memory, as every estimator takes them.

    Returns
    -------
    Picture
        SVG; `save` writes it.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"sky": "sun", "play": "no"}, {"sky": "rain", "play": "yes"}] * 4
    >>> "5/6" in ts.pictures.shares(rows, "play")
    True
    """
    fitted = (NaiveBayes(**shared) if model is None else model).fit(data, target)
    names = [part.name for part in fitted.model_.parts] if draw is None else list(draw)
    tables = [table for table in map(fitted.shares, names) if counts(table)]
    rows = [row for table in tables for row in share_rows(table, fitted)]
    if not rows:
        raise DataError("no column is counted: there is no table of shares to draw. Draw columns of levels.")
    kept = rows[:MOST_VALUES]
    note = f"the first {MOST_VALUES} of {len(rows):,} values" if len(rows) > MOST_VALUES else ""
    return Picture(share_bars(kept, fitted.model_.schema.predicted.labels, "R: shares by class", note))


def counts(table: Shares) -> bool:
    """Say whether a column is counted: sums of numbers have no shares."""
    return table.distribution not in ("gaussian", "poisson")


def share_rows(table: Shares, fitted: NaiveBayes) -> list[ShareRow]:
    """Return the values of a column with their shares, as fractions where a person would use them."""
    m, _ = fitted.model_.options.smoothing(table.column, len(table.values))
    rows = [0.0] * len(table.classes) if table.counts is None else table.counts.sum(axis=0).tolist()
    found = []
    for i, value in enumerate(table.values):
        line = [float(s) for s in table.shares[i]]
        words = [_words(s, n + m) for s, n in zip(line, rows, strict=True)]
        found.append(ShareRow(table.column, value, line, words))
    return found


def _words(share: float, rows: float) -> str:
    """Return a share as so many of the rows, the added ones among them, where they are whole numbers."""
    of = round(share * rows, 9)
    if rows and of.is_integer() and float(rows).is_integer() and abs(of / rows - share) < 1e-12:
        return f"{of:,.0f}/{rows:,.0f} = {share:.4g}"
    return f"{share:.4g}"


def overfitting(
    data: Any, target: Any = None, *, model: DecisionTree | None = None, folds: int = 10, **shared: Any
) -> Picture:
    """Return the overfitting curve: the error of every pruning of a full tree, in training and
    cross-validated, against its leaves.

    Parameters
    ----------
    data : path, frame, Arrow table, matrix or records
        The rows, as `fit` takes them.
    target : str or array, default None
        The name of the column to predict, or the labels.
    model : ts.DecisionTree, default None
        The settings of the tree that is pruned; None grows it until nothing is left to split.
    folds : int, default 10
        How many folds.
    **shared
        columns, kinds, engine, threads and memory, as every estimator takes them.

    Returns
    -------
    Picture
        SVG; `save` writes it.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"a": i % 7, "b": i % 5, "y": i % 7 > i % 3} for i in range(70)]
    >>> ts.pictures.overfitting(rows, "y", folds=3)  # doctest: +ELLIPSIS
    <picture: ...>
    """
    tree = DecisionTree(**shared) if model is None else model
    return tree.fit(data, target).pruning_path(folds=folds).picture()
