import math
from fractions import Fraction

import numpy as np
import pytest

import tallystick as ts
from tallystick.bayes.work import (
    ClassProduct,
    ShareFactor,
    normal,
    normalised,
    priors_of,
    row_parts,
    shares_of,
)

ROWS = [
    {"l": "a", "n": 1.0, "t": "red red blue", "c": 2, "y": "no"},
    {"l": "b", "n": 2.5, "t": "blue", "c": 0, "y": "no"},
    {"l": "a", "n": 4.0, "t": "green", "c": 1, "y": "yes"},
    {"l": "a", "n": 3.0, "t": "red green", "c": 5, "y": "yes"},
]
KINDS = {"l": "levels", "n": "numeric", "t": "text", "c": "numeric"}
WAYS = [
    {"n": "gaussian", "t": "multinomial", "c": "poisson"},
    {"n": "binned", "t": "bernoulli", "c": "gaussian"},
]


def products(estimator, row):
    """The products of a row, as a person multiplies them."""
    model = estimator.model_
    shares = {p.name: shares_of(p, model.options) for p in model.parts if hasattr(p, "counts")}
    block, at = estimator._find_row(row, 0)
    found = row_parts(model, block, at, shares)
    priors = priors_of(model)
    return [
        ClassProduct(tuple(f for p in found if not p.left_out for f in p.corrected[c]), priors[c].value)
        for c in range(2)
    ]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "row",
    [
        {"l": "a", "n": 2.0, "t": "red green green", "c": 3},
        {"l": None, "n": None, "t": None, "c": None},
        {"l": "new", "n": 9.0, "t": "unheard", "c": 0},
    ],
)
@pytest.mark.filterwarnings("ignore::tallystick.TallyWarning")
def test_the_normalised_product_is_the_models_answer(way, row):
    estimator = ts.NaiveBayes(kinds=KINDS, distributions=way, columns=ts.Columns(keep=list("lntc")))
    estimator.fit(ROWS, "y")
    shares = normalised(products(estimator, row))
    np.testing.assert_allclose(shares, estimator.predict_proba(row)[0], rtol=1e-9)


def test_a_zero_stays_a_zero():
    product = ClassProduct((ShareFactor((), Fraction(0)), ShareFactor((), Fraction(1, 2))), Fraction(1, 2))
    assert product.score == 0
    assert product.log == -math.inf
    assert not product.possible
    other = ClassProduct((ShareFactor((), Fraction(1, 2)),), None)
    assert normalised([product, other]) == [0, 1]
    assert normalised([product, product]) is None


def test_a_product_too_small_for_a_number_has_a_logarithm():
    tiny = ClassProduct((ShareFactor((), 1e-200), ShareFactor((), 1e-200)), None)
    assert tiny.score == 0
    assert tiny.log == pytest.approx(-400 * math.log(10))
    assert normalised([tiny, tiny]) == [0.5, 0.5]


def test_the_density_of_a_gaussian():
    assert normal(0, 0, 1) == pytest.approx(1 / math.sqrt(2 * math.pi))
