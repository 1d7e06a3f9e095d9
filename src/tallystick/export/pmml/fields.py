"""The columns of a model as fields of PMML: given ones, and what the model reads of them.

Knows forms. A level is a category of a field that a table makes of all spellings; what the table lacks is
missing, or the category of levels never seen where the model tells them from missing ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from tallystick.data.dates import MILLISECONDS, WEEKDAYS, civil
from tallystick.data.schema import Column
from tallystick.export.form import Form
from tallystick.export.onnx import known_texts
from tallystick.export.pmml.elements import Arithmetic, apply, constant, derived, element, field, mapped
from tallystick.export.sql.names import alias, own_word

MISSING, UNSEEN = "(missing)", "(never seen)"


class Fields:
    """The fields of one model. apart: whether missing cells and levels never seen are categories too."""

    def __init__(self, form: Form, apart: bool) -> None:
        self.form, self.apart = form, apart
        self.own = own_word([*form.given, form.target])
        self.names = [self._name(i, c) for i, c in enumerate(form.columns)]
        self.made = [self._derived(i, c) for i, c in enumerate(form.columns) if self.names[i] != c.cells]

    def _name(self, place: int, column: Column) -> str:
        plain = column.kind == "numeric" and not column.part
        return column.cells if plain else alias(self.own, place, column.name)

    def more(self, name: str, expression: Element, kind: str = "double") -> str:
        """Add a computed field, and return its name."""
        whole = f"{self.own}_{name}_{len(self.made)}"
        self.made.append(derived(whole, expression, kind))
        return whole

    # -- given --

    def dictionary(self) -> Element:
        """Return the fields that a row has, and the target."""
        form = self.form
        by_cells = {c.cells: c for c in form.columns}
        fields = [self._given(by_cells[name]) for name in form.given]
        values = [element("Value", value=label) for label in form.labels]
        kind = {"optype": "categorical", "dataType": "string"}
        if not form.labels:
            kind = {"optype": "continuous", "dataType": "double"}
        target = element("DataField", *values, name=form.target, **kind)
        return element("DataDictionary", *fields, target, numberOfFields=len(fields) + 1)

    def _given(self, column: Column) -> Element:
        number = column.kind == "numeric" or bool(column.part)
        marks: Sequence[object] = self.form.sentinels if number else self.form.marks
        gone = [element("Value", value=mark, property="missing") for mark in marks]
        kind = {"optype": "continuous", "dataType": "double"}
        if not number:
            kind = {"optype": "categorical", "dataType": "string"}
        return element("DataField", *gone, name=column.cells, **kind)

    def schema(self) -> Element:
        """Return which fields are read, and which one is answered."""
        fields = [element("MiningField", name=n, invalidValueTreatment="asIs") for n in self.form.given]
        target = element("MiningField", name=self.form.target, usageType="target")
        return element("MiningSchema", *fields, target)

    def computed(self) -> list[Element]:
        """Return the fields that are computed, if there are any."""
        return [element("LocalTransformations", *self.made)] if self.made else []

    # -- read --

    def categories(self, place: int) -> list[str]:
        """Return the category of each level of a column; a level that a list of PMML cannot hold has its
        number.
        """
        levels = self.form.columns[place].levels
        taken = {MISSING, UNSEEN, *levels}
        out = []
        for code, level in enumerate(levels):
            name = level
            if any(c in level for c in '"\\\n\r\t') or level in (MISSING, UNSEEN):
                name = f"level {code}"
                while name in taken:
                    name += "_"
            out.append(name)
        return out

    def _derived(self, place: int, column: Column) -> Element:
        name = self.names[place]
        if column.part:
            return self._part(name, column)
        codes, levels = known_texts(self.form, column), self.categories(place)
        marks = {*self.form.marks, *column.marks}
        texts = {t: c for t, c in codes.items() if t.strip() and t not in marks and c < len(levels)}
        gone = codes[""]
        missing = levels[gone] if gone < len(levels) else MISSING if self.apart else None
        rows = [(text, levels[code]) for text, code in texts.items()]
        other = UNSEEN if self.apart else None
        return derived(name, mapped([(column.cells, "text")], rows, "string", missing, other), "string")

    def _part(self, name: str, column: Column) -> Element:
        """Return a part of days since 1970-01-01, as data/dates.py counts; a weekday by its name."""
        x = Arithmetic(field(column.cells))
        clock = x * MILLISECONDS + 0.5  # its floor is beyond the integers of evaluators, and not needed
        day = x.floor(clock / MILLISECONDS)
        known = apply("isNotMissing", field(column.cells))  # no evaluator has to take floor of nothing
        if column.part == "hour":
            hour = x.floor((clock - day * MILLISECONDS) / 3_600_000.0)
            return derived(name, apply("if", known, hour.expression))
        if column.part != "weekday":
            found: Arithmetic = civil(day, x)[0 if column.part == "year" else 1]
            return derived(name, apply("if", known, found.expression))
        since = day + 3.0
        number = (since - x.floor(since / 7.0) * 7.0).expression
        text: Element = constant(WEEKDAYS[-1])
        for at, weekday in reversed(list(enumerate(WEEKDAYS[:-1]))):
            here = apply("lessThan", number, constant(at + 0.5))
            text = apply("if", here, constant(weekday), text)
        missing = [constant(MISSING)] if self.apart else []
        return derived(name, apply("if", known, text, *missing), "string")
