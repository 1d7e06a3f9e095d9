"""A model as one C header: its tables as constant data beside a fixed piece of code, `code/c/`.

Knows forms. Law: the header is C99 without a library beside the standard one, allocates nothing and holds no
state, so that any number of threads may ask; and it answers the bits that the model answers.
"""

from __future__ import annotations

import re
from importlib import resources

from tallystick.errors import OptionError, shown
from tallystick.export.c.tables import Tables
from tallystick.export.form import Form
from tallystick.export.heading import heading

NAME = re.compile("[a-z][a-z0-9_]*")
DATA = "/* ---- data ---- */"  # types stand before it, functions after it
INCLUDES = ("float.h", "math.h", "stdint.h", "stdio.h", "stdlib.h", "string.h")


def header(form: Form, name: str = "model") -> str:
    """Return the header; name: what its names begin with, so that one program may hold several models."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise OptionError(
            f"name={shown(name)} is not a name for C. Use small letters, digits and _, "
            "for example name='model'."
        )
    tables = Tables(form, name)
    parts = [_read(file, tables).partition(DATA) for file in _files(form)]
    guard = f"{name.upper()}_H"
    pieces = [
        "".join(f"// {line}\n" for line in [*heading(form), *_use(form, name)]),
        f"#ifndef {guard}\n#define {guard}\n",
        "".join(f"#include <{file}>\n" for file in INCLUDES),
        "#if defined(__clang__)\n#pragma STDC FP_CONTRACT OFF\n#endif\n",
        "\n".join(tables.sizes()) + "\n",
        *(types.strip() + "\n" for types, _, _ in parts if types.strip()),
        "/* ---- the model ---- */\n",
        "\n".join(tables.lines()) + "\n",
        *(code.strip() + "\n" for _, _, code in parts if code.strip()),
        "#endif\n",
    ]
    return "\n".join(pieces)


def _use(form: Form, name: str) -> list[str]:
    what = "answer.label and answer.probability" if form.labels else "answer.value"
    lines = [
        f"C99: {name}_cell row[{name.upper()}_COLUMNS] holds the cells of a row in the order of "
        f"{name}_columns, each",
        f'{name}_number(3.5), {name}_text("yes") or {name}_missing(); {name}_predict(row, &answer) gives',
        f"{what}. Nothing is allocated and nothing is kept: any number of threads may ask.",
    ]
    if form.has_reasons:
        lines.append(f"{name}_reasons(row, 4, reasons) says what cost a row most points.")
    if any("idf" in term for term in form.terms):
        lines.append("Link with -lm.")
    if not form.is_tree and not form.rules:
        lines.append("For the model's own bits compile with -ffp-contract=off where the machine has FMA.")
    return lines


def _files(form: Form) -> list[str]:
    """Return the pieces of code that a form needs, in the order in which they need each other."""
    way = ["tree"] if form.is_tree else ["rules"] if form.rules else ["terms"]
    words = bool(form.texts) and way == ["terms"]
    files = ["cells", "labels" if form.labels else "value"]
    if way == ["terms"]:
        files.append("powers")
    files += ["term_types"] * (way == ["terms"]) + ["words"] * words + way + ["answer"]
    if form.has_reasons:
        files += ["reason_texts", *["reason_words"] * words, "reasons"]
    return files


def _read(file: str, tables: Tables) -> str:
    code = resources.files("tallystick.export").joinpath(f"code/c/{file}.h").read_text(encoding="utf-8")
    for mark, own in tables.words_used().items():
        code = code.replace(mark, own)
    return code.replace("tally_", f"{tables.name}_").replace("TALLY_", f"{tables.name.upper()}_")
