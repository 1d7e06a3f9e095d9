"""Under a prior of any strength, what tables say of levels is their difference from a base level: beside
plain NumPy, beside the fit without a prior, and beside statsmodels.
"""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from command import good
from hypothesis import given, settings
from hypothesis import strategies as st

import tallystick as ts

pytestmark = pytest.mark.slow


def mortgages(rows: int = 2380) -> pd.DataFrame:
    """Refused or not, by columns of the kinds that tables of loans have: levels from two to five."""
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(
        {
            "ratio": rng.normal(0.33, 0.1, rows),
            "race": rng.choice(["afam", "other"], rows, p=[0.14, 0.86]),
            "selfemployed": rng.choice(["no", "yes"], rows, p=[0.88, 0.12]),
            "history": rng.choice(["good", "late", "slow"], rows, p=[0.6, 0.3, 0.1]),
            "area": rng.choice(["n", "e", "s", "w"], rows),
            "school": rng.choice(["0", "1", "2", "3", "4"], rows, p=[0.1, 0.2, 0.4, 0.2, 0.1]),
        }
    )
    frame["school"] = "s" + frame["school"]
    score = (
        -3.4 + 4 * frame["ratio"] + 0.7 * (frame["race"] == "afam") + 0.6 * (frame["selfemployed"] == "yes")
    )
    score += 0.9 * (frame["history"] == "slow") + 0.4 * (frame["history"] == "late")
    frame["deny"] = np.where(score + rng.logistic(size=rows) > 0, "yes", "no")
    return frame


BASES = {"race": "other", "selfemployed": "no", "history": "good", "area": "e", "school": "s2"}


def peer(frame):
    terms = " + ".join(f"C({name}, Treatment('{base}'))" for name, base in BASES.items())
    return smf.logit(f"deny ~ ratio + {terms}", frame.assign(deny=(frame["deny"] == "yes") * 1.0)).fit(
        disp=0, method="newton", tol=1e-13
    )


def named(peer_name: str) -> str:
    """Return our name of a coefficient of statsmodels."""
    if peer_name == "Intercept":
        return "(constant)"
    if not peer_name.startswith("C("):
        return peer_name
    return f"{peer_name[2:].split(',')[0]} = {peer_name.split('[T.')[1][:-1]}"


@pytest.mark.parametrize("l2", [0, 1e-10, 1e-8, 1e-6])
def test_a_weak_prior_has_the_estimates_and_errors_of_statsmodels(l2):
    frame = mortgages()
    figures = ts.LogisticRegression(l2=l2, base_levels=BASES).fit(frame, "deny").summary().figures
    theirs = peer(frame)
    assert sorted(f.name for f in figures) == sorted(map(named, theirs.params.index))
    for name, estimate, error in zip(theirs.params.index, theirs.params, theirs.bse, strict=True):
        own = next(f for f in figures if f.name == named(name))
        assert (own.estimate, own.error) == (
            pytest.approx(estimate, rel=1e-5, abs=1e-7),
            pytest.approx(error, rel=1e-6),
        )


@pytest.mark.parametrize("rows", [1_000, 2_380])
def test_the_automatic_prior_moves_no_p_across_a_factor_of_3(rows):
    frame = mortgages(rows)
    found = {}
    for l2 in ("auto", 0):
        model = ts.LogisticRegression(l2=l2, base_levels=BASES).fit(frame, "deny")
        table = {f.name: f for f in model.summary().figures}
        assert all(f.odds_interval[0] < f.odds_ratio < f.odds_interval[1] for f in table.values())
        found[l2] = table, model.inference(frame).tests(likelihood_ratio=False)
    assert len(found["auto"][0]) == len(found[0][0]) == 13
    for name, figure in found["auto"][0].items():
        plain = found[0][0][name]
        if abs(figure.estimate - plain.estimate) < 0.25 * plain.error:  # the prior hardly moves the weight
            assert 1 / 3 < figure.p / plain.p < 3, name
    for test, plain in zip(found["auto"][1].tests, found[0][1].tests, strict=True):
        assert (test.name, test.freedom) == (plain.name, plain.freedom)
        assert 1 / 3 < test.wald_p / plain.wald_p < 3, test.name


def test_a_column_of_k_levels_has_one_test_of_k_less_1_degrees():
    frame = mortgages(1_000)
    found = ts.LogisticRegression().fit(frame, "deny").inference(frame).tests(likelihood_ratio=False)
    freedom = {test.name: test.freedom for test in found.tests}
    assert freedom == {"ratio": 1, "race": 1, "selfemployed": 1, "history": 2, "area": 3, "school": 4}
    race = next(
        f for f in ts.LogisticRegression().fit(frame, "deny").summary().figures if f.of and "race" in f.name
    )
    assert found["race"].wald == pytest.approx(
        race.z**2
    )  # one degree: the line of the table and its test agree


@given(
    levels=st.lists(st.integers(2, 5), min_size=1, max_size=3),
    strength=st.sampled_from([1e-4, 1e-2, 0.3, 1.0, 10.0, 1e3]),
    classes=st.integers(2, 3),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=40, deadline=None)
def test_errors_are_those_of_the_differences(levels, strength, classes, seed):
    """The twin: the inverse of the whole curvature, every level with a weight, seen along each difference."""
    rng = np.random.default_rng(seed)
    rows = 150
    codes = [rng.integers(0, k, rows) for k in levels]
    frame = pd.DataFrame({f"c{i}": [f"v{v}" for v in own] for i, own in enumerate(codes)})
    frame["x"] = rng.normal(size=rows)
    y = np.digitize(frame["x"] + 0.5 * codes[0] + rng.logistic(size=rows), np.linspace(0, 2, classes - 1))
    frame["y"] = [f"k{v}" for v in y]
    bases = {f"c{i}": f"v{own[0]}" for i, own in enumerate(codes)}
    model = ts.LogisticRegression(l2=strength, standardize=False, base_levels=bases).fit(frame, "y")
    cells = [(codes[i][:, None] == np.unique(codes[i])).astype(float) for i in range(len(levels))]
    X = np.column_stack([np.ones(rows), *cells, frame["x"]])
    p = model.predict_proba(frame)
    links = 1 if classes == 2 else classes
    if links == 1:
        H = (X * (p[:, 1] * p[:, 0])[:, None]).T @ X
    else:
        H = np.zeros((links * X.shape[1],) * 2)
        for a in range(links):
            for b in range(links):
                v = p[:, a] * (float(a == b) - p[:, b])
                H[a::links, b::links] = (X * v[:, None]).T @ X
    free = np.repeat(np.arange(X.shape[1]) > 0, links)
    H += np.diag(np.where(free, strength, 0.0))
    cov = np.linalg.pinv(H, rcond=1e-14)
    table = {(f.name, f.of): f for f in model.summary().figures}
    place = 1
    for i in range(len(levels)):
        present = np.unique(codes[i])
        base = place + int(np.flatnonzero(present == codes[i][0])[0])
        for j, v in enumerate(present.tolist()):
            if place + j == base:
                assert not any(name == f"c{i} = v{v}" for name, _ in table)
                continue
            for a in range(links):
                line = np.zeros(len(H))
                own = np.eye(links)[a] - (links > 1) / links
                line[(place + j) * links + np.arange(links)] = own
                line[base * links + np.arange(links)] = -own
                of = "k1" if links == 1 else f"k{a}"
                assert table[f"c{i} = v{v}", of].error == pytest.approx(np.sqrt(line @ cov @ line), rel=1e-5)
        place += len(present)


@pytest.mark.parametrize(
    "options", [{"interactions": 2}, {"fit_intercept": False}, {"interactions": 2, "polynomial": 2}]
)
def test_products_and_a_lacking_constant_are_compared_as_without_a_prior(options):
    frame = mortgages(1_500)[["ratio", "race", "history", "deny"]]
    bases = {"race": "other", "history": "good"}
    weak = ts.LogisticRegression(l2=1e-8, base_levels=bases, **options).fit(frame, "deny")
    plain = ts.LogisticRegression(l2=0, base_levels=bases, **options).fit(frame, "deny")
    for ours, theirs in zip(weak.summary().figures, plain.summary().figures, strict=True):
        assert (ours.name, ours.estimate) == (theirs.name, pytest.approx(theirs.estimate, rel=1e-4, abs=1e-5))
        assert ours.error == pytest.approx(theirs.error, rel=1e-4)
    both = [m.inference(frame).tests(likelihood_ratio=False).tests for m in (weak, plain)]
    for ours, theirs in zip(*both, strict=True):
        assert (ours.name, ours.freedom) == (theirs.name, theirs.freedom)
        assert ours.wald == pytest.approx(theirs.wald, rel=1e-4)


def test_of_several_classes_a_column_has_the_test_of_the_fit_without_a_prior():
    frame = mortgages(1_500)
    rng = np.random.default_rng(2)
    frame["deny"] = np.where(rng.random(len(frame)) < 0.2, "later", frame["deny"])
    weak = ts.LogisticRegression(l2=1e-8).fit(frame, "deny").inference(frame)
    plain = ts.LogisticRegression(l2=0).fit(frame, "deny").inference(frame)
    both = [found.tests(likelihood_ratio=False).tests for found in (weak, plain)]
    for ours, theirs in zip(*both, strict=True):
        assert (ours.name, ours.freedom) == (theirs.name, theirs.freedom)
        assert ours.wald == pytest.approx(theirs.wald, rel=1e-4)
    assert max(f.error for f in weak.figures) < 3 * max(f.error for f in plain.figures)


@pytest.mark.parametrize("errors", ["curvature", "HC0", "HC1"])
def test_inference_is_the_table_and_robust_errors_are_of_differences_too(errors):
    frame = mortgages(1_000)
    weak = ts.LogisticRegression(l2=1e-6, base_levels=BASES).fit(frame, "deny")
    plain = ts.LogisticRegression(l2=0, base_levels=BASES).fit(frame, "deny")
    ours, theirs = (m.inference(frame, errors=errors).figures for m in (weak, plain))
    for one, other in zip(ours, theirs, strict=True):
        assert (one.name, one.error) == (other.name, pytest.approx(other.error, rel=1e-4))


def test_table_odds_inference_and_json_compare_alike(tmp_path):
    frame = mortgages(1_000)
    frame.to_csv(tmp_path / "loans.csv", index=False)
    path = str(tmp_path / "loans.csv")
    model = ts.LogisticRegression().fit(path, "deny")
    wanted = {f.name: (f.estimate, f.p) for f in model.summary().figures}
    assert "race = other" not in wanted
    assert "race = afam" in wanted
    assert {f.name: pytest.approx((f.estimate, f.p)) for f in model.inference(path).figures} == wanted
    text = " ".join(str(model).split())
    assert "Levels are compared with race = other, selfemployed = no, history = good" in text
    picture = str(model.forest().svg)
    assert "race = afam" in picture
    assert "race = other" not in picture
    line = "fit loans.csv -t deny --model logistic --folds 0 --inference"
    said = good(*line.split(), cwd=tmp_path)
    assert "race           " in said  # the column's test
    assert "race = other  " not in said
    document = json.loads(good(*line.split(), "--json", cwd=tmp_path))["inference"]
    assert {c["name"]: pytest.approx((c["estimate"], c["p"])) for c in document["coefficients"]} == wanted
    assert {c["column"]: c["freedom"] for c in document["columns"]}["race"] == 1
    model.save(tmp_path / "m.tally.json")
    again = ts.load(tmp_path / "m.tally.json").summary()
    assert {f.name: (f.estimate, f.p) for f in again.figures} == wanted


def test_the_base_changes_no_answer_and_the_difference_turns_with_it():
    frame = mortgages(1_000)
    one = ts.LogisticRegression(base_levels={"race": "other"}).fit(frame, "deny")
    two = ts.LogisticRegression(base_levels={"race": "afam"}).fit(frame, "deny")
    assert one.predict_proba(frame).tobytes() == two.predict_proba(frame).tobytes()
    ours = next(f for f in one.summary().figures if f.name == "race = afam")
    other = next(f for f in two.summary().figures if f.name == "race = other")
    assert ours.estimate == pytest.approx(-other.estimate, rel=1e-12)
    assert (ours.error, ours.p) == (pytest.approx(other.error, rel=1e-9), pytest.approx(other.p, rel=1e-6))


def test_a_ridge_compares_levels_too():
    frame = mortgages(1_000)
    frame["rate"] = 3 + frame["ratio"] + 0.3 * (frame["race"] == "afam") + np.sin(np.arange(1_000))
    frame = frame.drop(columns="deny")
    weak = ts.LinearRegression(l2=1e-7, base_levels=BASES).fit(frame, "rate").summary().figures
    plain = ts.LinearRegression(l2=0, base_levels=BASES).fit(frame, "rate").summary().figures
    for ours, theirs in zip(weak, plain, strict=True):
        assert (ours.name, ours.estimate) == (theirs.name, pytest.approx(theirs.estimate, rel=1e-4, abs=1e-6))
        assert ours.error == pytest.approx(theirs.error, rel=1e-5)
