"""Rows of the front door's list of rows to answer and of a table to describe (see bad_inputs.py)."""

from __future__ import annotations

from bad_inputs import ROWS, Case, column, target

NEW = b"x,w\n1.5,a\n2.5,b\n"

PREDICT = [
    Case(2, "header only", b"x,w\n", "OK"),
    Case(3, "one row", b"x,w\n1.5,a\n", "OK"),
    Case(
        55,
        "missing column",
        b"x\n1.5\n",
        "ERROR",
        "lacks 1 column that the model needs: 'w'.*missing_columns='as-missing'",
        typed="lacks 1 column that the model needs: 'w'.*--missing-columns as-missing",
    ),
    Case(
        55,
        "missing column, as missing",
        b"x\n1.5\n",
        "NOTE",
        "lacks 1 column; counted as missing: 'w'",
        flags=("--missing-columns", "as-missing"),
    ),
    Case(56, "other column order", b"w,x\na,1.5\n", "OK"),
    Case(57, "extra columns, the target among them", b"x,w,y,more\n1.5,a,zebra,7\n", "OK"),
    Case(58, "a number as text", b'x,w\n"1.5",a\n', "OK"),
    Case(
        58,
        "an unreadable number",
        b"x,w\n1.5,a\noops,b\n",
        "ERROR",
        "row 2 holds 'oops'.*lenient=True",
        typed="row 2 holds 'oops'.*--lenient",
    ),
    Case(
        58,
        "an unreadable number, lenient",
        b"x,w\n1.5,a\noops,b\n",
        "NOTE",
        "not numbers, taken as missing: 1",
        flags=("--lenient",),
    ),
    Case(59, "unseen level", b"x,w\n1.5,zebra\n", "NOTE", "never seen.*w 1"),
    Case(60, "a value outside the training range", b"x,w\n1e9,a\n", "OK"),
    Case(
        60,
        "a value outside the training range, flagged",
        b"x,w\n1e9,a\n",
        "NOTE",
        r"outside the range of the training rows: 1 \(x 1\)",
        flags=("--flag-outside",),
    ),
    Case(61, "no rows", b"x,w\n", "OK"),
]

DESCRIBE = [
    Case(
        25,
        "a sentinel",
        column([-999, 1, 2, 3, 4, 5, 6, 7]),
        "NOTE",
        r"'z' is -999 in 5 rows, far from all other values \(1 to 7\).*missing=\['-999'\]",
        typed="pass --missing -999",
    ),
    Case(
        37,
        "letter case variants",
        column(["rain", "Rain", "sun"]),
        "NOTE",
        "only in letter case or spaces: 'rain', 'Rain'",
    ),
    Case(
        37,
        "near-equal levels",
        column(["Rain", "Rainy", "sun"]),
        "NOTE",
        "may mean the same: 'Rain' and 'Rainy'",
    ),
    Case(
        44,
        "a class of 2 rows in 8,000",
        target(["p"] * 2000 + ["q"] + ["p"] * 1999, 8_000),
        "NOTE",
        "class 'q' is 2 of 8,000 rows",
    ),
    Case(
        45,
        "a column that gives the target away",
        column(["low" if i % 7 > 2 else "high" for i in range(ROWS)]),
        "NOTE",
        r"'z' by itself gives the target of 40 of 40 rows correctly.*kinds=\{'z': 'out'\}",
        typed="'z' by itself gives the target of 40 of 40 rows correctly.*--kind z=out",
    ),
    Case(
        47,
        "equal rows of different classes",
        b"w,v,y\n" + b"a,1.5,p\na,1.5,p\na,1.5,q\nb,2.5,q\nb,3.5,p\n" * 8,
        "NOTE",
        "24 rows are equal to others but of another class.*more than 80.00% of these rows",
    ),
]
