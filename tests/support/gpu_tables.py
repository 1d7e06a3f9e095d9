"""A table of every kind of column, for what runs on a GPU."""

from __future__ import annotations

import numpy as np
import pandas as pd


def table(seed, n=1300, classes=2):
    """Return a frame of every kind of column, and a target."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "double": rng.normal(size=n),
            "single": rng.normal(size=n).astype(np.float32),
            "rounded": np.round(rng.normal(size=n), 1),
            "wide": np.exp(60 * rng.normal(size=n)),
            "tiny": 1e-120 * rng.normal(size=n),
            "level": rng.choice(list("uvwxyz"), n),
            "flag": rng.random(n) < 0.3,
        }
    )
    X.loc[rng.random(n) < 0.1, "double"] = np.nan
    X.loc[rng.random(n) < 0.05, "level"] = None
    y = (X["single"] + X["rounded"] * X["flag"] + rng.normal(size=n) > 0).astype(int)
    return X, y + rng.integers(0, classes - 1, n)
