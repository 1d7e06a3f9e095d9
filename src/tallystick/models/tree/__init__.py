"""The tree as a model: splits as sentences, leaves as counts."""

from __future__ import annotations

from tallystick.models.tree.nodes import SPREADS, STAYS, Candidates, Nodes

__all__ = ["SPREADS", "STAYS", "Candidates", "Nodes"]
