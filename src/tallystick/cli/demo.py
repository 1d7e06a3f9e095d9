"""tally demo: the whole job on the bundled votes of 1984, offline, in seconds. It grows with the library."""

from __future__ import annotations

import os
import time
from importlib import resources
from typing import TYPE_CHECKING, Any

import click

from tallystick import __version__
from tallystick.cli import options, screen
from tallystick.cli.models import refitted
from tallystick.draw.text import Line, Span, bar, clean, padded, table
from tallystick.errors import OptionError, shown

if TYPE_CHECKING:
    from tallystick.description import Description
    from tallystick.estimators import Classifier

DATA, MODEL, NEW = "votes.csv", "votes.tally.json", "new.csv"
EVERY = 60  # new.csv holds every 60th member


@click.command(short_help="The whole job once, on bundled data.")
@click.option(
    "--folder", default="tally-demo", show_default=True, help="Where to put the files; made if need be."
)
@options.common
def demo(folder: str, as_json: bool) -> None:
    """Do the whole job once on bundled data: describe, fit, cross-validate, predict, save, verify."""
    import tallystick as ts

    started = time.perf_counter()
    data, model, new = prepare(folder)
    show = (lambda lines: None) if as_json else screen.show
    show(opening(folder))
    described = ts.describe(data, "party")
    show(step(1, "What is in the table?", f"tally describe {DATA} --target party", telling(described)))
    estimator = ts.NaiveBayes().fit(data, "party")
    estimator.save(model)
    show(
        step(2, "Learn from it", f"tally fit {DATA} --target party -o {MODEL}", counted(estimator, described))
    )
    judged = ts.cross_validate(ts.NaiveBayes(), data, "party")
    show(
        step(
            3,
            "How good is it on rows it has not seen?",
            "ts.cross_validate(ts.NaiveBayes(), ...)",
            scores(judged),
        )
    )
    answers = estimator.predict_proba(new)
    show(step(4, "Predict new rows", f"tally predict {MODEL} {NEW}", predictions(estimator, answers)))
    content = estimator.to_bytes()
    same = content == refitted(content, data, {"threads": 1})
    show(step(5, "Check it", f"tally verify {MODEL} {DATA}", verified(content, same)))
    if not same:
        raise OptionError(
            "the model is not what its data gives. This is a fault of the program: please report it."
        )
    show(closing(folder, time.perf_counter() - started))
    if as_json:
        results = {"described": described.to_dict(), "cross_validated": judged.to_dict(), "verified": same}
        screen.show_json(results | {"predictions": answers.tolist(), "folder": folder})


def prepare(folder: str) -> tuple[str, str, str]:
    """Put the votes, and some of them without the party, into the folder; return the paths of the job."""
    try:
        os.makedirs(folder, exist_ok=True)
        text = (resources.files("tallystick.examples") / DATA).read_text(encoding="utf-8")
        lines = text.splitlines()
        new = [line.rpartition(",")[0] for line in [lines[0], *lines[1::EVERY]]]  # party is the last column
        paths = [os.path.join(folder, name) for name in (DATA, MODEL, NEW)]
        for path, content in ((paths[0], text), (paths[2], "\n".join(new) + "\n")):
            with open(path, "w", encoding="utf-8", newline="\n") as file:
                file.write(content)
    except OSError as error:
        reason = error.strerror or str(error)
        raise OptionError(
            f"cannot write to the folder {shown(folder)}: {reason}. Give another: --folder PATH."
        ) from None
    return paths[0], paths[1], paths[2]


def step(number: int, title: str, command: str, lines: list[Line]) -> list[Line]:
    """Return one step: what is asked, the command that answers, and the answer."""
    room = screen.cells() - len(title) - len(command) - 5
    one_line = room > 0
    head = [Span(f"{number}  ", "bar"), Span(title, "strong")]
    heads: list[Line] = [tuple(head)]
    if one_line:
        heads = [(*head, Span(" " * (room + 2)), Span(command, "dim"))]
    else:
        heads.append((Span(f"   {command}", "dim"),))
    return [*heads, *((Span("   "), *line) for line in lines), ()]


def opening(folder: str) -> list[Line]:
    """Return what this is about to do."""
    where = f"{clean(folder)}/"
    return [
        (
            Span(f"Tallystick {__version__}", "strong"),
            Span(": classification that learns by counting and shows its working"),
        ),
        (Span(f"16 key votes of the 435 members of the House, 1984: whose party? Files: {where}", "dim"),),
        (),
    ]


def telling(described: Description) -> list[Line]:
    """Return the most telling columns."""
    top = sorted(described.columns, key=lambda c: -(c.gain or 0))[:5]
    rows = [
        [
            Span(clean(c.name)),
            Span(f"{c.missing}"),
            Span(f"{c.gain:.3f} bits"),
            Span(bar((c.gain or 0) / (described.entropy or 1), 24), "bar"),
        ]
        for c in top
    ]
    missing = sum(c.missing for c in described.columns)
    columns = len(described.columns)
    classes = ", ".join(f"{p.rows} {clean(p.label)}s" for p in described.classes)
    return [
        (Span(f"{described.rows} rows, {columns} columns, {missing} missing cells; {classes}."),),
        (Span(f"The party alone is worth {described.entropy:.3f} bits. What each column tells of it:"),),
        *table(["column", "missing", "gain", ""], rows, frozenset({1, 2}), screen.cells() - 3),
        (Span(f"and {columns - len(top)} more", "dim"),),
    ]


def counted(estimator: Classifier, described: Description) -> list[Line]:
    """Return the counts of the most telling column: all that the model knows of it."""
    best = max(described.columns, key=lambda c: c.gain or 0).name
    own = next(c for c in estimator.to_dict()["model"]["columns"] if c["name"] == best)
    target = estimator.schema_.target
    assert target is not None
    words = {"n": "against", "y": "for"}
    rows = [
        [Span(f"{clean(best)}: {words.get(level, clean(level))}"), *(Span(f"{n}") for n in counts)]
        for level, counts in zip(estimator.schema_[best].levels, own["counts"], strict=True)
    ]
    rows.append([Span(f"{clean(best)}: missing", "dim"), *(Span(f"{n}", "dim") for n in own["missing"])])
    size = len(estimator.to_bytes())
    return [
        (Span("A naive Bayes model is a table of counts per column, and nothing else:"),),
        *table(
            ["column and level", *(clean(label) for label in target.labels)],
            rows,
            frozenset({1, 2}),
            screen.cells() - 3,
        ),
        (
            Span("saved ", "good"),
            Span(f"{MODEL}: {size:,} bytes of readable text, the same bytes for any order of the rows"),
        ),
    ]


def scores(judged: Any) -> list[Line]:
    """Return the result of cross-validation."""
    return [(Span(line),) for line in screen.cleaned(str(judged)).split("\n")]


def predictions(estimator: Classifier, answers: Any) -> list[Line]:
    """Return the first predictions with a bar for the probability."""
    lines: list[Line] = []
    wide = max(len(str(c)) for c in estimator.classes_)
    for i, shares in enumerate(answers[:5]):
        best = int(shares.argmax())
        text = f"row {i + 1}  {padded(str(estimator.classes_[best]), wide)}  {shares[best]:7.2%}  "
        lines.append((Span(text), Span(bar(float(shares[best]), 24), "bar")))
    rest = len(answers) - len(lines)
    return [*lines, *([(Span(f"and {rest} more", "dim"),)] if rest > 0 else [])]


def verified(content: bytes, same: bool) -> list[Line]:
    """Return whether refitting gave the same bytes."""
    import hashlib

    if not same:
        return [(Span("not the same bytes", "bad"),)]
    digest = hashlib.sha256(content).hexdigest()
    return [
        (Span("verified ", "good"), Span(f"refitted with one thread: the same {len(content):,} bytes")),
        (Span(f"sha256 {digest}", "dim"),),
    ]


def closing(folder: str, seconds: float) -> list[Line]:
    """Return what to type next."""
    commands = [
        f"cd {clean(folder)}",
        f"tally describe {DATA} --target party",
        f"tally predict {MODEL} {NEW} --all-classes",
        f"less {MODEL}",
        "tally fit YOUR.csv --target COLUMN -o YOUR.tally.json",
    ]
    return [
        (Span(f"Done in {seconds:.1f} seconds.", "good"), Span(" Next, type:")),
        *((Span(f"   {command}", "strong"),) for command in commands),
    ]
