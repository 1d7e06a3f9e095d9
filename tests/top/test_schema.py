"""Schemas: both ways to JSON, and nothing of columns left out."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallystick.schema as schema_module
from tallystick.errors import TargetError
from tallystick.schema import Column, Schema, Target

NAMES = st.text(min_size=1, max_size=5)
TEXTS = st.lists(st.text(max_size=5), min_size=2, max_size=4, unique=True).map(sorted).map(tuple)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def columns(draw: st.DrawFn, name: str) -> Column:
    kind = draw(st.sampled_from(["numeric", "levels", "ordered", "boolean", "text", "out"]))
    missing, declared = draw(st.integers(0, 9)), draw(st.booleans())
    if kind == "numeric":
        low, high = sorted([draw(NUMBERS), draw(NUMBERS)])
        unit = draw(st.sampled_from(["", "date"]))
        return Column(name, kind, low=low, high=high, unit=unit, missing=missing, declared=declared)
    if kind == "text":
        return Column(name, kind, words=draw(TEXTS), missing=missing, declared=declared)
    return Column(name, kind, draw(TEXTS) if kind != "out" else (), missing=missing, declared=declared)


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    target = draw(st.none() | st.builds(Target, NAMES, TEXTS, st.just("text")))
    return Schema(tuple(draw(columns(name)) for name in names), target)


@pytest.mark.slow
@given(schemas())
def test_a_schema_comes_back_from_json_without_the_columns_left_out(schema):
    again = Schema.from_dict(json.loads(json.dumps(schema.to_dict())))
    assert again == Schema(schema.used, schema.target, schema.marks)
    assert again.to_dict() == schema.to_dict()


def test_rows_that_must_have_a_target_say_so_in_one_place():
    with pytest.raises(TargetError, match="no target"):
        _ = Schema(()).predicted
    assert Schema((), Target("y", ("a", "b"))).predicted.labels == ("a", "b")
    assert [Schema((), t).regression for t in (None, Target("y", ("a",)), Target("y", (), "number"))] == [
        False,
        False,
        True,
    ]


def test_nobody_asserts_that_there_is_a_target():
    package = Path(schema_module.__file__).parent
    asserted = re.compile(r"^ *assert [\w.]*target is not None", re.MULTILINE)
    found = [p.name for p in package.rglob("*.py") if asserted.search(p.read_text(encoding="utf-8"))]
    assert found == [], "ask for schema.predicted"


def test_a_column_is_found_by_its_name():
    schema = Schema((Column("a", "numeric"), Column("b", "out")))
    assert schema["b"].kind == "out"
    with pytest.raises(KeyError):
        schema["c"]


@pytest.mark.parametrize(
    ("target", "values"),
    [
        (Target("y", ("a", "b")), ["a", "b"]),
        (Target("y", ("1", "2"), "integer"), [1, 2]),
        (Target("y", ("0.5", "2"), "number"), [0.5, 2.0]),
        (Target("y", ("false", "true"), "boolean"), [False, True]),
    ],
)
def test_labels_come_back_in_the_type_they_had(target, values):
    assert target.values() == values
    assert [type(v) for v in target.values()] == [type(v) for v in values]
