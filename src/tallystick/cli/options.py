"""Options that several commands share: how to read a file, what its columns are.

Knows click. Knows no data: a source is opened by `ts.read`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tallystick.errors import OptionError, show_every_line, shown
from tallystick.methods import CHOICES, NUMBERS, variant

if TYPE_CHECKING:
    from tallystick.contracts import Source

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
    told = f"{target}=numeric"
    said = bool(given["regression"]) or told in given["kinds"]
    given["kinds"] = tuple(kind for kind in given["kinds"] if kind != told)
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

_COMMON = (
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
_READING = (
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
_COLUMNS = (
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

_MATCHING = (
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


def _all(options: Iterable[Callable[[F], F]]) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        for option in reversed(tuple(options)):
            function = option(function)
        return function

    return decorate


picture = click.option("--picture", metavar="FILE.svg", type=click.Path(), help="Also save the picture.")


def keep_apart(reads: Iterable[str], writes: Mapping[str, str | None]) -> None:
    """Refuse, before any work, to write over what is read, twice into one file, a picture that is not SVG,
    or where nothing can be.
    """
    from tallystick.files import apart

    for option in ("--picture", "--save-model"):
        if writes.get(option) == "-":
            raise OptionError(f"{option} takes the name of a file: standard output is for the answer.")
    apart.keep_apart(reads, writes)
    if (picture := writes.get("--picture")) is not None:
        from tallystick.draw.svg import check_svg

        check_svg(picture)
    apart.check_places(writes)


def save_picture(path: str | None, draw: Callable[[], str]) -> None:
    """Draw and write a picture, when one is wanted."""
    if path is not None:
        from tallystick.export.file import save

        save(path, draw().encode(), "picture")


memory = click.option(
    "--memory", metavar="SIZE", help="Work within this much memory, e.g. 1GB; changes no result."
)

common = _all(_COMMON)  # --json --all --debug
reading = _all(_READING)  # how a file is read
columns = _all(_COLUMNS)  # what its columns are
matching = _all(_MATCHING)  # new rows that are not as those of the fit


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
    from tallystick.data.source import scratch, size

    scratch.give_back_at_once()
    return size.within(opened, size.budget(given["memory"]))  # also where rows are only answered


def _separator(text: str | None) -> str | None:
    return {"tab": "\t", "\\t": "\t"}.get(text, text) if text else None


def wishes(given: dict[str, Any]) -> dict[str, Any]:
    """Return what the user said about columns, as the parameters that every estimator and `describe` take."""
    from tallystick.data.merge import read_merges
    from tallystick.data.schema import Columns

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
    from tallystick.engines.local import Local

    work = Local(estimator.threads, estimator.memory, progress)
    estimator.set_params(engine=work, threads=None, memory=None)


def pair(text: str, option: str, example: str) -> tuple[str, str]:
    """Return name and value of NAME=VALUE, as an option takes them."""
    name, equals, value = text.partition("=")
    if not equals or not name or not value:
        raise OptionError(f"{option} {shown(text)} is not NAME=VALUE. Write for example {option} {example}.")
    return name, value
