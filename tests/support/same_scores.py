"""Whether two scores of the same answers tell the same."""

from __future__ import annotations

import pytest


def same_scores(here, there):
    """All that scores tell: counts and points of curves are equal, sums up to their rounding."""
    one, other = here.to_dict(), there.to_dict()
    for part in ("classes", "confusion", "impossible", "per_class", "positive", "rows"):
        assert one[part] == other[part]
    for part in ("pr", "roc"):
        assert one["curves"][part] == other["curves"][part]
    assert [m["name"] for m in one["measures"]] == [m["name"] for m in other["measures"]]
    parts = [(d["measures"], d["curves"]["calibration"], [d["curves"]["top_tenth"]]) for d in (one, other)]
    for mine, theirs in zip(*parts, strict=True):
        assert len(mine) == len(theirs)
        for a, b in zip(mine, theirs, strict=True):
            assert {k: v for k, v in a.items() if isinstance(v, float)} == pytest.approx(
                {k: v for k, v in b.items() if isinstance(v, float)}, rel=1e-6, abs=1e-9
            )
    if here.ranked is not None:
        assert str(here.thresholds()) == str(there.thresholds())
