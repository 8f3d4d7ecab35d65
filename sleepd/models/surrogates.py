"""Lone surrogates occur in transcripts (a cut emoji, a wrong encoding); no provider and no tokenizer accepts them."""

from __future__ import annotations


def without_surrogates(text: str) -> str:
    """The same text with every lone surrogate replaced by U+FFFD; pairs become the character they stand for."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
