"""tally card: a model's card for the file of a regulator."""

from __future__ import annotations

from typing import Any

import click

from tallystick.cli import options, screen


@click.command()
@click.argument("model", metavar="MODEL", type=click.Path())
@click.option("--on", metavar="FILE", type=click.Path(), help="Rows with the target, to judge the model by.")
@options.by
@click.option("--folds", type=click.IntRange(min=2), default=10, show_default=True,
              help="Folds, where FILE has the training rows.")  # fmt: skip
@click.option("--output", "-o", type=click.Path(), help="Write to a file (.md or .json) instead of printing.")
@options.memory
@options.reading
@options.common
def card(
    model: str, on: str | None, by: tuple[str, ...], output: str | None, as_json: bool, **given: Any
) -> None:
    """Print what MODEL was learnt from, how, how well it does, its limits, and how to verify it.

    Markdown, or JSON with --json or -o NAME.json. With --on FILE it has scores: of the training rows by
    cross-validation, of other rows as the model answers them. A card is not a scorecard, which is a model.
    """
    import tallystick as ts
    from tallystick.export import save

    options.keep_apart([model, *([on] if on else [])], {"-o": output})
    source = None if on is None else options.source(on, given)
    with screen.progress("judging"):
        estimator: Any = ts.load(model)
        estimator.memory = given["memory"]
        found = estimator.card(source, by=by, folds=given["folds"])
    if output is not None:
        text = found.to_json() if output.endswith(".json") else found.to_markdown()
        save(output, text.encode(), "card")
        print(screen.cleaned(f"saved {output}"))
    elif as_json:
        screen.show_json(found.to_dict())
    else:
        print(screen.cleaned(found.to_markdown()), end="")
