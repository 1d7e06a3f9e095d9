"""Export of a model as PMML 4.4: a TreeModel, a RegressionModel or a Scorecard.

Parts: XML elements and arithmetic; fields for columns; trees and rules; cards of two classes; additive
models; the document. Entry: `pmml()`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from xml.etree.ElementTree import Element, indent, tostring

from tallystick import __version__
from tallystick.errors import OptionError, shown
from tallystick.export.form import Data, Form, best
from tallystick.export.heading import LanguageLimits, heading
from tallystick.export.onnx import known_texts
from tallystick.export.sql import alias, own_word
from tallystick.schema import Column
from tallystick.text import MILLISECONDS, WEEKDAYS, civil

# ---- XML elements of PMML, and arithmetic as expressions ----
#
# Law: a text that XML cannot hold is refused in one line.


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


# ---- columns as fields of PMML: given ones, and derived ones that the model reads ----
#
# A level is a category of a field that a table makes of all spellings; what the table lacks is missing, or
# the category of levels never seen where the model distinguishes them from missing ones.


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
            words: Element = constant(WEEKDAYS[-1])
            for at, weekday in reversed(list(enumerate(WEEKDAYS[:-1]))):
                here = apply("lessThan", number, constant(at + 0.5))
                words = apply("if", here, constant(weekday), words)
            absent = [constant(MISSING)] if self.apart else []
            return derived(name, apply("if", known, words, *absent), "string")
        codes, levels = known_texts(self.form, column), self.categories(place)
        marks = {*self.form.marks, *column.marks}
        texts = {t: c for t, c in codes.items() if t.strip() and t not in marks and c < len(levels)}
        gone = codes[""]
        missing = levels[gone] if gone < len(levels) else MISSING if self.apart else None
        rows = [(text, levels[code]) for text, code in texts.items()]
        other = UNSEEN if self.apart else None
        return derived(name, mapped([(column.cells, "text")], rows, "string", missing, other), "string")


# ---- trees and rules as a TreeModel: a rule is a branch of the root, and the first true one answers ----
#
# Law: where a missing value goes is said by the branch itself, so no evaluator has to guess.


TEXT = {"optype": "categorical", "dataType": "string"}
NUMBER = {"optype": "continuous", "dataType": "double"}


def tree_model(form: Form, fields: Fields) -> Element:
    """Return the model of a tree, or of rules."""
    writer = _Tests(form, fields)
    root = writer.tree() if form.is_tree else writer.rules()
    return element(
        "TreeModel",
        fields.schema(),
        output_of(form),
        *fields.computed(),
        root,
        functionName="classification" if form.labels else "regression",
        splitCharacteristic="multiSplit",
        missingValueStrategy="none",
        noTrueChildStrategy="returnLastPrediction",
    )


def output_of(form: Form) -> Element:
    """Return the answer and the probability of each class as outputs."""
    kind = TEXT if form.labels else NUMBER
    answer = element("OutputField", name="prediction", feature="predictedValue", **kind)
    return element("Output", answer, *probabilities(form))


def probabilities(form: Form) -> list[Element]:
    """Return the probability of each class as an output."""
    return [
        element("OutputField", name=f"P({written(label)})", feature="probability", value=label, **NUMBER)
        for label in form.labels
    ]


def answer(form: Form) -> Element:
    """Return the answer from the probabilities: the most probable class, or the one of least expected cost;
    of equals the first, where evaluators may take another.
    """
    shares = [field(f"P({written(label)})") for label in form.labels]
    worth = shares
    if form.costs:
        worth = []
        for place in range(len(form.labels)):
            total = Arithmetic(constant(0.0))
            for share, row in zip(shares, form.costs, strict=True):
                total = total - Arithmetic(share) * row[place]
            worth.append(total.expression)
    found = constant(written(form.labels[-1]))
    for own, label in reversed(list(zip(worth, form.labels, strict=True))[:-1]):
        most = apply("greaterOrEqual", own, apply("max", *worth))
        found = apply("if", most, constant(written(label)), found)
    return element("OutputField", found, name="prediction", feature="transformedValue", **TEXT)


def equals(name: str, value: Any) -> Element:
    """Return whether a field has a value."""
    return element("SimplePredicate", field=name, operator="equal", value=value)


def is_missing(name: str) -> Element:
    """Return whether a field is missing."""
    return element("SimplePredicate", field=name, operator="isMissing")


def among(name: str, values: Sequence[str]) -> Element:
    """Return whether a field has one of some values."""
    if len(values) == 1:
        return equals(name, values[0])
    array = element("Array", type="string", n=len(values))
    array.text = " ".join(f'"{written(v)}"' for v in values)
    return element("SimpleSetPredicate", array, field=name, booleanOperator="isIn")


def between(name: str, low: float | None, high: float | None) -> Element:
    """Return whether a number is from low to below high; None: no end."""
    ends = [("greaterOrEqual", low), ("lessThan", high)]
    tests = [
        element("SimplePredicate", field=name, operator=o, value=float(v)) for o, v in ends if v is not None
    ]
    return joined("and", tests or [element("SimplePredicate", field=name, operator="isNotMissing")])


def joined(operator: str, tests: Sequence[Element]) -> Element:
    """Return several tests as one."""
    if len(tests) == 1:
        return tests[0]
    return element("CompoundPredicate", *tests, booleanOperator=operator)


class _Tests:
    """The nodes of a tree."""

    def __init__(self, form: Form, fields: Fields) -> None:
        self.form, self.fields = form, fields

    def tree(self) -> Element:
        return self._node(0, element("True"))

    def _node(self, place: int, test: Element) -> Element:
        node = self.form.nodes[place]
        if len(node) == 1:
            return self._end(place, test, node[0])
        column, cut, to, missing, shares = node
        name = self.fields.names[column]
        below = []
        for branch in dict.fromkeys([*to, missing]):
            if branch == place:  # it ends here
                continue
            if cut is None:
                levels = self.fields.categories(column)
                own = [levels[code] for code, way in enumerate(to) if way == branch]
                tests = [among(name, own)] if own else []
            else:
                ways = [(None, cut), (cut, None)]
                both = to[0] == to[1]
                own_ways = [way for i, way in enumerate(ways) if to[i] == branch and not (both and i)]
                tests = [between(name, *way) for way in own_ways]
            if branch == missing:
                tests.append(is_missing(name))
            below.append(self._node(branch, joined("or", tests)))
        return self._end(place, test, shares, below)

    def _end(
        self, place: int, test: Element, shares: Sequence[float] | None, below: Sequence[Element] = ()
    ) -> Element:
        form = self.form
        if shares is None:
            return element("Node", test, *below, id=place + 1)
        if not form.labels:
            return element("Node", test, *below, id=place + 1, score=float(shares[0]))
        spread = [
            element("ScoreDistribution", value=label, recordCount=float(p), probability=float(p))
            for label, p in zip(form.labels, shares, strict=True)
        ]
        return element("Node", test, *spread, *below, id=place + 1, score=form.labels[best(form, shares)])

    def rules(self) -> Element:
        """Return the rules as branches of one node."""
        ends = []
        for number, (conditions, shares) in enumerate(self.form.rules, 1):
            tests = [self._condition(c) for c in conditions]
            ends.append(self._end(number, joined("and", tests) if tests else element("True"), shares))
        return element("Node", element("True"), *ends, id=1)

    def _condition(self, condition: list[Any]) -> Element:
        column, ends, codes, missing = condition
        name = self.fields.names[column]
        tests = [is_missing(name)] if missing else []
        if codes is not None:
            levels = self.fields.categories(column)
            tests += [among(name, [levels[code] for code in codes])] if codes else []
        elif ends is not None:
            tests.append(between(name, *ends))
        return joined("or", tests) if tests else element("False")


# A card of two classes as a Scorecard: points, their reasons, and the classes that follow from the points.
#
# Law: the partial scores are the card's points, so the PMML reads like the card.


POINTS = "points"


def scorecard(form: Form, fields: Fields) -> Element:
    """Return the model of a card of two classes."""
    sections = [_section(form, fields, number, term) for number, term in enumerate(form.terms)]
    points = element("OutputField", name=POINTS, feature="predictedValue", **NUMBER)
    reasons = [
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
    return element(
        "Scorecard",
        fields.schema(),
        element("Output", points, *found, answer(form), *reasons),
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
        for other, second, words in sides[1]:
            yield joined("and", [test, second]), f"{said}, {words}", term["table"][line * wide + other]


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


# Models that add up parts as a RegressionModel: the scores of the classes, made shares by softmax; or a
# number.
#
# What a missing value adds is a part like any other: fields of categories have one for missing cells and one
# for levels never seen, and a missing number is 0 beside a field that says so.


MOST = sys.float_info.max
BOUND = 1e300  # the largest part: sums of larger ones could exceed the doubles


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
                is_lost = apply("equal", field(none), constant(1.0))
                answer = apply("if", is_lost, constant(float(self.form.base[k])), field(name))
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
        if "factors" in term:
            self._product(number, term)
        elif "pair" in term:
            first, second = term["pair"]
            sides = [self._lines(f"{number}_side_{i}", side, term) for i, side in enumerate((first, second))]
            wide = second["size"]
            for k in range(len(self.form.base)):
                rows = [(i // wide, i % wide, float(row[k])) for i, row in enumerate(term["table"])]
                if any(points for _, _, points in rows):
                    made = mapped([(sides[0], "first"), (sides[1], "second")], rows, "double")
                    self.numbers[k].append((self.fields.more(f"{number}_pair_{k}", made), 1.0))
        elif "cuts" in term:
            lines = list(map(str, range(len(term["table"]))))
            self._categories(self._lines(f"{number}_range", term, term), lines, term["table"])
        elif "table" in term:
            levels = [*self.fields.categories(term["column"]), MISSING, UNSEEN]
            self._categories(self.fields.names[term["column"]], levels, term["table"])
        elif "mean" in term:
            source = self.fields.names[term["column"]]
            parts = zip(term["mean"], term["half"], term["constant"], strict=True)
            for k, (mean, half, top) in enumerate(parts):
                away = Arithmetic(field(source)) - mean
                part = Arithmetic(constant(float(top))) - away * away * half
                made = self._known(source, part.expression, 0.0)
                self.numbers[k].append((self.fields.more(f"{number}_normal_{k}", made), 1.0))
        else:
            source = self.fields.names[term["column"]]
            most = BOUND / max(1.0, *(abs(slope) for slope in term["slope"]))
            value = apply("max", constant(-most), apply("min", constant(most), field(source)))
            known = self.fields.more(f"{number}_number", self._known(source, value, 0.0))
            gone = self.fields.more(f"{number}_gone", self._known(source, constant(0.0), 1.0))
            self._number(known, term["slope"])
            self._number(gone, [m - z for m, z in zip(term["missing"], term["at_zero"], strict=True)])
            for k, start in enumerate(term["at_zero"]):
                self.start[k] += start

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

    def _known(self, source: str, value: Element, missing: float) -> Element:
        """Return a value where a number is known, else another."""
        return apply("if", apply("isMissing", field(source)), constant(missing), value)

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


# ---- a model as PMML 4.4: a TreeModel, a RegressionModel or a Scorecard ----
#
# Law: the file is data alone, without extensions: any evaluator of PMML 4 reads it.


USE = (
    "Levels are text, numbers are numbers, dates are days since 1970-01-01. What is not given is missing.",
)
LIMITS = LanguageLimits(
    "PMML",
    "evaluators cut text into words in other ways",
    "evaluators differ in what they make of it",
    "a regression has no weight of -infinity",
)


def pmml(form: Form) -> str:
    """Return the model as PMML."""
    LIMITS.refuse(form)
    added = bool(form.base)
    fields = Fields(form, apart=added)
    if not added:
        model = tree_model(form, fields)
    elif form.has_reasons and len(form.labels) == 2:
        model = scorecard(form, fields)
    else:
        model = regression_model(form, fields)
    made = element("Application", name="Tallystick", version=__version__)
    note = element("Annotation")
    note.text = "\n".join(["", *heading(form), *USE, ""])
    header = element("Header", made, note, description=heading(form)[0])
    return document(header, fields.dictionary(), model)
