"""tally fit: learn from a file, show what was learned, save it."""

from __future__ import annotations

import hashlib
import shlex
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from tallystick.cli import options, screen
from tallystick.cli.deciding import DecidedAnswers, WishedDecision, classifier, decided, decisions, wished
from tallystick.cli.flags import as_flags, checks_as_flags, notes_as_flags
from tallystick.cli.inference import concluded, formula_of, inference_lines, named_columns, statistics
from tallystick.cli.wishes import parameters, refuse_others, refuse_unnamed, wishes
from tallystick.draw.text import Line, Span, clean, measured, percent, wrapped
from tallystick.errors import OptionError, TallyError, page_limit, shown, warn
from tallystick.methods import NAMES, NUMBERS, of_kind, setting_value, variant

if TYPE_CHECKING:
    from tallystick.contracts import Table
    from tallystick.data.schema import Note
    from tallystick.estimators import Classifier, Estimator
    from tallystick.estimators.choosing import ChosenMethod
    from tallystick.evaluate.checks import Check

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
@wishes
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
    decision = decide_by(done, wish, result) if wish.any else None
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
        screen.show_json(summary(done.estimator, content) | out, sys.stderr if output == "-" else None)
        return
    page = sys.stderr if output == "-" else sys.stdout
    screen.show(model_lines(done), page)
    screen.show(inference_lines(inferred, screen.cells()), page)
    screen.show(score_lines(score, done.table.rows), page)
    screen.show([] if decision is None else [(), *decision.lines()], page)
    screen.show(check_lines(checks), page)
    screen.show(in_words(done.estimator, content, output), page)
    notes = (*done.estimator.source_notes_, *done.estimator.notes_)
    screen.show(dropped_lines(notes), page)
    screen.show_notes(n for n in notes if n.code != TOTAL)
    screen.show(next_lines(output), page)


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
    source = whole if formula is None else named_columns(whole, formula)
    method = numeric_target(predicted, method, given)
    estimator: Any
    if method == options.BEST:
        choice = chosen(source, predicted, folds or 10, given)
        estimator = choice.estimator(options.wishes(given))
    else:
        wished = parameters(given)
        asked = variant(method)
        refuse_others(asked.method.name, wished)
        estimator = asked.make(options.wishes(given))
        said = {} if formula is None else formula.settings
        estimator.set_params(**settings(given.get("settings", ())), **wished, **said)
    with screen.progress("fitting") as progress:
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
    from tallystick.estimators.choosing import choose

    refuse_unnamed(parameters(given))
    if given.get("settings"):
        raise OptionError(f"--set is for one method. Name it: --model {' or '.join(MODELS)}.")
    with screen.progress("comparing") as progress:
        how = {"folds": folds, "regression": given["regression"], "measure": given["measure"]}
        how["progress"] = progress
        return choose(source, target, **how, **options.wishes(given))


def judged(done: Fitted, folds: int, measure: str) -> tuple[Any, str]:
    """Return the cross-validation, None when it was not asked for; and where the table has too few rows to be
    cut into folds, the reason. A method that was chosen has been judged then.
    """
    if folds == 0:
        return None, ""
    if done.choice is not None and done.choice.entry is not None:
        return done.choice.entry.result, ""
    import tallystick as ts
    from tallystick.estimators.judging import long_work
    from tallystick.evaluate.trials import Candidate

    fresh = type(done.estimator)(**done.estimator.get_params(deep=False))
    one = Candidate("", of_kind(fresh._kind).name, (("", fresh),))
    if line := long_work(done.table, [one], [folds]):
        warn(f"{line.partition(': ')[0]}: --folds 0 leaves out the cross-validation.")
    try:
        with screen.progress("cross-validating") as progress:
            found = ts.cross_validate(fresh, done.table, folds=folds, progress=progress)
    except TallyError as error:
        return None, as_flags(error.message)
    return (replace(found, decides=measure) if done.table.classes is not None else found), ""


def decide_by(done: Fitted, wish: WishedDecision, result: Any) -> DecidedAnswers:
    """Keep the decision that was typed with the model, chosen on answers to rows that models had not seen
    where it has to be, and say what it does.
    """
    from tallystick.evaluate.costs import rarer_class

    target = classifier(done.estimator, "the model").schema_.predicted
    rarer = rarer_class(done.table) if len(target.labels) == 2 else None
    found = decided(wish, target, rarer, result)
    done.estimator._decide_by(found.decision)
    return found


def scored(done: Fitted, result: Any, reason: str) -> dict[str, Any] | None:
    """Return cross-validated scores with their intervals; None when they were not asked for.
    Where there are none, the reason is all there is.
    """
    if result is None:
        return {"reason": reason} if reason else None
    entry = None if done.choice is None else done.choice.entry
    calibrates = done.estimator.get_params(deep=False).get("calibrate") is False
    out = told(
        result, done.table.rows if entry is None or done.choice is None else done.choice.rows, calibrates
    )
    if done.estimator.model_.decision is not None:
        out["verdict"] = ""  # it is of answers by the largest probability
    return out


def told(found: Any, rows: int, calibrates: bool = False) -> dict[str, Any]:
    """Return the scores of a cross-validation as plain data. rows: how many were dealt into folds;
    calibrates: whether the method would calibrate its probabilities, if asked.
    """
    from tallystick.evaluate.result import rare_class

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
    from tallystick.evaluate.checks import check_columns

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
    out: list[Line] = wrapped(clean(done.why), screen.cells()) if done.why else []
    most = page_limit(SHOWN)
    out += [(Span(part),) for line in lines[:most] for part in screen.broken(line)]
    if len(lines) > most:
        out.append((Span(f"... and {len(lines) - most:,} more lines (--all)", "dim"),))
    return [*out, ()]


def score_lines(score: dict[str, Any] | None, rows: int) -> list[Line]:
    """Return the scores with their intervals, a line each. rows: of the table; a part may be judged."""
    if score is None:
        return []
    if "reason" in score:
        return wrapped(clean(f"Not cross-validated: {score['reason']}"), screen.cells())
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
        first, *more = wrapped(interval, screen.cells(), value, "dim")
        lines += [(Span(value), *first[1:]), *more]
    if "ranking" in score:
        lines += wrapped(clean(score["ranking"]), screen.cells(), "  ranking   ")
    return lines + (wrapped(clean(score["verdict"]), screen.cells(), "", "bad") if score["verdict"] else [])


def check_lines(checks: list[Check]) -> list[Line]:
    """Return what needs attention, as `compare` says it."""
    out: list[Line] = []
    for check in checks_as_flags(checks):
        out += wrapped(clean(f"{check.text} {check.advice}"), screen.cells(), f"check {check.code}: ", "note")
    return out


def in_words(estimator: Estimator, content: Content, output: str | None) -> list[Line]:
    """Return where the model lies, in a line."""
    if output is None:
        return [(Span("The model is not saved. Add -o FILE.tally.json to keep it."),)]
    found = summary(estimator, content)
    place = "standard output" if output == "-" else clean(output)
    words = f"{place}: {found['kind']}, {found['bytes']:,} bytes, sha256 {found['sha256'][:16]}..."
    return [(Span("saved ", "good"), Span(words))]


def dropped_lines(notes: Iterable[Note]) -> list[Line]:
    """Return what is said of the row of a total: on the page, whose counts are of the other rows."""
    told = notes_as_flags(n for n in notes if n.code == TOTAL)
    return [line for note in told for line in wrapped(clean(note.text), screen.cells(), "note: ", "note")]


def next_lines(output: str | None) -> list[Line]:
    """Return the next command to type."""
    if output is None or output == "-":
        return []
    told = f"tally predict {shlex.quote(clean(output))} NEW.csv -o predictions.csv"
    return [(Span("next: "), Span(told, "strong"))]
