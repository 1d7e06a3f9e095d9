"""What a person sees: colour and bars on a terminal, plain lines in a pipe."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys

import pytest
from command import TALLY, good, on_a_terminal, tally

from tallystick.cli import options as screen
from tallystick.draw.svg import Span
from tallystick.errors import Argument, Message
from tallystick.schema import Note

ESCAPE = "\x1b"


@pytest.mark.slow
def test_colour_on_a_terminal_and_none_in_a_pipe_or_with_no_color(folder):
    args = ("describe", "play-tennis.csv", "-t", "Play")
    coloured, _ = on_a_terminal(*args, cwd=folder)
    bare, _ = on_a_terminal(*args, cwd=folder, env={"NO_COLOR": "1"})
    assert ESCAPE in coloured
    assert ESCAPE not in bare
    strip = re.compile(r"\x1b\[[0-9;]*m")
    assert (
        strip.sub("", coloured).replace("\r\n", "\n") == bare.replace("\r\n", "\n") == good(*args, cwd=folder)
    )


@pytest.mark.slow
@pytest.mark.parametrize("columns", [50, 80, 120])
def test_pages_fit_the_terminal(folder, columns):
    pages = [["describe", "votes.csv", "-t", "party"]]
    if columns != 80:  # which is what a pipe gets: test_demo.py
        pages.append(["demo"])
    for args in pages:
        text, code = on_a_terminal(*args, cwd=folder, columns=columns, env={"NO_COLOR": "1"})
        assert code == 0
        wide = [
            line
            for line in text.splitlines()
            if len(line) > columns and "tally " not in line and len(line.split()) > 1
        ]
        assert wide == []
    assert columns == 80 or (folder / "tally-demo" / "report.html").exists()


@pytest.mark.slow
def test_progress_is_silent_in_a_pipe(fitted):
    for args in (
        ["fit", "--model", "bayes", "votes.csv", "-t", "party", "-o", "m.tally.json"],
        ["verify", "votes.tally.json", "votes.csv"],
    ):
        assert tally(*args, cwd=fitted).stderr == b""


def test_progress_shows_a_bar_on_a_terminal_when_the_work_is_long(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    seen = Terminal()
    monkeypatch.setattr(sys, "stderr", seen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(screen, "PATIENCE", 1e9)  # on however busy a machine
    with screen.progress("reading") as quick:
        quick(1, 2)
    assert seen.getvalue() == ""
    monkeypatch.setattr(screen, "PATIENCE", -1.0)
    with screen.progress("reading") as long:
        long(1, 2, "more")
    assert "reading" in seen.getvalue()


@pytest.mark.slow
def test_a_terminal_without_unicode_still_gets_its_lines(folder):
    command = [*TALLY, "describe", "play-tennis.csv", "-t", "Play"]
    env = os.environ | {"PYTHONIOENCODING": "ascii"}
    assert b"Outlook" in subprocess.run(command, cwd=folder, env=env, capture_output=True, check=True).stdout


def test_lines_in_a_pipe_have_no_colour_and_no_lines_print_nothing(capsys):
    screen.show([(Span("bad ", "bad"), Span("news")), ()])
    screen.show([])
    assert capsys.readouterr().out == "bad news\n\n"


def test_json_is_ascii_and_has_no_number_that_other_readers_refuse(capsys):
    screen.show_json({"name": "\x1bé"})
    assert capsys.readouterr().out == '{\n  "name": "\\u001b\\u00e9"\n}\n'
    with pytest.raises(ValueError, match="not JSON compliant"):
        screen.show_json({"score": float("nan")})


def test_notes_go_to_the_errors_in_the_words_of_the_command_line(capsys):
    screen.show_notes([Note("out", Message("left out: 'id'. Pass ", Argument("keep", ["id"]), "."))])
    screen.show_notes([])
    seen = capsys.readouterr()
    assert (seen.out, seen.err) == ("", "notes\n  - left out: 'id'. Pass --keep id.\n")


@pytest.mark.parametrize(("columns", "cells"), [("10", 40), ("77", 77), ("500", 120)])
def test_the_width_is_that_of_the_terminal_within_reason(monkeypatch, columns, cells):
    monkeypatch.setenv("COLUMNS", columns)
    assert screen.cells() == cells


def test_cleaned_text_keeps_its_lines_and_nothing_else_that_moves_a_cursor():
    assert screen.cleaned("a\n\x1b[2Jb\r\n") == "a\n\\x1b[2Jb\\r\n"
