"""Trees and rules as a TreeModel: a rule is a branch of the root, and the first that holds answers.

Knows forms. Law: where a missing value goes is said by the branch itself, so no evaluator has to guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import Element

from tallystick.export.form import Form, best
from tallystick.export.pmml.elements import Arithmetic, apply, constant, element, field, written
from tallystick.export.pmml.fields import Fields

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
            tests = self._ways(column, cut, to, branch)
            if branch == missing:
                tests.append(is_missing(name))
            below.append(self._node(branch, joined("or", tests)))
        return self._end(place, test, shares, below)

    def _ways(self, column: int, cut: float | None, to: list[int], branch: int) -> list[Element]:
        name = self.fields.names[column]
        if cut is None:
            levels = self.fields.categories(column)
            own = [levels[code] for code, way in enumerate(to) if way == branch]
            return [among(name, own)] if own else []
        ways = [(None, cut), (cut, None)]
        both = to[0] == to[1]
        return [between(name, *ways[i]) for i in range(2) if to[i] == branch and not (both and i)]

    def _end(
        self, place: int, test: Element, shares: Sequence[float] | None, below: Sequence[Element] = ()
    ) -> Element:
        form = self.form
        if shares is None:
            return element("Node", test, *below, id=place + 1)
        if not form.labels:
            return element("Node", test, *below, id=place + 1, score=float(shares[0]))
        told = [
            element("ScoreDistribution", value=label, recordCount=float(p), probability=float(p))
            for label, p in zip(form.labels, shares, strict=True)
        ]
        return element("Node", test, *told, *below, id=place + 1, score=form.labels[best(form, shares)])

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
