"""Worked solutions of logistic regression: likelihood and gradient row by row, the steps, and a row's score.

1. The gradient as a person sums it: `gradients()`, `design()`.
2. Entry: `logistic_parts()`: the formula, the start, the steps and why they ended, and one row term by term.

pull = the prior's part of a gradient; term = a weight times its column.
Laws: at the model's own weights every gradient is 0 but for rounding; the weights of the last step are the
model's; a row's terms add up to its score.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import OptionError
from tallystick.linear.file import Coefficient, coefficients
from tallystick.linear.model import Cells, LogisticModel, Product, Slope, WordWeights, product_values
from tallystick.linear.prepare import MATRIX
from tallystick.linear.summary import explain, shown_links
from tallystick.teach.document import (
    Formula,
    Headline,
    Line,
    Listing,
    Over,
    Part,
    Piece,
    Raised,
    Sentence,
    Value,
    joined,
    line,
    opening,
    said,
    summed,
)

if TYPE_CHECKING:
    from tallystick.contracts import Block, Table
    from tallystick.linear.estimator import LogisticRegression
    from tallystick.linear.solvers import SolverStep


Array = NDArray[np.float64]


@dataclass(frozen=True)
class Gradient:
    """One weight's part of the gradient. likelihood: Σ x·(y − P) over the rows; pull: of the prior."""

    name: str
    link: int
    weight: float
    likelihood: float
    pull: float
    log_likelihood: float


def gradients(model: LogisticModel, table: Table, weights: tuple[tuple[float, ...], ...]) -> list[Gradient]:
    """Return the gradient of every free weight, in the user's units. weights[coefficient][link]."""
    block = table.local().slice(0, table.rows)
    assert block.classes is not None
    columns, scales = design(model, block)
    w = np.array(weights)
    scores = columns @ w
    if model.links == 1:
        scores = np.hstack([np.zeros((len(scores), 1)), scores])
    away = scores - scores.max(axis=1, keepdims=True)
    shares = np.exp(away) / np.exp(away).sum(axis=1, keepdims=True)
    total = float(np.log(shares[np.arange(len(shares)), block.classes]).sum())
    truth = block.classes[:, None] == np.arange(shares.shape[1])[None, :]
    rest = truth - shares
    first = 1 if model.links == 1 else 0
    out = []
    for link in range(model.links):
        for k, c in enumerate(coefficients(model)):
            if c.free:
                steep = float(columns[:, k] @ rest[:, link + first])
                pull = model.fit.l2 * scales[k] ** 2 * w[k, link] if c.column else 0.0
                out.append(Gradient(c.name, link, float(w[k, link]), steep, float(pull), total))
    return out


def design(model: LogisticModel, block: Block) -> tuple[Array, Array]:
    """Return columns[row, coefficient], and by what each is divided where the prior is on standardised
    numbers.
    """
    columns, scales = [np.ones(block.rows)], [1.0]
    for part in model.parts:
        if isinstance(part, Cells):
            size = len(model.schema[part.name].levels)
            codes = np.minimum(block.codes(part.name), size)
            columns += [(codes == k).astype(float) for k in range(size + 1)]
            scales += [1.0] * (size + 1)
            continue
        assert isinstance(part, Slope | Product)
        values = product_values(part.factors, block) if isinstance(part, Product) else block.values(part.name)
        gone = np.isnan(values)
        columns.append(np.where(gone, part.centre, values))
        scales.append(part.scale if model.options.standardize else 1.0)
        if isinstance(part, Slope) and part.missing is not None:
            columns.append(gone.astype(float))
            scales.append(1.0)
    return np.stack(columns, axis=1), np.array(scales)


# The page.

MOST_STEPS = 24  # lines of the trace
MOST_WEIGHTS = 6  # weights that it shows, one per column
WAYS = {  # how each solver finds its steps
    "gradient": "Plain gradient ascent: new weights = weights + η·gradient; η is the length of the step, "
    "{eta}",
    "conjugate-gradient": "Conjugate gradient: direction = gradient + β·last direction, and new weights = "
    "weights + length·direction. β = gradient·(gradient − last gradient) / (last gradient·last gradient), "
    "and 0 at first and where that is below 0 (Polak and Ribière); the length is the one at which the slope "
    "along the direction is nearly 0. Each entry of the gradient is first divided by the curvature that its "
    "own weight has at the start",
    "lbfgs": "L-BFGS: the direction is the gradient, turned and stretched by the curvature that the last "
    "steps have shown, which is the change of the gradient over the change of the weights. The length is 1, "
    "or less where that does not lead up",
    "newton": "Each step goes where the curvature says that the top is (Newton), or part of the way",
    "firth": "Each step goes where the curvature says that the top of the likelihood with Firth's "
    "correction is, or part of the way",
    "lasso": "Each step goes where the curvature and the corners of the L1 prior say that the top is "
    "(proximal Newton), or part of the way",
    "orthant": "L-BFGS among weights that keep their signs (OWL-QN), for the L1 prior has a corner at 0",
}
STEEP = "the gradient is at most {tolerance} per row in every direction"
ENDS = dict.fromkeys(WAYS, STEEP) | {
    "newton": f"{STEEP}, and the next step would change no standardised weight by more than 1e-8",
    "firth": f"{STEEP}, and the next step would change no standardised weight by more than 1e-8",
}


def logistic_parts(
    estimator: LogisticRegression, table: Table, title: str, row: tuple[Any, int] | None, whole: bool
) -> list[Part]:
    """Return the working of a fitted logistic regression."""
    model = estimator.model_
    if any(isinstance(part, WordWeights) for part in model.parts):
        raise OptionError(
            "a working has a line for each weight, and a text has one for each word. Leave it out."
        )
    if estimator.class_weight is not None:
        raise OptionError("a working counts every row once, and class_weight= is given. Leave it out.")
    task = (
        "Write down the model, work out the likelihood and the gradient at the start, take some steps, and "
        "answer the row.",
    )
    steps = traced(estimator, table)
    parts = opening(title, table, task, (*estimator.source_notes_, *estimator.notes_))
    parts += [*_model(model), *_start(model, table, steps[0]), *_steps(estimator, model, steps)]
    return parts + _row(estimator, table, row)


def traced(estimator: LogisticRegression, table: Table) -> tuple[SolverStep, ...]:
    """Return every step of the fit, some with their weights."""
    if not estimator.trace:
        again = type(estimator)(**estimator.get_params(deep=False) | {"trace": True})
        return again._fit_table(table).trace_
    return estimator.trace_


def _free(model: LogisticModel) -> list[tuple[int, Coefficient]]:
    return [(k, c) for k, c in enumerate(coefficients(model)) if c.free]


def _model(model: LogisticModel) -> list[Part]:
    """Return the formula, with letters and with numbers."""
    parts: list[Part] = [Headline(("The model",))]
    for link in shown_links(model):
        parts.append(Formula(_odds(model, link), (_sum(model, link),), "answer"))
    if model.links == 1:
        parts.append(Formula(line("P(", said(model.labels[1]), ")"), (sigmoid(("−score",)),)))
    else:
        words = "The probability of a class is e to its score, over the sum of that of all classes."
        parts.append(Sentence((words,)))
        for link in set(range(model.links)) - set(shown_links(model)):
            parts.append(_reference(model, link))
    if any(isinstance(part, Cells) for part in model.parts):
        parts.append(Sentence(("A level in brackets is 1 where the row has it, else 0.",)))
    prior = model.fit.l2
    words = f"A Gaussian prior of strength {prior:.6g} holds the weights towards 0, the constant aside."
    return [*parts, Sentence((words if prior else "There is no prior: the likelihood alone decides.",))]


def _reference(model: LogisticModel, link: int) -> Sentence:
    """Say of the class that the others are compared with why it has no weights."""
    words = " is 0, as the others are compared with it: e to it is the 1 of the denominator."
    return Sentence(line("The score of ", said(model.labels[link]), words))


def _odds(model: LogisticModel, link: int) -> Line:
    if model.links == 1:
        return line("score = ln P(", said(model.labels[1]), ")/P(", said(model.labels[0]), ")")
    return line("score of ", said(model.labels[link]))


def sigmoid(contrary: Line) -> Line:
    """Return 1 / (1 + e^−score); contrary: the score with its sign turned."""
    return (Over(("1",), line("1 + e", Raised(contrary))),)


def _sum(model: LogisticModel, link: int) -> Line:
    """Return the constant and every weight with its column."""
    out: list[Piece | Line] = []
    for _, c in _free(model):
        w = float(c.weights[link])
        if not c.column:
            out.append(Value(w, 4))
            continue
        name = line("[", said(c.name), "]") if c.level else (said(c.name),)
        out += [" − " if w < 0 else " + ", Value(abs(w), 4), "·", name]
    return line(*out)


def _start(model: LogisticModel, table: Table, first: SolverStep) -> list[Part]:
    """Return the likelihood and the gradient where the steps begin."""
    found = gradients(model, table, first.weights)
    parts: list[Part] = [Headline(("The start",)), _begins(model, first)]
    parts.append(
        Formula(("ln likelihood",), (("Σ ln P(class of the row)",), (Value(found[0].log_likelihood),)))
    )
    head: tuple[Line, ...] = (
        ("weight",),
        ("at the start",),
        ("Σ x·(y − P)",),
        ("pull of the prior",),
        ("gradient",),
    )
    if model.links > 1:
        head = (("class",), *head)
    rows = []
    for g in found:
        if model.links > 1 and g.link not in shown_links(model):
            continue
        cells: tuple[Line, ...] = (
            (said(g.name),),
            (Value(g.weight),),
            (Value(_clear(g.likelihood)),),
            (Value(g.pull),),
            (Value(_clear(g.likelihood - g.pull)),),
        )
        rows.append(((said(model.labels[g.link]),), *cells) if model.links > 1 else cells)
    first_number = 2 if model.links > 1 else 1
    every = frozenset(range(first_number, len(head)))
    of = "1 for rows of the class" if model.links > 1 else f"1 for rows of {model.labels[1]}"
    words = line(
        "The gradient of a weight is Σ x·(y − P) over the rows, less the pull of the prior; y is ", said(of)
    )
    return [
        *parts,
        Sentence(line(words, " and 0 for the others, x is 1 for the constant.")),
        Listing(head, tuple(rows), every - {first_number}, every),
    ]


def _clear(x: float) -> float:
    """Return a sum without what rounding left of 0."""
    return x if abs(x) > 1e-12 else 0.0


def _begins(model: LogisticModel, first: SolverStep) -> Sentence:
    begins = all(not any(w) for w in first.weights[1:])
    if begins:
        return Sentence(
            ("The steps begin with weights of 0 and a constant that gives the shares of the classes.",)
        )
    return Sentence(
        ("The steps begin near the optimum, where looking for the strength of the prior had ended.",)
    )


def thinned(steps: tuple[SolverStep, ...], most: int = MOST_STEPS) -> list[SolverStep]:
    """Return the steps with weights that are shown: the first, fewer and fewer after them, and the last."""
    kept = [s for s in steps if s.weights]
    if len(kept) <= most:
        return kept
    first, rest = kept[: most // 2], kept[most // 2 : -1]
    each = len(rest) / (most - most // 2 - 1)
    return [*first, *(rest[int(k * each)] for k in range(most - most // 2 - 1)), kept[-1]]


def _steps(estimator: LogisticRegression, model: LogisticModel, steps: tuple[SolverStep, ...]) -> list[Part]:
    """Return the steps with their weights, and why they ended."""
    shown, free = thinned(steps), _free(model)[:MOST_WEIGHTS]
    link = 0 if model.links == 1 else shown_links(model)[0]
    head: list[Line] = [("step",), ("ln likelihood less prior",), ("largest gradient",), ("length",)]
    solver = _solver(estimator, model)
    conjugate = solver == "conjugate-gradient"
    head += [*([("β",)] if conjugate else []), *((said(c.name),) for _, c in free)]
    rows = []
    for s in shown:
        cells: list[Line] = [
            (f"{s.iteration:,}",),
            (Value(-s.value),),
            (Value(s.gradient),),
            (Value(s.step),),
            *([(Value(s.beta),)] if conjugate else []),
        ]
        rows.append((*cells, *((Value(s.weights[k][link]),) for k, _ in free)))
    every = frozenset(range(len(head)))
    parts: list[Part] = [Headline(("The steps",)), _way(estimator, solver)]
    if model.links > 1:
        parts.append(Sentence(line("The weights of ", said(model.labels[link]), " are shown.")))
    parts.append(Listing(tuple(head), tuple(rows), every - {0}, every, role="answer"))
    if len(shown) < len(steps):
        parts.append(Sentence((f"{len(shown)} of {len(steps):,} steps are shown.",), "answer"))
    return [*parts, _ended(estimator, model, solver, steps[-1])]


def _solver(estimator: LogisticRegression, model: LogisticModel) -> str:
    """Return the name of the solver that took the steps."""
    if estimator.firth:
        return "firth"
    few = model.links * len(coefficients(model)) <= MATRIX
    name = ("newton" if few else "lbfgs") if estimator.solver == "auto" else estimator.solver
    if estimator.l1:
        return "lasso" if name == "newton" else "orthant"
    return name


def _way(estimator: LogisticRegression, solver: str) -> Sentence:
    eta = "the given eta" if estimator.eta is not None else "1 over the most curvature there can be"
    tail = (
        "The steps are taken in standardised columns, (x − mean)/deviation; weights are shown in your units."
    )
    return Sentence((f"{WAYS[solver].format(eta=eta)}. {tail}",))


def _ended(estimator: LogisticRegression, model: LogisticModel, solver: str, last: SolverStep) -> Sentence:
    """Say why the steps ended."""
    words = f"After {last.iteration:,} steps the largest entry of the gradient is "
    if any(note.code == "not-converged" for note in estimator.notes_):
        return Sentence(line(words, Value(last.gradient), ": the budget of steps is spent."), "answer")
    own = estimator.tolerance if solver == "gradient" else None
    long = solver in ("lbfgs", "orthant") and model.links * len(coefficients(model)) > MATRIX
    exact = 1e-8 if long or solver in ("newton", "firth", "orthant") else 1e-10
    why = ENDS[solver].format(tolerance=f"{exact if own is None else own:g}".replace("e-0", "e-"))
    return Sentence(line(words, Value(last.gradient), f": {why}, or rounding leaves no more."), "answer")


# -- one row --


def _row(estimator: LogisticRegression, table: Table, row: tuple[Any, int] | None) -> list[Part]:
    """Return a row's score term by term, and its probabilities: of the first, if none is given."""
    model = estimator.model_
    block, at = (table.local().slice(0, 1), 0) if row is None else estimator._find_row(*row)
    parts: list[Part] = [Headline(("The row" if row is not None else "The first row",))]
    explained = explain(model, block, at)
    parts.append(Sentence(line(*_values(explained))))
    shares = model.shares(block)[at].tolist()
    scores = []
    for link in range(model.links) if model.links > 1 else [0]:
        if link not in shown_links(model):
            scores.append(0.0)
            parts.append(Formula(line("score of ", said(model.labels[link])), (("0",),), "answer"))
            continue
        terms = _terms(model, block, at, link)
        score = math.fsum(value for _, value in terms)
        scores.append(score)
        name = line("score of ", said(model.labels[link])) if model.links > 1 else ("score",)
        written: list[Piece | Line] = [terms[0][0]]
        for words, _ in terms[1:]:
            written += [" + ", words]
        parts.append(Formula(name, (line(*written), summed([v for _, v in terms]), (Value(score),))))
    if model.links == 1:
        parts.append(
            Formula(
                line("P(", said(model.labels[1]), " | row)"),
                (sigmoid((Value(-scores[0]),)), (Value(shares[1]),)),
            )
        )
    else:
        each: list[Line] = [("e", Raised((Value(score),))) for score in scores]
        for link in set(range(model.links)) - set(shown_links(model)):
            each[link] = ("1",)
        below = joined(each, " + ")
        for label, above, share in zip(model.labels, each, shares, strict=True):
            steps = ((Over(above, below),), (Value(share),))
            parts.append(Formula(line("P(", said(label), " | row)"), steps))
    return [*parts, Sentence(line("Answer: ", said(explained.answer), "."), "answer")]


def _values(explained: Any) -> list[Piece | Line]:
    out: list[Piece | Line] = []
    for k, reason in enumerate(explained.reasons):
        out += [*([", "] if k else []), said(reason.column), " = ", said(reason.value)]
    return [*out, "."]


def _terms(model: LogisticModel, block: Block, at: int, link: int) -> list[tuple[Line, float]]:
    """Return the terms of a score: as written, and its value. Their sum is the model's score."""
    constant = float(model.constant[link])
    out: list[tuple[Line, float]] = [((Value(constant),), constant)]
    parts = model.additive.parts(block)[at]
    for k, part in enumerate(model.answering, 1):
        value = float(parts[k, link] if model.links > 1 else parts[k, 1] - parts[k, 0])
        written: Line = (Value(value),)
        if isinstance(part, Slope):
            x = float(block.values(part.name)[at])
            if not math.isnan(x):
                w = float(part.slope[link])
                written = line(Value(w) if w >= 0 else line("(", Value(w), ")"), "·", Value(x, 4, 6))
        elif value < 0:
            written = line("(", Value(value), ")")
        out.append((written, value))
    return out
