"""The nested prunings of a tree as a table: sizes and errors, in lines and as a picture.

Knows the path that pruning found. Knows nothing of rows or of estimators.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.draw.charts import line_chart
from tallystick.draw.notebook import framed
from tallystick.draw.svg import Picture
from tallystick.errors import counted
from tallystick.learners.prune import Held, Judged, LinkPath, validate, weakest_links

__all__ = ["PruningPath"]

PARTS = ("training", "validation", "test")
DO = ("train", "validate", "test")  # what the rows of each part do


@dataclass(frozen=True, eq=False)
class PruningPath:
    """The nested prunings of a tree, the root alone first, with training and cross-validated error per
    row.

    Where rows were held out in the place of folds, `cv_error` is the error on the rows that validate,
    `test_error` that on the rows that test, and `rows` says how many train, validate and test, and
    `copies` how many of those that validate are among those that train.
    """

    alpha: NDArray[np.float64]
    leaves: NDArray[np.int64]
    error: NDArray[np.float64]
    cv_error: NDArray[np.float64] | None
    cv_se: NDArray[np.float64] | None
    minimum: int | None
    one_se: int | None
    root_error: float
    measure: str = "error"  # or "cost", where answers have costs
    test_error: NDArray[np.float64] | None = None
    rows: tuple[float, ...] = ()
    copies: int = 0

    @classmethod
    def of(cls, path: LinkPath, judged: Judged | None, measure: str = "error") -> PruningPath:
        """Return the table of a path, with or without cross-validation."""
        return cls(
            path.alpha,
            path.leaves,
            path.error,
            judged.cv_error if judged else None,
            judged.cv_se if judged else None,
            judged.minimum if judged else None,
            judged.one_se if judged else None,
            float(path.error[0]),
            measure,
        )

    @classmethod
    def of_parts(cls, parts: Sequence[Held], measure: str = "error") -> PruningPath:
        """Return the table of one tree with the rows that validate its prunings, and those that test them."""
        tree = parts[0].tree
        path = weakest_links(tree)
        judged = [validate(path, held) for held in parts]
        return replace(
            cls.of(path, judged[0], measure),
            test_error=judged[1].cv_error if len(judged) > 1 else None,
            rows=(float(tree.rows[0].sum()), *(float(held.weights.sum()) for held in parts)),
        )

    @property
    def cp(self) -> NDArray[np.float64]:
        """Alpha over the error of the root: the complexity parameter of rpart."""
        return self.alpha / self.root_error if self.root_error else self.alpha

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain data."""
        steps = []
        name = "validation" if self.rows else "cv"
        for k in range(len(self.alpha)):
            step: dict[str, Any] = {
                "alpha": float(self.alpha[k]),
                "cp": float(self.cp[k]),
                "leaves": int(self.leaves[k]),
                f"training_{self.measure}": float(self.error[k]),
            }
            if self.cv_error is not None and self.cv_se is not None:
                step[f"{name}_{self.measure}"] = float(self.cv_error[k])
                step[f"{name}_se"] = float(self.cv_se[k])
            if self.test_error is not None:
                step |= {f"test_{self.measure}": float(self.test_error[k])}
            steps.append(step)
        out: dict[str, Any] = {"minimum": self.minimum, "one_se": self.one_se, "steps": steps}
        if not self.rows:
            return out
        known = {"held_out_rows_in_training": self.copies} if self.copies else {}
        return out | known | {"rows": dict(zip(PARTS, self.rows, strict=False))}

    def __str__(self) -> str:
        columns = [
            _aligned("leaves", [f"{n:,}" for n in self.leaves]),
            _aligned("alpha", [f"{a:.7f}" for a in self.alpha]),
            _aligned(f"training {self.measure}", [f"{e:.5f}" for e in self.error]),
        ]
        if self.cv_error is not None and self.cv_se is not None:
            both = [f"{e:.5f} ± {s:.5f}" for e, s in zip(self.cv_error, self.cv_se, strict=True)]
            head = "validation" if self.rows else "cross-validated"
            columns.append([f"{head:<{len(both[0])}}", *both])
        if self.test_error is not None:
            columns.append(_aligned("test", [f"{e:.5f}" for e in self.test_error]))
        out = []
        if self.rows:
            each = [f"{counted(n, 'row')} {does}" for n, does in zip(self.rows, DO, strict=False)]
            known = f" ({self.copies:,} of them are among the training rows)" if self.copies else ""
            out.append(", ".join(each) + known)
        for k, cells in enumerate(zip(*columns, strict=True), -1):
            line = "  ".join(cells)
            marks = [m for m, at in (("least", self.minimum), ("1-SE", self.one_se)) if k == at]
            line += f"  ← {', '.join(marks)}" if marks else ""
            out.append(line.rstrip())
        if self.one_se is not None:
            out.append("1-SE: the smallest tree within one standard error of the least error.")
        return "\n".join(out)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return framed(self.picture(), text=str(self))

    def picture(self) -> Picture:
        """Return the errors against the size of the tree as a picture."""
        leaves = [float(n) for n in self.leaves]
        error = self.error.tolist()
        curves = [(f"training {self.measure}", leaves, error, error, error)]
        if self.cv_error is not None and self.cv_se is not None:
            low, high = (self.cv_error - self.cv_se).tolist(), (self.cv_error + self.cv_se).tolist()
            name = "validation" if self.rows else "cross-validated"
            held_out = f"{name} {self.measure} ± one standard error"
            curves.append((held_out, leaves, self.cv_error.tolist(), low, high))
        if self.test_error is not None:
            test = self.test_error.tolist()
            curves.append((f"test {self.measure}", leaves, test, test, test))
        marks = []
        if self.cv_error is not None and self.minimum is not None:
            held = self.cv_error[self.minimum]
            marks.append((leaves[self.minimum], float(held), f"least, {self.leaves[self.minimum]:,} leaves"))
        return Picture(line_chart(curves, "leaves", self.measure, log_x=leaves[-1] > 50, marks=marks))


def _aligned(head: str, cells: list[str]) -> list[str]:
    """Return a heading and its cells, all of one width."""
    wide = max(len(head), *map(len, cells))
    return [f"{text:>{wide}}" for text in (head, *cells)]
