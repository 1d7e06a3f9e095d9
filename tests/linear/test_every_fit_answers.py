"""Every fit answers, or refuses in one line that is true; whether the classes are separated is said alike by
every solver and under every prior, and is what the linear program proves.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_tables import needs_data, shared

import tallystick as ts

pytestmark = pytest.mark.slow
FITS = [
    *({"l2": 0, "solver": s} for s in ("auto", "newton", "lbfgs", "conjugate-gradient")),
    {"l2": 1.0},
    {"l2": 1.0, "solver": "lbfgs"},
    {"l1": 0.5},
    {"l1": 0.1, "solver": "lbfgs"},
]


@st.composite
def tables(draw):
    """Few rows of numbers, levels and yes/no, with classes that one column decides, nearly, or not at all."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows, classes = draw(st.integers(6, 40)), draw(st.integers(2, 3))
    frame = pd.DataFrame()
    for i, kind in enumerate(
        draw(st.lists(st.sampled_from(["levels", "yes/no", "number"]), min_size=1, max_size=3))
    ):
        if kind == "levels":
            frame[f"c{i}"] = rng.choice(list("uvwz")[: draw(st.integers(2, 4))], rows)
        else:
            frame[f"c{i}"] = rng.random(rows) < 0.4 if kind == "yes/no" else rng.normal(size=rows).round(1)
    first = frame.iloc[:, 0]
    told = (first == "u") * 1.0 if first.dtype.kind not in "bf" else first * 1.0
    score = told * draw(st.sampled_from([0, 1, 6])) + rng.normal(size=rows) * draw(
        st.sampled_from([0, 0.3, 1])
    )
    frame["y"] = [f"k{v}" for v in np.digitize(score, np.linspace(-0.3, 0.7, classes - 1))]
    return frame


def verdict(frame, options):
    """Return what is said of separated classes: the kind, and the columns as the note names them."""
    model = ts.LogisticRegression(**options).fit(frame, "y")
    assert np.isfinite(model.predict_proba(frame)).all()
    said = [note.text.split(":")[0] for note in model.notes_ if note.code == "separation"]
    kind = model.model_.fit.separation or "none"
    assert len(said) == (kind != "none")
    assert (model.model_.errors == ()) if said or "l1" in options else model.model_.errors
    return kind, *said


@given(tables())
@settings(max_examples=60, deadline=None)
def test_every_fit_answers_and_says_of_separated_classes_what_is_proved(frame):
    if frame["y"].nunique() < 2 or all(frame[c].nunique() < 2 for c in frame.columns[:-1]):
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        proved = ts.separable(frame, "y").kind
        found = [verdict(frame, options) for options in FITS]
        assert {kind for kind, *_ in found} == {proved}
        assert len(set(found)) == 1
        if frame["y"].nunique() == 2:
            model = ts.LogisticRegression(firth=True).fit(frame, "y")
            assert np.isfinite(model.coef_).all()


@needs_data
@pytest.mark.parametrize(
    ("name", "kind"), [("ecoli/ecoli", "quasi-complete"), ("lymphography/lymph", "complete")]
)
@pytest.mark.parametrize("options", [{"l2": 0}, {"l2": 0, "solver": "lbfgs"}, {"l1": 1.0}, {"l2": 1.0}])
def test_public_tables_have_the_verdict_that_is_proved(name, kind, options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = ts.LogisticRegression(**options).fit(shared(name), "class")
        assert ts.separable(shared(name), "class").kind == kind
    assert model.model_.fit.separation == kind


@needs_data
@pytest.mark.parametrize(
    ("name", "l1"), [("lymphography/lymph", 0.1), ("car/car", 0.1), ("nursery/nursery", 1.0)]
)
def test_a_weak_l1_prior_ends_where_weights_can_be_traded_for_each_other(name, l1):
    """Levels and classes that all have weights leave the parabola flat along some of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = ts.LogisticRegression(l1=l1).fit(shared(name), "class")
    assert model.score(shared(name)) > 0.8


@pytest.mark.parametrize(
    "counts",
    [((1, 0), (3, 2)), ((2, 1), (1, 2)), ((1, 0), (2, 2)), ((3, 0), (0, 3)), ((1, 0), (0, 1), (2, 2))],
)
def test_firth_of_separated_levels_adds_half_a_row_to_each_cell(counts):
    """Closed form: the logs of counts plus 1/2, with as few as one row in a level."""
    rows = [
        {"g": f"g{i}", "y": y}
        for i, own in enumerate(counts)
        for y, n in zip(("no", "yes"), own, strict=True)
        for _ in range(n)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = ts.LogisticRegression(firth=True, kinds={"g": "levels"}).fit(rows, "y")
        p = model.predict_proba([{"g": f"g{i}"} for i in range(len(counts))])[:, 1]
    np.testing.assert_allclose(p, [(yes + 0.5) / (no + yes + 1) for no, yes in counts], rtol=1e-7)
