"""The model file and back, and what changed between two of them."""

from __future__ import annotations

from tallystick.export.file import FileKind, from_bytes, read_file, register, save, to_bytes
from tallystick.models.logistic import file as logistic
from tallystick.models.logistic.model import KIND as LOGISTIC
from tallystick.models.naive_bayes import KIND as NAIVE_BAYES
from tallystick.models.naive_bayes import file as naive_bayes
from tallystick.models.shapes import Record
from tallystick.models.tree import KINDS as TREES
from tallystick.models.tree import shape as tree

register(
    NAIVE_BAYES,
    FileKind(naive_bayes.MODEL, Record(naive_bayes.PARAMETERS | naive_bayes.WISHES), naive_bayes.check),
)
register(
    LOGISTIC,
    FileKind(logistic.MODEL, Record(logistic.PARAMETERS | naive_bayes.WISHES), logistic.check),
)

_TREE_RECORDS = (
    Record(tree.DECISION | naive_bayes.WISHES, tree.OPTIONAL),
    Record(tree.REGRESSION | naive_bayes.WISHES),
)
for _kind, _record in zip(TREES, _TREE_RECORDS, strict=True):
    register(_kind, FileKind(tree.MODEL, _record, tree.check))

__all__ = [
    "FileKind",
    "from_bytes",
    "read_file",
    "register",
    "save",
    "to_bytes",
]
