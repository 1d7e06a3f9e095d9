"""PMML as elements: what a field is made of, and arithmetic written down as expressions.

Knows XML. Knows nothing of models. Law: a text that XML cannot hold is refused in one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any
from xml.etree.ElementTree import Element, indent, tostring

from tallystick.errors import OptionError, shown

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
SPACE = "http://www.dmg.org/PMML-4_4"


def element(tag: str, *children: Element, **attributes: Any) -> Element:
    """Return an element; an attribute that is None is left out."""
    given = {name: written(value) for name, value in attributes.items() if value is not None}
    out = Element(tag, given)
    out.extend(children)
    return out


def written(value: Any) -> str:
    """Return a value as text: numbers that read back as the same bits, true and false in small letters."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(float(value))
    text = str(value)
    if found := NOT_XML.search(text):
        raise OptionError(f"{shown(text)} holds the character {shown(found[0])}, which no XML text can hold.")
    return text


def document(*children: Element) -> str:
    """Return a whole file."""
    root = element("PMML", *children, version="4.4", xmlns=SPACE)
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def field(name: str) -> Element:
    """Return a reference to a field."""
    return element("FieldRef", field=name)


def constant(value: Any) -> Element:
    """Return a constant."""
    kind = "double" if isinstance(value, float) else "integer" if isinstance(value, int) else "string"
    out = element("Constant", dataType=kind)
    out.text = written(value)
    return out


def apply(function: str, *arguments: Element) -> Element:
    """Return a function of some expressions."""
    return element("Apply", *arguments, function=function)


def derived(name: str, expression: Element, kind: str = "double") -> Element:
    """Return a field that is computed."""
    optype = "categorical" if kind == "string" else "continuous"
    return element("DerivedField", expression, name=name, optype=optype, dataType=kind)


def mapped(
    inputs: Sequence[tuple[str, str]],
    rows: Iterable[Sequence[Any]],
    kind: str = "string",
    missing: Any = None,
    other: Any = None,
) -> Element:
    """Return a value by a table. inputs: (field, column of the table); rows: the cells of the inputs, then
    the value; missing and other: the values of missing cells and of those that the table lacks.
    """
    table = element("InlineTable")
    for row in rows:
        line = element("row")
        for (_, column), cell in zip([*inputs, ("", "out")], row, strict=True):
            line.append(element(column))
            line[-1].text = written(cell)
        table.append(line)
    pairs = [element("FieldColumnPair", field=name, column=column) for name, column in inputs]
    return element(
        "MapValues",
        *pairs,
        table,
        outputColumn="out",
        dataType=kind,
        mapMissingTo=missing,
        defaultValue=other,
    )


class Arithmetic:
    """A number that arithmetic can be done with, written down as an expression."""

    def __init__(self, expression: Element) -> None:
        self.expression = expression

    def _with(self, function: str, other: Any) -> Arithmetic:
        second = other.expression if isinstance(other, Arithmetic) else constant(float(other))
        return Arithmetic(apply(function, self.expression, second))

    def __add__(self, other: Any) -> Arithmetic:
        return self._with("+", other)

    def __sub__(self, other: Any) -> Arithmetic:
        return self._with("-", other)

    def __mul__(self, other: Any) -> Arithmetic:
        return self._with("*", other)

    def __rmul__(self, other: Any) -> Arithmetic:
        return self._with("*", other)

    def __truediv__(self, other: Any) -> Arithmetic:
        return self._with("/", other)

    def floor(self, given: Arithmetic) -> Arithmetic:
        """Return the whole number below."""
        return Arithmetic(apply("floor", given.expression))
