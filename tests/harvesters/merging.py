"""Puts readings of one file together as a store has to; the contract kit holds how."""

from __future__ import annotations

from harvesters.contract import merged_turns

__all__ = ["merged_turns"]
