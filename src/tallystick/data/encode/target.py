"""The column to be predicted, and the weights of the rows.

Knows labels and weights. Knows nothing of the other columns.
Law: labels are canonical texts with a type; a whole weight w is w copies, 0 is no row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tallystick.data.encode.cells import Numbers, Texts, look_at, number_text, parse
from tallystick.data.encode.infer import Plan
from tallystick.data.encode.ranks import code_type
from tallystick.data.schema import LabelType, Note, Target
from tallystick.data.source.frames import as_column
from tallystick.errors import DataError, TargetError, nearest, shown, some
from tallystick.kernels import CellKind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tallystick.contracts import Source

UNIT = 1 << 32  # a weight of 1, where some weight is not whole


@dataclass(frozen=True)
class Goal:
    """The target and its codes. absent[row]: rows without a target, None if there are none."""

    target: Target | None = None
    classes: NDArray[Any] | None = None
    response: NDArray[np.float64] | None = None
    absent: NDArray[np.bool_] | None = None
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class Scale:
    """Which rows count, and how much. keep[row]: None means all. weights[kept row]: None means 1 each."""

    rows: int
    total: int  # rows by weight where all weights are whole, else rows
    keep: NDArray[np.int64] | None = None
    weights: NDArray[np.int64] | None = None
    unit: int = 1
    notes: tuple[Note, ...] = ()

    def cut(self, array: Any) -> Any:
        """Return the kept rows of an array."""
        return array if array is None or self.keep is None else array[self.keep]

    def row_numbers(self, kept: NDArray[np.int64]) -> list[int]:
        """Return positions among kept rows as positions in the source."""
        return kept.tolist() if self.keep is None else self.keep[kept].tolist()

    def count(self, chosen: NDArray[np.bool_]) -> int:
        """Return how many rows are chosen, copies counted."""
        if self.weights is None or self.unit != 1:
            return int(np.count_nonzero(chosen))
        return int(self.weights[chosen].sum())

    def counts(self, codes: NDArray[np.int32], size: int) -> NDArray[np.int64]:
        """Return counts[code] of rows, copies counted; the code -1 is counted last."""
        if self.weights is None or self.unit != 1:
            return np.bincount(codes + 1, minlength=size + 1)[np.r_[1 : size + 1, 0]]
        out = np.zeros(size + 1, np.int64)
        np.add.at(out, codes, self.weights)
        return out


def read_weights(weights: Any, rows: int, goal: Goal) -> Scale:
    """Return the scale of the rows: weights checked, rows without target or weight dropped."""
    if weights is None:
        if goal.absent is None:
            return Scale(rows, rows)
        keep = np.flatnonzero(~goal.absent)
        return Scale(len(keep), len(keep), keep)
    real = _checked_weights(weights, rows)
    dropped = real == 0 if goal.absent is None else (real == 0) | goal.absent
    keep = np.flatnonzero(~dropped) if dropped.any() else None
    real = real if keep is None else real[keep]
    if len(real) == 0:
        raise DataError("all sample weights are 0, so no row is left. Give some row a weight.")
    whole = bool((real == np.floor(real)).all())
    unit = 1 if whole else UNIT
    _refuse_overflow(real, unit)
    exact = real.astype(np.int64) if whole else np.maximum(np.rint(real * UNIT), 1).astype(np.int64)
    if whole and (exact == 1).all():
        return Scale(len(real), len(real), keep)
    return Scale(len(real), int(exact.sum()) if whole else len(real), keep, exact, unit)


def _checked_weights(weights: Any, rows: int) -> NDArray[np.float64]:
    seen = look_at(as_column(weights, "sample_weight"), "sample_weight")
    if not isinstance(seen, Numbers):
        raise DataError("sample_weight holds text, not numbers. Pass one number per row.")
    real = seen.values
    if len(real) != rows:
        raise DataError(f"sample_weight has {len(real):,} weights for {rows:,} rows. Pass one per row.")
    for bad, what in ((np.isnan(real), "missing"), (np.isinf(real), "infinite"), (real < 0, "negative")):
        if bad.any():
            at = int(np.flatnonzero(bad)[0])
            raise DataError(f"sample_weight is {what} in row {at + 1:,} ({real[at]}). Weights are numbers from 0 up.")
    return real


def _refuse_overflow(real: NDArray[np.float64], unit: int) -> None:
    from fractions import Fraction

    if float(real.sum()) * unit > 2.0**62 and sum(Fraction(w) for w in real.tolist()) * unit >= 2**63:
        raise DataError(f"the sample weights sum to {real.sum():.3g}, beyond exact counting (2^63 / {unit}). Scale them down.")


def read_target(
    source: Source, columns: Mapping[str, Any], rows: int, target: Any, regression: bool, plan: Plan
) -> Goal:
    """Find the target, read its labels or numbers, and mark the rows without one."""
    if target is None:
        return Goal()
    if isinstance(target, str):
        if target not in columns:
            raise TargetError(
                f"there is no column {shown(target)} in {source.name}.{nearest(target, source.columns)} "
                f"Columns: {some(source.columns, 10)}."
            )
        name, cells, typed = target, columns[target], getattr(source, "typed", True)
    else:
        name, cells, typed = str(getattr(target, "name", None) or "y"), as_column(_flat(target), "y"), True
    seen = Numbers(cells) if isinstance(cells, np.ndarray) else look_at(cells, name)
    count = len(seen.values) if isinstance(seen, Numbers) else len(seen.codes)
    if count != rows:
        raise TargetError(f"target has {count:,} values for {rows:,} rows. Pass one per row.")
    return _response(name, seen, plan) if regression else _classes(name, seen, plan, typed)


def _flat(target: Any) -> Any:
    shape = getattr(target, "shape", None)
    if shape is not None and len(shape) == 2 and shape[1] == 1:
        import warnings

        warnings.warn("A column-vector y was passed when a 1d array was expected.", UserWarning, stacklevel=5)
        return np.asarray(target).ravel()
    if shape is not None and len(shape) != 1:
        raise TargetError(f"target has shape {tuple(shape)}, but it needs one value per row. Pass a 1-D array.")
    return target


def _absent(name: str, gone: NDArray[np.bool_]) -> tuple[NDArray[np.bool_] | None, tuple[Note, ...]]:
    count = int(gone.sum())
    if count == 0:
        return None, ()
    if 2 * count > len(gone):
        raise TargetError(
            f"target {shown(name)} is missing in {count:,} of {len(gone):,} rows. "
            "Drop these rows first if that is meant, or check the missing marks."
        )
    text = f"target {shown(name)} is missing in {count:,} of {len(gone):,} rows; they are left out."
    return gone, (Note("rows-left-out", text, name, count),)


def _response(name: str, seen: Numbers | Texts, plan: Plan) -> Goal:
    if isinstance(seen, Numbers):
        values = seen.values
    else:
        parsed, kinds = parse(seen.texts, plan.marks, plan.decimal)
        bad = np.flatnonzero(np.isnan(parsed) & (kinds != CellKind.MISSING))
        if len(bad):
            raise TargetError(
                f"target {shown(name)} holds {shown(seen.texts[bad[0]])}, which is no number. "
                "Use a classifier, or name it in missing=[...]."
            )
        values = np.append(parsed, np.nan)[seen.codes]
    if np.isinf(values).any():
        raise TargetError(f"target {shown(name)} is infinite in row {int(np.isinf(values).argmax()) + 1:,}. Correct it.")
    absent, notes = _absent(name, np.isnan(values))
    return Goal(Target(name, (), "number"), None, values, absent, notes)


def _classes(name: str, seen: Numbers | Texts, plan: Plan, typed: bool) -> Goal:
    """Return labels and codes[row]; labels are ordered as their type orders them."""
    if isinstance(seen, Numbers):
        if np.isinf(seen.values).any():
            raise TargetError(f"target {shown(name)} is infinite in row {int(np.isinf(seen.values).argmax()) + 1:,}.")
        distinct, inverse = np.unique(seen.values, return_inverse=True)
        texts = tuple("" if np.isnan(v) else number_text(v) for v in distinct.tolist())
        seen, typed = Texts(inverse.astype(np.int32), texts), False
    values, kinds = parse(seen.texts, plan.marks, plan.decimal)
    counts = np.bincount(seen.codes + 1, minlength=len(seen.texts) + 1)[1:]
    here = (kinds != CellKind.MISSING) & (counts > 0)
    absent, notes = _absent(name, np.append(~here, True)[seen.codes])
    label_type = _label_type(kinds[here], values[here], typed)
    canonical = [_label(t, v, label_type) for t, v in zip(seen.texts, values.tolist(), strict=True)]
    found = {canonical[i] for i in np.flatnonzero(here)}
    _check_labels(name, found, label_type, int(counts[here].sum()), plan)
    labels = tuple(sorted(found | set(plan.levels.get(name, ())), key=_label_order(label_type)))
    at = {label: code for code, label in enumerate(labels)}
    into = np.array([at.get(c, 0) for c in canonical] + [0], dtype=code_type(len(labels)))
    return Goal(Target(name, labels, label_type), into[seen.codes], None, absent, notes)


def _label_type(kinds: NDArray[np.uint8], values: NDArray[np.float64], typed: bool) -> LabelType:
    if len(kinds) and (kinds == CellKind.BOOLEAN).all():
        return "boolean"
    if typed or not np.isin(kinds, [CellKind.NUMBER, CellKind.INTEGER]).all():
        return "text"
    return "integer" if (values == np.floor(values)).all() else "number"


def _label(text: str, value: float, label_type: LabelType) -> str:
    if label_type == "boolean":
        return text.lower()
    return number_text(value) if label_type in ("integer", "number") and not np.isnan(value) else text


def _label_order(label_type: LabelType) -> Any:
    return float if label_type in ("integer", "number") else str


def _check_labels(name: str, found: set[str], label_type: LabelType, rows: int, plan: Plan) -> None:
    count = len(found)
    many = count > 20 or 2 * count > rows
    if (label_type == "number" and many) or (label_type == "integer" and count > 100 and 2 * count > rows):
        raise TargetError(
            f"target {shown(name)} is continuous: {count:,} different numbers in {rows:,} rows, e.g. "
            f"{some(sorted(found), 3)}. Classes are needed; for numbers use regression (RegressionTree). "
            "Unknown label type: continuous."
        )
    if len(found | set(plan.levels.get(name, ()))) < 2:
        which = f" ({shown(next(iter(found)))})" if found else ""
        raise TargetError(f"target {shown(name)} has one class{which} in {rows:,} rows; two are needed.")
