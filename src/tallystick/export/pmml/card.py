"""A card of two classes as a Scorecard: points, their reasons, and the classes that follow from the points.

Knows forms of cards. Law: the partial scores are the card's points, so the PMML reads like the card.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element

from tallystick.export.form import Data, Form
from tallystick.export.pmml.branches import NUMBER, TEXT, among, answer, between, equals, is_missing, joined
from tallystick.export.pmml.elements import Arithmetic, apply, constant, element, field, written
from tallystick.export.pmml.fields import MISSING, UNSEEN, Fields

POINTS = "points"


def scorecard(form: Form, fields: Fields) -> Element:
    """Return the model of a card of two classes."""
    sections = [_section(form, fields, number, term) for number, term in enumerate(form.terms)]
    return element(
        "Scorecard",
        fields.schema(),
        _output(form),
        *fields.computed(),
        element("Characteristics", *sections),
        functionName="regression",
        initialScore=float(form.base[1] - form.base[0]),
        useReasonCodes=True,
        reasonCodeAlgorithm="pointsBelow",
    )


def _section(form: Form, fields: Fields, number: int, term: Data) -> Element:
    best = term["best"][1]
    lines = []
    for test, said, row in _lines(form, fields, term):
        points = row[1] - row[0]
        lost = best - points
        text = f"{said}: {lost} {'point' if lost == 1 else 'points'} less than the best" if lost else ""
        lines.append(element("Attribute", test, partialScore=float(points), reasonCode=written(text)))
    name = f"{number + 1}. {term['name']}"
    return element("Characteristic", *lines, name=name, baselineScore=float(best))


def _lines(form: Form, fields: Fields, term: Data) -> Iterator[tuple[Element, str, list[int]]]:
    """Yield the test, the words and the points of each line."""
    sides = [list(_side(form, fields, side, term)) for side in term.get("pair", [term])]
    if len(sides) == 1:
        for line, test, said in sides[0]:
            yield test, said, term["table"][line]
        return
    wide = term["pair"][1]["size"]
    for line, test, said in sides[0]:
        for other, second, told in sides[1]:
            yield joined("and", [test, second]), f"{said}, {told}", term["table"][line * wide + other]


def _side(form: Form, fields: Fields, side: Data, term: Data) -> Iterator[tuple[int, Element, str]]:
    """Yield the number, the test and the words of each line of one column."""
    place = side["column"]
    name, column = fields.names[place], form.columns[place].name
    if "cuts" in side:
        cuts: list[Any] = side["cuts"]
        for line, (low, high) in enumerate(zip([None, *cuts], [*cuts, None], strict=True)):
            yield line, between(name, low, high), f"{column} {side['said'][line]}"
        yield len(side["said"]) - 1, is_missing(name), f"{column} {side['said'][-1]}"
        return
    levels = form.columns[place].levels
    lines = side.get("lines", range(len(levels) + 2))
    for code, level in enumerate(fields.categories(place)):
        yield lines[code], among(name, [level]), f"{column} = {levels[code]}"
    yield lines[-2], equals(name, MISSING), f"{column} is missing"
    yield lines[-1], equals(name, UNSEEN), f"{column} is a new level"


def _output(form: Form) -> Element:
    points = element("OutputField", name=POINTS, feature="predictedValue", **NUMBER)
    told = [
        element("OutputField", name=f"reason_{k}", feature="reasonCode", rank=k, **TEXT)
        for k in range(1, min(len(form.terms), 4) + 1)
    ]
    shift = form.shift[1] - form.shift[0] if form.shift else 0.0
    odds = Arithmetic(field(POINTS)) * form.slope + shift
    away = Arithmetic(constant(0.0)) - odds
    shares = [
        Arithmetic(constant(1.0)) / (Arithmetic(apply("exp", x.expression)) + 1.0) for x in (odds, away)
    ]
    names = [f"P({written(label)})" for label in form.labels]
    found = [
        element("OutputField", share.expression, name=name, feature="transformedValue", **NUMBER)
        for name, share in zip(names, shares, strict=True)
    ]
    return element("Output", points, *found, answer(form), *told)
