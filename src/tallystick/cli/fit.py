"""tally fit: learn from a file, show what was learned, save it."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any

import click

from tallystick.cli import options, screen
from tallystick.draw.text import Line, Span, clean
from tallystick.errors import OptionError, shown

if TYPE_CHECKING:
    from tallystick.estimators import Classifier

# the word on the command line: the public class
MODELS = {"bayes": "NaiveBayes", "logistic": "LogisticRegression", "tree": "DecisionTree"}


@click.command(short_help="Learn from a file and save the model.")
@click.argument("data", metavar="FILE")
@click.option("--target", "-t", required=True, help="The column to be predicted.")
@click.option("--model", "method", type=click.Choice(list(MODELS)), default="bayes", show_default=True)
@click.option(
    "--output", "-o", help="Where to save the model, e.g. votes.tally.json; without it the model is printed."
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a parameter of the method, e.g. alpha=0.5.",
)
@options.columns
@options.reading
@options.common
def fit(data: str, target: str, method: str, output: str | None, as_json: bool, **given: Any) -> None:
    """Learn to predict a column of FILE from the others, and save the model as one readable file."""
    estimator = learned(data, target, method, given)
    content = estimator.to_bytes()
    if output is not None:
        _check_not_data(output, data)
        estimator.save(output)
    if as_json:
        screen.show_json(summary(estimator, content) | {"saved": output})
        return
    if output is None:
        print(screen.cleaned(str(estimator)))
        screen.say("The model is not saved. Add -o FILE.tally.json to keep it.")
    else:
        screen.show(in_words(estimator, content, output))
    screen.show_notes((*estimator.source_notes_, *estimator.notes_))


def learned(data: str, target: str, method: str, given: dict[str, Any]) -> Classifier:
    """Return an estimator fitted to a file, with the options of the command line."""
    import tallystick as ts

    estimator: Classifier = getattr(ts, MODELS[method])(**options.wishes(given))
    estimator.set_params(**settings(given.get("settings", ())))
    with screen.progress("fitting") as progress:
        estimator.verbose = progress
        estimator.fit(options.source(data, given), target)
    estimator.verbose = False
    return estimator


def settings(texts: tuple[str, ...]) -> dict[str, Any]:
    """Return NAME=VALUE settings; a value is JSON if it reads as JSON, else text."""
    out: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise OptionError(f"--set {shown(text)} is not NAME=VALUE. Write for example --set alpha=0.5.")
        try:
            out[name] = json.loads(value)
        except ValueError:
            out[name] = value
    return out


def summary(estimator: Classifier, content: bytes) -> dict[str, Any]:
    """Return what a fitted model is, as plain data."""
    target = estimator.schema_.target
    assert target is not None
    return {
        "kind": estimator.kind,
        "target": target.name,
        "classes": list(target.labels),
        "columns": [c.name for c in estimator.schema_.used],
        "rows": estimator.rows_["count"] / estimator.rows_["unit"],
        "notes": [n.to_dict() for n in estimator.notes_],
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def in_words(estimator: Classifier, content: bytes, output: str) -> list[Line]:
    """Return what was learned and where it lies, in two lines."""
    found = summary(estimator, content)
    classes = ", ".join(clean(label) for label in found["classes"][:4])
    more = f" and {len(found['classes']) - 4} more" if len(found["classes"]) > 4 else ""
    columns, digest = len(found["columns"]), found["sha256"][:16]
    plural = "column" if columns == 1 else "columns"
    return [
        (
            Span(clean(found["target"]), "strong"),
            Span(f" ({classes}{more}) from {columns:,} {plural} of {found['rows']:,.10g} rows"),
        ),
        (
            Span("saved ", "good"),
            Span(f"{clean(output)}: {found['kind']}, {found['bytes']:,} bytes, sha256 {digest}..."),
        ),
    ]


def _check_not_data(output: str, data: str) -> None:
    """Never write a model over the table it was learned from."""
    if os.path.exists(output) and os.path.exists(data) and os.path.samefile(output, data):
        raise OptionError(f"-o {shown(output)} is the data itself. Give the model another name.")
