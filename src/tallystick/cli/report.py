"""tally report: one HTML file that a board can read."""

from __future__ import annotations

import sys
from typing import Any

import click

from tallystick.cli import options, screen
from tallystick.cli.options import says_number
from tallystick.draw.text import Line, Span, clean, wrapped
from tallystick.errors import OptionError


@click.command()
@click.argument("data", metavar="FILE", type=click.Path())
@click.option("--target", "-t", help="The column to be predicted; required without --against.")
@click.option(
    "--against",
    metavar="MODEL",
    type=click.Path(),
    help="A page on what changed in FILE, and in the answers, since this model was fitted.",
)
@click.option("--fail-on-change", is_flag=True, help="With --against: exit code 1 where something changed.")
@click.option(
    "--output",
    "-o",
    default="report.html",
    show_default=True,
    help="Where to write the page; - is standard output.",
)
@click.option("--save-model", metavar="MODEL", help="Also save the chosen model, for predict and verify.")
@click.option("--no-rows", is_flag=True, help="Show no raw row, and no leaf of a tree with a single row.")
@click.option(
    "--regression", is_flag=True, default=None, help="The target is a number, however few there are of it."
)
@options.by
@options.methods("Compare only these.")
@click.option("--tuned", is_flag=True, help="Compare the methods tuned as well: slower.")
@click.option("--folds", type=click.IntRange(min=2),
              help="Number of folds.  [default: 10; 5 where ten would be long]")  # fmt: skip
@click.option("--repeats", type=int, default=5, show_default=True,
              help="Subsets of the learning curve, up to 10,000; 0 leaves it out.")  # fmt: skip
@click.option("--title", default="", help="What the page calls the data; the file's name if not given.")
@options.columns
@options.reading
@options.common
def report(data: str, target: str | None, output: str, as_json: bool, **given: Any) -> None:
    """Compare the methods on FILE, choose one, and write a page that says what decides the target and how
    well.

    The page is one file without a server or network: it opens from disk, prints, and its what-if form
    computes in the page itself.
    """
    import tallystick as ts

    if given["against"] is not None:
        return report_changes(data, output, as_json, given)
    if target is None:
        raise OptionError("report needs the column to be predicted, or a model. Add --target or --against.")
    options.keep_apart([data], {"-o": output, "--save-model": given["save_model"]})
    with screen.progress("reporting") as progress:
        found = ts.report(
            options.source(data, given),
            target,
            methods=given["methods"] or None,
            tuned=given["tuned"],
            folds=given["folds"],
            repeats=given["repeats"],
            rows=not given["no_rows"],
            regression=says_number(target, given) or None,
            by=given["by"],
            title=given["title"],
            progress=progress,
            **options.wishes(given),
        )
    if output == "-":
        sys.stdout.write(found.html)
    else:
        found.save(output)
    if given["save_model"] is not None:
        if not found.model._kind:
            raise OptionError("no method beat the baseline: there is no model to save.")
        found.model.save(given["save_model"])
    if as_json:
        result = found.to_dict() | {"saved": output, "bytes": len(found.html.encode())}
        screen.show_json(result, sys.stderr if output == "-" else None)
        return
    screen.show(in_words(found, output), sys.stderr if output == "-" else None)


def report_changes(data: str, output: str, as_json: bool, given: dict[str, Any]) -> None:
    """Write the page on what changed since a model was fitted."""
    from tallystick.description import show_changes
    from tallystick.estimators.change_report import change_report

    options.keep_apart([data, given["against"]], {"-o": output})
    with screen.progress("comparing"):
        source = options.source(data, given)
        found = change_report(source, given["against"], given["title"], given["threads"])
    if output == "-":
        sys.stdout.write(found.html)
    else:
        found.save(output)
    aside = sys.stderr if output == "-" else None
    if as_json:
        screen.show_json(found.to_dict() | {"saved": output, "bytes": len(found.html.encode())}, aside)
    else:
        screen.show(show_changes.page(found.changes, screen.cells()), aside)
        screen.show([saved_line(found.html, output)], aside)
    if given["fail_on_change"] and found.changes:
        sys.exit(1)


def saved_line(html: str, output: str) -> Line:
    """Return where a page lies, and how large it is."""
    place = "standard output" if output == "-" else clean(output)
    size = max(len(html.encode()) / 1e6, 0.1)
    return (Span("saved ", "good"), Span(f"{place}: {size:.1f} MB; open it in a browser"))


def in_words(found: Any, output: str) -> list[Line]:
    """Return the answer, and where the page lies."""
    lines: list[Line] = []
    for sentence in found.answer:
        lines += wrapped(clean(sentence), screen.cells())
    return [*lines, saved_line(found.html, output)]
