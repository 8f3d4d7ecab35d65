"""What is printed is text: no sentence of a transcript, a model or a tool can drive the terminal."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleepd.cli import terminal
from sleepd.cli.ending import CommandExit
from sleepd.core import plaintext
from sleepd.core.errors import UsageError

TITLE = "\x1b]0;owned\x07"
"""Sets the window's title."""

HOSTILE = {
    "escape": ("\x1b[2J\x1b[31mred", "<U+001B>[2J<U+001B>[31mred"),
    "title": (TITLE, "<U+001B>]0;owned<U+0007>"),
    "link": ("\x1b]8;;http://x\x1b\\here", "<U+001B>]8;;http://x<U+001B>\\here"),
    "carriage return": ("+ good\r- bad", "+ good<U+000D>- bad"),
    "backspace": ("ab\x08\x7fc", "ab<U+0008><U+007F>c"),
    "C1": ("\x9b2J\x9d0;t\x9c\x85", "<U+009B>2J<U+009D>0;t<U+009C><U+0085>"),
    "turned round": ("a\u202eb\u2066c", "a<U+202E>b<U+2066>c"),
    "tags": ("a\U000e0061", "a<U+E0061>"),
    "line ends": ("a\r\nb\tc", "a\nb\tc"),
}


@pytest.mark.parametrize(("text", "expected"), HOSTILE.values(), ids=HOSTILE)
def test_shows_what_a_terminal_would_obey(text: str, expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    """On both streams, as code points."""
    terminal.show(text)
    terminal.note(text)
    assert (expected + "\n", expected + "\n") == capsys.readouterr()


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(st.text(max_size=80))
def test_json_stays_the_same_value(text: str) -> None:
    """Whatever a value holds, a program reads it as it was, and a terminal finds nothing in it to obey."""
    printed = plaintext.shown_in_json(json.dumps({"a": text}, ensure_ascii=False, indent=2))
    assert {"a": text} == json.loads(printed)
    assert [] == [char for char in printed if plaintext.hidden(char)]


def test_json_is_printed_so(capsys: pytest.CaptureFixture[str]) -> None:
    """Also signs that JSON itself would leave as they are."""
    terminal.show_json({"a": "\x9b2J\x7f\U000e0061"})
    assert '{\n  "a": "\\u009b2J\\u007f\\udb40\\udc61"\n}\n' == capsys.readouterr().out


def test_an_error_cannot_drive_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Neither its line nor its trace; both may quote a proposal."""
    with pytest.raises(SystemExit), CommandExit(verbose=True):
        raise UsageError(f"no {TITLE}")
    err = capsys.readouterr().err
    assert 2 == err.count("<U+001B>]0;owned<U+0007>")
    assert "\x1b" not in err
