"""Of the page, effects: the strongest columns first, of any class, and two columns as regions."""

from __future__ import annotations

import pytest
from opened import CHROMIUM, Opened, axe_findings, becomes

from tallystick.explanation.effects import ColumnEffect, EffectPoint
from tallystick.reports.weights import MOST_CLASSES, MOST_COLUMNS, axis_end, effects_section


@pytest.mark.parametrize("method", ["tree", "bayes", "logistic", "card"])
def test_every_method_has_the_effects_of_its_strongest_columns(given, method):
    found = effects_section(given(method))
    assert [c["label"] for c in found["classes"]] == [given(method).chosen.result.scores.positive]
    names = given(method).columns[:MOST_COLUMNS]
    for name, picture in zip(names, found["classes"][0]["pictures"], strict=True):
        assert f">{name.replace('<', '&lt;').replace('>', '&gt;')}</text>" in picture
    assert (found["rows"], found["some"]) == ("60", False)
    kinds = {c.name: c.kind for c in given(method).table.schema.used}
    assert found["plane"]["columns"] == sorted(names[:2], key=lambda n: kinds[n] != "numeric")  # names go up


def effect(*highs):
    points = [EffectPoint("v", 0.0, high / 2, 0.0, high, 5) for high in highs]
    return ColumnEffect("x", "yes", True, 10, tuple(points))


def test_columns_share_an_axis_unless_one_would_lie_flat_on_it():
    every = [effect(0.1, 0.97), effect(0.3), effect(0.004), effect(0.00001)]
    assert [axis_end(e, every, 0.0037) for e in every] == [1.0, 1.0, 0.01, 0.01]
    assert axis_end(effect(0.3), [effect(0.3)], 0.1) == 0.5


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
@pytest.mark.xdist_group("chromium")
@pytest.mark.parametrize(("name", "width"), [("classes", 1440), ("three card", 390)])
def test_the_effects_on_another_class_are_shown_instead(browser, pages, name, width):
    pytest.importorskip("axe_playwright_python", reason="axe is not installed")
    with Opened(browser, pages(name)[0], width) as opened:
        page = opened.page
        seen = "[...document.querySelectorAll('[data-effect]:not([hidden])')].map((e) => e.dataset.effect)"
        options = page.evaluate("[...document.getElementById('effect-class').options].map((o) => o.value)")
        assert 3 <= len(options) <= MOST_CLASSES
        becomes(page, seen, options[:1])
        page.select_option("#effect-class", options[1])
        becomes(page, seen, options[1:2])
        label = page.evaluate("(k) => report.data.labels[k]", int(options[1]))
        becomes(page, "document.getElementById('effect-of').textContent", label)
        assert opened.fits()
        assert axe_findings(page, "section:has(#effect-class)") == []
        opened.quiet()
