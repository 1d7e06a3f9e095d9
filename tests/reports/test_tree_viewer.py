"""The tree of the page in a real browser: every control, by mouse and by keyboard, and on a narrow screen."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ET

import pytest
from opened import CHROMIUM, Opened, axe_findings, becomes, soon, tells

import tallystick as ts

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
    pytest.mark.xdist_group("chromium"),
]
NODES = "document.querySelectorAll('#tree .node').length"
DEEP = "Math.max(...[...document.querySelectorAll('#tree .node')].map((n) => Number(n.ariaLevel)))"
INSIDE = """(k) => {
    const b = document.querySelector(`[data-node="${k}"] .box`).getBoundingClientRect();
    const p = document.getElementById('tree').getBoundingClientRect();
    return b.left >= p.left - 1 && b.right <= p.right + 1 && b.top >= p.top - 1 && b.bottom <= p.bottom + 1;
}"""
VIEW = "(() => { const t = document.getElementById('tree'); return [t.scrollLeft, t.scrollTop]; })()"
WIDTH = "Number(document.querySelector('#tree svg').getAttribute('width'))"


def letters(rows=6_000):
    """Twelve classes in steps of a number, a level and noise: a tree of some hundred nodes."""
    draw, table = random.Random(5), []
    for i in range(rows):
        x, kind = draw.randrange(100), draw.choice(["red", "green", "blue", "grey"])
        label = "abcdefghijkl"[(x // 7 + (kind == "red") * 3 + (draw.random() < 0.1) * 5) % 12]
        table.append({"x": x, "kind": kind, "noise": i % 17, "y": label})
    return table


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    found = ts.report(letters(), "y", methods=("tree",), folds=2, repeats=0)
    path = tmp_path_factory.mktemp("tree") / "page.html"
    found.save(path)
    return path, found


@pytest.fixture
def opened(browser, made):
    """A function: the page at some width; what it complains about fails the test."""
    visits = []

    def at(width=1440):
        visits.append(Opened(browser, made[0], width, accept_downloads=True))
        return visits[-1].page

    yield at
    for visit in visits:
        visit.context.close()
        assert visit.said == []


def test_unfolding_all_shows_the_whole_tree_at_once(opened, made):
    page = opened()
    page.click("#unfold")
    soon(lambda: page.evaluate(NODES), len(made[1].model.model_.shown.nodes))
    every = f"[...document.querySelectorAll('#tree .node')].every((n) => ({INSIDE})(n.dataset.node))"
    becomes(page, every)
    becomes(page, "document.querySelector('#tree svg').classList.contains('map')")
    last = page.evaluate("[...document.querySelectorAll('#tree .node')].at(-1).dataset.node")
    page.evaluate(
        "(k) => document.querySelector(`[data-node='${k}'] .part`)"
        ".dispatchEvent(new MouseEvent('click', { bubbles: true }))",
        last,
    )
    becomes(page, "document.querySelector('#tree svg').classList.contains('map')", False)
    becomes(page, INSIDE, True, last)  # a node of the map opens as a box that can be read
    tells(page, "#node", "rows")


def test_levels_are_stepped_through(opened):
    page = opened()
    soon(lambda: page.evaluate(DEEP), 4)
    page.click("#deeper")
    soon(lambda: page.evaluate(DEEP), 5)
    tells(page, "#levels", "4 of ")
    for _ in range(4):
        page.click("#fewer")
    soon(lambda: page.evaluate(NODES), 1)
    soon(lambda: page.is_disabled("#fewer"), True)


def test_zoom_by_buttons_wheel_and_fit(opened):
    page = opened()
    first = page.evaluate(WIDTH)
    page.click("#larger")
    becomes(page, WIDTH, pytest.approx(first * 1.25, abs=2))
    page.click("#smaller")
    becomes(page, WIDTH, pytest.approx(first, abs=2))
    page.hover("#tree")
    page.keyboard.down("Control")
    page.mouse.wheel(0, -120)
    page.keyboard.up("Control")
    becomes(page, f"{WIDTH} > {first} + 5")
    page.click("#fit")
    becomes(page, f"{WIDTH} <= document.getElementById('tree').clientWidth")


def test_the_picture_is_moved_by_dragging(opened):
    page = opened()
    for _ in range(4):
        page.click("#larger")
    box = page.locator("#tree").bounding_box()
    before = page.evaluate(VIEW)
    page.mouse.move(box["x"] + 600, box["y"] + 300)
    page.mouse.down()
    page.mouse.move(box["x"] + 400, box["y"] + 200, steps=4)
    page.mouse.up()
    becomes(page, VIEW, [pytest.approx(before[0] + 200, abs=2), pytest.approx(before[1] + 100, abs=2)])
    tells(page, "#node", "Choose a group")  # a drag chooses nothing


def test_a_column_is_found_and_its_groups_are_gone_through(opened, made):
    page = opened()
    tree = made[1].model.model_.shown
    asks = [tree.schema.used[c].name if c >= 0 else "" for c in tree.nodes.column]
    wanted = [k for k, name in enumerate(asks) if name == "kind"]
    page.fill("#seek", "KIND")
    soon(lambda: page.inner_text("#hits"), f"1 of {len(wanted)}")
    becomes(page, INSIDE, True, wanted[0])
    page.keyboard.press("Enter")
    soon(lambda: page.inner_text("#hits"), f"2 of {len(wanted)}")
    becomes(page, INSIDE, True, wanted[1])
    page.fill("#seek", "nothing of the kind")
    soon(lambda: page.inner_text("#hits"), "not asked")
    becomes(page, "[...document.querySelectorAll('#asked option')].some((o) => o.value === 'x')")


def test_arrow_keys_go_from_group_to_group_in_view(opened, made):
    page = opened()
    nodes = made[1].model.model_.shown.nodes
    page.focus('[data-node="0"]')
    now = "Number(document.activeElement.dataset.node)"
    page.keyboard.press("ArrowRight")
    soon(lambda: page.evaluate(now), nodes.branches(0)[0])
    page.keyboard.press("End")
    becomes(page, f"{now} > 0")
    last = page.evaluate(now)
    becomes(page, INSIDE, True, last)
    soon(lambda: page.get_attribute(f'[data-node="{last}"]', "aria-expanded"), "false")
    page.keyboard.press("ArrowRight")  # unfolds, and brings it to the middle
    soon(lambda: page.get_attribute(f'[data-node="{last}"]', "aria-expanded"), "true")
    becomes(page, INSIDE, True, last)
    page.keyboard.press("ArrowDown")
    soon(lambda: page.evaluate(now), last + 1)
    page.keyboard.press("ArrowLeft")
    soon(lambda: page.evaluate(now), last)
    page.keyboard.press("Enter")
    soon(lambda: page.get_attribute(f'[data-node="{last}"]', "aria-selected"), "true")
    tells(page, "#node", "rows")
    page.keyboard.press("Home")
    soon(lambda: page.evaluate(now), 0)
    soon(lambda: page.evaluate("document.querySelectorAll('#tree [tabindex=\"0\"]').length"), 1)


def test_a_followed_row_is_shown_at_its_leaf_with_its_answer_and_markers(opened, made):
    page = opened()
    page.select_option("#follow", "0")
    page.wait_for_selector("#tree .lit", state="attached")
    way = page.evaluate("[...document.querySelectorAll('#tree .lit')].map((n) => Number(n.dataset.node))")
    becomes(page, INSIDE, True, way[-1])
    row = page.evaluate("report.data.ask.starts[0].row")
    share = page.evaluate("(r) => Math.max(...Object.values(report.model.predict(r).probabilities))", row)
    text = page.text_content(f'[data-node="{way[-1]}"] .words.first')
    assert text.startswith("this row: ")
    assert float(text.split()[-2]) == pytest.approx(100 * share, abs=0.06)
    drawn = [k for k in way[:-1] if str(k) in page.evaluate("report.data.tree.spreads")]
    assert drawn
    for k in drawn:
        page.wait_for_selector(f'[data-node="{k}"] .marker', state="attached")


def test_bars_of_many_classes_have_true_lengths(opened, made):
    page = opened()
    tree = made[1].model.model_.shown
    parts = page.evaluate(
        "[...document.querySelectorAll('[data-node=\"0\"] .part')]"
        ".map((r) => [Number(r.dataset.class), Number(r.getAttribute('width'))])"
    )
    whole = sum(wide for _, wide in parts)
    assert [c for c, _ in parts].count(-1) == 1
    for number, wide in parts:
        if number >= 0:
            assert wide / whole == pytest.approx(tree.rows[0, number] / tree.rows[0].sum(), abs=1e-3)


def test_a_value_beyond_the_bars_has_an_arrow_with_the_number(opened):
    page = opened()
    page.select_option("#follow", "0")
    field = page.evaluate("report.data.ask.fields.findIndex((f) => f.name === 'x')")
    page.fill(f"#field-{field}", "5000")
    root = page.evaluate("report.data.tree.asks.indexOf('x')")
    soon(lambda: page.text_content(f'[data-node="{root}"] .marker text'), "5000")


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_the_picture_is_saved(opened, kind, tmp_path):
    page = opened()
    with page.expect_download() as waiting:
        page.click(f"#save-{kind}")
    assert waiting.value.suggested_filename == f"tree.{kind}"
    waiting.value.save_as(tmp_path / f"tree.{kind}")
    content = (tmp_path / f"tree.{kind}").read_bytes()
    if kind == "png":
        assert content[:8] == b"\x89PNG\r\n\x1a\n"
        assert int.from_bytes(content[16:20]) > 1_000
        return
    root = ET.fromstring(content)
    texts = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "all rows" in texts
    assert not any("class" in element.attrib for element in root.iter())


def test_a_narrow_screen_has_an_outline_that_fits(opened):
    page = opened(390)
    becomes(page, "document.documentElement.scrollWidth <= innerWidth")
    place = "document.getElementById('tree')"
    becomes(page, f"{place}.scrollWidth <= {place}.clientWidth")
    boxes = page.evaluate(
        "[...document.querySelectorAll('#tree .node')].map((n) => { const b = n.querySelector('.box')"
        ".getBoundingClientRect(); return [Number(n.ariaLevel), b.left, b.top]; })"
    )
    assert [top for _, _, top in boxes] == sorted(top for _, _, top in boxes)
    lefts = {level: left for level, left, _ in boxes}
    assert [lefts[level] for level in sorted(lefts)] == sorted(set(lefts.values()))
    page.click("#unfold")
    becomes(page, f"{place}.scrollWidth <= {place}.clientWidth")


@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_nothing_in_the_tree(opened, width):
    pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    page = opened(width)
    page.select_option("#follow", "0")
    assert axe_findings(page, "#model") == []
