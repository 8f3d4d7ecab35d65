"""The messages between the encoder and its child process. No pickle: a body is JSON or floats.

Frame: 1 byte kind, 4 bytes little-endian length, body.
`L` load (JSON settings) → `R` ready (empty) · `E` encode (JSON list of texts) → `V` vectors (two 4-byte sizes, then
float32 rows) · `X` error (JSON message) in answer to either.
"""

from __future__ import annotations

import json
import struct
from typing import IO, Any

import numpy as np

from sleepd.core.ports import Vectors

_HEAD = struct.Struct("<cI")
_SHAPE = struct.Struct("<II")

LOAD, READY, ENCODE, VECTORS, ERROR = b"L", b"R", b"E", b"V", b"X"


def write(stream: IO[bytes], kind: bytes, body: bytes) -> None:
    """Sends one frame. Raises OSError when the other side is gone."""
    stream.write(_HEAD.pack(kind, len(body)))
    stream.write(body)
    stream.flush()


def read(stream: IO[bytes]) -> tuple[bytes, bytes] | None:
    """The next frame as `(kind, body)`; None when the other side closed, even in the middle of a frame."""
    head = _exactly(stream, _HEAD.size)
    if head is None:
        return None
    kind, length = _HEAD.unpack(head)
    body = _exactly(stream, length)
    return None if body is None else (kind, body)


def packed(value: Any) -> bytes:
    """JSON in ASCII: lone surrogates survive the way."""
    return json.dumps(value).encode("ascii")


def unpacked(body: bytes) -> Any:
    return json.loads(body)


def from_vectors(vectors: Vectors) -> bytes:
    rows = np.ascontiguousarray(vectors, dtype="<f4")
    return _SHAPE.pack(*rows.shape) + rows.tobytes()


def to_vectors(body: bytes) -> Vectors:
    """Raises ValueError when the body is not as long as its shape says."""
    rows, columns = _SHAPE.unpack_from(body)
    flat = np.frombuffer(body, dtype="<f4", offset=_SHAPE.size)
    return flat.reshape(rows, columns).astype(np.float32)


def _exactly(stream: IO[bytes], size: int) -> bytes | None:
    body = stream.read(size)
    return body if len(body) == size else None
