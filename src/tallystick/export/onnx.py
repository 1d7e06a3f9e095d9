"""Export of a model as an ONNX graph: an input per column, outputs `label` and `probabilities`, or `value`.

Entry: `onnx_model()`. Numbers come as double [row, 1], levels as text [row, 1] as the model names them;
missing is NaN, "" or one of the marks. All arithmetic is in doubles. Law: a graph answers what the model
answers, to 1e-6; what ONNX cannot express is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import OptionError
from tallystick.export.form import Form, best, number_levels
from tallystick.export.heading import LanguageLimits, heading
from tallystick.schema import ABSENT, Column, meanings, spelt
from tallystick.text import MILLISECONDS, WEEKDAY_LEVELS, WEEKDAYS, civil

OPSET, ML_OPSET, IR = 18, 3, 9  # read by onnxruntime from 1.15 on
LIMITS = LanguageLimits("ONNX", "its operators cut text into words in other ways", "one row takes many paths")


def onnx_model(form: Form) -> bytes:
    """Return the bytes of the graph."""
    LIMITS.refuse(form)
    try:
        import onnx
    except ModuleNotFoundError:
        raise OptionError(
            "the export to onnx needs the package onnx. Run: pip install 'tallystick[onnx]'."
        ) from None
    graph = _Graph(onnx)
    if form.is_tree:
        _tree(graph, form)
    elif form.rules:
        _rules(graph, form)
    else:
        _terms(graph, form)
    return graph.to_bytes(form)


class _Graph:
    """Nodes and constants being gathered."""

    def __init__(self, onnx: Any) -> None:
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self.made: dict[str, str] = {}

    def add(self, kind: str, inputs: Sequence[str], domain: str = "", out: str = "", **given: Any) -> str:
        """Add a node and return the name of its output."""
        out = out or f"t{len(self.nodes)}"
        make = self.onnx.helper.make_node
        self.nodes.append(make(kind, list(inputs), [out], domain=domain, **given))
        return out

    def constant(self, values: Any, kind: Any = np.float64) -> str:
        """Add a constant and return its name."""
        name = f"c{len(self.constants)}"
        if kind is str:
            flat = [str(v).encode() for v in values]
            made = self.onnx.helper.make_tensor(name, self.onnx.TensorProto.STRING, [len(flat)], flat)
        else:
            made = self.onnx.numpy_helper.from_array(np.array(values, kind), name)
        self.constants.append(made)
        return name

    def cell(self, form: Form, place: int) -> str:
        """Return a column as the model reads it: doubles [row, 1] with NaN, or codes [row, 1]."""
        column = form.columns[place]
        if column.name not in self.made:
            self.input(column)
            if column.part:
                self.made[column.name] = self._part(self._number(form, column), column.part)
            else:
                read = self._number if column.kind == "numeric" else self._code
                self.made[column.name] = read(form, column)
        return self.made[column.name]

    def input(self, column: Column) -> None:
        """Add the input that a column's cells come by, once."""
        proto = self.onnx.TensorProto
        kind = proto.DOUBLE if column.kind == "numeric" or column.part else proto.STRING
        if all(one.name != column.cells for one in self.inputs):
            self.inputs.append(self.onnx.helper.make_tensor_value_info(column.cells, kind, [None, 1]))

    def _part(self, days: str, part: str) -> str:
        """Return a part of days since 1970-01-01, as text.py counts; a weekday by its code."""
        x = _Arithmetic(self, days)
        clock = x.floor(x * MILLISECONDS + 0.5)
        day = x.floor(clock / MILLISECONDS)
        if part == "hour":
            return x.floor((clock - day * MILLISECONDS) / 3_600_000.0).name
        if part != "weekday":
            found: _Arithmetic = civil(day, x)[0 if part == "year" else 1]
            return found.name
        since = day + 3.0
        number = since - x.floor(since / 7.0) * 7.0
        gone = self.add("IsNaN", [number.name])
        at = self.add("Where", [gone, self.constant([float(len(WEEKDAYS))]), number.name])
        whole = self.add("Cast", [at], to=self.onnx.TensorProto.INT64)
        codes = [*(WEEKDAY_LEVELS.index(day) for day in WEEKDAYS), len(WEEKDAYS)]
        return self.add("Gather", [self.constant(codes, np.int64), whole])

    def _number(self, form: Form, column: Column) -> str:
        name = self.add("Identity", [column.cells])
        nan = self.constant([np.nan])
        name = self.add("Where", [self.add("IsInf", [name]), nan, name])
        for sentinel in form.sentinels:
            name = self.add("Where", [self.add("Equal", [name, self.constant([sentinel])]), nan, name])
        return name

    def _code(self, form: Form, column: Column) -> str:
        codes = known_texts(form, column)
        return self.add(
            "LabelEncoder",
            [column.name],
            "ai.onnx.ml",
            keys_strings=list(codes),
            values_int64s=list(codes.values()),
            default_int64=len(column.levels) + 1,
        )

    def output(self, name: str, kind: Any, shape: Sequence[Any]) -> None:
        self.outputs.append(self.onnx.helper.make_tensor_value_info(name, kind, shape))

    def labels(self, form: Form, place: str) -> None:
        """Add the output `label` [row] for places [row] among the labels."""
        proto = self.onnx.TensorProto
        first = form.labels[0]
        kinds = {
            bool: (proto.BOOL, np.bool_),
            int: (proto.INT64, np.int64),
            float: (proto.DOUBLE, np.float64),
        }
        kind, dtype = kinds.get(type(first), (proto.STRING, str))
        self.add("Gather", [self.constant(list(form.labels), dtype), place], out="label")
        self.output("label", kind, [None])

    def to_bytes(self, form: Form) -> bytes:
        """Return the finished model, checked."""
        helper = self.onnx.helper
        graph = helper.make_graph(self.nodes, "tallystick", self.inputs, self.outputs, self.constants)
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
        model = helper.make_model(graph, opset_imports=opsets, producer_name="tallystick", ir_version=IR)
        model.doc_string = "\n".join(heading(form))
        self.onnx.checker.check_model(model)
        out: bytes = model.SerializeToString()
        return out


class _Arithmetic:
    """A number of each row that arithmetic can be done with, written down as nodes."""

    def __init__(self, graph: _Graph, name: str) -> None:
        self.graph, self.name = graph, name

    def _with(self, kind: str, other: Any) -> _Arithmetic:
        second = other.name if isinstance(other, _Arithmetic) else self.graph.constant([other])
        return _Arithmetic(self.graph, self.graph.add(kind, [self.name, second]))

    def __add__(self, other: Any) -> _Arithmetic:
        return self._with("Add", other)

    def __sub__(self, other: Any) -> _Arithmetic:
        return self._with("Sub", other)

    def __mul__(self, other: Any) -> _Arithmetic:
        return self._with("Mul", other)

    def __rmul__(self, other: Any) -> _Arithmetic:
        return self._with("Mul", other)

    def __truediv__(self, other: Any) -> _Arithmetic:
        return self._with("Div", other)

    def floor(self, given: _Arithmetic) -> _Arithmetic:
        """Return the whole number below."""
        return _Arithmetic(self.graph, self.graph.add("Floor", [given.name]))


def known_texts(form: Form, column: Column) -> dict[str, int]:
    """Return the code of every text that means a level or missing."""
    out: dict[str, int] = {}
    numbers = dict(number_levels(column))
    at = {level: code for code, level in enumerate(column.levels)}
    known = {text: at[level] for text, level in spelt(column).items()}
    words: dict[str, int] = {t: known[t] for t in ("false", "true") if t in known}
    if said := meanings(column):  # letter case means nothing where levels are yes and no
        words |= {level.lower(): code for code, level in enumerate(column.levels)}
        words |= {word: column.levels.index(level) for word, level in said.items()}
        numbers = {float(w): words[w] for w in ("0", "1") if w in said} | numbers
    for word, code in words.items():
        out |= {word: code, word.upper(): code, word.title(): code}
    for number, code in numbers.items():
        out |= {repr(number): code, repr(number).removesuffix(".0"): code}
    out |= known
    absent = column.levels.index(ABSENT) if ABSENT in column.levels else len(column.levels)
    return out | dict.fromkeys(["", *form.marks, *column.marks], absent)


# -- trees --


def _tree(graph: _Graph, form: Form) -> None:
    """Tests as one tree of cuts that answers with the number of the end, then the ends' answers by number."""
    ends = [node for node, test in enumerate(form.nodes) if test[-1] is not None]
    cuts = _Cuts(form, {node: number for number, node in enumerate(ends)})
    proto = graph.onnx.TensorProto
    if cuts.features:
        features = graph.add("Concat", [_feature(graph, form, f) for f in cuts.features], axis=1)
        place = graph.add("TreeEnsembleRegressor", [features], "ai.onnx.ml", **cuts.attributes(graph))
        whole = graph.add("Cast", [place], to=proto.INT64)
        number = graph.add("Reshape", [whole, graph.constant([-1], np.int64)])
    else:
        raise OptionError("a tree without any test reads no column, and ONNX needs an input. Use its answer.")
    _answers(graph, form, number)


def _answers(graph: _Graph, form: Form, number: str) -> None:
    """Add the outputs: what the end of each row's number [row] answers."""
    shares = np.array(form.ends)
    proto = graph.onnx.TensorProto
    if not form.labels:
        graph.add("Gather", [graph.constant(shares[:, 0]), number], out="value")
        graph.output("value", proto.DOUBLE, [None])
        return
    places = [best(form, row) for row in shares.tolist()]
    graph.labels(form, graph.add("Gather", [graph.constant(places, np.int64), number]))
    graph.add("Gather", [graph.constant(shares), number], out="probabilities")
    graph.output("probabilities", proto.DOUBLE, [None, len(form.labels)])


def _feature(graph: _Graph, form: Form, feature: tuple[int, tuple[int, ...] | None]) -> str:
    """Return a column of numbers, or the branch that each level of a column takes at some test."""
    column, ways = feature
    cell = graph.cell(form, column)
    return cell if ways is None else graph.add("Gather", [graph.constant(ways), cell])


class _Cuts:
    """A tree as binary cuts on features; a test of levels is cuts on the number of its branch."""

    def __init__(self, form: Form, ends: dict[int, int]) -> None:
        self.form, self.ends = form, ends
        self.features: dict[tuple[int, tuple[int, ...] | None], int] = {}
        self.rows: list[list[Any]] = []  # feature, cut, true, false, missing goes to true, end
        waiting: list[tuple[Any, int, int]] = [(("node", 0), -1, 0)]
        while waiting:
            job, parent, slot = waiting.pop()
            number = len(self.rows)
            if parent >= 0:
                self.rows[parent][slot] = number
            below = self._lay(job)
            waiting += [(child, number, place) for child, place in below]

    def _lay(self, job: Any) -> list[tuple[Any, int]]:
        """Add one row for a node, an end, a cut or a run of branches; return what is below true and false."""
        kind, what = job
        if kind == "end" or (kind == "node" and len(self.form.nodes[what]) == 1):
            self.rows.append([0, 0.0, 0, 0, 0, self.ends[what]])
            return []
        if kind == "run":
            feature, first, targets = what
            self.rows.append([feature, first + 0.5, 0, 0, 0, None])
            rest = targets[1:]
            last = rest[0] if len(rest) == 1 else ("run", (feature, first + 1, rest))
            return [(targets[0], 2), (last, 3)]
        if kind == "cut":
            feature, cut, low, high = what
            self.rows.append([feature, cut, 0, 0, 0, None])
            return [(low, 2), (high, 3)]
        column, cut, to, missing, _ = self.form.nodes[what]
        if cut is None:
            branches = list(dict.fromkeys([*to, missing]))
            ways_of = tuple(branches.index(b) for b in [*to, missing, missing])
            feature_of = self.features.setdefault((column, ways_of), len(self.features))
            ends_of = [self._to(what, b) for b in branches]
            if len(ends_of) == 1:
                return self._lay(ends_of[0])  # every value takes one way
            return self._lay(("run", (feature_of, 0, ends_of)))
        ways = [self._to(what, node) for node in (*to, missing)]
        feature = self.features.setdefault((column, None), len(self.features))
        if missing in to:
            self.rows.append([feature, cut, 0, 0, int(missing == to[0]), None])
            return [(ways[0], 2), (ways[1], 3)]
        self.rows.append([feature, np.inf, 0, 0, 0, None])  # first: is there a value at all?
        return [(("cut", (feature, cut, ways[0], ways[1])), 2), (ways[2], 3)]

    def _to(self, node: int, below: int) -> tuple[str, int]:
        return ("end", node) if below == node else ("node", below)

    def attributes(self, graph: _Graph) -> dict[str, Any]:
        """Return the attributes of the operator; thresholds are doubles."""
        rows, count = self.rows, len(self.rows)
        leaves = [i for i, row in enumerate(rows) if row[5] is not None]
        array = graph.onnx.numpy_helper.from_array
        return {
            "n_targets": 1,
            "nodes_treeids": [0] * count,
            "nodes_nodeids": list(range(count)),
            "nodes_featureids": [row[0] for row in rows],
            "nodes_modes": ["LEAF" if row[5] is not None else "BRANCH_LT" for row in rows],
            "nodes_values_as_tensor": array(np.array([row[1] for row in rows]), "values"),
            "nodes_truenodeids": [row[2] for row in rows],
            "nodes_falsenodeids": [row[3] for row in rows],
            "nodes_missing_value_tracks_true": [row[4] for row in rows],
            "target_treeids": [0] * len(leaves),
            "target_nodeids": leaves,
            "target_ids": [0] * len(leaves),
            "target_weights_as_tensor": array(np.array([float(rows[i][5]) for i in leaves]), "weights"),
        }


# -- rules --


def _rules(graph: _Graph, form: Form) -> None:
    """Every rule as a flag [row, 1]; the first that is set is the end, the last always is."""
    if len(form.rules) == 1:
        raise OptionError(
            "rules without any condition read no column, and ONNX needs an input. Use its answer."
        )
    proto = graph.onnx.TensorProto
    flags = []
    for conditions, _ in form.rules[:-1]:
        flag = _condition(graph, form, conditions[0])
        for condition in conditions[1:]:
            flag = graph.add("And", [flag, _condition(graph, form, condition)])
        flags.append(flag)
    always = graph.add("Or", [flags[0], graph.add("Not", [flags[0]])])
    whole = [graph.add("Cast", [flag], to=proto.INT32) for flag in [*flags, always]]
    number = graph.add("ArgMax", [graph.add("Concat", whole, axis=1)], axis=1, keepdims=0)
    _answers(graph, form, number)


def _condition(graph: _Graph, form: Form, condition: list[Any]) -> str:
    """Return whether rows fulfil a condition [row, 1]."""
    place, between, codes, missing = condition
    cell = graph.cell(form, place)
    if codes is not None:
        levels = len(form.columns[place].levels)
        allowed = [k in codes for k in range(levels)] + [missing] * 2
        return graph.add("Gather", [graph.constant(allowed, np.bool_), cell])
    gone = graph.add("IsNaN", [cell])
    if between is None:
        return gone if missing else graph.add("And", [gone, graph.add("Not", [gone])])
    flag = graph.add("Not", [gone])
    low, high = between
    if low is not None:
        flag = graph.add("And", [flag, graph.add("GreaterOrEqual", [cell, graph.constant([low])])])
    if high is not None:
        flag = graph.add("And", [flag, graph.add("Less", [cell, graph.constant([high])])])
    return graph.add("Or", [flag, gone]) if missing else flag


# -- base and terms --


def _terms(graph: _Graph, form: Form) -> None:
    """Scores as a sum of parts [row, class], then shares and the first of the largest; a number: the sum."""
    if not form.terms:
        raise OptionError("this model reads no column, and ONNX needs an input. Use its one answer.")
    total = graph.constant([form.base])
    for term in form.terms:
        total = graph.add("Add", [total, _part(graph, form, term)])
    base = np.array([form.base])
    if form.shift:
        total = graph.add("Mul", [total, graph.constant([form.slope])])
        total = graph.add("Add", [total, graph.constant([form.shift])])
        base = form.slope * base + np.array([form.shift])
    if not form.labels:
        graph.add(
            "Add",
            [graph.add("Reshape", [total, graph.constant([-1], np.int64)]), graph.constant([0.0])],
            out="value",
        )
        graph.output("value", graph.onnx.TensorProto.DOUBLE, [None])
        return
    axis = graph.constant([1], np.int64)
    top = graph.add("ReduceMax", [total, axis], keepdims=1)
    lost = graph.add("Equal", [top, graph.constant([-np.inf])])
    total = graph.add("Where", [lost, graph.constant(base), total])
    top = graph.add("ReduceMax", [total, axis], keepdims=1)
    powers = graph.add("Exp", [graph.add("Sub", [total, top])])
    whole = graph.add("ReduceSum", [powers, axis], keepdims=1)
    shares = graph.add("Div", [powers, whole], out="probabilities")
    graph.labels(form, _best(graph, form, shares))
    graph.output(shares, graph.onnx.TensorProto.DOUBLE, [None, len(form.labels)])


def _best(graph: _Graph, form: Form, shares: str) -> str:
    """Return the place of the label answered [row]: the most probable, or the one of least expected cost,
    summed class by class as everywhere; of equals the first.
    """
    if not form.costs:
        return graph.add("ArgMax", [shares], axis=1, keepdims=0)
    total = graph.constant([[0.0] * len(form.labels)])
    for k, row in enumerate(form.costs):
        share = graph.add("Gather", [shares, graph.constant([k], np.int64)], axis=1)
        total = graph.add("Add", [total, graph.add("Mul", [share, graph.constant([row])])])
    return graph.add("ArgMin", [total], axis=1, keepdims=0)


def _part(graph: _Graph, form: Form, term: dict[str, Any]) -> str:
    """Return what a term adds [row, class]."""
    if "factors" in term:
        value = ""
        for column, level_code in term["factors"]:
            factor = graph.cell(form, column)
            if level_code is not None:
                held = graph.add("Equal", [factor, graph.constant([level_code], np.int64)])
                factor = graph.add("Cast", [held], to=graph.onnx.TensorProto.DOUBLE)
            value = graph.add("Mul", [value, factor]) if value else factor
        is_known = graph.add("Where", [graph.add("IsNaN", [value]), graph.constant([term["centre"]]), value])
        is_known = _bounded(graph, is_known, np.finfo(float).max)  # 0 times infinity is no number
        return _bounded(graph, graph.add("Mul", [is_known, graph.constant([term["slope"]])]))
    if "pair" in term:
        return _pair(graph, form, term)
    cell = graph.cell(form, term["column"])
    if "table" in term:
        code = _bins(graph, cell, term["cuts"]) if "cuts" in term else cell
        flat = graph.add("Reshape", [code, graph.constant([-1], np.int64)])
        return graph.add("Gather", [graph.constant(_low(term["table"])), flat])
    gone = graph.add("IsNaN", [cell])
    known = graph.add("Where", [gone, graph.constant([0.0]), cell])
    if "mean" in term:
        away = graph.add("Sub", [known, graph.constant([term["mean"]])])
        fall = graph.add("Mul", [graph.add("Mul", [away, away]), graph.constant([term["half"]])])
        line = graph.add("Sub", [graph.constant([term["constant"]]), fall])
        return graph.add("Where", [gone, graph.constant([[0.0] * len(form.labels)]), line])
    rise = graph.add("Mul", [known, graph.constant([term["slope"]])])
    line = _bounded(graph, graph.add("Add", [rise, graph.constant([term["at_zero"]])]))
    return graph.add("Where", [gone, graph.constant([term["missing"]]), line])


def _bins(graph: _Graph, cell: str, cuts: list[float]) -> str:
    """Return the bin [row]: how many cuts are at or below x; the last for missing."""
    proto = graph.onnx.TensorProto
    gone = graph.add("IsNaN", [cell])
    missing = graph.constant([[len(cuts) + 1]], np.int64)
    if not cuts:
        return graph.add("Where", [gone, missing, graph.constant([[0]], np.int64)])
    passed = graph.add("Cast", [graph.add("GreaterOrEqual", [cell, graph.constant([cuts])])], to=proto.INT64)
    count = graph.add("ReduceSum", [passed, graph.constant([1], np.int64)], keepdims=1)
    return graph.add("Where", [gone, missing, count])


def _pair(graph: _Graph, form: Form, term: dict[str, Any]) -> str:
    """Return the points of two columns at once: line = first * (lines of the second) + second."""
    lines = []
    for side in term["pair"]:
        cell = graph.cell(form, side["column"])
        if "cuts" in side:
            lines.append(_bins(graph, cell, side["cuts"]))
        else:
            lines.append(graph.add("Gather", [graph.constant(side["lines"], np.int64), cell]))
    wide = graph.constant([term["pair"][1]["size"]], np.int64)
    line = graph.add("Add", [graph.add("Mul", [lines[0], wide]), lines[1]])
    flat = graph.add("Reshape", [line, graph.constant([-1], np.int64)])
    return graph.add("Gather", [graph.constant(_low(term["table"])), flat])


def _bounded(graph: _Graph, part: str, most: float = 1e300) -> str:
    """Return a part, at most so far from 0: sums beyond all doubles are no numbers."""
    return graph.add("Max", [graph.add("Min", [part, graph.constant([[most]])]), graph.constant([[-most]])])


def _low(table: list[list[float | None]]) -> NDArray[np.float64]:
    return np.array([[-np.inf if p is None else p for p in row] for row in table], np.float64)
