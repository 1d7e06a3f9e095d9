"""Run what README.md and docs/ say, and compare with what they print; with --write, update it.

    python tools/run_docs.py [--write] [file ...]

A ```console block holds commands after `$ ` and their output; they run in a new folder per page, with the
bundled example files in it. A ```pycon block holds `>>>` examples and runs as a doctest, in the same folder.
A line of just `...` stands for any lines. So every number on a page was computed by the version it describes.
"""

from __future__ import annotations

import doctest
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```(console|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def run_command(command: str, folder: str) -> str:
    """Return what a command prints, errors included, as a reader with an 80 column pipe sees it."""
    env = os.environ | {
        "COLUMNS": "80",
        "NO_COLOR": "1",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())


def steps(body: str) -> Iterator[tuple[str, str]]:
    """Yield (command, printed output) of a console block; a backslash at a line's end goes on."""
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        lines = part.splitlines(keepends=True)
        taken = 1
        while taken < len(lines) and lines[taken - 1].endswith("\\\n"):
            taken += 1
        yield "".join(lines[:taken]), "".join(lines[taken:])


def same(printed: str, found: str) -> bool:
    """Compare, a line of `...` standing for any lines; blank lines at the end mean nothing."""
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "..." else re.escape(line + "\n")
        for line in printed.rstrip().split("\n")
    )
    return re.fullmatch(pattern, found.rstrip() + "\n") is not None


def console(body: str, folder: str, problems: list[str]) -> str:
    """Run a console block and return it with the output found."""
    out = ""
    for command, printed in steps(body):
        found = run_command(command, folder)
        if same(printed, found):
            out += f"$ {command}{printed}"
        else:
            problems.append(f"$ {command}  printed there:\n{printed}  found now:\n{found}")
            out += f"$ {command}{found.rstrip()}\n" + ("\n" if printed.endswith("\n\n") else "")
    return out


def with_blanks(body: str) -> str:
    """Return the block with its blank output lines in doctest's words; one before `>>>` stays a pause."""
    lines = body.splitlines(keepends=True)
    after = [*lines[1:], ">>>"]
    for at, (line, following) in enumerate(zip(lines, after, strict=True)):
        if not line.strip() and following.strip() and not following.startswith(">>>"):
            lines[at] = "<BLANKLINE>\n"
    return "".join(lines)


def pycon(body: str, folder: str, names: dict[str, object], problems: list[str]) -> str:
    """Run a pycon block in a page's own names, and return it with the output found."""
    test = doctest.DocTestParser().get_doctest(with_blanks(body), names, "page", None, None)
    got: dict[int, str] = {}

    class Runner(doctest.DocTestRunner):
        def report_failure(self, out: object, test: object, example: doctest.Example, found: str) -> None:
            got[example.lineno] = found
            problems.append(f">>> {example.source}  printed there:\n{example.want}  found now:\n{found}")

        def report_unexpected_exception(
            self, out: object, test: object, example: doctest.Example, info: object
        ) -> None:
            problems.append(f">>> {example.source}  raised {info[1]!r}")  # type: ignore[index]

    here = Path.cwd()
    os.chdir(folder)
    try:
        Runner(optionflags=OPTIONS).run(test, out=io.StringIO().write, clear_globs=False)
    finally:
        os.chdir(here)
    names.update(test.globs)
    lines = body.splitlines(keepends=True)
    for example in reversed(test.examples):
        if example.lineno in got:
            start = example.lineno + example.source.count("\n")
            end = start + example.want.count("\n")
            lines[start:end] = [got[example.lineno]]
    return "".join(lines)


def check(page: Path, write: bool) -> list[str]:
    """Return what on a page no longer is so."""
    problems: list[str] = []
    text = page.read_text(encoding="utf-8")
    names: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder:
        for example in resources.files("tallystick.examples").iterdir():
            if example.name.endswith((".csv", ".csv.gz")):
                shutil.copy(str(example), folder)

        def again(block: re.Match[str]) -> str:
            kind, body = block.groups()
            body = (
                console(body, folder, problems) if kind == "console" else pycon(body, folder, names, problems)
            )
            return f"```{kind}\n{body}```"

        new = BLOCK.sub(again, text)
    if write and new != text:
        page.write_text(new, encoding="utf-8")
    return problems


def main(args: list[str]) -> int:
    """Check, or with --write renew, the pages named or all."""
    write = "--write" in args
    pages = [Path(a) for a in args if a != "--write"] or [
        ROOT / "README.md",
        *sorted((ROOT / "docs").glob("*.md")),
        *sorted((ROOT / "docs" / "lessons").glob("*.md")),
        *sorted((ROOT / "docs" / "tutorials").glob("*.md")),
    ]
    wrong = 0
    for page in pages:
        problems = check(page, write)
        wrong += len(problems)
        blocks = len(BLOCK.findall(page.read_text(encoding="utf-8")))
        print(
            f"{page.name}: {blocks} blocks, {len(problems)} {'rewritten' if write else 'not as printed'}",
            flush=True,
        )
        if not write:
            print("\n".join(problems))
    return 1 if wrong and not write else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
