"""The gallery says of its curves what their figures show, and nothing of bands that overlap."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import curve_sentences  # noqa: E402
import make_gallery  # noqa: E402

FIGURES = json.loads((ROOT / "docs" / "gallery" / "curves.json").read_text(encoding="utf-8"))


def curve(bayes, logistic, half=0.01, sizes=(10, 100)):
    """Return figures of two curves whose bands are `half` wide on each side."""
    methods = [
        {"error": list(e), "low": [v - half for v in e], "high": [v + half for v in e]}
        for e in (bayes, logistic)
    ]
    return {"methods": methods, "sizes": list(sizes), "repeats": 100}


def test_the_page_says_what_the_figures_show():
    page = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    assert page.endswith(make_gallery.curves_page(FIGURES))


def test_the_figures_are_of_the_published_pair_on_fifteen_tables():
    assert len(FIGURES) == len(make_gallery.NG_JORDAN) == 15
    for entry in make_gallery.NG_JORDAN:
        bayes, logistic = (m["name"] for m in FIGURES[entry.file]["methods"])
        assert bayes in ("naive Bayes", "naive Bayes, Gaussian")
        assert logistic == "logistic regression, l2=1e-6"
        assert FIGURES[entry.file]["repeats"] >= 40


def test_bands_that_overlap_are_told_apart_by_nobody():
    assert curve_sentences.lower(curve((0.2, 0.1), (0.21, 0.05)), 0) is None
    assert curve_sentences.lower(curve((0.2, 0.1), (0.21, 0.05)), -1) == 1
    assert curve_sentences.lower(curve((0.2, 0.1), (0.3, 0.05)), 0) == 0
    told = curve_sentences.sentence(curve((0.2, 0.1), (0.21, 0.05)))
    assert told.startswith("With 10 rows the bands overlap (naive Bayes 0.200, logistic regression 0.210)")
    assert "with 100 logistic regression is lower (0.050 against 0.100)" in told


@pytest.mark.parametrize(
    ("bayes", "logistic", "told"),
    [((0.1, 0.1), (0.2, 0.05), True), ((0.1, 0.1), (0.105, 0.05), False), ((0.2, 0.1), (0.1, 0.2), False)],
)
def test_a_crossing_is_told_where_the_lead_passes_from_one_to_the_other(bayes, logistic, told):
    found = curve_sentences.sentence(curve(bayes, logistic))
    assert ("The curves cross between 10 and 100 rows." in found) == told


def test_the_summary_counts_the_tables():
    curves = [curve((0.1, 0.1), (0.2, 0.05)), curve((0.2, 0.1), (0.1, 0.1)), curve((0.2, 0.1), (0.2, 0.05))]
    told = curve_sentences.summary(curves)
    assert "smallest size the bands separate on two of the three tables: naive Bayes is lower on one" in told
    assert "largest size the bands separate on two of the three tables: naive Bayes is lower on no" in told
    assert "The lead passes from naive Bayes to logistic regression on one." in told


def test_a_curve_is_settled_from_where_it_stays_within_its_last_band():
    assert curve_sentences.settled(curve((0.3, 0.105, 0.1), (0.3, 0.2, 0.1), sizes=(10, 20, 40)), 0) == 20
    assert curve_sentences.settled(curve((0.3, 0.105, 0.1), (0.3, 0.2, 0.1), sizes=(10, 20, 40)), 1) == 40
