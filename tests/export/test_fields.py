"""The columns of a model as fields of PMML."""

from __future__ import annotations

import exports as e

from tallystick.export.form import form_of
from tallystick.export.pmml import MISSING, UNSEEN, Fields


def test_a_level_that_a_list_cannot_hold_has_its_number():
    form = form_of(e.fitted("bayes").model_)
    place = next(i for i, c in enumerate(form.columns) if c.name == "name")
    found = dict(zip(form.columns[place].levels, Fields(form, True).categories(place), strict=True))
    assert found["plain"] == "plain"
    assert found['say "hi"'].startswith("level ")


def test_missing_and_unseen_are_categories_where_the_model_tells_them_apart():
    form = form_of(e.fitted("bayes").model_)
    for apart, wanted in ((True, {(MISSING, UNSEEN)}), (False, {(None, None)})):
        tables = [t for made in Fields(form, apart).made for t in made.iter("MapValues")]
        assert {(t.get("mapMissingTo"), t.get("defaultValue")) for t in tables} == wanted


def test_given_fields_say_what_is_missing():
    dictionary = Fields(form_of(e.fitted("bayes").model_), True).dictionary()
    marks = {f.get("name"): [v.get("value") for v in f] for f in dictionary}
    assert "?" in marks["name"]
    assert marks["count"] == []
