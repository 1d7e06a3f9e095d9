"""Answers to rows, in every form."""

from __future__ import annotations

import csv
import io
import json

import pyarrow as pa
import pytest

from tallystick.errors import TallyError
from tallystick.serve.guards import Limits
from tallystick.serve.models import load
from tallystick.serve.predictions import PLAIN, asked, json_reply, one_reply, table_reply
from tallystick.serve.requests import ARROW, CSV, Refused, as_source

NEW = [{"x": 1.5, "w": "a"}, {"x": None, "w": "zebra"}, {"x": 99.0, "w": "b"}]


@pytest.fixture(scope="module")
def card(models):
    return load("card", str(models / "card.tally.json"))


@pytest.fixture(scope="module")
def bayes(models):
    return load("bayes", str(models / "bayes.tally.json"))


@pytest.mark.parametrize("name", ["card", "bayes"])
def test_a_row_by_itself_and_among_others_is_answered_alike(name, request):
    served = request.getfixturevalue(name)
    shares = served.estimator.predict_proba(NEW).tolist()
    reply, rows = json_reply(served, as_source(NEW), PLAIN, False, Limits())
    told = json.loads(reply.body)
    assert rows == 3
    assert [list(one["probabilities"].values()) for one in told["predictions"]] == shares
    assert [one["label"] for one in told["predictions"]] == served.estimator.predict(NEW).tolist()
    unseen = {} if name == "card" else {"unseen_levels": {"w": 1}}  # the card does not ask for w
    assert told["notes"] == {"missing_cells": {"x": 1}, "outside_range": {"x": 1}} | unseen
    for row, one in zip(NEW, told["predictions"], strict=True):
        alone = json.loads(json_reply(served, as_source([row]), PLAIN, True, Limits())[0].body)
        assert {key: alone[key] for key in one} == one
        if (quick := served.one.answer(row)) is not None:
            assert json.loads(one_reply(served, quick).body) == alone


def test_explanations_and_reasons_are_those_of_the_estimator(card):
    ask = asked({"explain": "true", "reasons": "2", "reasons_for": "p"})
    told = json.loads(json_reply(card, as_source(NEW), ask, False, Limits())[0].body)
    reasons = card.estimator.reasons(NEW, most=2, label="p")
    for i, one in enumerate(told["predictions"]):
        assert one["explain"] == json.loads(json.dumps(card.estimator.explain(NEW, i).to_dict()))
        assert one["reasons"] == [code.to_dict() for code in reasons[i]]


def test_tables_hold_the_same_numbers(card):
    shares = card.estimator.predict_proba(NEW).tolist()
    reply, _ = table_reply(card, as_source(NEW), PLAIN, CSV, Limits())
    rows = list(csv.DictReader(io.StringIO(reply.body.decode())))
    assert [[float(row["P(p)"]), float(row["P(q)"])] for row in rows] == shares
    assert [row["prediction"] for row in rows] == card.estimator.predict(NEW).tolist()
    reply, _ = table_reply(card, as_source(NEW), asked({"reasons": "1"}), ARROW, Limits())
    table = pa.ipc.open_stream(reply.body).read_all()
    assert [
        list(two) for two in zip(table["P(p)"].to_pylist(), table["P(q)"].to_pylist(), strict=True)
    ] == shares
    assert "reason_1" in table.column_names
    notes = dict(reply.headers)[b"tally-notes"]
    assert json.loads(notes)["missing_cells"] == {"x": 1}


@pytest.mark.parametrize(
    "query",
    [
        {"explian": "true"},
        {"explain": "maybe"},
        {"reasons": "0"},
        {"reasons": "51"},
        {"reasons": "-1"},
        {"reasons": "٣"},
        {"reasons_against": "worst"},
    ],
)
def test_what_cannot_be_asked_for_is_refused(query):
    with pytest.raises(Refused) as refused:
        asked(query)
    assert refused.value.status == 400


def test_rows_are_limited(card, models):
    for limits, ask in ((Limits(rows=2), PLAIN), (Limits(explained=2), asked({"explain": "1"}))):
        with pytest.raises(Refused) as refused:
            json_reply(card, as_source(NEW), ask, False, limits)
        assert refused.value.status == 413
    with pytest.raises(Refused):
        table_reply(card, as_source(NEW), PLAIN, CSV, Limits(rows=2))
    with pytest.raises(TallyError, match="told as JSON"):
        table_reply(card, as_source(NEW), asked({"explain": "1"}), CSV, Limits())
    tree = load("tree", str(models / "tree.tally.json"))
    with pytest.raises(TallyError, match="no reason codes"):
        json_reply(tree, as_source(NEW), asked({"reasons": "2"}), False, Limits())


@pytest.mark.parametrize("rows", [[{}], [{}, {}], [{"other": 1}, {}]])
def test_a_row_without_any_known_column_is_answered_in_every_form(card, rows):
    ask = asked({"missing_columns": "as-missing"})
    nothing = card.estimator.predict_proba([{"x": None, "w": None}]).tolist()
    told = json.loads(json_reply(card, as_source(rows), ask, False, Limits())[0].body)
    assert [list(one["probabilities"].values()) for one in told["predictions"]] == nothing * len(rows)
    reply, count = table_reply(card, as_source(rows), ask, CSV, Limits())
    assert count == len(rows)
    assert len(list(csv.DictReader(io.StringIO(reply.body.decode())))) == len(rows)
    alone = json_reply(card, as_source([{}]), ask, True, Limits())[0]
    assert json.loads(alone.body)["probabilities"] == told["predictions"][0]["probabilities"]
