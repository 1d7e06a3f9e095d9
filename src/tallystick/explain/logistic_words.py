"""What the table of a logistic regression says in words: what the weights are of, the prior, the coding, the
errors.

Knows models. Knows no row.
"""

from __future__ import annotations

from tallystick.data.schema import CODED
from tallystick.draw.text import clean
from tallystick.errors import counted
from tallystick.models.linear.model import LinearModel
from tallystick.models.logistic.model import LogisticModel
from tallystick.models.logistic.options import DEFAULT_L2, ERRORS
from tallystick.models.logistic.parts import Cells, WordWeights, uncompared

BEFORE_BASES = "the model file is from before levels were compared with a base level; fit again"


def title(model: LogisticModel) -> str:
    """Say what the weights are of."""
    target = clean(model.schema.predicted.name)
    if model.links == 1:
        own, other = clean(model.labels[1 - model.reference]), clean(model.labels[model.reference])
        return f"Logistic regression: log-odds of {target} = {own} against {other}"
    if has_prior(model):
        return f"Logistic regression of {target}: a score per class, {len(model.labels)} classes"
    return f"Logistic regression: log-odds of each {target} against {clean(model.labels[model.reference])}"


def rows_words(model: LogisticModel) -> str:
    """Say how many rows were fitted; where classes weigh or weights have fractions, what they weigh."""
    rows = float(f"{model.fit.rows:.10g}")  # weights that are not whole sum to the rows but for rounding
    if model.options.class_weight is not None or not rows.is_integer():
        return f"Rows with a total weight of {rows:,.10g}"
    return counted(int(rows), "row")


def prior_words(model: LogisticModel) -> str:
    """Say which prior holds."""
    l1, l2 = model.options.l1, model.fit.l2
    parts = [f"Gaussian prior, l2 = {l2:.4g}"] if l2 else []
    parts += [f"Laplace prior, l1 = {l1:g}"] if l1 else []
    if model.options.firth:
        firth = "Firth's correction: Jeffreys' prior, finite where classes are separated."
        return f"{firth}{reference_words(model)}"
    if not parts:
        return f"No prior: maximum likelihood.{reference_words(model)}"
    on = penalty_place(model)
    abound = " (the default where there are many rows or weights)"
    auto = abound if l2 == DEFAULT_L2 else " (chosen by the evidence of the rows)"
    how = {"cv": " (chosen by cross-validation)", "auto": auto}
    chosen = how.get(str(model.options.l2), "") if l2 else ""
    words = f"{' and '.join(parts)}{chosen}, {on}, not on the constant; weights are in your units."
    return f"{words}{compared_words(model)}"


def compared_words(model: LogisticModel) -> str:
    """Say what the classes, under a prior, and the levels are compared with."""
    several = model.links > 1 and has_prior(model)
    return (" Each class is compared with the mean of all classes." if several else "") + reference_words(
        model
    )


def penalty_place(model: LogisticModel | LinearModel) -> str:
    """Say what a prior or penalty acts on."""
    if not model.options.standardize:
        return "on columns as they are"
    kinds = kinds_of(model)
    scaled = [w for k, w in (("numeric", "numbers"), ("boolean", "booleans")) if k in kinds]
    plainly = [w for w, own in (("levels", CODED - {"boolean"}), ("words", {"text"})) if kinds & own]
    told = [f"standardised {' and '.join(scaled)}"] if scaled else []
    told += [f"{' and '.join(plainly)} as they are"] if plainly else []
    return f"on {' and on '.join(told)}"


def kinds_of(model: LogisticModel | LinearModel) -> set[str]:
    """Return the kinds of the columns that have a part."""
    own = {part.name for part in model.parts}
    return {c.kind for c in model.schema.used if c.name in own}


def reference_words(model: LogisticModel | LinearModel) -> str:
    """Say which level of each column the others are compared with: without a prior the first that training
    rows had, under one the most frequent.
    """
    named = []
    for part in (p for p in model.parts if isinstance(p, Cells)):
        column = model.schema[part.name]
        if part.base is not None:
            named.append(f"{clean(part.name)} = {clean(column.levels[part.base])}")
            continue
        held = [t for t, free in zip(column.levels, part.free, strict=False) if not free]
        if column.kind != "boolean" and held:  # several: levels without rows are among them
            asked = (model.options.base_levels or {}).get(part.name)
            first = held[0] if len(held) == 1 else "its first level with rows"
            level = clean(first if asked is None else asked)
            named.append(f"{clean(part.name)} = {level}")
    more = f" and {len(named) - 5} more" if len(named) > 5 else ""
    return f" Levels are compared with {', '.join(named[:5])}{more}." if named else ""


def has_prior(model: LogisticModel | LinearModel) -> bool:
    """Say whether a prior holds the weights."""
    return model.fit.l2 > 0 or model.options.l1 > 0


def coding_words(model: LogisticModel | LinearModel) -> str:
    """Say how columns are coded."""
    words = []
    if not model.options.fit_intercept:
        words.append("There is no constant.")
    if model.options.offset is not None:
        words.append(f"{clean(model.options.offset)} is an offset: it is added with weight 1.")
    kinds = kinds_of(model)
    if "boolean" in kinds:
        words.append(
            "Booleans are coded 0/1"
            + (
                ", and standardised like numbers for the prior."
                if has_prior(model) and model.options.standardize
                else "."
            )
        )
    if kinds & (CODED - {"boolean"}):
        middle = any(isinstance(p, Cells) and p.base is not None for p in model.parts)
        unseen = "lies in the middle, where the prior holds it" if middle else "has weight 0"
        words.append(f"Each level is 0/1; a level not seen in training {unseen}.")
    if any(c.kind == "numeric" and c.missing for c in model.schema.used):
        words.append("A missing number counts as the mean, plus the weight of 'is missing'.")
    if "text" in kinds:
        words.append(
            "Words count by tf-idf, each row of length 1."
            if model.options.words == "tf-idf"
            else "A word counts as often as it occurs in a row."
        )
    return " ".join(words)


def error_words(model: LogisticModel) -> str:
    """Say where the standard errors come from, or why there are none."""
    if model.fit.separation:
        return f"The classes are separated ({model.fit.separation}): standard errors are withheld."
    if uncompared(model.parts, model.options.fit_intercept):
        return f"Standard errors are not given: {BEFORE_BASES}."
    if not model.errors:
        return f"Standard errors are not given: {_no_errors(model)}."
    if model.options.firth:
        return "Standard errors are from the curvature of the likelihood at these weights."
    if model.fit.l2:
        return "Standard errors are those of the Laplace approximation under the prior."
    return "Standard errors are from the curvature of the likelihood."


def _no_errors(model: LogisticModel) -> str:
    if model.options.l1:
        return "under an L1 prior weights are held at 0"
    if any(isinstance(p, WordWeights) for p in model.parts):
        return "the model has words"
    if model.fit.weights > ERRORS:
        return f"there are more than {ERRORS:,} weights"
    if model.options.max_iter is not None and model.fit.iterations >= model.options.max_iter:
        return f"{counted(model.options.max_iter, 'step')} did not reach the optimum"
    return "the likelihood is too flat at these weights to find them"


def effect_words(model: LogisticModel) -> str:
    """Say what the effects are."""
    if not model.fit.spread:
        return ""
    own = clean(model.labels[1 - model.reference]) if model.links == 1 else "class"
    return f"Effect: by how much P({own}) changes for one unit more, on average over the rows."
