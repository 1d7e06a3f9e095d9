"""The ways to prune: by object or by name, with their settings in the file."""

from __future__ import annotations

import pytest
from trees import random_tree

from tallystick.errors import OptionError
from tallystick.tree.prune import (
    FILE_NAMES,
    HELD_OUT,
    METHODS,
    CostComplexity,
    DescriptionLength,
    Pessimistic,
    from_file,
    is_pruning,
    pruning_of,
    settings_of,
    to_file,
)


def test_a_way_is_given_as_an_object_by_its_name_or_not_at_all():
    assert pruning_of(None) is None
    assert pruning_of("pessimistic") == Pessimistic()
    assert pruning_of(CostComplexity(0.1)) == CostComplexity(cp=0.1)
    assert [is_pruning(v) for v in (Pessimistic(), "mdl", None)] == [True, False, False]
    with pytest.raises(OptionError, match=r"pruning must be None, .* not 'reduced-error'. For held-out rows"):
        pruning_of(HELD_OUT)


@pytest.mark.parametrize("way", [None, CostComplexity(0.01), Pessimistic(0.1), DescriptionLength()])
def test_a_way_comes_back_from_the_file(way):
    data = to_file(way)
    assert set(data) == {"pruning", "confidence", "cp"}
    assert from_file(data["pruning"], data) == way


def test_a_file_may_say_that_held_out_rows_pruned_the_tree():
    assert HELD_OUT in FILE_NAMES
    assert list(FILE_NAMES) == [*METHODS, HELD_OUT]
    assert len(FILE_NAMES) == len(METHODS) + 1
    assert "luck" not in FILE_NAMES


@pytest.mark.parametrize("cp", [-0.1, float("inf"), True, "much"])
def test_a_price_that_makes_no_sense_is_refused(cp):
    with pytest.raises(OptionError, match="cp must be a number from 0 up"):
        CostComplexity(cp)


@pytest.mark.parametrize("confidence", [0, 1, 2.0, None])
def test_a_confidence_lies_strictly_between_0_and_1(confidence):
    with pytest.raises(OptionError, match="confidence must be a number above 0 and below 1"):
        Pessimistic(confidence)


def test_every_way_gives_a_tree_of_no_more_leaves_and_prints_as_it_is_typed():
    tree = random_tree(next(s for s in range(99) if random_tree(s).nodes.leaves > 5))
    for way in (CostComplexity(0.0), Pessimistic(), DescriptionLength()):
        assert way.prune(tree, None, lambda: iter(())).nodes.leaves <= tree.nodes.leaves
    assert CostComplexity(1e9).prune(tree, None, lambda: iter(())).nodes.leaves == 1
    assert repr(Pessimistic(0.1)) == "Pessimistic(confidence=0.1)"
    assert settings_of(Pessimistic(0.1)) == {"confidence": 0.1}
