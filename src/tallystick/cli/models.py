"""tally verify and tally diff: is a model what its data gives, and what changed between two models."""

from __future__ import annotations

import hashlib
import sys
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from tallystick.cli import options, screen
from tallystick.draw.text import Line, Span, Style, clean, cut, wrapped
from tallystick.errors import page_limit

if TYPE_CHECKING:
    from tallystick.export.diff import Difference

SHOWN = 40  # changes listed on a page
FEW = 10  # where the largest changes were told before


@click.command()
@click.argument("model", metavar="MODEL", type=click.Path())
@click.argument("data", metavar="FILE", type=click.Path())
@click.option("--threads", type=click.IntRange(min=1), help="Threads to use; changes no result.")
@options.memory
@options.reading
@options.common
def verify(model: str, data: str, as_json: bool, **given: Any) -> None:
    """Fit again from FILE with the parameters in MODEL, and compare byte for byte.

    Exit code 0: the same bytes. Exit code 1: not the same; the first difference is shown.
    """
    from tallystick.export import from_bytes, read_file
    from tallystick.export.diff import compare

    kept = read_file(model)
    again = refitted(kept, data, given)
    same, digest = kept == again, hashlib.sha256(kept).hexdigest()
    if as_json:
        screen.show_json(
            {"same": same, "sha256": digest, "refitted_sha256": hashlib.sha256(again).hexdigest()}
        )
    elif same:
        words = f"{model}: refitting {data} gives the same {len(kept):,} bytes"
        screen.show([*headed("verified ", "good", words), (Span(f"sha256 {digest}", "dim"),)])
    else:
        screen.show(headed("differs ", "bad", f"{model} is not what {data} gives"))
        heading = (Span("what changed, from the model to the data", "strong"),)
        found = compare(from_bytes(kept), from_bytes(again))
        screen.show([*first_difference(kept, again), heading, *told(found)])
    if not same:
        sys.exit(1)


def headed(first: str, style: Style, text: str) -> list[Line]:
    """Return a sentence that opens with its verdict."""
    lines = wrapped(clean(text), screen.cells(), first)
    return [(Span(first, style), *lines[0][1:]), *lines[1:]]


def refitted(kept: bytes, data: str, given: dict[str, Any]) -> bytes:
    """Return the bytes of a model fitted to a file with the parameters of a kept one."""
    from tallystick.estimators import from_data
    from tallystick.estimators.verification import refuse_unrepeatable

    estimator = from_data(kept)
    refuse_unrepeatable(estimator)
    target = estimator.schema_.target
    work = {"threads": given["threads"], "memory": given.get("memory")}
    fresh = type(estimator)(**(estimator.get_params(deep=False) | work))
    with screen.progress("fitting again") as progress:
        options.show_progress(fresh, progress)
        table = fresh._read(options.source(data, given), target and target.name)
        fresh._fit_table(table)
        if estimator.profile_ is not None:
            fresh._keep_profile(table)
    fresh._decide_as(estimator)  # it is no part of learning
    return fresh._as_much_as(estimator).to_bytes()


def first_difference(kept: bytes, again: bytes) -> list[Line]:
    """Return the first line in which two model files differ, both versions."""
    one, two = kept.decode().splitlines(), again.decode().splitlines()
    at = next((i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
    texts = [lines[at] if at < len(lines) else "(ends here)" for lines in (one, two)]
    wide = screen.cells() - 12
    return [
        (Span(f"first difference: line {at + 1:,}"),),
        (Span("  kept      ", "dim"), Span(cut(clean(texts[0]), wide))),
        (Span("  refitted  ", "dim"), Span(cut(clean(texts[1]), wide))),
    ]


def flip_lines(found: Difference) -> list[Line]:
    """Return which answers differ, where rows were given."""
    if found.flips is None:
        return []
    first, *rest = found.flips.lines()
    lines = wrapped(clean(first), screen.cells(), "", "bad" if found.flips else "good")
    return [*lines, *(line for text in rest for line in wrapped(clean(text), screen.cells(), "  - ")), ()]


def largest_lines(found: Difference) -> list[Line]:
    """Return the shares, points or odds that moved most, and the heading of all changes."""
    if not found.largest:
        return []
    texts = [line for text in found.largest for line in wrapped(clean(text), screen.cells(), "  - ")]
    return [(Span("the largest changes", "strong"),), *texts, (Span("all changes", "strong"),)]


def told(found: Difference) -> list[Line]:
    """Return a sentence per change, the first SHOWN of them; few where the largest stand before them."""
    texts = [str(change) for change in found.changes[len(found.decided) :]]
    most = page_limit(FEW if found.largest else SHOWN)
    lines = [line for text in texts[:most] for line in wrapped(clean(text), screen.cells(), "  - ")]
    if len(texts) > most:
        lines.append((Span(f"    and {len(texts) - most:,} more changes (--all)", "dim"),))
    return lines


@click.command()
@click.argument("a", metavar="A", type=click.Path())
@click.argument("b", metavar="B", type=click.Path())
@click.option(
    "--on", metavar="FILE", type=click.Path(), help="Ask both the rows of FILE: which answers differ."
)
@options.memory
@options.reading
@options.common
def diff(a: str, b: str, on: str | None, as_json: bool, **given: Any) -> None:
    """Say in words what changed from model file A to model file B: the largest changes first.

    With --on FILE, first how many rows of FILE the two answer differently, which, and why.

    Exit code 0: the same bytes. Exit code 1: something changed.
    """
    from tallystick.estimators.flips import diff as difference

    found = difference(a, b, on=None if on is None else options.source(on, given))
    if as_json:
        screen.show_json(found.to_dict())
    elif not found:
        screen.show([(Span("the same", "good"), Span(": nothing changed"))])
    else:
        decided = [wrapped(clean(str(change)), screen.cells(), "", "bad") for change in found.decided]
        screen.show([(Span(f"from {clean(a)} to {clean(b)}", "strong"),), *chain.from_iterable(decided)])
        screen.show(flip_lines(found))
        screen.show([*largest_lines(found), *told(found)])
    if found:
        sys.exit(1)
