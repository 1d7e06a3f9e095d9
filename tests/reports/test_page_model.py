"""The model on the page in a real browser: tree, nomogram and what-if form answer as Python does."""

from __future__ import annotations

import math
import os
import random
import re

import pytest
from opened import CHROMIUM, Opened, becomes, soon, tells

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
    pytest.mark.xdist_group("chromium"),
]


def test_tree_folds_by_click_and_by_keyboard(browser, pages):
    with Opened(browser, pages("tree")[0]) as opened:
        page = opened.page
        count = "document.querySelectorAll('#tree [role=treeitem]').length"
        whole = page.evaluate(count)
        page.click('[data-fold="0"]')
        soon(lambda: page.evaluate(count), 1)
        soon(lambda: page.get_attribute('[data-node="0"]', "aria-expanded"), "false")
        page.focus('[data-node="0"]')
        page.keyboard.press("ArrowRight")
        soon(lambda: page.evaluate(count), whole)
        soon(lambda: page.evaluate("document.activeElement.dataset.node"), "0")  # the focus stays
        page.keyboard.press("ArrowLeft")
        soon(lambda: page.evaluate(count), 1)
        page.click("#unfold")
        soon(lambda: page.evaluate(count), whole)
        opened.quiet()


def test_a_node_tells_its_counts_and_the_runners_up(browser, pages):
    path, found = pages("tree")
    with Opened(browser, path) as opened:
        opened.page.click('[data-node="0"]')
        tells(opened.page, "#node", "asked")
        text = opened.page.inner_text("#node")
        best = found.model.splits(0).candidates
        assert f"{best[0].gain:.4f}" in text
        assert best[1].column in text
        for label, rows in zip(found.model.classes_, found.model.model_.shown.rows[0], strict=True):
            assert re.search(rf"{label}\s+{rows:,.0f}", text)


def test_a_row_is_followed_down_the_tree(browser, pages):
    path, found = pages("tree")
    with Opened(browser, path) as opened:
        page = opened.page
        page.select_option("#follow", "0")
        lit = "[...document.querySelectorAll('#tree .node.lit')].map((e) => Number(e.dataset.node))"
        row = page.evaluate("report.data.ask.starts[0].row")
        tree = found.model.model_.shown
        whole = {name: row.get(name) for name in found.model.feature_names_in_}
        end = int(tree.stops(next(iter(found.model._blocks([whole]))).block)[0])
        way = [end]
        while tree.nodes.parent[way[-1]] >= 0:
            way.append(int(tree.nodes.parent[way[-1]]))
        becomes(page, lit, sorted(way))


KNOB = "document.querySelector('.knob').getAttribute('aria-valuenow')"


def test_moving_a_point_of_the_nomogram_moves_row_and_answer(browser, pages):
    for name in ("bayes", "logistic", "card"):
        with Opened(browser, pages(name)[0]) as opened:
            page = opened.page
            knob = page.locator(".knob").first
            column = page.evaluate("report.data.scales.lines[0].column")
            field = page.evaluate(
                "(c) => 'field-' + report.data.ask.fields.findIndex((f) => f.name === c)", column
            )
            before = page.inner_text("#shares"), page.input_value(f"#{field}")
            knob.focus()
            page.keyboard.press("Home")
            becomes(page, KNOB, "0")
            low = page.inner_text("#shares"), page.input_value(f"#{field}")
            page.keyboard.press("End")
            becomes(page, KNOB, page.get_attribute(".knob", "aria-valuemax"))
            high = page.inner_text("#shares"), page.input_value(f"#{field}")
            assert len({before[0], low[0], high[0]}) >= 2
            assert low[1] != high[1]
            page.locator('[data-line="0"] .track').click(position={"x": 30, "y": 23})
            becomes(page, "document.activeElement.getAttribute('role')", "slider")
            opened.quiet()


LINES = "report.data.scales.lines.map((l) => [l.column, l.stops])"
DRAWN = """[...document.querySelectorAll('#nomogram .track svg')].map((svg) =>
    [...svg.querySelectorAll('line, text')].map((e) => e.tagName + ' ' +
        ['x', 'y', 'x1', 'x2'].map((a) => parseFloat(e.getAttribute(a)).toFixed(1)) + e.textContent))"""


@pytest.mark.parametrize("name", ["three bayes", "three logistic"])
def test_the_page_draws_any_two_classes_as_python_draws_the_first(browser, pages, name):
    with Opened(browser, pages(name)[0]) as opened:
        page = opened.page
        labels = page.evaluate("report.data.labels")
        own, other = (int(page.input_value(f"#{box}")) for box in ("own", "other"))
        third = 3 - own - other
        lines, drawn = page.evaluate(LINES), page.evaluate(DRAWN)
        page.select_option("#own", str(third))
        soon(lambda: page.evaluate(DRAWN) != drawn, True)
        soon(lambda: page.inner_text(".own-class"), labels[third])
        page.select_option("#other", str(third))  # the two change places
        soon(lambda: page.input_value("#own"), str(other))
        page.select_option("#own", str(own))
        page.select_option("#other", str(other))
        soon(lambda: page.evaluate(DRAWN), drawn)
        for (column, stops), (same, again) in zip(lines, page.evaluate(LINES), strict=True):
            assert column == same
            assert [s[:2] for s in again] == [s[:2] for s in stops]
            assert [s[2:] for s in again] == [pytest.approx(s[2:], abs=1e-3) for s in stops]
        opened.quiet()


def test_the_sum_of_the_chosen_classes_is_read_off_as_their_shares(browser, pages):
    with Opened(browser, pages("three bayes")[0]) as opened:
        page = opened.page
        page.select_option("#own", "2")
        page.select_option("#other", "0")
        odds = page.evaluate(
            "(() => { const p = report.model.predict(report.data.ask.starts[0].row).probabilities,"
            " l = report.data.labels; return Math.log(p[l[2]] / p[l[0]]); })()"
        )
        low, high = page.evaluate("report.data.scales.sum_ends")
        at = "parseFloat(document.querySelector('#sum .needle').style.left)"
        wanted = pytest.approx(3 + 94 * (min(max(odds, low), high) - low) / (high - low), abs=0.1)
        becomes(page, at, wanted)


def test_a_needle_beyond_its_axis_is_an_arrow_with_the_number(browser, pages):
    with Opened(browser, pages("logistic")[0]) as opened:
        page = opened.page
        column = page.evaluate("report.data.ask.fields.find((f) => f.kind === 'numeric').name")
        field = page.evaluate("(c) => report.data.ask.fields.findIndex((f) => f.name === c)", column)
        page.fill(f"#field-{field}", "90000")
        line = page.evaluate("(c) => report.data.scales.lines.findIndex((l) => l.column === c)", column)
        knob = page.locator(f'[data-line="{line}"] .knob')
        soon(lambda: knob.get_attribute("data-beyond") in ("left", "right"), True)
        tells(page, f'[data-line="{line}"] .knob .past', "90000")
        assert re.fullmatch(r"(◂ )?[+−]([\d.]+|∞)( ▸)?", page.inner_text("#sum .past"))
        tells(page, "#share .past", "%")
        assert opened.fits()
        inside = page.evaluate("(k) => report.data.scales.lines[k].stops[3][0]", line)
        page.fill(f"#field-{field}", str(inside))
        soon(lambda: page.locator(f'[data-line="{line}"] .past').count(), 0)
        opened.quiet()


@pytest.mark.parametrize("name", ["tree", "bayes", "logistic", "card", "three card", "pairs card"])
def test_what_if_answers_as_python_does_on_1000_rows(browser, pages, name):
    path, found = pages(name)
    draw = random.Random(11)
    schema = found.model.schema_
    rows = []
    for _ in range(1_000):
        row = {}
        for c in schema.used:
            if c.levels:
                row[c.name] = draw.choice([*c.levels, None, "never seen"])
            else:
                row[c.name] = draw.choice([None, round(draw.uniform(-1, 70), 3), float(draw.randint(0, 60))])
        rows.append(row)
    wanted = found.model.predict_proba(rows)
    with Opened(browser, path) as opened:
        told = opened.page.evaluate("(rows) => rows.map((r) => report.model.predict(r).probabilities)", rows)
        opened.quiet()
    labels = [str(c) for c in found.model.classes_]
    assert [[t[label] for label in labels] for t in told] == pytest.approx(wanted, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("name", ["card", "three card", "pairs card"])
def test_the_points_of_a_card_add_up_on_the_page(browser, pages, name):
    path, found = pages(name)
    with Opened(browser, path) as opened:
        page = opened.page
        rows = page.evaluate("report.data.ask.starts.map((s) => s.row)")
        told = page.evaluate(
            "(rows) => rows.map((r) => { const e = report.model.explain(r);"
            " return e.base.map((b, k) => e.parts.reduce((sum, p) => sum + p.parts[k], b)); })",
            rows,
        )
        for k in range(len(rows)):
            page.select_option("#start", str(k))
            shares = dict(
                zip(
                    found.model.classes_,
                    found.model.predict_proba([rows[k]], missing_columns="as-missing")[0],
                    strict=True,
                )
            )
            first, second = sorted(shares.values())[::-1][:2]
            said = "Number(document.querySelector('#sum-of-points b').textContent.replace('−', '-'))"
            becomes(page, said, pytest.approx(20 * math.log2(first / second), abs=1e-6))
        opened.quiet()
    model = found.model.model_
    wanted = [
        model.points(found.model._find_row(row, 0, missing_columns="as-missing", warn=False)[0])[0].tolist()
        for row in rows
    ]
    assert told == wanted


def test_typing_a_row_changes_the_answer_at_once(browser, pages):
    with Opened(browser, pages("tree")[0]) as opened:
        page = opened.page
        first = page.evaluate("report.data.ask.fields[0].name")
        assert first == "physician-fee-freeze"
        page.select_option("#field-0", "n")
        tells(page, "#says", "democrat")
        page.select_option("#field-0", "y")
        tells(page, "#says", "republican")


def test_a_cell_that_cannot_be_read_is_told_and_nothing_breaks(browser, pages):
    with Opened(browser, pages("logistic")[0]) as opened:
        page = opened.page
        field = page.evaluate("report.data.ask.fields.findIndex((f) => f.kind === 'numeric')")
        page.fill(f"#field-{field}", "abc")
        tells(page, "#shares", "needs a number")
        page.fill(f"#field-{field}", "12")
        tells(page, "#shares", "%")
        opened.quiet()


def test_a_tree_of_2000_nodes_starts_folded_and_a_click_draws_few_of_them(browser, pages):
    path, found = pages("grown")
    assert len(found.model.model_.shown.nodes) > 2_000
    assert os.path.getsize(path) < 2_000_000
    with Opened(browser, path) as opened:
        page = opened.page
        many = "document.querySelectorAll('#tree .node').length"
        before = page.evaluate(many)
        assert before < 40
        page.evaluate(
            "document.querySelector('[aria-expanded=false] .fold')"
            ".dispatchEvent(new MouseEvent('click', { bubbles: true }))"
        )
        becomes(page, f"{before} < {many} && {many} < 60")  # what is drawn is what a click costs
        page.click("#unfold")
        becomes(page, f"{many} > 2000")
