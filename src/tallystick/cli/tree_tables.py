"""tally splits, tally prune: why a tree tests what it tests, and how large it should be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from tallystick.cli import options, screen
from tallystick.errors import OptionError
from tallystick.methods import variant

F = TypeVar("F", bound=Callable[..., Any])
SHOWN = 40  # lines of a tree below its splits
_target = click.option("--target", "-t", required=True, help="The column to be predicted.")


def _model(default: str) -> Callable[[F], F]:
    return click.option(
        "--model",
        "method",
        metavar="NAME",
        default=default,
        show_default=True,
        help="The tree: tree, id3, c45, cart or regression, with settings after a colon, tree:max_depth=3.",
    )


@click.command()
@click.argument("data", metavar="FILE", type=click.Path())
@_target
@_model("id3")
@click.option(
    "--node", type=click.IntRange(min=0), default=0, show_default=True, help="The node; 0: the root."
)
@options.columns
@options.reading
@options.common
def splits(data: str, target: str, method: str, node: int, as_json: bool, **given: Any) -> None:
    """Grow a tree on FILE and print every candidate test of a node with its gain: why the chosen one won.

    Below them stands the tree with the numbers of its nodes.
    """
    tree = _tree(method, given).fit(options.source(data, given), target)
    found = tree.splits(node)
    if as_json:
        screen.show_json(found.to_dict())
        return
    print(screen.cleaned(f"{found}\n\n{tree.show(SHOWN, nodes=True)}"))


@click.command()
@click.argument("data", metavar="FILE", type=click.Path())
@_target
@_model("tree")
@click.option("--folds", type=click.IntRange(min=2), help="Number of folds; 10 if not given.")
@click.option("--parts", metavar="0.6,0.2,0.2", help="Shares of rows to train, validate and test; no folds.")
@click.option(
    "--held-out", metavar="FILE", type=click.Path(), help="Validate on the rows of another file; no folds."
)
@options.picture
@options.columns
@options.reading
@options.common
def prune(
    data: str,
    target: str,
    method: str,
    folds: int | None,
    parts: str | None,
    held_out: str | None,
    picture: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Grow a tree on FILE to the end and prune it step by step: the overfitting curve.

    Every line is a pruning, the root alone first. The training error falls with every leaf, the
    cross-validated one falls and rises again: a tree that goes on after that has learnt the rows by heart.
    With --held-out or --parts the rows of a validation set take the place of folds; a third part tests the
    pruning that they choose.
    """
    ways = {"folds": folds, "parts": parts, "held-out": held_out}
    asked = [name for name, way in ways.items() if way is not None]
    if len(asked) > 1:
        raise OptionError(f"--{asked[0]} and --{asked[1]} are two ways to validate. Use one of them.")
    options.keep_apart([data, *([held_out] if held_out else [])], {"--picture": picture})
    shares = None if parts is None else options.shares(parts)
    tree = _tree(method, given).set_params(pruning=None).fit(options.source(data, given), target)
    found = tree.pruning_path(
        folds=shares or folds or 10,
        held_out=None if held_out is None else options.source(held_out, given),
    )
    options.save_picture(picture, found.picture)
    if as_json:
        screen.show_json(found.to_dict())
        return
    print(screen.cleaned(str(found)))


def _tree(method: str, given: dict[str, Any]) -> Any:
    """Return a tree that is to be grown, and keeps its rows."""
    asked = variant(method)
    if asked.method.name not in ("tree", "regression"):
        raise OptionError(
            f"--model {method} is not a tree that is grown. Use tree, id3, c45, cart or regression."
        )
    tree = asked.make(options.wishes(given))
    tree._keeps_rows = True
    return tree
