"""Colours of classes: a colour is one class, and grey the others."""

from __future__ import annotations

from types import SimpleNamespace

from tallystick.draw.svg import PALETTE
from tallystick.reports.context import OTHERS, class_colours


def of(rows):
    labels = tuple(f"c{k}" for k in range(len(rows)))
    parts = [SimpleNamespace(label=label, rows=n) for label, n in zip(labels, rows, strict=True)]
    return SimpleNamespace(labels=labels, description=SimpleNamespace(classes=parts))


def test_no_two_classes_share_a_colour_and_the_rare_ones_are_grey():
    assert class_colours(of([5, 1])) == list(PALETTE[:2])
    many = class_colours(of(range(20)))
    assert many[:13] == [OTHERS] * 13
    assert len(set(many[13:])) == 7
    assert OTHERS not in many[13:]
