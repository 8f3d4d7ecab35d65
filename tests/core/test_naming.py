"""Names that a person would choose, for groups of texts in any language."""

from __future__ import annotations

import pytest

from sleepd.core.naming import names

OTHERS = {
    "o1": ["What colour goes with the sofa?", "Which colour goes with a lamp?"],
    "o2": ["Explain the barrier to me", "Explain the latch to the team"],
    "o3": ["Rename the variable in the buffer", "Rename the method of the reader"],
}


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        (["commit this", "commit", "Commit and push", "please commit"], "commit"),
        (["fix lint errors", "Fix lint errors in the parser", "please fix lint errors"], "fix lint errors"),
        (["/review the branch", "/review 17", "/review"], "/review"),
        (["run `mise lint`", "why does mise lint fail?", "mise lint again"], "mise lint"),
        (["Write the commit message for A-1", "A commit message, please", "commit message!"], "commit message"),
        (["Напиши сообщение коммита для парсера", "Нужно сообщение коммита", "сообщение коммита"], "сообщение коммита"),
        (["add a test for it", "is there a test?", "test it"], "test"),
    ],
)
def test_it_is_the_words_that_most_of_them_share(texts: list[str], name: str) -> None:
    """Verb and object or a command, as people wrote it; articles and prepositions at the ends are left out."""
    assert name == names({**OTHERS, "a": texts})["a"]


def test_what_the_whole_project_says_names_nothing() -> None:
    """Each request says "the reader"; what tells a group apart is its name."""
    groups = {
        "a": ["close the reader", "close the reader now"],
        "b": ["document the reader", "document the reader well"],
        "c": ["measure the reader", "measure the reader again"],
    }
    assert {"a": "close the reader", "b": "document the reader", "c": "measure the reader"} == names(groups)


def test_no_two_groups_have_the_same_name() -> None:
    """The older one has the plain name; the others add a word of theirs, at last a number."""
    same = ["commit this"] * 3
    got = names({**OTHERS, "a": same, "b": ["commit parser work", "commit reader work"], "c": same, "d": same})
    assert ["commit", "commit work", "commit (2)", "commit (3)"] == [got[k] for k in "abcd"]
    assert len(got) == len(set(got.values()))


@pytest.mark.parametrize(
    "texts", [["", " "], ["???", "!!"], ["为解析器的修复写一条提交说明", "蓝色沙发配什么颜色好看"]]
)
def test_what_shares_no_word_has_a_name_all_the_same(texts: list[str]) -> None:
    """The shortest text's beginning; of texts without a word, something."""
    name = names({**OTHERS, "a": texts})["a"]
    assert name in ("work", "!!", "蓝色沙发配什么颜色好看")


def test_words_that_some_share_are_put_in_their_order() -> None:
    """No run of words is in half of them: the words that most have, in the order in which the oldest text has them."""
    texts = ["address the new feedback of Kim", "address all of the review feedback", "address review and feedback"]
    assert "address feedback review" == names({**OTHERS, "a": texts})["a"]


def test_long_words_are_cut() -> None:
    """A pasted token does not fill the terminal."""
    assert 48 >= max(map(len, names({"a": ["x" * 300, "x" * 300]}).values()))


def test_a_text_stands_for_a_group_that_shares_no_words_of_its_own() -> None:
    """Single words put together would say nothing: the request that has most in common with the others, cut."""
    texts = [
        "I had closed the window when the light went on and the pump began to hum",
        "why does the pump hum?",
        "the light is on again, and then I closed it",
    ]
    assert "I had closed the window when the light went on…" == names({**OTHERS, "a": texts})["a"]
    assert "…" == names({**OTHERS, "a": [texts[0], "one " * 30]})["a"][-1]
