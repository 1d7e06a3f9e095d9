"""At the prompt: a result shows itself as print does, advice can be followed where it is given."""

from __future__ import annotations

import html
import re
from importlib.resources import files

import pytest

import tallystick as ts
from tallystick.errors import DataError

TENNIS = files("tallystick") / "examples" / "play-tennis.csv"


@pytest.fixture(scope="module")
def models():
    kinds = (ts.DecisionTree, ts.NaiveBayes, ts.LogisticRegression, ts.Scorecard)
    return [kind().fit(TENNIS, "Play") for kind in kinds]


def results(models):
    tree, bayes, logistic, card = models
    yield from (model.explain(TENNIS, 1) for model in models)
    yield from (tree.splits(0), tree.rules(), tree.pruning_path(folds=0), tree.column_use())
    yield from (bayes.votes(), bayes.shares("Outlook"), logistic.summary())
    yield from (card.card_, card.to_naive_bayes(), card.beside_naive_bayes())
    yield from (ts.describe(TENNIS, "Play"), ts.cross_validate(tree, TENNIS, "Play", folds=2))
    yield ts.compare(TENNIS, "Play", folds=2, tuned=False)


@pytest.mark.slow
def test_a_result_shows_itself_as_print_does(models):
    for result in results(models):
        assert repr(result) == str(result), type(result).__name__


def test_a_picture_at_the_prompt_is_one_line(models):
    picture = models[0].picture()
    assert len(repr(picture)) < 100
    assert str(picture).startswith("<svg")


def test_explain_takes_rows_that_lack_columns_when_told_to(models):
    for model in models:
        with pytest.raises(DataError, match=r"^the row lacks 3 columns.*missing_columns='as-missing'"):
            model.explain({"Outlook": "Sunny"})
        assert model.explain({"Outlook": "Sunny"}, missing_columns="as-missing")


def texts(svg: str) -> list[str]:
    return [html.unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg)]


def spread_rows() -> dict[str, list[str | None]]:
    a = ["x", "y", None, "x"] * 20
    b = ["p", "p", "q", None, "q"] * 16
    return {
        "a": a,
        "b": b,
        "k": ["yes" if (u == "x") != (v == "p") else "no" for u, v in zip(a, b, strict=True)],
    }


def test_where_missing_values_go_is_said_once():
    tree = ts.DecisionTree.c45(pruning=None).fit(spread_rows(), "k")
    assert tree.get_n_leaves() > 2
    assert str(tree).count("missing values go down all branches in proportion") == 1
    assert "At every test missing values" in str(tree)
    assert not any("…" in text for text in texts(tree.picture()))


def test_a_picture_rounds_shares_and_cuts_no_list_of_levels():
    levels = [f"level-{n:02}" for n in range(12)] * 29
    rows = {"a-long-column": levels, "k": ["no" if v in ("level-00", "level-11") else "yes" for v in levels]}
    rows["k"][1:8] = ["no"] * 7
    said = texts(ts.DecisionTree(average=False, max_depth=1).fit(rows, "k").picture())
    assert "348 rows · yes 81.3 %" in said  # 283 of 348 is 0.813
    assert "(97.6 % of 290 rows)" in said  # 283 of 290
    assert any("in {level-00," in text for text in said)


def test_the_columns_of_a_pruning_path_stand_under_each_other():
    numbers = [n * 1.25 for n in range(40)]
    path = ts.RegressionTree(max_depth=2).fit({"a": numbers, "y": [n * n * 7 for n in numbers]}, "y")
    lines = str(path.pruning_path(folds=0)).split("\n")
    assert len({len(line) for line in lines}) == 1
    with pytest.raises(ts.errors.OptionError, match="this model answers numbers"):
        path.rules().expression()


def test_an_explanation_tells_missing_from_unseen_and_stands_in_columns():
    rows = {"a": ["x", "y"] * 60, "b": ["p", "p", "q"] * 40}
    rows["k"] = ["yes" if a == "x" and b == "p" else "no" for a, b in zip(rows["a"], rows["b"], strict=True)]
    tree = ts.DecisionTree(average=False, criterion="gini").fit(rows, "k")
    told = [str(tree.explain({"a": a, "b": "p"})) for a in ("x", None, "z")]
    assert "a = x" in told[0]
    assert "a is missing" in told[1]
    assert "a is a level not seen in training" in told[2]
    lines = told[0].split("\n")[1:-1]
    assert len(lines) > 2
    assert len({len(line) for line in lines}) == 1
