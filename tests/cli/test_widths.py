"""Every command on screens of 60, 80 and 160 cells: no line is wider, but for what another program reads."""

from __future__ import annotations

import re
import sys

import pytest
from command import call

from tallystick.cli import options as screen
from tallystick.cli.examples import EXAMPLES
from tallystick.draw.svg import width

pytestmark = pytest.mark.slow

OTHERS = ("serve", "studio", "demo")  # they go on; or say what the rest says
READ_BY_PROGRAMS = re.compile(
    r"--json|-o -|/dev/stdout|^tally predict (?!.*-o )|--format (latex|html)|^tally export"
)
LINES = [line for name, lines in EXAMPLES.items() if name not in OTHERS for line, _ in lines]


@pytest.mark.parametrize("columns", [60, 80, 160])
@pytest.mark.parametrize("line", [line for line in LINES if not READ_BY_PROGRAMS.search(line)])
def test_no_line_is_wider_than_the_screen(inside, line, columns, capfd, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(screen, "is_terminal", lambda stream: stream is sys.stdout)
    assert call(line) == 0
    told = capfd.readouterr()
    wide = [text for text in (told.out + told.err).splitlines() if width(text) > columns]
    assert [text for text in wide if len(text.split()) > 1] == []  # a path or a checksum is not broken
