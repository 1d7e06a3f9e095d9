"""Of the page, what each column tells: the columns that move the model most, ranked, with a bar each.

Knows the chosen model and descriptions of columns. Knows nothing of HTML.
Laws: bars are shares of one whole, so that they can be compared; what is left out is counted in the last
line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tallystick.description import ColumnView
from tallystick.draw.panels import length_bar
from tallystick.draw.text import class_words, clean, cut
from tallystick.errors import counted
from tallystick.reports.answer import TELLING, alone, furthest
from tallystick.reports.ingredients import Ingredients
from tallystick.reports.score_words import is_rare
from tallystick.reports.sentences import percent
from tallystick.reports.words import telling_words

MOST = 8  # columns on the first screen
FEW = 4  # columns: beside fewer there is room for the words of a text
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
    more = counted(len(order) - MOST, "more column") if len(order) > MOST else ""
    return {
        "rows": rows,
        "alone": len(views) == 1 or (len(rows) == 1 and views[order[0]].kind == "text"),  # nothing to rank
        "by": by,
        "rest": more,
        "rest_share": percent(rest, 0) if more else "",
        "words": _words(given, order) if len(rows) < FEW else None,
    }


def _words(given: Ingredients, order: Sequence[str]) -> dict[str, Any] | None:
    """Return the most telling words of the text that moves the model most, or of the first; None without."""
    texts = [c.name for c in given.table.schema.used if c.kind == "text"]
    if not texts:
        return None
    name = next((n for n in order if n in texts), texts[0])
    return {
        "column": name,
        "used": name in order,
        "rows": [
            {
                "word": found.word,
                "share": percent(found.share, 0),
                "bar": length_bar(found.share, f"{percent(found.share)} of the rows with it", WIDE, TALL),
                "label": class_words(given.labels[found.label]),
                "rows": f"{found.rows:,.0f}",
            }
            for found in telling_words(given.table, name, MOST)
        ],
    }


def _told(given: Ingredients, view: ColumnView) -> str:
    """Return the group of a column that is furthest from the shares of all rows, `y: 95 % republican`; ""
    where none is far.
    """
    if view.kind == "text":
        words = telling_words(given.table, view.name, 1)
        return "".join(_words_of(given, cut(clean(w.word), LETTERS), w.share, w.label) for w in words)
    groups = [g for g in alone(given.table, view) if not g.missing]
    if not groups:
        return ""
    leads = is_rare(given) and len(given.labels) == 2  # of many classes the rarest is not what is asked for
    rare = [given.labels.index(given.chosen.result.scores.positive)] if leads else []
    group, c = furthest(groups, *rare)
    base = sum(g.counts[c] for g in groups) / sum(g.rows for g in groups)
    if group.counts[c] / group.rows - base < min(TELLING, base / 2):
        return ""  # no value is far from all rows
    return _words_of(given, cut(clean(group.words), LETTERS), group.counts[c] / group.rows, c)


def _words_of(given: Ingredients, value: str, share: float, c: int) -> str:
    return f"{value}: {percent(share, 0)} {class_words(given.labels[c])}"
