"""Models that add up parts as a RegressionModel: the scores of the classes, made shares by softmax; or a
number.

Knows forms. What a missing value adds is a part like any other: fields of categories have one for missing
cells and one for levels never seen, and a missing number is 0 beside a field that says so.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import Element

from tallystick.export.form import Data, Form
from tallystick.export.pmml.branches import answer, output_of, probabilities
from tallystick.export.pmml.elements import Arithmetic, apply, constant, element, field, mapped
from tallystick.export.pmml.fields import MISSING, UNSEEN, Fields

MOST = sys.float_info.max
BOUND = 1e300  # of a part: sums beyond all doubles are no numbers


def regression_model(form: Form, fields: Fields) -> Element:
    """Return the model of base and terms."""
    writer = _Terms(form, fields)
    for number, term in enumerate(form.terms):
        writer.add(number, term)
    writer.sum_up()
    tables = [writer.table(k) for k in range(len(form.base))]
    output = element("Output", *probabilities(form), answer(form)) if form.labels else output_of(form)
    softmax = {"normalizationMethod": "softmax"} if form.labels else {}
    function = "classification" if form.labels else "regression"
    body = (fields.schema(), output, *fields.computed(), *tables)
    return element("RegressionModel", *body, functionName=function, **softmax)


class _Terms:
    """What is added to the score of each class: numbers with their weight, categories with theirs."""

    def __init__(self, form: Form, fields: Fields) -> None:
        self.form, self.fields = form, fields
        count = len(form.base)
        self.start = [float(b) for b in form.base]
        self.numbers: list[list[tuple[str, float]]] = [[] for _ in range(count)]
        self.levels: list[list[tuple[str, str, float]]] = [[] for _ in range(count)]
        self.squares = any("mean" in term for term in form.terms)
        self.sums: list[str] = []

    def sum_up(self) -> None:
        """Add fields of the scores where they are needed as a whole: a calibrated model scales them, so that
        equal sums stay equal; where squares leave every class impossible, the prior answers.
        """
        if not self.form.shift and not self.squares:
            return
        for k, start in enumerate(self.start):
            total = Arithmetic(constant(float(start)))
            for name, weight in self.numbers[k]:
                if weight:
                    total = total + (
                        Arithmetic(field(name)) * weight if weight != 1.0 else Arithmetic(field(name))
                    )
            self.sums.append(self.fields.more(f"score_{k}", total.expression))
        if self.squares:
            lost = [apply("lessThan", field(name), constant(-MOST)) for name in self.sums]
            said = apply("if", apply("and", *lost), constant(1.0), constant(0.0))
            none = self.fields.more("impossible", said)
            for k, name in enumerate(self.sums):
                told = apply("equal", field(none), constant(1.0))
                answer = apply("if", told, constant(float(self.form.base[k])), field(name))
                self.sums[k] = self.fields.more(f"answer_{k}", answer)

    def table(self, k: int) -> Element:
        """Return the score of a class."""
        form = self.form
        of = {"targetCategory": form.labels[k]} if form.labels else {}
        numbers = [(name, weight) for name, weight in self.numbers[k] if weight]
        start, shift = float(self.start[k]), 0.0
        if self.sums:
            numbers = [(self.sums[k], form.slope)]
            start, shift = 0.0, form.shift[k] if form.shift else 0.0
        parts = [element("NumericPredictor", name=n, coefficient=float(w)) for n, w in numbers]
        parts += [
            element("CategoricalPredictor", name=n, value=v, coefficient=float(w))
            for n, v, w in self.levels[k]
            if w
        ]
        return element("RegressionTable", *parts, intercept=start + shift, **of)

    def add(self, number: int, term: Data) -> None:
        """Add the parts of a term."""
        if "factors" in term:
            self._product(number, term)
        elif "pair" in term:
            self._pair(number, term)
        elif "cuts" in term:
            lines = list(map(str, range(len(term["table"]))))
            self._categories(self._lines(f"{number}_range", term, term), lines, term["table"])
        elif "table" in term:
            levels = [*self.fields.categories(term["column"]), MISSING, UNSEEN]
            self._categories(self.fields.names[term["column"]], levels, term["table"])
        elif "mean" in term:
            self._normal(number, term)
        else:
            self._linear(number, term)

    def _number(self, name: str, weights: Any) -> None:
        for k, weight in enumerate(weights):
            self.numbers[k].append((name, float(weight)))

    def _categories(self, name: str, values: Sequence[str], table: list[list[float]]) -> None:
        """Add a field of categories; as a number where scores are fields (`sum_up`)."""
        for k in range(len(self.form.base)):
            parts = [(value, float(row[k])) for value, row in zip(values, table, strict=True)]
            if not self.form.shift and not self.squares:
                self.levels[k] += [(name, value, part) for value, part in parts]
            elif any(part for _, part in parts):
                made = self.fields.more(f"part_{k}", mapped([(name, "value")], parts, "double"))
                self.numbers[k].append((made, 1.0))

    def _lines(self, name: str, side: Data, term: Data) -> str:
        """Add a field with the line of a number or of a level, as text."""
        source = self.fields.names[side["column"]]
        if "cuts" not in side:
            levels = [*self.fields.categories(side["column"]), MISSING, UNSEEN]
            rows = [(level, str(line)) for level, line in zip(levels, side["lines"], strict=True)]
            return self.fields.more(name, mapped([(source, "level")], rows), "string")
        cuts = side["cuts"]
        bins = []
        for line, (low, high) in enumerate(zip([None, *cuts], [*cuts, None], strict=True)):
            ends = {"leftMargin": low, "rightMargin": high}
            margin = {key: float(end) for key, end in ends.items() if end is not None}
            interval = element("Interval", closure="closedOpen", **margin)
            bins.append(element("DiscretizeBin", interval, binValue=line))
        gone = len(cuts) + 1 if "size" in side else len(term["table"]) - 1
        made = element("Discretize", *bins, field=source, mapMissingTo=gone, dataType="string")
        return self.fields.more(name, made, "string")

    def _pair(self, number: int, term: Data) -> None:
        first, second = term["pair"]
        sides = [self._lines(f"{number}_side_{i}", side, term) for i, side in enumerate((first, second))]
        wide = second["size"]
        for k in range(len(self.form.base)):
            rows = [(i // wide, i % wide, float(row[k])) for i, row in enumerate(term["table"])]
            if any(points for _, _, points in rows):
                made = mapped([(sides[0], "first"), (sides[1], "second")], rows, "double")
                self.numbers[k].append((self.fields.more(f"{number}_pair_{k}", made), 1.0))

    def _normal(self, number: int, term: Data) -> None:
        source = self.fields.names[term["column"]]
        parts = zip(term["mean"], term["half"], term["constant"], strict=True)
        for k, (mean, half, top) in enumerate(parts):
            away = Arithmetic(field(source)) - mean
            part = Arithmetic(constant(float(top))) - away * away * half
            made = self._known(source, part.expression, 0.0)
            self.numbers[k].append((self.fields.more(f"{number}_normal_{k}", made), 1.0))

    def _known(self, source: str, value: Element, missing: float) -> Element:
        """Return a value where a number is known, else another."""
        return apply("if", apply("isMissing", field(source)), constant(missing), value)

    def _linear(self, number: int, term: Data) -> None:
        source = self.fields.names[term["column"]]
        most = BOUND / max(1.0, *(abs(slope) for slope in term["slope"]))
        value = apply("max", constant(-most), apply("min", constant(most), field(source)))
        known = self.fields.more(f"{number}_number", self._known(source, value, 0.0))
        gone = self.fields.more(f"{number}_gone", self._known(source, constant(0.0), 1.0))
        self._number(known, term["slope"])
        self._number(gone, [m - z for m, z in zip(term["missing"], term["at_zero"], strict=True)])
        for k, start in enumerate(term["at_zero"]):
            self.start[k] += start

    def _product(self, number: int, term: Data) -> None:
        product: Element | None = None
        numbers = []
        for column, code in term["factors"]:
            name = self.fields.names[column]
            factor = field(name)
            if code is None:
                numbers.append(name)
            else:
                held = apply("equal", factor, constant(self.fields.categories(column)[code]))
                factor = apply("if", held, constant(1.0), constant(0.0))
            product = factor if product is None else apply("*", product, factor)
        assert product is not None
        for name in numbers:
            product = self._known(name, product, float(term["centre"]))
        whole = self.fields.more(f"{number}_product", product)
        if len(numbers) < 2:
            self._number(whole, term["slope"])
            return
        for k, slope in enumerate(term["slope"]):  # beyond all doubles, as the model bounds it
            if slope:
                part = apply("*", field(whole), constant(float(slope)))
                part = apply("max", constant(-BOUND), apply("min", constant(BOUND), part))
                self.numbers[k].append((self.fields.more(f"{number}_product_{k}", part), 1.0))
