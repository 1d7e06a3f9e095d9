"""Whether two scores of the same answers tell the same."""

from __future__ import annotations


def same_scores(here, there):
    """All that scores tell is equal, to the bit."""
    assert here.to_dict() == there.to_dict()
    if here.ranked is not None:
        assert str(here.thresholds()) == str(there.thresholds())
