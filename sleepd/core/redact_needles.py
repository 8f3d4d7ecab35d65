"""Finds some fifty short literals in one pass over a text: where a secret may begin.

One literal search after another would read the text fifty times; an alternation of literals is slower still. Here each
pair of neighbouring characters is looked up once in a table that says, for each group of needles, whether the pair
can be its first or its second half.
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

Span = tuple[int, int, str]
"""Start, end and rule of one secret."""

ANY_CASE = (
    ("pass", "cred", "salt"),
    ("secr", "toke", "senh"),
    ("key?", "://?", "psk=", "priv"),
    ("pwd?", "-beg", "-u ?", "-use", "htwo"),
    ("auth", "bear", "basi", "cook"),
    ("pw:?", "pw=?", "sig=", "ure="),
    ("ode=", "logi", "mnem"),
    ("iden", "mysq", "s-cl", "-asp"),
    ("mari", "sudo", "sqlc"),
    ("mong", "twin", "pw ?"),
)
"""Beginnings of words that name a secret, and what stands in a header, an address or a key block; `?` is anything."""
AS_WRITTEN = (
    ("AKIA", "ASIA", "AIza", "AGE-", "GOCS", "GR13", "SG.?", "SK##", ":AA?"),
    ("ub_p",),
    (
        "$apr",
        "$6$?",
        "$5$?",
        "$1$?",
        "$y$?",
        "$2a$",
        "$2b$",
        "$2y$",
        "$arg",
        "-b '",
        '-b "',
        ":543",
        ":*:*",
        "1//0",
        "dp.?",
        "fm2_",
        "fm1_",
    ),
    ("sk-?", "sk_?", "rk_?", "pk_?", "eyJ?", "hf_?", "npm_", "xox?", "xapp", "xai-"),
    (
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "glsa",
        "glpa",
        "gldt",
        "glrt",
        "glcb",
        "glpt",
        "glft",
        "glso",
        "glim",
        "glag",
        "gloa",
        "glff",
        "gsk_",
        "dckr",
        "dop_",
        "doo_",
        "sbp_",
        "shpa",
        "shpc",
        "shps",
        "shpt",
        "whse",
        "pypi",
        "ya29",
        "xkey",
    ),
)
"""Beginnings of tokens; `#` is a hexadecimal digit. Needles of one line share one bit of the table."""

_ESCAPE = re.compile(r"(?:\\[abfnrtv]|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|%[0-9a-fA-F]{2}|\[[0-9;]{0,12}m)\Z")


def needles(raw: bytes) -> list[int]:
    """Offsets, in order, at which a needle begins (and a few at which two needles of a line are mixed)."""
    padded = raw + b"\0\0\0\0"
    pairs = np.ndarray((len(padded) - 1,), "<u2", padded, 0, (1,))
    bits = _TABLE.take(pairs)
    offsets: list[int] = np.flatnonzero((bits[:-2] & (bits[2:] >> 16)).astype(bool)).tolist()
    return offsets


def fresh(text: str, at: int) -> bool:
    """Whether a token may begin at `at`: no letter or digit before it but those of an escape.

    In text that is itself JSON, or that a terminal coloured, the character before a token is often a letter that
    belongs to an escape: `\\nsk-`, `\\u003dsk-`, `%3Dsk-`, `\\x1b[32msk-`.
    """
    if at == 0 or not (text[at - 1].isascii() and text[at - 1].isalnum()):
        return True
    before = text[max(0, at - 16) : at]
    return ("\\" in before or "%" in before or "[" in before) and _ESCAPE.search(before) is not None


def _table() -> npt.NDArray[np.uint32]:
    """For each pair of bytes (little-endian): bit g if it can begin, bit 16+g if it can end, a needle of group g."""
    table = np.zeros(65_536, np.uint32)
    for bit, group in enumerate(ANY_CASE + AS_WRITTEN):
        for needle in group:
            sets = [_members(char, either_case=bit < len(ANY_CASE)) for char in needle]
            table[np.add.outer(sets[0], 256 * sets[1]).ravel()] |= np.uint32(1 << bit)
            table[np.add.outer(sets[2], 256 * sets[3]).ravel()] |= np.uint32(1 << (bit + 16))
    return table


def _members(char: str, *, either_case: bool) -> npt.NDArray[np.int64]:
    if char == "?":
        return np.arange(256)
    if char == "#":
        return np.frombuffer(b"0123456789abcdef", np.uint8).astype(np.int64)
    return np.array(sorted({ord(char.lower()), ord(char.upper())} if either_case else {ord(char)}))


_TABLE = _table()
