"""New rows that are not like those of the fit: said once, in words, beyond 5 % of the rows."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tallystick as ts
from tallystick.io.open import open_source
from tallystick.table.new_data_warnings import Met, outside
from tallystick.table.reader import read_table

ROWS = [
    {
        "sky": ("sun", "rain")[i % 2],
        "wind": i % 10 + 0.5,
        "day": f"2024-01-{i % 28 + 1:02}",
        "go": "ny"[i % 3 == 0],
    }
    for i in range(200)
]
MODEL = ts.NaiveBayes().fit(ROWS, "go")


def told(rows, ask=MODEL.predict):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        ask(rows)
    assert all(w.category is ts.TallyWarning and w.filename == __file__ for w in found)
    return [str(w.message) for w in found]


def changed(count, **cells):
    return [row | cells if i < count else row for i, row in enumerate(ROWS[:100])]


@pytest.mark.parametrize("ask", [MODEL.predict, MODEL.predict_proba, MODEL.score])
def test_unseen_levels_in_more_than_one_row_of_twenty_are_warned_of_once(ask):
    assert told(changed(5, sky="fog"), ask) == []
    assert told(changed(6, sky="fog"), ask) == [
        "6 of 100 rows (6.0%) have a level of column 'sky' that the model lacks."
    ]


def test_values_outside_the_range_in_more_than_one_row_of_twenty_are_warned_of_once():
    assert told(changed(5, wind=99)) == []
    assert told(changed(6, wind=99)) == [
        "6 of 100 rows (6.0%) have a value of column 'wind' outside the range of the training rows, "
        "0.5 to 9.5."
    ]
    assert "2024-01-01 to 2024-01-28." in told(changed(6, day="2023-12-31"))[0]


def test_all_that_is_met_is_one_warning():
    (text,) = told(changed(50, wind=-1, sky="fog"))
    assert text.count("50 of 100 rows (50.0%)") == 2


@pytest.mark.parametrize(
    "container", [np.array, pd.DataFrame, lambda m: pa.table(dict(zip("ab", m.T, strict=True)))]
)
def test_columns_of_floats_that_need_no_reading_are_warned_of_too(container):
    values = np.random.default_rng(1).normal(size=(100, 2))
    model = ts.LogisticRegression().fit(container(values), ["a", "b"] * 50)
    values[:6, 0] = 50
    (text,) = told(container(values), model.predict)
    assert text.startswith("6 of 100 rows (6.0%) have a value of column ")


def test_of_many_rows_of_floats_the_count_is_exact():
    values = np.random.default_rng(1).normal(size=(50_000, 1))
    model = ts.DecisionTree().fit(values, values[:, 0] + np.sin(values[:, 0] * 50) > 0)
    values[values < -1.5] = -9
    (text,) = told(values, model.predict)
    assert text.startswith(f"{int((values == -9).sum()):,} of 50,000 rows (6.")


@pytest.mark.parametrize("step", [2, 5, 7, 10, 19])
@pytest.mark.parametrize("rows", [20_480, 40_960, 20_000])
def test_rows_that_repeat_do_not_hide_from_those_that_are_looked_at(rows, step):
    table = read_table(open_source(ROWS), None, "go")
    column = table.schema["wind"]
    for place in range(step):
        values = np.full(rows, 1.0)
        values[place::step] = 99.0
        met = Met(replace(table.schema, columns=(column,)))
        met.add_floats([values], rows)
        assert met.outside == {"wind": len(values[place::step])}
    for period in (55, 98, 110, 1006, 2034):  # of which some rows in a run, 6 %, are outside
        values = np.where(np.arange(rows) % period < -(-period * 6 // 100), 99.0, 1.0)
        met = Met(replace(table.schema, columns=(column,)))
        met.add_floats([values], rows)
        assert met.outside == {"wind": int((values == 99.0).sum())}


def test_one_row_says_nothing():
    assert told([ROWS[0] | {"wind": 99, "sky": "fog"}]) == []


def test_what_is_said_does_not_depend_on_batches():
    table = read_table(open_source(ROWS), None, "go")
    values = np.array([99.0] * 6 + [1.0] * 94)
    whole, parts = Met(table.schema), Met(table.schema)
    whole.rows = parts.rows = 100
    whole.add_values(table.schema["wind"], values)
    for part in np.split(values, [1, 50]):
        parts.add_values(table.schema["wind"], part)
    assert whole.notes == parts.notes != ()
    assert outside(table.slice(0, 200), table.schema) == {}
