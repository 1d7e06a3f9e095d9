"""The likelihood of a logistic regression over its two weights, and the way that gradient ascent takes up.

Knows one column of numbers, standardised, and two classes. The steps are those of the textbook:
w + eta * gradient.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.draw.surface import Surface, surface_picture
from tallystick.draw.svg import Picture
from tallystick.draw.text import clean
from tallystick.errors import DataError, OptionError, shown
from tallystick.pictures.rows import chosen, complete, read, two_classes

Floats = NDArray[np.float64]
Way = list[tuple[float, float]]  # constant and weight, step by step
CELLS = 160
MOST_STEPS = 2_000
SHOWN = 60  # points of the way; the first ones all
NEAR = 1e-6  # a gradient per row this small ends the way
BELOW = (32.0, 16.0, 8.0, 4.0, 2.0, 1.0, 0.5, 0.25, 0.1)  # lines lie so far under the top, of all it climbs


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
