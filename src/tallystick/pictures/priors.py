"""What the strength of the prior does to a logistic regression: its weights and its losses against κ.

Knows the estimator, one fit for each strength. Knows nothing of drawing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tallystick.contracts import Table
from tallystick.draw.panels import Axis, Chart, ChartCurve, charts
from tallystick.draw.svg import Picture, brief
from tallystick.estimators.logistic import LogisticRegression
from tallystick.evaluate import deal
from tallystick.learners.logistic.path import path_models
from tallystick.models.logistic.coefficients import coefficients
from tallystick.pictures.rows import numeric, read

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
    from tallystick.evaluate.measures import log_losses

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
