"""No constant, an offset, a chosen base level, chosen products: as in statsmodels, and in files."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from loan_tables import loans

import tallystick as ts
from tallystick.errors import DataError, OptionError


def table():
    frame, _ = loans()
    return frame.assign(known=(frame.income / 20).round(3))


def peer(formula, frame, **more):
    numbers = frame.assign(y=(frame.paid == "yes").astype(int), foreign=frame.foreign.astype(int))
    return smf.glm(formula, numbers, family=sm.families.Binomial(), **more).fit(tol=1e-14, maxiter=100)


CASES = [
    ({"fit_intercept": False}, "y ~ 0 + age + income + C(housing) + foreign + known"),
    (
        {"base_levels": {"housing": "rent"}},
        "y ~ age + income + C(housing, Treatment('rent')) + foreign + known",
    ),
    ({"offset": "known"}, "y ~ age + income + C(housing) + foreign"),
    ({"offset": "known", "fit_intercept": False}, "y ~ 0 + age + income + C(housing) + foreign"),
    ({"interactions": [("housing", "age")]}, "y ~ age * C(housing) + income + foreign + known"),
    ({"interactions": [("age", "age")]}, "y ~ age + I(age**2) + income + C(housing) + foreign + known"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("options", "formula"), CASES)
def test_estimates_errors_and_fit_are_those_of_statsmodels(options, formula):
    frame = table().drop(columns="income") if options.get("offset") is None else table()
    formula = (
        formula.replace(" + income", "") if options.get("offset") is None else formula
    )  # known repeats it
    model = ts.LogisticRegression(l2=0, **options).fit(frame, "paid")
    more = {"offset": frame.known} if "offset" in options else {}
    other = peer(formula, frame, **more)
    found = model.summary()
    figures = sorted((f.estimate, f.error) for f in found.figures)
    for one, wanted in zip(figures, sorted(zip(other.params, other.bse, strict=True)), strict=True):
        assert one == pytest.approx(wanted, rel=2e-6)
    assert found.log_likelihood == pytest.approx(other.llf, rel=1e-10)
    if "offset" in options and options.get("fit_intercept", True):
        assert found.model.fit.null == pytest.approx(peer("y ~ 1", frame, **more).llf, rel=1e-9)
    np.testing.assert_allclose(model.predict_proba(frame)[:, 1], other.fittedvalues, rtol=1e-6)
    np.testing.assert_allclose(
        np.sort(np.diag(model.inference(frame).covariance)), np.sort(other.bse**2), rtol=1e-5
    )


@pytest.mark.slow
@pytest.mark.parametrize("options", [c[0] for c in CASES] + [{"firth": True}])
def test_files_exports_and_orders_of_rows_agree(options, tmp_path):
    frame = table()
    model = ts.LogisticRegression(l2=0, **options).fit(frame, "paid")
    model.save(tmp_path / "m.tally.json")
    again = ts.load(tmp_path / "m.tally.json")
    assert again.to_bytes() == model.to_bytes()
    assert str(again.summary()) == str(model.summary())
    shuffled = frame.sample(frac=1, random_state=3)
    assert ts.LogisticRegression(l2=0, **options).fit(shuffled, "paid").to_bytes() == model.to_bytes()
    assert ts.verify(model, frame)
    names = {}
    exec(compile(model.export("python"), "model.py", "exec"), names)
    for row in frame.drop(columns="paid").head(5).to_dict("records"):
        row["foreign"] = bool(row["foreign"])
        found = list(names["predict"](row)["probabilities"].values())
        assert found == pytest.approx(model.predict_proba_one(row).tolist(), rel=1e-12)


def test_a_likelihood_ratio_keeps_the_offset():
    frame = table()
    found = ts.LogisticRegression(l2=0, offset="known").fit(frame, "paid").inference(frame).tests()
    full = peer("y ~ age + income + C(housing) + foreign", frame, offset=frame.known)
    less = peer("y ~ income + C(housing) + foreign", frame, offset=frame.known)
    assert found["age"].likelihood_ratio == pytest.approx(2 * (full.llf - less.llf), rel=1e-7)
    assert "known" not in [test.name for test in found.tests]


def test_no_constant_with_words_and_several_classes():
    frame, _ = loans(classes=3)
    model = ts.LogisticRegression(fit_intercept=False).fit(frame, "paid")
    assert (model.intercept_ == 0).all()
    words = [
        {"t": " ".join(["good", "film", "plot", "bad"][n % 3 : n % 3 + 2]), "y": n % 5 > 1} for n in range(60)
    ]
    text = ts.LogisticRegression(fit_intercept=False, kinds={"t": "text"}, l2=1.0).fit(words, "y")
    told = [text.explain(row).reasons[0].parts[1] for row in words]
    assert np.mean(told) == pytest.approx(0, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        (
            {"offset": "knwn"},
            OptionError,
            r"offset 'knwn' is not a column of the model\. Did you mean 'known'",
        ),
        (
            {"offset": "housing"},
            OptionError,
            r"offset 'housing' is levels\. An offset is a column of numbers",
        ),
        ({"offset": "age"}, DataError, "offset 'age' is missing in 1 row"),
        ({"base_levels": {"age": "3"}}, OptionError, "base_levels names 'age', not a column of levels"),
        ({"base_levels": {"housing": "rents"}}, OptionError, "which has no such level. Did you mean 'rent'"),
        ({"interactions": [("age", "hosing")]}, OptionError, "interactions names column 'hosing'"),
        ({"interactions": [("housing", "housing")]}, OptionError, "only a number has a square"),
        ({"interactions": [("known", "age")], "offset": "known"}, OptionError, "names column 'known'"),
    ],
)
def test_what_the_columns_do_not_allow_is_refused(options, error, words):
    frame = table()
    frame.loc[3, "age"] = np.nan
    with pytest.raises(error, match=words):
        ts.LogisticRegression(l2=0, **options).fit(frame, "paid")
    three, _ = loans(classes=3)
    with pytest.raises(OptionError, match="offset 'age' is for two classes, and there are 3"):
        ts.LogisticRegression(offset="age").fit(three, "paid")
