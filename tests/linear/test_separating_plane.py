"""Is there a plane between the classes: the plane leads every row, or some rows prove that none exists."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tallystick.errors import DataError, OptionError
from tallystick.linear.separation import leads, plane_of, separable


def test_classes_apart_are_separated_by_a_plane_that_leads_every_row():
    found = separable({"x": [1.0, 2.0, 8.0, 9.0], "y": ["a", "a", "b", "b"]}, "y", kinds={"x": "numeric"})
    assert (found.kind, bool(found), found.certificate) == ("complete", True, {})
    weights = found.plane["b"]
    for x, side in ((1.0, -1), (2.0, -1), (8.0, 1), (9.0, 1)):
        assert side * (weights["(constant)"] + weights["x"] * (x - 5) / 4) >= found.margin - 1e-9
    assert found.margin > 0


def test_classes_that_touch_are_separated_quasi_completely():
    found = separable({"x": [1.0, 5.0, 5.0, 9.0], "y": ["a", "a", "b", "b"]}, "y", kinds={"x": "numeric"})
    assert (found.kind, bool(found)) == ("quasi-complete", False)
    assert str(found).startswith("the classes are separated quasi-completely: they touch")


def test_a_class_inside_the_other_is_proved_by_rows_that_add_up_to_nothing():
    x, y = [1.0, 5.0, 9.0, 5.5], ["a", "b", "a", "b"]
    found = separable({"x": x, "y": y}, "y", kinds={"x": "numeric"})
    assert (found.kind, found.plane) == ("none", {})
    assert sum(found.certificate.values()) == pytest.approx(1.0)
    signed = {row: weight * (1 if y[row] == "b" else -1) for row, weight in found.certificate.items()}
    assert sum(signed.values()) == pytest.approx(0.0)
    assert sum(weight * x[row] for row, weight in signed.items()) == pytest.approx(0.0)


def test_three_classes_have_a_lead_over_each_other():
    gaps, owners = leads(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.array([0, 1, 2]), 3)
    assert gaps.shape == (6, 6)
    assert gaps[0].tolist() == [1.0, 2.0, -1.0, -2.0, 0.0, 0.0]  # the first row, its class over the second
    assert owners.tolist() == [0, 0, 1, 1, 2, 2]
    assert plane_of(np.arange(6.0), ["c", "x"], ("a", "b", "d"))["d"] == {"c": 4.0, "x": 5.0}


def test_words_and_a_target_that_is_not_there_are_refused():
    with pytest.raises(DataError, match=r"not at words\. Leave text columns out \(kinds=\{'name': 'out'\}\)"):
        separable({"t": ["a b", "c d"], "y": ["p", "q"]}, "y", kinds={"t": "text"})
    with pytest.raises(OptionError, match="separable needs y"):
        separable({"x": [1.0, 2.0]}, None)


def test_more_rows_than_a_program_has_room_for_are_refused_before_it_begins():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(30_000, 8)), columns=[f"x{i}" for i in range(8)])
    frame["y"] = rng.integers(0, 2, 30_000)
    with pytest.raises(DataError, match=r"of 30,000 rows needs about .* and 32 MB is given"):
        separable(frame, "y", memory="32MB")
    few = frame[:200]
    assert separable(few, "y", memory="32MB").to_dict() == separable(few, "y").to_dict()


def test_of_several_classes_each_two_have_a_line_of_their_own():
    """Two of three overlap, as of iris: what is true of all together is not true of them."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"a": np.r_[rng.normal(-9, 1, 30), rng.normal(0, 1, 60)], "b": rng.normal(size=90)})
    found = separable(frame, np.repeat(["far", "left", "right"], 30))
    kinds = {pair: two.kind for pair, two in found.pairs.items()}
    assert kinds == {("far", "left"): "complete", ("far", "right"): "complete", ("left", "right"): "none"}
    lines = str(found).splitlines()
    assert lines[0].startswith("far, left: they are separated completely, by a margin of ")
    assert lines[2].startswith("left, right: no plane separates them; ")
    assert "the classes are separated" not in str(found)
    assert [two["kind"] for two in found.to_dict()["pairs"]] == list(kinds.values())
    proof = found.pairs["left", "right"].certificate
    assert min(proof) >= 30  # rows of the whole table
    assert sum(proof.values()) == pytest.approx(1.0)


def test_the_plane_is_a_table_largest_first():
    frame = pd.DataFrame({f"x{i}": [0.0, 1.0] * 6 for i in range(12)})
    frame["x7"] = np.repeat([0.0, 1.0], 6)
    said = str(separable(frame, np.repeat(["no", "yes"], 6))).splitlines()
    at = next(i for i, line in enumerate(said) if line.split() == ["column", "towards", "yes"])
    sizes = [abs(float(line.split()[-1])) for line in said[at + 1 :]]
    assert sizes == sorted(sizes, reverse=True)
    assert max(map(len, said)) < 80


def test_a_column_of_levels_that_does_not_separate_has_no_weights():
    """Every row has a level of each column: what they all have is the constant's."""
    rows = [(job, sex) for job in ("clerk", "none", "nurse") for sex in ("f", "m") for _ in range(4)]
    frame = pd.DataFrame(rows, columns=["job", "sex"])
    y = np.where((frame["job"] != "none") & (np.arange(len(rows)) % 2 == 0), "paid", "unpaid")
    found = separable(frame, y)
    assert found.kind == "quasi-complete"
    (weights,) = found.plane.values()
    assert [name for name, weight in weights.items() if abs(weight) > 1e-7] == ["job = none"]
    assert "sex is missing" not in weights
