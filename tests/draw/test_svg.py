"""SVG by hand: every text is escaped, every number can be read, no file of another is written over."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from svg import shapes, title, words

from tallystick.draw.svg import (
    INK,
    PALETTE,
    Picture,
    Svg,
    around,
    as_html,
    brief,
    check_svg,
    colour,
    escape,
    ticks,
)
from tallystick.errors import OptionError


@given(st.text("<>&\"'; a/é日\x00\x1b\u202e\ud800"))
def test_any_text_can_stand_in_a_picture(text):
    svg = Svg(10, 10, text)
    svg.text(0, 0, text, hint=text)
    svg.rect(0, 0, 1, 1, text, class_=text)
    printable = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    assert title(str(svg)) == printable


def test_attributes_have_the_names_of_svg_and_short_numbers():
    svg = Svg(10, 20, "t")
    svg.line(0, 1.5, 2.0001, float("nan"), stroke_width=2, class_="thin", opacity=None)
    (line,) = shapes(str(svg), "line")
    assert line == {
        "x1": "0",
        "y1": "1.5",
        "x2": "2",
        "y2": "0",
        "stroke": "currentColor",
        "stroke-width": "2",
        "class": "thin",
    }


def test_a_picture_has_no_style_and_no_script():
    svg = Svg(10, 10, "<script>alert(1)</script>")
    svg.text(0, 0, '" onload="x', font_weight='bold" onload="x')
    assert "<script" not in str(svg)
    assert words(str(svg)) == ['" onload="x']
    assert set(shapes(str(svg), "text")[0]) == {"x", "y", "font-size", "fill", "font-weight"}


@pytest.mark.parametrize(
    ("low", "high", "round_numbers"),
    [
        (0.0, 1.0, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (3.0, 47.0, [10.0, 20.0, 30.0, 40.0]),
        (-0.5, 0.5, [-0.4, -0.2, 0.0, 0.2, 0.4]),
        (2.0, 2.0, [2.0]),
        (0.0, float("inf"), [0.0]),
    ],
)
def test_ticks_are_round_numbers_between_the_ends(low, high, round_numbers):
    assert ticks(low, high) == round_numbers


def test_labels_of_numbers_are_short():
    assert [brief(n) for n in (0.0, 1234.0, 1e6, 0.123456, -2.5)] == ["0", "1,234", "1e+06", "0.1235", "-2.5"]


def test_the_ninth_class_has_the_colour_of_the_first():
    assert [colour(k) for k in range(9)] == [*PALETTE, PALETTE[0]]


def test_every_picture_of_the_documentation_has_colours_of_its_own():
    """As an image of a dark page, ink that follows the page is black on black."""
    pictures = sorted((Path(__file__).resolve().parents[2] / "docs").rglob("*.svg"))
    assert len(pictures) > 15
    for path in pictures:
        text = path.read_text(encoding="utf-8")
        assert "currentColor" not in text or f'<svg color="{INK}"' in text, path.name
        assert re.search(r'<rect [^>]*fill="#f', text), path.name


def test_lines_in_a_notebook_are_escaped():
    assert as_html("a < b\n\x1b[2J").endswith(">a &lt; b\n\\x1b[2J</pre>")
    assert escape("'\"&") == "&#x27;&quot;&amp;"


def test_a_picture_is_saved_over_pictures_and_empty_files_only(tmp_path):
    picture = Picture("<svg>é</svg>")
    for before in (None, "", "<svg>old</svg>"):
        if before is not None:
            (tmp_path / "p.svg").write_text(before)
        picture.save(tmp_path / "p.svg")
        assert (tmp_path / "p.svg").read_text(encoding="utf-8") == picture.with_own_colours()
    (tmp_path / "notes.svg").write_text("mine")
    with pytest.raises(OptionError, match="holds no picture"):
        picture.save(tmp_path / "notes.svg")
    assert (tmp_path / "notes.svg").read_text() == "mine"


def test_the_ending_is_svg_in_any_case(tmp_path):
    check_svg(tmp_path / "P.SVG")
    with pytest.raises(OptionError, match=r"ends in '\.png'"):
        check_svg(tmp_path / "p.png")


def test_round_numbers_stand_around_a_range():
    assert around(17.0, 76.0) == [0.0, 20.0, 40.0, 60.0, 80.0]
    assert around(0.0, 1.0) == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert around(3.0, 3.0) == [3.0]
