"""Of the page of a target of numbers, rows: those whose answer is furthest off, and one that stands for each
part.

Knows the encoded table, out-of-fold answers and how to fetch a raw row. Knows nothing of HTML.
Laws: which rows are shown depends on what they hold; without leave no raw row is fetched.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tallystick.draw.svg import brief
from tallystick.reports.column_effects import face_of
from tallystick.reports.ingredients import Ingredients
from tallystick.reports.rows import (
    MOST_GROUPS,
    MOST_WRONG,
    Groups,
    largest_leaves,
    leaf_words,
    most_typical,
    raw_row,
    row_cells,
    stops_of,
)

PARTS = ("low", "middle", "high")  # thirds of the answers


def number_rows(given: Ingredients) -> dict[str, Any]:
    """Return rows that are far off and typical ones, and the rows that the what-if form can start from."""
    if given.row is None:
        return {"shown": False, "wrong": [], "typical": [], "starts": []}
    wrong, typical = _furthest(given), _typical(given)
    starts = [{"label": t["words"], "row": t["raw"]} for t in typical]
    starts += [
        {"label": f"answered {w['answer']}, but {w['truth']}", "row": w["raw"]}
        for w in wrong[: MOST_GROUPS // 2]
    ]
    return {"shown": True, "wrong": wrong, "typical": typical, "starts": starts}


def _furthest(given: Ingredients) -> list[dict[str, Any]]:
    """Return the rows whose answer is furthest from the truth; copies of a row are shown once."""
    result, hashes = given.chosen.result, given.table.row_hashes()
    away = np.abs(result.answers - result.truth)
    rows = np.flatnonzero((result.fold >= 0) & (away > 0))
    out, seen = [], set()
    for row in rows[np.lexsort((hashes[rows], -away[rows]))].tolist():
        if int(hashes[row]) in seen:
            continue
        seen.add(int(hashes[row]))
        raw = raw_row(given, row)
        out.append(
            {
                "truth": brief(float(result.truth[row])),
                "answer": brief(float(result.answers[row])),
                "off": brief(float(away[row])),
                "raw": raw,
                "cells": row_cells(given, raw),
            }
        )
        if len(out) == MOST_WRONG:
            break
    return out


def _typical(given: Ingredients) -> list[dict[str, Any]]:
    groups, words = answer_groups(given) if given.model is None else face_of(given.model).groups(given)
    out = []
    for number, (told, first) in words.items():
        here = np.flatnonzero(groups == number)
        if len(here):
            row = most_typical(given.table, here)
            raw = raw_row(given, row)
            cells = row_cells(given, raw, first)
            out.append({"words": told, "rows": f"{len(here):,}", "raw": raw, "cells": cells})
    return out


def number_leaf_groups(given: Ingredients) -> Groups:
    """Return group[row], and the words and first columns of each group shown: the leaves of a tree."""
    table, tree = given.table, given.told.shown
    stops = stops_of(tree, table)
    return stops, {leaf: leaf_words(tree, leaf) for leaf in largest_leaves(stops)}


def answer_groups(given: Ingredients) -> Groups:
    """Return group[row], and the words of each group shown: rows of a low, a middle and a high answer."""
    result = given.chosen.result
    tested = result.fold >= 0
    cuts = np.quantile(result.answers[tested], [1 / 3, 2 / 3], method="inverted_cdf")
    part = np.where(tested, np.searchsorted(cuts, result.answers, "left"), -1)
    return part.astype(np.int32), {k: (f"a {word} answer", ()) for k, word in enumerate(PARTS)}
