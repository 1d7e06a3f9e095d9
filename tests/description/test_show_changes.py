"""What changed since training, as lines: nothing that cannot be judged is called unchanged."""

from __future__ import annotations

import pytest

from tallystick.description.changes import COUNTS, Changes, ColumnChange, Shift, page, verdict
from tallystick.draw.svg import plain

SAME = ColumnChange("same", "levels", (), shift=Shift(COUNTS, 0.02, 0.10))
MOVED = ColumnChange("moved", "numeric", ("the mean moved by 3 deviations",), shift=Shift("mean", 3.0, 0.5))
STRAY = ColumnChange("stray", "numeric", (), shift=SAME.shift, strays=("1 row above 9, up to 70",))
UNTOLD = ColumnChange("untold", "levels", (), untold="a tree keeps no counts of a column")


def found(*columns, **more):
    return Changes("new.csv", 10, "decision tree", 1.0, columns, **more)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ((SAME,), "no column changed"),
        ((SAME, MOVED), "1 of 2 columns changed"),
        ((SAME, STRAY), "no column changed; rows outside the range of training in 1 column"),
        ((STRAY, MOVED), "1 of 2 columns changed; rows outside the range of training in 1 column"),
        ((UNTOLD,), "no change found, but 1 of 1 column cannot be judged in full"),
        ((MOVED, UNTOLD), "1 of 2 columns changed; of the others 1 cannot be judged in full"),
    ],
)
def test_the_verdict_counts_what_changed_and_what_cannot_be_judged(columns, said):
    assert verdict(found(*columns)).startswith(said)


def test_a_line_per_column_says_how_far_it_moved():
    lines = plain(page(found(SAME, MOVED, STRAY, UNTOLD, ignored=("new", "more")), 100)).splitlines()
    assert lines[0] == "new.csv: 10 rows beside the 1 training row of a decision tree"
    assert "  same: nothing new (moved by 2%, limit 10%)" in lines
    assert "  moved: the mean moved by 3 deviations" in lines
    assert "  stray: not changed, but 1 row above 9, up to 70 (moved by 2%, limit 10%)" in lines
    assert "  untold: not judged: a tree keeps no counts of a column; no level or range is new" in lines
    assert lines[-1] == "not in the model, ignored: 'new', 'more'"


def test_lines_fit_and_hostile_names_are_cleaned():
    hostile = ColumnChange("\x1b[2J" + "n" * 30, "levels", ("level 'x' is new, " * 12,))
    text = plain(page(found(hostile), 60))
    assert max(map(len, text.splitlines())) <= 60
    assert "\x1b" not in text
