"""The way in and out: parse argv, run a command, turn every failure into one line and an exit code.

Exit codes: 0 done; 1 `verify` or `diff` found a difference; 2 an error; 130 interrupted; 141 nobody reads.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from tallystick import __version__
from tallystick.cli import examples
from tallystick.draw.text import clean
from tallystick.errors import TallyError


class NoPandas:
    """Lets pandas look as if it were not installed, in this process.

    pyarrow loads pandas whenever it makes an array, to see whether it was given a Series: half of the time of
    a small prediction. The command line reads files only, so no Series can come.
    """

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Refuse pandas, know nothing of anything else."""
        if name == "pandas":
            raise ModuleNotFoundError("the command line does without pandas", name=name)


class Interrupted(Exception):  # noqa: N818  not an error of anyone
    """The user pressed Ctrl-C."""


# The commands in the order of a day's work, each with its module: loaded when it is asked for.
COMMANDS = {
    "demo": "demo",
    "describe": "describe",
    "fit": "fit",
    "predict": "predict",
    "explain": "explain",
    "compare": "judge",
    "curve": "judge",
    "report": "report",
    "export": "export",
    "verify": "models",
    "diff": "models",
}


class Commands(click.Group):
    """The commands of `tally`. One is loaded when it is run; help loads all."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of a day's work, not of the alphabet."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return a command by name."""
        if name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"tallystick.cli.{COMMANDS[name]}"), name)
        command.epilog = examples.epilog(name)
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; an interrupt is ours to report, click would print an empty line first."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Interrupted from None


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Try `tally demo` first. Errors are one line; add --debug for a traceback.",
)
@click.version_option(__version__, prog_name="tally", message="tally %(version)s")
@click.option("--debug", is_flag=True, expose_value=False, help="Show a traceback when something fails.")
@click.pass_context
def tally(ctx: click.Context) -> None:
    """Classification for tables and text that learns by counting and shows its working."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(args: Sequence[str] | None = None) -> None:
    """Run `tally` and leave the process with its exit code."""
    sys.meta_path.insert(0, NoPandas())
    given = list(sys.argv[1:] if args is None else args)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(
                errors="backslashreplace"
            )  # a terminal that lacks a character still gets a line
    code = run(given, debug="--debug" in given)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = _reader_went_away()
    except OSError as error:  # a full disk behind `> file`
        _reader_went_away()
        code = _say(f"cannot write the output: {error.strerror}.", 2)
    sys.exit(code)


def run(args: list[str], debug: bool) -> int:
    """Run one command and return its exit code; with `debug` failures other than wrong usage are raised."""
    try:
        code = tally(args=args, prog_name="tally", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.ClickException as error:
        return _usage(error)
    except (Interrupted, click.Abort, KeyboardInterrupt):
        return _say("interrupted; nothing was written.", 130)
    except BrokenPipeError:
        return _reader_went_away()
    except Exception as error:
        if debug:
            raise
        return _say(_in_words(error), 2)
    except MemoryError:
        if debug:
            raise
        return _say("not enough memory for this table.", 2)


def _say(text: str, code: int) -> int:
    print(f"tally: {' '.join(clean(line) for line in text.splitlines())}", file=sys.stderr)
    return code


def _usage(error: click.ClickException) -> int:
    """Say in one line what is wrong with the command itself, and where its help is."""
    ctx = getattr(error, "ctx", None)
    where = f" Try `{ctx.command_path} --help`." if ctx is not None else ""
    return _say(error.format_message() + where, 2)


def _in_words(error: Exception) -> str:
    """Return one line for anything that can go wrong."""
    if isinstance(error, TallyError):
        from tallystick.cli.flags import as_flags

        return as_flags(str(error))
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        # without a name it is no file of ours that was opened: what is left is the output
        return f"{error.filename}: {reason}." if error.filename else f"cannot write the output: {reason}."
    if isinstance(error, ModuleNotFoundError) and not str(error.name).startswith("tallystick"):
        return f"this needs the package {error.name}. Install it with pip."
    return f"unexpected {type(error).__name__}: {error}. Run again with --debug for the traceback."


def _reader_went_away() -> int:
    """Let the rest of the output go nowhere, as a pipe into `head` expects."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 141
