"""The page on what changed: escaped, without requests, the most changed first, clean for axe."""

from __future__ import annotations

import pytest
from opened import CHROMIUM, Opened, axe_findings, becomes

import tallystick as ts
from tallystick.description.changes import COUNTS, ColumnChange, Shift
from tallystick.reports.api import SHOWN, change_page, drawn, entry

ROWS = [
    {"<b>": "pq"[i % 2], "x": i % 30, "town": f"t{i % 40}", "y": "ab"[(i % 2) ^ (i % 7 == 0)]}
    for i in range(240)
]


def found():
    model = ts.DecisionTree().fit(ROWS, "y")
    new = [r | {"<b>": "<script>alert(1)</script>" if i % 3 else "q"} for i, r in enumerate(ROWS[:120])]
    return ts.describe(new, against=model).changes


def test_the_page_escapes_what_came_from_the_user_and_tells_the_most_changed_first():
    text = change_page(found(), "<i>new</i>")
    assert "<script>alert" not in text
    assert "<i>new" not in text
    assert text.index("&lt;b&gt;") < text.index(">x<")


def test_many_levels_are_drawn_as_those_that_moved_and_the_others():
    column = ColumnChange("c", "levels", (), parts=tuple((f"l{i}", i / 2000, 0.02) for i in range(50)))
    parts = drawn(column)
    assert len(parts) == SHOWN + 1
    assert parts[-1][0] == "36 others"
    assert sum(p[1] for p in parts) == pytest.approx(sum(p[1] for p in column.parts))


def test_a_column_that_did_not_move_says_how_little():
    told = entry(ColumnChange("c", "levels", (), (0.0, 0.1), shift=Shift(COUNTS, 0.02, 0.1, psi=0.004)))
    assert (told["moved"], told["limit"], told["psi"], told["changed"]) == ("2%", "10%", "0.00", False)
    assert told["missing"] == "0.0% → 10.0%"


def test_one_row_outside_the_range_is_named_and_no_column_called_changed():
    model = ts.DecisionTree().fit(ROWS, "y")
    text = change_page(ts.describe([*ROWS[:-1], ROWS[-1] | {"x": 99}], against=model).changes)
    assert '<li class="stray"><bdi>1 row above 29, up to 99</bdi></li>' in text
    assert "No column changed; rows outside the range of training in 1 column" in text
    assert '<span class="tag">changed</span>' not in text


@pytest.mark.slow
@pytest.mark.xdist_group("chromium")
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_the_page_opens_without_a_word_and_axe_finds_nothing(browser, tmp_path, scheme, width):
    pytest.importorskip("axe_playwright_python", reason="axe is not installed")
    path = tmp_path / "changed.html"
    path.write_text(change_page(found()), encoding="utf-8")
    with Opened(browser, path, width, color_scheme=scheme) as opened:
        page = opened.page
        becomes(page, f"document.documentElement.scrollWidth <= {width}")
        assert axe_findings(page) == []
        page.click("#theme")
        becomes(page, "document.documentElement.dataset.theme", "dark" if scheme == "light" else "light")
        assert opened.said == []
