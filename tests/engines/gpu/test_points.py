"""The sums of logistic regression on a device, through its twin: the totals and the bytes of a processor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from gpu_twin import twin
from hypothesis import given, settings
from hypothesis import strategies as st

import tallystick as ts
from tallystick.data.schema import Column, Schema
from tallystick.data.table.table import Table
from tallystick.engines.gpu import Gpu
from tallystick.engines.gpu import points as room
from tallystick.engines.local import Local
from tallystick.kernels import Curvature, Descent
from tallystick.models.logistic.design import CodedPart, Dense, Design, Factor
from tallystick.stats.gradients import Copies, LogisticSums, NewtonSums, RowFacts, Sides

LEVELS = ("r", "s", "t")
SCHEMA = Schema(
    (
        Column("x", "numeric"),
        Column("z", "numeric"),
        Column("a", "levels", LEVELS),
        Column("b", "levels", LEVELS),
    )
)


def table(seed, rows, links, weighted):
    """Numbers with gaps, one column of singles, two of codes."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, rows)
    x[rng.random(rows) < 0.1] = np.nan
    columns = {
        "x": x,
        "z": rng.uniform(-1, 1, rows).astype(np.float32).astype(np.float64),
        "a": rng.integers(0, 5, rows).astype(np.uint8),
        "b": rng.integers(0, 5, rows).astype(np.uint16),
    }
    weights = rng.integers(0, 4, rows) if weighted else None
    classes = rng.integers(0, max(links, 2), rows).astype(np.uint8)
    return Table(SCHEMA, columns, rows, classes=classes, weights=weights)


def design(shape):
    x, z = Factor("x", "x", None, -1.0, 1.0), Factor("z", "z", None, -1.0, 1.0)
    a, b = CodedPart(SCHEMA["a"], 0), CodedPart(SCHEMA["b"], 5)
    plain = (Dense("z", (z,)), Dense("x", (x,)))
    met = Dense("x × a = r", (x, Factor("a", "a = r", 0, 0.0, 1.0)))
    return {
        "numbers": Design(plain, (), ()),
        "singles": Design((Dense("z", (z,)),), (), ()),
        "products": Design((*plain, Dense("x × z", (x, z)), met, Dense("gone", (x,), missing=True)), (), ()),
        "codes": Design((), (a, b), ()),
        "all": Design((*plain, met), (a, b), ()),
    }[shape]


def question(seed, shape, links, copies, curvature):
    own, rng = design(shape), np.random.default_rng(seed + 1)
    scaling = np.stack([rng.uniform(-0.1, 0.1, len(own.dense)), np.full(len(own.dense), 0.5)])
    theta = rng.normal(size=(own.size, links)) * rng.choice([0.0, 0.5, 300.0])
    return LogisticSums(own, scaling, theta, 38, copies, curvature)


def same(found, wanted):
    for name in ("loss", "gradient", "squares"):
        np.testing.assert_array_equal(getattr(found.sums, name), getattr(wanted.sums, name), name)


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["numbers", "singles", "products", "codes", "all"])
@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 99),
    rows=st.sampled_from([1, 7, 130, 300]),
    links=st.sampled_from([1, 3, 5]),
    weighted=st.sampled_from(["no", "copies", "factors"]),
    balanced=st.booleans(),
    curvature=st.sampled_from(list(Curvature)),
    few=st.sampled_from([0, 128]),
)
def test_the_sums_are_those_of_zero_add_and_merge(
    shape, seed, rows, links, weighted, balanced, curvature, few
):
    rows = table(seed, rows, links, weighted != "no")
    by_class = np.random.default_rng(seed).random(max(links, 2)) if balanced else None
    ask = question(seed, shape, links, Copies(weighted != "factors", 3, 2.0, by_class), curvature)
    before, room.FEW = room.FEW, few  # 0: each row adds to its cells
    try:
        with twin() as device:
            found = Gpu().total(rows, ask)
    finally:
        room.FEW = before
    assert "logistic_sums" in device.launched
    same(found, Local(1).total(rows, ask))


@pytest.mark.slow
def test_rows_that_do_not_fit_come_in_parts_and_stay_where_they_do(monkeypatch):
    monkeypatch.setattr("tallystick.engines.gpu.rows.LEAST_PART", 64)
    rows, ask = table(3, 500, 1, True), question(3, "all", 1, Copies(), Curvature.PAIRS)
    wanted = Local(1).total(rows, ask)
    with twin(memory=4096) as device:
        same(Gpu().total(rows, ask), wanted)
        assert device.launched.count("logistic_sums") > 2
    with twin() as device:
        same(Gpu().total(rows, ask), wanted)
        sent = device.sent
        same(Gpu().total(rows, ask), wanted)
        assert device.sent - sent < 4096  # weights and places, and no column again


@pytest.mark.parametrize("shape", ["numbers", "products", "codes", "all"])
def test_a_part_of_the_rows_is_chosen_on_the_device(shape):
    rows = table(6, 900, 3, True)
    rows.columns["x"][::5] = -0.0
    ask = replace(question(6, shape, 3, Copies(), Curvature.PAIRS), every=4)
    wanted = Local(1).total(rows, ask)
    with twin() as device:
        for _ in range(2):
            same(Gpu().total(rows, ask), wanted)
        assert device.launched == ["choose_rows", "logistic_sums", "logistic_sums"]
    with twin(memory=4096) as device:
        same(Gpu().total(rows, ask), wanted)


@pytest.mark.parametrize("links", [1, 3])
def test_the_sides_of_classes_are_those_of_the_processor(links):
    for shape in ("numbers", "all"):
        rows, own = table(7, 200, links, True), design(shape)
        rng = np.random.default_rng(8)
        scaling = np.stack([rng.normal(size=len(own.dense)), rng.random(len(own.dense))])
        directions = tuple(rng.normal(size=(own.size, links)) for _ in range(3))
        for ask in (
            Sides(own, scaling, directions, max(links, 2)),
            Sides(own, scaling, directions[:1], max(links, 2)),
        ):
            with twin() as device:
                found = Gpu().total(rows, ask)
            assert device.launched == ["widen_sides"]
            for a, b in zip(found, Local(1).total(rows, ask), strict=True):
                np.testing.assert_array_equal(a, b)
        rows.weights[:] = 0  # nobody is there
        with twin():
            assert np.isinf(Gpu().total(rows, ask)[0]).all()


def test_newtons_question_is_answered_with_its_sums_and_rows_are_counted():
    rows, ask = table(4, 200, 3, True), question(4, "all", 3, Copies(), Curvature.PAIRS)
    facts, wanted = RowFacts(ask.design, 3), Local(1).total(rows, ask)
    newton = NewtonSums(ask, Descent(*[0] * len(Descent.__dataclass_fields__)), ask.theta)
    with twin():
        same(Gpu().total(rows, newton), wanted)
        counted = Gpu().total(rows, facts)
    here = Local(1).total(rows, facts)
    assert counted.classes.tolist() == here.classes.tolist()
    assert counted.heaviest.tolist() == here.heaviest.tolist() == [3]


def test_what_has_no_kernel_is_summed_on_the_processor():
    rows, ask = table(5, 300, 1, False), question(5, "numbers", 1, Copies(), Curvature.NONE)
    wide = Design(tuple(replace(design("numbers").dense[0], name=f"{i}") for i in range(900)), (), ())
    asks = [
        replace(ask, design=wide, scaling=np.ones((2, 900)), theta=np.zeros((901, 1))),
    ]
    for one in asks:
        with twin() as device:
            found = Gpu().total(rows, one)
        assert device.launched == []
        same(found, Local(1).total(rows, one))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("classes", "extra"), [(2, {}), (3, {"class_weight": "balanced"}), (2, {"interactions": 2})]
)
def test_a_fit_is_the_same_bytes(classes, extra):
    rng = np.random.default_rng(classes)
    frame = pd.DataFrame(rng.normal(size=(150, 3)), columns=list("pqr"))
    frame["s"] = rng.choice(list("uvw"), 150)
    frame.loc[::9, "q"] = np.nan
    y = (frame["p"].to_numpy() + rng.normal(size=150) > 0).astype(int) + rng.integers(0, classes - 1, 150)
    for weights in (None, rng.integers(1, 4, 150), rng.random(150)):
        with twin() as device:
            found = ts.LogisticRegression(**extra, engine=Gpu()).fit(frame, y, weights)
        assert "logistic_sums" in device.launched
        assert found.to_bytes() == ts.LogisticRegression(**extra).fit(frame, y, weights).to_bytes()
