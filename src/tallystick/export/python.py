"""A model as Python: its data as JSON beside a fixed piece of code, `standalone.py`.

Knows forms. Law: the module needs the standard library only, and no name in it can end the text around it.
"""

from __future__ import annotations

from importlib import resources

from tallystick.export.form import Form
from tallystick.export.heading import heading

# A model as JavaScript: its data as one JSON text beside a small fixed piece of code, `code/model.js`.
#
# Law: the script runs as a file in node and as an inline script under a strict content security policy: it
# loads nothing and evaluates nothing, and no name in it can end the script.


USE = (
    "In node: const model = require('./model.js'); on a page: the script makes the constant `model`.",
    "model.predict({column: value}) gives {label, probabilities}; model.explain(row) says why as well.",
)

CODES = "model.reasons(row, {most: 4, against: 'best'}) says what cost a row most points."


def javascript(form: Form) -> str:
    """Return a script that makes `model`, with `predict` and `explain`."""
    use = [*USE, CODES] if form.has_reasons else USE
    comment = "".join(f"// {line}\n".replace("<", "‹") for line in [*heading(form), *use])
    return (
        f"{comment}const model = (() => {{\n{runtime()}\n"
        f"  return tallystick({form.to_json()});\n}})();\n"
        'if (typeof module === "object" && module.exports) module.exports = model;\n'
    )


def runtime() -> str:
    """Return the fixed code: a function `tallystick(data)`, for pages that hold the data themselves."""
    return resources.files("tallystick.export").joinpath("code/model.js").read_text(encoding="utf-8")


PYTHON_USE = (
    "In Python 3.10 or later: from model import predict; predict({column: value}) gives label and",
    "probabilities; explain(row) says why as well.",
    "In a shell: python model.py new.csv > answers.csv",
)


MARK = "# -- reasons --"  # the exported code begins here
PYTHON_CODES = "reasons(row, most=4, against='best') says what cost a row most points."


def python(form: Form) -> str:
    """Return a module with `predict` and `explain`, which is a command as well."""
    use = [*PYTHON_USE, PYTHON_CODES] if form.has_reasons else PYTHON_USE
    comment = "".join(f"# {line}\n" for line in [*heading(form), *use])
    more = "reasons = functools.partial(reasons, MODEL)\n" if form.has_reasons else ""
    room = resources.files("tallystick.export")
    code = room.joinpath("standalone.py").read_text(encoding="utf-8")
    if form.has_reasons:
        reasons = room.joinpath("standalone_reasons.py").read_text(encoding="utf-8").partition(MARK)[2]
        code = code.replace("import datetime\n", "import datetime\nimport functools\n", 1)
        code += f"\n\n{MARK}{reasons}"
    data = form.to_json().replace("'", "\\u0027")
    return (
        f"{comment}{code}\n\nMODEL = from_json(r'''\n{data}\n''')\n"
        f"predict, explain = MODEL.predict, MODEL.explain\n{more}\n"
        'if __name__ == "__main__":\n    main(MODEL, sys.argv[1:])\n'
    )
