"""tally describe: what the columns are taken for, and every warning."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from tallystick.cli import options, screen
from tallystick.cli.flags import as_flags, notes_as_flags
from tallystick.errors import OptionError

if TYPE_CHECKING:
    from tallystick.description import Description


@click.command()
@click.argument("data", metavar="FILE", type=click.Path())
@click.option(
    "--target", "-t", help="The column to be predicted: adds information gain, gain ratio and best cut."
)
@click.option(
    "--against",
    metavar="MODEL",
    type=click.Path(),
    help="Say what changed in each column since this model was fitted.",
)
@click.option(
    "--fail-on-change",
    is_flag=True,
    help="With --against: exit code 1 where a column or the answers changed.",
)
@options.picture
@options.columns
@options.reading
@options.common
def describe(data: str, target: str | None, against: str | None, as_json: bool, **given: Any) -> None:
    """Say what the columns of FILE are taken for and why, what lies in them, and what they tell of a target.

    FILE: CSV and similar (also gzipped), Parquet, JSON lines, a pattern such as 'part-*.csv', or an SQL query
    such as "SELECT * FROM 'votes.csv'".
    """
    import tallystick as ts

    fail = given.pop("fail_on_change")
    if fail and against is None:
        raise OptionError("--fail-on-change needs something to compare with. Add --against MODEL.")
    options.keep_apart([data, *([against] if against else [])], {"--picture": given["picture"]})
    model = None if against is None else ts.load(against)
    source, wishes = options.source(data, given), options.wishes(given)
    with screen.progress("reading") as progress:
        found = ts.describe(source, target, progress=progress, against=model, **wishes)
    options.save_picture(given["picture"], found.picture)
    if as_json:
        screen.show_json(found.to_dict())
    elif found.changes is not None:
        from tallystick.description import show_changes

        screen.show(show_changes.page(found.changes, screen.cells()))
    else:
        from tallystick.description.text import page

        screen.show(page(_in_flags(found), screen.cells()))
    if fail and found.changes:
        sys.exit(1)


def _in_flags(found: Description) -> Description:
    """Return the description with every cure in the words of the command line."""
    columns = tuple(replace(c, why=as_flags(c.why)) for c in found.columns)
    return replace(found, columns=columns, notes=notes_as_flags(found.notes))
