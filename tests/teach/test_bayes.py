"""The numbers of the worked examples on Bayes stand in the printed working of their lessons."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import tallystick as ts
from tallystick.teach.lessons import find

pytestmark = pytest.mark.slow


def has(text, *parts):
    missing = [part for part in parts if part not in text]
    assert missing == []


def test_ten_rows_by_counting():
    counted, tree = ts.lesson("counting").printed
    shares = dict(re.findall(r"^  (R_\w+\(1,\d\)) = +(\S+ = \S+ +\S+) = ", counted, re.MULTILINE))
    for label, plain, corrected in (
        (1, ["1/5", "1/5", "4/5", "2/5"], ["2/7", "2/7", "5/7", "3/7"]),
        (0, ["5/5", "2/5", "1/5", "4/5"], ["6/7", "3/7", "2/7", "5/7"]),
    ):
        found = [shares[f"R_f{j}(1,{label})"].split() for j in range(1, 5)]
        assert [cells[0] for cells in found] == plain
        assert [cells[-1] for cells in found] == corrected
    has(counted, "product for 0 = 0/5·3/5·1/5·4/5 = 0\n", "= 128/625 = 0.2048", "= 0.01666\n", "= 0.15618\n")
    averages = re.findall(r"average entropy = .* = ([\d.]+)$", tree, re.MULTILINE)
    assert averages == ["0.3900", "0.9651", "0.7219", "0.8755"]


def test_five_rows_two_methods():
    tree, six, seven = ts.lesson("two-ways").printed
    has(
        tree,
        "= 0.9710",
        "gain = 0.9710 − 0.8000 = 0.1710",
        "gain = 0.9710 − 0.5510 = 0.4200",
        "= 0.0200",
        "Answer: 0",
    )
    has(tree, "gain = 0.9183 − 0 = 0.9183", "gain = 0.9183 − 0.6667 = 0.2516")
    has(
        six, "= 4/27 = ", "= 4/45 = ", "= 0.144\n", "= 1/32 = 0.03125", "= 54/625 = 0.0864", "= 1/80 = 0.0125"
    )
    has(
        seven,
        "= 1/27 = ",
        "= 1/45 = ",
        "= 0.064\n",
        "= 3/32 = 0.09375",
        "= 24/625 = 0.0384",
        "= 3/80 = 0.0375",
    )


def test_tennis_by_naive_bayes():
    (text,) = ts.lesson("bayes").printed
    has(text, "= 18/875 = 0.020571", "= 1/189 = 0.005291", "= 0.7954\n")


def test_enjoy_sport():
    three, one = ts.lesson("m-estimate").printed
    has(three, "= 0.1\n", "= 4/45 = 0.088889", "Training rows with all of these values, No: 0, Yes: 0")
    has(one, "= 0.5·2/5 = 0.2\n", "= 0.66667·3/5 = 0.4\n")


def test_chinese_and_japan():
    first, second, long = ts.lesson("words").printed
    has(
        first,
        "P(c) = 3/4",
        "P(j) = 1/4",
        "6/14 = ",
        "1/14 = ",
        "2/9 = ",
        "= 0.00030121\n",
        "= 0.00013548\n",
        "= 0.6898\n",
    )
    has(second, "= 0.0010933\n", "= 0.00068587\n", "= 0.6145\n")
    assert sum(map(float, long.strip("[]\n").split(","))) == pytest.approx(1)


def test_gaussian():
    working, form = ts.lesson("gaussian").printed
    lengths = [52, 58, 68, 55, 64]
    mean = sum(lengths) / 5
    variance = sum((x - mean) ** 2 for x in lengths) / 5
    assert re.search(rf"bass +5 +{mean:g} +[\d.]+ +{variance:g}$", working, re.MULTILINE)
    density = math.exp(-((65 - mean) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)
    has(working, f"= {density:.5g}\n")
    model = ts.NaiveBayes(distributions="gaussian", share="classes").fit(find("fish.csv"), "fish")
    slope = {
        line.split()[0]: float(line.split()[-1]) for line in form.split("\n") if line.startswith(("le", "we"))
    }
    odds = [
        float(np.diff(model.predict_log_proba([{"length": x, "weight": 27}])[0])[0]) for x in (60, 61, 62)
    ]
    assert odds[1] - odds[0] == pytest.approx(odds[2] - odds[1])
    assert "length " in form
    assert slope


def test_bayes_rule_four_times():
    ill, flu, shooter, coin = ts.lesson("bayes-rule").printed
    assert float(
        next(line for line in ill.split("\n") if line.startswith("ill")).split()[-1]
    ) == pytest.approx(0.20851, abs=1e-5)
    assert (flu.strip(), shooter.strip(), coin.strip()) == ("1/8", "3/4", "5/6")
