"""Of the page, effects: what the model answers against its strongest columns, and on the plane of two.

Knows the chosen model and its training rows. Knows nothing of HTML.
Law: how many rows an effect was averaged over is said; one of all rows would look the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tallystick.data.schema import CODED
from tallystick.draw.svg import PALETTE
from tallystick.draw.text import class_words
from tallystick.explain.effect import (
    AVERAGED,
    BANDS,
    EXACT,
    EXACT_NUMBER,
    ColumnEffect,
    column_effects,
    evenly,
)
from tallystick.explain.effect_pair import pair_effect
from tallystick.reports.ingredients import Ingredients
from tallystick.reports.inks import inks

MOST_COLUMNS = 6
MOST_CLASSES = 6  # whose effects can be looked at, the most frequent
ENDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)  # of an axis of probabilities, or 1
FLAT = 5  # times: what reaches less of an axis than one part in so many would be seen as flat
SAMPLE = 400  # rows that effects are averaged over


def effects_section(given: Ingredients) -> dict[str, Any] | None:
    """Return the pictures of each class, and the plane of two columns; None where nothing can be varied."""
    model, kinds = given.model, {c.name: c.kind for c in given.table.schema.used}
    names = [n for n in given.columns if kinds[n] in (*CODED, "numeric")][:MOST_COLUMNS]
    if model is None or not names:
        return None
    blocks = evenly(list(given.table.blocks()), SAMPLE)
    classes = _classes(given)
    colours = inks(given) if given.labels else [PALETTE[0]]
    found = [column_effects(model, blocks, name, classes) for name in names]
    first = found[0][0]
    every = [e for one in found for e in one]
    exact = EXACT if given.labels else EXACT_NUMBER
    full = {p.label: p.rows / given.description.rows for p in given.description.classes}
    often = [full.get(label, 0.0) for label in given.labels] or [1.0]
    return {
        "rows": f"{first.rows:,}",
        "some": first.rows < given.table.rows,
        "band": BANDS[first.band],
        "how": exact if all(e.exact for e in every) else AVERAGED,
        "classes": [
            {
                "number": c,
                "label": class_words(given.labels[c]) if given.labels else given.target,
                "pictures": [
                    one[k].drawn(one[k].answer, colours[c], axis_end(one[k], [e[k] for e in found], often[c]))
                    for one in found
                ],
            }
            for k, c in enumerate(classes)
        ],
        "plane": _plane(given, blocks, names),
    }


def axis_end(effect: ColumnEffect, every: list[ColumnEffect], share: float) -> float:
    """Return where a picture's axis of probabilities ends: one for all columns of a class, but one of its own
    where the column would lie flat on that, at least twice the class's share of the rows.
    """
    shared = _rounded_up(max(e.reach[1] for e in every))
    own = _rounded_up(max(effect.reach[1], 2 * share))
    return own if own * FLAT <= shared else shared


def _rounded_up(share: float) -> float:
    return next((end for end in ENDS if share <= end), 1.0)


def _classes(given: Ingredients) -> list[int]:
    """Return the classes whose probability is drawn: of two the one that is looked for."""
    labels = given.labels
    if not labels:
        return [0]
    if len(labels) == 2:
        return [labels.index(given.chosen.result.scores.positive)]
    rows = {p.label: p.rows for p in given.description.classes}
    return sorted(range(len(labels)), key=lambda c: (-rows.get(labels[c], 0), c))[:MOST_CLASSES]


def _plane(given: Ingredients, blocks: Any, names: list[str]) -> dict[str, Any] | None:
    """Return the two strongest columns together; None of one column, or of more classes than colours."""
    if len(names) < 2 or len(given.labels) > len(PALETTE):
        return None
    kinds = {c.name: c.kind for c in given.table.schema.used}
    two = sorted(names[:2], key=lambda n: kinds[n] in CODED)  # levels go up: there their names have room
    found = pair_effect(given.model, blocks, two, 0)
    if min(len(found.x.values), len(found.y.values)) < 2:
        return None
    held = np.ptp(found.shares.argmax(axis=2)) == 0 if given.labels else False
    return {"columns": two, "svg": str(found.picture()), "rows": f"{found.rows:,}", "held": bool(held)}
