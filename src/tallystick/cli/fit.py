"""tally fit: learn from a file, show what was learned, save it."""

from __future__ import annotations

import hashlib
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import click

from tallystick.cli import options
from tallystick.cli.options import (
    as_flags,
    checks_as_flags,
    column_options,
    notes_as_flags,
    parameters,
    refuse_others,
    refuse_unnamed,
)
from tallystick.draw.svg import Line, Span, measured, percent, wrapped
from tallystick.errors import OptionError, TallyError, clean, nearest, page_limit, shown, warn
from tallystick.methods import CHOICES, NAMES, NUMBERS, of_kind, setting_value, variant

if TYPE_CHECKING:
    from tallystick.contracts import Source, Table
    from tallystick.estimator.base import Estimator
    from tallystick.estimator.classifier import Classifier
    from tallystick.judge.api import ChosenMethod
    from tallystick.judge.checks import Check
    from tallystick.linear.estimator import ParsedFormula
    from tallystick.linear.inference import Inference
    from tallystick.model.decision import AnswerDecision
    from tallystick.schema import Target


# Costs and thresholds: how they are typed, and `tally decide`, which keeps them with a model or removes them.

F = TypeVar("F", bound=Callable[..., Any])

CHEAPEST = "cheapest"
ARROWS = ("→", "->")

_COSTS = click.option(
    "--costs",
    multiple=True,
    metavar="'TRUTH→ANSWER: COST'",
    help="What an error costs, e.g. 'bad→good: 5' (or 'bad->good: 5'): a row that is bad and is answered "
    "good costs 5; may be repeated. Errors not named cost 1, right answers 0. The answer is then the one of "
    "least expected cost; no probability changes.",
)
_THRESHOLDS = {
    "fit": "Answer CLASS, one of two, where its probability is above this number, e.g. 'bad: 0.3'; without a "
    "name the rarer class is meant. With 'cheapest' the number is chosen by --costs on the cross-validated "
    "answers. It is kept with the model.",
    "compare": "Answer CLASS, one of two, where its probability is above this number, e.g. 'bad: 0.3'; "
    "without a name the rarer class is meant.",
    "predict": "Answer CLASS, one of two, where its probability is above this number, e.g. 'bad: 0.3', "
    "instead of what is kept with the model.",
    "decide": "Answer CLASS, one of two, where its probability is above this number, e.g. 'bad: 0.3'.",
}


def decisions(command: str) -> Callable[[F], F]:
    """Return the options --costs and --threshold of a command."""
    threshold = click.option("--threshold", metavar="'CLASS: NUMBER'", help=_THRESHOLDS[command])
    return lambda function: _COSTS(threshold(function))


@dataclass(frozen=True)
class WishedDecision:
    """What was typed: costs {class: {answer: cost}}, or a threshold of a class ("" where none is named)."""

    costs: dict[str, dict[str, float]] | None = None
    threshold: float | str | None = None
    of: str = ""

    @property
    def any(self) -> bool:
        """Whether anything was typed."""
        return self.costs is not None or self.threshold is not None

    @property
    def cheapest(self) -> bool:
        """Whether the threshold is to be chosen."""
        return self.threshold == CHEAPEST

    @property
    def judged(self) -> dict[str, Any]:
        """The arguments `cost` and `threshold` of judging."""
        if self.threshold is None:
            return {"cost": self.costs}
        return {"threshold": {self.of: self.threshold} if self.of else self.threshold}

    def decision(self, target: Target, rarer: str | None = None) -> AnswerDecision:
        """Return the decision that was typed, for a target. rarer: the class meant where none is named."""
        from tallystick.model.decision import decision_of

        if self.threshold is None:
            return decision_of(target, self.costs)
        if not self.of and rarer is None and len(target.labels) == 2:
            a, b = (shown(label)[1:-1] for label in target.labels)
            raise OptionError(
                f"--threshold {self.threshold} of which class? Write --threshold '{a}: {self.threshold}' or "
                f"'{b}: {self.threshold}'."
            )
        return decision_of(target, None, self.threshold, self.of or rarer)


def wished(given: dict[str, Any], chooses: bool = False) -> WishedDecision:
    """Return what was typed as --costs and --threshold. chooses: the command has answers to choose by."""
    costs, (of, threshold) = read_costs(given["costs"]), read_threshold(given["threshold"])
    if threshold == CHEAPEST:
        if not chooses:
            raise OptionError("--threshold cheapest chooses on cross-validated answers: it is for tally fit.")
        return WishedDecision(costs, threshold, of)
    if costs is not None and threshold is not None:
        raise OptionError(
            "--costs and --threshold both decide the answers. Give one of them, or --threshold cheapest."
        )
    return WishedDecision(costs, threshold, of)


def read_costs(texts: Sequence[str]) -> dict[str, dict[str, float]] | None:
    """Return {class: {answer: cost}} of texts such as 'bad→good: 5'; None of none."""
    out: dict[str, dict[str, float]] = {}
    for text in (part for given in texts for part in given.split(";") if part.strip()):
        pair, colon, number = text.rpartition(":")
        arrow = next((a for a in ARROWS if a in pair), "")
        truth, _, answer = pair.partition(arrow) if arrow else ("", "", "")
        try:
            cost = float(number)
        except ValueError:
            cost = float("nan")
        if not colon or not truth.strip() or not answer.strip() or not 0 <= cost < float("inf"):
            raise OptionError(
                f"--costs {shown(text.strip())} is not 'TRUTH→ANSWER: COST'. Write for example "
                "--costs 'bad→good: 5', or with -> for the arrow."
            )
        out.setdefault(truth.strip(), {})[answer.strip()] = cost
    return out or None


def read_threshold(text: str | None) -> tuple[str, float | str | None]:
    """Return class and number of 'bad: 0.3', '0.3', 'cheapest' or 'bad: cheapest'."""
    if text is None:
        return "", None
    of, _, number = text.rpartition(":")
    if number.strip() == CHEAPEST:
        return of.strip(), CHEAPEST
    try:
        return of.strip(), float(number)
    except ValueError:
        raise OptionError(
            f"--threshold {shown(text)} is not 'CLASS: NUMBER'. Write for example --threshold 'bad: 0.3'."
        ) from None


@dataclass(frozen=True)
class DecidedAnswers:
    """A decision, and what it makes of answers to rows that the models had not seen. result: judged by it;
    None: not judged. own: the same answers as the method gives them.
    """

    decision: AnswerDecision
    wish: WishedDecision
    result: Any = None
    own: Any = None

    @property
    def thresholds(self) -> Any:
        """What thresholds do, of two classes."""
        if self.result is None or self.result.scores.ranked is None:
            return None
        from tallystick.judge.groups import SHOWN

        own = self.decision.threshold
        at = sorted({*SHOWN, *([] if own is None else [own])})
        return self.result.scores.thresholds(self.wish.costs, self.decision.of or None, at)

    @property
    def spent(self) -> tuple[float, float] | None:
        """The mean cost of the answers as decided, and as the method gives them; None without costs."""
        if self.result is None or self.result.cost is None:
            return None
        import numpy as np

        largest = self.own.own_costs or 1.0 - np.eye(len(self.own.classes))  # costs that answer by it
        plain = replace(self.own, cost=self.result.cost, own_costs=largest)
        return self.result.measure("cost").value, plain.measure("cost").value

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        out = {**self.decision.to_dict(), "told": str(self.decision)}
        if (spent := self.spent) is not None:
            out |= {"cost": spent[0], "cost_by_largest": spent[1]}
        return out if self.thresholds is None else out | {"thresholds": self.thresholds.to_dict()}

    def lines(self) -> list[Line]:
        """Return what the decision is and does, for people."""
        out = wrapped(clean(str(self.decision)), options.cells(), "answers: ")
        if (spent := self.spent) is not None:
            saved = f", {1 - spent[0] / spent[1]:.0%} saved" if spent[1] > 0 else ""
            words = f"{spent[0]:.4f} a row, against {spent[1]:.4f} by the largest probability{saved}"
            out += wrapped(words, options.cells(), "cost: ")
        if self.thresholds is not None:
            out += [(), *((Span(line),) for line in str(self.thresholds).split("\n"))]
        return [*out, ()]


def decided(wish: WishedDecision, target: Target, rarer: str | None, own: Any) -> DecidedAnswers:
    """Return the decision, chosen on answers of folds where it has to be, and what it makes of them. own: a
    cross-validation, or None.
    """
    from tallystick.judge.run import cost_matrix
    from tallystick.model.decision import decision_of

    if wish.cheapest:
        if own is None:
            raise OptionError(
                "--threshold cheapest is chosen on cross-validated answers, and there are none."
            )
        found = own.scores.thresholds(wish.costs, wish.of or rarer)
        decision = decision_of(target, None, found.best.threshold, found.of)
    else:
        decision = wish.decision(target, rarer)
    if own is None or tuple(own.classes) != target.labels:
        return DecidedAnswers(decision, wish)
    prices = cost_matrix(wish.costs, target, target.labels)
    return DecidedAnswers(decision, wish, replace(own, cost=prices, own_costs=decision.table), own)


@click.command()
@click.argument("model", metavar="MODEL", type=click.Path())
@decisions("decide")
@click.option("--clear", is_flag=True, help="Answer by the largest probability again.")
@click.option("--output", "-o", type=click.Path(), help="Where to save the model with its new decision.")
@options.common
def decide(model: str, clear: bool, output: str | None, as_json: bool, **given: Any) -> None:
    """Show how MODEL turns probabilities into answers; with --costs, --threshold or --clear save a copy that
    answers so.

    Probabilities stay as they are. Whatever reads the model file answers by it: predict, serve, exports.
    """
    import tallystick as ts

    wish = wished(given)
    if wish.any and clear:
        raise OptionError("--clear removes a decision; leave out --costs and --threshold.")
    if (wish.any or clear) != (output is not None):
        raise OptionError(
            "a new decision is saved with the model: give --costs, --threshold or --clear, and -o FILE."
        )
    options.keep_apart([model], {"-o": output})
    estimator = classifier(ts.load(model), model)
    if output is not None:
        estimator = estimator.clear_decision() if clear else set_wished(estimator, wish)
        estimator.save(output)
    found = estimator.decision_
    if as_json:
        kept = None if found is None else found.to_dict() | {"told": str(found)}
        options.show_json({"decision": kept, "saved": output})
        return
    own = (
        "the largest probability"
        if not estimator._own_costs(estimator.schema_.predicted)
        else "its own costs"
    )
    words = f"the class of {own}" if found is None else str(found)
    options.show(wrapped(clean(words), options.cells(), "answers: "))
    if output is not None:
        options.show([(Span("saved ", "good"), Span(clean(output)))])


def set_wished(estimator: Classifier, wish: WishedDecision) -> Classifier:
    """Have a model answer as was typed; a threshold without a name is of the class of the one before."""
    before = estimator.decision_
    estimator._decide_by(
        wish.decision(estimator.schema_.predicted, None if before is None else before.of or None)
    )
    return estimator


def classifier(estimator: Any, name: str) -> Classifier:
    """Return a loaded model that answers classes; refuse any other."""
    if not estimator._predicts or estimator._regression:
        raise OptionError(
            f"{shown(name)} is a {estimator.model_.kind}, which answers no classes to decide on."
        )
    return cast("Classifier", estimator)


# The statistician's part of tally fit: a model by its formula, and what its training rows let one conclude.


statistics = options.together(
    click.option(
        "--formula",
        metavar="TEXT",
        help="Target, columns and products in one line, 'party ~ crime + age * region', for a logistic or a "
        "linear regression; other columns are not read.",
    ),
    click.option(
        "--inference",
        is_flag=True,
        help="Logistic: print standard errors, intervals and tests of whole columns, from the training rows.",
    ),
    click.option(
        "--errors",
        type=click.Choice(["curvature", "HC0", "HC1"]),
        help="With --inference: where standard errors come from; HC0 and HC1 are robust.",
    ),
    click.option(
        "--clusters", metavar="COLUMN", help="With --inference: standard errors of rows that go together."
    ),
)


def formula_of(given: dict[str, Any], target: str | None, method: str) -> tuple[str, ParsedFormula | None]:
    """Return the target, and the formula that was typed, if any, checked against the other options."""
    from tallystick.linear.estimator import parse

    text = given.get("formula")
    if text is None:
        if target is None:
            raise OptionError("no --target is given: the column to be predicted. Or write a --formula.")
        return target, None
    from tallystick.cli.main import NoPandas

    # the parser of formulas does not load without pandas
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, NoPandas)]
    found = parse(text)
    if target not in (None, found.target):
        own = shown(found.target)
        raise OptionError(f"--target is {shown(target)}, and the formula predicts {own}. Leave out --target.")
    known = {name: variant(name) for name in (*CHOICES, *NUMBERS)}
    able = [
        name
        for name, one in known.items()
        if one.plain and "interactions" in one.method.load("estimator")().get_params()
    ]
    if method.partition(":")[0] not in able:
        use = " or ".join(f"--model {name}" for name in able)
        raise OptionError(f"--formula is for one method. Name it: {use}.")
    return found.target, found


def concluded(estimator: Any, rows: Source, whole: Source, given: dict[str, Any]) -> Inference | None:
    """Return what the rows of the fit let one conclude; None where nobody asked. whole: with all columns."""
    if not given["inference"]:
        for name in ("errors", "clusters"):
            if given[name] is not None:
                raise OptionError(f"--{name} says how --inference is made. Add --inference.")
        return None
    if not hasattr(estimator, "inference"):
        raise OptionError("--inference is for --model logistic. A linear regression prints its table anyway.")
    groups: Any = None
    if (name := given["clusters"]) is not None:
        import pyarrow as pa

        if name not in whole.columns:
            raise OptionError(
                f"--clusters names {shown(name)}, which is not a column of {whole.name}."
                f"{nearest(name, whole.columns)}"
            )
        groups = pa.chunked_array([batch.column(name) for batch in whole.batches()])
    found: Inference = estimator.inference(rows, errors=given["errors"] or "curvature", groups=groups)
    return found


MODELS = tuple(sorted(NAMES))
SHOWN = 40  # lines of a model on the page
TOTAL = "total-left-out"  # the code of its note


@click.command()
@click.argument("data", metavar="FILE", type=click.Path())
@click.option("--target", "-t", help="The column to be predicted; a --formula names it itself.")
@options.model
@click.option(
    "--output",
    "-o",
    type=click.Path(allow_dash=True),
    help="Where to save the model, e.g. votes.tally.json; - is standard output. Without it nothing is saved.",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a parameter of the method, e.g. alpha=0.5.",
)
@click.option(
    "--folds",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    help="Folds of the cross-validated score; 0: no score.",
)
@options.measure
@click.option("--regression", is_flag=True, help="The target is a number: methods for numbers.")
@click.option(
    "--no-profile",
    is_flag=True,
    help="Save nothing of how the training rows looked; then nobody can ask what changed since.",
)
@statistics
@decisions("fit")
@column_options
@options.picture
@options.columns
@options.reading
@options.common
def fit(
    data: str, target: str | None, method: str, output: str | None, folds: int, as_json: bool, **given: Any
) -> None:
    """Learn to predict a column of FILE from the others, and save the model as one readable file.

    Prints the model, its cross-validated score, and the next command to type.
    """
    options.keep_apart([data], {"-o": output, "--picture": given["picture"]})
    wish = wished(given, chooses=True)
    done = learned(data, target, method, folds, given)
    inferred = concluded(done.estimator, done.source, done.whole, given)
    profile = not given["no_profile"]
    result, reason = judged(done, folds, given["measure"])
    decision: DecidedAnswers | None = None
    if wish.any:  # kept with the model; chosen on answers to rows that models had not seen where it has to be
        from tallystick.judge.run import rarer_class

        target_ = classifier(done.estimator, "the model").schema_.predicted
        rarer = rarer_class(done.table) if len(target_.labels) == 2 else None
        decision = decided(wish, target_, rarer, result)
        done.estimator._decide_by(decision.decision)
    score, checks = scored(done, result if decision is None else decision.result, reason), doubts(done)
    content = Content.of(done.estimator, profile)
    if output == "-":
        sys.stdout.flush()
        sys.stdout.buffer.writelines(done.estimator._pieces(profile))
    elif output is not None:
        done.estimator.save(output, profile=profile)
    drawn: Any = done.estimator  # each method draws in its own way, or says that it does not
    options.save_picture(given["picture"], lambda: drawn.picture())
    if as_json:
        out = {"checks": [c.to_dict() for c in checks], "saved": output, "score": score, "why": done.why}
        out |= {} if decision is None else {"decision": decision.to_dict()}
        out |= {} if inferred is None else {"inference": inferred.to_dict()}
        options.show_json(summary(done.estimator, content) | out, sys.stderr if output == "-" else None)
        return
    page = sys.stderr if output == "-" else sys.stdout
    options.show(model_lines(done), page)
    options.show([] if inferred is None else [*inferred.lines(options.cells()), ()], page)
    options.show(score_lines(score, done.table.rows), page)
    options.show([] if decision is None else [(), *decision.lines()], page)
    for check in checks_as_flags(checks):
        words = clean(f"{check.text} {check.advice}")
        options.show(wrapped(words, options.cells(), f"check {check.code}: ", "note"), page)
    options.show(in_words(done.estimator, content, output), page)
    notes = (*done.estimator.source_notes_, *done.estimator.notes_)
    for note in notes_as_flags(n for n in notes if n.code == TOTAL):  # the page counts the other rows
        options.show(wrapped(clean(note.text), options.cells(), "note: ", "note"), page)
    options.show_notes(n for n in notes if n.code != TOTAL)
    if output not in (None, "-"):
        words = f"tally predict {shlex.quote(clean(output))} NEW.csv -o predictions.csv"
        options.show([(Span("next: "), Span(words, "strong"))], page)


@dataclass(frozen=True)
class Fitted:
    """An estimator with the table it was fitted to, and why it was taken."""

    estimator: Classifier
    table: Table
    choice: ChosenMethod | None = None
    source: Any = None  # the rows, as they can be read again
    whole: Any = None  # the same with all columns of the file

    @property
    def why(self) -> str:
        """Why this method, if it was chosen."""
        return "" if self.choice is None else self.choice.why


def learned(data: str, target: str | None, method: str, folds: int, given: dict[str, Any]) -> Fitted:
    """Return an estimator fitted to a file, with the options of the command line.

    folds: of the comparison that finds the best method, which needs some even where no score is wanted.
    """
    predicted, formula = formula_of(given, target, method)
    whole, choice = options.source(data, given), None
    source: Any = whole
    if formula is not None:
        from tallystick.io.source import ChosenColumns

        source = ChosenColumns(whole, list(formula.names))
    method = numeric_target(predicted, method, given)
    estimator: Any
    if method == options.BEST:
        choice = chosen(source, predicted, folds or 10, given)
        estimator = choice.estimator(options.column_parameters(given))
    else:
        wished = parameters(given)
        asked = variant(method)
        refuse_others(asked.method.name, wished)
        estimator = asked.make(options.column_parameters(given))
        said = {} if formula is None else formula.settings
        estimator.set_params(**settings(given.get("settings", ())), **wished, **said)
    with options.progress("fitting") as progress:
        options.show_progress(estimator, progress)
        table = estimator._read(source, predicted)
        estimator._fit_table(table)
        estimator._keep_profile(table)
    estimator.set_params(engine__progress=None)
    return Fitted(estimator, table, choice, source, whole)


def numeric_target(target: str, method: str, given: dict[str, Any]) -> str:
    """Return the method, one for numbers where the target is to be a number: by --regression, by
    --kind TARGET=numeric (which says nothing of a column), or by the method's name.
    """
    if not options.says_number(target, given):
        return method
    given["regression"] = True
    name, colon, settings = method.partition(":")
    if name == "tree":
        return f"regression{colon}{settings}"
    if name != options.BEST and not variant(method).method.regression:
        use = " or ".join(f"--model {known}" for known in NUMBERS)
        raise OptionError(f"--model {name} answers classes, and the target is a number. Use {use}.")
    return method


def chosen(source: Any, target: str, folds: int, given: dict[str, Any]) -> ChosenMethod:
    """Return the method that the rows are for; wishes about one method need its name."""
    from tallystick.judge.api import choose

    refuse_unnamed(parameters(given))
    if given.get("settings"):
        raise OptionError(f"--set is for one method. Name it: --model {' or '.join(MODELS)}.")
    with options.progress("comparing") as progress:
        how = {"folds": folds, "regression": given["regression"], "measure": given["measure"]}
        how["progress"] = progress
        return choose(source, target, **how, **options.column_parameters(given))


def judged(done: Fitted, folds: int, measure: str) -> tuple[Any, str]:
    """Return the cross-validation, None when it was not asked for; and where the table has too few rows to be
    cut into folds, the reason. A method that was chosen has been judged then.
    """
    if folds == 0:
        return None, ""
    if done.choice is not None and done.choice.entry is not None:
        return done.choice.entry.result, ""
    import tallystick as ts
    from tallystick.judge.api import long_work
    from tallystick.judge.compare import Candidate

    fresh = type(done.estimator)(**done.estimator.get_params(deep=False))
    one = Candidate("", of_kind(fresh._kind).name, (("", fresh),))
    if line := long_work(done.table, [one], [folds]):
        warn(f"{line.partition(': ')[0]}: --folds 0 leaves out the cross-validation.")
    try:
        with options.progress("cross-validating") as progress:
            found = ts.cross_validate(fresh, done.table, folds=folds, progress=progress)
    except TallyError as error:
        return None, as_flags(error.message)
    return (replace(found, decides=measure) if done.table.classes is not None else found), ""


def scored(done: Fitted, result: Any, reason: str) -> dict[str, Any] | None:
    """Return cross-validated scores with their intervals; None when they were not asked for.
    Where there are none, the reason is all there is.
    """
    if result is None:
        return {"reason": reason} if reason else None
    entry = None if done.choice is None else done.choice.entry
    calibrates = done.estimator.get_params(deep=False).get("calibrate") is False
    rows = done.table.rows if entry is None or done.choice is None else done.choice.rows
    out = scores_as_data(result, rows, calibrates)
    if done.estimator.model_.decision is not None:
        out["verdict"] = ""  # it is of answers by the largest probability
    return out


def scores_as_data(found: Any, rows: int, calibrates: bool = False) -> dict[str, Any]:
    """Return the scores of a cross-validation as plain data. rows: how many were dealt into folds;
    calibrates: whether the method would calibrate its probabilities, if asked.
    """
    from tallystick.judge.result import rare_class

    numbers = "r2" in found.shown
    known = [m.name for m in found.scores.measures] if not numbers else []
    names = found.shown if numbers else [name for name in ("accuracy", "auc", "log-loss") if name in known]
    measures = {name: found.measure(name).to_dict() for name in names}
    folds = len(found.repeats[0].sizes(found.weights))
    out = {"folds": folds, "measures": measures, "rows": rows, "verdict": ""}
    if numbers:
        return out
    ranked = {} if rare_class(found) is None else {"ranking": top_tenth(found)}
    return out | ranked | {"most_frequent": found.most_frequent, "verdict": verdict(found, calibrates)}


def top_tenth(found: Any) -> str:
    """Return how much of the rarer of two classes the tenth of the rows holds that is most probably of it."""
    lift = found.scores.curves["top_tenth"]["lift"]
    return (
        f"the 10 % of the rows with the highest probability of {shown(found.scores.positive)} hold "
        f"{percent(0.1 * lift, 0)} of those that are {shown(found.scores.positive)}"
    )


def verdict(found: Any, calibrates: bool = False) -> str:
    """Return in plain words that a model is not better than its baseline; nothing where it clearly is. By the
    log-loss, over the same folds, or by the measure that was asked for.
    """
    name = found.decides
    mine, right = found.measure(name), found.measure("accuracy")
    always = f"always answering {shown(found.most_frequent)}"
    base = {
        "log-loss": "always predicting the class frequencies",
        "accuracy": always,
        "auc": "ranking at random",
    }[name]
    far = f"{name} {mine.value:.4f}, against {mine.base:.4f}"
    if not found.beats_base_by(name):
        worse = mine.value > mine.base if name == "log-loss" else mine.value < mine.base
        clearly = found.beats_base_by("accuracy")
        if name == "log-loss" and (clearly or (worse and right.value > right.base)):
            cure = "To use them, fit with --set calibrate=true." if calibrates else "Use its answers only."
            how = "worse" if worse else "not clearly better"
            return (
                f"It is right {'clearly ' if clearly else ''}more often than {always}, but its probabilities "
                f"are {how} than {base}: {far} (lower is better). {cure}"
            )
        if worse:
            return f"The model is worse than {base}: {far}. These columns say little about the target."
        return f"The model is not clearly better than {base}: {far}."
    if name == "log-loss" and right.value <= right.base:
        return (
            "Its probabilities are better than the class frequencies; its answers, by the largest "
            f"probability, are right no more often than {always}. Set --threshold or --costs, or take rows "
            "by predict --top."
        )
    return ""


def doubts(done: Fitted) -> list[Check]:
    """Return what makes the score hard to believe: columns that alone tell the target."""
    from tallystick.judge.checks import check_columns

    return list(check_columns(done.table)) if done.table.classes is not None else []


def settings(texts: tuple[str, ...]) -> dict[str, Any]:
    """Return NAME=VALUE settings; a value is JSON if it reads as JSON, else text."""
    out: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise OptionError(f"--set {shown(text)} is not NAME=VALUE. Write for example --set alpha=0.5.")
        out[name] = setting_value(value)
    return out


class Content(NamedTuple):
    """What is told of a model file: how many bytes it has, and their sha256."""

    size: int
    sha256: str

    @classmethod
    def of(cls, estimator: Estimator, profile: bool = True) -> Content:
        """Return that of a fitted model, bit by bit: a tree of many nodes is a long file."""
        size, digest = 0, hashlib.sha256()
        for part in estimator._pieces(profile):
            size += len(part)
            digest.update(part)
        return cls(size, digest.hexdigest())


def summary(estimator: Estimator, content: Content) -> dict[str, Any]:
    """Return what a fitted model is, as plain data."""
    target = estimator.schema_.target
    return {
        "kind": estimator.model_.kind,
        **({} if target is None else {"target": target.name, "classes": list(target.labels)}),
        "columns": [c.name for c in estimator.schema_.used],
        "rows": estimator.rows_["count"] / estimator.rows_["unit"],
        "notes": [n.to_dict() for n in estimator.notes_],
        "bytes": content.size,
        "sha256": content.sha256,
    }


def model_lines(done: Fitted) -> list[Line]:
    """Return the model as it prints, the first SHOWN lines, and why it was taken."""
    lines = [clean(line) for line in done.estimator._as_text().split("\n")]
    out: list[Line] = wrapped(clean(done.why), options.cells()) if done.why else []
    most = page_limit(SHOWN)
    out += [(Span(part),) for line in lines[:most] for part in options.broken(line)]
    if len(lines) > most:
        out.append((Span(f"... and {len(lines) - most:,} more lines (--all)", "dim"),))
    return [*out, ()]


def score_lines(score: dict[str, Any] | None, rows: int) -> list[Line]:
    """Return the scores with their intervals, a line each. rows: of the table; a part may be judged."""
    if score is None:
        return []
    if "reason" in score:
        return wrapped(clean(f"Not cross-validated: {score['reason']}"), options.cells())
    part = f" of {score['rows']:,} rows" if score["rows"] < rows else ""
    how = "each row left out in turn" if score["folds"] == score["rows"] else f"{score['folds']} folds"
    head = f"cross-validated ({how}{part})"
    bases = {  # what a score must beat
        "accuracy": f"always answering {clean(score.get('most_frequent', ''))}",
        "log-loss": "always predicting the class frequencies",
        "mse": "always answering the mean",
        "r2": "always answering the mean",
        "auc": "ranking at random",
    }
    lines: list[Line] = [(Span(head, "strong"),)]
    for name, found in score["measures"].items():
        base = f"; {bases[name]}: {found['base']:.4f}" if found["base"] is not None else ""
        number, ends = measured(found["value"], found["low"], found["high"], ".4f")
        value = f"  {'AUC' if name == 'auc' else name:<9} {number} "
        interval = f"(95 % interval {ends}{base})"
        first, *more = wrapped(interval, options.cells(), value, "dim")
        lines += [(Span(value), *first[1:]), *more]
    if "ranking" in score:
        lines += wrapped(clean(score["ranking"]), options.cells(), "  ranking   ")
    return lines + (wrapped(clean(score["verdict"]), options.cells(), "", "bad") if score["verdict"] else [])


def in_words(estimator: Estimator, content: Content, output: str | None) -> list[Line]:
    """Return where the model lies, in a line."""
    if output is None:
        return [(Span("The model is not saved. Add -o FILE.tally.json to keep it."),)]
    found = summary(estimator, content)
    place = "standard output" if output == "-" else clean(output)
    words = f"{place}: {found['kind']}, {found['bytes']:,} bytes, sha256 {found['sha256'][:16]}..."
    return [(Span("saved ", "good"), Span(words))]
