"""What columns become inside a logistic regression."""

from __future__ import annotations

import numpy as np
import pytest
from small_models import SCHEMA, rows

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.schema import Column, Schema
from tallystick.stats.design_sums import Dense, Factor, design_of, factors_of, products

X, A = SCHEMA.columns
Z = Column("z", "numeric", low=-1.0, high=3.0, missing=2)
WET = Column("wet", "boolean", ("false", "true"))


def test_a_number_is_a_column_and_missing_ones_a_second_and_levels_are_cells():
    design = design_of(Schema((Z, A, WET, Column("t", "text", words=("tea",))), SCHEMA.target))
    assert [d.name for d in design.dense] == ["z", "z is missing"]
    assert [(c.column.name, c.start) for c in design.coded] == [("a", 0), ("wet", 4)]
    assert design.cells == 8
    assert design.size == 1 + 2 + 8
    assert design.cell(design.coded[1], 1) == 3 + 4 + 1
    assert [t.name for t in design.texts] == ["t"]


def test_products_are_named_by_their_sides():
    pairs = [d.name for d in products((X, A), 2, 1)]
    assert pairs == ["x × a = r", "x × a = s"]
    assert [d.name for d in products((X, Z, A), 1, 2)] == ["x × x", "z × z", "x × z"]
    assert products((X, A), 1, 1) == []


def test_values_of_a_product_are_missing_where_a_side_is():
    (first,) = [d for d in products((X, A), 2, 1) if d.name == "x × a = s"]
    found = first.values(rows([3.0, 3.0, np.nan], [0, 1, 1]))
    np.testing.assert_array_equal(found, [0.0, 3.0, np.nan])
    gone = Dense("x is missing", first.factors[:1], missing=True)
    assert gone.values(rows([1.0, np.nan], [0, 0])).tolist() == [0.0, 1.0]


def test_bounds_of_a_product_are_the_ends_of_all_pairs_of_ends():
    low, high = Factor("u", "u", None, -2.0, 1.0), Factor("v", "v", None, -3.0, 5.0)
    assert Dense("u × v", (low, high)).bounds == (-10.0, 6.0)
    assert Dense("u is missing", (low,), missing=True).bounds == (0.0, 1.0)


def test_a_text_brings_no_factor_and_a_boolean_one():
    assert factors_of(Column("t", "text")) == []
    assert [f.code for f in factors_of(WET)] == [1]


@pytest.mark.slow
def test_too_many_products_are_refused_with_a_cure():
    many = Column("m", "levels", tuple(f"l{i:04}" for i in range(300)))
    with pytest.raises(OptionError, match=r"would make 90,000 products .* 20,000 are allowed"):
        products((many, Column("n", "levels", many.levels)), 2, 1)


def test_polynomial_multiplies_yes_no_columns_too():
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0]
    model = ts.LogisticRegression(l2=0.01, polynomial=2).fit(X, y)
    assert model.coef_names_ == ["x0 = 1", "x1 = 1", "x0 × x1"]
    assert model.predict(X).tolist() == y
    rows = [{"n": i % 5, "b": i % 3 == 0, "y": i % 2} for i in range(40)]
    assert ts.LogisticRegression(polynomial=2).fit(rows, "y").coef_names_[-2:] == ["n × n", "n × b"]


@pytest.mark.parametrize("method", [ts.LogisticRegression, ts.LinearRegression])
def test_polynomial_without_anything_to_multiply_is_refused_and_interactions_named(method):
    rows = [{"a": "uv"[i % 2], "b": "xyz"[i % 3], "y": i * i % 7 % 2} for i in range(40)]
    with pytest.raises(OptionError, match=r"polynomial=2 multiplies .* in 2 columns\. Use interactions=2"):
        method(polynomial=2).fit(rows, "y")
