"""Of the page, the words of a text that tell most: how many of the rows with a word are of a class.

Knows encoded tables. Knows no model and nothing of HTML.
Laws: every number is counted from the rows; a word is told of the class of which it has most beyond chance,
by as many standard errors as the class's share of all rows would leave it; classes take turns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table

FEWEST = 10  # rows with a word, or FEW of all if that is less: of fewer nothing is told
FEW = 0.01


@dataclass(frozen=True)
class ToldWord:
    """A word, the number of the class that it tells, the rows that have it, and the share of the class."""

    word: str
    label: int
    rows: float
    share: float


def telling_words(table: Table, column: str, most: int) -> list[ToldWord]:
    """Return the words that are furthest beyond chance, the furthest first; of each class as many, where
    there are.
    """
    words = table.schema[column].words
    counts, full = word_counts(table, column)
    rows = counts.sum(axis=1)
    known = np.flatnonzero(rows >= min(FEWEST, FEW * full.sum()))
    base = full / full.sum()
    spread = np.sqrt(np.maximum(rows[known, None] * base * (1 - base), 1e-12))
    beyond = (counts[known] - rows[known, None] * base) / spread  # [word, class], in standard errors
    order = np.argsort(-beyond, axis=0, kind="stable")
    each = min(max(1, most // max(len(base), 1)), len(known))
    best = [(float(beyond[w, c]), int(known[w]), c) for c in range(len(base)) for w in order[:each, c]]
    told = sorted((b for b in best if b[0] > 0), key=lambda b: (-b[0], b[1], b[2]))[:most]
    return [ToldWord(words[w], c, float(rows[w]), float(counts[w, c] / rows[w])) for _, w, c in told]


def word_counts(table: Table, column: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return counts[word, class] of the rows that have the word, and those of all rows."""
    many, labels = len(table.schema[column].words), len(table.schema.predicted.labels)
    counts, full, at = np.zeros(many * labels), np.zeros(labels), 0
    assert table.classes is not None
    for block in table.blocks():
        here = slice(at, at + block.rows)
        classes = table.classes[here].astype(np.int64)
        weights = np.ones(block.rows) if table.weights is None else table.weights[here] / table.unit
        starts, found, _ = block.words(column)
        row = np.repeat(np.arange(block.rows), np.diff(starts))
        inside = found < many  # words that were too rare have no number of their own
        cells = found[inside].astype(np.int64) * labels + classes[row[inside]]
        counts += np.bincount(cells, weights[row[inside]], minlength=len(counts))
        full += np.bincount(classes, weights, minlength=labels)
        at += block.rows
    return counts.reshape(many, labels), full
