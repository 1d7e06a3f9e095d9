"""Of the page of a target of numbers, how good: methods side by side, answers against truth, errors by group.

Knows results of judging. Knows nothing of HTML. Law: every score is of rows that the method had not seen.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tallystick.data.schema import CODED
from tallystick.draw.number_charts import against_chart, histogram, tenths
from tallystick.draw.panels import INK, Axis, ChartCurve, chart, strip, strip_axis
from tallystick.draw.svg import brief
from tallystick.draw.text import between, clean, p_value
from tallystick.evaluate import intervals
from tallystick.evaluate.group_differences import FEWEST
from tallystick.evaluate.groups import group_names
from tallystick.evaluate.measures import average
from tallystick.evaluate.number_groups import error_sizes, number_told
from tallystick.reports.ingredients import Ingredients
from tallystick.reports.quality import MOST_GROUPS, SHOWN_COLUMNS, measure_line, work_words


def number_quality(given: Ingredients) -> dict[str, Any]:
    """Return tables and charts of the comparison and of the chosen method."""
    result = given.chosen.result
    tested = result.fold >= 0
    truth, answer = result.truth[tested], result.answers[tested]
    weight = np.ones(len(truth)) if result.weights is None else result.weights[tested]
    single = given.row is not None
    words = (f"{clean(given.target)}, truth", "answer")
    away = answer - truth
    return {
        "how": given.comparison.how,
        "work": work_words(given),
        "methods": [_method(given, e) for e in given.comparison.entries],
        "measures": [measure_line(m) for m in result.measures],
        "against": against_chart(truth, answer, words, single),
        "single": single,
        "away": histogram(away, weight, "answer less truth", "right"),
        "quantiles": _quantiles(away),
        "calibration": _calibration(truth, answer, weight, words),
        "groups": number_groups(given),
    }


def _method(given: Ingredients, entry: Any) -> dict[str, Any]:
    r2, mae, rmse = (entry.result.measure(name) for name in ("r2", "mae", "rmse"))
    ends = [e.result.measure("rmse") for e in given.comparison.entries]
    scale = (min(m.low for m in ends), max(m.high for m in ends))
    told = f"{brief(rmse.value)}, 95 % interval {between(rmse.low, rmse.high, '.4g')}"
    mine = entry.name == given.chosen.name
    return {
        "name": entry.name,
        "chosen": mine,
        "r2": f"{r2.value:.3f}",
        "mae": brief(mae.value),
        "mae_ends": between(mae.low, mae.high, ".4g"),
        "rmse": brief(rmse.value),
        "strip": strip(rmse.value, (rmse.low, rmse.high), scale, f"root of squared error {told}", mine),
        "numbers": "?" if entry.numbers >= 10**9 else f"{entry.numbers:,}",
        "p": "" if entry.against_best is None else p_value(entry.against_best),
        "setting": entry.setting,
    }


def _quantiles(away: Any) -> str:
    low, high = np.quantile(away, [0.05, 0.95], method="inverted_cdf").tolist()
    mean = float(away.mean())
    return (
        f"Nine of ten answers are between {brief(low)} and {brief(high)} off; the mean of answer less truth "
        f"is {brief(mean)}."
    )


def _calibration(truth: Any, answer: Any, weight: Any, words: tuple[str, str]) -> str:
    """Return the mean truth of rows in ten parts by their answer."""
    x, y, low, high = [], [], [], []
    for here in tenths(truth, answer, weight):
        if len(here) < 2:
            continue
        ends = intervals.mean(truth[here], weight[here], average(truth[here], weight[here]))
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


def number_groups(given: Ingredients) -> dict[str, Any]:
    """Return how far off the answers are by the levels of some columns: those asked for, or where that
    differs most.
    """
    table, result = given.table, given.chosen.result
    coded = [c for c in table.schema.used if c.kind in CODED]
    groups = given.groups or {
        c.name: group_names(table, c.name) for c in coded if 2 <= len(c.levels) <= MOST_GROUPS
    }
    part = result.repeats[0]
    found = []
    for name, texts in groups.items():
        sizes = error_sizes(
            part.of(np.asarray(texts)), part.of(result.truth), part, part.weight(result.weights)
        )
        found.append((name, sizes, _spread(sizes)))
    if not given.groups:
        found = sorted(found, key=lambda f: (-f[2], f[0]))[:SHOWN_COLUMNS]
    ends = [g["error"]["high"] for _, sizes, _ in found for g in sizes if np.isfinite(g["error"]["high"])]
    scale = (0.0, max(ends, default=1.0))
    tables = [
        {"name": name, "rows": [_group(g, scale) for g in sizes], "said": number_told(sizes)}
        for name, sizes, _ in found
    ]
    axis = strip_axis(scale, "off by")
    return {"tables": tables, "looked": len(groups), "asked": bool(given.groups), "axis": axis}


def _spread(sizes: list[dict[str, Any]]) -> float:
    """Return how far the sizes of errors lie apart beyond chance, of groups that have rows enough to be
    compared: chi-square less its degrees of freedom.
    """
    sizes = [g for g in sizes if g["rows"] >= FEWEST]
    if len(sizes) < 2:
        return -np.inf
    rows = sum(g["rows"] for g in sizes)
    mean = sum(g["rows"] * g["error"]["mean"] for g in sizes) / rows if rows else 0.0
    inside = sum(g["rows"] * g["error"]["variance"] for g in sizes) / rows if rows else 0.0
    if inside <= 0:
        return 0.0
    away = sum(g["rows"] * (g["error"]["mean"] - mean) ** 2 for g in sizes) / inside
    return float(away - (len(sizes) - 1))


def _group(g: dict[str, Any], scale: tuple[float, float]) -> dict[str, str]:
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
