"""Which tasks are the same recurring work; ids that stay."""

from __future__ import annotations

import numpy as np
import pytest

from sleepd.core import ngrams
from sleepd.core.cluster import Centre, Clustering, assign, centres
from sleepd.core.model import ClusterId, TaskId
from sleepd.core.ports import Vectors
from sleepd.models.hashed import HashedTfidf

THRESHOLD = 0.5


def ids(count: int, start: int = 0) -> list[TaskId]:
    return [TaskId(f"t{n}") for n in range(start, start + count)]


def rows(texts: list[str]) -> Vectors:
    """As the pipeline makes them, with the embedder that needs no model."""
    return ngrams.combine(HashedTfidf().encode(texts), texts, english_only=False)


def blind(texts: list[str]) -> Vectors:
    """As with an embedder that sees one point, whatever it is given."""
    same = np.tile(np.array([[1.0, 0.0]], dtype=np.float32), (len(texts), 1))
    return ngrams.combine(same, texts, english_only=True)


def flat(*angles: float) -> Vectors:
    return np.array([[np.cos(np.radians(a)), np.sin(np.radians(a))] for a in angles], dtype=np.float32)


WORK = {
    "english": (
        ["Write the commit message for the parser fix", "Commit message please, for the reader fix",
         "Write a commit message for the lexer fix", "I need the commit message for the writer fix"],
        ["Which colour goes with a blue sofa?", "Which colour goes with a green sofa?"],
    ),
    "german": (
        ["Schreibe die Commit-Nachricht für den Parser", "Bitte die Commit-Nachricht für den Leser schreiben",
         "Schreibe eine Commit-Nachricht für den Lexer"],
        ["Welche Farbe passt zum blauen Sofa?", "Welche Farbe passt zum grünen Sofa?"],
    ),
    "russian": (
        ["Напиши сообщение коммита для парсера", "Напиши, пожалуйста, сообщение коммита для лексера",
         "Нужно сообщение коммита для загрузчика"],
        ["Какой цвет подходит к синему дивану?", "Какой цвет подходит к зелёному дивану?"],
    ),
    "chinese": (
        ["为解析器的修复写一条提交说明", "请为读取器的修复写一条提交说明", "为词法器的修复写一条提交说明"],
        ["蓝色沙发配什么颜色好看", "绿色沙发配什么颜色好看"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", WORK)
def test_paraphrases_are_one_work_in_any_language(language: str) -> None:
    """Twelve ways of asking the same are one recurring work, and another work is another cluster."""
    one, other = WORK[language]
    threshold = 0.3 if language == "russian" else 0.35
    members = assign(ids(len(one) + len(other)), rows(one + other), (), threshold).members
    assert ({"t0"}, {f"t{len(one)}"}) == (set(members[: len(one)]), set(members[len(one) :]))


@pytest.mark.parametrize("language", ["russian", "chinese"])
def test_an_english_only_model_does_not_lump_other_scripts_together(language: str) -> None:
    """The embedder sees one point; character runs still tell the two kinds of work apart."""
    one, other = WORK[language]
    members = assign(ids(len(one) + len(other)), blind(one + other), (), 0.35).members
    assert not set(members[: len(one)]) & set(members[len(one) :])


class TestIds:
    def test_a_cluster_is_named_after_its_first_task(self) -> None:
        """And each task is in one."""
        assert ("t0", "t0", "t2") == assign(ids(3), flat(0, 10, 90), (), THRESHOLD).members

    def test_a_task_is_compared_with_all_that_came_before(self) -> None:
        """The third is far from the second, but near the centre of the first two."""
        assert ("t0", "t0", "t0") == assign(ids(3), flat(0, 40, -30), (), np.cos(np.radians(55))).members

    def test_new_tasks_join_what_is_known(self) -> None:
        """A known cluster keeps its id; nothing else changes."""
        known = (Centre(id=ClusterId("old"), total=flat(0)[0] * 3, members=3),)
        assert Clustering(members=(ClusterId("old"), ClusterId("t1")), joined={}) == assign(
            ids(2), flat(20, 120), known, THRESHOLD
        )

    def test_when_clusters_grow_together_the_older_id_stays(self) -> None:
        """Also when the younger one is larger; the pipeline is told what became part of what."""
        known = (
            Centre(id=ClusterId("older"), total=flat(0)[0], members=1),
            Centre(id=ClusterId("younger"), total=flat(70)[0], members=1),
        )
        got = assign(ids(1), flat(40), known, 0.55)
        assert ({"younger": "older"}, ("older",)) == (got.joined, got.members)

    def test_what_is_joined_in_turn_ends_at_the_oldest(self) -> None:
        """A chain of three names the root for each."""
        known = tuple(Centre(id=ClusterId(str(a)), total=flat(a)[0], members=1) for a in (0, 45, 70))
        got = assign(ids(1), flat(70), known, 0.47)
        assert ({"45": "0", "70": "0"}, ("0",)) == (got.joined, got.members)

    def test_a_joined_cluster_is_compared_by_its_new_centre(self) -> None:
        """Three that stand at equal angles: no third is near one of the first two, but near their common centre."""
        rows = np.array([[1, 0, 0, 0], [0.56, 0.8285, 0, 0], [0.5, 0.2656, 0.8243, 0]], dtype=np.float32)
        known = tuple(Centre(id=ClusterId(name), total=row, members=1) for name, row in zip("abc", rows, strict=True))
        far = np.array([[0, 0, 0, 1]], dtype=np.float32)
        assert {"b": "a"} == assign(ids(1), far, known[:2], 0.55).joined
        assert {} == assign(ids(1), far, known[::2], 0.55).joined == assign(ids(1), far, known[1:], 0.55).joined
        assert {"b": "a", "c": "a"} == assign(ids(1), far, known, 0.55).joined

    @pytest.mark.parametrize("length", [0.2, 5.0])
    def test_a_centre_is_compared_by_its_direction(self, length: float) -> None:
        """However long the sum of its members is: those of a mixed cluster point apart and cancel out."""
        known = tuple(Centre(id=ClusterId(str(a)), total=flat(a)[0] * length, members=5) for a in (0, 20, 70))
        got = assign(ids(2), flat(75, 200), known, 0.93)
        assert (("70", "t1"), {"20": "0"}) == (got.members, got.joined)

    def test_a_cluster_that_was_joined_draws_nothing_in_by_itself(self) -> None:
        """The third stands near the second, which is lost in a first of nine tasks that points elsewhere."""
        known = tuple(
            Centre(id=ClusterId(str(angle)), total=flat(angle)[0] * members, members=members)
            for angle, members in ((0, 9), (48, 1), (100, 1))
        )
        assert {"48": "0"} == assign(ids(1), flat(250), known, np.cos(np.radians(55))).joined

    def test_no_tasks_change_nothing(self) -> None:
        """Mining twice is mining once."""
        known = (Centre(id=ClusterId("a"), total=flat(0)[0], members=1),)
        assert Clustering(members=(), joined={}) == assign((), np.zeros((0, 2), dtype=np.float32), known, THRESHOLD)


def test_day_by_day_gives_what_all_at_once_gives() -> None:
    """Kinds of work that are apart come out the same, with the same ids, however the days are cut."""
    texts = [text for pair in zip(*WORK["english"], strict=False) for text in pair] + WORK["english"][0][2:]
    vectors = rows(texts)
    names = ids(len(texts))
    whole = assign(names, vectors, (), 0.35).members
    for cut in range(len(texts) + 1):
        first = assign(names[:cut], vectors[:cut], (), 0.35)
        second = assign(names[cut:], vectors[cut:], centres(first.members, vectors[:cut]), 0.35)
        then = tuple(second.joined.get(c, c) for c in first.members)
        assert whole == (*then, *second.members)


def test_chinese_requests_of_one_kind_are_one_cluster() -> None:
    """One ideograph says as much as several letters, so short runs of them carry the likeness."""
    frames = ("请为{m}模块的{t}写一条提交信息。", "帮我写一下{m}模块{t}的提交信息", "给{m}模块里的{t}写提交信息吧")
    pairs = [(m, t) for m in ("auth", "billing", "core") for t in ("登录", "发票", "搜索")]
    texts = [frames[n % 3].format(m=m, t=t) for n, (m, t) in enumerate(pairs)]
    vectors = ngrams.vectors(texts)
    got = assign(ids(len(texts)), vectors, (), 0.35)
    assert 1 == len(set(got.members))


def test_centres_add_up_their_members() -> None:
    """The sum of the rows and their number, in order of first appearance."""
    got = centres([ClusterId("b"), ClusterId("a"), ClusterId("b")], flat(0, 90, 90))
    assert [("b", 2), ("a", 1)] == [(c.id, c.members) for c in got]
    assert [1, 1] == pytest.approx(got[0].total.tolist(), abs=1e-6)
