"""Write docs/lessons/: a page per lesson with its picture, made from the lessons themselves.

    python tools/make_lessons.py            write the pages and pictures
    python tools/make_lessons.py --check    exit code 1 if the pages are not current

What a page prints under a command is checked once more by tools/run_docs.py, which runs the command.
"""

from __future__ import annotations

import sys
from pathlib import Path

import tallystick as ts
from tallystick.teach.lessons import LESSONS

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "lessons"
HEAD = "<!-- made by tools/make_lessons.py; do not edit -->\n\n"
INDEX = """# Lessons

Every lesson asks a question first, answers it by `tally work` step by step, says what to notice, and ends
with one thing to change and try. `tally lesson NAME` tells it in a terminal, `ts.lesson("NAME")` in a
notebook; `--blank` leaves the answers out, `--tables FOLDER` gives you its tables.

{table}
"""


def pages() -> dict[str, str]:
    """Return the text of every page by its file name."""
    out = {}
    rows = []
    for lesson in LESSONS.values():
        text = lesson.markdown()
        if lesson.picture is not None:
            shown = f"![{lesson.pictured}]({lesson.name}.svg)\n\n"
            text = text.replace("## What to notice\n", f"{shown}## What to notice\n")
        out[f"{lesson.name}.md"] = HEAD + text
        tables = ", ".join(f"`{name}`" for name in lesson.tables)
        rows.append(f"| [{lesson.name}]({lesson.name}.md) | {lesson.title} | {tables} |")
    out["README.md"] = HEAD + INDEX.format(
        table="| lesson | about | tables |\n|---|---|---|\n" + "\n".join(rows)
    )
    return out


def main() -> int:
    """Write or check the pages."""
    wanted = pages()
    if "--check" in sys.argv:
        there = {p.name: p.read_text(encoding="utf-8") for p in FOLDER.glob("*.md")}
        for name in sorted(wanted.keys() | there.keys()):
            if wanted.get(name) != there.get(name):
                print(f"docs/lessons/{name} is not current. Run: python tools/make_lessons.py")
        return int(wanted != there)
    FOLDER.mkdir(exist_ok=True)
    for old in (*FOLDER.glob("*.md"), *FOLDER.glob("*.svg")):
        old.unlink()
    for name, text in wanted.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    for name in LESSONS:
        drawn = ts.lesson(name).drawn()
        if drawn is not None:
            drawn.save(FOLDER / f"{name}.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
