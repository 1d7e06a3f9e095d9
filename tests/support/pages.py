"""Tables that reports are made of: one like a census, and one of strings that try to break out."""

from __future__ import annotations

import random

QUICK = {"folds": 3, "repeats": 1}


def people(n=600, seed=7):
    """A table like a census: numbers, levels, missing cells."""
    draw = random.Random(seed)
    out = []
    for _ in range(n):
        years, hours = draw.randint(6, 16), draw.randint(15, 60)
        married = draw.choice(["married", "single", "divorced"])
        score = 0.5 * (years - 11) + 0.06 * (hours - 38) + (1.6 if married == "married" else -0.8)
        income = ">50K" if score + draw.gauss(0, 1.2) > 1 else "<=50K"
        out.append(
            {
                "education-num": years,
                "hours": hours,
                "marital": None if draw.random() < 0.03 else married,
                "income": income,
            }
        )
    return out


def hostile():
    """500 strings that try to break out, each with its number."""
    forms = [
        "<script>document.title='hit'</script>",
        "</script><script>document.title='hit'</script>",
        "<!--",
        "-->",
        "]]>",
        "\"'><img src=x onerror=\"document.title='hit'\">",
        "' onmouseover='document.title=1",
        "`${document.title=1}`",
        "{{ 7*7 }}",
        "{% raw %}",
        "javascript:alert(1)",
        "\u202eevil\u202c",
        "\u2028\u2029",
        "\u05e9\u05dc\u05d5\u05dd",
        "\u0645\u0631\u062d\u0628\u0627",
        "\U0001f600\U0001f469\u200d\U0001f680",
        "a\tb",
        "\x1b[31mred",
        "\x07bell",
        "nul\\0",
        "&lt;b&gt;",
        "&#x3c;",
        "\\u003cscript\\u003e",
        "=cmd()",
        "../../etc",
        "</style><style>*{}",
        "</title><h1>",
        "<svg/onload=1>",
        "%3Cscript%3E",
        "\ufeffbom",
        "\u0301combining",
        "very " * 40,
        "|pipe|",
        "--",
        "__proto__",
        "constructor",
        "toString",
        "hasOwnProperty",
        "\ud7ff",
        "\U0010ffff",
    ]
    return [f"{forms[i % len(forms)]} {i}" for i in range(500)]


def hostile_table(strings):
    """Column names, levels and class labels made of them, so that a tree, votes and rows show them all."""
    draw = random.Random(1)
    columns, labels = strings[:40], strings[40:44]
    levels = [strings[44 + 11 * j : 44 + 11 * (j + 1)] for j in range(40)]
    out = []
    for _ in range(300):
        label = draw.randrange(4)
        row = {name: draw.choice(levels[j][label::4]) for j, name in enumerate(columns)}
        out.append(row | {strings[490]: labels[label]})
    return out, strings[490]
