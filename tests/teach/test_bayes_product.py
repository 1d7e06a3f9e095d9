"""The printed answers of naive Bayes: the numbers of the worked examples are in them."""

import re

import pytest

import tallystick as ts
from tallystick.teach.document import Formula, Sentence

TEN = [
    dict(zip(("f1", "f2", "f3", "f4"), map(int, bits), strict=True)) | {"y": y}
    for y, several in ((1, "0110 0011 1010 0011 0000"), (0, "1001 1101 1000 1101 1011"))
    for bits in several.split()
]
FIVE = [
    dict(zip(("A1", "A2", "A3"), map(int, bits), strict=True)) | {"y": y}
    for bits, y in (("100", 0), ("101", 0), ("010", 0), ("111", 1), ("110", 1))
]
SPORT = [
    dict(zip(("Sky", "Water", "Forecast", "Enjoy"), line.split(), strict=True))
    for line in (
        "Sunny Warm Same Yes",
        "Sunny Warm Same No",
        "Rainy Warm Change No",
        "Sunny Cool Change Yes",
        "Sunny Cool Same No",
    )
]
TEXTS = [
    {"text": t, "y": y}
    for t, y in (
        ("Chinese Beijing Chinese", "c"),
        ("Chinese Chinese Shanghai", "c"),
        ("Chinese Macao", "c"),
        ("Tokyo Japan Chinese", "j"),
    )
]


def halves(text):
    """The printed answer without the correction, and with it."""
    return text.partition("Without the correction")[2].partition("With the correction")[::2]


def numbers(text, what):
    """The last number of each formula that begins with some words, by class."""
    found = re.findall(rf"^  {what} (\w+).*= (\S+)$", text, re.MULTILINE)
    return {label: float(number.replace("·10⁻⁴", "e-4")) for label, number in found}


def test_a1_a_product_against_zero():
    text = ts.work(TEN, "y", method="bayes", alpha=0, row={"f1": 0, "f2": 0, "f3": 1, "f4": 1}).text()
    plain, smooth = halves(text)
    assert plain.startswith(", as the model answers:")
    assert numbers(plain, "product for") == {"0": 0, "1": 0.2048}
    assert "0 is impossible: one of its factors is 0" in plain
    assert numbers(smooth, "product for") == {"0": 0.01666, "1": 0.15618}
    assert "  R_f1(1,0) =  5/5 = 1       6/7 = 0.8571\n" in text
    assert "  R_f1(1,1) =  1/5 = 0.2000  2/7 = 0.2857\n" in text
    assert "rules out 0" in text


def test_a2_with_and_without_prior_and_correction():
    first = ts.work(FIVE, "y", method="bayes", row={"A1": 0, "A2": 0, "A3": 0}).text()
    plain, smooth = halves(first)
    assert "product for 0 = 1/3·2/3·2/3 = 4/27 = 0.14815" in plain
    assert "= 4/45 = 0.088889" in plain
    assert numbers(smooth, "product for") == {"0": 0.144, "1": 0.03125}
    assert numbers(smooth, "score of") == {"0": 0.0864, "1": 0.0125}
    plain, smooth = halves(ts.work(FIVE, "y", method="bayes", row={"A1": 0, "A2": 1, "A3": 1}).text())
    assert numbers(plain, "product for") == {"0": 0.037037, "1": 0}
    assert numbers(smooth, "product for") == {"0": 0.064, "1": 0.09375}
    assert numbers(smooth, "score of") == {"0": 0.0384, "1": 0.0375}
    assert smooth.partition("Answer: ")[2].startswith("0.")
    without = ts.work(FIVE, "y", method="bayes", priors="none", row={"A1": 0, "A2": 1, "A3": 1}).text()
    assert halves(without)[1].partition("Answer: ")[2].startswith("1.")


def test_a3_play_tennis(tennis):
    row = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}
    plain, _ = halves(ts.work(tennis, "Play", method="bayes", row=row).text())
    assert numbers(plain, "score of") == {"No": 0.020571, "Yes": 0.005291}
    assert "P(No | row) = 0.020571 / (0.020571 + 0.005291) = 0.7954" in plain


def test_a10_enjoy_sport():
    row = {"Sky": "Sunny", "Water": "Warm", "Forecast": "Change"}
    text = ts.work(SPORT, "Enjoy", method="bayes", alpha=0, row=row).text()
    assert numbers(halves(text)[0], "score of") == {"No": 0.088889, "Yes": 0.1}
    assert "Training rows with all of these values, No: 0, Yes: 0." in text


def test_a11_words():
    text = ts.work(
        TEXTS,
        "y",
        method="bayes",
        kinds={"text": "text"},
        row={"text": "Chinese Chinese Chinese Tokyo Japan"},
    ).text()
    assert re.search(r"^  R_text\(chinese,c\) = +5/8 = 0.6250 +6/14 = 0.4286$", text, re.MULTILINE)
    assert re.search(r"^  R_text\(chinese,j\) = +1/3 = 0.3333 +2/9 = 0.2222$", text, re.MULTILINE)
    assert numbers(halves(text)[1], "score of") == {"c": 0.00030121, "j": 0.00013548}
    assert "= 0.6898" in halves(text)[1]
    long = ts.work(
        TEXTS, "y", method="bayes", kinds={"text": "text"}, row={"text": "Chinese Japan " * 2500}
    ).text()
    assert not re.search(r"\binf\b|\bnan\b", long)
    assert re.search(r"^  product for c = \S+ = \d\.\d+·10⁻³⁷\S+$", long, re.MULTILINE)


def test_a12_gaussian_columns():
    rows = [{"x": x, "y": y} for x, y in ((1.0, "a"), (1.5, "a"), (2.0, "a"), (3.0, "b"), (4.0, "b"))]
    working = ts.work(rows, "y", method="bayes-gaussian", row={"x": 2.5})
    text = working.text()
    assert re.search(r"^  a +3 +1\.5 +0\.5000 +0\.166667$", text, re.MULTILINE)
    assert "density of x = 2.5 in a = 1/√(2π·0.166667)·e^(−((2.5 − 1.5)^2)/(2·0.166667)) = 0.048652" in text
    share = float(re.search(r"P\(a \| row\) = .* = (\S+)$", text, re.MULTILINE)[1])
    assert share == pytest.approx(working.model.predict_proba({"x": 2.5})[0, 0], abs=5e-5)
    shared = ts.work(rows, "y", method="bayes-gaussian-shared", row=0).text()
    assert "All classes share one variance" in shared


def test_impossible_everywhere_is_answered_by_the_prior_and_said():
    rows = [{"a": "x", "b": "x", "y": 0}, {"a": "z", "b": "z", "y": 1}] * 2
    text = ts.work(rows, "y", method="bayes", alpha=0, row={"a": "x", "b": "z"}).text()
    assert "Every class is impossible: the prior alone answers" in text


def test_the_first_row_is_taken_where_none_is_given(tennis):
    assert (
        "The first row\n-------------\n\nOutlook = Sunny, Temperature = Hot"
        in ts.work(tennis, "Play", method="bayes").text()
    )


def test_a_missing_value_has_no_factor(tennis):
    text = ts.work(
        tennis,
        "Play",
        method="bayes",
        row={"Outlook": None} | dict.fromkeys(("Temperature", "Humidity", "Wind")),
    ).text()
    assert "Outlook has no factor: it is missing." in text


def votes(text):
    """The vote of each column, as it is printed."""
    lines = text.partition("How the columns vote")[2].partition("for\n")[2].strip().split("\n")
    return {line.split()[0]: line.replace("−", "-").split()[2] for line in lines}


def test_votes_of_two_classes_are_always_for_the_second():
    for bits, answer in (("0011", "1"), ("1101", "0")):
        row = dict(zip(("f1", "f2", "f3", "f4"), map(int, bits), strict=True))
        text = ts.work(TEN, "y", method="bayes", row=row).text()
        assert text.rpartition("Answer: ")[2].startswith(answer)
        assert "A vote is ln R(1) − ln R(0): above 0 it is for 1, below 0 for 0." in text
        assert votes(text)["f4"] == "-0.5108"  # ln 3/7 − ln 5/7, whatever the answer is


def test_the_weight_of_a_column_is_written_out_and_is_its_vote():
    working = ts.work(TEN, "y", method="bayes")
    text = working.text()
    assert "ln α/(1 − α) − ln β/(1 − β), with α = R_f1(1,1) and β = R_f1(1,0), corrected." in text
    assert "  weight of f1 = ln (2/7)/(5/7) − ln (6/7)/(1/7) = −0.9163 − 1.7918 = −2.7081\n" in text
    found = re.findall(r"^  weight of (\w+) = .* = (\S+)$", text, re.MULTILINE)
    own = working.model.votes()
    assert len(found) == 4
    for name, weight in found:
        assert float(weight.replace("−", "-")) == pytest.approx(own[name], abs=5e-5)


def blank_steps(rows, target, **given):
    """What a sheet without answers asks for."""
    sheet = ts.work(rows, target, method="bayes", blank=True, **given)
    return [p.left for p in sheet.shown if isinstance(p, Formula)]


@pytest.mark.parametrize("alpha", [0, 1])
def test_a_sheet_asks_the_same_of_products_that_are_0(alpha):
    zero, positive = ({"f1": f, "f2": 0, "f3": 1, "f4": 1} for f in (0, 1))
    working = ts.work(TEN, "y", method="bayes", alpha=alpha, row=zero).text()
    assert "0 is impossible" in working
    assert "0 is impossible" not in ts.work(TEN, "y", method="bayes", alpha=alpha, row=positive).text()
    assert blank_steps(TEN, "y", alpha=alpha, row=zero) == blank_steps(TEN, "y", alpha=alpha, row=positive)
    nowhere = [{"a": "x", "b": "x", "y": 0}, {"a": "z", "b": "z", "y": 1}] * 2
    rows = [blank_steps(nowhere, "y", alpha=alpha, row={"a": "x", "b": b}) for b in "xz"]
    assert rows[0] == rows[1]


def test_a_sheet_ends_with_the_votes_to_be_filled_in(tennis):
    sheet = ts.work(tennis, "Play", method="bayes", blank=True)
    *_, told, table = sheet.shown
    assert "A vote is ln R(Yes) − ln R(No)" in sheet.text()
    assert isinstance(told, Sentence)
    assert [row[2:] for row in table.rows] == [((), ())] * 4
    three = [r | {"y": r["y"] + i % 2} for i, r in enumerate(TEN)]
    assert "How the columns vote" not in ts.work(three, "y", method="bayes", blank=True).text()
    assert "How the columns vote" in ts.work(three, "y", method="bayes").text()


def test_a_sheet_gives_nothing_away(tennis):
    sheet = ts.work(tennis, "Play", method="bayes", blank=True).text()
    assert not re.search(r"\d\.\d|= \d|Answer", sheet)
    assert "product for No = ____" in sheet
