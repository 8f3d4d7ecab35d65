"""Hashed vectors: the same everywhere, of length 1, nearer for what is alike."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleepd.models.hashed import DIMENSIONS, from_settings
from sleepd.models.settings import EmbedderSettings

EMBEDDER = from_settings(EmbedderSettings(name="hashed-tfidf"))
MARK = 154.25
"""The dot product of one text's vector with 0, 1, 2, …, as version 1 gives it."""
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)


@settings(max_examples=60)
@given(st.lists(ANY_TEXT, max_size=4))
def test_rows_have_length_one_for_any_text(texts: list[str]) -> None:
    """Any texts, lone surrogates and empty ones included, give finite unit rows."""
    rows = EMBEDDER.encode(texts)
    assert (len(texts), DIMENSIONS) == rows.shape
    assert np.float32 == rows.dtype
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, rtol=1e-5)


@settings(max_examples=30)
@given(ANY_TEXT, st.lists(ANY_TEXT, max_size=3))
def test_a_vector_does_not_depend_on_the_batch(text: str, others: list[str]) -> None:
    """Vectors of different days are comparable: the neighbours in a batch change nothing."""
    np.testing.assert_array_equal(EMBEDDER.encode([text])[0], EMBEDDER.encode([*others, text])[-1])


def test_the_same_in_another_process() -> None:
    """Python's own hash is seeded per process; these vectors are not."""
    program = (
        "import hashlib; from sleepd.models.hashed import HashedTfidf;"
        "print(hashlib.sha256(HashedTfidf().encode(['Grüße aus dem Test']).tobytes()).hexdigest())"
    )
    other = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert hashlib.sha256(EMBEDDER.encode(["Grüße aus dem Test"]).tobytes()).hexdigest() == other.stdout.strip()


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("fix the failing login test", "repair the failing login tests", "write a changelog for the release"),
        ("исправь падающий тест входа", "почини падающие тесты входа", "напиши список изменений"),
        ("修复登录测试失败的问题", "登录测试失败,请修复", "为新版本编写更新日志"),
        ("corrige les tests échoués", "corriger le test échoué", "rédige les notes de version"),
    ],
    ids=["English", "Russian", "Chinese", "French"],
)
def test_what_is_alike_is_nearer(text: str, near: str, far: str) -> None:
    """A paraphrase is nearer than other work, in any script."""
    a, b, c = EMBEDDER.encode([text, near, far])
    assert float(a @ b) > float(a @ c) + 0.1


def test_writing_variants_are_equal() -> None:
    """Case, width and compatibility forms do not matter."""
    a, b = EMBEDDER.encode(["Fix the FILE", "ﬁx the file"])
    np.testing.assert_allclose(a, b, atol=1e-6)


def test_the_key_is_stable() -> None:
    """A change of the vectors must come with a change of this key."""
    assert "hashed-tfidf:1024:v1" == EMBEDDER.key
    marks = np.round(EMBEDDER.encode(["Fix the failing test"])[0] @ np.arange(DIMENSIONS), 2)
    assert MARK == pytest.approx(float(marks), abs=0.05)
    assert not EMBEDDER.english_only
