"""tally bayes: Bayes' rule on a few hypotheses, one test after the other, in exact fractions."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from fractions import Fraction
from importlib import resources
from typing import TYPE_CHECKING, Any

import click

from tallystick import __version__
from tallystick.cli import options
from tallystick.cli.fit import settings
from tallystick.cli.model import refitted
from tallystick.cli.predict import check_row
from tallystick.draw.svg import Line, Span, Style, bar, cut, padded, table, wrapped
from tallystick.errors import OptionError, clean, shown
from tallystick.methods import WORKED, named

if TYPE_CHECKING:
    from tallystick.description.columns import Description
    from tallystick.estimator.classifier import Classifier


@click.command()
@click.argument("priors", metavar="NAME=PRIOR...", nargs=-1, required=True)
@click.option(
    "--test",
    "tests",
    multiple=True,
    required=True,
    metavar="NAME=P,NAME=P",
    help="How probable what was seen is under each hypothesis; several are used one after the other.",
)
@click.option("--evidence", metavar="P", help="How probable what was seen is, where hypotheses are left out.")
@click.option("--densities", is_flag=True, help="The numbers of --test are densities, which may be above 1.")
@click.option(
    "--predict", metavar="NAME=P,NAME=P", help="How probable something new is under each hypothesis."
)
@options.common
def bayes(
    priors: tuple[str, ...],
    tests: tuple[str, ...],
    evidence: str | None,
    densities: bool,
    predict: str | None,
    as_json: bool,
) -> None:
    """Work out how probable hypotheses are after one test or several: prior times likelihood over their sum.

    Numbers are decimals or fractions, 0.008 or 1/40, and stay exact. A prior that is left out as NAME= is
    what the others leave of 1.
    """
    import tallystick as ts

    if evidence is not None and len(tests) > 1:
        raise OptionError("--evidence is for one test. Name every hypothesis for several.")
    before, steps = _priors(priors), []
    for text in tests:
        given = _table(text, "--test")
        seen = None if evidence is None else _number(evidence, "--evidence")
        steps.append(ts.bayes_rule(before, given, evidence=seen, densities=densities))
        before = {name: Fraction(value) for name, value in steps[-1].posterior.items()}
    new = None if predict is None else steps[-1].predict(_table(predict, "--predict"))
    if as_json:
        more = {"predicted": None if new is None else float(new)}
        options.show_json(more | {"steps": [step.to_dict() for step in steps]})
        return
    heads = [f"test {i}" for i in range(1, len(steps) + 1)] if len(steps) > 1 else [""]
    lines = [f"{head}\n{step}".strip() for head, step in zip(heads, steps, strict=True)]
    if new is not None:
        lines.append(f"P(the new thing | what was seen) = {new} = {float(new):.6g}")
    print(options.cleaned("\n\n".join(lines)))


def _priors(texts: tuple[str, ...]) -> dict[str, Fraction]:
    known = {}
    open_ = []
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise OptionError(f"{shown(text)} is not NAME=PRIOR. Write for example ill=0.008 well=0.992.")
        if name in known or name in open_:
            raise OptionError(f"{shown(name)} is named twice. Give each hypothesis once.")
        if value:
            known[name] = _number(value, f"the prior of {shown(name)}")
        else:
            open_.append(name)
    if len(open_) > 1:
        raise OptionError(f"the priors of {len(open_)} hypotheses are left out. Leave out one at most.")
    return known | {name: 1 - sum(known.values(), Fraction(0)) for name in open_}


def _table(text: str, option: str) -> dict[str, Fraction]:
    pairs = [options.pair(part, option, "ill=0.98,well=0.03") for part in text.split(",")]
    return {name: _number(value, option) for name, value in pairs}


def _number(text: str, what: str) -> Fraction:
    try:
        return Fraction(text.strip())
    except (ValueError, ZeroDivisionError):
        raise OptionError(f"{what} has {shown(text)}, which is not a number. Write 0.008 or 1/40.") from None


# tally draw: pictures of the ideas, from a file or from the formula alone.


ALONE = ("entropy", "sigmoid")  # pictures of a formula: they need no file
WHAT = (*ALONE, "regions", "likelihood", "prior", "shares", "overfitting")
TAKES = {"--method": ("regions",), "--column": ("sigmoid", "regions", "likelihood", "shares")}


@click.command()
@click.argument("what", metavar="WHAT", type=click.Choice(WHAT))
@click.argument("data", metavar="[FILE]", type=click.Path(), required=False)
@click.option("--target", "-t", help="The column to be predicted.")
@options.methods("regions: draw these side by side.")
@click.option("--column", multiple=True, metavar="NAME", help="Draw this column; regions: two of them.")
@click.option(
    "--picture", metavar="FILE.svg", type=click.Path(), help="Where to save it; WHAT.svg if not given."
)
@options.columns
@options.reading
@options.common
def draw(
    what: str,
    data: str | None,
    target: str | None,
    methods: tuple[str, ...],
    column: tuple[str, ...],
    picture: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Save a picture of an idea.

    \b
    entropy      entropy, Gini index and error against the share of a class
    sigmoid      the curve of logistic regression; with FILE as it is fitted to a column
    regions      what methods answer everywhere on the plane of two columns of FILE
    likelihood   the likelihood of FILE over two weights, and the way of gradient ascent
    prior        weights and losses against the spread κ of the prior
    shares       the R table of naive Bayes as bars
    overfitting  errors in training and cross-validated against the leaves of a tree
    """
    for option, pictures in TAKES.items():
        if {"--method": methods, "--column": column}[option] and what not in pictures:
            raise OptionError(f"{option} is for {', '.join(pictures)}, not for {what}. Leave it out.")
    path = f"{what}.svg" if picture is None else picture
    options.keep_apart([data] if data else [], {"--picture": path})
    drawn = _drawn(what, data, target, methods, column, given)
    options.save_picture(path, lambda: drawn)
    if as_json:
        options.show_json({"picture": path, "what": what})
    else:
        print(options.cleaned(f"saved {path}; a browser shows it"))


def _drawn(
    what: str,
    data: str | None,
    target: str | None,
    methods: tuple[str, ...],
    column: tuple[str, ...],
    given: dict[str, Any],
) -> str:
    from tallystick.teach import pictures

    if data is None:
        if what not in ALONE:
            raise OptionError(f"{what} is drawn from a file. Write: tally draw {what} FILE --target NAME.")
        return pictures.entropy() if what == "entropy" else pictures.sigmoid()
    if what == "entropy":
        raise OptionError("the curve of entropy is the same for every file. Leave the file out.")
    if target is None:
        raise OptionError(f"{what} needs the column to be predicted. Add --target NAME.")
    more: dict[str, Any] = {}
    if what in ("regions", "shares"):
        more["draw"] = column or None
    elif column:
        more["column"] = _one(column)
    if methods:
        more["methods"] = methods
    source = options.source(data, given)
    return str(getattr(pictures, what)(source, target, **more, **options.column_parameters(given)))


def _one(column: tuple[str, ...]) -> str:
    if len(column) > 1:
        raise OptionError("this picture takes one --column.")
    return column[0]


# tally separable: does a plane separate the classes?


@click.command()
@click.argument("data", metavar="FILE", type=click.Path())
@click.option("--target", "-t", required=True, help="The column to be predicted.")
@options.columns
@options.reading
@options.common
def separable(data: str, target: str, as_json: bool, **given: Any) -> None:
    """Look for a plane that has every class of FILE on its own side; where one does, logistic regression
    without a prior has no finite weights.

    Prints the plane, or how many rows prove that there is none.
    """
    import tallystick as ts

    known = options.column_parameters(given)["columns"]
    found = ts.separable(options.source(data, given), target, kinds=known.kinds, memory=given["memory"])
    if as_json:
        options.show_json(found.to_dict())
        return
    print(options.cleaned(str(found)))


# The bundled tables, and how they come into a folder of the user.
#
# Law: nothing is written over a file that holds something else.


ENDINGS = (".csv", ".csv.gz")


def bundled() -> dict[str, bytes]:
    """Return the bundled tables by name."""
    files = resources.files("tallystick.examples").iterdir()
    return {f.name: f.read_bytes() for f in sorted(files, key=lambda f: f.name) if f.name.endswith(ENDINGS)}


def deliver(folder: str, names: Sequence[str]) -> list[str]:
    """Put bundled tables into a folder, made if need be; return their paths."""
    from tallystick.model.file import save

    tables = bundled()
    wanted = {os.path.join(folder, name): tables[name] for name in names}
    try:
        os.makedirs(folder, exist_ok=True)
        for path, content in wanted.items():
            if os.path.exists(path) and _content(path) != content:
                raise OptionError(
                    f"{shown(path, 300)} already exists and holds something else. Give another folder."
                )
    except OSError as error:
        reason = error.strerror or str(error)
        raise OptionError(f"cannot write to the folder {shown(folder)}: {reason}. Give another.") from None
    for path, content in wanted.items():
        save(path, content, "file")
    return list(wanted)


def _content(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


# tally demo: the whole job on the bundled votes of 1984, offline, in seconds. It grows with the library.


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
    from tallystick.judge.api import choose

    started = time.perf_counter()
    with resources.as_file(resources.files("tallystick.examples") / DATA) as bundled:
        chosen = choose(bundled, "party")
        estimator = chosen.estimator({}).fit(bundled, "party")
        data, model, new, page = prepare(folder, bundled.read_text(encoding="utf-8"), estimator.to_bytes())
    show = (lambda lines: None) if as_json else options.show
    show(opening(folder))
    described = ts.describe(data, "party")
    show(
        step(
            1, "What is in the table?", f"tally describe {DATA} --target party", strongest_columns(described)
        )
    )
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
        options.show_json(results | {"predictions": answers.tolist(), "folder": folder, "report": page})


def prepare(folder: str, text: str, model: bytes) -> tuple[str, str, str, str]:
    """Put the votes, some of them without the party, and the other tables of the documentation into the
    folder; return the paths of the job.

    Nothing is written where anything of another's would be written over, also later.
    """
    from tallystick.model.file import save

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
    room = options.cells() - len(title) - len(command) - 5
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


def strongest_columns(described: Description) -> list[Line]:
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
        *table(["column", "missing", "gain", ""], rows, frozenset({1, 2}), options.cells() - 3),
        (Span(f"and {columns - len(top)} more", "dim"),),
    ]


def learnt(estimator: Classifier, why: str) -> list[Line]:
    """Return why this method, and the beginning of the model: its most telling part."""
    model = estimator._as_text().split("\n")[:SHOWN]
    size = len(estimator.to_bytes())
    return [
        *sentence(clean(why)),
        *((Span(cut(clean(line), options.cells() - 3)),) for line in model),
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
    return max(4, min(24, options.cells() - 3 - taken))


def sentence(text: str, style: Style = "", indent: int = 3, first: str = "") -> list[Line]:
    """Return a sentence of ours, broken where the terminal ends; `first` is good news."""
    lines = wrapped(text, options.cells() - indent, first, style)
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


# tally lesson: the worked examples as short lessons, one by one.


@click.command()
@click.argument("name", metavar="[NAME]", required=False)
@click.option("--blank", is_flag=True, help="Leave the answers out: a sheet to be filled in.")
@click.option(
    "--tables",
    metavar="FOLDER",
    type=click.Path(),
    help="Put the tables of the lesson (without NAME: all of them) into this folder instead.",
)
@options.picture
@options.common
def lesson(name: str | None, blank: bool, tables: str | None, picture: str | None, as_json: bool) -> None:
    """Tell a lesson: a question first, then the working that answers it, what to notice, and one thing to
    change and try. Without NAME the lessons are listed.
    """
    import tallystick as ts

    found = ts.lesson(name)
    options.keep_apart([], {"--picture": picture})
    if tables is not None:
        names = ts.lesson(name).tables if name else sorted({t for x in ts.lesson().lessons for t in x.tables})
        options.say("\n".join(f"saved {options.cleaned(path)}" for path in deliver(tables, names)))
        return
    if picture is not None:
        drawn = ts.lesson(name).drawn() if name else None
        if drawn is None:
            raise OptionError(
                f"{'the list' if name is None else shown(name)} has no picture. Leave --picture out."
            )
        options.save_picture(picture, lambda: str(drawn))
    if as_json:
        options.show_json(found.to_dict())
    elif name is None:
        print(options.cleaned(str(found)))
        print("\nNext, type: tally lesson id3")
    else:
        text = ts.lesson(name).text(blank)
        sys.stdout.write(options.cleaned(text) if options.is_terminal(sys.stdout) else text)


# tally work: the complete worked solution of a small table, as a page to read, print or hand out.


FORMATS = ("text", "markdown", "latex", "html")


@click.command()
@click.argument("data", metavar="FILE", type=click.Path())
@click.option("--target", "-t", required=True, help="The column to be predicted.")
@click.option(
    "--model",
    "method",
    type=click.Choice(WORKED),
    default="id3",
    show_default=True,
    help="The method that is worked out.",
)
@click.option(
    "--row",
    "rows",
    multiple=True,
    metavar="N|NAME=VALUE",
    help="A row to answer: the number of a row of FILE, counted from 1, or its values one by one, e.g. "
    "--row sky=rain --row wind=3.",
)
@click.option("--blank", is_flag=True, help="Leave the answers out: a sheet to be filled in.")
@click.option("--answers", is_flag=True, help="The sheet without answers, then its solution.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a parameter of the method, e.g. min_samples_leaf=2.",
)
@click.option(
    "--format",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="What is printed; with -o the ending of the file says it.",
)
@click.option(
    "--output", "-o", type=click.Path(), help="Write to a file that ends in .txt, .md, .tex or .html."
)
@options.columns
@options.reading
@options.common
def work(
    data: str,
    target: str,
    method: str,
    rows: tuple[str, ...],
    output: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Work out by hand what a method learns from FILE: every count, every formula with its numbers, every
    choice and why it was made.

    Trees: entropy and gain at every node, for every column, branch and cut; why a column won, and why a leaf
    is a leaf; the tree, its rules and its expression. Up to 300 rows are worked out whole, of more the root.

    Naive Bayes: counts and shares of every column with and without the correction, and the product for a row
    (the first, if --row names none) factor by factor. Logistic regression: the formula, the gradient at the
    start, the steps with their weights, and the row's score term by term.
    """
    import tallystick as ts
    from tallystick.table.new_rows import every_row

    options.keep_apart([data], {"-o": output})
    source, row = options.source(data, given), asked(rows)
    if isinstance(row, int):
        source = every_row(source)
        check_row(source, row + 1)
    found = ts.work(
        source,
        target,
        method=method,
        row=row,
        blank=given["blank"],
        answers=given["answers"],
        **options.column_parameters(given),
        **settings(given["settings"]),
    )
    if as_json:
        if output is not None:
            raise OptionError("--json prints; it does not go with -o. Leave out one of them.")
        options.show_json(found.to_dict())
    elif output is not None:
        found.save(output)
        options.say(f"saved {options.cleaned(output)}")
    else:
        text = getattr(found, given["format"])()
        sys.stdout.write(options.cleaned(text) if options.is_terminal(sys.stdout) else text)


def asked(texts: tuple[str, ...]) -> int | dict[str, str] | None:
    """Return the place of a row, from 0, or its values by column."""
    if not texts:
        return None
    if len(texts) == 1 and texts[0].isdigit():
        if int(texts[0]) < 1:
            raise OptionError("--row counts the rows of FILE from 1.")
        return int(texts[0]) - 1
    for text in texts:
        if "=" not in text:
            raise OptionError(f"--row {shown(text)} is neither a number nor NAME=VALUE. Write --row wind=3.")
    return dict(options.pair(text, "--row", "wind=3") for text in texts)
