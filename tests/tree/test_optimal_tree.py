"""The optimal tree as a user meets it: known optima, limits, the model file, refusals."""

from __future__ import annotations

import signal
import threading
import warnings

import numpy as np
import pandas as pd
import pytest
from shared_tables import needs_data, shared

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.estimator.base import from_data
from tallystick.tree.optimal import guarded_optimal

XOR = [{"a": a, "b": b, "y": "odd" if a != b else "even"} for a in (0, 1) for b in (0, 1)]
KNOWN = {  # errors at depth 2 and 3, of the numeric columns with 0 for missing
    "glass/glass": (71, 45),
    "ionosphere/ionosphere": (29, 19),
    "page-blocks/page.blocks": (253, 168),
    "pima-diabetes/diabetes": (171, 151),
    "segment/segment": (990, 278),
    "sonar/sonar": (32, 14),
    "spambase/spambase": (586, None),
}


def hard_rows(rows=400, columns=8, seed=1):
    """Rows that no small tree tells apart, so that a search is long."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(rows, columns)), columns=[f"c{j}" for j in range(columns)])
    return frame, rng.choice(["a", "b"], rows)


def test_exclusive_or_takes_four_leaves():
    tree = ts.DecisionTree.optimal().fit(XOR, "y")
    assert (tree.get_n_leaves(), tree.get_depth(), tree.score(XOR, "y")) == (4, 2, 1.0)
    assert str(tree.certificate_) == "no tree of depth 3 makes fewer than 0 errors; this one makes 0."
    assert "Certificate: no tree of depth 3" in str(tree)


@pytest.mark.slow
@needs_data
@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("depth", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_published_optima_are_found(name, depth):
    if KNOWN[name][depth - 2] is None:
        pytest.skip("not published")
    frame = pd.read_csv(shared(name), na_values=["?"])
    numbers = frame.iloc[:, :-1].select_dtypes("number").fillna(0)
    tree = ts.DecisionTree.optimal(max_depth=depth, kinds=dict.fromkeys(numbers, "numeric"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree.fit(numbers, frame.iloc[:, -1].astype(str))
    assert tree.certificate_.proven
    assert tree.certificate_.loss == KNOWN[name][depth - 2]


def test_a_leaf_that_saves_no_more_than_its_price_is_not_there():
    frame, target = hard_rows(60, 2)
    sizes = [ts.OptimalTree(max_depth=2, leaf_price=p).fit(frame, target).get_n_leaves() for p in (0, 3, 60)]
    assert sizes[0] >= sizes[1] >= sizes[2] == 1


def test_whole_weights_are_copies():
    frame, target = hard_rows(30, 3)
    weights = np.random.default_rng(0).integers(0, 4, 30)
    one = ts.OptimalTree(max_depth=2).fit(frame, target, weights)
    many = ts.OptimalTree(max_depth=2).fit(frame.loc[frame.index.repeat(weights)], np.repeat(target, weights))
    assert one.to_dict()["model"] == many.to_dict()["model"]


@pytest.mark.slow
def test_a_limit_of_work_gives_the_same_bytes_whatever_the_threads_and_the_order():
    frame, target = hard_rows()
    order = np.random.default_rng(5).permutation(len(frame))
    given = [(frame, target, 1), (frame, target, 3), (frame.iloc[order], target[order], 2)]
    files = {ts.OptimalTree(max_work=2_000_000, threads=n).fit(x, y).to_bytes() for x, y, n in given}
    assert len(files) == 1
    (found,) = (from_data(data) for data in files)
    assert found.certificate_.ended == "max_work"
    assert found.certificate_.bound < found.certificate_.found
    assert [n.code for n in found.notes_] == ["not-proven"]


def test_a_clock_that_does_not_run_out_leaves_no_trace():
    frame, target = hard_rows(40, 2)
    plain = ts.OptimalTree(max_depth=2).fit(frame, target)
    assert ts.OptimalTree(max_depth=2, seconds=600).fit(frame, target).to_bytes() == plain.to_bytes()


@pytest.mark.slow
def test_what_the_clock_cuts_off_is_noted_as_not_reproducible():
    frame, target = hard_rows(2000, 20)
    tree = ts.OptimalTree(max_depth=5, seconds=0.2).fit(frame, target)
    assert tree.certificate_.ended == "seconds"
    assert not tree.certificate_.reproducible
    assert "Another run may give another tree" in tree.notes_[-1].text
    assert tree.score(frame, target) == pytest.approx(1 - tree.certificate_.loss / 2000)


def test_an_interrupt_gives_the_best_tree_so_far():
    frame, target = hard_rows(2000, 20)
    seen = []

    def press(work, limit, what=""):
        if what:
            seen.append(what)
            signal.raise_signal(signal.SIGINT)

    tree = ts.OptimalTree(max_depth=4, engine=ts.Local(threads=2, progress=press))
    timer = threading.Timer(60, signal.raise_signal, (signal.SIGINT,))  # should nothing be told
    timer.start()
    tree.fit(frame, target)
    timer.cancel()
    assert tree.certificate_.ended == "interrupted"
    assert tree.certificate_.bound < tree.certificate_.found
    assert seen[0].startswith("best ")
    assert "bound" in seen[0]


def test_progress_of_two_numbers_is_enough():
    calls = []
    ts.OptimalTree(engine=ts.Local(progress=lambda done, total: calls.append((done, total)))).fit(XOR, "y")
    assert calls


def test_the_file_keeps_the_certificate():
    frame, target = hard_rows(40, 2)
    tree = ts.DecisionTree.optimal(max_depth=2, leaf_price=1, class_weight={"a": 2}).fit(frame, target)
    again = from_data(tree.to_bytes())
    assert again.to_bytes() == tree.to_bytes()
    assert again.certificate_ == tree.certificate_
    assert tree.certificate_.measure == "weighted errors"
    assert repr(again) == "OptimalTree(class_weight={'a': 2.0}, leaf_price=1.0, max_depth=2)"


def test_a_tree_not_grown_refuses_what_growing_explains():
    tree = ts.OptimalTree().fit(XOR, "y")
    for name in ("prune", "pruning_path"):
        with pytest.raises(OptionError, match="is not pruned"):
            getattr(tree, name)
    with pytest.raises(OptionError, match="chosen together"):
        tree.splits()


@pytest.mark.slow
def test_compare_may_include_it():
    frame, target = hard_rows(60, 2)
    found = ts.compare(frame, target, methods=["tree", "optimal"], folds=3)
    assert "optimal" in str(found)


def test_leaves_of_one_row_are_not_shown_to_anybody():
    frame, target = hard_rows(40, 2)
    tree = ts.OptimalTree()
    table = tree._read(frame, target)
    guarded = guarded_optimal(tree._fit_table(table), table)
    assert guarded.model_.rows.sum(axis=1).min() > 1
