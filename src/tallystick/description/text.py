"""A description as lines: the classes, one line per column, why each kind, the notes.

Knows descriptions and `draw.text`. Knows nothing of rows or counting.
"""

from __future__ import annotations

from collections.abc import Iterator

from tallystick.data.text import quantity
from tallystick.description.columns import ColumnView, Description
from tallystick.draw.text import Line, Span, bar, clean, cut, padded, spark, table, width, wrapped
from tallystick.errors import counted, without_count

SHOWN_CLASSES = 12
SHOWN_COLUMNS = 100
SHOWN_NAMES = 8
GIVE_WAY = (6, 3)  # columns of the table that go when it is too wide: the gain ratio, the distribution
ROOM = 26  # that names have at least; longer ones are cut before another column goes
SMALL = 12  # characters of a small distribution


def page(description: Description, cells: int = 80, all_columns: bool = False) -> list[Line]:
    """Return the whole description, at most `cells` wide."""
    lines = [_title(description)]
    if description.form:
        lines += wrapped(f"read as {clean(description.form)}", cells, "", "dim")
    lines += [()]
    if description.target:
        lines += [*_classes(description, cells), ()]
    lines += [*_columns(description, cells, all_columns), ()]
    lines += _reasons(description, cells)
    if description.notes:
        lines += [(), (Span("notes", "strong"),)]
        for note in description.notes:
            lines += wrapped(clean(note.text), cells, "  - ", "note")
    return lines


def _title(d: Description) -> Line:
    columns = len(d.columns) + bool(d.target)
    text = f"{counted(d.rows, 'row')}, {counted(columns, 'column')}"
    target = f", target {clean(d.target)}" if d.target else ""
    return Span(clean(d.name), "strong"), Span(f": {text}{target}")


def _classes(d: Description, cells: int) -> Iterator[Line]:
    """Yield one bar per class, and the entropy of the class."""
    yield (Span(cut(clean(d.target), cells), "strong"),)
    shown = d.classes[:SHOWN_CLASSES]
    names = [cut(clean(p.label), 30) for p in shown]
    wide, digits = max(map(width, names)), max(len(f"{p.rows:,}") for p in shown)
    for name, part in zip(names, shown, strict=True):
        share = part.rows / d.rows if d.rows else 0.0
        counts = f"{part.rows:>{digits},}  {share:6.1%}  "
        yield (
            Span(f"  {padded(name, wide)}  {counts}"),
            Span(bar(share, max(8, cells - wide - digits - 14)), "bar"),
        )
    if len(d.classes) > SHOWN_CLASSES:
        rest = sum(p.rows for p in d.classes[SHOWN_CLASSES:])
        more = counted(len(d.classes) - SHOWN_CLASSES, "more class")
        yield (Span(f"  and {more} with {counted(rest, 'row')}", "dim"),)
    text = f"entropy {d.entropy:.4f} bits: what is left to learn before any column is seen"
    yield from wrapped(text, cells, "  ", "dim")


def _columns(d: Description, cells: int, all_columns: bool) -> Iterator[Line]:
    """Yield one line per column: with a target the most telling first."""
    ranked = sorted(d.columns, key=lambda c: c.rank)  # stable: file order breaks ties
    shown = ranked if all_columns else ranked[:SHOWN_COLUMNS]
    header = ["column", "kind", "missing", "distribution"]
    header += ["gain", "left", "ratio", "cut"] if d.target else []
    rows = [_row(c, bool(d.target)) for c in shown]
    kept = list(range(len(header)))
    for gone in GIVE_WAY if d.target else ():
        wide = [max(width(header[j]), *(width(row[j].text) for row in rows)) + 2 for j in kept]
        if min(wide[0], ROOM) + sum(wide[1:]) - 2 > cells:
            kept.remove(gone)
    right = frozenset(i for i, j in enumerate(kept) if j in (2, 4, 5, 6))
    yield from table([header[j] for j in kept], ([row[j] for j in kept] for row in rows), right, cells)
    if len(shown) < len(ranked):
        yield (Span(f"and {counted(len(ranked) - len(shown), 'more column')} (--json has all)", "dim"),)


def _row(c: ColumnView, target: bool) -> list[Span]:
    left_out = c.kind == "out"
    row = [
        Span(clean(c.name), "dim" if left_out else ""),
        Span(c.kind, "note" if left_out else ""),
        Span(f"{c.missing:,}" if c.missing else "-", "" if c.missing else "dim"),
        Span(small(c), "bar"),
    ]
    if target:
        best = quantity(c.cut, c.unit, 6) if isinstance(c.cut, float) else cut(clean(c.cut or ""), 12)
        numbers = ["" if x is None else f"{x:.4f}" for x in (c.gain, c.left, c.gain_ratio)]
        sign = "has " if c.kind == "text" else "< "
        row += [
            Span(numbers[0]),
            Span(numbers[1], "strong"),
            Span(numbers[2]),
            Span(sign + best if best else ""),
        ]
    return row


def small(c: ColumnView) -> str:
    """Return a distribution in a few characters: a block per interval, or per level with its name."""
    if c.kind == "text":
        return counted(c.distinct, "word")
    parts = c.distribution
    if parts and parts[0].low is None and len(parts) > SMALL:
        parts = tuple(sorted(parts, key=lambda p: -p.rows))[: SMALL - 1]
    blocks = spark([p.rows for p in parts])
    named = " ".join(f"{clean(p.label)} {block}" for p, block in zip(parts, blocks, strict=True))
    if parts and parts[0].low is None and width(named) <= SMALL:
        return named
    return blocks + "…" * (len(parts) < len(c.distribution))


def _reasons(d: Description, cells: int) -> Iterator[Line]:
    """Yield why each kind was chosen, columns with one reason together, its number beside the name."""
    groups: dict[tuple[str, str], dict[str, str]] = {}
    for c in d.columns:
        number, reason = without_count(c.why)
        groups.setdefault((c.kind, reason), {})[cut(clean(c.name), 40)] = number
    yield (Span("kinds, and why", "strong"),)
    for (kind, reason), numbers in groups.items():
        one = len(set(numbers.values())) == 1
        opening = ((next(iter(numbers.values())) if one else "") + clean(reason)).strip()
        names = [f"{name} {'' if one else number}".rstrip() for name, number in numbers.items()]
        more = f" and {len(names) - SHOWN_NAMES:,} more" if len(names) > SHOWN_NAMES else ""
        yield from wrapped(f"{opening}: {', '.join(names[:SHOWN_NAMES])}{more}", cells, f"  {kind:<8} ")
