"""A tree on the HTML page: distributions of tested columns per node, sentences, and the tree as data.

In this order: small bar charts for the boxes of a drawn tree, by class (`asked_columns()`); what a tree
says in sentences (`tree_sentences()`); the tree as data for the page's script, and a still picture
(`tree_data()`).
asked column = the column that a node tests, with the distribution of the node's rows on it.
Laws: bars of a number end at round numbers, so that no bar tells the value of a row; ordered levels stand
in their order, others by the branch they take.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.description.columns import ColumnView
from tallystick.draw.svg import class_words, cut, ticks, width
from tallystick.errors import clean
from tallystick.model.conditions import Condition, condition, footnote
from tallystick.reports.answer import (
    TELLING,
    Name,
    Sentence,
    ValueGroup,
    alone_sentence,
    listed,
    of_100,
    predicts_alone,
    say,
)
from tallystick.schema import CODED, Column
from tallystick.text import quantity
from tallystick.tree.model import Tree
from tallystick.tree.picture import (
    LARGEST_DRAWN,
    MANY,
    OTHERS,
    AskedColumn,
    branch_words,
    drawn_nodes,
    mean_places,
    node_answers,
    node_lines,
    tree_svg,
)
from tallystick.tree.splits import splits
from tallystick.tree.view import test_to

MOST_NODES = 120  # nodes whose column is drawn, the largest first
FEWEST = 20  # rows from which a node gets a chart
MOST_ROWS = 200_000  # of a larger table every second, third, ... row is counted: the bars look the same
BINS = 14  # bars of a number, about
MOST_LEVELS, SHORTENED = 12, 3  # bars of levels; names of so few are shortened to fit under them
CELLS = 34  # letters under all bars together


def asked_columns(tree: Tree, table: Table) -> dict[int, AskedColumn]:
    """Return the columns asked by the largest nodes of the tree that is shown, with the rows there."""
    shown, nodes = tree.shown, tree.shown.nodes
    inner = np.flatnonzero(nodes.column >= 0)
    found = sorted(inner.tolist(), key=lambda n: (-float(nodes.weight[n]), n))[:MOST_NODES]
    if not found:
        return {}
    stops = np.concatenate([shown.stops(block) for block in table.blocks()])
    kept = np.arange(0, len(stops), max(1, math.ceil(len(stops) / MOST_ROWS)))
    order = kept[np.argsort(stops[kept], kind="stable")]
    at = stops[order]
    out = {}
    for node in found:
        here = order[np.searchsorted(at, node) : np.searchsorted(at, nodes.end[node])]
        column = shown.schema.used[int(nodes.column[node])]
        if len(here) >= FEWEST and column.kind in (*CODED, "numeric"):
            out[node] = _asked(shown, node, (column, table), here)
    return out


def _asked(tree: Tree, node: int, of: tuple[Column, Table], here: NDArray[np.int64]) -> AskedColumn:
    column, table = of
    values, many = np.asarray(table.column(column.name))[here], max(len(tree.schema.predicted.labels), 1)
    classes = np.zeros(len(here), np.int64) if table.classes is None else table.classes[here]
    weights = None if table.weights is None else table.weights[here] / table.unit
    drawn = _classes(np.bincount(classes, weights, minlength=many))
    groups = np.full(many, len(drawn) - 1)
    groups[[c for c in drawn if c >= 0]] = [k for k, c in enumerate(drawn) if c >= 0]
    if column.kind == "numeric":
        cells, more = _ranges(column, float(tree.nodes.cut[node]), values)
    else:
        cells, more = _levels(column, tree.nodes.levels(node), values.astype(np.int64))
    known = cells >= 0
    size = more.pop("size")
    both = cells[known] * len(drawn) + groups[classes[known]]
    counts = np.bincount(both, None if weights is None else weights[known], minlength=size * len(drawn))
    bars = counts.reshape(size, len(drawn))
    return AskedColumn(clean(column.name), drawn, tuple(tuple(float(n) for n in bar) for bar in bars), **more)


def _classes(counts: NDArray[Any]) -> tuple[int, ...]:
    """Return the classes that have a part of their own in the bars, as in the bar of the box."""
    if len(counts) <= MANY:
        return tuple(range(len(counts)))
    return (*np.sort(np.argsort(-counts, kind="stable")[:LARGEST_DRAWN]).tolist(), OTHERS)


def _ranges(
    column: Column, cut_at: float, values: NDArray[np.float64]
) -> tuple[NDArray[np.int64], dict[str, Any]]:
    """Return the bar of each value (-1: missing), and the bars: between round numbers, from the 1st to the
    99th percentile; what lies beyond is in the first and the last bar.
    """
    known = values[np.isfinite(values)]
    ends = np.quantile(known, [0.01, 0.99], method="inverted_cdf") if len(known) else np.zeros(2)
    low, high = (float(end) for end in ends)
    if math.isfinite(cut_at) and cut_at < 1e300:
        low, high = min(low, cut_at), max(high, cut_at)
    step = _step(low, high, bool((known == np.floor(known)).all()) if len(known) else False)
    first, last = math.floor(low / step), math.floor(high / step) + 1
    size = max(1, last - first)
    with np.errstate(invalid="ignore"):
        cells = np.clip(np.floor(values / step) - first, 0, size - 1)
    cells = np.where(np.isfinite(values), cells, -1).astype(np.int64)
    begin, end = first * step, last * step
    inside = begin < cut_at < end
    words = tuple(quantity(float(f"{v:.6g}"), column.unit, 6) for v in (begin, end))
    more = (bool((known < begin).any()), bool((known >= end).any()))
    under = (f"≤ {words[0]}" if more[0] else words[0], f"≥ {words[1]}" if more[1] else words[1])
    return cells, {
        "size": size,
        "cuts": ((cut_at - begin) / (end - begin),) if inside else (),
        "under": under,
        "ends": (begin, end),
    }


def _step(low: float, high: float, whole: bool) -> float:
    """Return a round width of the bars; of whole numbers a whole one."""
    found = ticks(low, high, BINS)
    step = found[1] - found[0] if len(found) > 1 else (high - low) or 1.0
    return max(step, 1.0) if whole else step


def _levels(
    column: Column, branches: NDArray[np.int32], codes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], dict[str, Any]]:
    """Return the bar of each code (-1: missing), and the bars: ordered levels in their order, others by
    branch and then the most frequent first; of many the rare ones together.
    """
    count = len(column.levels)
    rows = np.bincount(codes[codes < count], minlength=count)
    here = np.flatnonzero(rows)
    if column.kind == "ordered":
        shown = here.tolist()
    else:
        frequent = sorted(here.tolist(), key=lambda k: (-int(rows[k]), k))
        shown = frequent if len(frequent) <= MOST_LEVELS else frequent[: MOST_LEVELS - 1]
        shown = sorted(shown, key=lambda k: (int(branches[k]), -int(rows[k]), k))
    rest = len(shown) < len(here)
    place = np.full(count + 2, -1, dtype=np.int64)
    place[here] = len(shown)  # those without a bar of their own
    place[shown] = np.arange(len(shown))
    size = max(1, len(shown) + rest)
    cuts = [k / size for k in range(1, len(shown)) if branches[shown[k]] != branches[shown[k - 1]]]
    names = (*(column.levels[k] for k in shown), *(("others",) if rest else ()))
    cells = place[np.minimum(codes, count)]
    values = tuple(column.levels[k] for k in shown)
    return cells, {"size": size, "cuts": tuple(cuts), "under": _under(names), "values": values}


def _under(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names as they stand under their bars; none where there is no room for them."""
    room = CELLS // max(len(names), 1)
    if len(names) > SHORTENED and any(width(clean(name)) > room for name in names):
        return ()
    return tuple(cut(clean(name), room) for name in names)


def asked_data(asked: AskedColumn) -> dict[str, Any]:
    """Return a column as plain data, short: the page has many."""
    bars = [[int(n) if n == int(n) else round(n, 2) for n in bar] for bar in asked.bars]
    out: dict[str, Any] = {"classes": list(asked.classes), "bars": bars, "under": list(asked.under)}
    if asked.cuts:
        out["cuts"] = [round(at, 4) for at in asked.cuts]
    return out | ({"ends": list(asked.ends)} if asked.ends else {"values": list(asked.values)})


# ---- sentences: the root's test, and groups of rows given by two conditions ----
#
# Laws: a sentence has at most two conditions, and the rows that fulfil them are counted; missing values are
# spoken of only where rows have them.

WIDEST = 40  # letters of a list of levels in a sentence
SHORT = 26  # letters of such a list in a sentence with two
MOST_CONDITIONS = 2
ENOUGH = 0.9  # part of the effect of two conditions from which one of them is named alone
FEW = 100  # rows: below, a sentence gives their number, else their share


def tree_sentences(tree: Tree, table: Table, views: Sequence[ColumnView]) -> list[Sentence]:
    """Return what the root's test tells, then the groups that two conditions make, then what is proven."""
    proof = [] if tree.certificate is None else [say("{}", sentence(str(tree.certificate)))]
    return [*_tree_sentences(tree, table), *proof]


def sentence(text: str) -> str:
    """Return a text that begins with a capital."""
    return text[:1].upper() + text[1:]


def _tree_sentences(tree: Tree, table: Table) -> list[Sentence]:
    shown = tree.shown
    nodes, target = shown.nodes, shown.schema.predicted
    if len(nodes) == 1:
        return [say("No column predicts {}: the tree asks no question.", Name(target.name))]
    groups = [_branch(shown, k, b) for k, b in enumerate(nodes.branches(0).tolist())]
    total = float(shown.rows[0].sum())
    base, reached = float(shown.rows[0].max()) / total, 1 - shown.training_error() / total
    if predicts_alone(groups, base, reached):
        out = [alone_sentence(table, column_name(shown), groups)]
        return out if len(nodes) == 1 + len(groups) else [*out, _rest_of_tree(shown, reached)]
    first = say(
        "No single column decides {}; the tree first asks for {}.",
        Name(target.name),
        Name(column_name(shown)),
    )
    return [first, *_leaf_groups(shown, table)]


def column_name(tree: Tree) -> str:
    """Return the column that the root tests."""
    return tree.schema.used[int(tree.nodes.column[0])].name


def _branch(tree: Tree, branch: int, node: int) -> ValueGroup:
    """Return the rows of a branch of the root: `n`, `< 3.5`, `in {a, b}`."""
    asked = condition(tree.schema, tree.nodes, 0, branch)
    words = asked.sentence(WIDEST, name="", equals="").strip()
    return ValueGroup(words, tuple(float(n) for n in tree.rows[node]), asked.never)


def _rest_of_tree(tree: Tree, reached: float) -> Sentence:
    columns = tree.nodes.column
    used = {tree.schema.used[int(c)].name for c in columns[columns >= 0]} - {column_name(tree)}
    order = [tree.schema.used[int(c)].name for c in columns[columns >= 0]]
    names = [n for n in dict.fromkeys(order) if n in used][:3]
    more = say(" by asking for {} as well", listed(names)) if names else say("")
    return say(
        "The whole tree makes {} groups{}, and is right for {} of its training rows.",
        f"{tree.nodes.leaves:,}",
        more,
        of_100(reached),
    )


# -- groups that two conditions make --


def _leaf_groups(tree: Tree, table: Table) -> list[Sentence]:
    """Return, for each of two classes, the group of at most two conditions that has most of it beyond its
    share of all rows; no group is told twice.
    """
    full = tree.rows.sum(axis=1)
    prior = tree.rows[0] / full[0]
    beyond = tree.rows - full[:, None] * prior  # [node, class]
    near = [n for n in range(1, len(tree.nodes)) if int(tree.nodes.depth[n]) <= MOST_CONDITIONS]
    fields: dict[int, int] = {}  # the class of each group
    for c in np.argsort(-beyond[near].max(axis=0), kind="stable").tolist():
        node = max(near, key=lambda n: (beyond[n, c], -n))
        up = int(tree.nodes.parent[node])
        node = up if up > 0 and beyond[up, c] >= ENOUGH * beyond[node, c] else node
        if beyond[node, c] >= TELLING * full[node]:
            fields.setdefault(node, c)
        if len(fields) == 2:
            break
    return [_leaf_group(tree, table, node, c) for node, c in fields.items()]


def _leaf_group(tree: Tree, table: Table, node: int, c: int) -> Sentence:
    conditions = way_conditions(tree, node)
    here = np.logical_and.reduce([_fulfils(table, one) for one in conditions])
    words = way_words(tree, table, node)
    assert table.classes is not None
    weight = np.ones(table.rows) if table.weights is None else table.weights / table.unit
    rows, hits = float(weight[here].sum()), float(weight[here & (table.classes == c)].sum())
    where = say("{}", Name(words[0])) if len(words) == 1 else say("{} and {}", Name(words[0]), Name(words[1]))
    label = Name(class_words(tree.schema.predicted.labels[c]))
    if rows < FEW:
        return say("Where {}, {} of {} rows are {}.", where, f"{hits:,.10g}", f"{rows:,.10g}", label)
    return say("Where {}, {} are {} ({} rows).", where, of_100(hits / rows), label, f"{rows:,.0f}")


def way_words(tree: Tree, table: Table, node: int) -> list[str]:
    """Return the conditions on the way to a node in words; missing values where its rows have them."""
    conditions = way_conditions(tree, node)
    here = np.logical_and.reduce([_fulfils(table, one) for one in conditions])
    return [_words(one, bool(_absent(table, one)[here].any()), len(conditions) > 1) for one in conditions]


def _words(one: Condition, missing: bool, several: bool) -> str:
    """Return a condition in words; missing: whether rows are among them that have no value."""
    text = one.sentence(SHORT, missing=missing)
    return f"({text})" if several and missing and one.missing and not one.never else text


def way_conditions(tree: Tree, node: int) -> list[Condition]:
    """Return the conditions on the way to a node, the first question first; of one column one."""
    found: dict[str, Condition] = {}
    while (test := test_to(tree, node)) is not None:
        name = test.column.name
        found[name] = test.and_(found[name]) if name in found else test
        node = int(tree.nodes.parent[node])
    return list(found.values())[::-1]


def _fulfils(table: Table, one: Condition) -> NDArray[np.bool_]:
    """Return of each row whether it fulfils a condition."""
    absent, values = _absent(table, one), np.asarray(table.column(one.column.name))
    between = (values >= one.low) & (values < one.high)
    known = between if one.levels is None else np.isin(values, one.levels)
    return np.asarray(np.where(absent, one.missing, known))


def _absent(table: Table, one: Condition) -> NDArray[np.bool_]:
    values = np.asarray(table.column(one.column.name))
    return values >= len(one.column.levels) if one.column.kind in CODED else np.isnan(values)


# ---- the tree as data for the page's script, and a still picture ----
#
# Laws: numbers of nodes are those of the tree that is shown; `origin` gives each its number in the grown
# tree, which the exported model speaks of; words and parts are those of the still picture
# (`tree/picture.py`); what a node's counts leave out is told by its rows.

STILL = 15  # boxes of the still picture: more cannot be read on paper
OPEN = 40  # nodes of a tree that starts unfolded
FIRST = 3  # depths that are open in a larger tree
MOST_TABLES = 150  # nodes whose candidate splits are shown, the largest first
CANDIDATES = 6  # splits shown of each
MOST_CELLS = 20_000  # numbers in all counts; with more, a node keeps its largest classes
LARGEST = 8  # classes that a node keeps then
MOST_DRAWN_NODES = 4_000  # of the tree on the page, those of most rows; the others are counted


def tree_data(tree: Tree, asked: Mapping[int, AskedColumn]) -> dict[str, Any]:
    """Return the tree as plain data: parents, tests, counts, answers, candidates; asked: by node.

    left: how many nodes below one are not on the page, by node.
    """
    shown = tree.shown
    nodes = shown.nodes
    kept = drawn_nodes(shown, MOST_DRAWN_NODES, whole=False)
    place = {node: k for k, node in enumerate(kept)}
    inner = [n for n in kept if nodes.column[n] >= 0]
    found = with_candidates(shown, kept)
    left = {n: int(nodes.end[n]) - n - 1 for n in inner if n + 1 not in place}
    answers = None if tree.regression else node_answers(tree)
    lines = [node_lines(shown, answers, n) for n in kept]
    return {
        "parent": [place.get(p, -1) for p in nodes.parent[kept].tolist()],
        "branch": [branch_words(shown, n) for n in kept],
        "lines": [
            [*words, f"… {left[n]:,} more"] if n in left else list(words)
            for n, words in zip(kept, lines, strict=True)
        ],
        "asks": [shown.schema.used[int(c)].name if c >= 0 else "" for c in nodes.column[kept]],
        "counts": _counts(shown.rows[kept]),
        "rows": [_short(float(r)) for r in shown.rows[kept].sum(axis=1)],
        "answer": [0] * len(kept) if answers is None else answers.label[kept].tolist(),
        "origin": tree.shown_numbers[kept].tolist(),
        "left": {str(place[n]): count for n, count in left.items()},
        "tables": {str(place[n]): _table(shown, n) for n in found} if shown.candidates is not None else {},
        "spreads": {str(place[n]): asked_data(column) for n, column in asked.items() if n in place},
        "open": len(nodes) <= OPEN,
        "first": FIRST,
    } | ({"level": [round(float(v), 4) for v in mean_places(shown)[kept]]} if tree.regression else {})


def with_candidates(shown: Tree, kept: Sequence[int] | None = None) -> list[int]:
    """Return the nodes of the page's tree whose candidate splits it shows. kept: those on the page."""
    nodes = shown.nodes
    kept = drawn_nodes(shown, MOST_DRAWN_NODES, whole=False) if kept is None else kept
    inner = [n for n in kept if nodes.column[n] >= 0]
    return sorted(inner, key=lambda n: (-int(nodes.weight[n]), n))[:MOST_TABLES]


def _counts(rows: Any) -> list[Any]:
    """Return counts[node][class], or {class: count} of the largest classes where there are too many."""
    if rows.size <= MOST_CELLS:
        return [[_short(float(n)) for n in line] for line in rows]
    out: list[Any] = []
    for line in rows:
        order = np.argsort(-line, kind="stable")[:LARGEST].tolist()
        out.append({str(k): _short(float(line[k])) for k in order if line[k] > 0})
    return out


def _short(number: float) -> float | int:
    return int(number) if number == int(number) else round(number, 2)


def _table(tree: Tree, node: int) -> list[list[Any]]:
    """Return the best candidate splits: column, tests, gain, gain ratio, whether it was chosen."""
    found = splits(tree, node, most=CANDIDATES).candidates
    out = []
    for c in found:
        ratio = None if c.ratio != c.ratio else round(c.ratio, 4)
        out.append([c.column, " | ".join(c.tests[:2]), round(c.gain, 4), ratio, int(c.chosen)])
    return out


def tree_facts(tree: Tree, asked: Mapping[int, AskedColumn]) -> dict[str, Any]:
    """Return what is said beside the tree."""
    shown = tree.shown
    left = len(shown.nodes) - len(drawn_nodes(shown, MOST_DRAWN_NODES, whole=False))
    return {
        "leaves": f"{shown.nodes.leaves:,}",
        "nodes": f"{len(shown.nodes):,}",
        "depth": int(shown.nodes.depth.max()),
        "averaged": tree.averaged is not None,
        "shown_as": tree.shown_as if tree.averaged is not None else "",
        "footnote": footnote(tree.schema, shown.nodes),
        "grown": f"{tree.nodes.leaves:,}",
        "still": tree_svg(tree, STILL, spreads=asked),
        "tables": min(MOST_TABLES, int((shown.nodes.column >= 0).sum())),
        "left": f"{left:,}" if left else "",
        "kept": f"{len(shown.nodes) - left:,}",
    }
