"""tally draw: pictures of the ideas, from a file or from the formula alone."""

from __future__ import annotations

from typing import Any

import click

from tallystick.cli import options, screen
from tallystick.errors import OptionError

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
        screen.show_json({"picture": path, "what": what})
    else:
        print(screen.cleaned(f"saved {path}; a browser shows it"))


def _drawn(
    what: str,
    data: str | None,
    target: str | None,
    methods: tuple[str, ...],
    column: tuple[str, ...],
    given: dict[str, Any],
) -> str:
    from tallystick import pictures

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
    return str(getattr(pictures, what)(source, target, **more, **options.wishes(given)))


def _one(column: tuple[str, ...]) -> str:
    if len(column) > 1:
        raise OptionError("this picture takes one --column.")
    return column[0]
