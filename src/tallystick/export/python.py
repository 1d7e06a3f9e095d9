"""A model as Python: its data as JSON beside a fixed piece of code, `standalone.py`.

Knows forms. Law: the module needs the standard library only, and no name in it can end the text around it.
"""

from __future__ import annotations

from importlib import resources

from tallystick.export.form import Form
from tallystick.export.heading import heading

USE = (
    "In Python 3.10 or later: from model import predict; predict({column: value}) gives label and",
    "probabilities; explain(row) says why as well.",
    "In a shell: python model.py new.csv > answers.csv",
)


def python(form: Form) -> str:
    """Return a module with `predict` and `explain`, which is a command as well."""
    comment = "".join(f"# {line}\n" for line in [*heading(form), *USE])
    code = resources.files("tallystick.export").joinpath("standalone.py").read_text(encoding="utf-8")
    data = form.to_json().replace("'", "\\u0027")
    return (
        f"{comment}{code}\n\nMODEL = from_json(r'''\n{data}\n''')\n"
        "predict, explain = MODEL.predict, MODEL.explain\n\n"
        'if __name__ == "__main__":\n    main(MODEL, sys.argv[1:])\n'
    )
