"""Fitted naive Bayes as text: priors, how each column is read, the strongest columns first, and the votes of
their values; where every line is wanted, the conditional probabilities too.

Knows fitted models and how to lay out lines. Knows nothing of rows.
"""

from __future__ import annotations

import math

from tallystick.draw.text import clean, cut, padded
from tallystick.errors import counted, page_limit
from tallystick.explain.naive_bayes import SHARE_ZERO, shares, votes
from tallystick.models.naive_bayes import Counted, NaiveBayesModel, Part, Summed
from tallystick.models.naive_bayes.distributions import of_part
from tallystick.models.naive_bayes.strength import strengths

MOST = 12


def naive_bayes_text(model: NaiveBayesModel, most: int = MOST) -> str:
    """Return the model in a terminal's width."""
    every, most = page_limit(most) > most, page_limit(most)
    labels, total = model.schema.predicted.labels, int(model.classes.sum())
    priors = model.calibrated.shares(model.calibrated.base[None, :])[0][0]
    rows = total / model.unit
    lines = [
        f"Naive Bayes for {clean(model.schema.predicted.name)}: {counted(rows, 'row')}, "
        f"{counted(len(model.parts), 'column')}"
    ]
    lines.append("  class" + " " * 21 + "rows   prior")
    for label, count, share in list(zip(labels, model.classes.tolist(), priors, strict=True))[:most]:
        lines.append(f"  {padded(cut(clean(label), 18), 18)}{count / model.unit:12,.10g}  {share:6.4f}")
    if len(labels) > most:
        lines.append(f"  and {counted(len(labels) - most, 'more class')}")
    lines.append("  column, strongest first   distribution            bits about the class")
    bits = strengths(model)
    ranked = sorted(model.parts, key=lambda p: (-bits[p.name], p.name))
    for part in ranked[:most]:
        name = padded(cut(clean(part.name), 24), 24)
        lines.append(f"  {name}  {padded(told(part), 22)}  {bits[part.name]:.4f}")
    if len(ranked) > most:
        lines.append(f"  and {counted(len(ranked) - most, 'more column')}")
    if model.calibration is not None:
        lines.append(f"  calibrated: log scores times {model.calibration.slope:.3f}, shifted per class")
    lines += _vote_lines(model, most)
    for part in model.parts if every else ():
        _, *table = str(shares(model, part.name)).split("\n")
        lines += ["", f"P(value | class) of {clean(part.name)}, {told(part)}", *table]
    return "\n".join(lines)


def _vote_lines(model: NaiveBayesModel, most: int) -> list[str]:
    """Return the strongest votes: in log-odds, for the second of two classes."""
    labels = model.schema.predicted.labels
    if len(labels) < 2 or not model.parts:
        return []
    found = list(votes(model, most=most))
    two = len(labels) == 2
    what = f"vote for {cut(clean(labels[1]), 24)}" if two else "vote for a class"
    lines = [f"  column = value, strongest first             {what}, in log-odds"]
    for vote in found[:most]:
        name = padded(cut(clean(f"{vote.column} = {vote.value}"), 42), 42)
        whom = "" if two else f"  {cut(clean(vote.label), 24)}"
        weight = f"{vote.weight:+8.2f}"
        if not math.isfinite(vote.weight):
            weight = f"{SHARE_ZERO:>8}" + ("  ruled out" if vote.weight < 0 else "  alone has it")
        lines.append(f"  {name}{weight}{whom}")
    if (more := _votes_in_all(model) - most) > 0:
        lines.append(f"  and {counted(more, 'more vote')}")
    return lines


def _votes_in_all(model: NaiveBayesModel) -> int:
    """Return how many votes there are: one of a number or two values, else one of each value."""
    classes = len(model.classes)
    each = (
        1 if isinstance(p, Summed) or (isinstance(p, Counted) and len(p.counts) == 2) else len(p.counts)
        for p in model.parts
    )
    return sum(each) * (1 if classes == 2 else classes)


def told(part: Part) -> str:
    """Return how a column is read, in a few words."""
    if isinstance(part, Counted):
        if part.distribution == "binned":
            return f"{len(part.counts)} bins" if len(part.counts) > 1 else "one bin, no effect"
        return "yes or no" if part.distribution == "bernoulli" else f"{len(part.counts)} levels"
    if isinstance(part, Summed):
        return of_part(part).words
    return f"{counted(len(part.counts), 'word')}, {part.distribution}"
