"""JSON of any shape under the names that a format uses: what versions to come, and damage, may put there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st


def strange_objects(names: Sequence[str], words: Sequence[str]) -> st.SearchStrategy[dict[str, Any]]:
    """Objects with some of the `names`, whose values may be some of the `words`, numbers, lists or objects again."""
    plain = st.one_of(
        st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(), st.sampled_from(words), st.text(max_size=3)
    )
    value = st.recursive(
        plain, lambda inner: st.one_of(st.lists(inner, max_size=3), _objects(names, inner)), max_leaves=8
    )
    return _objects(names, value)


def _objects(names: Sequence[str], value: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(st.sampled_from(names), value, max_size=6)
