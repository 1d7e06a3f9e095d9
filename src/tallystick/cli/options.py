"""Options that several commands share: how to read a file, what its columns are.

No data: a source is opened by `ts.read`.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

import click

from tallystick.draw.svg import Line, Span, cut, folded, plain, width, wrapped
from tallystick.errors import (
    Argument,
    Message,
    OptionError,
    clean,
    for_reader,
    show_every_line,
    shown,
    worded,
)
from tallystick.methods import CHOICES, NAMES, NUMBERS, named, variant
from tallystick.schema import Note
from tallystick.text import typed_merges

if TYPE_CHECKING:
    from tallystick.contracts import Source
    from tallystick.judge.checks import Check


F = TypeVar("F", bound=Callable[..., Any])

BEST = "best"  # the method that is chosen by comparing


def _checked(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """Return names of methods as they were typed, once each is known."""
    for name in (value,) if isinstance(value, str) else value:
        try:
            if name != BEST or param.multiple:
                variant(name)
        except OptionError as error:
            raise click.BadParameter(str(error), ctx, param) from None
    return value


def _offered(ctx: click.Context, param: click.Parameter, typed: str) -> list[str]:
    """Return the names that a shell may offer."""
    names = (*CHOICES, *NUMBERS, *(() if param.multiple else (BEST,)))
    return [name for name in names if name.startswith(typed)]


_METHOD_HELP = (
    f"One of {', '.join(CHOICES)}; for a target of numbers {', '.join(NUMBERS)}; any with settings, such as "
    "tree:max_depth=3."
)
model = click.option(
    "--model",
    "method",
    metavar="NAME",
    callback=_checked,
    shell_complete=_offered,
    default=BEST,
    show_default=True,
    help="The method; best compares all of them, untuned, and takes the simplest that is good enough. "
    + _METHOD_HELP,
)


def methods(words: str) -> Callable[[F], F]:
    """Return the option that names several methods."""
    return click.option(
        "--method",
        "methods",
        multiple=True,
        metavar="NAME",
        callback=_checked,
        shell_complete=_offered,
        help=f"{words} {_METHOD_HELP}",
    )


def says_number(target: str, given: dict[str, Any]) -> bool:
    """Say whether the target is to be a number: by --regression, or by --kind TARGET=numeric, which then says
    nothing of a column.
    """
    numeric = f"{target}=numeric"
    said = bool(given["regression"]) or numeric in given["kinds"]
    given["kinds"] = tuple(kind for kind in given["kinds"] if kind != numeric)
    return said


measure = click.option(
    "--measure",
    type=click.Choice(["log-loss", "auc", "accuracy"]),
    default="log-loss",
    show_default=True,
    help="What methods are compared and judged by.",
)

by = click.option(
    "--by",
    multiple=True,
    metavar="NAME",
    help="Tell errors by the levels of a column, or in ranges of a number: 'age: 25, 40, 60'.",
)


def together(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Return what adds some options to a command, in their order."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


common = together(  # --json --all --debug
    click.option("--json", "as_json", is_flag=True, help="Print the result as JSON."),
    click.option(
        "--all",
        is_flag=True,
        expose_value=False,
        callback=lambda context, option, wanted: show_every_line(wanted),
        help="Show every line, also those that a page leaves out (`and 12 more`).",
    ),
    click.option("--debug", is_flag=True, expose_value=False, help="Show a traceback when something fails."),
)
reading = together(  # how a file is read
    click.option("--sql", is_flag=True, help="FILE is an SQL query, such as \"SELECT * FROM 'votes.csv'\"."),
    click.option("--table", metavar="NAME", help="The sheet of a workbook, or the table of an SQLite file."),
    click.option("--sep", help="What separates cells, e.g. ';' or tab; detected if not given."),
    click.option(
        "--header/--no-header",
        default=None,
        help="The first line is a header, or data: then columns are called column_1, column_2, ...",
    ),
    click.option("--encoding", help="Character encoding of the file, e.g. cp1252; UTF-8 if not given."),
    click.option(
        "--decimal", type=click.Choice([".", ","]), help="Decimal mark of numbers; found if not given."
    ),
    click.option(
        "--day-first/--month-first",
        default=None,
        help="3/4/2012 is in April, or in March; found if not given.",
    ),
    click.option(
        "--bad-rows",
        type=click.Choice(["error", "skip", "repair"]),
        help="How to treat damaged rows. If not given, up to 1 % of all rows (at least 10) are repaired, "
        "where one reading fits the columns, or else left out.",
    ),
    click.option(
        "--unpack",
        is_flag=True,
        default=False,
        help="Unpack a gz or zip file even if that makes it more than 200 times as large.",
    ),
    click.option("--strict", is_flag=True, default=False, help="Repair nothing: a damaged row is an error."),
    click.option(
        "--inf",
        type=click.Choice(["error", "missing"]),
        default="error",
        help="How to treat infinite numbers.",
    ),
)
columns = together(  # what its columns are
    click.option(
        "--kind",
        "kinds",
        multiple=True,
        metavar="NAME=KIND",
        help="Set a column's kind: numeric, levels, ordered, boolean, text, date (days and year, month, "
        "weekday, hour) or out, e.g. zip=levels.",
    ),
    click.option(
        "--levels",
        multiple=True,
        metavar="NAME=A,B,...",
        help="Set a column's levels, in their order, e.g. size=S,M,L.",
    ),
    click.option("--keep", multiple=True, metavar="NAME", help="Use a column that would be left out."),
    click.option(
        "--merge",
        multiple=True,
        metavar="TEXT=A,B,...",
        help="Read spellings as one, in columns and target, e.g. 'yes=Yes,YES,Y'; of one column "
        "'answer: yes=Yes,1'.",
    ),
    click.option(
        "--missing",
        multiple=True,
        metavar="MARK",
        help="What stands for missing, e.g. -999, instead of the usual marks.",
    ),
    click.option(
        "--threads",
        type=click.IntRange(min=1),
        help="Threads to use; all cores if not given. Changes no result.",
    ),
    click.option(
        "--memory",
        metavar="SIZE",
        help="Work within this much memory, e.g. 1GB, with the rows on disk: for files of any size.",
    ),
)

matching = together(  # new rows that are not as those of the fit
    click.option(
        "--lenient", is_flag=True, help="A cell that cannot be read as a number is missing, and counted."
    ),
    click.option(
        "--missing-columns",
        type=click.Choice(["error", "as-missing"]),
        default="error",
        show_default=True,
        help="What to do about a column of the model that FILE lacks.",
    ),
)


picture = click.option("--picture", metavar="FILE.svg", type=click.Path(), help="Also save the picture.")


def keep_apart(reads: Iterable[str], writes: Mapping[str, str | None]) -> None:
    """Refuse, before any work, to write over what is read, twice into one file, a picture that is not SVG,
    or where nothing can be.
    """
    from tallystick import files as apart

    for option in ("--picture", "--save-model"):
        if writes.get(option) == "-":
            raise OptionError(f"{option} takes the name of a file: standard output is for the answer.")
    apart.keep_apart(reads, writes)
    if (picture := writes.get("--picture")) is not None:
        from tallystick.draw.svg import check_svg

        check_svg(picture)
    apart.check_places(writes)


def save_picture(path: str | None, draw: Callable[[], str]) -> None:
    """Draw and write a picture, when one is wanted; as a file it has colours of its own."""
    if path is not None:
        from tallystick.draw.svg import Picture
        from tallystick.model.file import save

        save(path, Picture(draw()).with_own_colours().encode(), "picture")


memory = click.option(
    "--memory", metavar="SIZE", help="Work within this much memory, e.g. 1GB; changes no result."
)


def source(path: str, given: dict[str, Any]) -> Source:
    """Open a data file with the reading options given on the command line."""
    import tallystick as ts

    opened: Source = ts.read(
        None if given.get("sql") else path,
        sql=path if given.get("sql") else None,
        table=given.get("table"),
        encoding=given.get("encoding"),
        sep=_separator(given.get("sep")),
        header=given.get("header"),
        decimal=given.get("decimal"),
        day_first=given.get("day_first"),
        missing=given.get("missing") or None,
        bad_rows=given.get("bad_rows"),
        strict=given.get("strict", False),
        inf=given.get("inf", "error"),
        memory=given.get("memory"),
        unpack=given.get("unpack", False),
    )
    if given.get("memory") is None:
        return opened
    from tallystick.io import scratch
    from tallystick.io import scratch as size

    scratch.give_back_at_once()
    return size.within(opened, size.budget(given["memory"]))  # also where rows are only answered


def _separator(text: str | None) -> str | None:
    return {"tab": "\t", "\\t": "\t"}.get(text, text) if text else None


def column_parameters(given: dict[str, Any]) -> dict[str, Any]:
    """Return what the user said about columns, as the parameters that every estimator and `describe` take."""
    from tallystick.schema import Columns
    from tallystick.text import read_merges

    levels = (pair(text, "--levels", "size=S,M,L") for text in given["levels"])
    columns = Columns(
        kinds=dict(pair(text, "--kind", "age=numeric") for text in given["kinds"]),
        levels={name: values.split(",") for name, values in levels},
        missing=given["missing"] or None,
        keep=given["keep"],
        merge=read_merges(given["merge"]),
    )
    return {"columns": columns, "threads": given["threads"], "memory": given["memory"]}


def shares(text: str) -> tuple[float, ...]:
    """Return numbers separated by commas; what is not a number is refused by the same rules."""
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise OptionError(f"--parts takes numbers such as 0.6,0.2,0.2, not {shown(text)}.") from None


def show_progress(estimator: Any, progress: Any) -> None:
    """Have an estimator tell how far it is."""
    from tallystick.engine import Local

    work = Local(estimator.threads, estimator.memory, progress)
    estimator.set_params(engine=work, threads=None, memory=None)


def pair(text: str, option: str, example: str) -> tuple[str, str]:
    """Return name and value of NAME=VALUE, as an option takes them."""
    name, equals, value = text.partition("=")
    if not equals or not name or not value:
        raise OptionError(f"{option} {shown(text)} is not NAME=VALUE. Write for example {option} {example}.")
    return name, value


# What a person sees: lines with or without colour, JSON, a progress bar on a terminal and silence in a
# pipe.

STYLES = {
    "": "",
    "strong": "bold",
    "dim": "dim",
    "good": "green",
    "bad": "red",
    "note": "yellow",
    "bar": "cyan",
}

PATIENCE = 0.5  # seconds without a bar

Progress = Callable[..., None]  # (done, total, ...)


def is_terminal(stream: TextIO) -> bool:
    """Say whether a person is reading."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def cells() -> int:
    """Return the width to write for: that of the terminal, within reason; 80 in a pipe."""
    return max(40, min(120, shutil.get_terminal_size((80, 24)).columns))


def show(lines: Iterable[Line], stream: TextIO | None = None) -> None:
    """Print lines, none wider than the screen; styles become colours on a terminal that has them."""
    stream, lines = stream or sys.stdout, [part for line in lines for part in folded(line, cells())]
    if not lines:
        return
    if not is_terminal(stream) or "NO_COLOR" in os.environ:
        print(plain(lines), file=stream)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=True)
    for line in lines:
        console.print(Text.assemble(*((span.text, STYLES[span.style]) for span in line)))


def say(text: str, stream: TextIO | None = None) -> None:
    """Print one sentence of ours, user's words in it cleaned by the caller."""
    show([(Span(text),)], stream)


def cleaned(text: str) -> str:
    """Return text of several lines, all but line ends made harmless, sentences in lines that fit."""
    return "\n".join(part for line in text.split("\n") for part in broken(clean(line)))


def broken(line: str) -> list[str]:
    """Return a sentence in lines that fit; so a line of a table, which has wide gaps, with what goes on
    indented.
    """
    if width(line) <= cells():
        return [line]
    if "  " in line.strip():
        return plain(folded((Span(line),), cells())).split("\n")
    return plain(wrapped(line, cells())).split("\n")


def show_json(data: Any, stream: TextIO | None = None) -> None:
    """Print plain data as JSON: ASCII only, so that nothing in it can reach a terminal as a command."""
    print(json.dumps(_read(data), indent=2, allow_nan=False), file=stream or sys.stdout)


def _read(data: Any) -> Any:
    """Return plain data with every message in the words of its reader."""
    if isinstance(data, dict):
        return {name: _read(value) for name, value in data.items()}
    if isinstance(data, list | tuple):
        return [_read(value) for value in data]
    return for_reader(data) if isinstance(data, Message) else data


def show_notes(notes: Iterable[Note], heading: str = "notes") -> None:
    """Print notes on stderr, so that they are seen and never mixed with results."""
    listed = list(notes)
    if listed:
        lines: list[Line] = [(Span(heading, "strong"),)]
        for note in notes_as_flags(listed):
            lines += wrapped(clean(note.text), cells(), "  - ", "note")
        show(lines, sys.stderr)


@contextlib.contextmanager
def progress(label: str) -> Iterator[Progress | None]:
    """Give a callback (done, total) that moves a bar on stderr when that is a terminal; None otherwise.

    Work that is done within half a second shows no bar.
    """
    if not is_terminal(sys.stderr):
        yield None
        return
    with contextlib.ExitStack() as stack:
        yield _Bar(label, stack).move


class _Bar:
    """A bar that appears when the work turns out to be long."""

    def __init__(self, label: str, stack: contextlib.ExitStack) -> None:
        self.label, self.stack, self.started = label, stack, time.monotonic()
        self.update: Progress | None = None

    def move(self, done: int, total: int, what: object = "", *_: object) -> None:
        """Show that `done` of `total` is done, and at what the work is, where it says so."""
        if self.update is None and time.monotonic() - self.started > PATIENCE:
            self.update = self._open()
        if self.update is not None:
            words = f"{self.label}: {cut(clean(what), 32)}" if isinstance(what, str) and what else self.label
            self.update(completed=done, total=total or None, description=words)

    def _open(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        # what has passed, not what is left: steps are few and of different lengths
        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
        bars = self.stack.enter_context(Bar(*columns, console=Console(file=sys.stderr), transient=True))
        task = bars.add_task(self.label, total=None)
        return functools.partial(bars.update, task)


# Wishes about a model that have flags of their own: those of a scorecard, and what others share with it.
# No method: a flag sets the parameter of its name, and a method without that parameter refuses it.

FLAGS = {  # the flag of each parameter
    "points_to_double": "--points-to-double",
    "ranges": "--ranges",
    "cuts": "--cuts",
    "monotone": "--monotone",
    "pairs": "--pairs",
    "max_lines": "--max-lines",
    "max_columns": "--max-columns",
    "l2": "--l2",
    "class_weight": "--class-weight",
    "population": "--population",
}
column_options = together(
    click.option(
        FLAGS["points_to_double"], type=int, metavar="N", help="Card: points that double the odds (20)."
    ),
    click.option(FLAGS["ranges"], type=int, metavar="N", help="Card: the most ranges of a number (32)."),
    click.option(
        FLAGS["cuts"],
        multiple=True,
        metavar="NAME=A,B,...",
        help="Card: where the ranges of a column begin, e.g. age=25,40,60.",
    ),
    click.option(
        FLAGS["monotone"],
        multiple=True,
        metavar="NAME=WAY[:LABEL]",
        help="Card: a column whose points only rise or fall, e.g. income=falling; of more than two classes "
        "those of one, e.g. income=rising:gold.",
    ),
    click.option(
        FLAGS["pairs"],
        type=int,
        metavar="N",
        help="Card: the most pairs of columns; 0: none. Else those that the rows pay for.",
    ),
    click.option(FLAGS["max_lines"], type=int, metavar="N", help="Card: the most lines of a column."),
    click.option(
        FLAGS["max_columns"], type=int, metavar="N", help="Card: the most columns, those that say most."
    ),
    click.option(
        FLAGS["l2"],
        metavar="NUMBER",
        help="How strongly points or weights are held towards 0: a number, cv, or auto (card).",
    ),
    click.option(
        FLAGS["class_weight"],
        multiple=True,
        metavar="LABEL=W",
        help="What a row of a class counts, e.g. bad=5; or balanced.",
    ),
    click.option(
        FLAGS["population"],
        multiple=True,
        metavar="LABEL=SHARE",
        help="Card: the share of each class where it will be used, e.g. bad=0.03.",
    ),
)


def parameters(given: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters that were wished for, as Python takes them."""
    out = {name: given[name] for name in FLAGS if given.get(name) not in (None, ())}
    if "l2" in out:
        out["l2"] = _number_or_word(out["l2"])
    if "cuts" in out:
        out["cuts"] = {name: _numbers(name, text) for name, text in _pairs("cuts", out, "age=25,40,60")}
    if "monotone" in out:
        out["monotone"] = {name: _way(text) for name, text in _pairs("monotone", out, "income=falling")}
    if "population" in out:
        out["population"] = _by_label("population", out, "bad=0.03")
    if "class_weight" in out:
        balanced = out["class_weight"] == ("balanced",)
        out["class_weight"] = "balanced" if balanced else _by_label("class_weight", out, "bad=5")
    return out


def refuse_others(method: str, wished: Iterable[str]) -> None:
    """Refuse a wish that a method does not take, naming the methods that do."""
    for name in wished:
        if method not in (takers := _takers(name)):
            raise OptionError(
                f"{FLAGS[name]} is not for --model {method}. Use it with {' or '.join(_models(takers))}."
            )


def refuse_unnamed(wished: Iterable[str]) -> None:
    """Refuse wishes about one method where none is named."""
    for name in wished:
        models = " or ".join(_models(_takers(name)))
        raise OptionError(f"{FLAGS[name]} is for one method. Name it: {models}.")


def _takers(name: str) -> list[str]:
    """Return the methods that take a parameter; what a tree calls cuts is another thing."""
    if name == "cuts":
        return ["card"]
    return [m for m in (*NAMES, *NUMBERS) if name in named(m).load("estimator")().get_params()]


def _models(names: Iterable[str]) -> list[str]:
    return [f"--model {name}" for name in names]


def _pairs(name: str, out: dict[str, Any], example: str) -> list[tuple[str, str]]:
    found = [pair(text, FLAGS[name], example) for text in out[name]]
    names = [key for key, _ in found]
    for key in names:
        if names.count(key) > 1:
            raise OptionError(f"{FLAGS[name]} names {shown(key)} twice. Give it once.")
    return found


def _way(text: str) -> str | dict[str, str]:
    way, of, label = text.partition(":")
    return {label: way} if of else way


def _numbers(name: str, text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise OptionError(
            f"--cuts of {shown(name)} must be numbers with commas between them, such as {name}=25,40,60, "
            f"not {shown(text)}."
        ) from None


def _by_label(name: str, out: dict[str, Any], example: str) -> dict[str, float]:
    found = {}
    for label, text in _pairs(name, out, example):
        value = _number_or_word(text)
        if isinstance(value, str):
            raise OptionError(f"{FLAGS[name]} of {shown(label)} must be a number, not {shown(text)}.")
        found[label] = value
    return found


def _number_or_word(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


# Messages in the words of the command line: what Python writes kinds={'x': 'out'} is --kind x=out here.

FLAGS_FLAGS = {  # flags that take a value, by the name of the argument
    "bad_rows": "--bad-rows",
    "by": "--by",
    "decimal": "--decimal",
    "encoding": "--encoding",
    "groups": "--groups",
    "inf": "--inf",
    "keep": "--keep",
    "kinds": "--kind",
    "levels": "--levels",
    "memory": "--memory",
    "merge": "--merge",
    "missing": "--missing",
    "missing_columns": "--missing-columns",
    "repeats": "--repeats",
    "sep": "--sep",
    "table": "--table",
    "time": "--time",
    **FLAGS,
}
SWITCHES = {
    ("day_first", True): "--day-first",
    ("day_first", False): "--month-first",
    ("header", True): "--header",
    ("header", False): "--no-header",
    ("lenient", True): "--lenient",
    ("strict", True): "--strict",
    ("unpack", True): "--unpack",
    ("RegressionTree", None): "tally fit --regression",
}
HOLDERS = {"encoding": "NAME", "kinds": "NAME=KIND", "missing": "MARK"}  # where only the user knows the value


def flag(given: Argument) -> str:
    """Return an argument as it is typed in a shell."""
    name, value = given.name, given.value
    if not isinstance(value, list | dict) and (name, value) in SWITCHES:
        return SWITCHES[name, value]
    if name not in FLAGS_FLAGS:
        return f"--set {name}" + ("" if value is None else f"={str(value).lower()}")
    return FLAGS_FLAGS[name] + ("" if value is None else f" {_typed(name, value)}")


def _typed(name: str, value: Any) -> str:
    if name == "merge":
        return " --merge ".join(shlex.quote(_plain(line)) for line in typed_merges(value))
    if isinstance(value, dict):  # by column; one pair
        ((column, value),) = value.items()
        if value is not ...:
            name = "NAME" if column is ... else _plain(column)
            return shlex.quote(f"{name}={'A,B' if value == [...] else _plain(value)}")
    value = value[0] if isinstance(value, list) else value
    if value is ...:
        return HOLDERS[name]
    return "tab" if value == "\t" else shlex.quote(_plain(value))


def _plain(value: Any) -> str:
    return shown(value)[1:-1]  # nothing hostile, and not too long


def as_flags(text: str) -> str:
    """Return a message with every argument in it named as the flag that stands for it."""
    return worded(text, flag)


def notes_as_flags(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Return notes in the words of the command line."""
    return tuple(replace(note, text=as_flags(note.text)) for note in notes)


def checks_as_flags(checks: Iterable[Check]) -> tuple[Check, ...]:
    """Return checks in the words of the command line."""
    return tuple(replace(c, text=as_flags(c.text), advice=as_flags(c.advice)) for c in checks)
