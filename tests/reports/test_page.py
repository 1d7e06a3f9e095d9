"""The report in a real browser: Debian's Chromium by Playwright, from disk, with and without JavaScript."""

from __future__ import annotations

import csv
import os
import re
from contextlib import ExitStack
from functools import cache, partial

import pytest
from opened import CHROMIUM, COLOURS, Opened, axe_findings, becomes, soon
from report_pages import MAKERS

import tallystick as ts

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
    pytest.mark.xdist_group("chromium"),
]
GROUND = "getComputedStyle(document.body).backgroundColor"
INKS = {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 28)"}


@pytest.fixture(scope="module")
def tabs(browser, tmp_path_factory):
    """A function: one tab for all pages at a width."""
    (blank := tmp_path_factory.mktemp("tabs") / "blank.html").write_text("<!doctype html>")
    with ExitStack() as ends:
        yield cache(lambda width: ends.enter_context(Opened(browser, blank, width)))


@pytest.mark.parametrize("name", list(MAKERS))
@pytest.mark.parametrize("width", [1440, 390])
def test_opens_from_disk_without_complaint_request_or_sideways_scroll(tabs, pages, name, width):
    opened = tabs(width)
    opened.visit(pages(name)[0])
    opened.page.wait_for_selector("html.js")
    opened.quiet()
    assert opened.fits()


def test_is_readable_without_javascript(browser, pages):
    path, found = pages("tree")
    with Opened(browser, path, java_script_enabled=False) as opened:
        text = opened.page.inner_text("body")
        assert found.answer[0] in re.sub(r"\s+", " ", text)
        opened.page.wait_for_selector(".still svg")
        opened.page.wait_for_selector("text=With JavaScript switched on")
        assert not opened.page.is_visible("#form")
        opened.quiet()


@pytest.mark.parametrize("name", ["evil", "evil tree"])
def test_hostile_names_run_nothing(browser, pages, name):
    with Opened(browser, pages(name)[0]) as opened:
        page = opened.page
        page.wait_for_selector("html.js")
        for box in page.query_selector_all("select"):
            assert box.evaluate("e => e.options.length") > 0
        page.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))")
        assert "hit" not in page.title().split("'")[0]
        soon(lambda: page.evaluate("typeof document.title"), "string")
        assert page.query_selector("img") is None
        soon(lambda: page.evaluate("document.scripts.length"), 2)
        opened.quiet()


def test_theme_follows_the_system_and_the_button(browser, pages):
    for scheme, other in (("light", "dark"), ("dark", "light")):
        with Opened(browser, pages("tree")[0], color_scheme=scheme) as opened:
            becomes(opened.page, GROUND, INKS[scheme])
            opened.page.click("#theme")
            becomes(opened.page, GROUND, INKS[other])
            becomes(opened.page, "document.documentElement.dataset.theme", other)


@pytest.mark.parametrize("name", ["tree", "bayes", "card"])
def test_every_control_is_reached_by_tab(browser, pages, name):
    with Opened(browser, pages(name)[0]) as opened:
        page = opened.page
        wanted = page.evaluate(
            "[...document.querySelectorAll('a, button, select, input, textarea, summary, [tabindex=\"0\"]')]"
            ".filter((e) => !e.disabled && e.checkVisibility({ visibilityProperty: true }))"
            ".filter((e) => e.getClientRects().length)"
            ".map((e, i) => (e.dataset.seen = i))"
        )
        page.evaluate("window.reached = new Set()")
        page.evaluate("addEventListener('focusin', (e) => reached.add(e.target.dataset.seen))")
        for _ in range(len(wanted) + 30):
            page.keyboard.press("Tab")
        assert page.evaluate("(wanted) => wanted.filter((i) => !reached.has(String(i)))", wanted) == []


@pytest.mark.parametrize("name", ["tree", "bayes", "logistic", "card", "pairs card", "classes"])
def test_axe_finds_nothing_in_the_light_and_no_bad_colour_in_the_dark(browser, pages, name):
    pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    with Opened(browser, pages(name)[0], color_scheme="light") as opened:
        page = opened.page
        page.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))")
        if name == "tree":
            page.click('[data-node="0"]')
        assert axe_findings(page) == []
        page.emulate_media(color_scheme="dark")
        becomes(page, GROUND, INKS["dark"])
        assert axe_findings(page, rules=COLOURS) == []


def test_prints_to_a_few_clean_pages(browser, pages):
    path, _ = pages("tree")
    with Opened(browser, path) as opened:
        pdf = opened.page.pdf(format="A4")
        sheets = len(re.findall(rb"/Type\s*/Page\b", pdf))
        assert 4 <= sheets <= 14  # at full size: what is too wide would be made smaller, and need fewer
        opened.page.emulate_media(media="print")
        for place, seen in (("#what-if", False), ("nav", False), (".still svg", True)):
            soon(partial(opened.page.is_visible, place), seen)


@pytest.mark.parametrize("name", ["tree", "card"])
def test_paper_has_whole_tables_side_by_side_with_their_intervals(browser, pages, name):
    """A sheet of A4 has 688 pixels: not a phone's table, and none that is cut off at the right."""
    with Opened(browser, pages(name)[0], 688) as opened:
        page = opened.page
        page.emulate_media(media="print")
        soon(partial(page.is_visible, "nav"), False)
        assert page.evaluate("document.documentElement.scrollWidth") <= 688
        ends = "[...document.querySelectorAll('main table')].map((t) => t.getBoundingClientRect().right)"
        assert max(page.evaluate(ends)) <= 689
        assert page.is_visible(".groups td:nth-child(5)")
        tables = "document.querySelectorAll('.groups > figure > .wide')"
        tops = f"[...{tables}].map((t) => t.getBoundingClientRect().top)"
        found = page.evaluate(tops)
        assert len(set(found)) == len(found)  # one under the other


def test_what_differs_stands_beside_the_table_of_groups_without_a_hole(browser, pages):
    with Opened(browser, pages("tree")[0], 1440) as opened:
        gaps = """[...document.querySelectorAll('.groups > figure')].map((f) => {
          const above = f.querySelector('.table-tools') || f.querySelector('figcaption');
          return f.querySelector('.wide').getBoundingClientRect().top - above.getBoundingClientRect().bottom;
        })"""
        found = opened.page.evaluate(gaps)
        assert found
        assert max(found) < 20


def test_many_classes_and_columns_keep_the_page_light(pages):
    for name in ("classes", "columns"):
        path, _ = pages(name)
        assert os.path.getsize(path) < 2_000_000


def test_curves_of_any_class_are_drawn_where_the_first_ones_stand(browser, pages):
    with Opened(browser, pages("classes")[0]) as opened:
        page = opened.page
        soon(lambda: page.evaluate("document.querySelector('#of-class').options.length"), 50)
        lines = "[...document.querySelectorAll('[data-curve] .curves')].map((e) => e.innerHTML)"
        before = page.evaluate(lines)
        assert len(before) == 3
        page.select_option("#of-class", "17")
        label = page.evaluate("report.data.labels[17]")
        told = "[...new Set([...document.querySelectorAll('.positive-class')].map((e) => e.textContent))]"
        becomes(page, told, [label])
        after = page.evaluate(lines)
        assert all(a != b for a, b in zip(before, after, strict=True))
        ends = page.evaluate(
            "document.querySelector('[data-curve=roc] polyline').getAttribute('points')"
        ).split()
        left, right, top, bottom = page.evaluate("report.data.curves.frame")
        assert [float(v) for v in ends[0].split(",")] == [left, bottom]
        assert [float(v) for v in ends[-1].split(",")] == [right, top]
        page.wait_for_selector(".heat svg")
        opened.quiet()


TEXTS = """(id) => [...document.querySelectorAll(id + ' tbody tr:not([hidden]) th')]
    .map((e) => e.innerText.trim())"""


SAYS = """(e) => {
    window.said = [];
    new MutationObserver(() => said.push(e.textContent)).observe(e, { childList: true });
}"""


def downloaded(waiting):
    with open(waiting.value.path(), encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def test_a_table_is_sorted_by_a_click_on_a_heading_and_back(browser, pages):
    with Opened(browser, pages("tree")[0]) as opened:
        page = opened.page
        names = page.evaluate(TEXTS, "#data .columns")
        page.click("#data .columns th:first-child .sort")
        soon(lambda: page.evaluate(TEXTS, "#data .columns"), sorted(names))
        soon(lambda: page.get_attribute("#data .columns th:first-child", "aria-sort"), "ascending")
        page.focus("#data .columns th:first-child .sort")
        page.keyboard.press("Enter")
        becomes(page, TEXTS, sorted(names, reverse=True), "#data .columns")
        page.click("#data .columns thead th:last-child .sort")  # numbers begin with the largest
        cells = "[...document.querySelectorAll('#data .columns tbody td:last-child')]"
        gains = f"{cells}.map((e) => parseFloat(e.innerText))"
        most = sorted(page.evaluate(gains), reverse=True)
        becomes(page, gains, most)
        opened.quiet()


def test_a_table_is_filtered_copied_and_downloaded_as_it_is_seen(browser, pages):
    with Opened(browser, pages("tree")[0], accept_downloads=True) as opened:
        page = opened.page
        tools = page.locator("#data .table-tools").last
        tools.locator("input").fill("fee")
        soon(lambda: page.evaluate(TEXTS, "#data .columns"), ["physician-fee-freeze"])
        soon(lambda: tools.inner_text()[:7], "1 of 16")
        with page.expect_download() as waiting:
            tools.get_by_text("CSV").click()
        lines = downloaded(waiting)
        assert [line[0] for line in lines] == ["column", "physician-fee-freeze"]
        assert {len(line) for line in lines} == {5}
        button = tools.get_by_text("Copy")
        button.evaluate(SAYS)
        button.click()
        becomes(page, "said.includes('Copied')")
        assert opened.said == []


def test_a_cell_that_would_be_a_formula_is_downloaded_as_text(browser, tmp_path):
    rows = [{"a": "=1+2"[: 4 - i % 2] + "xyz"[i % 3], "y": "pq"[i % 2]} for i in range(60)]
    found = ts.report(rows, "y", methods=("bayes",), folds=2, repeats=0)
    found.save(tmp_path / "formula.html")
    with Opened(browser, tmp_path / "formula.html", accept_downloads=True) as opened:
        with opened.page.expect_download() as waiting:
            opened.page.locator("#model .table-tools").first.get_by_text("CSV").click()
        assert not any(cell.startswith("=") for line in downloaded(waiting) for cell in line)


def test_the_address_keeps_the_part_the_theme_and_the_row(browser, pages):
    path, _ = pages("tree")
    with Opened(browser, path) as opened:
        page = opened.page
        page.click("#theme")
        page.select_option("#start", "1")
        page.select_option("#field-0", "y")
        page.click("nav a[href='#methods']")
        page.wait_for_url(re.compile("#methods&"))
        becomes(page, "location.hash.includes('theme=dark') && location.hash.includes('row=1')")
        address, answer = page.evaluate("location.href"), page.inner_text("#shares")
    assert "theme=dark" in address
    assert "row=1" in address
    with Opened(browser, path) as opened:
        page = opened.page
        page.goto("about:blank")
        page.goto(address)
        soon(lambda: page.evaluate("document.documentElement.dataset.theme"), "dark")
        soon(lambda: page.input_value("#start"), "1")
        soon(lambda: page.input_value("#field-0"), "y")
        soon(lambda: page.inner_text("#shares"), answer)
        becomes(page, "Math.abs(document.querySelector('#methods').getBoundingClientRect().top) < 120")
        assert opened.said == []


def test_every_heading_has_a_link_to_itself_and_the_contents_stay_in_sight(browser, pages):
    with Opened(browser, pages("bayes")[0]) as opened:
        page = opened.page
        heads = page.evaluate(
            "[...document.querySelectorAll('main h2, main h3, main figcaption')]"
            ".filter((e) => !e.closest('#told, #node'))"
            ".map((e) => decodeURIComponent(e.querySelector('.anchor').hash.slice(1)))"
        )
        assert len(set(heads)) == len(heads) > 10
        assert page.evaluate("(ids) => ids.every((id) => document.getElementById(id))", heads)
        page.evaluate("document.querySelector('#data').scrollIntoView({ behavior: 'instant' })")
        page.wait_for_selector("nav a[aria-current][href='#data']")
        becomes(page, "document.querySelector('nav').getBoundingClientRect().top", 0)


def test_the_answer_and_what_each_column_tells_stand_on_the_first_screen(browser, pages):
    for name in ("tree", "card", "classes", "columns"):
        with Opened(browser, pages(name)[0]) as opened:
            becomes(opened.page, "document.querySelector('.ranked').getBoundingClientRect().bottom <= 900")
            becomes(opened.page, "document.querySelector('#answer').nextElementSibling.id", "model")
