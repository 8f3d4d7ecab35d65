"""An embedder that encodes each text once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from sleepd.core.model import Digest, digest
from sleepd.core.ports import Embedder, Vectors


class Memoized:
    """Passes only unseen texts on to `embedder`, keyed by their digest. Safe to call from several threads.

    Keeps the `capacity` vectors used last (1.5 KB each at 384 dimensions). `close` closes the embedder and keeps them.
    """

    def __init__(self, embedder: Embedder, *, capacity: int = 50_000) -> None:
        self._embedder = embedder
        self._capacity = capacity
        self._lock = threading.Lock()
        self._known: OrderedDict[Digest, Vectors] = OrderedDict()

    @property
    def key(self) -> str:
        return self._embedder.key

    @property
    def english_only(self) -> bool:
        return self._embedder.english_only

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimensions), rows of length 1."""
        wanted = [digest(text) for text in texts]
        with self._lock:
            fresh = {mark: text for mark, text in zip(wanted, texts, strict=True) if mark not in self._known}
            if fresh or not texts:
                rows = self._embedder.encode(list(fresh.values()))
                self._known.update(zip(fresh, rows, strict=True))
            if not texts:
                return rows
            vectors = np.stack([self._known[mark] for mark in wanted])
            for mark in wanted:
                self._known.move_to_end(mark)
            while len(self._known) > self._capacity:
                self._known.popitem(last=False)
        return vectors

    def close(self) -> None:
        self._embedder.close()
