"""On how many rows a report works: counted, said, and the drawn model is fitted on all."""

from __future__ import annotations

import random

import numpy as np
import pytest

import tallystick as ts
from tallystick.judge.api import candidates_of, curve_read
from tallystick.reports import api as report_work
from tallystick.reports.api import CURVE_SIZES, cells, folds_for, part_for, part_to_compare, tried

pytestmark = pytest.mark.slow


def rows(n=3_000):
    draw, out = random.Random(2), []
    for i in range(n):
        y = "abc"[i % 3]
        out.append({"x": draw.gauss("abc".index(y), 0.7), "z": draw.choice("pqr"), "y": y})
    return out


def read(data, **known):
    return ts.NaiveBayes(**known)._read(data, "y")


def test_work_is_rows_times_columns_times_classes_and_words_count_one_by_one():
    assert cells(read(rows())) == 3_000 * 2 * 3
    texts = [{"t": "one two three", "y": "ab"[i % 2]} for i in range(10)]
    assert cells(read(texts, kinds={"t": "text"})) == 10 * 3 * 2


def test_a_part_is_taken_only_where_the_work_is_large_and_by_what_rows_hold():
    table = read(rows())
    assert part_for(table, ["logistic"], 10, 1e9).rows is None
    part = part_for(table, ["logistic"], 10, 1e4)
    assert part.rows is not None
    assert abs(part.table.rows - report_work.FEWEST) < 150
    turned = read(rows()[::-1])
    again = part_for(turned, ["logistic"], 10, 1e4)
    assert sorted(part.table.row_hashes().tolist()) == sorted(again.table.row_hashes().tolist())
    assert part_for(table, ["bayes"], 10, 2e4).rows is None  # counting is quick


def test_methods_that_are_slow_with_many_classes_are_left_out_and_named():
    assert tried(read(rows(60)))[1] == ""
    many = [r | {"y": f"c{i % 30}"} for i, r in enumerate(rows())]
    found, said = tried(read(many))
    assert "card" not in found
    assert said == "Scorecard was not tried: it is slow with 30 classes."


def crossed(n=3_000):
    """Two columns that tell the class only together, which a tree learns and weights do not."""
    draw = random.Random(4)
    pairs = [(draw.random(), draw.random()) for _ in range(n)]
    return [{"a": a, "b": b, "y": "pq"[(a < 0.5) ^ (b < 0.5)]} for a, b in pairs]


@pytest.mark.parametrize(("made", "name", "all_rows"), [(crossed, "tree", True), (rows, "logistic", False)])
def test_the_drawn_model_is_fitted_on_all_rows_and_the_page_says_what_was_not(
    monkeypatch, made, name, all_rows
):
    wanted = ts.report(made(), "y", methods=["tree", "logistic"], folds=3, repeats=0)
    monkeypatch.setattr(report_work, "COMPARED_WORK", 1e4)
    monkeypatch.setattr(report_work, "FEWEST", 500)
    told = []
    page = ts.report(
        made(),
        "y",
        methods=["tree", "logistic"],
        folds=3,
        repeats=0,
        progress=lambda *step: told.append(step),
    )
    assert page.comparison.chosen.family == name
    assert page.model.to_bytes() == wanted.model.to_bytes()
    tested = int((page.comparison.chosen.result.fold >= 0).sum())
    assert (tested == 3_000) == all_rows
    assert "the methods were compared on" in page.html
    assert ("its scores are those on all rows" in page.html) == all_rows
    done = [what for _, _, what in told]
    assert any(what.startswith("comparing 2 methods on ") for what in done)
    assert any(what.endswith(f"{page.comparison.chosen.name} on all rows") for what in done)
    assert [d for d, _, _ in told] == sorted(d for d, _, _ in told)


def test_scores_on_a_part_are_those_of_the_part(monkeypatch):
    monkeypatch.setattr(report_work, "COMPARED_WORK", 1e4)
    monkeypatch.setattr(report_work, "FEWEST", 500)
    page = ts.report(rows(), "y", methods=["logistic"], folds=3, repeats=0)
    chosen = page.comparison.chosen.result
    part = page.comparison["logistic regression"].result
    assert chosen.measure("log-loss").value == pytest.approx(part.measure("log-loss").value)
    assert np.array_equal(chosen.scores.confusion, part.scores.confusion)


def test_votes_are_compared_whole():
    from tallystick.methods import COMPARED

    table = read(rows())
    assert part_to_compare(table, candidates_of(COMPARED, False, {}), 10).rows is None


def test_ten_folds_become_five_where_ten_are_long_and_the_page_says_so(monkeypatch):
    table = read(rows())
    made = candidates_of(["logistic"], False, {})
    assert folds_for(table, made) == 10
    asked = ts.report(rows(600), "y", methods=["bayes"], repeats=0)
    assert asked.comparison.how == "10 stratified folds"
    assert "stand for the usual 10" not in asked.html
    monkeypatch.setattr(report_work, "MOST_FOLDED", 3_000 * 2 * 3 * 10 - 1)
    assert folds_for(table, made) == 5
    assert folds_for(table, candidates_of(["bayes"], False, {})) == 10
    monkeypatch.setattr(report_work, "MOST_FOLDED", 1.0)
    halved = ts.report(rows(600), "y", methods=["bayes"], repeats=0)
    assert halved.comparison.how == "5 stratified folds"
    assert "5 folds stand for the usual 10" in halved.html
    wished = ts.report(rows(600), "y", methods=["bayes"], repeats=0, folds=5)
    assert "stand for the usual 10" not in wished.html


def test_a_curve_of_the_page_has_few_sizes():
    table = read(rows(600))
    curve = curve_read(table, {"naive Bayes": ts.NaiveBayes()}, CURVE_SIZES, 1)
    assert len(curve.sizes) == CURVE_SIZES
    assert (curve.sizes[0], curve.sizes[-1]) == (10, 400)
