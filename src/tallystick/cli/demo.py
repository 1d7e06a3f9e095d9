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
from tallystick.cli.tables import bundled
from tallystick.draw.text import Line, Span, Style, bar, clean, cut, padded, table, wrapped
from tallystick.errors import OptionError, shown
from tallystick.methods import named

if TYPE_CHECKING:
    from tallystick.description import Description
    from tallystick.estimators import Classifier

DATA, MODEL, NEW, PAGE = "votes.csv", "votes.tally.json", "new.csv", "report.html"
FEW = 6  # members in new.csv, the first of the file
SHOWN = 9  # lines of the model


@click.command()
@click.option(
    "--folder",
    type=click.Path(),
    default="tally-demo",
    show_default=True,
    help="Where to put the files; made if need be.",
)
@options.common
def demo(folder: str, as_json: bool) -> None:
    """Do the whole job once on bundled data: describe, fit, judge, predict, verify, and a report to read."""
    import tallystick as ts
    from tallystick.estimators.choosing import choose

    started = time.perf_counter()
    with resources.as_file(resources.files("tallystick.examples") / DATA) as bundled:
        chosen = choose(bundled, "party")
        estimator = chosen.estimator({}).fit(bundled, "party")
        data, model, new, page = prepare(folder, bundled.read_text(encoding="utf-8"), estimator.to_bytes())
    show = (lambda lines: None) if as_json else screen.show
    show(opening(folder))
    described = ts.describe(data, "party")
    show(step(1, "What is in the table?", f"tally describe {DATA} --target party", telling(described)))
    estimator.save(model)
    lines = learnt(estimator, chosen.why)
    show(step(2, "Choose and learn", f"tally fit {DATA} --target party -o {MODEL}", lines))
    judged, words = chosen.judged(), named(chosen.family).words
    command = f"tally compare {DATA} --target party --no-tuning"
    lines = scores(words, judged.to_dict())
    show(step(3, "How good is it on rows it has not seen?", command, lines))
    answers = estimator.predict_proba(new)
    lines = predictions(estimator, answers, parties(data))
    show(step(4, "Predict new rows", f"tally predict {MODEL} {NEW}", lines))
    content = estimator.to_bytes()
    same = content == refitted(content, data, {"threads": 1})
    show(step(5, "Check it", f"tally verify {MODEL} {DATA}", verified(content, same)))
    if not same:
        raise OptionError(
            "the model is not what its data gives. This is a fault of the program: please report it."
        )
    found = ts.report(data, "party", path=page, progress=None)
    show(step(6, "Show it to others", f"tally report {DATA} --target party", reported(found.answer, page)))
    show(closing(folder, time.perf_counter() - started))
    if as_json:
        results = {"described": described.to_dict(), "cross_validated": judged.to_dict(), "verified": same}
        screen.show_json(results | {"predictions": answers.tolist(), "folder": folder, "report": page})


def prepare(folder: str, text: str, model: bytes) -> tuple[str, str, str, str]:
    """Put the votes, some of them without the party, and the other tables of the documentation into the
    folder; return the paths of the job.

    Nothing is written where anything of another's would be written over, also later.
    """
    from tallystick.export import save

    data, kept, new, page = paths = tuple(os.path.join(folder, name) for name in (DATA, MODEL, NEW, PAGE))
    few = [line.rpartition(",")[0] for line in text.splitlines()[: FEW + 1]]  # party is the last column
    tables = {os.path.join(folder, name): content for name, content in bundled().items()}
    wanted = {**tables, kept: model, new: "\n".join(few).encode() + b"\n"}
    try:
        os.makedirs(folder, exist_ok=True)
        for path in {*paths, *tables}:
            if os.path.exists(path) and not _ours(_bytes(path), wanted.get(path)):
                raise theirs(path)
        for path in (*tables, new):
            save(path, wanted[path], "file")
    except OSError as error:
        reason = error.strerror or str(error)
        raise OptionError(
            f"cannot write to the folder {shown(folder)}: {reason}. Give another: --folder PATH."
        ) from None
    return data, kept, new, page


def _ours(found: bytes, wanted: bytes | None) -> bool:
    """Is a file what the demo writes? A report is of any day, so it is known by its maker."""
    return b"Tallystick" in found if wanted is None else found == wanted


def theirs(path: str) -> OptionError:
    """Return the error of a file that is not the demo's."""
    return OptionError(
        f"{shown(path, 300)} already exists and is not from this demo. Move it, or give another folder: "
        "--folder PATH."
    )


def _bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def parties(data: str) -> list[str]:
    """Return what was cut off from the rows of new.csv."""
    with open(data, encoding="utf-8") as file:
        return [line.rstrip().rpartition(",")[2] for line in file][1 : FEW + 1]


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
        *sentence("learns by counting and shows its working.", indent=0, first=f"Tallystick {__version__} "),
        *sentence(f"16 key votes of 435 members of the House, 1984. Which party? Files in {where}", "dim", 0),
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
            Span(bar((c.gain or 0) / (described.entropy or 1), bar_cells(52)), "bar"),
        ]
        for c in top
    ]
    missing = sum(c.missing for c in described.columns)
    columns = len(described.columns)
    classes = ", ".join(f"{p.rows} {clean(p.label)}s" for p in described.classes)
    return [
        *sentence(f"{described.rows} rows, {columns} columns, {missing} missing cells; {classes}."),
        *sentence(f"The party holds {described.entropy:.3f} bits. What each column tells about it:"),
        *table(["column", "missing", "gain", ""], rows, frozenset({1, 2}), screen.cells() - 3),
        (Span(f"and {columns - len(top)} more", "dim"),),
    ]


def learnt(estimator: Classifier, why: str) -> list[Line]:
    """Return why this method, and the beginning of the model: its most telling part."""
    model = estimator._as_text().split("\n")[:SHOWN]
    size = len(estimator.to_bytes())
    return [
        *sentence(clean(why)),
        *((Span(cut(clean(line), screen.cells() - 3)),) for line in model),
        (Span("...", "dim"),),
        *sentence(f"{MODEL}: {size:,} bytes of text, the same for any order of rows", first="saved "),
    ]


def scores(words: str, judged: dict[str, Any]) -> list[Line]:
    """Return the accuracy out of fold, beside that of always giving the most frequent class."""
    rows = [
        (words, judged["accuracy"], f"± {judged['standard_error']:.1%}"),
        ("most frequent class", judged["baseline"], ""),
    ]
    cells = bar_cells(44)
    return [
        *sentence(f"{judged['folds']} folds: each row is judged by a model that has not seen it."),
        *(
            (Span(f"{name:<19}  {share:5.1%} {error:<6}  "), Span(bar(share, cells), "bar"))
            for name, share, error in rows
        ),
    ]


def predictions(estimator: Classifier, answers: Any, truth: list[str]) -> list[Line]:
    """Return the predictions, a bar for the probability, and what was cut off from the file."""
    cells = bar_cells(52)
    lines: list[Line] = list(sentence(f"The first {len(truth)} members, their party cut off:"))
    for i, (shares, true) in enumerate(zip(answers, truth, strict=True)):
        best = int(shares.argmax())
        label = str(estimator.classes_[best])
        drawn = padded(bar(float(shares[best]), cells), cells)
        was = Span(f"  was {true}", "good" if label == true else "bad")
        lines.append((Span(f"row {i + 1}  {label:<10}  {shares[best]:6.1%}  "), Span(drawn, "bar"), was))
    return lines


def bar_cells(taken: int) -> int:
    """Return the length of the longest bar beside `taken` cells of text."""
    return max(4, min(24, screen.cells() - 3 - taken))


def sentence(text: str, style: Style = "", indent: int = 3, first: str = "") -> list[Line]:
    """Return a sentence of ours, broken where the terminal ends; `first` is good news."""
    lines = wrapped(text, screen.cells() - indent, first, style)
    return [(Span(first, "good"), *lines[0][1:]), *lines[1:]]


def verified(content: bytes, same: bool) -> list[Line]:
    """Return whether refitting gave the same bytes."""
    import hashlib

    if not same:
        return [(Span("not the same bytes", "bad"),)]
    digest = hashlib.sha256(content).hexdigest()
    return [
        *sentence(f"refitted with one thread: the same {len(content):,} bytes", first="verified "),
        (Span(f"sha256 {digest}", "dim"),),
    ]


def reported(answer: tuple[str, ...], page: str) -> list[Line]:
    """Return the first sentence of the report, and where it lies."""
    first = answer[0] if answer else ""
    return [
        *sentence(clean(first)),
        *sentence(f"{clean(page)}: the comparison, the model, what if; open it in a browser", first="saved "),
    ]


def closing(folder: str, seconds: float) -> list[Line]:
    """Return what to type next."""
    commands = [
        f"cd {clean(folder)}",
        f"tally describe {DATA} --target party",
        f"tally predict {MODEL} {NEW} --all-classes",
        "tally lesson id3",
        f"less {MODEL}",
        "tally fit YOUR.csv --target COLUMN -o YOUR.tally.json",
    ]
    return [
        (Span(f"Done in {seconds:.1f} seconds.", "good"), Span(" Next, type:")),
        *((Span(f"   {command}", "strong"),) for command in commands),
    ]
