"""tally export: a saved model in another language."""

from __future__ import annotations

import base64
import sys
from typing import Any

import click

from tallystick.cli import options, screen
from tallystick.errors import OptionError
from tallystick.export.sql.dialect import DIALECTS
from tallystick.export.targets import CARD_FORMATS, RULE_FORMATS, TARGETS


@click.command()
@click.argument("model", metavar="MODEL")
@click.option(
    "--to", "target", type=click.Choice(tuple(TARGETS)), required=True, help="The language to export to."
)
@click.option("--output", "-o", help="Write to a file instead of printing; - is the standard output.")
@click.option(
    "--format",
    type=click.Choice(tuple(dict.fromkeys((*RULE_FORMATS, *CARD_FORMATS)))),
    help=f"Format of rules: {', '.join(RULE_FORMATS)}; of a card: {', '.join(CARD_FORMATS)}.",
)
@click.option("--dialect", type=click.Choice(tuple(DIALECTS)), help="Dialect of SQL; duckdb if not given.")
@click.option("--table", metavar="NAME", help="SQL only: the table with the rows; data if not given.")
@click.option(
    "--keep",
    multiple=True,
    metavar="NAME",
    help="SQL only: a column to carry along, such as a key; the model's columns if not given.",
)
@click.option(
    "--unseen/--no-unseen",
    default=None,
    help="SQL only: whether the last column counts the row's unseen levels; it does if not given.",
)
@click.option(
    "--reasons",
    type=click.IntRange(1, 50),
    metavar="N",
    help="SQL of a scorecard only: add N columns with what cost the row most points, in words.",
)
@click.option("--name", metavar="NAME", help="C only: what its names begin with; model if not given.")
@options.common
def export(model: str, target: str, output: str | None, as_json: bool, **given: Any) -> None:
    """Write a saved MODEL in another language: the same answers without Tallystick.

    What a target cannot say is refused with its reason; docs/export.md has the table.
    """
    import tallystick as ts

    options.keep_apart([model], {"-o": output})
    wanted = {name: value for name, value in given.items() if value not in (None, ())}
    content = ts.load(model).export(target, **wanted)
    data = content.encode() if isinstance(content, str) else content
    if as_json:
        if output is not None:
            raise OptionError("--json prints; it does not go with -o. Leave out one of them.")
        coded = {"text": content} if isinstance(content, str) else {"base64": base64.b64encode(data).decode()}
        screen.show_json({"to": target, "bytes": len(data), **coded})
    elif output is not None and output != "-":
        from tallystick.export import save

        save(output, data, "export")
        screen.say(f"saved {screen.cleaned(output)}: {target}, {len(data):,} bytes")
    elif isinstance(content, str):
        # in SQL a name stands as it is; a terminal gets it escaped
        sys.stdout.write(screen.cleaned(content) if screen.is_terminal(sys.stdout) else content)
    elif screen.is_terminal(sys.stdout):
        raise OptionError(f"{target} is bytes, which a terminal cannot show. Give -o FILE.")
    else:
        sys.stdout.buffer.write(content)
