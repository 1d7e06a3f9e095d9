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
    return _WRITERS[kind](model, sha256, **options)


def _js(model: Any, sha256: str) -> str:
    from tallystick.export.javascript import javascript

    return javascript(form_of(model, sha256))


def _python(model: Any, sha256: str) -> str:
    from tallystick.export.python import python

    return python(form_of(model, sha256))


_WRITERS: dict[str, Callable[..., str | bytes]] = {"js": _js, "python": _python}
