"""Fitted naive Bayes as text: priors, what each column was taken for, and the strongest columns first.

Knows fitted models and how to lay out lines. Knows nothing of rows.
"""

from __future__ import annotations

from tallystick.draw.text import clean, cut, padded
from tallystick.errors import counted, page_limit
from tallystick.models.naive_bayes import Counted, NaiveBayesModel, Part, Summed
from tallystick.models.naive_bayes.distributions import of_part
from tallystick.models.naive_bayes.strength import strengths

MOST = 12


def naive_bayes_text(model: NaiveBayesModel, most: int = MOST) -> str:
    """Return the model in a terminal's width."""
    most = page_limit(most)
    labels, total = model.schema.predicted.labels, int(model.classes.sum())
    shares = model.calibrated.shares(model.calibrated.base[None, :])[0][0]
    rows = total / model.unit
    lines = [
        f"Naive Bayes for {clean(model.schema.predicted.name)}: {counted(rows, 'row')}, "
        f"{counted(len(model.parts), 'column')}"
    ]
    lines.append("  class" + " " * 21 + "rows   prior")
    for label, count, share in list(zip(labels, model.classes.tolist(), shares, strict=True))[:most]:
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
    return "\n".join(lines)


def told(part: Part) -> str:
    """Return how a column is read, in a few words."""
    if isinstance(part, Counted):
        if part.distribution == "binned":
            return f"{len(part.counts)} bins" if len(part.counts) > 1 else "one bin, no effect"
        return "yes or no" if part.distribution == "bernoulli" else f"{len(part.counts)} levels"
    if isinstance(part, Summed):
        return of_part(part).words
    return f"{counted(len(part.counts), 'word')}, {part.distribution}"
