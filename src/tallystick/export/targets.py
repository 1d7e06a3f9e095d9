"""`model.export(kind)`: which targets there are, one small object each, listed once.

Knows all targets by name and loads them when asked. Law: a target that cannot say what a model says refuses
with its reason in one line; docs/export.md has the table, and a test holds every cell of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tallystick import __version__, methods
from tallystick.errors import OptionError, counted, nearest, shown, some, with_article
from tallystick.export.form import Form, form_of, printable
from tallystick.model.conditions import plain_words
from tallystick.rules.explain import told_rules
from tallystick.rules.model import RuleModel
from tallystick.schema import Column
from tallystick.text import label_text
from tallystick.tree.model import Tree
from tallystick.tree.rules import Rule, Rules, rules

# What stands at the top of every export: which model this is, what it reads, how missing values are
# treated.
#
# Knows forms. Names go through `plain`: nothing in a comment can end it.


MOST = 100  # columns and labels that are named one by one


def heading(form: Form) -> list[str]:
    """Return the lines of the comment."""
    what = with_article(methods.of_kind(form.kind).noun)
    lines = [f"Tallystick {__version__}: {what} for '{plain_words(form.target)}'."]
    if form.labels:
        lines.append(f"Classes: {_some([plain_words(label_text(label)) for label in form.labels])}.")
    if form.decision:
        lines.append(f"Answers: {plain_words(form.decision)}.")
    if form.sha256:
        lines.append(f"Model file sha256: {form.sha256}.")
    lines.append("Columns:")
    lines += [f"  {plain_words(c.name)} ({_kind(c)})" for c in form.columns[:MOST]]
    if len(form.columns) > MOST:
        lines.append(f"  and {len(form.columns) - MOST:,} more")
    return [*lines, *_missing(form)]


def _kind(column: Column) -> str:
    if column.kind == "numeric":
        return "dates, as days since 1970-01-01" if column.unit == "date" else "numbers"
    if column.kind == "text":
        return f"text, {counted(len(column.words), 'word')}"
    return counted(len(column.levels), "level") if column.kind != "boolean" else "two levels"


def _missing(form: Form) -> list[str]:
    marks = ", ".join(f"'{plain_words(m)}'" for m in form.marks)
    if form.spreads:
        way = "goes down all branches of a test, in the proportion of their rows"
    else:
        way = methods.of_kind(form.kind).missing
    lines = [f"A missing value {way}."]
    return [f"Missing: null, NaN and the texts {marks}.", *lines] if marks else lines


def _some(texts: list[str]) -> str:
    more = f" and {len(texts) - MOST:,} more" if len(texts) > MOST else ""
    return ", ".join(texts[:MOST]) + more


# What a language cannot say of a model: words of text, rows that take many paths, a weight of -infinity.
#
# Knows the form of a model and why a language stops there. Law: a refusal is one line with its reason and
# what to do; the languages that take every model (python, js, c) have no limits.


INSTEAD = "Export it to python, js or c"


@dataclass(frozen=True)
class LanguageLimits:
    """Why a language stops: at words, at a row in parts, and at an impossible class; None: it does not."""

    language: str
    words: str
    parts: str
    impossible: str | None = None

    def refuse(self, form: Form) -> None:
        """Raise where the language cannot say what the model says."""
        if form.texts:
            raise OptionError(
                f"a model that reads the words of text ({some(form.texts, 3)}) has no {self.language}: "
                f"{self.words}. {INSTEAD}."
            )
        if form.spreads:
            raise OptionError(
                f"a tree that sends missing values down all branches in parts has no {self.language}: "
                f"{self.parts}. {INSTEAD}, or fit with missing_values='learned'."
            )
        if self.impossible and any(
            part is None for term in form.terms for row in term.get("table", ()) for part in row
        ):
            raise OptionError(
                f"a model in which a level makes a class impossible (alpha=0) has no {self.language}: "
                f"{self.impossible}. {INSTEAD}, or fit with alpha=1."
            )


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
    pass

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


# The rules of a tree, or of a rule list or set, as text, Markdown or JSON; two classes also as a Boolean
# expression.
#
# Knows rules. A method that has none refuses: naive Bayes and logistic regression add up parts of all
# columns.


def export_rules(model: Any, sha256: str, format: str = "text") -> str:
    """Return the if-then rules of a model that has them: of a tree, those of the tree that is shown."""
    if format not in RULE_FORMATS:
        raise OptionError(
            f"rules have no format {shown(format)}.{nearest(format, RULE_FORMATS)} "
            f"Use one of {', '.join(RULE_FORMATS)}."
        )
    text: str = methods.of_kind(model.kind).load("rules")(model, sha256, format)
    return text


def no_rules(model: Any, sha256: str, format: str) -> str:
    """Refuse a model of a method without rules."""
    raise OptionError(f"a model of kind {shown(model.kind)} has no if-then rules. Use explain().")


def additive_rules(model: Any, sha256: str, format: str) -> str:
    """Refuse a model that adds up parts of its columns."""
    raise OptionError(
        f"a model of kind {shown(model.kind)} has no if-then rules: every column adds its part to the "
        "score. Export it to sql, python, js, c, onnx, pmml or excel, or use explain()."
    )


def tree_rules(model: Tree, sha256: str, format: str) -> str:
    """Return the rules of a tree."""
    return _written(model, rules(model), sha256, format, {"averaged": model.averaged is not None})


def own_rules(model: RuleModel, sha256: str, format: str) -> str:
    """Return the rules of a list or set, with their probabilities."""
    return _written(model, told_rules(model), sha256, format)


def _written(
    model: Tree | RuleModel, found: Rules, sha256: str, format: str, more: dict[str, Any] | None = None
) -> str:
    if format == "json":
        return _json(model, found, sha256, more or {})
    head = heading(form_of(model, sha256))
    if format == "markdown":
        return _markdown(found, head)
    return "\n".join([*(f"# {line}" for line in head), str(found), *_expression(found)]) + "\n"


def _expression(found: Rules) -> list[str]:
    said = expression_of(found)
    return (
        []
        if said is None
        else [f"as an expression: {plain_words(found.schema.predicted.labels[1])} = {said}"]
    )


def expression_of(found: Rules) -> str | None:
    """Return when the second of two classes is answered; None where there are more classes, or no expression
    that could be read.
    """
    if not found.schema.target or len(found.schema.target.labels) != 2:
        return None
    try:
        return found.expression()
    except OptionError:  # a long list of rules with two answers
        return None


def _markdown(found: Rules, head: list[str]) -> str:
    measure = "share" if found.schema.predicted.labels else "± "
    lines = [f"# Rules for {cell(found.schema.predicted.name)}", ""]
    lines += [f"- {cell(line.strip())}" for line in head]
    lines += ["", f"| | if | then | rows | {measure} |", "|---:|---|---|---:|---:|"]
    for number, rule in enumerate(found.all_rules, 1):
        when = "otherwise" if rule is found.otherwise else _if(rule)
        lines.append(f"| {number} | {when} | {_then(rule)} | {rule.covers:,.10g} | {_measure(rule)} |")
    notes = [cell(note) for note in [*found.notes, *_expression(found)]]
    return "\n".join([*lines, *(["", *notes] if notes else [])]) + "\n"


def _if(rule: Rule) -> str:
    several = len(rule.conditions) > 1
    texts = [c.bracketed if several else c.sentence() for c in rule.conditions]
    return " **and** ".join(cell(text) for text in texts) or "always"


def _then(rule: Rule) -> str:
    return cell(rule.answer) if isinstance(rule.answer, str) else f"{rule.answer:.6g}"


def _measure(rule: Rule) -> str:
    if rule.probability is not None:
        return f"{rule.probability:.3f}"
    return f"{rule.share:.3f}" if isinstance(rule.answer, str) else f"{rule.spread:.4g}"


def cell(text: str) -> str:
    """Return a text that stays in its cell and means nothing to Markdown."""
    out = plain_words(text)
    for character in "\\`*_{}[]<>#|":
        out = out.replace(character, "\\" + character)
    return out


def _json(model: Tree | RuleModel, found: Rules, sha256: str, more: dict[str, Any]) -> str:
    data = {"kind": model.kind, "sha256": sha256} | more | found.to_dict()
    if (said := expression_of(found)) is not None:
        data["expression"] = said
    return printable(json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False)) + "\n"
