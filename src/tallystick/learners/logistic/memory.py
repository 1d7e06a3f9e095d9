"""What the last steps say of the curvature: L-BFGS in its compact form, which reads every kept vector once.

s: a change of weights, y: the change of the gradient with it, z = H y for the inverse H one begins with. The
inverse is then g H + [S, gZ] [[R^-T (D + gY'Z) R^-1, -R^-T], [-R^-1, 0]] [S, gZ]', R the upper triangle of
S'Y and D its diagonal (Byrd, Nocedal and Schnabel). Long vectors are kept in single precision, which halves
what has to be read: they only say which way to go. Knows vectors. Knows nothing of what is minimised.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels

Array = NDArray[np.float64]
Kept = Array | NDArray[np.float32]
Solve = Callable[[Array], Array]  # the inverse one begins with times a vector, in the vector's memory
KEPT, FEWER, LONG = 12, 6, 100_000  # changes kept; fewer where there are many weights


class Memory:
    """The last changes; `solve` is the inverse before the first of them."""

    def __init__(self, solve: Solve) -> None:
        self.begin(solve)

    def begin(self, solve: Solve) -> None:
        """Forget all."""
        self.solve = solve
        self.s: list[Kept] = []
        self.z: list[Kept] = []
        self.sy: list[list[float]] = []  # [j][i] = s_i . y_j, i <= j
        self.yz: list[list[float]] = []  # [j][i] = z_i . y_j, i <= j
        self.seen: tuple[Array, list[float], list[float]] | None = None  # a gradient with S' and Z' times it

    def learn(self, step: Array, change: Array, gradient: Array) -> None:
        """Keep one change of weights and gradient; the new gradient is what `direction` will be asked for."""
        fewer = len(self.s) == (KEPT if len(step) <= LONG else FEWER)
        s = [*self.s[fewer:], kept(step)]
        z = [*self.z[fewer:], kept(self.solve(change.copy()))]
        k = len(s)
        found = kernels.dots([*s, *z], [change, gradient])
        if found[k - 1][0] <= 0:  # no curvature: nothing to learn
            return
        self.s, self.z = s, z
        self.sy = [*(r[fewer:] for r in self.sy[fewer:]), [f[0] for f in found[:k]]]
        self.yz = [*(r[fewer:] for r in self.yz[fewer:]), [f[0] for f in found[k:]]]
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


def kept(v: Array) -> Kept:
    """Return a vector as it is remembered."""
    return v if len(v) <= LONG else v.astype(np.float32)
