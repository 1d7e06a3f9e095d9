"""A working as a LaTeX document, for pdflatex, xelatex and lualatex; it asks for packages of the base alone.

Knows parts and the characters of TeX. Knows nothing of methods.
Laws: text of the user means nothing to TeX; every character compiles: one that the fonts of pdflatex lack is
shown by its number.
"""

from __future__ import annotations

import re

from tallystick.working.document import Drawing, Formula, Headline, Listing, Part, Sentence
from tallystick.working.pieces import Line, Lowered, Over, Piece, Quoted, Raised, Ratio, Root, Value

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
    body = "\n\n".join(_part(part) for part in parts)
    strange = sorted({c for c in body if ord(c) >= LATIN})
    known = "".join(f"\\DeclareUnicodeCharacter{{{ord(c):04X}}}{{[U+{ord(c):04X}]}}\n" for c in strange)
    declared = f"\\ifPDFTeX\n{known}\\fi\n" if known else ""
    return f"{HEAD}{declared}\\begin{{document}}\n\n{body}\n\n\\end{{document}}\n"


def _part(part: Part) -> str:
    if isinstance(part, Headline):
        return f"{LEVELS[part.level]}{{{words(part.text)}}}"
    if isinstance(part, Sentence):
        return words(part.text)
    if isinstance(part, Formula):
        return _formula(part)
    if isinstance(part, Listing):
        return _listing(part)
    if isinstance(part, Drawing):
        return _drawing(part)
    return f"\\vspace{{{part.lines}\\baselineskip}}"


def _formula(part: Formula) -> str:
    """Return a formula that may break at its signs, as long sums must."""
    steps = [mathematics(step) for step in part.steps] or [r"\underline{\hspace{6em}}"]
    whole = " = ".join([mathematics(part.left), *steps])
    return f"{{\\leftskip=1.5em \\rightskip=0pt plus 1fil $ {whole} $\\par}}"


def _listing(part: Listing) -> str:
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


def _drawing(part: Drawing) -> str:
    lines = [r"\mbox{}" + _drawn(line) for line in part.lines]
    return "{\\small\\ttfamily\\raggedright\n" + " \\\\\n".join(lines) + "\n\n}"


def _drawn(line: str) -> str:
    """Return a line whose spaces stay: those at its beginning do not break."""
    plain = "".join(BOXES.get(c, c) for c in line)
    body = plain.lstrip(" ")
    spaced = escaped(body).replace("  ", r"\ \ ")
    return "~" * (len(plain) - len(body)) + spaced


def words(line: Line) -> str:
    """Return a line as text."""
    return "".join(_words(piece) for piece in line)


def _words(piece: Piece) -> str:
    if isinstance(piece, str):
        return escaped(piece)
    if isinstance(piece, Quoted):
        return escaped(piece.text)
    if isinstance(piece, Ratio) and not piece.short:
        return f"{piece.top}/{piece.bottom}"
    return f"${_math(piece)}$"


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
    return "".join(_math(piece) for piece in line)


def _math(piece: Piece) -> str:
    if isinstance(piece, str):
        return _signs(piece)
    if isinstance(piece, Quoted):
        return r"\ \allowbreak ".join(f"\\text{{{escaped(word)}}}" for word in piece.text.split(" "))
    if isinstance(piece, Value):
        return _signs(piece.written)
    if isinstance(piece, Ratio):
        return piece.short or f"\\tfrac{{{piece.top}}}{{{piece.bottom}}}"
    if isinstance(piece, Over):
        return f"\\frac{{{mathematics(piece.top)}}}{{{mathematics(piece.bottom)}}}"
    if isinstance(piece, Root):
        return f"\\sqrt{{{mathematics(piece.of)}}}"
    sign = "^" if isinstance(piece, Raised) else "_" if isinstance(piece, Lowered) else ""
    return f"{sign}{{{mathematics(piece.of)}}}"


def _signs(text: str) -> str:
    """Return our own words and signs as mathematics: words are text, single letters are variables."""
    out = []
    for k, token in enumerate(WORD.findall(text)):
        if token == "log₂":
            out.append(r"\log_2 ")
        elif token == "ln":
            out.append(r"\ln ")
        elif token[0] in "⁻⁰¹²³⁴⁵⁶⁷⁸⁹":
            out.append(f"^{{{token.translate(RAISED)}}}")
        elif len(token) > 1:
            out.append(f"\\text{{{escaped(token)}}}")
        elif token == " ":
            out.append(_gap(text, k))
        elif token == ",":
            out.append("{,}" if re.search(r"\d,\d", text) else ", ")
        else:
            out.append(SIGNS.get(token, r"\%" if token == "%" else token))
    return "".join(out)


def _gap(text: str, k: int) -> str:
    """Return a space between words; none beside a sign, which has its own."""
    return "" if set(text.strip()) <= TIGHT and text.strip() else r"\ "
