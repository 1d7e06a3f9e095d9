"""The report's rows: confident errors, typical rows of each leaf or class, and the data of the what-if form.

Parts: rows of classes, entry `rows_section()`; rows of a target of numbers; what if, entry `what_if()`.
Laws: which rows are shown depends on their content, never on their order; without permission no raw row is
fetched.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.draw.svg import brief, class_words, cut, percent
from tallystick.errors import clean
from tallystick.judge.folds import counts, steps
from tallystick.reports.context import PageData, Row, section_of
from tallystick.schema import CODED, Column, Schema
from tallystick.table.encode import Matcher
from tallystick.table.ranks import quantiles
from tallystick.text import plain, quantity, way_of
from tallystick.tree.model import Tree
from tallystick.tree.report import way_conditions

DECIMAL = re.compile(r"-?[0-9]+\.[0-9]+")
MOST_WRONG = 9
MOST_GROUPS = 9
MOST_CELLS = 6  # columns shown of a row: those that move the model most
MOST_LOOKED = 200_000  # rows among which a typical one is looked for
LONGEST = 160  # letters of a text cell
MOST_TESTS = 4  # conditions shown of the way to a leaf
LONG, DIGITS = 9, 6  # a number with a point and more letters than 9 is shown in 6 digits


def rows_section(page: PageData) -> dict[str, Any]:
    """Return wrong and typical rows for the page, and the rows that the what-if form can start from."""
    errors = {} if page.is_number else {"errors": _errors(page)}
    if page.row is None:
        return {"shown": False, "wrong": [], "typical": [], "starts": []} | errors
    wrong, typical = _furthest(page) if page.is_number else _wrong(page), _typical(page)
    words = "answered {answer}, but {truth}" if page.is_number else "taken for {answer}, but {truth}"
    starts = [{"label": t["words"], "row": t["raw"]} for t in typical]
    starts += [{"label": words.format(**w), "row": w["raw"]} for w in wrong[: MOST_GROUPS // 2]]
    return {"shown": True, "wrong": wrong, "typical": typical, "starts": starts} | errors


def _errors(page: PageData) -> dict[str, str]:
    tested, answers = page.chosen.result.tested_answers
    wrong = int((answers != page.chosen.result.truth[tested]).sum())
    return {"wrong": f"{wrong:,}", "rows": f"{len(tested):,}"}


def _wrong(page: PageData) -> list[dict[str, Any]]:
    """Return the rows whose wrong answer had the largest share; copies of a row are shown once."""
    result = page.chosen.result
    tested, answers = result.tested_answers
    wrong = answers != result.truth[tested]
    rows, answers = tested[wrong], answers[wrong]
    confident, hashes = result.shares[rows, answers], page.table.row_hashes()[rows]
    out: list[dict[str, Any]] = []
    at: dict[int, int] = {}
    for place in np.lexsort((hashes, -confident)).tolist():
        row, answer, key = int(rows[place]), int(answers[place]), int(hashes[place])
        if key in at:
            out[at[key]]["copies"] += 1
        elif len(out) < MOST_WRONG:
            at[key] = len(out)
            raw = raw_row(page, row)
            out.append(
                {
                    "truth": page.labels[int(result.truth[row])],
                    "answer": page.labels[answer],
                    "share": percent(float(confident[place])),
                    "own": percent(float(result.shares[row, result.truth[row]])),
                    "copies": 1,
                    "raw": raw,
                    "cells": row_cells(page, raw),
                    "reasons": _reasons(page, row, (answer, int(result.truth[row]))),
                }
            )
    return out


def _reasons(page: PageData, row: int, way: tuple[int, int]) -> dict[str, Any]:
    """Return what weighs most in a row for one class against another, by the chosen model."""
    lines = [] if page.model is None else section_of(page.model).reasons(page.model, page.table, row, way)
    return {"lines": lines, "of": page.labels[way[0]], "against": page.labels[way[1]]}


def no_reasons(model: Any, table: Table, row: int, way: tuple[int, int]) -> list[dict[str, str]]:
    """Return nothing: the method's reasons stand in the what-if section."""
    return []


def raw_row(page: PageData, row: int) -> Row:
    """Return a raw row as texts, of the columns that the model may look at; None where it is missing."""
    assert page.row is not None
    found = page.row(row)
    used = set(page.table.schema.needed)
    marks = page.table.schema.marks
    return {n: None if v is None or v.strip() in marks else v for n, v in found.items() if n in used}


def row_cells(page: PageData, raw: Row, first: tuple[str, ...] = ()) -> list[dict[str, str]]:
    """Return the cells of a row that move the model most, short; first: columns that stand before them."""
    names = list(dict.fromkeys([*first, *page.columns]))[:MOST_CELLS]
    numeric = {c.name for c in page.table.schema.used if c.kind == "numeric"}
    return [{"name": n, "value": _short(raw.get(n), n in numeric)} for n in names if n in raw]


def _short(value: str | None, number: bool) -> str:
    if value is None or value == "":
        return "(missing)"
    if number and len(value) > LONG and DECIMAL.fullmatch(value):
        return quantity(float(value), "", DIGITS)
    return cut(clean(" ".join(value.split())), LONGEST)


# -- typical rows --


def _typical(page: PageData) -> list[dict[str, Any]]:
    if page.model is not None:
        groups, words = section_of(page.model).groups(page)
    else:
        groups, words = answer_groups(page) if page.is_number else class_groups(page)
    out = []
    for number, (name, first) in words.items():
        here = np.flatnonzero(groups == number)
        if len(here) == 0:
            continue
        row = most_typical(page.table, here)
        raw = raw_row(page, row)
        out.append(
            {
                "words": name,
                "rows": f"{len(here):,}",
                "raw": raw,
                "cells": row_cells(page, raw, first),
            }
        )
        if not page.is_number:
            own = int(page.table.classes[row])  # type: ignore[index]
            shares = page.chosen.result.shares[row]
            rival = max((c for c in range(len(page.labels)) if c != own), key=lambda c: (shares[c], -c))
            out[-1] |= {"truth": page.labels[own], "reasons": _reasons(page, row, (own, rival))}
    return out


Groups = tuple[NDArray[np.int32], dict[int, tuple[str, tuple[str, ...]]]]


def leaf_groups(page: PageData) -> Groups:
    """Return group[row], and the words and first columns of each group shown: the leaves of a tree."""
    table, tree = page.table, page.readable_model.shown
    stops = stops_of(tree, table)
    words = {leaf: leaf_words(tree, leaf) for leaf in largest_leaves(stops)}
    if table.classes is not None:
        for s in steps(table.rows):  # the row that stands for a leaf has its answer
            stops[s][tree.labels[stops[s]] != table.classes[s]] = -1
    return stops, words


def stops_of(tree: Tree, table: Table) -> NDArray[np.int32]:
    """Return the leaf that each row reaches."""
    out, at = np.empty(table.rows, np.int32), 0
    for block in table.blocks():
        out[at : at + block.rows] = tree.stops(block)
        at += block.rows
    return out


def largest_leaves(stops: NDArray[np.int32]) -> list[int]:
    """Return the leaves that most rows reach, of equals the first."""
    sizes = counts(stops, int(stops.max()) + 1)
    order = sorted(np.flatnonzero(sizes).tolist(), key=lambda leaf: (-int(sizes[leaf]), leaf))
    return order[:MOST_GROUPS]


def class_groups(page: PageData) -> Groups:
    """Return group[row], and the words and first columns of each group shown: the classes."""
    table = page.table
    assert table.classes is not None
    result = page.chosen.result
    tested, answers = result.tested_answers
    right = tested[answers == table.classes[tested]]
    groups = np.full(table.rows, -1, np.int32)
    groups[right] = table.classes[right]
    full = counts(table.classes, len(page.labels))
    order = sorted(range(len(full)), key=lambda c: (-int(full[c]), c))[:MOST_GROUPS]
    names: dict[int, tuple[str, tuple[str, ...]]] = {c: (page.labels[c], ()) for c in order}
    return groups, names


def leaf_words(tree: Tree, node: int) -> tuple[str, tuple[str, ...]]:
    """Return the way to a leaf in words, one condition a column, and the columns asked on it; of a long way
    the conditions that fewest rows fulfil, which part this leaf from the others.
    """
    tests = way_conditions(tree, node)
    kept: dict[str, float] = {}  # by column, the share of the rows that its questions on the way let go on
    at = node
    while tree.nodes.parent[at] >= 0:
        up = int(tree.nodes.parent[at])
        name = tree.schema.used[int(tree.nodes.column[up])].name
        kept[name] = (
            kept.get(name, 1.0) * float(tree.nodes.weight[at]) / (float(tree.nodes.weight[up]) or 1.0)
        )
        at = up
    order = sorted(range(len(tests)), key=lambda k: (kept[tests[k].column.name], k))
    shown = sorted(order[:MOST_TESTS]) if len(tests) > MOST_TESTS else range(len(tests))
    labels = tree.schema.predicted.labels
    answer = class_words(labels[int(tree.labels[node])]) if labels else brief(float(tree.nodes.mean[node]))
    words = " and ".join(tests[k].sentence(40) for k in shown) or "all rows"
    more = f", and {len(tests) - len(shown)} more" if len(shown) < len(tests) else ""
    first = [tests[k].column.name for k in (*shown, *(k for k in order if k not in shown))]
    return f"{answer}: {cut(clean(words), 150)}{more}", tuple(first)


def most_typical(table: Table, here: NDArray[np.int64]) -> int:
    """Return the row among `here` that agrees with most columns of its group.

    A row agrees with a column of levels when it has the group's most frequent level, with a number when it
    lies in the group's middle half. Of equals the one nearest to the medians, then the first by content.
    """
    here = here[:: -(-len(here) // MOST_LOOKED)]  # of very many, some that lie evenly
    score, away = np.zeros(len(here)), np.zeros(len(here))
    for column in table.schema.used:
        if column.kind in CODED:
            codes = np.asarray(table.column(column.name))[here].astype(np.int64)
            score += codes == int(np.argmax(np.bincount(codes)))
        elif column.kind == "numeric":
            values = table.column(column.name)[here]
            known = values[~np.isnan(values)]
            if len(known) == 0:
                continue
            low, middle, high = np.quantile(known, [0.25, 0.5, 0.75], method="inverted_cdf")
            score += (values >= low) & (values <= high)
            away += np.nan_to_num(np.abs(values - middle) / ((high - low) or 1.0), nan=1.0)
    return int(here[np.lexsort((np.arange(len(here)), away, -score))[0]])


def middle_row(table: Table) -> Row:
    """Return a row that nobody brought: the most frequent level and the median of each column."""
    out: Row = {}
    for column in table.schema.used:
        if column.kind in CODED:
            codes = counts(np.asarray(table.column(column.name)), len(column.levels) + 2)
            best = int(np.argmax(codes))
            out[column.name] = column.levels[best] if best < len(column.levels) else None
        elif column.kind == "numeric":
            (middle,) = quantiles(table.column(column.name), [0.5])
            out[column.name] = None if math.isnan(middle) else quantity(middle, column.unit, 12)
        else:
            out[column.name] = ""
    return out


# A target of numbers: rows with the largest error, and a typical row of each third of the answers.


PARTS = ("low", "middle", "high")  # thirds of the answers


def _furthest(page: PageData) -> list[dict[str, Any]]:
    """Return the rows whose answer is furthest from the truth; copies of a row are shown once."""
    result, hashes = page.chosen.result, page.table.row_hashes()
    away = np.abs(result.answers - result.truth)
    rows = np.flatnonzero((result.fold >= 0) & (away > 0))
    out, seen = [], set()
    for row in rows[np.lexsort((hashes[rows], -away[rows]))].tolist():
        if int(hashes[row]) in seen:
            continue
        seen.add(int(hashes[row]))
        raw = raw_row(page, row)
        out.append(
            {
                "truth": brief(float(result.truth[row])),
                "answer": brief(float(result.answers[row])),
                "off": brief(float(away[row])),
                "raw": raw,
                "cells": row_cells(page, raw),
            }
        )
        if len(out) == MOST_WRONG:
            break
    return out


def answer_groups(page: PageData) -> Groups:
    """Return group[row], and the words of each group shown: rows of a low, a middle and a high answer."""
    result = page.chosen.result
    tested = result.fold >= 0
    cuts = np.quantile(result.answers[tested], [1 / 3, 2 / 3], method="inverted_cdf")
    part = np.where(tested, np.searchsorted(cuts, result.answers, "left"), -1)
    return part.astype(np.int32), {k: (f"a {word} answer", ()) for k, word in enumerate(PARTS)}


# What if: the exported model as data, a field per column that it uses, rows to start from. The page answers
# by the exported form alone, which reads numbers and dates in the plain format only: starting rows are
# written in it, and a field whose column the file writes otherwise says so. Of a text column the heaviest
# words are kept, and the page says so; of a large tree nine digits of every share.


MOST_WORDS = 2_000
LARGE, WHAT_IF_DIGITS = 300_000, 9  # bytes of an exported tree; of a larger one shares have so many digits
MOST_BYTES = 800_000  # of the exported model on the page; there is no form for a larger one
OPEN, FEW_MORE = 12, 4  # fields shown at once; so few more are not worth folding
MOST_LEVELS = 500  # in a list to choose from; with more the field is a text input


def what_if(page: PageData, starts: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return form, fields and starting rows; None when there is no model, it has no form,
    or it is too large for a page."""
    if not page.form_text:
        return None
    form = json.loads(page.form_text)
    if "nodes" in form and len(page.form_text) > LARGE:
        for node in form["nodes"]:
            node[-1] = None if node[-1] is None else [round(share, WHAT_IF_DIGITS) for share in node[-1]]
    words = [limited(form, c) for c in range(len(form["columns"])) if form["columns"][c]["kind"] == "text"]
    if len(json.dumps(form, separators=(",", ":"))) > MOST_BYTES:
        return None
    names = list(dict.fromkeys(c.get("of", c["name"]) for c in form["columns"]))
    order = sorted(names, key=lambda n: page.columns.index(n) if n in page.columns else len(names))
    first = [{"label": "the middle of every column", "row": middle_row(page.table)}]
    every = [{**s, "row": plain_row(page.table.schema, s["row"], page.decimal)} for s in starts] + first
    fields = [_field(page.table.schema[n]) for n in order]
    return {
        "form": form,
        "fields": fields,
        "changeable": [f["name"] for f in fields if "levels" in f or f.get("low") is not None],
        "open": OPEN if len(order) > OPEN + FEW_MORE else len(order),
        "starts": [{"label": s["label"], "row": {n: s["row"].get(n) for n in names}} for s in every],
        "words": [w for w in words if w],
    }


def plain_row(schema: Schema, row: Row, decimal: str) -> Row:
    """Return a raw row as the exported form reads it: 6.486,08 € as 6486.08, 31.12.2020 as 2020-12-31, and
    TRUE as the level that it means.
    """
    out = dict(row)
    for name, text in row.items():
        column = schema[name] if name in schema.given else None
        if text is None or column is None or column.kind not in (*CODED, "numeric"):
            continue
        cell = (
            Matcher(column, schema.marks, decimal, True).run(pa.array([text], pa.large_string()), 1).data[0]
        )
        if column.kind == "numeric":
            out[name] = None if math.isnan(cell) else quantity(float(cell), column.unit)
        else:
            k = len(column.levels)
            out[name] = column.levels[cell] if cell < k else None if cell == k else text
    return out


def limited(form: dict[str, Any], column: int) -> dict[str, Any] | None:
    """Keep the heaviest words of a text column of a form, in place; return how many were left out, if any."""
    words = form["columns"][column]["words"]
    if len(words) <= MOST_WORDS:
        return None
    spread = np.zeros(len(words))
    terms = [t for t in form["terms"] if t.get("column") == column and "words" in t]
    for term in terms:
        table = np.array([[-30.0 if p is None else p for p in line] for line in term["words"]], float)
        scale = np.array(term["idf"], float) if len(term.get("idf", ())) else 1.0
        spread += (table.max(axis=1) - table.min(axis=1)) * scale
    kept = np.sort(np.argsort(-spread, kind="stable")[:MOST_WORDS]).tolist()
    form["columns"][column]["words"] = [words[k] for k in kept]
    for term in terms:
        term["words"] = [term["words"][k] for k in kept]
        if len(term.get("idf", ())):
            term["idf"] = [term["idf"][k] for k in kept]
    return {"column": form["columns"][column]["name"], "kept": MOST_WORDS, "all": len(words)}


def _field(column: Column) -> dict[str, Any]:
    out: dict[str, Any] = {"name": column.name, "kind": column.kind}
    if way := way_of(column.written):
        file = {"23:59": "8:30", "11:59 PM": "8:30 AM"}.get(way.example, way.example)  # in hours: 8.5
        here = plain(pa.array([file], pa.large_string()), way)[0].as_py()
        out["form"] = f"{file} in the file is {here} here"
    if column.kind in CODED:
        few = len(column.levels) <= MOST_LEVELS
        return out | ({"levels": list(column.levels)} if few else {"kind": "typed"})
    if column.kind == "numeric" and column.unit == "date":
        hint = f"{_day(column.low)} to {_day(column.high)}"
        return out | {"kind": "date", "hint": hint, "low": column.low, "high": column.high}
    if column.kind == "numeric" and column.low is not None and column.high is not None:
        return out | {"low": column.low, "high": column.high}
    return out


def _day(value: float | None) -> str:
    return "?" if value is None else quantity(math.floor(value), "date")
