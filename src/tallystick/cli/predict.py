"""tally predict: the class of each row of a file, by a saved model."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

import click

from tallystick.cli import options, screen
from tallystick.cli.deciding import WishedDecision, decisions, set_wished, wished
from tallystick.data.schema import Note
from tallystick.draw.text import clean, wrapped
from tallystick.errors import DataError, OptionError, counted, nearest, page_limit, shown, some, with_article

if TYPE_CHECKING:
    import pyarrow as pa

    from tallystick.contracts import Source
    from tallystick.estimators import Classifier
    from tallystick.estimators.answers import MetRows, Wanted

HELD = 200_000  # answers that wait until it is known whether there are any


@click.command()
@click.argument("model", metavar="MODEL", type=click.Path())
@click.argument("data", metavar="FILE", type=click.Path())
@click.option(
    "--output",
    "-o",
    type=click.Path(allow_dash=True),
    help="Write to a file (.csv, .jsonl, .parquet) instead of printing CSV; - is standard output.",
)
@click.option("--proba", "--all-classes", "proba", is_flag=True, help="Add the probability of every class.")
@click.option(
    "--with", "carried", multiple=True, metavar="NAME", help="Copy a column of FILE into the output."
)
@click.option("--keep-columns", is_flag=True, help="Copy all columns of FILE into the output.")
@click.option("--raw", is_flag=True, help="Leave text that looks like a spreadsheet formula as it is.")
@options.matching
@click.option(
    "--flag-outside",
    is_flag=True,
    help="Add a column with the names of numeric columns outside the range of the training rows.",
)
@click.option(
    "--reasons",
    type=click.IntRange(1, 50),
    metavar="N",
    help="Scorecards only: add N columns with what cost the row most points, in words.",
)
@click.option(
    "--reasons-against",
    type=click.Choice(("best", "average")),
    default="best",
    show_default=True,
    help="What lost points are counted from: the best line of each column, or the average training row.",
)
@click.option(
    "--reasons-for",
    metavar="CLASS",
    help="The class that points count towards; the second of two, or the one answered, if not given.",
)
@decisions("predict")
@click.option(
    "--top",
    metavar="'CLASS: 10%'",
    help="Write only the rows with the highest probability of a class, e.g. 'bad: 10%' or 'bad: 100', the "
    "most probable first with their numbers in FILE, and say how many hits to expect.",
)
@click.option("--threads", type=click.IntRange(min=1), help="Threads to use; changes no result.")
@options.memory
@options.reading
@options.common
def predict(model: str, data: str, output: str | None, as_json: bool, **given: Any) -> None:
    """Predict the class of every row of FILE, or its number, with a saved MODEL.

    Columns are matched by name: their order means nothing, further columns are ignored, the target among
    them. The output has one row per row of FILE, in its order: the prediction and its probability; a
    regression has the predicted number. A row that cannot be read has an empty answer, and the reason in the
    column `unread`, which is there only then.
    """
    import tallystick as ts
    from tallystick.cli.top import TopWish, of_top, top_rows
    from tallystick.data.read.match import every_row
    from tallystick.estimators.answers import UNREAD, MetRows

    options.keep_apart([model, data], {"-o": "-" if output is None else output})
    wish = wished(given)
    top_wish = None if given["top"] is None else TopWish.read(given["top"])
    estimator = _answering(ts.load(model), model, wish, given)
    estimator.threads, estimator.memory = given["threads"], given["memory"]
    source = every_row(options.source(data, given))
    met, top = MetRows(), None
    if top_wish is not None:
        top = top_rows(estimator, source, _wanted(given), top_wish)
    answers = predicted(estimator, source, met, given)
    if given["bad_rows"] is None:
        answers = _reasons_if_any(answers)
    elif given["bad_rows"] == "error" or given["strict"]:
        answers = (part.drop_columns([UNREAD]) for part in answers)
    if top is not None:
        answers = of_top(answers, top, not given["proba"])
    if as_json:
        if output is not None:
            raise OptionError("--json prints; it does not go with -o. Leave out one of them.")
        rows = [row for part in answers for row in part.to_pylist()]
        more = {} if top is None else {"top": top.to_dict()}
        screen.show_json(met.to_dict(source.notes) | more | {"predictions": rows})
        return
    from tallystick.cli.rows import write_rows

    count = write_rows(answers, None if output == "-" else output, given["raw"])
    if output not in (None, "-"):
        classes = "" if top or estimator._regression else met.classes()
        print(clean(f"{count:,} row{'s' * (count != 1)} -> {output}{classes}"))
    if top is not None:
        screen.show(wrapped(clean(str(top)), screen.cells(), "top: "), sys.stderr)
    say(met, source.notes)


def _answering(estimator: Any, name: str, wish: WishedDecision, given: dict[str, Any]) -> Classifier:
    """Return a loaded model, by what was typed instead of what is kept with it; what only classes have is
    refused of numbers.
    """
    asked = next((f"--{n}" for n in ("proba", "reasons", "top") if given[n]), "")
    if not estimator._predicts:
        raise OptionError(
            f"{shown(name)} is a {estimator.model_.kind}, which predicts nothing. How likely it makes rows "
            "says tally density MODEL --score FILE."
        )
    if estimator._regression and (asked or wish.any):
        raise OptionError(
            f"{shown(name)} is {with_article(estimator.model_.kind)}, which predicts numbers. Leave out "
            f"{asked or 'costs and thresholds'}: there are no classes."
        )
    return set_wished(estimator, wish) if wish.any else cast("Classifier", estimator)


def say(met: MetRows, reading: tuple[Note, ...]) -> None:
    """Print one line on stderr for each thing worth knowing, beginning with how the file was read."""
    notes = [*reading, *met.told()]
    for what, unseen in zip(("levels", "words"), met.unseen_by_kind(), strict=True):
        if unseen:
            notes.append(Note("unseen", f"{what} the model has never seen: {_counts(unseen)}"))
    if unreadable := +met.unreadable:
        text = f"cells that are not numbers, taken as missing: {_counts(unreadable)}"
        notes.append(Note("unreadable", text))
    if outside := +met.outside:
        text = f"values outside the range of the training rows: {_counts(outside)}"
        notes.append(Note("outside", text))
    if missing := +met.missing:
        notes.append(Note("missing", f"missing cells: {_counts(missing)}"))
    if met.prior_only:
        notes.append(
            Note(
                "prior-only",
                f"{counted(met.prior_only, 'row')} that fit no class; answered by the class frequencies",
            )
        )
    screen.show_notes(notes)


def _counts(counts: Counter[str]) -> str:
    """Return counts by column, the largest first."""
    total, top = sum(counts.values()), counts.most_common(page_limit(5))
    rest = len(counts) - len(top)
    more = f", {rest:,} more column{'s' * (rest > 1)}" if rest else ""
    return f"{total:,} ({', '.join(f'{name} {n:,}' for name, n in top)}{more})"


def predicted(
    estimator: Classifier, source: Source, met: MetRows, given: dict[str, Any]
) -> Iterator[pa.Table]:
    """Yield prediction and probability of every row, batch by batch, with the columns of FILE that are
    wanted beside them; what is met is counted in `met`.
    """
    from tallystick.estimators.answers import answer_tables
    from tallystick.estimators.number_answers import number_tables

    if given["reasons"] is None and (given["reasons_for"] is not None or given["reasons_against"] != "best"):
        raise OptionError("--reasons-for and --reasons-against say how reasons are counted. Add --reasons 4.")
    answering = number_tables if estimator._regression else answer_tables
    tables = answering(estimator, source, met, _wanted(given))
    first = next(tables)
    carried = Carried(source, _carried_names(source, given, first.column_names, met))
    yield carried.beside(first)
    for table in tables:
        yield carried.beside(table)


def _wanted(given: dict[str, Any]) -> Wanted:
    """Return what was asked for beside the label."""
    from tallystick.estimators.answers import Wanted

    return Wanted(
        proba=given["proba"],
        outside=given["flag_outside"],
        reasons=given["reasons"],
        against=given["reasons_against"],
        towards=given["reasons_for"],
        lenient=given["lenient"],
        missing_columns=given["missing_columns"],
    )


def _reasons_if_any(answers: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Yield the answers, without the column of reasons where every row of FILE could be read.

    Of long files the column is kept: what is written cannot wait for their end.
    """
    from tallystick.estimators.answers import UNREAD

    held, rows, lost = [], 0, 0
    for part in answers:
        held.append(part)
        rows += part.num_rows
        lost += part.num_rows - part.column(UNREAD).null_count
        if rows > HELD:
            break
    keep = lost > 0 or rows > HELD
    yield from held if keep else (part.drop_columns([UNREAD]) for part in held)
    yield from answers


def _carried_names(source: Source, given: dict[str, Any], answers: list[str], met: MetRows) -> list[str]:
    """Return the columns of the input that go into the output; those called as an answer do not."""
    for name in given["carried"]:
        if name not in source.columns:
            raise DataError(f"{source.name} has no column {shown(name)}.{nearest(name, source.columns)}")
        if name in answers:
            raise OptionError(f"--with {shown(name)}: the output has a column of that name already.")
    if not given["keep_columns"]:
        return list(given["carried"])
    if lost := [name for name in source.columns if name in answers]:
        text = f"not copied, as the output has columns of these names already: {some(lost)}."
        met.notes[Note("not-copied", text, count=len(lost))] = None
    return [name for name in source.columns if name not in answers]


class Carried:
    """Columns of the input, walked beside the answers: both have the rows in the order of the source."""

    def __init__(self, source: Source, names: list[str]) -> None:
        self.names = names
        self.walk = source.batches() if names else iter(())
        self.held: list[Any] = []

    def beside(self, answers: pa.Table) -> pa.Table:
        """Return the answers with the same rows of the input before them."""
        import pyarrow as pa

        from tallystick.data.source.alike import one_table

        if not self.names:
            return answers
        wanted = max(answers.num_rows, 1)  # one row at least: the types must be known from the beginning
        while sum(part.num_rows for part in self.held) < wanted:
            batch = next(self.walk, None)
            if batch is None:
                break
            self.held.append(batch.select(self.names))
        rows = one_table(self.held, self.names)
        self.held = rows.slice(answers.num_rows).to_batches()
        some = rows.slice(0, answers.num_rows)
        return pa.table([*some.columns, *answers.columns], names=[*self.names, *answers.column_names])
