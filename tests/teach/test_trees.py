"""The numbers of the worked examples on trees stand in the printed working of their lessons."""

from __future__ import annotations

import re

import pytest

import tallystick as ts

pytestmark = pytest.mark.slow


def printed(name):
    return "\n".join(ts.lesson(name).printed)


def gains(name, step=0):
    """column: (average entropy, gain, gain ratio), read from the table of all columns at the root."""
    text = ts.lesson(name).printed[step].partition("All columns:")[2].partition("\nNode ")[0]
    row = r"^ +(?:→ +)?(\S[\w -]*?) {2,}([\d.e-]+) +([\d.e-]+) +([\d.e-]+) +([\d.e-]+)$"
    found = re.findall(row, text, re.MULTILINE)
    return {name: (float(a), float(g), float(r)) for name, a, g, _, r in found}


def close(found, **wanted):
    return {k: pytest.approx(v, abs=1e-4) for k, v in wanted.items()} == found


def test_tennis():
    text = printed("id3")
    assert "H(5/14, 9/14) = −(5/14)·log₂(5/14) − (9/14)·log₂(9/14) = 0.9403" in text
    by = gains("id3")
    assert close(
        {k: v[1] for k, v in by.items()}, Outlook=0.2467, Temperature=0.0292, Humidity=0.1518, Wind=0.0481
    )
    assert close(
        {k: v[2] for k, v in by.items()}, Outlook=0.1564, Temperature=0.0188, Humidity=0.1518, Wind=0.0488
    )
    assert "5 leaves" in text
    assert "(14 of 14)" in text
    assert "Answer: No" in text


def test_households():
    text = printed("households")
    by = gains("households")
    assert by["District"][1] == pytest.approx(0.2467, abs=1e-4)
    assert by["House type"][1] == pytest.approx(0.0500, abs=1e-4)
    assert by["Income"][1] == pytest.approx(0.1518, abs=1e-4)
    assert by["Previous customer"][1] == pytest.approx(0.0481, abs=1e-4)
    assert "Income has the largest gain, 0.9710" in text
    assert "Previous customer has the largest gain, 0.9710" in text
    assert re.search(r"if District = Rural then Responded \(4 rows", text)
    assert re.search(r"if District = Urban.* and Previous customer = Yes then Nothing", text)


def test_threshold():
    text = printed("threshold")
    root = text.partition("Node 0")[2].partition("The tree")[0]
    cuts = dict(re.findall(r"temperature < (\d+) .* ([\d.]+)$", root, re.MULTILINE))
    assert float(cuts["54"]) == pytest.approx(0.4591, abs=1e-4)
    assert float(cuts["85"]) == pytest.approx(0.1909, abs=1e-4)
    assert len(cuts) == 5
    assert "The best is temperature < 54" in text


def test_choice():
    six, eight = gains("choice"), gains("choice", 1)
    assert close({k: v[1] for k, v in six.items()}, X1=0.3167, X2=0.1909)
    assert close({k: v[1] for k, v in eight.items()}, X1=0.5488, X2=0.0488)
    assert "= 0.9544" in ts.lesson("choice").printed[1]


def test_census():
    text = printed("census")
    assert re.search(r"Female +16,192 +14,423 +1,769 .* = 0\.4977$", text, re.MULTILINE)
    assert re.search(r"Male +32,650 +22,732 +9,918 .* = 0\.8858$", text, re.MULTILINE)
    assert "gain = 0.7938 − 0.7572 = 0.0367" in text


def test_many_values():
    batches, days = gains("many-values"), gains("many-values", 1)
    assert batches["Batch"][1:] == pytest.approx((0.3078, 0.1207), abs=1e-4)
    assert batches["Outlook"][1:] == pytest.approx((0.2467, 0.1564), abs=1e-4)
    assert days["Day"][1:] == pytest.approx((0.9403, 0.2470), abs=1e-4)
    assert "Day =" not in ts.lesson("many-values").printed[2].partition("The tree")[2]


def test_bits_and_weights():
    letters, many = ts.lesson("bits").printed
    assert re.search(r"H\(4/8, 2/8, 1/8, 1/8\)[^H]*= 1\.7500", letters)
    assert "average entropy = (200/201)·1 + (1/201)·0 = 0.9950" in many


def test_expression_and_greed():
    sixteen, _, leaves = ts.lesson("expression").printed
    assert "Answer: 0" in sixteen
    assert "(16 of 16)" in sixteen
    assert close({k: v[1] for k, v in gains("expression", 1).items()}, A=0, B=0.1887, C=0.1887)
    greedy, best = map(int, leaves.split())
    assert greedy > best == 4


def test_exclusive_or():
    tree, six, bayes, logistic = ts.lesson("xor").printed
    assert re.findall(r"^  gain = (.*)$", tree.partition("Node 1")[0], re.MULTILINE) == ["1 − 1 = 0"] * 2
    assert "4 leaves" in tree
    assert "(4 of 4)" in tree
    assert re.findall(r"average entropy = .* = ([\d.]+)$", six, re.MULTILINE) == ["0.9183"] * 2
    assert len(re.findall(r"(?:3/6|2/4) = 0\.5000", bayes)) >= 8
    alone, product = (float(line.split()[1]) for line in logistic.strip().split("\n"))
    assert alone < product == 1.0
