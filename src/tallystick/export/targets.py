"""`model.export(kind)`: which targets there are, and which models each can take.

Knows all targets by name and loads them when asked. Law: a target that cannot say what a model says refuses
with its reason in one line; docs/export.md has the table, and a test holds every cell of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tallystick.errors import OptionError, nearest, shown
from tallystick.export.form import form_of

TARGETS = ("rules", "sql", "python", "js", "onnx")


def export(model: Any, kind: str, sha256: str = "", **options: Any) -> str | bytes:
    """Return the model in another language; onnx gives bytes."""
    if kind not in _WRITERS:
        raise OptionError(
            f"there is no export to {shown(kind)}.{nearest(str(kind), TARGETS)} "
            f"Use one of {', '.join(TARGETS)}."
        )
    known = OPTIONS.get(kind, ())
    if strange := [name for name in options if name not in known]:
        takes = f"It takes {', '.join(known)}." if known else "It takes none."
        raise OptionError(f"the export to {kind} has no option {shown(strange[0])}. {takes}")
    return _WRITERS[kind](model, sha256, **options)


def _js(model: Any, sha256: str) -> str:
    from tallystick.export.javascript import javascript

    return javascript(form_of(model, sha256))


def _python(model: Any, sha256: str) -> str:
    from tallystick.export.python import python

    return python(form_of(model, sha256))


def _sql(model: Any, sha256: str, **options: Any) -> str:
    from tallystick.export.sql import sql

    return sql(form_of(model, sha256), **options)


def _rules(model: Any, sha256: str, format: str = "text") -> str:
    from tallystick.export.rules import export_rules

    return export_rules(model, sha256, format)


def _onnx(model: Any, sha256: str) -> bytes:
    from tallystick.export.onnx import onnx_model

    return onnx_model(form_of(model, sha256))


_WRITERS: dict[str, Callable[..., str | bytes]] = {
    "rules": _rules,
    "sql": _sql,
    "python": _python,
    "js": _js,
    "onnx": _onnx,
}
OPTIONS = {"rules": ("format",), "sql": ("dialect", "table", "keep", "unseen")}
