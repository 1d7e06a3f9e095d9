"""`work()`: a worked solution as a document of plain parts; renderers to HTML, LaTeX, text and Markdown.

Parts: what lines are made of; parts of a document (`Working`); HTML; LaTeX; plain text; Markdown; the
opening; `work()`, the entry.
working = all steps of a fit by hand; part = headline, sentence, formula, table, drawing or space.
Laws: a part is the same for every renderer; a sheet without answers holds nothing that was worked out.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from tallystick import methods
from tallystick.draw.svg import Span, escape, plain, table, width, wrapped
from tallystick.errors import OptionError, counted, for_reader, nearest, shown, some
from tallystick.export.rules import cell
from tallystick.files import as_path, whole_file
from tallystick.model.conditions import number, plain_words
from tallystick.schema import ABSENT, CODED, Column, Note
from tallystick.table.table import LocalTable

if TYPE_CHECKING:
    from tallystick.contracts import Table


# The pieces of a line: words, names, numbers and a little algebra, without their look. A number keeps its
# exact value and the digits it is shown in, a name is text of the user, algebra is nested lines.

Number = int | float | Fraction
FINEST = 100  # a fraction is written as a decimal when so many parts hold it exactly: 0.4, 0.25


@dataclass(frozen=True)
class Quoted:
    """Text of the user: a column, a level, a class, a condition on them."""

    text: str


@dataclass(frozen=True)
class Value:
    """A number that was worked out, kept in full. digits: decimals that are shown; significant: digits that
    matter instead, for products that can be small.
    """

    number: Number
    digits: int = 4
    significant: int = 0

    @property
    def written(self) -> str:
        """The number as a person writes it, with a minus sign."""
        return written(self.number, self.digits, self.significant)


@dataclass(frozen=True)
class Ratio:
    """A fraction of counts as they are, never reduced: 4/14. decimal: written as 0.4 where that is exact."""

    top: int
    bottom: int
    decimal: bool = False

    @property
    def value(self) -> Fraction:
        """The exact value."""
        return Fraction(self.top, self.bottom)

    @property
    def short(self) -> str | None:
        """The decimal to be written, where it is wanted and exact."""
        if not self.decimal or FINEST % self.value.denominator:
            return None
        return f"{float(self.value):g}"


@dataclass(frozen=True)
class Over:
    """One line over another."""

    top: Line
    bottom: Line


@dataclass(frozen=True)
class Raised:
    """An exponent."""

    of: Line


@dataclass(frozen=True)
class Lowered:
    """An index."""

    of: Line


@dataclass(frozen=True)
class Root:
    """A square root."""

    of: Line


Piece = str | Quoted | Value | Ratio | Over | Raised | Lowered | Root
Line = tuple[Piece, ...]


def line(*pieces: Piece | Line) -> Line:
    """Return pieces and lines as one line."""
    out: list[Piece] = []
    for piece in pieces:
        out += piece if isinstance(piece, tuple) else [piece]
    return tuple(out)


def summed(numbers: Sequence[float]) -> Line:
    """Return numbers with plus and minus signs between them."""
    out: list[Piece] = []
    for k, x in enumerate(numbers):
        out += [*([" − " if x < 0 else " + "] if k else []), Value(abs(x) if k else x)]
    return tuple(out)


def bracketed(number: Number, digits: int = 4, significant: int = 0) -> Line:
    """Return a number that follows a sign: in brackets where it has one of its own."""
    value = Value(number, digits, significant)
    return (value,) if number >= 0 else ("(", value, ")")


def joined(lines: Sequence[Line], between: str) -> Line:
    """Return lines with a sign between them."""
    out: list[Piece] = []
    for k, each in enumerate(lines):
        out += [*([between] if k else []), *each]
    return tuple(out)


def written(number: Number, digits: int = 4, significant: int = 0) -> str:
    """Return a number with so many decimals, or digits that matter; whole numbers as they are, small ones
    with a power of ten, and an exact 0 as 0.
    """
    if isinstance(number, int) or number == int(number if math.isfinite(number) else 0):
        return f"{int(number):,}".replace("-", "−")
    x = float(number)
    if not math.isfinite(x):
        return "undefined" if x != x else "∞" if x > 0 else "−∞"
    matter = significant or 4
    if abs(x) < 1e-4:
        return _with_power(number, matter).replace("-", "−")
    if significant or abs(x) < 10 ** (1 - digits):  # digits that matter, without zeros at the end
        fixed = f"{x:,.{max(0, matter - 1 - math.floor(math.log10(abs(x))))}f}"
        return (fixed.rstrip("0").rstrip(".") if "." in fixed else fixed).replace("-", "−")
    return f"{x:,.{digits}f}".replace("-", "−")


def _with_power(number: float | Fraction, matter: int) -> str:
    """Return a small number with its power of ten; an exact one also where no double is so small."""
    if float(number) == 0 and isinstance(number, Fraction):
        log = math.log10(abs(number.numerator)) - math.log10(number.denominator)
        power = math.floor(log)
        return f"{10 ** (log - power):.{matter - 1}f}·10{superscript(power)}"
    mantissa, _, text = f"{float(number):.{matter - 1}e}".partition("e")
    return f"{mantissa}·10{superscript(int(text))}"


def superscript(number: int) -> str:
    """Return a whole number in raised digits."""
    return str(number).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def rational(x: float) -> Fraction | None:
    """Return the decimal that a person reads in a number of the table, exactly; None where there is none."""
    return Fraction(repr(float(x))) if math.isfinite(x) else None


def said(text: object) -> Quoted:
    """Return text of the user with control and direction characters escaped."""
    return Quoted(plain_words(text))


Role = Literal["always", "answer", "question"]
"""always: on every sheet; answer: left out where answers are; question: only there."""


@dataclass(frozen=True)
class Headline:
    """A heading; level 1 is the title."""

    text: Line
    level: int = 2
    role: Role = "always"


@dataclass(frozen=True)
class Sentence:
    """A sentence or two."""

    text: Line
    role: Role = "always"


@dataclass(frozen=True)
class Formula:
    """left = step = step ...; the steps are what is asked for."""

    left: Line
    steps: tuple[Line, ...]
    role: Role = "always"


@dataclass(frozen=True)
class Listing:
    """A table. asked: the columns whose cells are asked for. right: columns aligned on their right side.
    marked: the row that won, if any.
    """

    head: tuple[Line, ...]
    rows: tuple[tuple[Line, ...], ...]
    asked: frozenset[int] = frozenset()
    right: frozenset[int] = frozenset()
    marked: int | None = None
    role: Role = "always"


@dataclass(frozen=True)
class Drawing:
    """Lines that keep their spaces: a tree, rules."""

    lines: tuple[str, ...]
    role: Role = "answer"


@dataclass(frozen=True)
class Space:
    """Room for an answer by hand, in lines."""

    lines: int = 3
    role: Role = "question"


Part = Headline | Sentence | Formula | Listing | Drawing | Space


def without_answers(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Return the sheet to be filled in: steps and asked cells empty, answers gone, questions there."""
    out: list[Part] = []
    for part in parts:
        if isinstance(part, Formula):
            part = replace(part, steps=())
        elif isinstance(part, Listing):
            open_rows = (tuple(() if j in part.asked else c for j, c in enumerate(row)) for row in part.rows)
            part = replace(part, rows=tuple(open_rows), marked=None)
        out += [part] if part.role != "answer" else []
    return tuple(out)


def worked_out(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Return the whole working, without the questions."""
    return tuple(part for part in parts if part.role != "question")


@dataclass(frozen=True, eq=False)
class Working:
    """The complete worked solution of a small table.

    parts: the document. model: the fitted estimator that it is about. blank: answers are left out; answers:
    they are appended to the sheet without them.
    """

    parts: tuple[Part, ...]
    model: Any = None
    blank: bool = False
    answers: bool = False

    @property
    def shown(self) -> tuple[Part, ...]:
        """The parts that are rendered: the working, the sheet without answers, or both."""
        if not (self.blank or self.answers):
            return worked_out(self.parts)
        sheet = without_answers(self.parts)
        if not self.answers:
            return sheet
        first, *rest = worked_out(self.parts)
        return (
            *sheet,
            Headline(("Solution",), 1),
            *(rest if isinstance(first, Headline) else (first, *rest)),
        )

    def text(self) -> str:
        """Return the working in plain text."""
        return text(self.shown)

    def markdown(self) -> str:
        """Return the working in Markdown."""
        return markdown(self.shown)

    def latex(self) -> str:
        """Return the working as a LaTeX document."""
        return latex(self.shown)

    def html(self) -> str:
        """Return the working as one HTML page, which opens without a network."""
        return page(self.shown)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the working to a file; its ending says how: .txt, .md, .tex or .html.

        Parameters
        ----------
        path : str or path
            Where to write.
        """
        name = as_path(path)
        ways = {".txt": self.text, ".md": self.markdown, ".tex": self.latex, ".html": self.html}
        render = ways.get(os.path.splitext(name)[1].lower())
        if render is None:
            raise OptionError(
                f"a working is written to .txt, .md, .tex or .html, not to {shown(name)}. Name such a file."
            )
        with whole_file(path, "working", OptionError) as file:
            file.write(render().encode())

    def to_dict(self) -> dict[str, Any]:
        """Return the parts that are shown as plain data; numbers are in full, exact fractions as texts."""
        return {"parts": [_plain_part(part) for part in self.shown]}

    def _repr_html_(self) -> str:
        return body(self.shown)

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__


def _plain_part(part: Part) -> dict[str, Any]:
    if isinstance(part, Headline):
        return {"heading": _plain(part.text), "level": part.level}
    if isinstance(part, Sentence):
        return {"sentence": _plain(part.text)}
    if isinstance(part, Formula):
        return {"formula": [_plain(part.left), *map(_plain, part.steps)]}
    if isinstance(part, Listing):
        head = [_plain(cell) for cell in part.head]
        return {
            "table": [head, *([_plain(cell) for cell in row] for row in part.rows)],
            "chosen": part.marked,
        }
    return {"lines": list(part.lines)} if isinstance(part, Drawing) else {"space": part.lines}


def _plain(line: Line) -> list[Any]:
    out: list[Any] = []
    for piece in line:
        if isinstance(piece, Quoted):
            out.append(piece.text)
        elif isinstance(piece, Value):
            number = piece.number
            value = str(number) if isinstance(number, Fraction) else number
            out.append({"shown": piece.written, "value": value})
        elif isinstance(piece, Ratio):
            out.append({"shown": piece.short or f"{piece.top}/{piece.bottom}", "value": str(piece.value)})
        elif isinstance(piece, Over):
            out.append({"over": [_plain(piece.top), _plain(piece.bottom)]})
        elif isinstance(piece, Raised):
            out.append({"raised": _plain(piece.of)})
        elif isinstance(piece, Lowered):
            out.append({"lowered": _plain(piece.of)})
        else:
            out.append({"root": _plain(piece.of)} if isinstance(piece, Root) else piece)
    return out


# A working as HTML: one page that opens without a network, or a part of a notebook.
# Law: text of the user is escaped.

STYLE = """
.working { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem;
  color: #1c2330; background: #fff; }
.working h1 { font-size: 1.5rem; line-height: 1.25; }
.working h2 { font-size: 1.2rem; margin: 2.2rem 0 .6rem; border-bottom: 1px solid #cdd5e0; }
.working h3 { font-size: 1rem; margin: 1.4rem 0 .4rem; }
.working .formula { margin: .25rem 0 .25rem 1.25rem; font-family: Cambria, Georgia, serif;
  overflow-wrap: anywhere; }
.working .blank { display: inline-block; min-width: 8rem; border-bottom: 1px solid #5b6675; }
.working .wide { overflow-x: auto; }
.working table { border-collapse: collapse; margin: .5rem 0; font-variant-numeric: tabular-nums; }
.working th, .working td { text-align: left; padding: .2rem .7rem; border-bottom: 1px solid #e1e6ee; }
.working td.open { min-width: 3rem; } .working th { font-weight: 600; color: #465163; }
.working .right { text-align: right; } .working tr.won td { background: #e3f0e6; font-weight: 600; }
.working pre { overflow-x: auto; background: #f4f6f9; padding: .7rem; font-size: .85rem; line-height: 1.35; }
.working sup, .working sub { font-size: .72em; line-height: 0; }
@media (prefers-color-scheme: dark) {
  .working { color: #e4e9f1; background: #14181f; } .working h2 { border-color: #3a4452; }
  .working th { color: #b4bfce; } .working th, .working td { border-color: #2c3541; }
  .working tr.won td { background: #1f3a28; } .working pre { background: #1d232c; } }
@media print { .working { max-width: none; } .working h2, .working h3 { break-after: avoid; } }
"""


def page(parts: tuple[Part, ...]) -> str:
    """Return a whole page."""
    title = next((escape(flat(p.text)) for p in parts if isinstance(p, Headline)), "Working")
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    dark = '<meta name="color-scheme" content="light dark">'
    dark_body = "@media (prefers-color-scheme: dark) { body { background: #14181f } }"
    background = f"<style>body {{ margin: 0 }} {dark_body}</style>"
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}{dark}<title>{title}</title>{background}</head>\n'
        f"<body><main>\n{body(parts)}\n</main></body></html>\n"
    )


def body(parts: tuple[Part, ...]) -> str:
    """Return the parts as they stand in a page of others."""
    inner = "\n".join(map(_html_part, parts))
    return f'<style>{STYLE}</style>\n<div class="working">\n{inner}\n</div>'


def _html_part(part: Part) -> str:
    if isinstance(part, Headline):
        return f"<h{part.level}>{marked(part.text)}</h{part.level}>"
    if isinstance(part, Sentence):
        return f"<p>{marked(part.text)}</p>"
    if isinstance(part, Formula):
        steps = [marked(step) for step in part.steps] or ['<span class="blank">&nbsp;</span>']
        return f'<p class="formula">{" = ".join([marked(part.left), *steps])}</p>'
    if isinstance(part, Listing):
        return _html_listing(part)
    if isinstance(part, Drawing):
        lines = "\n".join(map(escape, part.lines))  # escaping a line end would show it as `\\n`
        return f'<pre tabindex="0">{lines}</pre>'
    return "<p>&nbsp;</p>" * part.lines


def _html_listing(part: Listing) -> str:
    def cell(tag: str, j: int, line: Line) -> str:
        names = [*(["right"] if j in part.right else []), *(["open"] if j in part.asked and not line else [])]
        kind = f' class="{" ".join(names)}"' if names else ""
        return f"<{tag}{kind}>{marked(line) or '&nbsp;'}</{tag}>"

    head = "".join(cell("th", j, line) for j, line in enumerate(part.head))
    rows = []
    for k, row in enumerate(part.rows):
        won = ' class="won"' if k == part.marked else ""
        rows.append(f"<tr{won}>{''.join(cell('td', j, line) for j, line in enumerate(row))}</tr>")
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return f'<div class="wide" tabindex="0">{table}</div>'


def marked(line: Line) -> str:
    """Return a line as HTML."""
    out = []
    for piece in line:
        if isinstance(piece, Over):
            out.append(f"<sup>{marked(piece.top)}</sup>⁄<sub>{marked(piece.bottom)}</sub>")
        elif isinstance(piece, Raised):
            out.append(f"<sup>{marked(piece.of)}</sup>")
        elif isinstance(piece, Lowered):
            out.append(f"<sub>{marked(piece.of)}</sub>")
        elif isinstance(piece, Root):
            out.append(f"√({marked(piece.of)})")
        else:
            out.append(escape(flat((piece,))))
    return "".join(out)


# A working as a LaTeX document, for pdflatex, xelatex and lualatex; it asks for packages of the base alone.
# Laws: text of the user means nothing to TeX; every character compiles: one that the fonts of pdflatex lack
# is shown by its number.

HEAD = r"""\documentclass[11pt,a4paper]{article}
\usepackage{iftex}
\ifPDFTeX
  \usepackage[T1]{fontenc}
  \usepackage[utf8]{inputenc}
\fi
\usepackage[margin=22mm]{geometry}
\usepackage{amsmath,longtable}
\setlength{\parindent}{0pt}
\setlength{\parskip}{0.6em}
\setcounter{secnumdepth}{0}
\emergencystretch=3em
"""
LEVELS = {1: r"\section*", 2: r"\subsection*", 3: r"\subsubsection*"}
ESCAPED = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    "-": r"{-}",
} | {c: "\\" + c for c in "&%$#_{}"}
SIGNS = {  # characters of ours that are mathematics
    "−": "-",
    "·": r"\cdot ",
    "²": "^{2}",
    "×": r"\times ",
    "≤": r"\le ",
    "≥": r"\ge ",
    "→": r"\rightarrow ",
    "∞": r"\infty ",
    "π": r"\pi ",
    "√": r"\surd ",
    "∨": r"\lor ",
    "∧": r"\land ",
    "¬": r"\lnot ",
    "…": r"\ldots ",
    "±": r"\pm ",
    "α": r"\alpha ",
    "β": r"\beta ",
    "μ": r"\mu ",
    "σ": r"\sigma ",
    "η": r"\eta ",
    "Σ": r"\textstyle\sum ",
    "₂": "_{2}",
    "₀": "_{0}",
    "₁": "_{1}",
}
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
BOXES = {"├": "|", "└": "`", "│": "|", "─": "-"}
WORD = re.compile(r"log₂|ln\b|[^\W\d_]+(?: [^\W\d_]+)*|[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+|.")
FITS = 40  # rows of a table on one page; TeX sets a longer one right when it is run twice
LATIN = 0x180  # characters below this are in the fonts of pdflatex
TIGHT = set("=+−·/<>(),|")  # no space is written beside these: mathematics has its own


def latex(parts: tuple[Part, ...]) -> str:
    """Return the parts as a whole document."""
    body = "\n\n".join(_latex_part(part) for part in parts)
    strange = sorted({c for c in body if ord(c) >= LATIN})
    known = "".join(f"\\DeclareUnicodeCharacter{{{ord(c):04X}}}{{[U+{ord(c):04X}]}}\n" for c in strange)
    declared = f"\\ifPDFTeX\n{known}\\fi\n" if known else ""
    return f"{HEAD}{declared}\\begin{{document}}\n\n{body}\n\n\\end{{document}}\n"


def _latex_part(part: Part) -> str:
    if isinstance(part, Headline):
        return f"{LEVELS[part.level]}{{{words(part.text)}}}"
    if isinstance(part, Sentence):
        return words(part.text)
    if isinstance(part, Formula):
        steps = [mathematics(step) for step in part.steps] or [r"\underline{\hspace{6em}}"]
        whole = " = ".join([mathematics(part.left), *steps])  # it may break at its signs, as long sums must
        return f"{{\\leftskip=1.5em \\rightskip=0pt plus 1fil $ {whole} $\\par}}"
    if isinstance(part, Listing):
        return _latex_listing(part)
    if isinstance(part, Drawing):
        lines = []
        for line in part.lines:  # its spaces stay: those at the beginning do not break
            plain = "".join(BOXES.get(c, c) for c in line)
            inner = plain.lstrip(" ")
            spaced = escaped(inner).replace("  ", r"\ \ ")
            lines.append(r"\mbox{}" + "~" * (len(plain) - len(inner)) + spaced)
        return "{\\small\\ttfamily\\raggedright\n" + " \\\\\n".join(lines) + "\n\n}"
    return f"\\vspace{{{part.lines}\\baselineskip}}"


def _latex_listing(part: Listing) -> str:
    sides = "".join("r" if j in part.right else "l" for j in range(len(part.head)))
    blank = part.asked and any(not row[j] for row in part.rows for j in part.asked)
    kind = "tabular" if len(part.rows) <= FITS else "longtable"
    lines = [_row([words(c) for c in part.head]) + r" \hline" + (r" \endhead" if kind == "longtable" else "")]
    for k, row in enumerate(part.rows):
        cells = [words(c) for c in row]
        if k == part.marked:
            cells = [f"\\textbf{{{c}}}" for c in cells]
        if blank:
            cells = [c or r"\underline{\hspace{2em}}" for c in cells]
        lines.append(_row(cells))
    size = r"\footnotesize\setlength{\tabcolsep}{3pt}" if len(part.head) > 6 else r"\small"
    place = "[l]" if kind == "longtable" else ""
    table = "\n".join([f"\\begin{{{kind}}}{place}{{{sides}}}", *lines, f"\\end{{{kind}}}"])
    return f"{{{size}\n{table}\n\\par}}"


def _row(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def words(line: Line) -> str:
    """Return a line as text, with its algebra as mathematics."""
    out = []
    for piece in line:
        if isinstance(piece, str | Quoted) or (isinstance(piece, Ratio) and not piece.short):
            out.append(escaped(flat((piece,))))
        else:
            out.append(f"${mathematics((piece,))}$")
    return "".join(out)


def escaped(text: str) -> str:
    """Return text in which no character means anything to TeX; signs of mathematics are set as such."""
    out = []
    for token in re.findall(r"log₂|10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+|.", text, re.DOTALL):
        if token == "log₂":
            out.append(r"$\log_2$")
        elif len(token) > 1:
            out.append(f"$10^{{{token[2:].translate(RAISED)}}}$")
        elif token in SIGNS:
            out.append(
                f"${SIGNS[token].strip()}$" if SIGNS[token][0] not in "^_" else f"${{}}{SIGNS[token]}$"
            )
        else:
            out.append(ESCAPED.get(token, token))
    return "".join(out)


def mathematics(line: Line) -> str:
    """Return a line as mathematics."""
    out = []
    for piece in line:
        if isinstance(piece, str | Value):
            out.append(_signs(flat((piece,))))
        elif isinstance(piece, Quoted):
            out.append(r"\ \allowbreak ".join(f"\\text{{{escaped(word)}}}" for word in piece.text.split(" ")))
        elif isinstance(piece, Ratio):
            out.append(piece.short or f"\\tfrac{{{piece.top}}}{{{piece.bottom}}}")
        elif isinstance(piece, Over):
            out.append(f"\\frac{{{mathematics(piece.top)}}}{{{mathematics(piece.bottom)}}}")
        elif isinstance(piece, Root):
            out.append(f"\\sqrt{{{mathematics(piece.of)}}}")
        else:
            out.append(f"{'^' if isinstance(piece, Raised) else '_'}{{{mathematics(piece.of)}}}")
    return "".join(out)


def _signs(text: str) -> str:
    """Return our own words and signs as mathematics: words are text, single letters are variables."""
    out = []
    for token in WORD.findall(text):
        if token == "log₂":
            out.append(r"\log_2 ")
        elif token == "ln":
            out.append(r"\ln ")
        elif token[0] in "⁻⁰¹²³⁴⁵⁶⁷⁸⁹":
            out.append(f"^{{{token.translate(RAISED)}}}")
        elif len(token) > 1:
            out.append(f"\\text{{{escaped(token)}}}")
        elif token == " ":
            out.append("" if set(text.strip()) <= TIGHT and text.strip() else r"\ ")
        elif token == ",":
            out.append("{,}" if re.search(r"\d,\d", text) else ", ")
        else:
            out.append(SIGNS.get(token, r"\%" if token == "%" else token))
    return "".join(out)


# A working as plain text, for terminals and files.
# Law: every number of a part is in the text.

WIDE = 100  # cells of a line, where it can be broken
EMPTY = "________"  # a blank to be filled in
RULES = {1: "=", 2: "-"}  # characters that underline a heading, by its level
TEXT_SIGNS = set(" =+−·/(,")  # a line without these needs no brackets


def text(parts: tuple[Part, ...]) -> str:
    """Return the parts as text that ends with a line end."""
    out: list[str] = []
    before: Part | None = None
    for part in parts:
        if out and not (isinstance(part, Formula) and isinstance(before, Formula)):
            out.append("")
        out += _text_part(part)
        before = part
    return "\n".join(out) + "\n"


def _text_part(part: Part) -> list[str]:
    if isinstance(part, Headline):
        words = flat(part.text)
        return [words, RULES[part.level] * width(words)] if part.level in RULES else [f"{words}:"]
    if isinstance(part, Sentence):
        return plain(wrapped(flat(part.text), WIDE)).split("\n")
    if isinstance(part, Formula):
        return formula(part)
    if isinstance(part, Listing):
        heads = [flat(cell) for cell in part.head]
        rows = [[Span(flat(cell)) for cell in row] for row in part.rows]
        if part.marked is not None:
            heads = ["", *heads]
            rows = [[Span("→" if k == part.marked else ""), *row] for k, row in enumerate(rows)]
        right = frozenset(j + (part.marked is not None) for j in part.right)
        return ["  " + line for line in plain(table(heads, rows, right, 10_000)).split("\n")]
    return list(part.lines) if isinstance(part, Drawing) else [""] * part.lines


def formula(part: Formula) -> list[str]:
    """Return a formula in one line, or with a line for each step where it is long."""
    steps = [flat(step) for step in part.steps] or [EMPTY]
    left = f"  {flat(part.left)}"
    whole = " = ".join([left, *steps])
    if width(whole) <= WIDE:
        return [whole]
    return [f"{left} = {steps[0]}", *(f"      = {step}" for step in steps[1:])]


def flat(line: Line) -> str:
    """Return a line of pieces in one row of characters."""
    out = []
    for piece in line:
        if isinstance(piece, str):
            out.append(piece)
        elif isinstance(piece, Quoted):
            out.append(piece.text)
        elif isinstance(piece, Value):
            out.append(piece.written)
        elif isinstance(piece, Ratio):
            out.append(piece.short or f"{piece.top}/{piece.bottom}")
        elif isinstance(piece, Over):
            out.append(f"{_bracketed(piece.top)}/{_bracketed(piece.bottom)}")
        elif isinstance(piece, Root):
            out.append(f"√({flat(piece.of)})")
        elif isinstance(piece, Lowered):  # R_f1(1,1): a name alone needs no brackets
            out.append(f"_{_bracketed(piece.of)}")
        else:
            inner = flat(piece.of)
            out.append(f"^{inner}" if len(inner) == 1 else f"^({inner})")
    return "".join(out)


def _bracketed(line: Line) -> str:
    words = flat(line)
    if len(line) == 1 and isinstance(line[0], Root):
        return words
    return f"({words})" if set(words) & TEXT_SIGNS else words


# A working as Markdown. Algebra is written in Unicode, which every reader of Markdown shows.
# Law: text of the user means nothing to Markdown.


def markdown(parts: tuple[Part, ...]) -> str:
    """Return the parts as Markdown that ends with a line end."""
    return "\n\n".join("\n".join(_markdown_part(part)) for part in parts) + "\n"


def _markdown_part(part: Part) -> list[str]:
    if isinstance(part, Headline):
        return [f"{'#' * part.level} {mark_up(part.text)}"]
    if isinstance(part, Sentence):
        return [mark_up(part.text)]
    if isinstance(part, Formula):
        steps = [mark_up(step) for step in part.steps] or [cell(EMPTY)]
        return [f"> {' = '.join([mark_up(part.left), *steps])}"]
    if isinstance(part, Listing):
        sides = ["---:" if j in part.right else "---" for j in range(len(part.head))]
        rows = [[mark_up(c) for c in part.head], sides]
        for k, row in enumerate(part.rows):
            cells = [mark_up(c) for c in row]
            rows.append([f"**{c}**" if k == part.marked and c else c for c in cells])
        return [f"| {' | '.join(cells)} |" for cells in rows]
    if isinstance(part, Drawing):
        fence = "`" * max(3, 1 + max((_ticks(line) for line in part.lines), default=0))
        return [f"{fence}text", *part.lines, fence]
    return ["<br>"] * part.lines


def _ticks(line: str) -> int:
    """Return the longest run of backticks."""
    return max((len(run) for run in "".join(c if c == "`" else " " for c in line).split()), default=0)


def mark_up(line: Line) -> str:
    """Return a line in which no character means anything to Markdown."""
    return cell(flat(line))


# The opening of a working: the title and the table.

MOST_SHOWN = 60  # rows of a table that are printed
MOST_WHOLE = 300  # rows of a table whose working has every step
ROUNDED = "Numbers are worked out in full and rounded where they are shown."


def opening(title: str, table: Table, task: Line, notes: Sequence[Note]) -> list[Part]:
    """Return the title, the task for a sheet without answers, and the rows, if they fit on a page, with what
    was done to them.
    """
    parts: list[Part] = [Headline((said(title),), 1), Sentence(task, "question"), Headline(("The table",))]
    if table.rows <= MOST_SHOWN:
        parts.append(rows_of(table))
    else:
        target = said(table.schema.predicted.name)
        columns = counted(len(table.schema.used), "column")
        parts.append(Sentence(line(f"{table.rows:,} rows, {columns} and the target ", target, ".")))
    texts = [for_reader(note.text) for note in notes if note.code != "pruned"]
    parts += [Sentence(line("Note: ", said(text))) for text in texts]
    return [*parts, Sentence((ROUNDED,), "answer")]


def rows_of(table: Table) -> Listing:
    """Return the rows as they were read."""
    schema, block = table.schema, table.local().slice(0, table.rows)
    columns = [c for c in schema.used if c.kind != "text"]
    cells = [block.codes(c.name) if c.kind in CODED else block.values(c.name) for c in columns]
    texts = [c for c in schema.used if c.kind == "text"]
    labels, classes = schema.predicted.labels, block.classes
    assert classes is not None
    rows = []
    for i in range(table.rows):
        row: list[Line] = [(f"{i + 1}",)]
        row += [(Quoted(cell_text(c, values[i])),) for c, values in zip(columns, cells, strict=True)]
        row += [(Quoted(_text(block, c, i)),) for c in texts]
        rows.append((*row, (said(labels[int(classes[i])]),)))
    names: list[Line] = [(said(c.name),) for c in (*columns, *texts)]
    head = (("row",), *names, (said(schema.predicted.name),))
    right = frozenset({0, *(k for k, c in enumerate(columns, 1) if c.kind == "numeric")})
    return Listing(head, tuple(rows), right=right)


def cell_text(column: Column, cell: Any) -> str:
    """Return the text of an encoded cell."""
    if column.kind in CODED:
        return said(column.levels[int(cell)]).text if int(cell) < len(column.levels) else ABSENT
    return ABSENT if cell != cell else number(float(cell), column)


def _text(block: Any, column: Column, row: int) -> str:
    """Return the words of one cell with their counts, in the order of the vocabulary."""
    starts, words, counts = block.words(column.name)
    at = slice(int(starts[row]), int(starts[row + 1]))
    known = [*column.words, "(other words)"]
    found = zip(words[at].tolist(), counts[at].tolist(), strict=True)
    return ", ".join(said(known[w]).text + (f" ×{n}" if n > 1 else "") for w, n in found) or ABSENT


# `work`: fit a method to a small table and show how it is done by hand.


def work(
    X: Any,
    y: Any,
    *,
    method: str = "id3",
    row: Any = None,
    blank: bool = False,
    answers: bool = False,
    **settings: Any,
) -> Working:
    """Return the complete worked solution of a small table: every count, formula and choice of a method.

    Tables of up to 300 rows are worked out whole; of larger ones a tree is worked out at its root.

    Parameters
    ----------
    X : path, frame, Arrow table, matrix or records
        The rows.
    y : str or array
        The labels, or the name of their column.
    method : str, default "id3"
        What is worked out: "id3", "c45", "cart", "tree", "bayes", "logistic", or one of their variants.
    row : dict or int, default None
        A row to answer, by its values (what is not named is missing) or by its place in X, from 0; None:
        naive Bayes and logistic regression take the first, a tree none.
    blank : bool, default False
        Whether the answers are left out: a sheet to be filled in.
    answers : bool, default False
        Whether the sheet without answers is followed by its solution.
    **settings
        Parameters of the method, such as min_samples_leaf=2 or kinds={"zip": "levels"}.

    Returns
    -------
    Working
        A document that prints as text; `markdown()`, `latex()`, `html()` and `save(path)` give other forms.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"a": i // 2 % 2, "b": i % 2, "y": "no yes".split()[i // 2 % 2]} for i in range(8)]
    >>> print(ts.work(rows, "y"))
    ID3 tree for y: the working
    ...
    """
    if not isinstance(method, str):
        raise OptionError(f"method must be a name such as id3, not {shown(method)}.")
    way = methods.variant(method)
    if way.method.working == methods.Method.working:
        raise OptionError(f"{way.words} has no working. Use one of {', '.join(methods.WORKED)}.")
    estimator = way.make({}).set_params(**settings)
    table = estimator._read(X, y)
    if not isinstance(table, LocalTable) or table.budget:
        raise OptionError("a working needs its rows in memory: it is for small tables. Leave memory= out.")
    estimator._fit_table(table)
    estimator._keep_profile(table)
    title = f"{way.words[0].upper()}{way.words[1:]} for {table.schema.predicted.name}: the working"
    asked = None if row is None else (_whole(row, estimator), 0) if isinstance(row, Mapping) else (X, row)
    solve = way.method.load("working")
    parts: Sequence[Part] = solve(estimator, table, title, asked, table.rows <= MOST_WHOLE)
    return Working(tuple(parts), estimator, blank, answers)


def _whole(row: Mapping[str, Any], estimator: Any) -> dict[str, Any]:
    """Return a record with all columns of the fit; what it does not name is missing, what it alone names is
    an error.
    """
    names = list(estimator._columns_in())
    for name in row:
        if name not in names and name != estimator.schema_.predicted.name:
            raise OptionError(
                f"the row names {shown(name)}, which is not a column of the table.{nearest(name, names)} "
                f"Columns: {some(names)}."
            )
    return {name: row.get(name) for name in names}


def no_working(*given: Any) -> list[Part]:
    """Stand for the solver of a method without one; `work` refuses such a method before it is asked."""
    raise OptionError("this method has no working.")
