"""Newton's method in one call: what the kernel comes to is what asking point by point comes to."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tallystick as ts
from tallystick import kernels
from tallystick.engine import Local
from tallystick.kernels.linear import End, Landing
from tallystick.stats.design_sums import NewtonSums


class PointByPoint:
    """An engine that only sums."""

    def total(self, table, question):
        total = question.zero()
        for block in table.blocks():
            total = question.add(total, block)
        return total


class Watching(Local):
    """The local engine, which remembers how ways ended."""

    def total(self, table, question):
        found = super().total(table, question)
        if isinstance(found, Landing):
            ENDS.append(found.end)
        return found


ENDS = []


def table(seed, rows, classes, noise=1.0):
    """Rows of four numbers on different scales, levels with missing cells and a boolean."""
    rng = np.random.default_rng(seed)
    data = {f"x{j}": rng.normal(size=rows) * 10.0 ** rng.integers(-2, 3) for j in range(4)}
    data["c"] = rng.choice(np.array(["a", "b", "c", None], object), rows)
    data["b"] = rng.random(rows) < 0.3
    pull = [rng.normal(size=3) for _ in range(classes)]
    scores = [
        p[0] * data["x0"] / abs(data["x0"]).max() + p[1] * (data["c"] == "a") + p[2] * data["b"] for p in pull
    ]
    best = np.argmax(np.stack(scores) + noise * rng.gumbel(size=(classes, rows)), axis=0)
    best[:classes] = np.arange(classes)
    return {**data, "y": [f"k{v}" for v in best]}


def both(data, weight=None, **given):
    """Return the bytes of a fit in one call and point by point, or their errors. Without a trace: its weights
    are told point by point alone.
    """
    out = []
    for engine in (Watching(), PointByPoint()):
        try:
            out.append(ts.LogisticRegression(engine=engine, **given).fit(data, "y", weight).to_bytes())
        except ts.errors.TallyError as error:
            out.append((type(error), str(error)))
    return out


@pytest.mark.slow
@settings(max_examples=25)
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(12, 60),
    classes=st.integers(2, 4),
    l2=st.sampled_from([1e-10, 1e-6, 1.0, 1e4]),
    weight=st.sampled_from([1, 1_000, 30_000, 10**9]),
)
def test_one_call_stops_where_asking_point_by_point_does(seed, rows, classes, l2, weight):
    whole, steps = both(table(seed, rows, classes), np.full(rows, weight), l2=l2)
    assert whole == steps


@pytest.mark.slow
@settings(max_examples=25)
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(12, 300),
    classes=st.integers(2, 4),
    l2=st.sampled_from([0, 0.01, 1.0, "auto"]),
    how=st.sampled_from(
        [{}, {"class_weight": "balanced"}, {"standardize": False}, {"max_iter": 3}, {"interactions": 2}]
    ),
)
def test_one_call_comes_to_the_bits_of_asking_point_by_point(seed, rows, classes, l2, how):
    whole, steps = both(table(seed, rows, classes), l2=l2, **how)
    assert whole == steps


@pytest.mark.parametrize("weight", ["copies", "shares"])
def test_weights_of_rows_change_nothing_of_that(weight):
    rng = np.random.default_rng(2)
    given_ = rng.integers(0, 4, 200) if weight == "copies" else rng.random(200)
    whole, steps = both(table(1, 200, 3), weight=given_, l2=0)
    assert whole == steps


def test_every_end_of_a_way_was_met():
    """Optimum and divergence, and an end for want of steps, which is a note."""
    ENDS.clear()
    both(table(3, 150, 2), l2=1.0)
    separated = {"x": np.linspace(-1, 1.5, 40), "y": ["no"] * 20 + ["yes"] * 20}
    whole, steps = both(separated, l2=0)
    assert whole == steps
    whole, steps = both(table(3, 150, 2), l2=0.01, max_iter=2)
    assert whole == steps
    assert b"did not converge in 2 iterations" in whole
    assert {End.OPTIMUM, End.DIVERGING, End.FULL} <= set(ENDS)


def test_a_table_of_several_blocks_is_summed_block_by_block(monkeypatch):
    from tallystick.table import table as tables

    monkeypatch.setattr(tables, "BLOCK", 64)
    data = table(5, 200, 2)
    ENDS.clear()
    whole, steps = both(data, l2=1.0)
    assert whole == steps
    assert not ENDS


def test_the_question_is_small_enough_to_travel():
    import pickle

    asked = []

    class Asking(PointByPoint):
        def total(self, table, question):
            asked.append(question)
            return super().total(table, question)

    ts.LogisticRegression(engine=Asking(), l2=1.0).fit(table(5, 80, 2), "y")
    sent = [q for q in asked if isinstance(q, NewtonSums)]
    assert sent
    assert max(len(pickle.dumps(q)) for q in sent) < 20_000


# -- the decisions one by one, for rows that are only summed --


def test_a_step_that_leads_low_enough_is_kept_and_another_is_made_shorter():
    assert kernels.shorter(1.0, -2.0, (5.0, 4.0), (1.0, 2.0), 0.0) == 0.0
    assert kernels.shorter(1.0, -2.0, (5.0, 5.0), (1.0, 0.5), 0.0) == 0.0  # as high, but flatter
    assert kernels.shorter(1.0, -2.0, (5.0, 5.0), (1.0, 2.0), 0.0) == 0.5  # the foot of the parabola
    assert kernels.shorter(1.0, -2.0, (5.0, 500.0), (1.0, 2.0), 0.0) == 0.1  # and no shorter than a tenth


def test_a_way_ends_at_a_small_gradient_and_step_and_may_diverge_or_stall():
    stop = kernels.NewtonStop(np.ones(2), 1e-3, 1e-3, 1e-16, 1e-6, 0.0, 0.0, 0.5, True)
    w, none, some = np.ones(2), np.zeros(2), np.full(2, 0.4)
    assert stop.ended(w, none, none, 1) == kernels.End.OPTIMUM
    assert stop.ended(w, some, some, 1) == kernels.End.DIVERGING  # a small gradient, and still a long step
    assert stop.ended(w, none + 9, none, 0) == kernels.End.DIVERGING  # every row's own class is ahead
    assert stop.ended(w, none + 9, none, 1) is None
    tiny = np.full(2, 1e-7)
    assert stop.stalled(w, tiny, -tiny, 1e-7)
    assert not stop.stalled(w, tiny, -tiny, 1.0)  # the last step still halved it
    assert not stop.stalled(w, tiny, some, -1.0)  # a long step is left
