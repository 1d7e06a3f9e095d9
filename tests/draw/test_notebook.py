"""Results in a notebook: tables are tables, everything is escaped and stays in its frame."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from tallystick.draw.svg import Span, framed, html_lines, table, wrapped


def test_a_table_of_lines_becomes_a_table_and_other_lines_paragraphs():
    rows = [[Span("▸ tree", "strong"), Span("0.25")], [Span("<b>"), Span("1.5")]]
    lines = [
        (Span("two methods", "strong"),),
        (),
        *table(["method", "loss"], rows, frozenset({1})),
        *wrapped("the simplest one is taken", 20, "razor: "),
    ]
    root = ET.fromstring(f"<x>{html_lines(lines)}</x>")
    cells = [["".join(cell.itertext()) for cell in row] for row in root.iter("tr")]
    assert cells == [["method", "loss"], ["▸ tree", "0.25"], ["<b>", "1.5"]]
    assert "text-align: right" in [cell.get("style") for cell in root.iter("td")][-1]
    said = ["".join(p.itertext()) for p in root.iter("p")]
    assert said == ["two methods", "razor: the simplest one is taken"]  # a wrapped sentence is one again


def test_a_picture_is_as_wide_as_its_frame_and_the_text_unfolds():
    root = ET.fromstring(framed('<svg width="5434"></svg>', "", text="a < b\n\x1b[2J"))
    assert "max-width: 980px" in root.get("style", "")
    assert [part.tag for part in root] == ["div", "details"]
    assert "max-width: 100%" in root[0][0].get("style", "")
    assert root[1][1].text == "a < b\n\\x1b[2J"


def test_a_wide_table_scrolls():
    assert "overflow: auto" in framed("<table></table>")
