"""The printed working of logistic regression: formula, start, steps and a row (A13)."""

import re

import pytest

import tallystick as ts
from tallystick.linear.work import thinned

ROWS = [
    {"x": x, "c": c, "y": y}
    for x, c, y in (
        (1.0, "a", "no"),
        (1.5, "b", "no"),
        (2.0, "a", "yes"),
        (3.0, "b", "yes"),
        (4.0, "a", "yes"),
        (2.2, "b", "no"),
        (3.1, "a", "no"),
    )
] * 2


def steps(text):
    """The steps as they are printed: [step, value, gradient, length, weights ...]."""
    lines = text.partition("largest gradient")[2].partition("\n\n")[0].split("\n")[1:]
    return [[cell.replace("−", "-") for cell in line.split()] for line in lines]


def test_plain_ascent_and_newton_end_at_the_same_printed_weights():
    plain = ts.work(ROWS, "y", method="logistic", solver="gradient", l2=1)
    newton = ts.work(ROWS, "y", method="logistic", solver="newton", l2=1)
    last = steps(plain.text())[-1]
    assert last[4:] == steps(newton.text())[-1][4:]
    model = plain.model
    weights = [model.intercept_[0], *model.coef_[0]]
    assert [float(w) for w in last[4:]] == pytest.approx(weights, abs=5e-5)
    assert f"After {last[0]} steps" in plain.text()
    assert "the gradient is at most 1e-10 per row" in " ".join(plain.text().split())


def test_the_start_is_told_with_its_gradient():
    text = ts.work(ROWS, "y", method="logistic", solver="gradient", l2=1).text()
    assert "ln likelihood = Σ ln P(class of the row) = −9.5607" in text  # 6 ln(3/7) + 8 ln(4/7)
    assert re.search(r"^  \(constant\) +−0\.2877 +0 +0 +0$", text, re.MULTILINE)
    assert re.search(r"^  x +0 +3\.6000 +0 +3\.6000$", text, re.MULTILINE)
    assert float(steps(text)[0][1]) == -9.5607


def test_the_given_step_and_tolerance_are_kept_to():
    given = {"solver": "gradient", "l2": 1, "eta": 0.05, "tolerance": 1e-3}
    text = ts.work(ROWS, "y", method="logistic", **given).text()
    found = steps(text)
    assert {row[3] for row in found[1:]} == {"0.0500"}
    assert float(found[-1][2]) <= 1e-3 * len(ROWS) < float(found[-2][2])
    assert "at most 0.001 per row" in " ".join(text.split())


def test_a_rows_terms_add_up_to_its_score():
    working = ts.work(ROWS, "y", method="logistic", l2=1, row={"x": 2.5, "c": "a"})
    text = working.text()
    assert "score = −2.6428 + 0.9567·2.5 + 0.1353 = −2.6428 + 2.3917 + 0.1353 = −0.1158" in text
    share = float(re.search(r"P\(yes \| row\) = .* = (\S+)$", text, re.MULTILINE)[1])
    assert share == pytest.approx(working.model.predict_proba({"x": 2.5, "c": "a"})[0, 1], abs=5e-5)
    assert "score = ln P(yes)/P(no) = −2.6428 + 0.9567·x + 0.1353·[c = a] − 0.1353·[c = b]" in text


def test_three_classes_have_a_score_each():
    rows = [r | {"y": "abc"[i % 3]} for i, r in enumerate(ROWS)]
    working = ts.work(rows, "y", method="logistic")
    shares = re.findall(r"^  P\(\w \| row\) = .* = (\S+)$", working.text(), re.MULTILINE)
    assert [float(s) for s in shares] == pytest.approx(working.model.predict_proba(rows[:1])[0], abs=5e-5)


def test_a_conjugate_gradient_is_told_with_its_betas():
    given = {"solver": "conjugate-gradient", "l2": 1}
    working = ts.work(ROWS, "y", method="logistic", **given)
    text = " ".join(working.text().split())
    assert "direction = gradient + β·last direction, and new weights = weights + length·direction" in text
    assert "curvature says" not in text
    assert "length β (constant)" in text
    trace = ts.LogisticRegression(**given, trace=True).fit(ROWS, "y").trace_
    found = steps(working.text())
    assert [float(row[4]) for row in found] == pytest.approx([s.beta for s in trace], abs=5e-5)
    assert float(found[1][4]) == 0
    assert any(float(row[4]) > 0 for row in found[2:])


def test_lbfgs_is_not_told_as_newton():
    text = " ".join(ts.work(ROWS, "y", method="logistic", solver="lbfgs", l2=1).text().split())
    assert "L-BFGS: the direction is the gradient, turned and stretched by the curvature" in text
    assert "(Newton)" not in text
    assert "at most 1e-10 per row in every direction, or rounding" in text


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"l1": 0.5}, "the corners of the L1 prior say that the top is (proximal Newton)"),
        ({"l1": 0.5, "solver": "lbfgs"}, "(OWL-QN)"),
        ({"firth": True}, "the likelihood with Firth's correction"),
        ({"solver": "newton", "l2": 1}, "says that the top is (Newton)"),
    ],
)
def test_every_solver_is_told_as_it_goes(settings, words):
    assert words in " ".join(ts.work(ROWS, "y", method="logistic", **settings).text().split())


@pytest.mark.filterwarnings("ignore::tallystick.TallyWarning")
def test_a_spent_budget_is_not_told_as_an_optimum():
    text = " ".join(ts.work(ROWS, "y", method="logistic", solver="gradient", l2=1, max_iter=3).text().split())
    assert "the budget of steps is spent." in text
    assert "per row in every direction" not in text


def test_the_class_that_others_are_compared_with_has_the_score_0():
    rows = [r | {"y": "abc"[(i * i) % 3 if i % 4 else 2]} for i, r in enumerate(ROWS)]
    working = ts.work(rows, "y", method="logistic", l2=0)
    text = working.text()
    assert "The score of c is 0, as the others are compared with it: e to it is the 1 of" in text
    assert "  score of c = 0\n" in text
    assert re.search(r"^  P\(c \| row\) = 1/\(e\^\(\S+\) \+ e\^\(\S+\) \+ 1\) = ", text, re.MULTILINE)
    start = text.partition("The start")[2].partition("The steps")[0]
    assert not re.search(r"^  c ", start, re.MULTILINE)  # its weights are not free
    with_prior = ts.work(rows, "y", method="logistic", l2=1).text()
    assert "compared with it" not in with_prior


@pytest.mark.slow
def test_a_long_trace_is_thinned_to_what_can_be_seen():
    model = ts.LogisticRegression(solver="gradient", l2=0.01, eta=0.02, tolerance=1e-5, trace=True)
    model.fit(ROWS, "y")
    assert len(model.trace_) > 200
    shown = thinned(model.trace_)
    assert len(shown) == 24
    assert [s.iteration for s in shown[:12]] == list(range(12))
    assert shown[-1] is model.trace_[-1]


def test_what_has_no_line_of_its_own_is_refused():
    rows = [{"t": f"word{i} red", "y": i % 2} for i in range(6)]
    with pytest.raises(ts.TallyError, match="a text has one for each word"):
        ts.work(rows, "y", method="logistic", kinds={"t": "text"})
    with pytest.raises(ts.TallyError, match="class_weight= is given"):
        ts.work(ROWS, "y", method="logistic", class_weight="balanced")


def test_a_sheet_gives_nothing_away():
    sheet = ts.work(ROWS, "y", method="logistic", l2=1, blank=True).text()
    body = sheet.partition("The model")[2]
    assert not set(re.findall(r"0\.\d{4}", body)) - {"0.2877"}  # where the constant begins is given
    assert "score = ____" in body
