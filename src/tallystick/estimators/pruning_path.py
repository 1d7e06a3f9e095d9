"""The nested prunings of a tree as a table: sizes and errors, in lines and as a picture.

Knows the path that pruning found. Knows nothing of rows or of estimators.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.draw.charts import line_chart
from tallystick.draw.notebook import framed
from tallystick.draw.svg import Picture
from tallystick.learners.prune import Judged, LinkPath

__all__ = ["PruningPath"]


@dataclass(frozen=True, eq=False)
class PruningPath:
    """The nested prunings of a tree, the root alone first, with training and cross-validated error per
    row.
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

    @property
    def cp(self) -> NDArray[np.float64]:
        """Alpha over the error of the root: the complexity parameter of rpart."""
        return self.alpha / self.root_error if self.root_error else self.alpha

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain data."""
        steps = []
        for k in range(len(self.alpha)):
            step: dict[str, Any] = {
                "alpha": float(self.alpha[k]),
                "cp": float(self.cp[k]),
                "leaves": int(self.leaves[k]),
                f"training_{self.measure}": float(self.error[k]),
            }
            if self.cv_error is not None and self.cv_se is not None:
                step |= {f"cv_{self.measure}": float(self.cv_error[k]), "cv_se": float(self.cv_se[k])}
            steps.append(step)
        return {"minimum": self.minimum, "one_se": self.one_se, "steps": steps}

    def __str__(self) -> str:
        alpha = _aligned("alpha", [f"{a:.7f}" for a in self.alpha])
        error = _aligned(f"training {self.measure}", [f"{e:.5f}" for e in self.error])
        held_out = "  cross-validated" if self.cv_error is not None else ""
        out = [f"leaves  {alpha[0]}  {error[0]}{held_out}"]
        for k in range(len(self.alpha)):
            line = f"{self.leaves[k]:6,}  {alpha[k + 1]}  {error[k + 1]}"
            if self.cv_error is not None and self.cv_se is not None:
                line += f"  {self.cv_error[k]:.5f} ± {self.cv_se[k]:.5f}"
                line += "  ← least" if k == self.minimum else ""
                line += "  ← smallest within one standard error" if k == self.one_se else ""
            out.append(line)
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
            held_out = f"cross-validated {self.measure} ± one standard error"
            curves.append((held_out, leaves, self.cv_error.tolist(), low, high))
        marks = []
        if self.cv_error is not None and self.minimum is not None:
            held = self.cv_error[self.minimum]
            marks.append((leaves[self.minimum], float(held), f"least, {self.leaves[self.minimum]:,} leaves"))
        return Picture(line_chart(curves, "leaves", self.measure, log_x=leaves[-1] > 50, marks=marks))


def _aligned(head: str, cells: list[str]) -> list[str]:
    """Return a heading and its cells, all of one width."""
    wide = max(len(head), *map(len, cells))
    return [f"{text:>{wide}}" for text in (head, *cells)]
