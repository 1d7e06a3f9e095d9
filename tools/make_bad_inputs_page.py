"""Write docs/bad_inputs.md: what people bring and what they get, with the messages as they really are.

    python tools/make_bad_inputs_page.py           writes the page
    python tools/make_bad_inputs_page.py --check   exits with 1 if the page is not up to date

The cases are those of the tests (tests/support/bad_inputs.py), each run here once.
"""

from __future__ import annotations

import re
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from bad_inputs import FIT, TABLE, Case  # noqa: E402
from bad_inputs_asked import DESCRIBE, PREDICT  # noqa: E402
from bad_inputs_methods import BY_METHOD  # noqa: E402

import tallystick as ts  # noqa: E402
from tallystick.errors import TallyError  # noqa: E402

PAGE = ROOT / "docs" / "bad_inputs.md"
HEAD = """# What people bring, and what they get

Three outcomes only. **ERROR**: one line that says what is wrong, where, and what to do; exit code 2 on the
command line, and nothing is written. **NOTE**: the stated thing is done and said once. **OK**: nothing to
say. The same through Python and the command line, which names its flags instead of arguments: `--keep z` for
`columns=ts.Columns(keep=['z'])`. This page is made from the tests; the messages are real.

Very wide tables take time by the column, not by the cell: a tree of 100,000 columns of 30 rows takes about 15
seconds to fit and as long to save. From 20,000 columns on, a line says so before the work.

"""


def fitted(case: Case, path: Path) -> str:
    """Return the message of a case at fit."""
    model = ts.NaiveBayes(**case.wishes)
    try:
        table = model._read(ts.read(path, **case.options), case.target)
    except TallyError as error:
        return str(error)
    return " ".join(note.text for note in (*table.source_notes, *table.notes))


def learned(case: Case, path: Path) -> str:
    """Return what a method says of a case."""
    methods = {
        "bayes": ts.NaiveBayes,
        "card": ts.Scorecard,
        "logistic": ts.LogisticRegression,
        "tree": ts.DecisionTree,
    }
    try:
        model = methods[case.method](**case.wishes).fit(path, case.target)
    except TallyError as error:
        return str(error)
    return " ".join(note.text for note in model.notes_ if case.says and re.search(case.says, note.text))


def predicted(case: Case, path: Path, folder: Path) -> str:
    """Return the message of a case at prediction."""
    train = folder / "votes.csv"
    train.write_bytes(TABLE)
    model = ts.NaiveBayes().fit(train, "y")
    options = {"lenient": "--lenient" in case.flags}
    if "as-missing" in case.flags:
        options["missing_columns"] = "as-missing"
    said = []
    try:
        if "--flag-outside" in case.flags:
            said += [f"outside the range: {', '.join(names)}" for names in model.outside_range(path) if names]
        for matched in model._blocks(path, **options):
            said += [note.text for note in matched.notes]
            said += [
                f"{n} {what} in column {c!r}"
                for what in ("unseen", "unreadable")
                for c, n in _some(matched, what)
            ]
    except TallyError as error:
        return str(error)
    return ", ".join(said)


def _some(matched: object, what: str) -> list[tuple[str, int]]:
    return [(column, count) for column, count in getattr(matched, what).items() if count]


def line(case: Case, text: str) -> str:
    """Return one row of the page."""
    given = " ".join(case.flags)
    what = f"{case.what} (`{given}`)" if given else case.what
    text = text.replace("|", "\\|").replace("<", "&lt;")
    return f"| {case.row} | {what} | {case.outcome} | {text} |"


def page() -> str:
    """Return the page."""
    lines = [HEAD + "## At fit\n", "| # | input | outcome | what is said |", "|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        path = folder / "train.csv"
        for case in FIT:
            path.write_bytes(case.data)
            lines.append(line(case, fitted(case, path)))
        lines += ["", "## From a method\n", "| # | input | outcome | what is said |", "|---|---|---|---|"]
        for case in BY_METHOD:
            path.write_bytes(case.data)
            lines.append(line(replace(case, what=f"{case.what}, {case.method}"), learned(case, path)))
        lines += ["", "## From describe\n", "| # | input | outcome | what is said |", "|---|---|---|---|"]
        for case in DESCRIBE:
            path.write_bytes(case.data)
            notes = [note.text for note in ts.describe(path, case.target).notes]
            said = " ".join(text for text in notes if re.search(case.says, text))
            lines.append(line(case, said))
        lines += ["", "## At prediction\n", "| # | input | outcome | what is said |", "|---|---|---|---|"]
        new = folder / "new.csv"
        for case in PREDICT:
            new.write_bytes(case.data)
            lines.append(line(case, predicted(case, new, folder)))
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write or check the page."""
    text = page()
    if "--check" in sys.argv:
        return 0 if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text else 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
