"""A tree to plain data and back: one short list per node, and strict reading.

Knows the shape of the model file's own part. Knows nothing of bytes, checksums, rows or words.
Law: `read(write(tree))` is the same tree; whatever else `read` accepts gives finite shares for every row.

    nodes       a leaf is its counts [n_1 .. n_k] (regression: [weight, mean, deviance]; without a target:
                [weight]); a test has four more:
                column, cut (null for a test of levels), missing branch (-1 stays, -2 spreads), gain
    branches    for each test of levels, in node order: the branch of each level, -1 stays
    candidates  for each test, in node order: a JSON text of its best candidate splits. It is a text because
    it is
                only read when somebody asks for the candidates, and then it is checked as strictly as the
                rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.schema import CODED, Schema
from tallystick.errors import ModelFileError
from tallystick.models.tree.candidates_file import numbers
from tallystick.models.tree.nodes import SPREADS, STAYS, Nodes

LARGEST = 2**62  # a node's rows in table units stay below this, so that no sum overflows


def write_nodes(nodes: Nodes, here: slice) -> list[list[Any]]:
    """Return some nodes as lists."""
    rows: list[list[Any]] = nodes.counts[here].tolist()
    if len(nodes.mean):
        answers = zip(rows, numbers(nodes.mean[here]), numbers(nodes.deviance[here]), strict=True)
        rows = [[*row, mean, deviance] for row, mean, deviance in answers]
    own = np.flatnonzero(nodes.column[here] >= 0)
    tests = own + here.start
    column, missing = nodes.column[tests].tolist(), nodes.missing_branch[tests].tolist()
    cut, gain = numbers(nodes.cut[tests]), numbers(nodes.gain[tests])
    for place, *test in zip(own.tolist(), column, cut, missing, gain, strict=True):
        rows[place] += test
    return rows


def write_branches(nodes: Nodes, here: slice) -> list[list[int]]:
    """Return the branches of the tests of levels among some nodes."""
    sizes = np.diff(nodes.branch_start[here.start : here.stop + 1])
    of_levels = np.flatnonzero((nodes.column[here] >= 0) & (sizes > 0)) + here.start
    return [nodes.levels(node).tolist() for node in of_levels.tolist()]


def read_nodes(data: Mapping[str, Any], schema: Schema) -> Nodes:
    """Build the nodes from what was written, or say in one line what is wrong with them."""
    rows = data["nodes"]
    regression = schema.regression
    width = 3 if regression else len(schema.target.labels) if schema.target else 1
    if not isinstance(rows, list) or not rows:
        raise ModelFileError("the model file holds no tree. Write the file again from the fitted model.")
    _demand(set(map(type, rows)) == {list}, "a node is not a list")
    sizes = np.array(list(map(len, rows)))
    is_test = sizes == width + 4
    odd = np.flatnonzero(~(is_test | (sizes == width)))
    if len(odd):
        have = f"node {odd[0]} has {sizes[odd[0]]} entries, not {width} or {width + 4}"
        _demand(False, have)
    # All entries of a place in one list: nothing is done once per node, of which there may be many.
    tests, leaves = (list(chain.from_iterable(compress(rows, which))) for which in (is_test, ~is_test))
    answers = [(tests[k :: width + 4], leaves[k::width]) for k in range(width)]
    counts, mean, deviance = _answers(answers, is_test, regression)
    column = np.full(len(rows), -1, np.int32)
    cut, gain = np.full(len(rows), np.nan), np.zeros(len(rows))
    missing = np.full(len(rows), STAYS, np.int32)
    if tests:
        columns, cuts, ways, gains = (tests[width + k :: width + 4] for k in range(4))
        column[is_test] = _whole(columns, "column", 0, len(schema.used) - 1)
        cut[is_test] = _real([np.nan if c is None else c for c in cuts], "cut", allow_nan=True)
        missing[is_test] = _whole(ways, "missing branch", SPREADS, 2**31 - 1)
        gain[is_test] = _real(gains, "gain")
    n_children, start, branch_of = _branches(data["branches"], column, cut, missing, schema)
    _demand(
        bool(np.all(missing[is_test] < n_children[is_test])),
        "a missing value is sent to a branch that is not there",
    )
    nodes = Nodes(counts, column, cut, n_children, start, branch_of, missing, gain, mean, deviance)
    try:
        nodes.shape  # noqa: B018  asking is the check
    except ValueError as error:
        raise ModelFileError(
            f"the tree in the model file is not one tree: {error}. Get the file again."
        ) from None
    _check_sums(nodes)
    return nodes


def _answers(
    parts: list[tuple[list[Any], list[Any]]], is_test: NDArray[np.bool_], regression: bool
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Return counts, mean and deviance of all nodes. parts[entry]: of the tests, and of the leaves."""

    def joined(of_tests: NDArray[Any], of_leaves: NDArray[Any]) -> NDArray[Any]:
        out = np.empty(len(is_test), of_tests.dtype)
        out[is_test], out[~is_test] = of_tests, of_leaves
        return out

    none = np.empty(0)
    if regression:
        weight, mean, deviance = parts
        weights = joined(*(_whole(v, "weight", 0, LARGEST) for v in weight))
        means = joined(*(_real(v, "mean") for v in mean))
        deviances = joined(*(_real(v, "deviance") for v in deviance))
        _demand(bool(np.all(deviances >= 0)), "a deviance is negative")
        return weights[:, None], means, deviances
    counts = np.column_stack([joined(*(_whole(v, "count", 0, LARGEST) for v in part)) for part in parts])
    _demand(float(counts[0].sum(dtype=np.float64)) < LARGEST, "the counts of the root are too large")
    return counts, none, none


def _branches(
    lists: Any,
    column: NDArray[np.int32],
    cut: NDArray[np.float64],
    missing: NDArray[np.int32],
    schema: Schema,
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
    """Return n_children, branch_start and branch_of; every test must suit the kind of its column."""
    n_levels = np.array([len(c.levels) if c.kind in CODED else 0 for c in schema.used] + [0], np.int64)
    numeric = np.array([c.kind == "numeric" for c in schema.used] + [False])
    has_cut = ~np.isnan(cut)
    _demand(bool(np.all(has_cut == numeric[column])), "a test does not suit the kind of its column")
    levels = np.flatnonzero((column >= 0) & ~has_cut)
    sizes = np.zeros(len(column), np.int64)
    sizes[levels] = n_levels[column[levels]]
    good = (
        isinstance(lists, list)
        and [len(b) if type(b) is list else -1 for b in lists] == sizes[levels].tolist()
    )
    _demand(
        good and bool(np.all(sizes[levels] > 0)),
        "the branches of a test do not match the levels of its column",
    )
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    branch_of = _whole(list(chain.from_iterable(lists)), "branch", STAYS, 2**31 - 2).astype(np.int32)
    n_children = np.where(has_cut, 2, 0).astype(np.int32)
    if len(levels):
        most = np.maximum.reduceat(branch_of, start[levels])
        most += missing[levels] == most + 1  # missing rows may have a branch of their own, the last
        n_children[levels] = most + 1
        _demand(bool(np.all(most >= 1)), "a test of levels has fewer than two branches")
        _demand(int(n_children.sum()) == len(column) - 1, "the branches do not add up to the nodes")
    return n_children, start, branch_of


def _check_sums(nodes: Nodes) -> None:
    """The counts of the branches must add up to the counts above them."""
    _demand(int(nodes.counts[0].max()) > 0, "the root of the tree holds no rows")
    inner = np.flatnonzero(nodes.n_children > 0)
    if not len(inner):
        return
    below = np.add.reduceat(nodes.counts[nodes.child], nodes.first[inner], axis=0)
    wrong = np.flatnonzero(np.any(below != nodes.counts[inner], axis=1))
    if len(wrong):
        node = int(inner[wrong[0]])
        raise ModelFileError(
            f"the counts below node {node} do not add up to its own. Get the model file again."
        )


def _whole(values: Sequence[Any], what: str, low: int, high: int) -> NDArray[np.int64]:
    """Return whole numbers within a range; True, 1.0 and text are not whole numbers."""
    _demand(set(map(type, values)) <= {int}, f"a {what} is not a whole number")
    try:
        out = np.array(values, dtype=np.int64)
    except OverflowError:
        out = np.array([low - 1])
    _demand(not len(out) or bool(low <= out.min() and out.max() <= high), f"a {what} is out of range")
    return out


def _real(values: Sequence[Any], what: str, allow_nan: bool = False) -> NDArray[np.float64]:
    """Return finite numbers."""
    _demand(set(map(type, values)) <= {int, float}, f"a {what} is not a number")
    try:
        out = np.array(values, dtype=np.float64)
    except OverflowError:
        raise ModelFileError(
            f"a {what} in the tree of the model file is too large. Get the file again."
        ) from None
    _demand(not np.isinf(out).any() and (allow_nan or not np.isnan(out).any()), f"a {what} is not finite")
    return out


def _demand(holds: bool, what: str) -> None:
    """Raise one line about the tree in the file unless the condition holds."""
    if not holds:
        raise ModelFileError(f"the tree in the model file is damaged: {what}. Get the file again.")
