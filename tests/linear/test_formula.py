"""A formula is short for naming columns and products."""

from __future__ import annotations

import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from loan_tables import loans

import tallystick as ts
from tallystick.errors import DataError, OptionError
from tallystick.linear.estimator import parse


@pytest.mark.parametrize("form", ["frame", "csv"])
def test_the_bytes_are_those_of_columns_and_pairs(form, tmp_path):
    frame, branch = loans()
    frame["branch"] = branch
    rows = frame
    if form == "csv":
        rows = tmp_path / "loans.csv"
        frame.to_csv(rows, index=False)
    model = ts.LogisticRegression.from_formula("paid ~ income + age * housing", rows, l2=0)
    named = frame[["age", "income", "housing", "paid"]]
    wanted = ts.LogisticRegression(l2=0, interactions=[("housing", "age")]).fit(named, "paid")
    assert model.to_bytes() == wanted.to_bytes()
    assert (model.predict(frame) == wanted.predict(named)).all()
    assert ts.load(_saved(model, tmp_path)).to_bytes() == model.to_bytes()


def _saved(model, folder):
    model.save(folder / "m.tally.json")
    return folder / "m.tally.json"


@pytest.mark.slow
@pytest.mark.parametrize(
    "formula",
    [
        "y ~ age * C(housing)",
        "y ~ 0 + age + income",
        "y ~ age * income + foreign",
        "y ~ 0 + C(housing) + age",
    ],
)
def test_the_figures_are_those_of_statsmodels(formula):
    frame, _ = loans()
    ours = formula.replace("y ~", "paid ~").replace("C(housing)", "housing")
    found = ts.LogisticRegression.from_formula(ours, frame, l2=0).summary()
    table = frame.assign(y=(frame.paid == "yes").astype(int), foreign=frame.foreign.astype(int))
    peer = smf.glm(formula, table, family=sm.families.Binomial()).fit(tol=1e-14, maxiter=100)
    assert found.log_likelihood == pytest.approx(peer.llf, rel=1e-10)
    figures = sorted((f.estimate, f.error) for f in found.figures)
    for one, other in zip(figures, sorted(zip(peer.params, peer.bse, strict=True)), strict=True):
        assert one == pytest.approx(other, rel=1e-6)


def test_weights_and_offsets_are_columns_too():
    frame, _ = loans()
    frame = frame.assign(twice=2, known=frame.age / 50)
    model = ts.LogisticRegression.from_formula(
        "paid ~ income + foreign + offset(known)", frame, sample_weight="twice", l2=0
    )
    named = frame[["income", "foreign", "paid", "twice", "known"]]
    wanted = ts.LogisticRegression(l2=0, offset="known").fit(named, "paid", sample_weight="twice")
    assert model.to_bytes() == wanted.to_bytes()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("paid", "a formula is a text such as"),
        (3, "a formula is a text such as"),
        ("~ age", "must have one column before ~"),
        ("paid + age ~ income", "must have one column before ~"),
        ("paid ~", "names no column after ~"),
        ("paid ~ 1", "names no column after ~"),
        ("paid ~ .", r"has '\.'; name the columns"),
        ("paid ~ np.log(age)", r"has 'np\.log\(age\)', which is not a column"),
        ("paid ~ age * income * foreign", "products are of two columns"),
        ("paid ~ age:income + age", r"without 'income' itself\. Write age\*income"),
        ("paid ~ age + (", "cannot be read"),
        ("paid ~ age + offset(a) + offset(b)", "has 2 offsets"),
    ],
)
def test_what_is_not_a_formula_of_columns_is_refused(text, words):
    with pytest.raises(OptionError, match=words) as error:
        parse(text)
    assert "\n" not in str(error.value)


def test_odd_names_stand_in_backticks():
    found = parse("`paid back` ~ `net income` * age - 1")
    assert (found.target, found.columns) == ("paid back", ("net income", "age"))
    assert (found.pairs, found.constant) == ((("net income", "age"),), False)


def test_what_is_said_twice_or_not_there_is_an_error():
    frame, _ = loans(60)
    with pytest.raises(OptionError, match="interactions is said by the formula and by interactions="):
        ts.LogisticRegression.from_formula("paid ~ age * income", frame, interactions=2)
    with pytest.raises(DataError, match=r"there is no column 'agee' in .*Did you mean 'age'"):
        ts.LogisticRegression.from_formula("paid ~ agee", frame)
