"""Records as bytes, for another process: several times as fast as pickling them."""

from __future__ import annotations

from typing import Any, TypeVar, cast

import msgspec

T = TypeVar("T")
_ENCODER = msgspec.msgpack.Encoder()
_DECODERS: dict[type[Any], msgspec.msgpack.Decoder[Any]] = {}
"""Making one takes longer than decoding with it."""


def packed(value: object) -> bytes:
    """A dataclass of records, lists and plain values."""
    return _ENCODER.encode(value)


def unpacked(data: bytes, kind: type[T]) -> T:
    """What `packed` was given, an instance of `kind`. Raises `msgspec.ValidationError` for anything else."""
    decoder = _DECODERS.get(kind)
    if decoder is None:
        decoder = _DECODERS[kind] = msgspec.msgpack.Decoder(kind)
    return cast("T", decoder.decode(data))
