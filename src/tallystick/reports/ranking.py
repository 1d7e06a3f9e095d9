"""Of the page, what each column tells: the columns that move the model most, ranked, with a bar each.

Knows the chosen model and descriptions of columns. Knows nothing of HTML.
Laws: bars are shares of one whole, so that they can be compared; what is left out is counted in the last
line.
"""

from __future__ import annotations

from typing import Any

from tallystick.description import ColumnView
from tallystick.draw.panels import length_bar
from tallystick.draw.text import class_words, clean, cut
from tallystick.errors import counted
from tallystick.reports.answer import TELLING, alone, furthest
from tallystick.reports.ingredients import Ingredients
from tallystick.reports.score_words import is_rare
from tallystick.reports.sentences import percent

MOST = 8  # columns on the first screen
WIDE, TALL = 150.0, 12.0  # of a bar
LETTERS = 30  # of a value


def ranking(given: Ingredients) -> dict[str, Any]:
    """Return the first columns, how far each moves the model, and what its most telling value tells."""
    views = {v.name: v for v in given.description.columns}
    weights = {n: w for n, w in given.weights.items() if n in views and w > 0}
    by = "of what moves the model"
    if not weights:  # nothing moves the model: what the columns tell alone
        weights = {n: v.left for n, v in views.items() if v.left is not None and v.left > 0}
        by = "of the bits that the columns tell, each alone"
    order = sorted(weights, key=lambda n: (-weights[n], n))
    total = sum(weights.values()) or 1.0
    top = max(weights.values(), default=1.0)
    rows = [
        {
            "name": name,
            "share": percent(weights[name] / total, 0),
            "bar": length_bar(weights[name] / top, f"{percent(weights[name] / total)} {by}", WIDE, TALL),
            "told": _told(given, views[name]),
        }
        for name in order[:MOST]
    ]
    rest = sum(weights[n] for n in order[MOST:]) / total
    words = counted(len(order) - MOST, "more column") if len(order) > MOST else ""
    return {"rows": rows, "by": by, "rest": words, "rest_share": percent(rest, 0) if words else ""}


def _told(given: Ingredients, view: ColumnView) -> str:
    """Return the group of a column that is furthest from the shares of all rows, `y: 95 % republican`; ""
    where none is far.
    """
    groups = [g for g in alone(given.table, view) if not g.missing]
    if not groups:
        return ""
    leads = is_rare(given) and len(given.labels) == 2  # of many classes the rarest is not what is asked for
    rare = [given.labels.index(given.chosen.result.scores.positive)] if leads else []
    group, c = furthest(groups, *rare)
    base = sum(g.counts[c] for g in groups) / sum(g.rows for g in groups)
    if group.counts[c] / group.rows - base < min(TELLING, base / 2):
        return ""  # no value is far from all rows
    words = cut(clean(group.words), LETTERS)
    return f"{words}: {percent(group.counts[c] / group.rows, 0)} {class_words(given.labels[c])}"
