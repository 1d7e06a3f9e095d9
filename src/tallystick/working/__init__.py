"""The room behind `ts.work`: the complete worked solution of a small table, as a document.

Knows fitted models, and parts of a document. Law: a working tells what the model did, number by number.
"""

from __future__ import annotations

from tallystick.working.document import Working
from tallystick.working.methods import work

__all__ = ["Working", "work"]
