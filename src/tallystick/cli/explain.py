"""tally explain: why a row of a file gets its answer: the path down a tree, or the columns' votes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tallystick import errors
from tallystick.cli import options, screen
from tallystick.draw.text import Line, Span, clean, table
from tallystick.errors import OptionError
from tallystick.methods import of_kind

if TYPE_CHECKING:
    from tallystick.contracts import Source


@click.command()
@click.argument("model", metavar="MODEL", type=click.Path())
@click.argument("data", metavar="FILE", type=click.Path())
@click.option(
    "--row",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Which row, counted from 1; the header is not counted.",
)
@options.matching
@options.picture
@options.memory
@options.reading
@options.common
def explain(model: str, data: str, row: int, as_json: bool, **given: Any) -> None:
    """Say why MODEL answers a row of FILE as it does.

    A tree: every test on the row's way, with the counts of the rows that went there. Naive Bayes: what each
    column adds to the log-odds, and the counts it comes from. Logistic regression: what each column adds.

    Rows are counted from 1, as in every message of this program: row 3 of a CSV file with a header is its
    fourth line.
    """
    import tallystick as ts
    from tallystick.data.read.match import every_row

    options.keep_apart([model, data], {"--picture": given["picture"]})
    estimator: Any = ts.load(model)
    estimator.memory = given["memory"]
    source = every_row(options.source(data, given))
    check_row(source, row)
    found = estimator.explain(
        source, row - 1, lenient=given["lenient"], missing_columns=given["missing_columns"]
    )
    options.save_picture(given["picture"], found.picture)
    counts = of_kind(estimator.model_.kind).load("counts")(estimator.model_, found)
    if as_json:
        more = {"counts": [dict(zip(("column", "value", "counts"), c, strict=True)) for c in counts]}
        screen.show_json({"row": row} | found.to_dict() | (more if counts else {}))
        return
    screen.show([(Span(f"row {row:,} of {clean(source.name)}", "strong"),)])
    print(screen.cleaned(str(found)))
    if counts:
        screen.show([(), *counts_table(counts, found.classes)])


def check_row(source: Source, row: int) -> None:
    """Say it in the user's numbers when there is no such row."""
    count = 0
    for batch in source.batches():
        count += batch.num_rows
        if count >= row:
            return
    rows = errors.counted(count, "row")
    raise OptionError(f"--row {row:,} is not there: {source.name} has {rows}, counted from 1.")


def counts_table(counts: list[tuple[str, str, dict[str, int]]], classes: tuple[str, ...]) -> list[Line]:
    """Return the counts as a table: all that a model of counts knows of the row."""
    rows = [
        [Span(clean(column)), Span(clean(value)), *(Span(f"{n:,}") for n in by_class.values())]
        for column, value, by_class in counts
    ]
    heads = ["training rows with", "this value", *(clean(c) for c in classes)]
    return table(heads, rows, frozenset(range(2, len(heads))), screen.cells())
