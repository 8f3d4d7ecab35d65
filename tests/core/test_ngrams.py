"""Similarity that needs no language and no model."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleepd.core.ngrams import DIMENSIONS, combine, latin_share, similarity, vectors

any_text = st.text(max_size=60)


@settings(max_examples=80)
@given(any_text, any_text)
def test_similarity_is_symmetric_and_a_share(a: str, b: str) -> None:
    """In [0, 1], the same both ways."""
    assert similarity(a, b) == pytest.approx(similarity(b, a))
    assert -1e-9 <= similarity(a, b) <= 1 + 1e-9


@settings(max_examples=60)
@given(any_text)
def test_a_text_is_like_itself_whatever_its_case_and_spaces(text: str) -> None:
    """1 for any text long enough to have a run of three characters, 0 for one without."""
    runs = len(f" {' '.join(text.casefold().split())} ") >= 3
    assert float(runs) == pytest.approx(similarity(text, f"  {text}\n"))


@settings(max_examples=60)
@given(st.lists(any_text, max_size=4))
def test_rows_have_length_one_and_depend_on_their_text_alone(texts: list[str]) -> None:
    """Any text, surrogates and blanks included; a blank one has a row of zeros."""
    rows = vectors(texts)
    assert (len(texts), DIMENSIONS) == rows.shape
    for row, text in zip(rows, texts, strict=True):
        assert np.array_equal(row, vectors([text])[0])
        length = float(np.linalg.norm(row))
        assert length == pytest.approx(1, abs=1e-5) or not row.any()


def test_lone_surrogates_are_no_error() -> None:
    """Broken text from a transcript is still comparable."""
    assert 1 == pytest.approx(similarity("ab\ud800cd", "ab\ud800cd"))


@pytest.mark.parametrize(("text", "share"), [("abc", 1.0), ("абв", 0.0), ("ab 中文", 0.5), ("123 …", 1.0), ("", 1.0)])
def test_the_share_of_latin_letters(text: str, share: float) -> None:
    """Of the letters only; a text without letters counts as Latin."""
    assert share == latin_share(text)


def test_an_english_only_model_counts_less_where_it_cannot_read() -> None:
    """Two Chinese texts that such a model finds equal stay apart; two English ones come closer."""
    same = np.tile(np.array([[1.0, 0.0]], dtype=np.float32), (4, 1))
    rows = combine(same, ["写提交说明", "翻译这个词", "fix the door", "paint a wall"], english_only=True)
    assert rows[0] @ rows[1] == pytest.approx(0.1, abs=0.1)
    assert rows[2] @ rows[3] == pytest.approx(0.6, abs=0.1)
    assert np.ones(4) == pytest.approx(np.linalg.norm(rows, axis=1), abs=1e-5)


def test_a_model_for_all_languages_counts_the_same_everywhere() -> None:
    """Its weight is 0.6 in every script."""
    same = np.tile(np.array([[1.0, 0.0]], dtype=np.float32), (2, 1))
    rows = combine(same, ["写提交说明", "翻译这个词"], english_only=False)
    assert rows[0] @ rows[1] == pytest.approx(0.6, abs=0.1)
