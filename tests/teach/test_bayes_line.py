"""The line of Gaussian naive Bayes with shared variances: the printed weights are those of the model."""

import re

import pytest

import tallystick as ts

ROWS = [
    {"x": x, "z": z, "c": c, "y": y}
    for x, z, c, y in (
        (1, 2, "a", "no"),
        (2, 1, "a", "yes"),
        (3, -4, "b", "yes"),
        (1, -5, "b", "no"),
        (2, 2.5, "a", "yes"),
        (3, 3, "b", "yes"),
        (1.5, 1, "a", "no"),
    )
]
NUMBERS = [{name: row[name] for name in ("x", "z", "y")} for row in ROWS]


def number(text):
    return float(text.replace("−", "-"))


def test_the_line_is_worked_out_from_the_means():
    text = ts.work(NUMBERS, "y", method="bayes-gaussian-shared").text()
    body = " ".join(text.partition("The line")[2].split())
    assert "with w_i = (μ_i0 − μ_i1)/σ_i² and w_0 = ln (P(no))/(P(yes)) + Σ (μ_i1² − μ_i0²)/(2·σ_i²)" in body
    assert "x (1.16667 − 2.5)/0.166667 = −8 (2.5² − 1.16667²)/(2·0.166667) = 14.6667" in body
    assert "z (−0.666667 − 0.625)/8.47917 = −0.1523 (0.625² − (−0.666667)²)/(2·8.47917) = −0.0032" in body
    assert len(re.findall(r"^  w_0 = ", text, re.MULTILINE)) == 1
    assert "P(yes | x) = 1/(1 + e^(14.3758 − 8·x − 0.1523·z))" in body


@pytest.mark.parametrize("priors", ["data", "uniform", "none"])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_weights_are_those_of_the_logistic_form(priors, classes):
    rows = [r | ({"y": "abc"[i % 3]} if classes == 3 else {}) for i, r in enumerate(NUMBERS)]
    working = ts.work(rows, "y", method="bayes-gaussian-shared", priors=priors)
    form = working.model.to_logistic()
    lines = re.findall(
        r"^  ln P\(\w+ \| x\)/P\(\w+ \| x\) = (\S+) ([+−]) (\S+)·x ([+−]) (\S+)·z$",
        working.text(),
        re.MULTILINE,
    )
    assert len(lines) == classes - 1
    for k, (constant, *signed) in enumerate(lines):
        there = sum(w.weights[k] for w in form.weights if w.value)  # the part of w0 of a column that is there
        assert number(constant) == pytest.approx(form.intercepts[k] + there, abs=6e-5)
        slopes = [w.weights[k] for w in form.weights if not w.value]
        assert [number(signed[0] + signed[1]), number(signed[2] + signed[3])] == pytest.approx(
            slopes, abs=6e-5
        )


def test_a_negative_mean_is_in_brackets():
    text = ts.work(NUMBERS, "y", method="bayes-gaussian-shared").text()
    assert "(2 − (−0.666667))^2" in text
    assert "− −" not in text


def test_a_column_that_is_counted_is_a_term_of_the_line():
    text = ts.work(ROWS, "y", method="bayes-gaussian-shared").text()
    assert " + ln (R_c(a,no))/(R_c(a,yes))" in text


def test_without_shared_variances_there_is_no_line():
    assert "The line" not in ts.work(NUMBERS, "y", method="bayes-gaussian").text()


def test_a_sheet_does_not_have_its_weights():
    sheet = ts.work(NUMBERS, "y", method="bayes-gaussian-shared", blank=True).text().partition("The line")[2]
    assert "w_i = (μ_i0 − μ_i1)/σ_i²" in sheet
    assert "w_0 = ____" in sheet
    assert not re.search(r"\d\.\d", sheet)
