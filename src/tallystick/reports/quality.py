"""Of the page, how good: methods side by side, learning curves, confusion, calibration, ROC, PR, groups.

Knows results of judging. Knows nothing of HTML. Law: every score is of rows that the method had not seen.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

import numpy as np

from tallystick.data.schema import CODED, Column
from tallystick.draw.heat import heat_map
from tallystick.draw.panels import INK, Axis, ChartCurve, chart, strip, strip_axis
from tallystick.draw.text import measured, measured_percent, p_value
from tallystick.evaluate import CrossValidation
from tallystick.evaluate.compare import Entry
from tallystick.evaluate.group_differences import FEWEST, told_of
from tallystick.evaluate.groups import error_rates, group_names
from tallystick.reports.curves import curves_section
from tallystick.reports.ingredients import Ingredients
from tallystick.reports.sentences import percent
from tallystick.reports.thresholds import costs_section, threshold_section

MOST_CLASSES = 12  # of a confusion matrix; with more, the most frequent confusions are listed
MOST_MAPPED = 60  # classes of a heat map
MOST_PAIRS = 10
MOST_GROUPS = 12
SHOWN_COLUMNS = 3
FEWEST_SIZES = 3  # of a learning curve: one or two points are no curve
DASHES = ("6 3", "2 3", "9 3 2 3", "1 4", "12 4")  # of the methods that were not chosen


def judged_section(given: Ingredients) -> dict[str, Any]:
    """Return tables and charts of the comparison and of the chosen method."""
    scores = given.chosen.result.scores
    return {
        "how": given.comparison.how,
        "work": work_words(given),
        "methods": [_method(given, e) for e in given.comparison.entries],
        "measures": [measure_line(m) for m in scores.measures],
        "curve": _curve(given),
        "confusion": _confusion(given),
        "by_class": _by_class(given),
        "curves": curves_section(given),
        "threshold": threshold_section(given),
        "costs": costs_section(given),
        "groups": _groups(given),
        "impossible": scores.impossible,
    }


def work_words(given: Ingredients) -> dict[str, str]:
    """Return what was done on a part of the rows, in sentences; empty where all rows were used."""
    work, rows = given.work, f"{given.table.rows:,}"
    if work is None:
        return {"compared": "", "curve": ""}
    said = [work.left_out] if work.left_out else []
    if work.halved:
        said.append(f"The table is large, so {given.folds} folds stand for the usual 10.")
    if work.compared:
        said.append(
            f"To save time the methods were compared on {work.compared:,} of the {rows} rows, chosen by what "
            "they hold; other models than the chosen one are fitted on these."
        )
    if work.compared and work.judged:
        said.append(
            "The chosen one is fitted on all rows; its scores are those of models of these rows alone, and "
            "one of all rows usually does a little better."
        )
    elif work.compared:
        said.append("The chosen one is fitted on all rows, and its scores are those on all rows.")
    drawn = f"Drawn on {work.curve:,} of the {rows} rows." if work.curve else ""
    return {"compared": " ".join(said), "curve": drawn}


def _method(given: Ingredients, entry: Entry[CrossValidation]) -> dict[str, Any]:
    accuracy, loss = entry.result.measure("accuracy"), entry.result.measure("log-loss")
    ends = [e.result.measure("log-loss") for e in given.comparison.entries]
    scale = (min(m.low for m in ends), max(m.high for m in ends))
    right, right_ends = measured_percent(accuracy.value, accuracy.low, accuracy.high)
    told, told_ends = measured(loss.value, loss.low, loss.high, ".3f")
    numbers = given.chosen.numbers if entry.name == given.chosen.name else entry.numbers
    return {
        "name": entry.name,
        "chosen": entry is given.chosen or entry.name == given.chosen.name,
        "accuracy": f"{right} %",
        "accuracy_ends": right_ends,
        "loss": told,
        "loss_ends": told_ends,
        "strip": strip(
            loss.value, (loss.low, loss.high), scale,
            f"log-loss {told}, 95 % interval {told_ends}",
            entry.name == given.chosen.name,
        ),
        "numbers": "?" if numbers >= 10**9 else f"{numbers:,}",
        "p": "" if entry.against_best is None else p_value(entry.against_best),
        "setting": entry.setting,
    }  # fmt: skip


def measure_line(m: Any) -> dict[str, str]:
    """Return a score as a line of the table of all scores."""
    shown, (value, ends) = m.to_dict(), measured(m.value, m.low, m.high, ".4f")
    return {
        "name": m.name,
        "value": value,
        "ends": ends,
        "base": "" if m.base is None else f"{m.base:.4f}",
        "method": str(shown["method"]),
    }


def _curve(given: Ingredients) -> dict[str, Any] | None:
    curve = given.curve
    if curve is None or not curve.curves or not curve.repeats:
        return None
    data = curve.to_dict()
    if len(data["sizes"]) < FEWEST_SIZES:
        return None
    drawn = [
        _learned(m, data["sizes"], k, m["name"] == given.chosen.name) for k, m in enumerate(data["methods"])
    ]
    tops = [v for c in drawn for v in c.high if math.isfinite(v)] + [curve.base]
    axis = Axis("training rows (logarithmic)", data["sizes"][0], data["sizes"][-1], log=True)
    level = ("baseline", curve.base)
    svg = chart(drawn, axis, Axis("error on rows held out", 0.0, max(tops) * 1.05), "learning curves", level)
    return {"svg": svg, "tested": f"{curve.tested:,}", "repeats": curve.repeats, "base": percent(curve.base)}


def _learned(found: dict[str, Any], sizes: list[int], number: int, chosen: bool) -> ChartCurve:
    """Return the curve of one method: methods differ by their dashes, for colours mean classes."""
    low = [max(0.0, v) for v in found["low"]]
    dash = None if chosen else DASHES[number % len(DASHES)]
    line = ChartCurve(found["name"], sizes, found["error"], low, found["high"], dots=chosen, ink=INK)
    return replace(line, dash=dash, wide=2.6 if chosen else 1.5)


def _confusion(given: Ingredients) -> dict[str, Any]:
    counts, labels = given.chosen.result.scores.confusion, given.labels
    if len(labels) > MOST_CLASSES:
        return {"pairs": _pairs(counts, labels), "map": _map(given, counts)}
    full = np.maximum(counts.sum(axis=1, keepdims=True), 1e-300)
    rows = [
        {
            "label": label,
            "cells": [
                {"count": f"{n:,.0f}", "hit": i == j}
                | {"shade": round(9 * n / full[i, 0]), "share": percent(n / full[i, 0], 0)}
                for j, n in enumerate(line)
            ],
        }
        for i, (label, line) in enumerate(zip(labels, counts.tolist(), strict=True))
    ]
    return {"labels": list(labels), "rows": rows}


def _map(given: Ingredients, counts: Any) -> dict[str, Any]:
    """Return the heat map of many classes; with very many, of the most frequent ones."""
    order = np.argsort(-counts.sum(axis=1), kind="stable")[:MOST_MAPPED]
    kept = np.array(sorted(order.tolist(), key=lambda c: _by_number(given.labels[c])))
    title = f"truth and answer of {len(kept)} classes"
    svg = heat_map(counts[np.ix_(kept, kept)].tolist(), [given.labels[c] for c in kept.tolist()], title)
    return {"svg": svg, "left": len(given.labels) - len(kept)}


def _by_number(label: str) -> list[tuple[int, str]]:
    """Return by what labels are sorted so that class 10 comes after class 9."""
    return [(int(t), "") if t.isdecimal() else (-1, t) for t in re.split(r"([0-9]+)", label)]


def _by_class(given: Ingredients) -> list[dict[str, str]]:
    """Return of each class how many rows are found, and how many answers are false alarms."""
    confusion = given.chosen.result.scores.confusion
    out = []
    for c, found in enumerate(given.chosen.result.scores.per_class):
        answers = float(confusion[:, c].sum())
        recall, ends = measured_percent(found["recall"], *found["recall_interval"])
        out.append(
            {
                "label": found["class"],
                "rows": f"{found['rows']:,.0f}",
                "found": f"{confusion[c, c]:,.0f}",
                "recall": f"{recall} %",
                "recall_ends": ends,
                "alarms": f"{answers - confusion[c, c]:,.0f}",
                "precision": percent(found["precision"]) if answers else "–",
                "f1": f"{found['f1']:.3f}",
            }
        )
    return out


def _pairs(counts: Any, labels: tuple[str, ...]) -> list[dict[str, str]]:
    """Return the most frequent confusions of many classes."""
    wrong = counts.copy()
    np.fill_diagonal(wrong, 0)
    order = np.argsort(-wrong, axis=None, kind="stable")[:MOST_PAIRS]
    out = []
    for at in order.tolist():
        i, j = divmod(at, len(labels))
        if wrong[i, j] > 0:
            share = wrong[i, j] / max(float(counts[i].sum()), 1e-300)
            out.append(
                {
                    "truth": labels[i],
                    "answer": labels[j],
                    "rows": f"{wrong[i, j]:,.0f}",
                    "share": percent(share),
                }
            )
    return out


def _groups(given: Ingredients) -> dict[str, Any]:
    """Return error rates by the levels of some columns: those asked for, or where they differ most."""
    table, result = given.table, given.chosen.result
    groups, looked = given.groups, len(given.groups)
    if not groups:
        coded = [c for c in table.schema.used if c.kind in CODED and 2 <= len(c.levels) <= MOST_GROUPS]
        apart = {name: -_spread(rates) for name, rates in _level_errors(given, coded).items()}
        looked = len(coded)
        groups = {
            n: group_names(table, n) for n in sorted(apart, key=lambda n: (apart[n], n))[:SHOWN_COLUMNS]
        }
    found = [
        (name, error_rates(texts, result.truth, result.repeats[0], result.weights, result.rule))
        for name, texts in groups.items()
    ]
    scale = (0.0, max([g["high"] for _, rates in found for g in rates], default=1.0))  # one for all
    tables = [
        {
            "name": name,
            "rows": [_group(g, scale) for g in rates],
            "said": told_of(rates, result.classes),
            "rates": [_rates(g, len(result.classes) - 1) for g in rates] if len(result.classes) == 2 else [],
            "positive": result.classes[-1],
        }
        for name, rates in found
    ]
    axis = strip_axis(scale, "error", "%")
    return {"tables": tables, "looked": looked, "asked": bool(given.groups), "axis": axis}


def _rates(group: dict[str, Any], k: int) -> dict[str, str]:
    """Return how often a group is answered with a class, how often that is missed or a false alarm, and the
    share that the model gives it beside the share that is so.
    """

    def told(one: dict[str, Any]) -> str:
        return "{} % ({})".format(*measured_percent(one["share"], one["low"], one["high"]))

    kept = group["calibration"][k]
    return {
        "group": group["group"],
        "answered": f"{group['answers'][k]:.1%}",
        "misses": told(group["misses"][k]),
        "alarms": told(group["false_alarms"][k]),
        "given": f"{kept['given']:.1%}",
        "is": told({"share": group["truth"][k], "low": kept["low"], "high": kept["high"]}),
    }


def _level_errors(given: Ingredients, columns: list[Column]) -> dict[str, list[dict[str, float]]]:
    """Return rows and error of every level of some columns, by column."""
    table, result = given.table, given.chosen.result
    tested, answers = result.tested_answers
    weight = np.ones(len(tested)) if result.weights is None else result.weights[tested]
    wrong = weight * (answers != result.truth[tested])
    out = {}
    for column in columns:
        codes = np.asarray(table.column(column.name))[tested].astype(np.int64)
        sums = zip(np.bincount(codes, weight).tolist(), np.bincount(codes, wrong).tolist(), strict=True)
        out[column.name] = [{"rows": rows, "error": bad / rows} for rows, bad in sums if rows > 0]
    return out


def _spread(rates: list[dict[str, float]]) -> float:
    """Return how far error rates lie apart beyond chance, of groups that have rows enough to be compared:
    chi-square less its degrees of freedom.
    """
    rates = [g for g in rates if g["rows"] >= FEWEST]
    if len(rates) < 2:
        return -math.inf
    rows = sum(g["rows"] for g in rates)
    mean = sum(g["error"] * g["rows"] for g in rates) / rows if rows else 0.0
    if not 0 < mean < 1:
        return 0.0
    away = sum(g["rows"] * (g["error"] - mean) ** 2 for g in rates) / (mean * (1 - mean))
    return float(away - (len(rates) - 1))


def _group(g: dict[str, Any], scale: tuple[float, float]) -> dict[str, str]:
    error, ends = measured_percent(g["error"], g["low"], g["high"])
    words = f"error {error} %, 95 % interval {ends}"
    return {
        "group": g["group"],
        "rows": f"{g['rows']:,.0f}",
        "error": f"{error} %",
        "ends": ends,
        "strip": strip(g["error"], (g["low"], g["high"]), scale, words),
    }
