"""What the user said of the table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tallystick as ts
from tallystick.errors import Argument, Message, OptionError
from tallystick.schema import MISSING_MARKS
from tallystick.studio.session import TableWishes, act_of, cure_of


def test_a_kind_is_said_and_taken_back():
    said = TableWishes().with_kind("zip", "levels")
    assert said.columns == ts.Columns(kinds={"zip": "levels"})
    assert said.with_kind("zip", "") == TableWishes()
    with pytest.raises(OptionError, match="no kind 'colour'"):
        TableWishes().with_kind("zip", "colour")


def test_marks_of_missing_values_are_said_and_taken_back():
    said = TableWishes().with_missing("-999, n/a,")
    assert said.columns.missing == ("", "-999", "n/a")
    assert said.marks == "-999, n/a"
    assert said.with_missing(" ") == TableWishes()
    assert TableWishes().shared == {}


def test_what_a_note_advises_is_done_by_one_press():
    advice = Message("column 'x' has 3 rows of -999. Pass ", Argument("missing", ["-999"]), ".")
    cure = cure_of(advice)
    assert cure is not None
    assert TableWishes().with_cure(cure).columns.missing == (*MISSING_MARKS, "-999")
    assert TableWishes().with_cure(Argument("keep", ["id"])).columns.keep == ("id",)
    merged = TableWishes().with_cure(Argument("merge", {"yes": ["Yes"]}))
    assert merged.columns == ts.Columns(merge={"yes": ["Yes"]})
    assert cure_of("plain words") is None
    assert cure_of(Message("pass ", Argument("missing", ...))) is None
    for unknown in ([...], {"zip": [...]}, {...: ...}):
        assert cure_of(Message("pass ", Argument("levels", unknown))) is None  # only the user knows it


@pytest.mark.parametrize(
    ("cure", "act"),
    [
        (Argument("keep", ["customer_id"]), "Use 'customer_id' to predict"),
        (Argument("missing", ["-999"]), "Read '-999' as missing"),
        (Argument("kinds", {"zip": "levels"}), "Read 'zip' as levels"),
        (Argument("kinds", {"paid": "out"}), "Leave out 'paid'"),
        (Argument("levels", {"size": ["S", "M"]}), "Put the levels of 'size' in this order: 'S', 'M'"),
        (Argument("merge", {"yes": ["Yes", "YES"]}), "Read 'Yes', 'YES' as 'yes'"),
        (Argument("merge", {"answer": {"yes": ["Yes"]}}), "In 'answer' read 'Yes' as 'yes'"),
    ],
)
def test_a_button_says_what_its_press_does(cure, act):
    assert act_of(cure) == act
    assert TableWishes().with_cure(cure) != TableWishes()


def test_no_button_of_the_studio_or_the_report_hides_its_act():
    """'Do this' beside "customer id is left out" put the identifier into the model."""
    parts = [Path(ts.__file__).parent / room / "assets" for room in ("studio", "reports")]
    texts = [path.read_text(encoding="utf-8") for part in parts for path in part.iterdir()]
    words = {w.strip() for text in texts for w in re.findall(r"<button[^>]*>([^<{]*)<", text)}
    words |= {w for text in texts for w in re.findall(r'button\("([^"]*)"', text)}
    assert {"Make the report", "Undo the last step"} <= words
    assert not {w for w in words if re.search(r"\b(do|take) (this|it)\b|^(keep|take|ok|yes|go)$", w, re.I)}
