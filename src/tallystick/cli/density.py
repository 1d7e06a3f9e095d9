"""tally density: the groups of rows in a file, in sentences; how likely new rows are; rows like them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import click

from tallystick.cli import options, screen
from tallystick.cli.fit import Content, in_words, settings, summary
from tallystick.draw.text import Line, Span, clean, wrapped
from tallystick.errors import OptionError, shown

if TYPE_CHECKING:
    import pyarrow as pa

    from tallystick.estimators import DensityTree

TIED = "\0"  # stands for a space at which no line ends


@click.command()
@click.argument("data", metavar="FILE", type=click.Path())
@click.option(
    "--output", "-o", type=click.Path(), help="Where to save the tree, e.g. votes.tally.json; else it is not."
)
@click.option(
    "--set",
    "settings_",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a parameter of the tree, e.g. max_leaf_nodes=8.",
)
@click.option(
    "--leaves", type=click.IntRange(min=1), default=20, show_default=True, help="The most leaves to tell."
)
@click.option("--score", metavar="NEW", type=click.Path(), help="Say how likely the rows of this file are.")
@click.option("--sample", type=click.IntRange(min=1), metavar="N", help="Draw N rows like those of FILE.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Where drawing begins."
)
@click.option(
    "--rows",
    type=click.Path(allow_dash=True),
    help="Where the drawn rows, or the likelihood of each scored row, go (.csv, .jsonl, .parquet); "
    "- is standard output.",
)
@options.picture
@options.columns
@options.reading
@options.common
def density(data: str, output: str | None, rows: str | None, as_json: bool, **given: Any) -> None:
    """Find groups of rows that are alike: a tree without a target whose leaves hold all columns.

    FILE has the rows; or it is a density tree that was saved before. Prints a sentence for each leaf.
    """
    writes = {"-o": output, "--picture": given["picture"], "--rows": rows}
    options.keep_apart([data, *([given["score"]] if given["score"] else [])], writes)
    _refuse(rows, as_json, given)
    known = _known(data)
    tree = known or _learned(data, given)
    content = Content.of(tree)
    if output is not None:
        tree.save(output)
    options.save_picture(given["picture"], tree.picture)
    made = _made(tree, given)
    mean = None if given["score"] is None else tree.score(options.source(given["score"], given))
    page = sys.stderr if rows == "-" else sys.stdout
    if as_json:
        leaves = [leaf.to_dict() for leaf in tree.leaves_]
        found = summary(tree, content) | {"leaves": leaves, "saved": output, "mean_log_likelihood": mean}
        screen.show_json(found, page)
    else:
        screen.show(_lines(tree, given["leaves"]), page)
        screen.show(_score_lines(mean, given["score"]), page)
        screen.show(in_words(tree, content, output), page)
        screen.show_notes(tree.notes_ if known is not None else (*tree.source_notes_, *tree.notes_))
    if rows is not None:
        from tallystick.cli.rows import write_rows

        write_rows(made, None if rows == "-" else rows, False)


def _refuse(rows: str | None, as_json: bool, given: dict[str, Any]) -> None:
    """Refuse flags that do not go together."""
    if given["score"] is not None and given["sample"] is not None:
        raise OptionError("--score and --sample both write --rows. Leave out one of them.")
    if given["sample"] is not None and rows is None:
        raise OptionError("--sample needs a place for the rows. Add --rows FILE.csv, or --rows - to print.")
    if rows is not None and given["sample"] is None and given["score"] is None:
        raise OptionError("--rows says where rows go. Add --sample N or --score NEW.")


def _known(data: str) -> DensityTree | None:
    """Return the tree that a model file holds; None where the file has rows."""
    from tallystick.estimators import load
    from tallystick.export.file import is_model_file

    if not is_model_file(data):
        return None
    found = load(data)
    if found._predicts:
        raise OptionError(
            f"{shown(data)} is a {found.model_.kind}, not a density tree. Give rows, or a tree."
        )
    return cast("DensityTree", found)


def _learned(data: str, given: dict[str, Any]) -> DensityTree:
    from tallystick.estimators.density import DensityTree

    tree = DensityTree(**options.wishes(given))
    tree.set_params(**settings(given["settings_"]))
    with screen.progress("fitting") as progress:
        options.show_progress(tree, progress)
        tree.fit(options.source(data, given))
    tree.set_params(engine__progress=None)
    return tree


def _made(tree: DensityTree, given: dict[str, Any]) -> Iterator[pa.Table]:
    """Yield the rows that are asked for: drawn ones, or the likelihood and the leaf of each scored row."""
    import pyarrow as pa

    if given["sample"] is not None:
        yield tree.sample(given["sample"], given["seed"])
    elif given["score"] is not None:
        likely = tree.score_samples(options.source(given["score"], given))
        leaf = tree.apply(options.source(given["score"], given))
        yield pa.table({"log_likelihood": pa.array(likely), "leaf": pa.array(leaf)})


def _lines(tree: DensityTree, leaves: int) -> list[Line]:
    head, *rest = tree.show(leaves=leaves).split("\n")
    out: list[Line] = [(Span(clean(head), "strong"),)]
    for line in rest:
        kept = wrapped(clean(line).replace(" %", f"{TIED}%"), screen.cells(), "  ")  # 12 and % on one line
        out += [tuple(replace(span, text=span.text.replace(TIED, " ")) for span in part) for part in kept]
    return out


def _score_lines(mean: float | None, name: str | None) -> list[Line]:
    if mean is None:
        return []
    return [(Span(f"mean log-likelihood of the rows of {clean(name)}: {mean:.4f}"),)]
