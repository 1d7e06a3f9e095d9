"""Explanation of a tree's answer for one row: its path, 95 % interval; and cuts rounded for display.

In this order: the path of a row, or of its parts where a missing value is spread over branches (entry
`explain()`); the interval of a share (`of_share`) or mean (`of_mean`); cuts in few digits (`in_few_digits`).
way = path from the root; step = one test on it; best = the class answered; searched = rows discounted for the
number of tests that were compared.
Law: every number follows from the counts shown beside it, and the interval holds the answer it belongs to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block, Table
from tallystick.draw.svg import Picture, framed
from tallystick.errors import page_limit
from tallystick.judge.folds import steps
from tallystick.model.conditions import Condition, fitted, number, plain_words, reachable, rows
from tallystick.model.decision import why_answered
from tallystick.schema import CODED, Column
from tallystick.stats.distributions import mixture_interval, searched, student
from tallystick.tree.model import Tree
from tallystick.tree.nodes import Way, ways
from tallystick.tree.picture import tree_svg
from tallystick.tree.prune import bits_of_tests
from tallystick.tree.view import CELLS, WIDEST

MOST_PARTS = 8  # parts of a row that are printed; to_dict() has all
SHORT = 46  # letters of a test in a line that would be wider than the terminal
MOST_NODES = 200  # components of a beta mixture; more take seconds
BETA = "95 % of the beta posterior of the answer's share, equal tails"
SEARCHED = ", its rows counting less for the tests that were looked for"
PRICE = 0.5  # part of the bits that name a test that is charged: neighbouring cuts are nearly equal


@dataclass(frozen=True)
class Step:
    """One step of a row's way: the test at a node as a sentence that held, and the rows before and after it.

    weight: the probability that the answer comes from this node; 1 at the end of the way unless the tree
    averages.
    """

    node: int
    sentence: str
    counts: tuple[float, ...]
    shares: tuple[float, ...]
    weight: float
    mean: float | None = None  # of the response, in regression
    short: str = ""  # the sentence where there is little room

    def to_dict(self) -> dict[str, Any]:
        """Return the step as plain data."""
        out = {"counts": list(self.counts), "node": self.node, "sentence": self.sentence}
        if self.mean is not None:
            return out | {"mean": self.mean}
        return out | {"shares": list(self.shares), "weight": self.weight}


@dataclass(frozen=True)
class RowPart:
    """A part of a row whose value is missing: how much of it, its steps below that test, what its end
    answers.
    """

    part: float
    steps: tuple[Step, ...]
    answer: tuple[float, ...]  # a share per class, or the mean

    def to_dict(self) -> dict[str, Any]:
        """Return the part as plain data."""
        return {
            "answer": list(self.answer),
            "node": self.steps[-1].node,
            "part": self.part,
            "steps": [s.to_dict() for s in self.steps],
        }


@dataclass(frozen=True)
class TreeExplanation:
    """Why a row got its answer.

    steps: its way, up to the first missing value that sends it down all branches; from there on it has
    `parts`, the largest first, because of the columns `missing`. interval: of the share that the answer has
    among new rows like this one, or of their mean; interval_method says how it was made, or why it is not
    there.
    """

    tree: Tree
    steps: tuple[Step, ...]
    answer: Any
    shares: tuple[float, ...]
    interval: tuple[float, float] | None
    interval_method: str
    parts: tuple[RowPart, ...] = ()
    missing: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain data."""
        labels = _labels(self.tree)
        out: dict[str, Any] = {
            "answer": self.answer,
            "interval": None if self.interval is None else list(self.interval),
            "interval_method": self.interval_method,
            "steps": [s.to_dict() for s in self.steps],
        }
        if labels:
            out["shares"] = dict(zip(labels, self.shares, strict=True))
        if self.parts:
            out |= {"missing": list(self.missing), "parts": [p.to_dict() for p in self.parts]}
        return out

    def __str__(self) -> str:
        labels = _labels(self.tree)
        out = ["Counts: " + ", ".join(plain_words(label) for label in labels)] if labels else []
        # each number below that of the step before
        words = [_counts(step).split(" ") for step in self.steps]
        wide = [max(map(len, column)) for column in zip(*words, strict=True)]
        ends = []
        for step, line in zip(self.steps, words, strict=True):
            end = "  " + " ".join(f"{word:>{w}}" for word, w in zip(line, wide, strict=True))
            if step.mean is not None:
                end += f"  mean {step.mean:.6g}"
            elif self.tree.averaged is not None:
                end += f"  weight {step.weight:.3f}"
            ends.append(end)
        room = CELLS - 2 - max(map(len, ends))
        fit = all(len(step.sentence) <= room for step in self.steps)
        said = [step.sentence if fit or not step.short else step.short for step in self.steps]
        longest = max(map(len, said))
        out += [f"{'→ ' if k else '  '}{said[k]:<{longest}}{ends[k]}" for k in range(len(said))]
        return "\n".join([*out, *self._part_lines(), self._answer_line()])

    __repr__ = __str__

    def _part_lines(self) -> list[str]:
        """Return one line per part: its size times what its end answers, the rows there, the way."""
        if not self.parts:
            return []
        labels = _labels(self.tree)
        best = labels.index(self.answer) if labels else 0
        name = f"{plain_words(self.answer)} " if labels else ""
        several = len(self.missing) > 1
        out = [
            f"{', '.join(map(plain_words, self.missing))} {'are' if several else 'is'} missing or unseen: "
            "there the row goes down all branches, in proportion to their rows:"
        ]
        shown = self.parts[: page_limit(MOST_PARTS)]
        wide = max(len(_counts(p.steps[-1])) for p in shown)
        for p in shown:
            way = " and ".join(s.sentence for s in p.steps)
            answer = f"{p.answer[best]:.3f}" if labels else f"{p.answer[best]:.6g}"
            out.append(f"  {p.part:.3f} × {name}{answer}  {_counts(p.steps[-1]):>{wide}}  {way}")
        rest = self.parts[len(shown) :]
        if rest:
            size, worth = sum(p.part for p in rest), sum(p.part * p.answer[best] for p in rest)
            out.append(f"  {size:.3f} in {len(rest):,} more parts, which add {worth:.3g}")
        return out

    def _answer_line(self) -> str:
        """Return the last line: the answer, how sure it is, and the shares."""
        labels = _labels(self.tree)
        digits = ".3f" if labels else ".6g"
        if self.interval is None:
            between = f" (no interval: {self.interval_method})"
        else:
            low, high = (f"{end:{digits}}" for end in self.interval)
            between = f" (95 % between {low} and {high}, for new rows like this one)"
        if not labels:
            how = " is the sum of the parts" if self.parts else ""
            return f"Answer: {self.answer:.6g}{how}{between}"
        said = {
            plain_words(why_answered(self.tree.decision, self.tree.answers.costs)): True,
            "the sum of the parts": bool(self.parts),
            "weighted by how probable each pruning is": self.tree.averaged is not None,
            "rows weighted by their class": self.tree.answers.weights is not None,
        }
        how = ", ".join(text for text, holds in said.items() if text and holds)
        shares = ", ".join(f"{plain_words(n)} {s:.3f}" for n, s in zip(labels, self.shares, strict=True))
        return f"Answer: {plain_words(self.answer)}{between}; {how}{': ' if how else ''}{shares}"

    def picture(self) -> Picture:
        """Return the tree with the row's way, and the ways of its parts, set off."""
        lit = {s.node for s in self.steps} | {s.node for p in self.parts for s in p.steps}
        return Picture(tree_svg(self.tree, lit=lit))

    def _repr_html_(self) -> str:
        return framed(self.picture(), text=str(self))


def explain(tree: Tree, block: Block, row: int = 0) -> TreeExplanation:
    """Return why one row of a block is answered as it is."""
    columns = tree.schema.used

    def cell(j: int) -> Any:
        column = columns[j]
        return (block.codes if column.kind in CODED else block.values)(column.name)[row]

    return explain_row(tree, cell, tree.shares(block)[row])


def explain_row(tree: Tree, cell: Callable[[int], Any], shares: NDArray[np.float64]) -> TreeExplanation:
    """Return the way of one row. cell(column): its value or code; shares[class]: what the tree answered."""
    found = sorted(ways(tree.nodes, cell), key=lambda way: -way.part)
    first = found[0].steps
    common = len(first)
    missing: tuple[str, ...] = ()
    if any(way.spread for way in found):
        common = 1 + min(way.spread[0] for way in found)
        asked = dict.fromkeys(int(tree.nodes.column[w.steps[k][0]]) for w in found for k in w.spread)
        missing = tuple(tree.schema.used[j].name for j in asked)
    ways_steps = [steps_of(tree, way, cell) for way in found]
    parts: tuple[RowPart, ...] = ()
    if missing:
        parts = tuple(
            RowPart(way.part, steps[common:], tuple(tree.node_shares[way.steps[-1][0]].tolist()))
            for way, steps in zip(found, ways_steps, strict=True)
        )
    steps = ways_steps[0][:common]
    if tree.regression:
        between, method = of_mean(tree, [node for node, _ in first], bool(missing))
        return TreeExplanation(tree, steps, float(shares[0]), (), between, method, parts, missing)
    best = int(tree.decide(shares[None, :])[0])
    nodes = [(way.part, steps) for way, steps in zip(found, ways_steps, strict=True)]
    between, method = of_share(tree, nodes, best, float(shares[best]))
    answer = _labels(tree)[best]
    return TreeExplanation(tree, steps, answer, tuple(shares.tolist()), between, method, parts, missing)


def steps_of(tree: Tree, way: Way, cell: Callable[[int], Any]) -> tuple[Step, ...]:
    """Return the steps of one way in words."""
    averaged = tree.averaged
    out: list[Step] = []
    sentence = short = "all rows"
    for k, (node, branch) in enumerate(way.steps):
        weight = 1.0 if branch < 0 else 0.0
        if averaged is not None:
            weight = float(averaged.reach[node] * (weight or averaged.ends[node]))
        counts = tree.rows[node]
        total = counts.sum()
        shares = tuple((counts / total).tolist()) if total and not tree.regression else ()
        mean = float(tree.nodes.mean[node]) if tree.regression else None
        out.append(Step(node, sentence, tuple(counts.tolist()), shares, weight, mean, short))
        if branch >= 0:
            test = reachable(tree.schema, tree.nodes, node, branch)
            below = int(tree.nodes.branches(node)[branch])
            sentence = _sentence(test, tree, node, cell)
            short = _sentence(test, tree, node, cell, SHORT)
            if k in way.spread:
                size = tree.nodes.weight[below] / max(int(tree.nodes.weight[node]), 1)
                sentence = f"{test.sentence(WIDEST, missing=False)} ({size:.3f} of it)"
                short = f"{fitted(test, SHORT - 14)} ({size:.3f} of it)"
    return tuple(out)


def _sentence(test: Condition, tree: Tree, node: int, cell: Callable[[int], Any], room: int = 0) -> str:
    """Return the test that held, with the row's own value: `petalwidth < 0.8 (0.2)`. room: in about so many
    letters, a level among others as `job = clerk (one of 9)`; 0: whole.
    """
    value = cell(int(tree.nodes.column[node]))
    numeric = tree.nodes.cut[node] == tree.nodes.cut[node]
    known = len(test.column.levels)
    if np.isnan(value) if numeric else int(value) >= known:
        unseen = not numeric and int(value) > known  # the code behind that of a missing value
        how = "a level not seen in training" if unseen else "missing"
        return f"{plain_words(test.column.name)} is {how}"
    if room and test.levels is not None and len(test.levels) > 1:
        own = replace(test, levels=(int(value),), missing=False)
        return f"{fitted(own, room - 12)} (one of {len(test.levels):,})"
    text = fitted(replace(test, missing=False), room - 10) if room else test.sentence(WIDEST, missing=False)
    if test.levels is None:
        return f"{text} ({number(float(value), test.column)})"
    return text if len(test.levels) == 1 else f"{text} ({plain_words(test.column.levels[int(value)])})"


# ---- intervals of shares and means ----


def of_share(
    tree: Tree, found: list[tuple[float, tuple[Step, ...]]], best: int, share: float
) -> tuple[tuple[float, float] | None, str]:
    """Return the 95 % interval of the answer's share among new rows like this one, and how it was made.

    It is that of a mixture of beta distributions, one for each node that takes part, with its weight. Its
    parameters are the node's rows of the class and of the others, each divided by `searched`(bits of the
    tests above), plus the smoothing, or without smoothing half a row. Class weights multiply the odds.
    """
    tests = PRICE * bits_of_tests(tree)
    a = tree.answers.smoothing
    plus = (a * float(tree.base[best]), a * (1 - float(tree.base[best]))) if a > 0 else (0.5, 0.5)
    mixed: dict[tuple[float, float, float], float] = {}
    each = tree.unit / tree.row  # rows that a weight of 1 counts as
    for part, way in found:
        odds, spent = _odds(tree, way[-1].node, best), 0.0
        for s in way:
            if s.weight * part > 0:
                less = searched(spent) / each
                own, others = s.counts[best] / less, (sum(s.counts) - s.counts[best]) / less
                beta = own + plus[0], others + plus[1], odds
                mixed[beta] = mixed.get(beta, 0.0) + s.weight * part
            spent += float(tests[s.node])
    if len(mixed) > MOST_NODES:
        return None, f"{len(mixed):,} nodes take part, and at most {MOST_NODES} are mixed"
    low, high = mixture_interval([(w, *beta) for beta, w in mixed.items()])
    method = BETA
    if len(tree.nodes) > 1:
        method += SEARCHED
    if len(mixed) > 1:
        method += ", of all nodes that take part by their weight"
    if tree.answers.weights is not None:
        method += "; its odds times the weights of the classes, as in the shares"
    if not low <= share <= high:
        method += "; extended to the share, which lies outside it"
    return (min(low, share), max(high, share)), method


def _odds(tree: Tree, node: int, best: int) -> float:
    """Return by what the class weights multiply the odds of a class at the end of a way.

    That is its weight over that of the other classes in the mixture the node answers; where it answers no
    other class, in the mixture of all rows.
    """
    if tree.answers.weights is None:
        return 1.0
    heavy, plain_shares = tree.answers.weights.of(tree.nodes.counts[0]), tree.unweighted[node]
    if not (heavy * plain_shares).sum() > 0:
        return 1.0  # all weigh 0 here: the plain shares answer
    rest = np.arange(len(heavy)) != best
    mixture = plain_shares[rest] if plain_shares[rest].sum() > 0 else tree.base[rest]
    others = float((heavy[rest] * mixture).sum() / mixture.sum()) if rest.any() else 0.0
    return float(heavy[best]) / others if others > 0 else float("inf")


def of_mean(tree: Tree, way: list[int], spread: bool) -> tuple[tuple[float, float] | None, str]:
    """Return the 95 % interval of the mean of new rows like this one, and how it was made. way: its nodes."""
    leaf = way[-1]
    if spread:
        return None, "the answer is a sum over leaves with different means"
    n = float(tree.counted[leaf].sum())
    if n <= 1:
        return (
            None,
            f"the leaf has {rows(n, 1)} {'row' if n == 1 else 'rows'}, too few to show a spread",
        )
    mean = float(tree.nodes.mean[leaf])
    wide = searched(PRICE * float(bits_of_tests(tree)[way[:-1]].sum()))
    t = student(n - 1) * float(np.sqrt(wide))
    each = tree.unit / tree.row  # rows that a weight of 1 counts as
    error = float(np.sqrt(tree.nodes.deviance[leaf] * each / (n - 1) / n))
    method = (
        f"95 % of the mean of the leaf's {rows(n, 1)} rows: mean ± {t:.4g} standard errors, by Student's t "
        f"with {rows(n - 1, 1)} degrees of freedom{SEARCHED if len(way) > 1 else ''}"
    )
    return (mean - t * error, mean + t * error), method


def _counts(step: Step) -> str:
    shown = " ".join(rows(n, 1) for n in step.counts)
    return f"{shown} rows" if step.mean is not None else shown


def _labels(tree: Tree) -> tuple[str, ...]:
    return tree.schema.predicted.labels


# ---- cuts for display: the fewest digits that divide the training rows as the cut does ----
#
# Law: between a cut and the cut that is shown lies no training value, so that every training row fulfils what
# the page says if and only if it goes the model's way. Exports and model files have all digits.


Floats = NDArray[np.float64]

PLAIN = 6  # cuts of up to so many digits are shown unchanged
FEWEST, MOST = 4, 15  # digits that are tried for longer ones
SAME = 1e-12  # relative difference that counts as none
LARGEST = 1e300  # a cut from here on is NO_CUT, a test of whether the value is missing


def few_digits(cuts: Floats, below: Floats, above: Floats) -> Floats:
    """Return numbers of few digits with below < number <= above: the training values next to each cut."""
    out, left = cuts.copy(), np.flatnonzero(is_long(cuts))
    for digits in range(FEWEST, MOST):
        short = _rounded(cuts[left], digits)
        fits = (below[left] < short) & (short <= above[left])
        out[left[fits]] = short[fits]
        left = left[~fits]
    return out


def is_long(cuts: Floats) -> NDArray[np.bool_]:
    """Return whether each cut has more than PLAIN digits; False for tests without a cut."""
    known = np.isfinite(cuts) & (np.abs(cuts) < LARGEST) & (cuts != 0)
    out = np.zeros(len(cuts), bool)
    out[known] = np.abs(cuts[known] - _rounded(cuts[known], PLAIN)) > SAME * np.abs(cuts[known])
    return out


def _rounded(values: Floats, digits: int) -> Floats:
    return np.array([float(f"{v:.{digits}g}") for v in values.tolist()], np.float64)


def beside(values: Any, cuts: Floats) -> tuple[Floats, Floats]:
    """Return of each cut, in rising order, the largest value below it and the smallest at or above it."""
    low, high = np.full(len(cuts) + 1, -np.inf), np.full(len(cuts) + 1, np.inf)
    for some in steps(len(values)):
        here = np.asarray(values[some], np.float64)
        here = here[~np.isnan(here)]
        place = np.searchsorted(cuts, here, "right")
        np.maximum.at(low, place, here)
        np.minimum.at(high, place, here)
    return np.maximum.accumulate(low)[:-1], np.minimum.accumulate(high[::-1])[::-1][1:]


def cut_text(cut: float, column: Column, values: Any) -> str:
    """Return one cut of a column in few digits, as text; values: of the training rows."""
    one = np.array([cut])
    return number(cut if column.unit else float(few_digits(one, *beside(values, one))[0]), column)


def in_few_digits(tree: Tree, table: Table, candidates: int = 0, of: NDArray[np.int64] | None = None) -> Tree:
    """Return a tree to be told in words: it sends every training row the same way, by cuts of few digits.

    candidates: how many candidate splits it keeps of each of the nodes `of`, None for all; none of others.
    """
    nodes = np.arange(len(tree.nodes)) if of is None else np.sort(of)
    found = tree.candidates_of(nodes) if candidates else None
    if found is not None:  # as those of a tree whose other nodes have none
        found, sizes = found.best(candidates), np.zeros(len(tree.nodes), np.int64)
        sizes[nodes] = np.diff(found.start)
        found = replace(found, start=np.concatenate([[0], np.cumsum(sizes)]))
    cuts, column = tree.nodes.cut, tree.nodes.column
    if found is not None:
        cuts, column = np.concatenate([cuts, found.cut]), np.concatenate([column, found.column])
    long = np.flatnonzero(is_long(cuts))
    if not len(long):
        return tree
    cuts = cuts.copy()
    for j in np.unique(column[long]).tolist():
        own = tree.schema.used[j]
        if not own.unit:
            here = long[column[long] == j]
            every, back = np.unique(cuts[here], return_inverse=True)
            cuts[here] = few_digits(every, *beside(table.column(own.name), every))[back]
    size = len(tree.nodes)
    short = replace(tree.nodes, cut=cuts[:size])
    return replace(tree, nodes=short, candidates=None if found is None else replace(found, cut=cuts[size:]))
