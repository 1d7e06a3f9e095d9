"""The report's section on quality: curves, thresholds and costs, methods side by side, confusion, groups.

Parts: curves of one class against the rest; thresholds and costs of answers; scores of methods, confusion and
error by group, entry `judged_section()`; the same for a target of numbers.
Law: every score is of rows that the model had not seen.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.draw.charts import (
    FRAME,
    INK,
    Axis,
    ChartCurve,
    against_chart,
    chart,
    heat_map,
    histogram,
    strip,
    strip_axis,
    tenths,
)
from tallystick.draw.svg import between, brief, measured, measured_percent, p_value, percent
from tallystick.errors import clean
from tallystick.judge.answers import average
from tallystick.judge.compare import Entry
from tallystick.judge.groups import (
    FEWEST,
    Thresholds,
    all_cuts,
    error_rates,
    error_sizes,
    group_names,
    number_differences,
    rate_differences,
    thin,
    thresholds_between,
)
from tallystick.judge.result import CrossValidation
from tallystick.reports.context import PageData, class_colours
from tallystick.schema import CODED, Column
from tallystick.stats import distributions

# One class against the rest: ROC, precision and recall, calibration. The page comes with the pictures of one
# class, and with the points of every listed class, drawn in the same frame. A model that gives all rows of a
# fold the same share has no curve, which would show the folds alone.


MOST_CLASSES = 60  # classes in the list, the most frequent
POINTS = 80  # points of the curve of each further class


def curves_section(page: PageData) -> dict[str, Any]:
    """Return the pictures of one class, and the points of all in the list."""
    result = page.chosen.result
    if constant(result):
        return {"constant": True, "positive": result.scores.positive}
    first = page.labels.index(result.scores.positive)
    full = np.bincount(result.truth, result.weights, minlength=len(result.classes))
    order = np.argsort(-full, kind="stable").tolist()
    listed = {first, *[c for c in order if full[c] > 0][:MOST_CLASSES]}
    points = {c: _curves(result, c) for c in sorted(listed)}
    ink = class_colours(page)[first]
    own = result.scores.curves  # all points, for the pictures that need no script
    return {
        "constant": False,
        "positive": result.scores.positive,
        "first": first,
        "roc": _chart("ROC curve", own["roc"], ("false alarms", "found"), ink),
        "pr": _chart("precision and recall", own["pr"], ("found (recall)", "precision"), ink),
        "calibration": _calibration(own["calibration"], ink),
        "lift": own["top_tenth"],
        "left": len(page.labels) - len(points),
        "data": {"frame": list(FRAME), "classes": points, "first": first},
    }


def constant(result: CrossValidation) -> bool:
    """Say whether every row of a fold was given the same shares."""
    part = result.repeats[0]
    folds = np.unique(part.fold[part.fold >= 0])
    return all(bool((np.ptp(part.shares[part.fold == f], axis=0) == 0).all()) for f in folds.tolist())


def _curves(result: CrossValidation, c: int) -> dict[str, Any]:
    found, _ = result.measured[0].order(c).curves()
    bins = found["calibration"]
    return {
        "roc": thinned(found["roc"]),
        "pr": thinned(found["pr"]),
        "calibration": [
            [round(b[k], 4) for k in ("predicted", "observed", "low", "high")] for b in bins
        ],
        "lift": [round(found["top_tenth"]["share"], 4), round(found["top_tenth"]["lift"], 2)],
    }  # fmt: skip


def thinned(points: list[list[float]], most: int = POINTS) -> list[list[float]]:
    """Return at most `most` points of a curve, about equally far from each other along it, the ends kept."""
    at: NDArray[np.float64] = np.asarray(points, float)
    if len(at) > most:
        along = np.concatenate([[0.0], np.abs(np.diff(at, axis=0)).sum(axis=1).cumsum()])
        near = np.searchsorted(along, np.linspace(0.0, along[-1], most))
        at = at[np.unique(np.concatenate([[0], near, [len(at) - 1]]))]
    return [[round(x, 4), round(y, 4)] for x, y in at.tolist()]


def _chart(title: str, points: list[list[float]], words: tuple[str, str], ink: str) -> str:
    line = ChartCurve(title, [p[0] for p in points], [p[1] for p in points], ink=ink)
    return chart([line], Axis(words[0]), Axis(words[1]), title, diagonal=words[1] == "found")


def _calibration(bins: list[dict[str, Any]], ink: str) -> str:
    x, y, low, high = ([b[k] for b in bins] for k in ("predicted", "observed", "low", "high"))
    line = ChartCurve("came true", x, y, low, high, dots=True, bars=True, ink=ink)
    return chart([line], Axis("predicted share"), Axis("observed share"), "calibration", diagonal=True)


# Thresholds and costs: of two classes counts at many thresholds, gain and lift; of more classes the shares of
# rows, from which the page computes the answers for the costs that are typed in. The default (0.5, or every
# error costs 1) is the class of largest share. Of many rows a sample is used, and the page says so.


MOST_CELLS = 30_000  # shares on the page; of more rows an even sample is taken
PARTS = 100_000  # shares are rounded to so many parts of 1
MOST_TYPED = 12  # classes whose costs stand in a table; of more they are named one by one


def costs_section(page: PageData) -> dict[str, Any] | None:
    """Return rows of more than two classes as the page needs them to answer by costs; None of two, and of a
    model that says the same of all rows.
    """
    result, size = page.chosen.result, len(page.labels)
    if size < 3 or constant(result):
        return None
    tested = np.flatnonzero(result.fold >= 0)
    most = max(MOST_CELLS // size, 1)
    some = tested[np.linspace(0, len(tested) - 1, min(len(tested), most)).astype(np.int64)]
    shares = np.rint(result.shares[some, :size] * PARTS).astype(np.int64)
    weights = result.repeats[0].weight(result.weights)
    return {
        "rows": f"{len(tested):,}",
        "some": f"{len(some):,}" if len(some) < len(tested) else "",
        "table": size <= MOST_TYPED,
        "data": {
            "parts": PARTS,
            "truth": result.repeats[0].of(result.truth)[some].tolist(),
            "shares": shares.ravel().tolist(),
            "weights": [] if weights is None else [round(float(w), 6) for w in weights[some]],
            "table": size <= MOST_TYPED,
        },
    }


def threshold_section(page: PageData) -> dict[str, Any] | None:
    """Return counts by threshold and the curves; None of more classes, and of a model without any curve."""
    result = page.chosen.result
    if result.scores.ranked is None or constant(result):
        return None
    found = result.scores.thresholds()
    of = page.labels.index(found.of)
    ink = class_colours(page)[of]
    return {
        "of": found.of,
        "other": found.other,
        "gain": _curve(found, 1, f"share of {found.of} found", ink),
        "lift": _curve(found, 2, "lift", ink),
        "data": steps_of(found, of),
    }


def steps_of(found: Thresholds, of: int) -> dict[str, Any]:
    """Return what the slider moves over: thresholds, and the rows above each, of both classes."""
    cuts = all_cuts(found.ranked, of, np.array(found.costs))
    keep = thin(len(cuts.low)).tolist()
    own = {thresholds_between(float(cuts.low[k]), float(cuts.high[k])) for k in keep}
    steps = sorted({*own, *(k / 100 for k in range(1, 100))})
    above = found.ranked.above(np.array(steps), of)
    return {
        "of": of,
        "steps": steps,
        "found": above[:, of].tolist(),
        "alarms": above[:, 1 - of].tolist(),
        "all": [float(found.ranked.hits[:, c].sum()) for c in (of, 1 - of)],
    }


def _curve(found: Thresholds, place: int, words: str, ink: str) -> str:
    x, y = [p[0] for p in found.gains], [p[place] for p in found.gains]
    line = ChartCurve(found.of, x, y, ink=ink)
    top = 1.0 if place == 1 else max(1.0, *y) * 1.05
    axis = Axis("share of rows taken, the most probable first")
    return chart([line], axis, Axis(words, 0.0, top), words, diagonal=place == 1)


MOST_JUDGED_CLASSES = 12  # in a confusion matrix; with more, a list has the most frequent confusions
MOST_MAPPED = 60  # classes of a heat map
MOST_PAIRS = 10
MOST_GROUPS = 12
SHOWN_COLUMNS = 3
FEWEST_SIZES = 3  # points that a learning curve has at least
DASHES = ("6 3", "2 3", "9 3 2 3", "1 4", "12 4")  # SVG line patterns of the methods that were not chosen


def judged_section(page: PageData) -> dict[str, Any]:
    """Return tables and charts of the comparison and of the chosen method."""
    if page.is_number:
        return _number_quality(page)
    scores = page.chosen.result.scores
    return {
        "how": page.comparison.how,
        "work": work_words(page),
        "methods": [_method(page, e) for e in page.comparison.entries],
        "measures": [measure_line(m) for m in scores.measures],
        "curve": _learning_curves(page),
        "confusion": _confusion(page),
        "by_class": _by_class(page),
        "curves": curves_section(page),
        "threshold": threshold_section(page),
        "costs": costs_section(page),
        "groups": _groups(page),
        "impossible": scores.impossible,
    }


def work_words(page: PageData) -> dict[str, str]:
    """Return what was done on a part of the rows, in sentences; empty where all rows were used."""
    work, rows = page.work, f"{page.table.rows:,}"
    if work is None:
        return {"compared": "", "curve": ""}
    said = [work.left_out] if work.left_out else []
    if work.halved:
        said.append(f"The table is large, so {page.folds} folds stand for the usual 10.")
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


def _method(page: PageData, entry: Entry[CrossValidation]) -> dict[str, Any]:
    accuracy, loss = entry.result.measure("accuracy"), entry.result.measure("log-loss")
    ends = [e.result.measure("log-loss") for e in page.comparison.entries]
    scale = (min(m.low for m in ends), max(m.high for m in ends))
    right, right_ends = measured_percent(accuracy.value, accuracy.low, accuracy.high)
    shown, shown_ends = measured(loss.value, loss.low, loss.high, ".3f")
    numbers = page.chosen.numbers if entry.name == page.chosen.name else entry.numbers
    return {
        "name": entry.name,
        "chosen": entry is page.chosen or entry.name == page.chosen.name,
        "accuracy": f"{right} %",
        "accuracy_ends": right_ends,
        "loss": shown,
        "loss_ends": shown_ends,
        "strip": strip(
            loss.value, (loss.low, loss.high), scale,
            f"log-loss {shown}, 95 % interval {shown_ends}",
            entry.name == page.chosen.name,
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


def _learning_curves(page: PageData) -> dict[str, Any] | None:
    curve = page.curve
    if curve is None or not curve.curves or not curve.repeats:
        return None
    data = curve.to_dict()
    if len(data["sizes"]) < FEWEST_SIZES:
        return None
    drawn = []
    for k, m in enumerate(data["methods"]):  # methods differ by their dashes, for colours mean classes
        chosen = m["name"] == page.chosen.name
        low = [max(0.0, v) for v in m["low"]]
        line = ChartCurve(m["name"], data["sizes"], m["error"], low, m["high"], dots=chosen, ink=INK)
        dash = None if chosen else DASHES[k % len(DASHES)]
        drawn.append(replace(line, dash=dash, wide=2.6 if chosen else 1.5))
    tops = [v for c in drawn for v in c.high if math.isfinite(v)] + [curve.base]
    axis = Axis("training rows (logarithmic)", data["sizes"][0], data["sizes"][-1], log=True)
    level = ("baseline", curve.base)
    svg = chart(drawn, axis, Axis("error on rows held out", 0.0, max(tops) * 1.05), "learning curves", level)
    return {"svg": svg, "tested": f"{curve.tested:,}", "repeats": curve.repeats, "base": percent(curve.base)}


def _confusion(page: PageData) -> dict[str, Any]:
    counts, labels = page.chosen.result.scores.confusion, page.labels
    if len(labels) > MOST_JUDGED_CLASSES:
        return {"pairs": _pairs(counts, labels), "map": _map(page, counts)}
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


def _map(page: PageData, counts: Any) -> dict[str, Any]:
    """Return the heat map of many classes; with very many, of the most frequent ones."""
    order = np.argsort(-counts.sum(axis=1), kind="stable")[:MOST_MAPPED]
    kept = np.array(sorted(order.tolist(), key=lambda c: _by_number(page.labels[c])))
    title = f"truth and answer of {len(kept)} classes"
    svg = heat_map(counts[np.ix_(kept, kept)].tolist(), [page.labels[c] for c in kept.tolist()], title)
    return {"svg": svg, "left": len(page.labels) - len(kept)}


def _by_number(label: str) -> list[tuple[int, str]]:
    """Return by what labels are sorted so that class 10 comes after class 9."""
    return [(int(t), "") if t.isdecimal() else (-1, t) for t in re.split(r"([0-9]+)", label)]


def _by_class(page: PageData) -> list[dict[str, str]]:
    """Return of each class how many rows are found, and how many answers are false alarms."""
    confusion = page.chosen.result.scores.confusion
    out = []
    for c, found in enumerate(page.chosen.result.scores.per_class):
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


def _groups(page: PageData) -> dict[str, Any]:
    """Return error rates by the levels of some columns: those asked for, or where they differ most."""
    table, result = page.table, page.chosen.result
    groups, looked = page.groups, len(page.groups)
    if not groups:
        coded = [c for c in table.schema.used if c.kind in CODED and 2 <= len(c.levels) <= MOST_GROUPS]
        apart = {name: -beyond_chance(rates) for name, rates in _level_errors(page, coded).items()}
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
            "said": rate_differences(rates, result.classes),
            "rates": [_rates(g, len(result.classes) - 1) for g in rates] if len(result.classes) == 2 else [],
            "positive": result.classes[-1],
        }
        for name, rates in found
    ]
    axis = strip_axis(scale, "error", "%")
    return {"tables": tables, "looked": looked, "asked": bool(page.groups), "axis": axis}


def _rates(group: dict[str, Any], k: int) -> dict[str, str]:
    """Return how often a group is answered with a class, how often that is missed or a false alarm, and the
    share that the model gives it beside the share that is so.
    """

    def with_interval(one: dict[str, Any]) -> str:
        return "{} % ({})".format(*measured_percent(one["share"], one["low"], one["high"]))

    kept = group["calibration"][k]
    return {
        "group": group["group"],
        "answered": f"{group['answers'][k]:.1%}",
        "misses": with_interval(group["misses"][k]),
        "alarms": with_interval(group["false_alarms"][k]),
        "given": f"{kept['given']:.1%}",
        "is": with_interval({"share": group["truth"][k], "low": kept["low"], "high": kept["high"]}),
    }


def _level_errors(page: PageData, columns: list[Column]) -> dict[str, list[tuple[float, float]]]:
    """Return rows and error of every level of some columns, by column."""
    table, result = page.table, page.chosen.result
    tested, answers = result.tested_answers
    weight = np.ones(len(tested)) if result.weights is None else result.weights[tested]
    wrong = weight * (answers != result.truth[tested])
    out = {}
    for column in columns:
        codes = np.asarray(table.column(column.name))[tested].astype(np.int64)
        sums = zip(np.bincount(codes, weight).tolist(), np.bincount(codes, wrong).tolist(), strict=True)
        out[column.name] = [(rows, bad / rows) for rows, bad in sums if rows > 0]
    return out


def beyond_chance(groups: Iterable[Sequence[float]]) -> float:
    """Return how far the means of errors lie apart beyond chance, of groups that have rows enough to be
    compared: chi-square less its degrees of freedom. groups: rows and mean of each, and the variance, which
    errors that are 0 or 1 do not need.
    """
    groups = [g for g in groups if g[0] >= FEWEST]
    if len(groups) < 2:
        return -math.inf
    rows = sum(g[0] for g in groups)
    mean = sum(g[0] * g[1] for g in groups) / rows if rows else 0.0
    inside = mean * (1 - mean) if len(groups[0]) == 2 else sum(g[0] * g[2] for g in groups) / rows
    if inside <= 0:
        return 0.0
    return float(sum(g[0] * (g[1] - mean) ** 2 for g in groups) / inside - (len(groups) - 1))


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


# A target of numbers: methods side by side, answers against truth, errors by group.


def _number_quality(page: PageData) -> dict[str, Any]:
    result = page.chosen.result
    tested = result.fold >= 0
    truth, answer = result.truth[tested], result.answers[tested]
    weight = np.ones(len(truth)) if result.weights is None else result.weights[tested]
    single = page.row is not None
    words = (f"{clean(page.target)}, truth", "answer")
    away = answer - truth
    low, high = np.quantile(away, [0.05, 0.95], method="inverted_cdf").tolist()
    return {
        "how": page.comparison.how,
        "work": work_words(page),
        "methods": [_number_method(page, e) for e in page.comparison.entries],
        "measures": [measure_line(m) for m in result.measures],
        "against": against_chart(truth, answer, words, single),
        "single": single,
        "away": histogram(away, weight, "answer less truth", "right"),
        "quantiles": (
            f"Nine of ten answers are between {brief(low)} and {brief(high)} off; the mean of answer less "
            f"truth is {brief(float(away.mean()))}."
        ),
        "calibration": _number_calibration(truth, answer, weight, words),
        "groups": number_groups(page),
    }


def _number_method(page: PageData, entry: Any) -> dict[str, Any]:
    r2, mae, rmse = (entry.result.measure(name) for name in ("r2", "mae", "rmse"))
    ends = [e.result.measure("rmse") for e in page.comparison.entries]
    scale = (min(m.low for m in ends), max(m.high for m in ends))
    words = f"{brief(rmse.value)}, 95 % interval {between(rmse.low, rmse.high, '.4g')}"
    mine = entry.name == page.chosen.name
    return {
        "name": entry.name,
        "chosen": mine,
        "r2": f"{r2.value:.3f}",
        "mae": brief(mae.value),
        "mae_ends": between(mae.low, mae.high, ".4g"),
        "rmse": brief(rmse.value),
        "strip": strip(rmse.value, (rmse.low, rmse.high), scale, f"root of squared error {words}", mine),
        "numbers": "?" if entry.numbers >= 10**9 else f"{entry.numbers:,}",
        "p": "" if entry.against_best is None else p_value(entry.against_best),
        "setting": entry.setting,
    }


def _number_calibration(truth: Any, answer: Any, weight: Any, words: tuple[str, str]) -> str:
    """Return the mean truth of rows in ten parts by their answer."""
    x, y, low, high = [], [], [], []
    for here in tenths(truth, answer, weight):
        if len(here) < 2:
            continue
        ends = distributions.mean(truth[here], weight[here], average(truth[here], weight[here]))
        if not np.isfinite(ends).all():
            continue
        x.append(float(np.average(answer[here], weights=weight[here])))
        y.append(float(np.average(truth[here], weights=weight[here])))
        low.append(ends[0])
        high.append(ends[1])
    if not x:
        return ""
    ends_of = min([*x, *low]), max([*x, *high])
    if ends_of[0] == ends_of[1]:
        ends_of = ends_of[0] - 1, ends_of[1] + 1
    curve = ChartCurve("truth", x, y, low, high, dots=True, bars=True, ink=INK)
    axes_ = Axis("mean answer", *ends_of), Axis("mean truth", *ends_of)
    return chart([curve], *axes_, f"mean truth against mean answer of {words[0]}", diagonal=True)


def number_groups(page: PageData) -> dict[str, Any]:
    """Return how far off the answers are by the levels of some columns: those asked for, or where that
    differs most.
    """
    table, result = page.table, page.chosen.result
    coded = [c for c in table.schema.used if c.kind in CODED]
    groups = page.groups or {
        c.name: group_names(table, c.name) for c in coded if 2 <= len(c.levels) <= MOST_GROUPS
    }
    part = result.repeats[0]
    found = []
    for name, texts in groups.items():
        sizes = error_sizes(
            part.of(np.asarray(texts)), part.of(result.truth), part, part.weight(result.weights)
        )
        apart_by = beyond_chance((g["rows"], g["error"]["mean"], g["error"]["variance"]) for g in sizes)
        found.append((name, sizes, apart_by))
    if not page.groups:
        found = sorted(found, key=lambda f: (-f[2], f[0]))[:SHOWN_COLUMNS]
    ends = [g["error"]["high"] for _, sizes, _ in found for g in sizes if np.isfinite(g["error"]["high"])]
    scale = (0.0, max(ends, default=1.0))
    tables = [
        {"name": name, "rows": [_number_group(g, scale) for g in sizes], "said": number_differences(sizes)}
        for name, sizes, _ in found
    ]
    axis = strip_axis(scale, "off by")
    return {"tables": tables, "looked": len(groups), "asked": bool(page.groups), "axis": axis}


def _number_group(g: dict[str, Any], scale: tuple[float, float]) -> dict[str, str]:
    off, over = g["error"], g["over"]
    known = np.isfinite(off["low"])
    ends = between(off["low"], off["high"], ".3g") if known else "one row"
    span = (off["low"], off["high"]) if known else (off["mean"], off["mean"])
    return {
        "group": g["group"],
        "rows": f"{g['rows']:,.0f}",
        "error": brief(off["mean"]),
        "ends": ends,
        "strip": strip(off["mean"], span, scale, f"off by {brief(off['mean'])}, 95 % interval {ends}"),
        "over": brief(over["mean"]),
        "over_ends": between(over["low"], over["high"], ".3g") if known else "",
    }
