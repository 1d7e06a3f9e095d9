"""The door to growing trees: a tree of six rows, the split of a table, rows on their way down."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick.kernels.trees import GrowColumn, Grower, GrowRules, Judge, Walk

X = GrowColumn("numeric", np.array([1.0, 2.0, 3.0, 10.0, 11.0, 12.0]))
LABELS = np.array([0, 0, 0, 1, 1, 1], np.uint8)


def grown(columns=(X,), labels=LABELS, **rules):
    grower = Grower(columns, range(len(columns)), GrowRules(**rules), classes=2, labels=labels)
    grower.run()
    return grower.arrays()


def test_a_number_is_cut_halfway_between_the_classes():
    arrays = grown()
    assert arrays["column"].tolist() == [0, -1, -1]
    assert arrays["cut"][0] == 6.5
    assert arrays["counts"].tolist() == [[3, 3], [3, 0], [0, 3]]


def test_growing_in_steps_is_growing_at_once():
    grower = Grower((X,), [0], GrowRules(), classes=2, labels=LABELS)
    grower.prepare(0)
    more = grower.start()
    while more:
        grower.look()
        grower.advance()
        more = grower.choose()
        if more:
            grower.part()
            grower.settle()
    grower.work()
    found, whole = grower.arrays(), grown()
    assert found.keys() == whole.keys()
    assert all(found[name].tobytes() == whole[name].tobytes() for name in whole)


@pytest.mark.parametrize("small", [16_384, 32])
def test_a_tree_of_too_many_nodes_is_given_up_and_one_that_has_just_as_many_is_not(small):
    rng = np.random.default_rng(3)
    column, labels = GrowColumn("numeric", rng.random(2_000)), rng.integers(0, 2, 2_000).astype(np.uint8)

    def grow(most):
        given = {"classes": 2, "labels": labels, "small": small, "most_nodes": most}
        grower = Grower((column,), [0], GrowRules(), **given)
        grower.run()
        return grower

    whole = grow(10**9)
    many = whole.nodes
    assert many == len(whole.arrays()["column"]) > 1_000
    just = grow(many)
    assert (just.nodes, len(just.arrays()["column"])) == (many, many)
    assert grow(many - 1).nodes > many - 1
    with pytest.raises(ValueError, match="was given up"):
        grow(many - 1).arrays()
    if small > 2_000:  # one split after the other
        assert grow(100).nodes <= 102


def test_where_the_orders_lie_changes_no_byte():
    rng = np.random.default_rng(5)
    n = 3_000
    many = rng.normal(size=n)
    many[::7] = np.nan
    cells = {
        "many": many,
        "single": rng.normal(size=n).astype(np.float32),
        "few": np.round(rng.normal(size=n), 1),  # told by codes, which lie where the order would
        "whole": rng.integers(0, 50, n).astype(float),
        "large": rng.integers(0, 9_000, n).astype(float),
    }
    columns = [GrowColumn("numeric", values) for values in cells.values()]
    columns.insert(2, GrowColumn("levels", rng.integers(0, 5, n).astype(np.uint8), 5))
    labels = (np.nan_to_num(many) + cells["few"] > rng.normal(size=n)).astype(np.uint8)
    made = []

    def room(shape, dtype):
        made.append(np.full(shape, 7, dtype))
        return made[-1]

    found = []
    for where in (None, room):
        grower = Grower(
            columns, range(len(columns)), GrowRules(), classes=2, labels=labels, small=64, room=where
        )
        grower.run()
        found.append(grower.arrays() | grower.harvest().tried())
    assert made[0].shape == (5, n)
    assert ((made[0] != 7).mean(axis=1) > 0.4).all()  # codes take half the bytes of an order
    assert all(found[0][name].tobytes() == found[1][name].tobytes() for name in found[0])


def test_large_nodes_of_many_numbers_are_grown_as_small_ones_are():
    rng = np.random.default_rng(6)
    n = 9_001
    cells = [rng.normal(size=n), rng.normal(size=n).round(4), rng.normal(size=n).astype(np.float32)]
    assert all(
        len(np.unique(values)) > 4_096 for values in cells
    )  # with fewer, large nodes are told by codes
    cells[0][::7] = np.nan
    labels = (np.nan_to_num(cells[0]) + cells[1] * cells[2] > rng.normal(size=n)).astype(np.uint8)
    columns = [GrowColumn("numeric", values) for values in cells]
    columns.append(GrowColumn("levels", rng.integers(0, 90, n).astype(np.uint8), 90))
    found = []
    for small in (n, 200):
        grower = Grower(columns, range(4), GrowRules(), classes=2, labels=labels, small=small)
        grower.run()
        found.append(grower.arrays() | grower.harvest().tried())
    assert len(found[0]["column"]) > 1_000
    assert all(found[0][name].tobytes() == found[1][name].tobytes() for name in found[0])


@pytest.mark.parametrize("rules", [{"max_depth": 0}, {"min_leaf": 4}, {"min_split": 7}])
def test_a_rule_that_forbids_the_split_leaves_a_leaf(rules):
    assert grown(**rules)["column"].tolist() == [-1]


def test_levels_are_split_in_two_groups_or_one_branch_each():
    codes = GrowColumn("levels", np.array([0, 1, 1, 2, 2, 2], np.uint8), 3)
    two = grown((codes,), groups=True)
    assert len(two["column"]) == 3
    assert len(grown((codes,), groups=False)["column"]) == 4


def test_a_table_of_counts_is_judged_as_the_rows_are():
    codes = GrowColumn("ordered", np.zeros(0, np.uint8), 2)
    table = np.array([[3, 0, 3], [0, 3, 3], [0, 0, 0]], np.int64)  # weight of each class, then rows
    judge = Judge((codes,), [0], GrowRules(), 2, heavy=6, rows=6)
    found = judge.judge(np.array([3, 3, 6]), [table], depth=0)
    assert found["column"].tolist() == [0]
    assert found["gain"].tolist() == [1.0]  # one bit: the classes are told apart
    with pytest.raises(ValueError, match="tables must have shape"):
        judge.judge(np.array([3, 3, 6]), [table[:2]], depth=0)


def test_rows_go_down_to_their_leaf_and_infinity_is_noticed():
    ints = {"column": np.array([0, -1, -1], np.int32), "missing": np.array([1, 0, 0], np.int32)}
    walk = Walk(
        ints["column"],
        np.array([6.5, np.nan, np.nan]),
        np.zeros(3, np.int64),
        np.arange(1, 3),
        np.zeros(4, np.int64),
        np.zeros(0, np.int32),
        ints["missing"],
    )
    ends, infinite = walk.ends([np.array([6.4, 6.5, np.nan])], 3)
    assert ends.tolist() == [1, 2, 2]  # x < cut goes to the first branch, missing to the second
    assert not infinite
    assert walk.ends([np.array([np.inf])], 1)[1]


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match="criterion must be one of"):
        GrowRules(criterion="luck")
    with pytest.raises(ValueError, match="give either labels or response"):
        Grower((X,), [0], GrowRules(), classes=2)
    with pytest.raises(ValueError, match="kind must be one of"):
        grown((GrowColumn("words", X.cells),))
    with pytest.raises(TypeError, match="cells must be float32 or float64 of 6 rows"):
        grown((GrowColumn("numeric", LABELS),))
    with pytest.raises(ValueError, match=r"labels must have shape \(6\); found \(5,\)"):
        grown(labels=LABELS[:5])


@pytest.mark.slow
@pytest.mark.parametrize("criterion", ["entropy", "gini"])
@pytest.mark.parametrize(("classes", "missing", "least"), [(2, 0, 1), (2, 40, 9), (3, 25, 1), (4, 0, 200)])
def test_the_best_of_many_cuts_is_the_best_of_all_their_pieces(criterion, classes, missing, least):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        levels = int(rng.integers(300, 3_000))
        drift = np.linspace(0, rng.uniform(0, 0.6), levels)  # a clear best cut, or none
        rows = rng.integers(0, 4, (levels, classes))
        rows[:, 0] += (rng.random(levels) < drift).astype(np.int64) * 2
        rows[rows.sum(axis=1) == 0, 1] = 1
        table = np.concatenate([rows, rng.multinomial(missing, [1 / classes] * classes)[None]])
        table = np.ascontiguousarray(np.column_stack([table, table.sum(axis=1)]), np.int64)
        total, heavy = table.sum(axis=0), int(table[:, -1].sum())
        rules = GrowRules(criterion=criterion, min_leaf=least)
        judge = Judge([GrowColumn("numeric", np.empty(0, np.uint8))], [0], rules, classes, heavy, heavy)
        assert judge.best_cut(total, table) == best_of_pieces(judge, total, table)


def best_of_pieces(judge, total, table):
    """The best cut of a table, found in pieces that have so few cuts that each is scored."""
    found, cuts, levels = None, 0, len(table) - 1
    for start in range(0, levels - 1, 100):
        end = min(start + 100, levels - 1)
        first, rest = table[: start + 1].sum(axis=0), table[end:-1].sum(axis=0)
        piece = np.concatenate([first[None], table[start + 1 : end], rest[None], table[-1:]])
        at, key, side, count = judge.best_cut(total, np.ascontiguousarray(piece))
        cuts += count
        if at and (found is None or key > found[1]):
            found = start + at, key, side
    return (*found, cuts) if found else (0, 0, 0, cuts)


def weights_of_rows(kind, labels, rng):
    """What rows weigh in scores and in counts."""
    if kind == "ones":
        return None, None
    by_class = np.array([9_000, 65_535, 0, 31, 12, 1, 8])[labels]
    if kind == "classes":
        return by_class, None
    parts = rng.integers(0, 2**20, len(labels))
    return (parts, parts) if kind == "parts" else (parts * by_class, parts)


@pytest.mark.slow
@pytest.mark.parametrize("criterion", ["entropy", "gini"])
@pytest.mark.parametrize("weights", ["ones", "classes", "parts", "both"])
@pytest.mark.parametrize("classes", [2, 3, 7])
def test_the_best_cut_of_a_run_is_the_best_of_all_its_cuts(criterion, weights, classes):
    for seed, rows in enumerate([40, 300, 300, 3_000, 3_000, 9_000]):
        rng = np.random.default_rng([seed, classes])
        labels = rng.integers(0, classes, rows).astype(np.uint8)
        values = rng.normal(size=rows) + labels * rng.choice([0.0, 0.02, 0.5])
        if seed % 2:
            values = np.round(values, 1)
        values[rng.random(rows) < 0.1 * (seed % 3)] = np.nan
        score, counted = weights_of_rows(weights, labels, rng)
        cells = [np.ones(rows, np.int64) if w is None else w for w in (score, counted)]
        distinct, codes = np.unique(values[~np.isnan(values)], return_inverse=True)
        place = np.full(rows, len(distinct))
        place[~np.isnan(values)] = codes
        table = np.zeros((len(distinct) + 1, classes + 1), np.int64)
        np.add.at(table, (place, labels.astype(np.int64)), cells[0])
        np.add.at(table, (place, classes), cells[1])
        total, least = table.sum(axis=0), int(cells[1].mean()) * [1, 20][seed % 2]
        rules = GrowRules(criterion=criterion, min_leaf=least, max_depth=1, min_split=2)
        column = GrowColumn("numeric", values)
        grower = Grower(
            [column], [0], rules, classes=classes, labels=labels, score_weights=score, row_weights=counted
        )
        grower.run()
        heavy = int(total[:-1].sum()), int(total[-1])
        judge = Judge([GrowColumn("numeric", np.empty(0, np.uint8))], [0], rules, classes, *heavy)
        at, _, side, _ = best_of_pieces(judge, total, table)
        arrays = grower.arrays()
        assert (arrays["column"][0] == 0) == (at > 0)
        if 0 < at < len(distinct):
            assert distinct[at - 1] < arrays["cut"][0] <= distinct[at]
            assert not (place == len(distinct)).any() or arrays["missing"][0] == side
