"""`describe()`, and a description as lines: the classes, one line per column, why each kind, the notes.

Entry: `describe()`; `page()` writes the lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from tallystick.contracts import Engine
from tallystick.description.changes import changes
from tallystick.description.columns import (
    ColumnView,
    Description,
    Group,
    RangedNumbers,
    TableCounts,
    alike,
    bare_view,
    class_parts,
    giveaways,
    given_away,
    prints,
    ranged,
    repeated,
    text_view,
    unavoidable,
    views,
)
from tallystick.draw.svg import Line, Span, bar, cut, padded, spark, table, width, wrapped
from tallystick.engine import STEPS_DONE, Local, check_progress, choose_local
from tallystick.errors import clean, counted, page_limit, without_count
from tallystick.io.open import is_spark, open_source
from tallystick.parallel import FEW_ROWS, in_order
from tallystick.schema import ColumnOptions, Columns, Note
from tallystick.stats import one_column_rules
from tallystick.table.block import conflicts
from tallystick.table.reader import read_table
from tallystick.table.suspicious_values import sentinels
from tallystick.table.table import LocalTable
from tallystick.text import figure, quantity

# `describe()` makes the data (`columns.py`); the lines for a terminal follow below.


def describe(
    data: Any,
    target: str | None = None,
    *,
    against: Any = None,
    progress: Callable[..., None] | None = None,
    columns: Columns | None = None,
    kinds: Mapping[str, str] | None = None,
    engine: Engine | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
) -> Description:
    """Say what the columns of a table are taken for, what they hold, and what they tell about a target.

    What is described is what would be fitted: the parameters are those that every estimator has.

    Parameters
    ----------
    data : path, frame, Arrow table, matrix or records
        The rows, as `fit` takes them.
    target : str, default None
        The column to predict. With it each column has its information gain and gain ratio in bits, and its
        best cut.
    against : path or fitted model, default None
        A model: `changes` then says what changed in each column since its training.
    progress : function, default None
        Called as progress(done, total, what) while the work goes on.
    columns : ts.Columns, default None
        What you know of the columns: kinds, levels, marks of missing values, columns to keep.
    kinds : dict, default None
        Short for `columns=ts.Columns(kinds=...)`.
    engine : ts.Local, ts.Spark or ts.Sql, default None
        Who sums the rows; None is this machine. It changes no model.
    threads, memory : int; int or str, default None
        Short for `engine=ts.Local(threads=..., memory=...)`: all cores, and all rows in memory.

    Returns
    -------
    Description
        Prints as a page, draws in a notebook, and has all of it as data.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"sky": "sun", "play": "no"}, {"sky": "rain", "play": "yes"}] * 10
    >>> ts.describe(rows, "play")["sky"].gain
    1.0
    """
    known, work = Columns.of(columns, kinds), choose_local(engine, threads, memory)
    check_progress(progress, STEPS_DONE)
    wishes = ColumnOptions(known.kinds, known.levels, known.missing, known.keep, known.merge, trivial=True)
    table: Any
    if is_spark(data) and against is None:
        from tallystick.spark.read import WHERE, read_frame

        table = read_frame(data, wishes, target)  # the rows stay there, counts come here
        try:
            return describe_table(WHERE, table)
        finally:
            table.release()
    source = open_source(data, memory=work.memory)
    if work.memory is None:
        table = read_table(source, wishes, target, threads=work.threads, progress=progress)
    else:
        from tallystick.io.scratch import budget
        from tallystick.table.reader import read_to_disk

        table = read_to_disk(source, budget(work.memory), wishes, target, threads=work.threads)
    found = describe_table(source.name, table, work.threads, source.form)
    return found if against is None else replace(found, changes=changes(source, against, work.threads))


def describe_table(name: str, table: Any, threads: int | None = None, form: str = "") -> Description:
    """Describe a table that was read before; name, form: what its source is called and how it was read."""
    local = isinstance(table, LocalTable)
    if local:
        table.rank_all(threads)
    one = not local or table.budget > 0 or table.rows < FEW_ROWS  # elsewhere memory may have no room for more
    return replace(_described(name, table, table.engine or Local(threads), 1 if one else threads), form=form)


def _described(name: str, table: Any, engine: Engine, threads: int | None) -> Description:
    """Count every column against the classes, and keep only the counts."""
    target, counts = table.schema.target, TableCounts(table, engine)
    parts, whole = class_parts(target, counts.classes) if target else ((), None)
    found: dict[str, ColumnView] = {}
    questions: dict[str, list[Note]] = {}
    marks: dict[str, bytes] = {}
    describe_group = partial(_described_group, known=target is not None, used=len(table.schema.used))
    jobs = (partial(describe_group, group) for group in chain(counts.groups(), ranged(counts)))
    for seen, notes_on, own in in_order(jobs, threads):
        found.update((view.name, view) for view in seen)
        questions.update(notes_on)
        marks.update(own)
    for note in repeated([(c.name, marks[c.name]) for c in table.schema.columns if c.name in marks]):
        questions.setdefault(note.column, []).append(note)
    for column, words in counts.texts():
        found[column.name] = text_view(column, words, target is not None)
        rule = one_column_rules.by_word(words[:-2], words[-1], words[-2], len(table.schema.used))
        if rule is not None and target is not None:
            questions[column.name] = [given_away(column.name, rule)]
    notes = [*table.source_notes, *table.notes]
    notes += [note for column in table.schema.columns for note in questions.get(column.name, ())]
    every = tuple(found.get(column.name) or bare_view(column) for column in table.schema.columns)
    if target is None:
        return Description(name, table.rows, every, tuple(notes))
    notes += unavoidable(conflicts(table))
    return Description(name, table.rows, every, tuple(notes), target.name, parts, whole)


def _described_group(
    group: Group | RangedNumbers, known: bool, used: int
) -> tuple[list[ColumnView], dict[str, list[Note]], dict[str, bytes]]:
    """Return the columns of a group, what a careful reader would ask about them, and by what numbers are
    known again; known: there is a target; used: columns of the table.
    """
    if isinstance(group, RangedNumbers):
        return [group.view(known)], {group.column.name: list(group.notes(known, used))}, {}
    columns, stack = group.columns, group.stack
    last: list[Note | None] = [None] * len(columns)
    if known:
        last = giveaways([c.name for c in columns], stack, not group.values, used)
    questions: dict[str, list[Note]] = {}
    for j, column in enumerate(columns):
        notes: list[Note] = []
        start = int(stack.starts[j])
        if not group.values:
            notes += alike(column, stack.sizes[start : start + len(column.levels)].tolist())
        elif not column.unit:
            distinct = group.values[j]
            sizes = stack.sizes[start : start + len(distinct)]
            notes += [mark.note(column.name) for mark in sentinels(column.name, distinct, sizes)]
        if (giveaway := last[j]) is not None:
            notes.append(giveaway)
        if notes:
            questions[column.name] = notes
    marks = dict(prints(columns, stack)) if group.values else {}
    return views(group, known), questions, marks


SHOWN_CLASSES = 12
SHOWN_COLUMNS = 100
SHOWN_NAMES = 8
SHOWN_NUMBERS = 30
SHOWN_BARS = 12
NAME = 20  # characters of a level's name under its bar
GIVE_WAY = (6, 3)  # columns dropped when the table is too wide: the gain ratio, the distribution
ROOM = 26  # characters that names keep at least; longer ones are cut before another column is dropped
SMALL = 12  # characters of a small distribution


def page(description: Description, cells: int = 80) -> list[Line]:
    """Return the whole description, at most `cells` wide."""
    columns = len(description.columns) + bool(description.target)
    text = f"{counted(description.rows, 'row')}, {counted(columns, 'column')}"
    target = f", target {clean(description.target)}" if description.target else ""
    lines: list[Line] = [(Span(clean(description.name), "strong"), Span(f": {text}{target}"))]
    if description.form:
        lines += wrapped(f"read as {clean(description.form)}", cells, "", "dim")
    lines += [()]
    if description.target:
        lines += [*_classes(description, cells), ()]
    lines += [*_columns(description, cells), ()]
    for part in (_numbers(description, cells), _levels(description, cells)):
        if part:
            lines += [*part, ()]
    lines += _reasons(description, cells)
    if description.notes:
        lines += [(), (Span("notes", "strong"),)]
        for note in description.notes:
            lines += wrapped(clean(note.text), cells, "  - ", "note")
    return lines


def _classes(d: Description, cells: int) -> Iterator[Line]:
    """Yield one bar per class, and the entropy of the class."""
    yield (Span(cut(clean(d.target), cells), "strong"),)
    shown = d.classes[: page_limit(SHOWN_CLASSES)]
    names = [cut(clean(p.label), 30) for p in shown]
    wide, digits = max(map(width, names)), max(len(f"{p.rows:,}") for p in shown)
    for name, part in zip(names, shown, strict=True):
        share = part.rows / d.rows if d.rows else 0.0
        counts = f"{part.rows:>{digits},}  {share:6.1%}  "
        yield (
            Span(f"  {padded(name, wide)}  {counts}"),
            Span(bar(share, max(8, cells - wide - digits - 14)), "bar"),
        )
    if len(d.classes) > len(shown):
        rest = sum(p.rows for p in d.classes[len(shown) :])
        more = counted(len(d.classes) - len(shown), "more class")
        yield (Span(f"  and {more} with {counted(rest, 'row')}", "dim"),)
    text = f"entropy {d.entropy:.4f} bits: what is left to learn before any column is seen"
    yield from wrapped(text, cells, "  ", "dim")


def _columns(d: Description, cells: int) -> Iterator[Line]:
    """Yield one line per column: with a target the most telling first."""
    ranked = sorted(d.columns, key=lambda c: c.rank)  # stable: file order breaks ties
    shown = ranked[: page_limit(SHOWN_COLUMNS)]
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
        yield (Span(f"and {counted(len(ranked) - len(shown), 'more column')} (--all)", "dim"),)


def _numbers(d: Description, cells: int) -> list[Line]:
    """Return the numbers of each numeric column in a line, in the order of the file."""
    every = [c for c in d.columns if c.numbers is not None]
    shown = every[: page_limit(SHOWN_NUMBERS)]
    if not shown:
        return []
    rows = [_summary(c) for c in shown]
    header = ["numbers", "min", "5 %", "25 %", "median", "75 %", "95 %", "max", "mean"]
    kept = list(range(len(header)))
    for gone in ({2, 6}, {3, 5}, {8}, {4}):  # the outer quantiles go first where the page is narrow
        wide = [max(width(header[j]), *(width(row[j].text) for row in rows)) + 2 for j in kept]
        if min(wide[0], ROOM) + sum(wide[1:]) - 2 > cells:
            kept = [j for j in kept if j not in gone]
    cells_shown = [[row[j] for j in kept] for row in rows]
    lines = table([header[j] for j in kept], cells_shown, frozenset(range(1, len(kept))), cells)
    return lines + _more_columns(len(every) - len(shown))


def _summary(c: ColumnView) -> list[Span]:
    assert c.numbers is not None  # they were chosen so
    n, q = c.numbers, [value for _, value in c.numbers.quantiles]
    values = [n.low, q[0], q[1], n.median, q[2], q[3], n.high, n.mean]
    if c.unit == "date" and n.low == int(n.low) and n.high == int(n.high):  # days: none has a time
        values = [float(round(v)) for v in values]
    return [Span(clean(c.name)), *(Span(figure(v, c.unit)) for v in values)]


def _levels(d: Description, cells: int) -> list[Line]:
    """Return the levels of each column as bars with their names under them, and how many rows have each."""
    every = [c for c in d.columns if c.distribution and c.numbers is None]
    lines: list[Line] = []
    shown = every[: page_limit(SHOWN_BARS)]
    wide = min(max((width(clean(c.name)) for c in shown), default=0), ROOM)
    for c in shown:
        lines += _bars(c, wide, cells)
    return lines + _more_columns(len(every) - len(shown))


def _bars(c: ColumnView, wide: int, cells: int) -> list[Line]:
    """Return one column: a bar per level as wide as its name, the names in the line below; where not all fit,
    the most frequent first.
    """
    parts = sorted(c.distribution, key=lambda p: -p.rows) if c.kind == "levels" else c.distribution
    names = [f"{cut(clean(p.label), NAME)} {p.rows:,}" for p in parts]
    room = cells - wide - 2
    if sum(width(name) + 2 for name in names) - 2 > room:
        room -= len(f"  +{len(parts):,}")
    heights = spark([p.rows for p in parts])
    lines: list[Line] = []
    at, name = 0, cut(clean(c.name), wide)
    while at < len(parts):
        end, left = at, room
        while end < len(parts) and (end == at or left >= width(names[end])):
            left -= width(names[end]) + 2
            end += 1
        bars = "  ".join(heights[j] * width(names[j]) for j in range(at, end))
        lines.append((Span(f"{padded(name, wide)}  "), Span(bars.rstrip(), "bar")))
        left = len(parts) - end if page_limit(1) == 1 else 0
        more = [Span(f"  +{left:,}", "dim")] if left else []
        lines.append((Span(" " * (wide + 2) + "  ".join(names[at:end]), "dim"), *more))
        if left:
            break
        at, name = end, ""
    return lines


def _more_columns(count: int) -> list[Line]:
    return [(Span(f"and {counted(count, 'more column')} (--all)", "dim"),)] if count else []


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
        most = page_limit(SHOWN_NAMES)
        more = f" and {len(names) - most:,} more" if len(names) > most else ""
        yield from wrapped(f"{opening}: {', '.join(names[:most])}{more}", cells, f"  {kind:<8} ")
