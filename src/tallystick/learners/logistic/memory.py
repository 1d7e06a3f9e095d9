"""What the last steps say of the curvature: L-BFGS in its compact form, which reads every kept vector once.

s: a change of weights, y: the change of the gradient with it, z = H y for the inverse H one begins with. The
inverse is then g H + [S, gZ] [[R^-T (D + gY'Z) R^-1, -R^-T], [-R^-1, 0]] [S, gZ]', R the upper triangle of
S'Y and D its diagonal (Byrd, Nocedal and Schnabel). Knows vectors. Knows nothing of what is minimised.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels

Array = NDArray[np.float64]
Solve = Callable[[Array], Array]  # the inverse one begins with times a vector, in the vector's memory
KEPT, FEWER, LONG = 12, 6, 100_000  # changes kept; fewer where there are many weights


class Memory:
    """The last changes; `solve` is the inverse before the first of them."""

    def __init__(self, solve: Solve) -> None:
        self.begin(solve)

    def begin(self, solve: Solve) -> None:
        """Forget all."""
        self.solve = solve
        self.s: list[Array] = []
        self.z: list[Array] = []
        self.sy: list[list[float]] = []  # [j][i] = s_i . y_j, i <= j
        self.yz: list[list[float]] = []  # [j][i] = z_i . y_j, i <= j
        self.seen: tuple[Array, list[float], list[float]] | None = None  # a gradient with S' and Z' times it

    def learn(self, step: Array, change: Array, gradient: Array) -> None:
        """Keep one change of weights and gradient; the new gradient is what `direction` will be asked for."""
        if kernels.dot(step, change) <= 0:
            return
        if len(self.s) == (KEPT if len(step) <= LONG else FEWER):
            self.s, self.z = self.s[1:], self.z[1:]
            self.sy, self.yz = [r[1:] for r in self.sy[1:]], [r[1:] for r in self.yz[1:]]
        self.s.append(step)
        self.z.append(self.solve(change.copy()))
        k = len(self.s)
        found = kernels.dots([*self.s, *self.z], [change, gradient])
        self.sy.append([f[0] for f in found[:k]])
        self.yz.append([f[0] for f in found[k:]])
        self.seen = gradient, [f[1] for f in found[:k]], [f[1] for f in found[k:]]

    def direction(self, gradient: Array, scaled: bool = False) -> Array:
        """Return minus the inverse curvature times the gradient. scaled: the first inverse is made to fit the
        last change.
        """
        q, k = self.solve(gradient.copy()), len(self.s)
        if not k:
            return np.negative(q, out=q)
        if self.seen is not None and self.seen[0] is gradient:
            p, zg = self.seen[1:]
        else:
            found = [f[0] for f in kernels.dots([*self.s, *self.z], [gradient])]
            p, zg = found[:k], found[k:]
        g = self.sy[-1][-1] / self.yz[-1][-1] if scaled else 1.0
        u = [0.0] * k  # R u = S' gradient
        for i in range(k - 1, -1, -1):
            rest = p[i]
            for j in range(i + 1, k):
                rest -= self.sy[j][i] * u[j]
            u[i] = rest / self.sy[i][i]
        t = [0.0] * k  # R' t = (D + g Y'Z) u - g Z' gradient
        for i in range(k):
            rest = self.sy[i][i] * u[i] - g * zg[i]
            for j in range(k):
                rest += g * self.yz[max(i, j)][min(i, j)] * u[j]
            for j in range(i):
                rest -= self.sy[i][j] * t[j]
            t[i] = rest / self.sy[i][i]
        coefficients = [*(-v for v in t), *(g * v for v in u)]
        return kernels.combine(q, -g, [*self.s, *self.z], coefficients)
