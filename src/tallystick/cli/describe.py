"""tally describe: what the columns are taken for, and every warning."""

from __future__ import annotations

from typing import Any

import click

from tallystick.cli import options, screen


@click.command(short_help="What the columns of a file are taken for, and why.")
@click.argument("data", metavar="FILE", type=click.Path())
@click.option(
    "--target", "-t", help="The column to be predicted: adds information gain, gain ratio and best cut."
)
@click.option(
    "--all", "all_columns", is_flag=True, help="List every column, also when there are more than 100."
)
@click.option(
    "--against",
    metavar="MODEL",
    type=click.Path(),
    help="Say what changed in each column since this model was fitted.",
)
@options.picture
@options.columns
@options.reading
@options.common
def describe(
    data: str, target: str | None, all_columns: bool, against: str | None, as_json: bool, **given: Any
) -> None:
    """Say what the columns of FILE are taken for and why, what lies in them, and what they tell of a target.

    Reads CSV (also gzipped) and Parquet.
    """
    import tallystick as ts

    model = None if against is None else ts.load(against)
    source, wishes = options.source(data, given), options.wishes(given)
    with screen.progress("reading") as progress:
        found = ts.describe(source, target, progress=progress, against=model, **wishes)
    options.save_picture(given["picture"], found.picture)
    if as_json:
        screen.show_json(found.to_dict())
        return
    if found.changes is not None:
        from tallystick.description import show_changes

        screen.show(show_changes.page(found.changes, screen.cells()))
        return
    from tallystick.description.show import page

    screen.show(page(found, screen.cells(), all_columns))
