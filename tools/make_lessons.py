"""Write docs/lessons/: a page per lesson with its picture, made from the lessons themselves.

    python tools/make_lessons.py            write the pages and pictures
    python tools/make_lessons.py --check    exit code 1 if the pages are not current

Lines of Python in a lesson are run first, and what they print is written into its file. What a page prints
under a command is checked once more by tools/run_docs.py, which runs the command.
"""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path

from tallystick.teach.lessons import COURSE, Lesson, Typed, find, read_lesson

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "lessons"
FILES = ROOT / "src" / "tallystick" / "teach" / "course"
HEAD = "<!-- made by tools/make_lessons.py; do not edit -->\n\n"
INDEX = """# Lessons

Every lesson asks a question first, answers it by `tally work` step by step, says what to notice, and ends
with one thing to change and try. `tally lesson NAME` tells it in a terminal, `ts.lesson("NAME")` in a
notebook; `--blank` leaves the answers out, `--tables FOLDER` gives you its tables.

{table}
"""


def run_python(lesson: Lesson) -> None:
    """Run the lines of Python of a lesson, and write what they print into its file."""
    file = FILES / f"{lesson.name}.toml"
    names: dict[str, object] = {}
    for step in lesson.steps:
        if isinstance(step, Typed):
            out = io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.chdir(Path(find("votes.csv")).parent):
                exec(step.code, names)
            text = file.read_text(encoding="utf-8")
            old, new = (f"prints = '''\n{printed}'''" for printed in (step.prints, out.getvalue()))
            assert old in text, f"{file.name} does not hold {old}"
            file.write_text(text.replace(old, new), encoding="utf-8")


def pages(lessons: list[Lesson]) -> dict[str, str]:
    """Return the text of every page by its file name."""
    out = {}
    rows = []
    for lesson in lessons:
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
    if "--check" not in sys.argv:
        for name in COURSE:
            run_python(read_lesson(name))
    lessons = [read_lesson(name) for name in COURSE]
    wanted = pages(lessons)
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
    for lesson in lessons:
        drawn = lesson.drawn()
        if drawn is not None:
            drawn.save(FOLDER / f"{lesson.name}.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
