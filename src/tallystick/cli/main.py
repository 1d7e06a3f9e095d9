"""The way in and out: parse argv, run a command, turn every failure into one line and an exit code.

Exit codes: 0 done; 1 a difference that was asked for; 2 an error; 130 interrupted; 141 nobody reads.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import signal
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from tallystick import __version__
from tallystick.cli import examples
from tallystick.errors import Argument, TallyError, arguments_as, clean
from tallystick.files import address_limit

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


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


class NobodyReads(Exception):  # noqa: N818  not an error of anyone
    """Who read the output has gone."""


LEAST = 512 << 20  # bytes of addresses that the libraries need before there is any table

# The commands in the order of a day's work, each with its module and what it does in a line. The module is
# loaded when the command is asked for; the lines are here, so that help and completion load none.
COMMANDS = {
    "demo": ("teach", "The whole job once, on bundled data."),
    "describe": ("model", "What the columns of a file are taken for, and why."),
    "fit": ("fit", "Learn from a file and save the model."),
    "predict": ("predict", "Predict the rows of a file with a saved model."),
    "explain": ("predict", "Why a row of a file gets its answer."),
    "compare": ("model", "Compare the methods, and take the simplest that is good enough."),
    "curve": ("model", "Learning curves: the error against the number of training rows."),
    "report": ("model", "One HTML file: the answer, the data, the model, what if."),
    "draw": ("teach", "Pictures of the ideas: regions, entropy, sigmoid, likelihood, prior, shares."),
    "lesson": ("teach", "Short lessons: a question, the working, what to notice, what to try."),
    "export": (
        "model",
        "A saved model as rules, a printed card, SQL, Python, JavaScript, C, ONNX, PMML or an Excel "
        "workbook.",
    ),
    "splits": ("model", "Every test that a node of a tree could make, with its gain."),
    "prune": (
        "model",
        "The prunings of a tree: training and cross-validated error against its leaves.",
    ),
    "bayes": ("teach", "Bayes' rule in exact fractions, one test after the other."),
    "separable": ("teach", "Whether a plane separates the classes, and which."),
    "density": ("serve", "Groups of rows in sentences; how likely rows are; rows like them."),
    "work": ("teach", "The worked solution of a small table, step by step."),
    "decide": ("fit", "How a model turns probabilities into answers: see, set or remove it."),
    "verify": ("model", "Fit again and compare byte for byte."),
    "diff": ("model", "What changed between two models, in words."),
    "card": ("model", "A model's card: data, method, scores, groups, limits, how to verify."),
    "serve": ("serve", "Answer rows by HTTP with saved models."),
    "studio": ("serve", "The whole job in a browser, on this machine."),
}


# What help calls the commands of a job; those that are named here for none come last.
JOBS = {
    "Look, learn, predict": ("demo", "describe", "fit", "predict", "explain", "density"),
    "Judge and decide": ("compare", "curve", "decide", "prune", "splits", "separable"),
    "Show and hand over": ("report", "studio", "draw", "export", "serve"),
    "Check and compare models": ("verify", "diff", "card"),
    "Learn and teach": ("lesson", "work", "bayes"),
}


class HelpfulCommand(click.Command):
    """A command whose help begins with an example."""

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the first example, then how the command is called."""
        for line, what in examples.EXAMPLES.get(str(self.name), ())[:1]:
            formatter.write(f"Example: {line}\n         # {what}\n\n")
        super().format_usage(ctx, formatter)


class Commands(click.Group):
    """The commands of `tally`. One is loaded when it is run; help and completion load none."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by job."""
        other = [name for name in COMMANDS if not any(name in names for names in JOBS.values())]
        for job, names in [*JOBS.items(), ("More", other)]:
            if rows := [(f"{name:<9}", COMMANDS[name][1]) for name in names]:
                with formatter.section(job):
                    formatter.write_dl(rows)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of a day's work, not of the alphabet."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return a command by name."""
        if name not in COMMANDS:
            return None
        module, words = COMMANDS[name]
        command: click.Command = getattr(import_module(f"tallystick.cli.{module}"), name)
        command.short_help = words
        command.epilog = examples.epilog(name)
        command.__class__ = HelpfulCommand  # here, and not at every command
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands and options that begin so."""
        from click.shell_completion import CompletionItem

        found = {name: words for name, (_, words) in COMMANDS.items() if name.startswith(incomplete)}
        more = click.Command.shell_complete(self, ctx, incomplete)  # a group's own would load all
        return [*(CompletionItem(name, help=words) for name, words in found.items()), *more]

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; what click would report in its own way, with its own exit code, is ours."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Interrupted from None
        except BrokenPipeError:
            raise NobodyReads from None


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
    try:
        code = _whole(list(sys.argv[1:] if args is None else args))
    except KeyboardInterrupt:  # before or after the command
        code = _interrupted()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done: Python's own last steps are nobody's business
    atexit.register(gc.disable)  # nor is there a use in looking for garbage among what is all let go next
    sys.exit(code)


def _whole(args: list[str]) -> int:
    """Run a command with its output flushed; return the exit code."""
    _open_closed()
    if sys.stdout is None:
        return _say("standard output is closed. Send it to a file, or to /dev/null.", 2)
    if 0 < (room := address_limit()) < LEAST:
        there = f"this process may have {room >> 20} MB of addresses (ulimit -v), and needs {LEAST >> 20} MB"
        return _say(f"{there}: with less, NumPy and Arrow end without a message. Raise the limit.", 2)
    sys.meta_path.insert(0, NoPandas())
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # a terminal that lacks a character still gets a line
            stream.reconfigure(errors="backslashreplace")
    warnings.showwarning = _show_warning
    code = run(args, debug="--debug" in args)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = _reader_went_away()
    except OSError as error:  # a full disk behind `> file`
        _reader_went_away()
        code = _say(f"cannot write the output: {error.strerror}.", 2)
    return code


def _open_closed() -> None:
    """Let the standard streams that the caller closed lead nowhere: no file of ours may get their numbers."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115  for the rest of the process


def _flag(argument: Argument) -> str:
    from tallystick.cli.options import flag  # it loads the room of schemas, which help does without

    return flag(argument)


def run(args: list[str], debug: bool) -> int:
    """Run one command and return its exit code; with `debug` failures other than wrong usage are raised."""
    try:
        with arguments_as(_flag):
            code = tally(args=args, prog_name="tally", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.ClickException as error:
        return _usage(error)
    except (Interrupted, click.Abort, KeyboardInterrupt):
        return _interrupted()
    except (NobodyReads, BrokenPipeError):
        return _reader_went_away()
    except MemoryError as error:
        if debug:
            raise
        return _say(_too_large(error), 2)
    except Exception as error:
        if debug:
            raise
        return _say(_in_words(error), 2)


def _interrupted() -> int:
    """Say what is there after all: Ctrl-C may come when a file has its name already."""
    from tallystick.errors import shown
    from tallystick.files import replaced

    there = replaced()
    listed = ", ".join(shown(path, 300) for path in there)
    return _say(f"interrupted; {f'written before: {listed}' if there else 'no file was written'}.", 130)


def _too_large(error: MemoryError) -> str:
    """Return one line for memory that ran out, with what was asked for where that is known."""
    if isinstance(error, TallyError):  # in words already
        return _in_words(error)
    asked = " ".join(str(error).split()).rstrip(".")
    known = f" ({asked})" if any(c.isdigit() for c in asked) else ""
    return f"not enough memory{known}. Take fewer rows or columns, or keep the rows on disk: --memory 500MB."


def _show_warning(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
    """Print a warning as a note, without the line of code where it was made."""
    from tallystick.cli.options import show_notes
    from tallystick.schema import Note

    text = message.args[0] if isinstance(message, Warning) and message.args else message
    show_notes([Note("warning", text if isinstance(text, str) else str(message))])


def _say(text: str, code: int) -> int:
    with contextlib.suppress(BrokenPipeError):  # nobody reads the errors either
        line = " ".join(clean(part.strip()) for part in text.splitlines())
        print(f"tally: {line}", file=sys.stderr, flush=True)
    return code


def _usage(error: click.ClickException) -> int:
    """Say in one line what is wrong with the command itself, and where its help is."""
    ctx = getattr(error, "ctx", None)
    where = f" Try `{ctx.command_path} --help`." if ctx is not None else ""
    message = error.format_message().rstrip()
    return _say(message + ("" if message.endswith((".", "?")) else ".") + where, 2)


def _in_words(error: Exception) -> str:
    """Return one line for anything that can go wrong."""
    if isinstance(error, TallyError):
        from tallystick.cli.options import as_flags

        return as_flags(error.message)
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        # without a name it is not a file of ours that was opened: what is left is the output
        return f"{error.filename}: {reason}." if error.filename else f"cannot write the output: {reason}."
    if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        return "no further thread could be started: a limit, or too little memory. Try --threads 1."
    if isinstance(error, ModuleNotFoundError) and not str(error.name).startswith("tallystick"):
        return f"this needs the package {error.name}. Install it with pip."
    return f"unexpected {type(error).__name__}: {error}. Run again with --debug for the traceback."


def _reader_went_away() -> int:
    """Let the rest of the output go nowhere, as a pipe into `head` expects."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(nowhere, stream.fileno())
    return 141
