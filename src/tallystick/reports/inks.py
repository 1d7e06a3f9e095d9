"""The colours and the words of classes: the same everywhere on the page.

Knows labels and how many rows have them. Laws: a colour means one class, and grey means the others; a class
whose label is a number is called a class.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tallystick.draw.svg import PALETTE
from tallystick.reports.ingredients import Ingredients

OTHERS = PALETTE[-1]  # the grey of all classes that have no colour of their own
NUMBER = re.compile(r"[-+]?[0-9][0-9.,eE+-]*")


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


def class_words(label: str) -> str:
    """Return what a class is called in a sentence: `spam`, `class 4`."""
    return f"class {label}" if NUMBER.fullmatch(label) else label


def class_names(labels: Sequence[str]) -> list[str]:
    """Return what the classes are called."""
    return [class_words(label) for label in labels]
