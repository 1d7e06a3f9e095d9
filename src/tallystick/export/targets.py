"""`model.export(kind)`: the table of export targets, one small object each.

Entry: `export()`. Law: a target that cannot express a model refuses with its reason in one line;
docs/export.md has the table, and a test checks every cell of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tallystick.errors import OptionError, nearest, shown

RULE_FORMATS = ("text", "markdown", "json")
CARD_FORMATS = ("markdown", "csv", "html")
SCRIPT_USE = (
    "In node: const model = require('./model.js'); on a page: the script makes the constant `model`.",
    "model.predict({column: value}) gives {label, probabilities}; model.explain(row) says why as well.",
)
SCRIPT_CODES = "model.reasons(row, {most: 4, against: 'best'}) says what cost a row most points."
PYTHON_USE = (
    "In Python 3.10 or later: from model import predict; predict({column: value}) gives label and",
    "probabilities; explain(row) says why as well.",
    "In a shell: python model.py new.csv > answers.csv",
)
MARK = "# -- reasons --"  # in standalone.py: from here on only scorecards need the code
PYTHON_CODES = "reasons(row, most=4, against='best') says what cost a row most points."


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


def runtime() -> str:
    """Return the fixed code of a script: a function `tallystick(data)`, for pages that hold the data too."""
    return _code("code/model.js")


def _code(name: str) -> str:
    from importlib import resources

    return resources.files("tallystick.export").joinpath(name).read_text(encoding="utf-8")


# The script runs as a file in node and as an inline script under a strict content security policy: it loads
# nothing and evaluates nothing. The module needs the standard library only. No name can end the text around
# it.


def _js(model: Any, sha256: str) -> str:
    from tallystick.export.heading import heading

    form = _form(model, sha256)
    use = [*SCRIPT_USE, SCRIPT_CODES] if form.has_reasons else SCRIPT_USE
    comment = "".join(f"// {line}\n".replace("<", "‹") for line in [*heading(form), *use])
    return (
        f"{comment}const model = (() => {{\n{runtime()}\n"
        f"  return tallystick({form.to_json()});\n}})();\n"
        'if (typeof module === "object" && module.exports) module.exports = model;\n'
    )


def _python(model: Any, sha256: str) -> str:
    from tallystick.export.heading import heading

    form = _form(model, sha256)
    use = [*PYTHON_USE, PYTHON_CODES] if form.has_reasons else PYTHON_USE
    comment = "".join(f"# {line}\n" for line in [*heading(form), *use])
    code, more = _code("standalone.py"), ""
    if form.has_reasons:
        code = code.replace("import datetime\n", "import datetime\nimport functools\n", 1)
        more = "reasons = functools.partial(reasons, MODEL)\n"
    else:
        code = code.partition(f"\n\n{MARK}")[0]
    data = form.to_json().replace("'", "\\u0027")
    return (
        f"{comment}{code}\n\nMODEL = from_json(r'''\n{data}\n''')\n"
        f"predict, explain = MODEL.predict, MODEL.explain\n{more}\n"
        'if __name__ == "__main__":\n    main(MODEL, sys.argv[1:])\n'
    )


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
