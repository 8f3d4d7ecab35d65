"""The process that holds the sentence-transformers model: `python -m sleepd.models.encoder_child`.

The encoder starts it. It ends when its stdin does, so it cannot outlive the process that started it.
Its memory (0.5 to 1 GB) goes with it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from typing import IO, Any, Protocol

import numpy as np

from sleepd.core.ports import Vectors
from sleepd.models import frames

_EXPECTED = (OSError, ValueError, RuntimeError, ImportError)
"""What the libraries raise for models and texts they cannot use. Anything else ends the process, with its last line."""


class Encoding(Protocol):
    """What the child needs of a model."""

    def encode(self, texts: Sequence[str]) -> Vectors: ...


def serve(requests: IO[bytes], replies: IO[bytes]) -> None:
    """Answers frames until the other side closes."""
    model: Encoding | None = None
    while (frame := frames.read(requests)) is not None:
        kind, body = frame
        try:
            if kind == frames.LOAD:
                model = _Loaded(frames.unpacked(body))
                answer = (frames.READY, b"")
            elif model is None:
                answer = (frames.ERROR, frames.packed("no model is loaded"))
            else:
                answer = (frames.VECTORS, frames.from_vectors(model.encode(frames.unpacked(body))))
        except _EXPECTED as error:
            line = next(iter(str(error).strip().splitlines()), "")
            answer = (frames.ERROR, frames.packed(f"{type(error).__name__}: {line.split('. ')[0]}"))
        frames.write(replies, *answer)


class _Loaded:
    """A sentence-transformers model by the settings of a `L` frame."""

    def __init__(self, settings: dict[str, Any]) -> None:
        if settings["local"]:
            # The library has no argument for it: a folder is all there is, and nothing is to be looked up.
            os.environ["HF_HUB_OFFLINE"] = "1"  # noqa: TID251 - sets, does not read
        # Threads that wait for one another sleep: spinning would take the processor from the person's own work.
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # noqa: TID251 - sets, does not read
        from sentence_transformers import SentenceTransformer

        self._batch_size = settings["batch_size"]
        self._model = SentenceTransformer(
            settings["model"],
            device=settings["device"],
            revision=settings["revision"],
            local_files_only=settings["local"],
        )

    def encode(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self._model.get_embedding_dimension() or 0), dtype=np.float32)
        rows = self._model.encode(list(texts), batch_size=self._batch_size, show_progress_bar=False)
        return np.asarray(rows, dtype=np.float32)


def main() -> None:
    """The frames get a descriptor of their own. What libraries print is dropped: stderr ends with last words."""
    replies = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    with contextlib.suppress(BrokenPipeError):
        serve(os.fdopen(os.dup(0), "rb"), replies)
    # Nothing is left to be saved, and the libraries take a second to tidy up.
    os._exit(0)


if __name__ == "__main__":
    main()
