"""A working as HTML: one page that opens without a network, or a part of a notebook.

Knows parts and HTML. Knows nothing of methods. Law: text of the user is escaped.
"""

from __future__ import annotations

from tallystick.draw.svg import escape
from tallystick.working.document import Drawing, Formula, Headline, Listing, Part, Sentence
from tallystick.working.pieces import Line, Lowered, Over, Piece, Quoted, Raised, Ratio, Root

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
    title = next((escape(_plain(p.text)) for p in parts if isinstance(p, Headline)), "Working")
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
    inner = "\n".join(_part(part) for part in parts)
    return f'<style>{STYLE}</style>\n<div class="working">\n{inner}\n</div>'


def _plain(line: Line) -> str:
    from tallystick.working.as_text import flat

    return flat(line)


def _part(part: Part) -> str:
    if isinstance(part, Headline):
        return f"<h{part.level}>{marked(part.text)}</h{part.level}>"
    if isinstance(part, Sentence):
        return f"<p>{marked(part.text)}</p>"
    if isinstance(part, Formula):
        steps = [marked(step) for step in part.steps] or ['<span class="blank">&nbsp;</span>']
        return f'<p class="formula">{" = ".join([marked(part.left), *steps])}</p>'
    if isinstance(part, Listing):
        return _listing(part)
    if isinstance(part, Drawing):
        lines = "\n".join(map(escape, part.lines))  # escaping a line end would show it as `\\n`
        return f'<pre tabindex="0">{lines}</pre>'
    return "<p>&nbsp;</p>" * part.lines


def _listing(part: Listing) -> str:
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
    return "".join(_marked(piece) for piece in line)


def _marked(piece: Piece) -> str:
    if isinstance(piece, Over):
        return f"<sup>{marked(piece.top)}</sup>⁄<sub>{marked(piece.bottom)}</sub>"
    if isinstance(piece, Ratio) and not piece.short:
        return f"{piece.top}/{piece.bottom}"
    if isinstance(piece, Raised):
        return f"<sup>{marked(piece.of)}</sup>"
    if isinstance(piece, Lowered):
        return f"<sub>{marked(piece.of)}</sub>"
    if isinstance(piece, Root):
        return f"√({marked(piece.of)})"
    return escape(piece.text if isinstance(piece, Quoted) else _plain((piece,)))
