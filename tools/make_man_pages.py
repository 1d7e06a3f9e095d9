"""Write manual pages of `tally` and its commands, made from the commands themselves, into build/man/man1.

    python tools/make_man_pages.py [FOLDER]

Read one by `man -l build/man/man1/tally-fit.1`; copied to a folder of MANPATH, `man tally-fit` finds it.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import click

from tallystick import __version__
from tallystick.cli.examples import EXAMPLES
from tallystick.cli.main import COMMANDS, JOBS, tally

ROOT = Path(__file__).resolve().parent.parent


def escaped(text: str) -> str:
    """Return text that roff prints as it is."""
    text = text.replace("\\", r"\e").replace("-", r"\-").replace("\u2026", "...")
    return "\n".join(r"\&" + line if line[:1] in ".'" else line for line in text.splitlines())


def paragraphs(text: str) -> str:
    """Return help as paragraphs."""
    parts = inspect.cleandoc(text).replace("\b\n", "").split("\n\n")
    return "\n.PP\n".join(escaped(part) for part in parts)


def head(name: str, about: str) -> str:
    """Return the beginning of a page: its title, and the name with what it does."""
    title = f'.TH "{name.upper()}" 1 "" "Tallystick {__version__}" "Tallystick"'
    return f"{title}\n.SH NAME\n{name} \\- {escaped(about)}\n"


def page(name: str, command: click.Command) -> str:
    """Return the page of a command: an example, how it is called, what it does, options, more examples."""
    context = click.Context(command, info_name=f"tally {name}")
    usage = escaped(" ".join(command.collect_usage_pieces(context)))
    known = EXAMPLES.get(name, ())
    lines = [f".PP\n{escaped(what)}:\n.PP\n.EX\n{escaped(line)}\n.EE" for line, what in known]
    records = [o.get_help_record(context) for o in command.params if o.param_type_name == "option"]
    options = [f".TP\n.B {escaped(r[0])}\n{escaped(r[1])}" for r in records if r is not None]
    return (
        head(f"tally-{name}", command.get_short_help_str(200))
        + "".join(f".SH EXAMPLE\n{line}\n" for line in lines[:1])
        + f".SH SYNOPSIS\n.B tally {name}\n{usage}\n.SH DESCRIPTION\n{paragraphs(command.help or '')}\n"
        + ".SH OPTIONS\n" + "\n".join(options)
        + "\n.SH MORE EXAMPLES\n" + "\n".join(lines[1:])
        + "\n.SH SEE ALSO\n.BR tally (1)\n"
    )  # fmt: skip


def overview(commands: dict[str, click.Command]) -> str:
    """Return the page of `tally`: its commands by job."""
    text = head("tally", inspect.cleandoc(tally.help or "").replace("\n", " "))
    text += ".SH SYNOPSIS\n.B tally\n[OPTIONS] COMMAND [ARGS]...\n"
    for job, names in JOBS.items():
        text += f'.SH "{job.upper()}"\n'
        for name in names:
            about = escaped(commands[name].get_short_help_str(200))
            text += f".TP\n.BR tally\\-{name} (1)\n{about}\n"
    return text


def main(args: list[str]) -> int:
    """Write the pages."""
    folder = Path(args[0]) if args else ROOT / "build" / "man" / "man1"
    folder.mkdir(parents=True, exist_ok=True)
    context = click.Context(tally)
    found = {name: tally.get_command(context, name) for name in COMMANDS}
    commands = {name: command for name, command in found.items() if command is not None}
    (folder / "tally.1").write_text(overview(commands), encoding="utf-8")
    for name, command in commands.items():
        (folder / f"tally-{name}.1").write_text(page(name, command), encoding="utf-8")
    print(f"{folder}: {len(commands) + 1} pages")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
