"""tally separable: does a plane separate the classes?"""

from __future__ import annotations

from typing import Any

import click

from tallystick.cli import options, screen


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

    known = options.wishes(given)["columns"]
    found = ts.separable(options.source(data, given), target, kinds=known.kinds, memory=given["memory"])
    if as_json:
        screen.show_json(found.to_dict())
        return
    print(screen.cleaned(str(found)))
