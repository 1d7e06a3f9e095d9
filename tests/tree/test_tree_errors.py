"""The errors of trees in words."""

from __future__ import annotations

from tallystick.tree.splits import ErrorsBeside, TreeErrors


def test_errors_are_told_with_their_shares_and_held_out_rows_where_there_are_any():
    one, two = TreeErrors("this tree", 1, 5, 14), TreeErrors("grown", 3, 1_000, 4_000, 1.5, 3)
    assert str(one) == "this tree: 1 leaf, 5 of 14 (35.7%) wrong in training"
    assert str(two) == "grown: 3 leaves, 1,000 of 4,000 (25.0%) wrong in training, 1.5 of 3 (50.0%) held out"
    assert str(ErrorsBeside((one, two))) == f"{one}\n{two}"
    assert ErrorsBeside((one,)).to_dict()["trees"][0]["wrong"] == 5
