"""tally work: the complete worked solution of a small table, as a page to read, print or hand out."""

from __future__ import annotations

import sys
from typing import Any

import click

from tallystick.cli import options, screen
from tallystick.cli.explain import check_row
from tallystick.cli.fit import settings
from tallystick.errors import OptionError, shown
from tallystick.working.methods import NAMES

FORMATS = ("text", "markdown", "latex", "html")


@click.command()
@click.argument("data", metavar="FILE", type=click.Path())
@click.option("--target", "-t", required=True, help="The column to be predicted.")
@click.option(
    "--model",
    "method",
    type=click.Choice(NAMES),
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
    from tallystick.data.read.match import every_row

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
        **options.wishes(given),
        **settings(given["settings"]),
    )
    if as_json:
        if output is not None:
            raise OptionError("--json prints; it does not go with -o. Leave out one of them.")
        screen.show_json(found.to_dict())
    elif output is not None:
        found.save(output)
        screen.say(f"saved {screen.cleaned(output)}")
    else:
        text = getattr(found, given["format"])()
        sys.stdout.write(screen.cleaned(text) if screen.is_terminal(sys.stdout) else text)


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
