"""Write docs/commands/: a page per command of `tally`, made from the commands themselves.

    python tools/make_command_pages.py            write the pages
    python tools/make_command_pages.py --check    exit code 1 if they are not current

Knows click and Markdown. The examples are those of the help; tests/cli/test_examples.py runs them all.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import click

from tallystick.cli.examples import EXAMPLES, SHARED
from tallystick.cli.main import COMMANDS, tally

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "commands"
HEAD = "<!-- made by tools/make_command_pages.py; do not edit -->\n\n"
INDEX = """# The command line

A page per command, made from the commands themselves. `tally COMMAND --help` says the same in a terminal.

{table}

## Exit codes

| code | means |
|---|---|
| 0 | done |
| 1 | `verify` or `diff` found a difference |
| 2 | an error, in one line on standard error; `--debug` adds the traceback |
| 130 | interrupted with Ctrl-C; the line says which files were written before |
| 141 | whoever read the output went away, as `head` does |

## Rules

- Results go to standard output, notes, progress and errors to standard error. A progress bar is shown on a
  terminal only.
- `--json` prints the result for another program; `-o -` writes a model or predictions to standard output.
- Rows are counted from 1 and the header is not counted: row 3 of a CSV file with a header is its fourth line.
- A file is written whole or not at all: after a fault or a kill the old file or the new one is there.

## Options that many commands take

```sh
{shared}
```

## Completion in the shell

For bash, once per session or in `~/.bashrc`:

```sh
eval "$(_TALLY_COMPLETE=bash_source tally)"
```

zsh: `eval "$(_TALLY_COMPLETE=zsh_source tally)"`. fish: `_TALLY_COMPLETE=fish_source tally | source`.
Then the tabulator key completes commands, options, methods and file names.
"""


def lines(examples: tuple[tuple[str, str], ...]) -> str:
    """Return examples as a shell script."""
    return "\n\n".join(f"# {what}\n{line}" for line, what in examples)


def cell(text: str) -> str:
    """Return text for a cell of a table."""
    return text.replace("|", "\\|")


def page(name: str, command: click.Command) -> str:
    """Return the page of one command."""
    context = click.Context(command, info_name=f"tally {name}")
    usage = " ".join(command.collect_usage_pieces(context))
    about = inspect.cleandoc(command.help or "").replace("\b\n", "")
    rows = []
    for option in command.params:
        record = option.get_help_record(context)
        if record is not None and option.param_type_name == "option":
            rows.append(f"| `{cell(record[0])}` | {cell(record[1])} |")
    head = f"{HEAD}# tally {name}\n\n```\ntally {name} {usage}\n```\n\n{about}\n\n"
    table = "| option | means |\n|---|---|\n" + "\n".join(rows)
    return f"{head}{table}\n\n## Examples\n\n```sh\n{lines(EXAMPLES.get(name, ()))}\n```\n"


def pages() -> dict[str, str]:
    """Return the text of every page by its file name."""
    context = click.Context(tally)
    commands = {name: tally.get_command(context, name) for name in COMMANDS}
    out = {f"{name}.md": page(name, command) for name, command in commands.items() if command is not None}
    rows = [
        f"| [`tally {n}`]({n}.md) | {c.get_short_help_str(100)} |"
        for n, c in commands.items()
        if c is not None
    ]
    table = "| command | does |\n|---|---|\n" + "\n".join(rows)
    out["README.md"] = HEAD + INDEX.format(table=table, shared=lines(SHARED))
    return out


def main() -> int:
    """Write or check the pages."""
    wanted = pages()
    if "--check" in sys.argv:
        there = {p.name: p.read_text(encoding="utf-8") for p in FOLDER.glob("*.md")}
        for name in sorted(wanted.keys() | there.keys()):
            if wanted.get(name) != there.get(name):
                print(f"docs/commands/{name} is not current. Run: python tools/make_command_pages.py")
        return int(wanted != there)
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.md"):
        old.unlink()
    for name, text in wanted.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
