"""The working of a decision tree: entropy, gain and choice at every node, then the tree, its rules and its
expression.

Knows fitted trees and the parts of a document. Knows no format.
Law: every number follows from the counts that stand above it, and is the model's own.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tallystick.data.schema import Column
from tallystick.export.rules import expression_of
from tallystick.learners.criteria import CRITERIA
from tallystick.models.rules.expression import Disjunction, literal
from tallystick.models.tree.rules import rules
from tallystick.models.tree.sentences import Condition, plain, reachable
from tallystick.models.tree.text import count, show
from tallystick.working.document import Drawing, Formula, Headline, Listing, Part, Role, Sentence, Space
from tallystick.working.pieces import Line, Over, Piece, Quoted, Ratio, Value, joined, line, said
from tallystick.working.tree_counts import (
    IMPURITIES,
    Counts,
    TestedBranch,
    WorkedSplit,
    impurity_of,
)
from tallystick.working.tree_splits import LeafReason, Offer, WorkedNode, reason, worked_node

if TYPE_CHECKING:
    from tallystick.contracts import Block
    from tallystick.learners.tree_options import TreeOptions
    from tallystick.models.tree import Tree

MOST_CUTS = 40  # of one column, where only the root is worked out
NAMES = {"entropy": ("H", "entropy"), "gini": ("G", "Gini")}  # of an impurity: its sign and its word
LEAF = {  # why a node is a leaf; {n} is the setting's number
    "pure": "Leaf: all its rows are {label}. It is pure, nothing is left to find out",
    "no rows": "Leaf: no training row comes here, so it answers as the node above it does",
    "alike": "Leaf: its rows are alike in every column, so no test can tell them apart",
    "used up": "Leaf: no column is left, every one was tested on the way here",
    "no gain": "Leaf: no test gains anything here, and growing stops at zero gain",
    "depth": "Leaf: it lies at the largest depth, {n} (max_depth)",
    "split": "Leaf: too few rows to split, fewer than {n} (min_samples_split)",
    "leaf": "Leaf: too few rows, two leaves of at least {n} (min_samples_leaf) need more",
    "rows": "Leaf: no test leaves enough rows in two branches, at least {n} (min_samples_leaf)",
    "decrease": "Leaf: no gain, weighted by the share of rows that come here, reaches {n} "
    "(min_impurity_decrease)",
    "leaves": "Leaf: the tree may have {n} leaves (max_leaf_nodes), and other nodes gain more",
    "entropy": "Leaf: its entropy is below {n} (min_entropy)",
    "price": "Leaf: no test gains more than it costs to name its cut or its groups",
}


def grown(tree: Tree, block: Block, options: TreeOptions, whole: bool) -> list[Part]:
    """Return the working of a tree as it was grown; only of its root where it is not to be told whole."""
    root = worked_node(tree, 0, block, options)
    parts = [*_node(tree, root, options, "told", whole)]
    if whole:
        parts.append(_go_on())
        parts.append(Space(12))
        for number in range(1, len(tree.nodes)):
            parts += _node(tree, worked_node(tree, number, block, options), options, "answer", whole)
    return parts


def ended(tree: Tree) -> list[Part]:
    """Return the tree, its rules and its expression."""
    found = rules(tree)
    parts: list[Part] = [
        Headline(("The tree",), role="answer"),
        Drawing(tuple(show(tree).split("\n"))),
        Headline(("The rules",), role="answer"),
        Drawing(tuple(str(found).split("\n"))),
    ]
    if (text := expression_of(found)) is not None:
        label = found.schema.predicted.labels[1]
        order = [c.name for c in found.schema.used]
        whole = tuple(
            tuple(sorted((c for c in r.conditions if not c.always), key=lambda c: order.index(c.column.name)))
            for r in found.rules
            if r.answer == label
        )
        parts.append(Headline(("The expression",), role="answer"))
        if _literals(whole) != _literals(found.disjunction().terms):
            parts.append(Sentence(("Branch by branch, as the tree asks:",), "answer"))
            parts.append(Formula((said(label),), ((Quoted(str(Disjunction(whole, False))),),), role="answer"))
            parts.append(Sentence(("The shortest:",), "answer"))
        parts.append(Formula((said(label),), ((Quoted(text),),), role="answer"))
    return parts


def _literals(terms: tuple[tuple[Condition, ...], ...]) -> set[frozenset[str]]:
    """Return the terms of an expression without their order."""
    return {frozenset(map(literal, term)) for term in terms}


def _go_on() -> Sentence:
    return Sentence(
        (
            "Which column is tested first? Go on in the same way in each branch that is not pure, until "
            "every branch ends in a leaf. Draw the tree and write down its rules.",
        ),
        "question",
    )


# -- one node --


def _node(tree: Tree, node: WorkedNode, options: TreeOptions, role: Role, whole: bool) -> list[Part]:
    """Return the working of one node."""
    parts: list[Part] = [Headline(_place(tree, node.number), role=role)]
    parts.append(_counted(tree, node.rows.counts, role))
    parts.append(_impurity(node.rows.counts, options, role))
    if node.stop is not None:
        return [*parts, *_refused(node), _leaf(tree, node, node.stop)]
    for offer in node.rivals:
        parts += _offered(tree, offer, options, role, whole)
    return [*parts, *_refused(node), *_summary(node, options, role), _chosen(node, options)]


def _place(tree: Tree, number: int) -> Line:
    """Return the heading of a node: its number and the tests that lead to it."""
    if number == 0:
        return ("Node 0: all rows",)
    tests, at = [], number
    while (up := int(tree.nodes.parent[at])) >= 0:
        branch = tree.nodes.branches(up).tolist().index(at)
        condition = reachable(tree.schema, tree.nodes, up, branch)
        tests.append(condition.sentence(missing=condition.column.missing > 0))
        at = up
    return line(f"Node {number}: ", joined([(Quoted(t),) for t in reversed(tests)], " and "))


def _counted(tree: Tree, counts: Counts, role: Role) -> Sentence:
    """Return the class counts of a node in words."""
    labels = tree.schema.predicted.labels
    each = [line(said(label), ": ", number(n)) for label, n in zip(labels, counts, strict=True)]
    return Sentence(line(count(math.fsum(counts), "row"), "; ", joined(each, ", "), "."), role)


def _impurity(counts: Counts, options: TreeOptions, role: Role) -> Formula:
    """Return the impurity of a node, written out with its numbers."""
    name = impurity_of(options)
    left = impurity_left(counts, name)
    value = (Value(IMPURITIES[name](counts)),)
    return Formula(left, (written_out(counts, name), value) if _mixed(counts) else (value,), role)


def _mixed(counts: Counts) -> bool:
    return sum(n > 0 for n in counts) > 1


def impurity_left(counts: Counts, name: str) -> Line:
    """Return H(5/14, 9/14)."""
    total = math.fsum(counts)
    return line(f"{NAMES[name][0]}(", joined([share(n, total) for n in counts], ", "), ")")


def written_out(counts: Counts, name: str) -> Line:
    """Return −(5/14)·log₂(5/14) − (9/14)·log₂(9/14), or 1 − (5/14)² − (9/14)²."""
    total = math.fsum(counts)
    if name == "gini":
        return line("1", *(line(" − ", bracketed(share(n, total, True)), "²") for n in counts if n))
    out: list[Piece | Line] = []
    for n in counts:
        if n:
            each = bracketed(share(n, total, True))
            out += [" − " if out else "−", each, "·log₂", "" if each[0] == "(" else " ", each]
    return line(*out)


def share(n: float, total: float, decimal: bool = False) -> Line:
    """Return a share of rows as the fraction of its counts; decimal: as 0.4 where that is exact."""
    if n == int(n) and total == int(total):
        return (Ratio(int(n), int(total), decimal),)
    return (Over((number(n),), (number(total),)),)


def bracketed(each: Line) -> Line:
    """Return a fraction in brackets, a decimal without."""
    first = each[0]
    return each if isinstance(first, Ratio) and first.short else line("(", each, ")")


def number(n: float) -> Value:
    """Return a number of rows."""
    return Value(int(n)) if n == int(n) else Value(n, 2)


# -- one column --


def _offered(tree: Tree, offer: Offer, options: TreeOptions, role: Role, whole: bool) -> list[Part]:
    """Return the working of one column at a node."""
    assert offer.best is not None
    best = offer.best
    grouped = best.column.kind == "levels" and options.level_splits == "groups"
    own: Role = "answer" if grouped else role
    parts: list[Part] = [Headline(line("Column ", said(offer.column.name)), 3, role)]
    if grouped and role == "told":
        parts += [Sentence(("Find the best way to part the levels into two groups.",), "question"), Space(6)]
    if len(offer.every) > 1:
        parts += _every_cut(tree, offer, options, role, whole)
        own = "answer" if role == "answer" else "told"
    else:
        parts.append(_branches(tree, best, own))
    return [*parts, *_formulas(best, options, own, len(offer.every) > 1)]


def words_of(branch: TestedBranch) -> Quoted:
    """Return a branch in words."""
    return Quoted(branch.condition.sentence(missing=branch.missing))


def _branches(tree: Tree, split: WorkedSplit, role: Role) -> Listing:
    """Return the branches of a test with their counts and impurities."""
    labels = tree.schema.predicted.labels
    word = NAMES[split.impurity][1]
    rows = []
    for branch in split.branches:
        cells: list[Line] = [(words_of(branch),), (number(branch.rows),)]
        cells += [(number(n),) for n in branch.counts]
        value = IMPURITIES[split.impurity](branch.counts)
        cells.append(
            line(impurity_left(branch.counts, split.impurity), " = ", Value(value)) if branch.rows else ("–",)
        )
        rows.append(tuple(cells))
    head: tuple[Line, ...] = (("branch",), ("rows",), *((said(label),) for label in labels), (word,))
    every = range(1, len(head))
    return Listing(head, tuple(rows), frozenset(every), frozenset(range(1, len(head) - 1)), role=role)


def _every_cut(tree: Tree, offer: Offer, options: TreeOptions, role: Role, whole: bool) -> list[Part]:
    """Return every cut of a column with its counts and its gain; the best ones of a large table."""
    kept, more = list(offer.every), 0
    if not whole and len(kept) > MOST_CUTS:
        ranked = sorted(kept, key=lambda s: -s.gain)[:MOST_CUTS]
        more, kept = len(kept) - MOST_CUTS, [s for s in kept if s in ranked]
    labels = ", ".join(plain(label) for label in tree.schema.predicted.labels)
    word = NAMES[impurity_of(options)][1]
    head: tuple[Line, ...] = (
        ("test",),
        line("rows (", Quoted(labels), ") where it holds"),
        ("and where not",),
        (f"average {word}",),
        ("gain",),
    )
    rows = tuple(_cut_row(split) for split in kept)
    marked = next((k for k, s in enumerate(kept) if s is offer.best), None)
    parts: list[Part] = [Listing(head, rows, frozenset({1, 2, 3, 4}), frozenset({3, 4}), marked, role)]
    if more:
        parts.append(Sentence((f"The {MOST_CUTS} best cuts of {offer.every[0].cuts:,} are shown.",), role))
    return parts


def _cut_row(split: WorkedSplit) -> tuple[Line, ...]:
    first, second = split.branches
    few = "" if split.allowed else " (too few rows)"
    return (
        (words_of(first),),
        joined([(number(n),) for n in first.counts], ", "),
        joined([(number(n),) for n in second.counts], ", "),
        (Value(split.average),),
        line(Value(split.gain), few),
    )


def _formulas(split: WorkedSplit, options: TreeOptions, role: Role, cut: bool) -> list[Part]:
    """Return average, gain, split information and ratio of a test, written out."""
    of, word = IMPURITIES[split.impurity], NAMES[split.impurity][1]
    there = [b for b in split.branches if b.rows]
    average = joined(
        [line(bracketed(share(b.rows, split.known)), "·", Value(of(b.counts))) for b in there], " + "
    )
    parts: list[Part] = []
    if cut:
        parts.append(Sentence(line("The best is ", words_of(split.branches[0]), "."), "answer"))
        role = "answer"
    parts.append(Formula((f"average {word}",), (average, (Value(split.average),)), role))
    gain = line(Value(split.before), " − ", Value(split.average))
    if split.lost:
        known = bracketed(share(split.known, split.all_rows))
        parts.append(_lost(split))
        gain = line(known, "·(", gain, ")")
    parts.append(Formula(("gain",), (gain, (Value(split.gain),)), role))
    if split.price:
        parts += _priced(split, role)
    if split.impurity == "entropy":
        parts += _ratio(split, role)
    return parts


def _lost(split: WorkedSplit) -> Sentence:
    rows = math.fsum(split.lost)
    return Sentence(
        line(
            f"{count(rows, 'row')} {'has' if rows == 1 else 'have'} no value: in parts down all branches. "
            "The gain is that of the others, times their share; the entropy of the others is ",
            Value(split.before),
            ".",
        ),
        "answer",
    )


def _priced(split: WorkedSplit, role: Role) -> list[Part]:
    """Return what a gain has to pay."""
    if split.column.kind == "levels":
        words = "price of naming the groups"
        steps: tuple[Line, ...] = ((Value(split.price),),)
    else:
        words = f"price of one of {split.cuts:,} cuts"
        each = "" if split.options.cut_price == 1 else f"{split.options.cut_price:g}·"
        top = line(f"{each}log₂ {split.cuts}")
        steps = (line(top, " / ", number(split.all_rows)), (Value(split.price),))
    net = line(Value(split.gain), " − ", Value(split.price))
    parts: list[Part] = [
        Formula((words,), steps, role),
        Formula(("gain less price",), (net, (Value(split.gain - split.price),)), role),
    ]
    if not split.pays:
        parts.append(
            Sentence(("The groups do not pay for their names: the column cannot win here.",), "answer")
        )
    return parts


def _ratio(split: WorkedSplit, role: Role) -> list[Part]:
    sizes = tuple(b.rows for b in split.branches) + ((math.fsum(split.lost),) if split.lost else ())
    information = (written_out(sizes, "entropy"), (Value(split.information),))
    if not split.information:
        return []
    ratio = (line(Value(split.net), " / ", Value(split.information)), (Value(split.ratio),))
    return [
        Formula(("split information",), information, role),
        Formula(("gain ratio",), ratio, role),
    ]


# -- the choice --


def _refused(node: WorkedNode) -> list[Part]:
    """Return the columns that cannot be tested, by their reason."""
    reasons: dict[str, list[Column]] = {}
    for offer in node.offers:
        if offer.best is None:
            reasons.setdefault(offer.why_not, []).append(offer.column)
    out: list[Part] = []
    for why, columns in reasons.items():
        names = joined([(said(c.name),) for c in columns], ", ")
        out.append(Sentence(line("Not tested: ", names, f" ({why})."), "answer"))
    return out


def _summary(node: WorkedNode, options: TreeOptions, role: Role) -> list[Part]:
    """Return all columns side by side, in the order of the table."""
    _, word = NAMES[impurity_of(options)]
    priced = any(o.best is not None and o.best.price for o in node.rivals)
    entropies = impurity_of(options) == "entropy"
    head: list[Line] = [("column",), (f"average {word}",), ("gain",)]
    head += [("gain less price",)] if priced else []
    head += [("split information",), ("gain ratio",)] if entropies else []
    rows: list[tuple[Line, ...]] = []
    for offer in node.rivals:
        best = offer.best
        assert best is not None
        cells = [best.average, best.gain, *([best.net] if priced else [])]
        cells += [best.information, best.ratio] if entropies else []
        rows.append(((said(offer.column.name),), *((Value(x),) for x in cells)))
    every = frozenset(range(1, len(head)))
    marked = next((k for k, o in enumerate(node.rivals) if o is node.winner), None)
    return [
        Headline(("All columns",), 3, role),
        Listing(tuple(head), tuple(rows), every, every, marked, role),
    ]


def _chosen(node: WorkedNode, options: TreeOptions) -> Sentence:
    """Say why the winner won."""
    winner = node.winner
    assert winner is not None
    assert winner.best is not None
    why, rivals = reason(node, options)
    name, by_ratio = said(winner.column.name), CRITERIA[options.criterion].by_ratio
    if why == "only":
        return Sentence(line(name, " is the only column that can be tested: split on it."), "answer")
    assert rivals[0].best is not None
    measure = "gain ratio" if by_ratio else "gain less price" if winner.worth != winner.best.gain else "gain"
    own = Value(winner.best.ratio if by_ratio else winner.worth)
    next_ = Value(rivals[0].best.ratio if by_ratio else rivals[0].worth)
    among = line(" of the columns with at least average gain (", Value(node.guard), ")") if by_ratio else ()
    if why == "tie":
        tail = line(", as has ", said(rivals[0].column.name), "; of equals the first by name wins")
    elif why == "average":
        tail = line(f"; {len(_above(rivals, winner))} with a larger ratio gain less than the average")
    else:
        tail = line("; next is ", said(rivals[0].column.name), " with ", next_)
    head = (
        line(name, f" has the largest {measure}, ", own, ",", among)
        if among
        else line(name, f" has the largest {measure}, ", own)
    )
    return Sentence(line(head, tail, ": split on ", name, "."), "answer")


def _above(rivals: list[Offer], winner: Offer) -> list[Offer]:
    assert winner.best is not None
    return [o for o in rivals if o.best is not None and o.best.ratio > winner.best.ratio]


def _leaf(tree: Tree, node: WorkedNode, stop: LeafReason) -> Sentence:
    """Say why a node is a leaf, and what it answers."""
    label = plain(tree.schema.predicted.labels[int(tree.labels[node.number])])
    setting = "" if stop.setting is None else f"{stop.setting:g}"
    return Sentence(
        (Quoted(f"{LEAF[stop.kind].format(n=setting, label=label)}. Answer: {label}."),), "answer"
    )
