"""What it costs to be readable: the scorecard beside black boxes, explainable boosting and our others.

    TALLYSTICK_DATA=folder python benchmarks/boxes.py [set ...] [--folds N] [--kept]

The protocol is that of `protocol.py`, every method at its defaults. Results are kept fold by fold, so that a
run can be broken off and taken up again; explainable boosting takes hours for all sets. `--folds` is for sets
of more than 4,000 rows: only so many of their ten folds are run. `--kept` runs nothing and takes what is
there.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import accuracy
import numpy as np
import peers
from protocol import SETS, folds, scores, table

import tallystick as ts

CARD, EBM = "tallystick card", "ebm"
BIG, FOLDS = 4_000, 10  # rows of a set of which fewer folds may be run
BOXES = {EBM: peers.ebm, "hist-boosting": peers.hist_boosting, "lightgbm": peers.lightgbm}
OURS = {CARD: ts.Scorecard} | accuracy.OURS
METHODS = (*OURS, *BOXES)
Results = dict[str, dict[str, accuracy.Result]]


@dataclass(frozen=True)
class Beside:
    """One set: of each method its folds (rows, rows right, summed log-loss), or all ten at once."""

    rows: int
    parts: dict[str, list[list[float]]]
    whole: dict[str, accuracy.Result]

    def over(self, methods: tuple[str, ...]) -> tuple[int, dict[str, accuracy.Result]]:
        """Return on how many folds all methods were run, and their results on those."""
        count = min(FOLDS if m in self.whole else len(self.parts[m]) for m in methods)
        if count < FOLDS:
            count = min(len(self.parts[m]) for m in methods)
        out = {}
        for m in methods if count else ():
            own = self.parts[m][:count] if len(self.parts[m]) >= count else [[1.0, *self.whole[m]]]
            rows, right, loss = np.sum(own, axis=0)
            out[m] = (float(right / rows), float(loss / rows))
        return count, out


def run_fold(fit: Callable[..., peers.Answer], name: str, fold: int) -> list[float]:
    """Return rows, rows right and summed log-loss of one fold."""
    X, y = table(name)
    training, test = list(folds(X, y))[fold]
    labels = np.unique(y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shares = fit(X.iloc[training], y.iloc[training])(X.iloc[test])
    right, loss = scores(shares, np.searchsorted(labels, y.iloc[test]))
    return [len(test), right * len(test), loss * len(test)]


def beside(name: str, most: int = FOLDS, run: tuple[str, ...] = METHODS) -> Beside:
    """Return one set; of a big one at most so many folds. run: the methods that may be run."""
    kept, version = accuracy.Kept(), accuracy.our_version()
    rows = len(table(name)[1])
    jobs = {m: (accuracy.ours(make), version) for m, make in OURS.items()}
    jobs |= {m: (fit, "") for m, fit in BOXES.items()}
    out = Beside(rows, {m: [] for m in jobs}, {})
    wanted = most if rows > BIG else FOLDS
    for method, (fit, tag) in jobs.items():
        if wanted == FOLDS and (result := kept.all().get(f"{name}|{method}|{tag}")):
            out.whole[method] = (result[0], result[1])
        for fold in range(wanted):
            key = f"{name}|{method}|{tag}|{fold}"
            if key not in kept.all():
                if method not in run or method in out.whole:
                    break
                kept.put(key, run_fold(fit, name, fold))
            out.parts[method].append(kept.all()[key])
    return out


def ranked(sets: Results, methods: tuple[str, ...]) -> list[str]:
    """Return a table of mean ranks and means over sets, the best by log-loss first."""
    loss, right = (accuracy.ranks(sets, methods, which) for which in (1, 0))
    lines = ["| method | mean rank, log-loss | mean rank, accuracy | mean log-loss | mean accuracy |"]
    lines += ["|---|---|---|---|---|"]
    for m in sorted(methods, key=lambda m: loss[m]):
        hits, cost = np.mean([r[m] for r in sets.values()], axis=0)
        name = f"**{m}**" if m in OURS else m
        lines.append(f"| {name} | {loss[m]:.2f} | {right[m]:.2f} | {cost:.4f} | {hits:.4f} |")
    return lines


def common(found: dict[str, Beside], methods: tuple[str, ...]) -> tuple[Results, dict[str, int]]:
    """Return the results of sets on which all methods were run, on the folds that all have, and how many."""
    made = {name: one.over(methods) for name, one in found.items()}
    return (
        {name: results for name, (count, results) in made.items() if count},
        {name: count for name, (count, _) in made.items() if count},
    )


def partly(counts: dict[str, int], found: dict[str, Beside]) -> str:
    """Return which sets were run on fewer than ten folds or not at all, in words."""
    few = [f"{name} {count}" for name, count in counts.items() if count < FOLDS]
    out = f" Fewer than ten folds: {', '.join(few)}." if few else " All ten folds each."
    left = [name for name in found if name not in counts]
    return out + (f" Not run by all of them: {', '.join(left)}." if left else "")


def lines_of(found: dict[str, Beside]) -> list[str]:
    """Return the part of the page: two tables of ranks, then set by set."""
    plain = tuple(m for m in METHODS if m != EBM)
    lines = ["", "## What does it cost to be readable?", "", *ANSWER]
    for methods, words in ((plain, "without"), (METHODS, "with")):
        sets, counts = common(found, methods)
        if sets:
            lines += ["", f"### {len(sets)} sets, {words} explainable boosting", ""]
            lines += [f"Every method on the same folds.{partly(counts, found)}", "", *ranked(sets, methods)]
    lines += ["", "### Set by set", "", "Accuracy / log-loss, on the folds that the methods without"]
    lines += ["explainable boosting share; explainable boosting where it was run on the same.", ""]
    lines += [f"| set | folds | {' | '.join(METHODS)} |", "|---" * (2 + len(METHODS)) + "|"]
    for name, one in found.items():
        count, results = one.over(plain)
        if not count:
            continue
        together, with_ebm = one.over(METHODS)
        if together == count:
            results = with_ebm
        cells = [f"{results[m][0]:.3f} / {results[m][1]:.3f}" if m in results else "" for m in METHODS]
        lines.append(f"| {name} | {count} | {' | '.join(cells)} |")
    return lines


ANSWER = """
On average nothing, by these figures: a scorecard is a table of whole points that can be added up with a
pencil, and its mean rank is the first by log-loss and by accuracy. It is on small tables that boosted trees
lose, most of all by log-loss. They are ahead where columns act together in more ways than ten pairs can say
(letter, pendigits, segment, sick, car); on a few small tables the plain lines of logistic regression are
enough and better (labor, lymphography, iris).

`ebm` is InterpretML's explainable boosting, its pairs on; `hist-boosting` is scikit-learn's
HistGradientBoosting, `lightgbm` LightGBM: each at its defaults, levels as categories. Explainable boosting
takes hours for all sets and was run on some.
""".strip().splitlines()


def run(names: list[str], most: int = FOLDS, methods: tuple[str, ...] = METHODS) -> dict[str, Beside]:
    """Return all sets, one printed line each as it is done."""
    out = {}
    for name in names:
        one = out[name] = beside(name, most, methods)
        told = [
            f"{m.split()[-1]} {one.over((m,))[0]}x{one.over((m,))[1][m][1]:.4f}"
            for m in METHODS
            if one.over((m,))[0]
        ]
        print(f"{name:<25} {' '.join(told)}", flush=True)
    return out


def figures() -> list[tuple[str, float]]:
    """Return the card's place among all on the same folds, two of the large sets, and its log-loss;
    explainable boosting takes part where it was run before.
    """
    found = run(list(SETS), 2, tuple(m for m in METHODS if m != EBM))
    out = []
    for methods, words in ((tuple(m for m in METHODS if m != EBM), "black boxes"), (METHODS, "ebm too")):
        sets, _ = common(found, methods)
        if not sets:
            continue
        for which, word in ((1, "log-loss"), (0, "accuracy")):
            mean = accuracy.ranks(sets, methods, which)
            place = 1 + sum(v < mean[CARD] for v in mean.values())
            out.append((f"card, {words}: place by {word}", float(place)))
    own, _ = common(found, (CARD,))
    if own:
        out.append(("card: mean log-loss", float(np.mean([r[CARD][1] for r in own.values()]))))
    return out + [(f"card: log-loss on {n}", own[n][CARD][1]) for n in ("nursery", "car") if n in own]


if __name__ == "__main__":
    given = sys.argv[1:]
    folds_given = int(given[given.index("--folds") + 1]) if "--folds" in given else FOLDS
    named = [a for a in given if a in SETS] or list(SETS)
    print("\n".join(lines_of(run(named, folds_given, () if "--kept" in given else METHODS))))
