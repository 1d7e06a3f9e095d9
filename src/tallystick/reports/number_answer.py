"""The answer where the target is a number: what moves it, how far off the model is, which columns matter.

Knows fitted models and out-of-fold answers. Knows nothing of HTML.
Law: every number is counted from the rows or read off the model; what causes what is never claimed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tallystick.contracts import Table
from tallystick.data.schema import CODED
from tallystick.draw.panels import length_bar
from tallystick.draw.svg import brief
from tallystick.draw.text import between, clean, cut
from tallystick.errors import counted
from tallystick.explain.effect import column_effect
from tallystick.models.tree import Tree
from tallystick.reports.column_effects import face_of
from tallystick.reports.ingredients import Ingredients
from tallystick.reports.number_columns import alone, row_weights
from tallystick.reports.ranking import LETTERS, MOST, TALL, WIDE
from tallystick.reports.sentences import Name, Said, percent, say
from tallystick.reports.tree_words import way_words

FIRST, MOST_FIRST = ("giveaway",), 4
SAMPLE = 2_000  # rows over which an effect is told in a sentence


def number_answer(given: Ingredients) -> dict[str, Any]:
    """Return the sentences, what each column tells, the errors beside the baseline, the razor's reason."""
    result = given.chosen.result
    mae, rmse, r2 = (result.measure(name) for name in ("mae", "rmse", "r2"))
    why = given.comparison.why
    return {
        "leaks": [c.to_dict() for c in given.comparison.checks if c.code in FIRST][:MOST_FIRST],
        "sentences": number_sentences(given),
        "ranking": number_ranking(given),
        "mae": brief(mae.value),
        "mae_ends": between(mae.low, mae.high, ".4g"),
        "mae_base": brief(mae.base or 0.0),
        "median_base": brief(median_error(given.table)),
        "rmse": brief(rmse.value),
        "rmse_ends": between(rmse.low, rmse.high, ".4g"),
        "rmse_base": brief(rmse.base or 0.0),
        "r2": f"{r2.value:.2f}",
        "r2_ends": between(r2.low, r2.high, ".2f"),
        "why": why[:1].upper() + why[1:],
        "name": given.chosen.name,
        "numbers": f"{given.chosen.numbers:,}",
    }


def median_error(table: Table) -> float:
    """Return how far off always answering the median is, on average."""
    response, weight = table.response, row_weights(table)
    assert response is not None
    order = np.argsort(response, kind="stable")
    full = np.cumsum(weight[order])
    middle = float(response[order[int(np.searchsorted(full, full[-1] / 2))]])
    return float(np.average(np.abs(response - middle), weights=weight))


def number_sentences(given: Ingredients) -> list[Said]:
    """Return the sentences of the first section: what moves the target, and how far off the model is."""
    none = []
    if not any(e.result.beats_base for e in given.comparison.entries):
        none = [
            say(
                "No method predicts {} clearly better than always answering the mean: what differs may be "
                "chance.",
                Name(given.target),
            )
        ]
    model = given.told
    told = [] if model is None else face_of(model).sentences(model, given.table, given.description.columns)
    return [*none, *told, _off(given)]


def _off(given: Ingredients) -> Said:
    """Return how far off answers are: half of them, nine of ten, and on average beside the baseline."""
    result = given.chosen.result
    tested = result.fold >= 0
    away = np.abs(result.answers - result.truth)[tested]
    half, most = (brief(float(v)) for v in np.quantile(away, [0.5, 0.9], method="inverted_cdf"))
    mae, r2 = result.measure("mae"), result.measure("r2")
    return say(
        "Cross-validated, half of the answers are off by at most {}, nine of ten by at most {}; on average "
        "by {} (95 % interval: {}), where always answering the mean is off by {}. The model explains {} of "
        "the variance.",
        half, most, brief(mae.value), between(mae.low, mae.high, ".4g"), brief(mae.base or 0.0),
        percent(max(r2.value, 0.0), 0),
    )  # fmt: skip


# -- what moves the target --


def tree_number_sentences(tree: Tree, table: Table) -> list[Said]:
    """Return the mean on each side of the first question, then the highest and the lowest of the groups."""
    shown = tree.shown
    nodes, target = shown.nodes, shown.schema.predicted
    if len(nodes) == 1:
        return [say("No column predicts {}: the tree asks no question.", Name(target.name))]
    name = shown.schema.used[int(nodes.column[0])].name
    first = say("The tree first asks for {}.", Name(name))
    sides = [_mean_words(shown, table, k) for k in nodes.branches(0).tolist()[:2]]
    out = [first + sides[0], *sides[1:]]
    deep = [n for n in range(1, len(nodes)) if int(nodes.depth[n]) == 2]
    if deep:
        ends = {max(deep, key=lambda n: (nodes.mean[n], -n)), min(deep, key=lambda n: (nodes.mean[n], n))}
        out += [_mean_words(shown, table, n) for n in sorted(ends, key=lambda n: -nodes.mean[n])]
    return out


def _mean_words(tree: Tree, table: Table, node: int) -> Said:
    words = way_words(tree, table, node)
    where = say("{}", Name(words[0])) if len(words) == 1 else say("{} and {}", Name(words[0]), Name(words[1]))
    rows = f"{float(tree.rows[node].sum()):,.10g}"
    return say(
        "Where {}, {} is {} on average ({} rows).",
        where, Name(tree.schema.predicted.name), brief(float(tree.nodes.mean[node])), rows,
    )  # fmt: skip


def additive_number_sentences(model: Any, table: Table) -> list[Said]:
    """Return by how much the strongest columns move the answer, the others unchanged."""
    pulls = number_pulls(model, table)
    out = []
    for name in sorted(pulls, key=lambda n: (-pulls[n], n))[:2]:
        if pulls[name] <= 0 or model.schema[name].kind == "text":
            continue
        points = column_effect(model, [table.slice(0, min(table.rows, SAMPLE))], name, 0).points
        known = [p for p in points if p.rows and p.value != "(missing)"]
        if model.schema[name].kind not in CODED:
            known = [known[len(known) // 4], known[3 * len(known) // 4]]
        low, high = min(known, key=lambda p: p.mean), max(known, key=lambda p: p.mean)
        if high.mean > low.mean:
            out.append(
                say(
                    "With the other columns unchanged, {} is {} higher where {} is {} than where it is {}.",
                    Name(model.schema.predicted.name), brief(high.mean - low.mean), Name(name),
                    Name(high.value), Name(low.value),
                )
            )  # fmt: skip
    return out


def number_pulls(model: Any, table: Table) -> dict[str, float]:
    """Return, by column, the standard deviation of what it adds to the answer."""
    block = table.slice(0, min(table.rows, 20_000))
    out: dict[str, float] = {}
    for term in model.additive.terms:
        part = np.zeros((block.rows, len(model.additive.base)))
        term.add(part, block)
        out[term.column] = out.get(term.column, 0.0) + float(part.std(axis=0).mean())
    return out


# -- the columns, ranked --


def number_ranking(given: Ingredients) -> dict[str, Any]:
    """Return the first columns, how far each moves the model, and what its most telling value tells."""
    table = given.table
    weights, by = {n: w for n, w in given.weights.items() if w > 0}, "of what moves the model"
    if not weights:
        every = {c.name: alone(table, c) for c in table.schema.used}
        weights = {n: one.share for n, one in every.items() if one is not None and one.share > 0}
        by = "of what the columns tell, each alone"
    order = sorted(weights, key=lambda n: (-weights[n], n))
    total, top = sum(weights.values()) or 1.0, max(weights.values(), default=1.0)
    rows = [
        {
            "name": name,
            "share": percent(weights[name] / total, 0),
            "bar": length_bar(weights[name] / top, f"{percent(weights[name] / total)} {by}", WIDE, TALL),
            "told": _told(table, name),
        }
        for name in order[:MOST]
    ]
    rest = sum(weights[n] for n in order[MOST:]) / total
    words = counted(len(order) - MOST, "more column") if len(order) > MOST else ""
    return {
        "rows": rows,
        "alone": len(rows) == 1,
        "by": by,
        "rest": words,
        "rest_share": percent(rest, 0) if words else "",
        "words": None,
    }


def _told(table: Table, name: str) -> str:
    """Return the mean of the group of a column that is furthest from that of all rows: `≥ 7: 37.2`."""
    found = alone(table, table.schema[name])
    group = None if found is None else found.furthest
    if group is None:
        return ""
    return f"{cut(clean(group.words), LETTERS)}: {brief(group.mean)} on average"
