"""The rules of the reader of model files, as its own source tells them: every line that can refuse a file.

Knows Python's syntax tree and tracebacks. A rule is a `raise` of a ModelFileError (or of a helper that makes
one), or a call of a helper that raises when its condition does not hold.
"""

from __future__ import annotations

import ast
import traceback
from pathlib import Path

import tallystick

PACKAGE = Path(tallystick.__file__).parent
READERS = (
    "model/file.py",
    "model/shapes.py",
    "model/profile.py",
    "bayes/file.py",
    "linear/file.py",
    "scorecard/file.py",
    "density/model.py",
    "tree/nodes.py",
    "tree/options.py",
    "tree/model.py",
    "tree/estimator.py",
)
MAKERS = {"ModelFileError", "wrong", "_edited", "_uneven", "shapes.wrong"}  # return the error of a rule
DEMANDS = {"_demand"}  # raise it


def sites() -> dict[tuple[str, int, int], str]:
    """Return (file, first line, last line) of every rule, with its source."""
    out = {}
    for name in READERS:
        source = (PACKAGE / name).read_text(encoding="utf-8")
        tree = ast.parse(source)
        inside = {
            id(n): f.name for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) for n in ast.walk(f)
        }
        for node in ast.walk(tree):
            if inside.get(id(node)) in DEMANDS or not _is_rule(node):
                continue
            text = " ".join(ast.unparse(node).split())
            out[name, node.lineno, node.end_lineno or node.lineno] = text[:160]
    return out


def _is_rule(node: ast.AST) -> bool:
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        return ast.unparse(node.exc.func) in MAKERS
    return isinstance(node, ast.Expr | ast.Assign) and _calls_demand(node.value)


def _calls_demand(value: ast.AST) -> bool:
    return isinstance(value, ast.Call) and ast.unparse(value.func) in DEMANDS


def met(error: BaseException) -> set[tuple[str, int]]:
    """Return (file, line) of every line an error came through, also those it was raised in the place of."""
    out = set()
    seen: BaseException | None = error
    while seen is not None:
        for frame in traceback.extract_tb(seen.__traceback__):
            path = Path(frame.filename)
            if path.is_relative_to(PACKAGE):
                out.add((path.relative_to(PACKAGE).as_posix(), frame.lineno or 0))
        seen = seen.__context__
    return out
