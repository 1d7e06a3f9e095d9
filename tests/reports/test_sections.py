"""The list of sections: every one has its template, its place in the contents, and every asset is used."""

from __future__ import annotations

from importlib import resources

import pytest

from tallystick.reports.page import SCRIPTS, SECTIONS, STYLES, report_page, report_style, sections_script

ASSETS = {f.name for f in (resources.files("tallystick.reports") / "assets").iterdir()}


def test_every_style_sheet_and_script_is_part_of_the_page():
    own = {f"{s}.css" for s in STYLES} | {"changes.css"}  # the page of what changed has a style of its own
    assert {n for n in ASSETS if n.endswith(".css")} == own
    assert {n for n in ASSETS if n.endswith(".js")} == {f"{s}.js" for s in SCRIPTS} | {"page.js"}
    assert len(set(STYLES)) == len(STYLES)
    assert report_style().count("/*") >= len(STYLES)
    assert "function tallySections(" in sections_script()


@pytest.mark.slow
def test_sections_stand_in_their_order_and_the_contents_lead_to_each(given):
    html, _ = report_page(given("tree"))
    places = [html.index(f'<section id="{s.id}"') for s in SECTIONS]
    assert places == sorted(places)
    assert all(f'<a href="#{s.id}">{s.title}</a>' in html for s in SECTIONS)
    assert {s.template for s in SECTIONS} <= ASSETS


def test_the_model_stands_right_after_the_answer():
    assert [s.id for s in SECTIONS[:2]] == ["answer", "model"]
