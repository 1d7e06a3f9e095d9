"""tally lesson: the worked examples as short lessons, one by one."""

from __future__ import annotations

import sys

import click

from tallystick.cli import options, screen
from tallystick.cli.tables import deliver
from tallystick.errors import OptionError, shown


@click.command()
@click.argument("name", metavar="[NAME]", required=False)
@click.option("--blank", is_flag=True, help="Leave the answers out: a sheet to be filled in.")
@click.option(
    "--tables",
    metavar="FOLDER",
    type=click.Path(),
    help="Put the tables of the lesson (without NAME: all of them) into this folder instead.",
)
@options.picture
@options.common
def lesson(name: str | None, blank: bool, tables: str | None, picture: str | None, as_json: bool) -> None:
    """Tell a lesson: a question first, then the working that answers it, what to notice, and one thing to
    change and try. Without NAME the lessons are listed.
    """
    import tallystick as ts

    found = ts.lesson(name)
    options.keep_apart([], {"--picture": picture})
    if tables is not None:
        names = ts.lesson(name).tables if name else sorted({t for x in ts.lesson().lessons for t in x.tables})
        screen.say("\n".join(f"saved {screen.cleaned(path)}" for path in deliver(tables, names)))
        return
    if picture is not None:
        drawn = ts.lesson(name).drawn() if name else None
        if drawn is None:
            raise OptionError(
                f"{'the list' if name is None else shown(name)} has no picture. Leave --picture out."
            )
        options.save_picture(picture, lambda: str(drawn))
    if as_json:
        screen.show_json(found.to_dict())
    elif name is None:
        print(screen.cleaned(str(found)))
        print("\nNext, type: tally lesson id3")
    else:
        told = ts.lesson(name).text(blank)
        sys.stdout.write(screen.cleaned(told) if screen.is_terminal(sys.stdout) else told)
