"""tally compare, tally curve: how good methods are on rows they have not seen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from tallystick.cli import options, screen
from tallystick.cli.deciding import decisions, wished
from tallystick.cli.flags import checks_as_flags
from tallystick.methods import COMPARED

_target = click.option("--target", "-t", required=True, help="The column to be predicted.")


@click.command()
@click.argument("data", metavar="FILE", type=click.Path())
@_target
@click.option("--folds", type=click.IntRange(min=2), default=10, show_default=True, help="Number of folds.")
@click.option("--groups", metavar="COLUMN", help="Rows with equal values of COLUMN stay in one fold.")
@click.option("--time", metavar="COLUMN", help="Train each fold on rows with earlier values of COLUMN only.")
@click.option("--parts", metavar="0.6,0.2,0.2", help="Shares of rows to train, validate and test; no folds.")
@click.option(
    "--held-out", metavar="FILE", type=click.Path(), help="Test on the rows of another file; no folds."
)
@click.option(
    "--regression", is_flag=True, help="The target is a number: methods for numbers beside the mean."
)
@options.by
@decisions("compare")
@options.measure
@options.methods("Compare only these.")
@click.option("--no-tuning", is_flag=True, help="Only the default settings of the methods: faster.")
@click.option("--ignore", multiple=True, metavar="CODE", help="Leave out a check, e.g. dependence.")
@options.picture
@options.columns
@options.reading
@options.common
def compare(
    data: str,
    target: str,
    folds: int,
    groups: str | None,
    time: str | None,
    parts: str | None,
    held_out: str | None,
    regression: bool,
    methods: tuple[str, ...],
    no_tuning: bool,
    ignore: tuple[str, ...],
    picture: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Cross-validate the methods on FILE, as they are and tuned, beside always answering the most
    frequent class.

    Every method sees the same folds, or the same rows held out. The razor takes the simplest within one
    standard error of the best.
    """
    import tallystick as ts

    options.keep_apart([data, *([held_out] if held_out else [])], {"--picture": picture})
    wish = wished(given)
    with screen.progress("comparing") as progress:
        found = ts.compare(
            options.source(data, given),
            target,
            methods=methods or None,
            tuned=not no_tuning,
            folds=folds if parts is None else options.shares(parts),
            groups=groups,
            time=time,
            held_out=None if held_out is None else options.source(held_out, given),
            regression=regression,
            by=given["by"],
            measure=given["measure"],
            ignore=ignore,
            progress=progress,
            **wish.judged,
            **options.wishes(given),
        )
    options.save_picture(picture, found.picture)
    if as_json:
        screen.show_json(found.to_dict())
        return
    print(screen.cleaned(str(replace(found, checks=checks_as_flags(found.checks), notes=()))))
    screen.show_notes(found.notes)


@click.command()
@click.argument("data", metavar="FILE", type=click.Path())
@_target
@options.methods("Draw only these.")
@click.option("--repeats", type=int, default=20, show_default=True, help="Random subsets, 1 to 10,000.")
@click.option(
    "--sizes",
    metavar="N,N,...",
    help="How many rows to train on, e.g. 10,20,50,100; one number says how many sizes.  [default: 10]",
)
@options.picture
@options.columns
@options.reading
@options.common
def curve(
    data: str,
    target: str,
    methods: tuple[str, ...],
    repeats: int,
    sizes: str | None,
    picture: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Train methods on growing subsets of FILE, and print the error on held-out rows."""
    import tallystick as ts

    options.keep_apart([data], {"--picture": picture})
    with screen.progress("training") as progress:
        found = ts.learning_curve(
            options.source(data, given),
            target,
            methods=methods or COMPARED,
            sizes=None if sizes is None else _sizes(sizes),
            repeats=repeats,
            progress=progress,
            **options.wishes(given),
        )
    options.save_picture(picture, found.picture)
    if as_json:
        screen.show_json(found.to_dict())
        return
    print(screen.cleaned(str(found)))


def _sizes(text: str) -> int | list[int]:
    """Return numbers of rows separated by commas; one alone is how many there are."""
    from tallystick.errors import OptionError, shown

    try:
        found = [int(part) for part in text.split(",")]
    except ValueError:
        raise OptionError(
            f"--sizes takes whole numbers such as 10,20,50, or one, how many sizes, not {shown(text)}."
        ) from None
    return found if len(found) > 1 else found[0]
