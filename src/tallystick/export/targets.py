"""`model.export(kind)`: which targets there are, one small object each, listed once.

Knows all targets by name and loads them when asked. Law: a target that cannot say what a model says refuses
with its reason in one line; docs/export.md has the table, and a test holds every cell of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tallystick.errors import OptionError, nearest, shown

RULE_FORMATS = ("text", "markdown", "json")
CARD_FORMATS = ("markdown", "csv", "html")


@dataclass(frozen=True)
class ExportTarget:
    """One language to export to.

    name: what people type. words: what they read. write: (model, sha256 of its file, **options) -> text or
    bytes.
    options: the names of those it takes.
    """

    name: str
    words: str
    write: Callable[..., str | bytes]
    options: tuple[str, ...] = ()


def _form(model: Any, sha256: str) -> Any:
    from tallystick.export.form import form_of

    return form_of(model, sha256)


def _js(model: Any, sha256: str) -> str:
    from tallystick.export.python import javascript

    return javascript(_form(model, sha256))


def _python(model: Any, sha256: str) -> str:
    from tallystick.export.python import python

    return python(_form(model, sha256))


def _c(model: Any, sha256: str, name: str = "model") -> str:
    from tallystick.export.c import header

    return header(_form(model, sha256), name)


def _sql(model: Any, sha256: str, **options: Any) -> str:
    from tallystick.export.sql import sql

    return sql(_form(model, sha256), **options)


def _rules(model: Any, sha256: str, format: str = RULE_FORMATS[0]) -> str:
    from tallystick.export.rules import export_rules

    return export_rules(model, sha256, format)


def _card(model: Any, sha256: str, format: str = CARD_FORMATS[0]) -> str:
    from tallystick.export.card import export_card

    return export_card(model, sha256, format)


def _onnx(model: Any, sha256: str) -> bytes:
    from tallystick.export.onnx import onnx_model

    return onnx_model(_form(model, sha256))


def _pmml(model: Any, sha256: str) -> str:
    from tallystick.export.pmml import pmml

    return pmml(_form(model, sha256))


def _excel(model: Any, sha256: str) -> bytes:
    from tallystick.export.excel import excel

    return excel(_form(model, sha256))


TARGETS = {
    target.name: target
    for target in (
        ExportTarget("rules", "rules", _rules, ("format",)),
        ExportTarget("card", "a printed card", _card, ("format",)),
        ExportTarget("sql", "SQL", _sql, ("dialect", "table", "keep", "unseen", "reasons")),
        ExportTarget("python", "Python", _python),
        ExportTarget("js", "JavaScript", _js),
        ExportTarget("c", "C", _c, ("name",)),
        ExportTarget("onnx", "ONNX", _onnx),
        ExportTarget("pmml", "PMML", _pmml),
        ExportTarget("excel", "an Excel workbook", _excel),
    )
}


def export(model: Any, kind: str, sha256: str = "", **options: Any) -> str | bytes:
    """Return the model in another language; onnx gives bytes."""
    if not isinstance(kind, str) or kind not in TARGETS:
        raise OptionError(
            f"there is no export to {shown(kind)}.{nearest(kind, tuple(TARGETS))} "
            f"Use one of {', '.join(TARGETS)}."
        )
    known = TARGETS[kind].options
    if strange := [name for name in options if name not in known]:
        takes = f"It takes {', '.join(known)}." if known else "It takes none."
        raise OptionError(f"the export to {kind} has no option {shown(strange[0])}. {takes}")
    return TARGETS[kind].write(model, sha256, **options)
