"""The colours of classes: the same everywhere on the page.

Knows labels and how many rows have them. Law: a colour means one class, and grey means the others.
"""

from __future__ import annotations

from tallystick.draw.svg import PALETTE
from tallystick.reports.ingredients import Ingredients

OTHERS = PALETTE[-1]  # the grey of all classes that have no colour of their own


def inks(given: Ingredients) -> list[str]:
    """Return the colour of each class; of more classes than colours the most frequent ones have one."""
    labels = given.labels
    if len(labels) <= len(PALETTE):
        return list(PALETTE[: len(labels)])
    rows = {p.label: p.rows for p in given.description.classes}
    order = sorted(range(len(labels)), key=lambda c: (-rows.get(labels[c], 0), c))
    out = [OTHERS] * len(labels)
    for rank, c in enumerate(sorted(order[: len(PALETTE) - 1])):
        out[c] = PALETTE[rank]
    return out
