"""Which tasks are the same recurring work; ids that stay."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from sleepd.core import cluster, ngrams
from sleepd.core.cluster import Clustering, Rule, assign, centred, merged, null
from sleepd.core.ports import Vectors
from sleepd.models.hashed import HashedTfidf

RULE = Rule(similarity=0.1)


def ids(count: int) -> list[str]:
    return [f"t{n}" for n in range(count)]


def found(vectors: Vectors, rule: Rule = RULE) -> Clustering:
    return assign(ids(len(vectors)), vectors, [None] * len(vectors), rule)


def rows(texts: list[str]) -> Vectors:
    """As the pipeline makes them, with the embedder that needs no model."""
    return ngrams.combine(HashedTfidf().encode(texts), texts, english_only=False)


def blind(texts: list[str]) -> Vectors:
    """As with an embedder that sees one point, whatever it is given."""
    same = np.tile(np.array([[1.0, 0.0]], dtype=np.float32), (len(texts), 1))
    return ngrams.combine(same, texts, english_only=True)


def kinds(count: int, each: int, seed: int = 0, spread: float = 0.5) -> Vectors:
    """Rows of `count` kinds of work in turn, around directions at right angles, which share half of their length."""
    rng = np.random.default_rng(seed)
    turned = np.linalg.qr(rng.standard_normal((64, 64)))[0]
    rows = np.tile(turned[1 : count + 1] + turned[0], (each, 1))
    rows = rows + spread * rng.standard_normal(rows.shape) / 8
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def chance(count: int, dimensions: int = 64, seed: int = 0) -> Vectors:
    rows = np.random.default_rng(seed).standard_normal((count, dimensions))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


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
    """Ways of asking the same are one kind of work, and another work is another kind."""
    one, other = WORK[language]
    names = ids(len(one) + len(other))
    into = merged(names, rows(one + other), {*names}, 0.3)
    kinds_ = [into.get(name, name) for name in names]
    assert ({"t0"}, {f"t{len(one)}"}) == (set(kinds_[: len(one)]), set(kinds_[len(one) :]))


@pytest.mark.parametrize("language", ["russian", "chinese"])
def test_an_english_only_model_does_not_lump_other_scripts_together(language: str) -> None:
    """The embedder sees one point; character runs still tell the two kinds of work apart."""
    one, other = WORK[language]
    members = found(blind(one + other)).members
    assert not set(members[: len(one)]) & set(members[len(one) :])


class TestThreshold:
    @pytest.mark.parametrize("count", [300, 3_000])
    @pytest.mark.parametrize("similarity", [0.1, 0.3, 0.5])
    def test_the_members_of_a_cluster_are_as_near_as_it_says(self, count: int, similarity: float) -> None:
        """The mean cosine over all pairs within each cluster, counted from the project's mean; also among many."""
        vectors = chance(count, dimensions=8)
        got = found(vectors, Rule(similarity=similarity, largest=1))
        from_mean = centred(vectors)
        by_name: dict[str, list[int]] = {}
        for row, name in enumerate(got.members):
            by_name.setdefault(name, []).append(row)
        for members in (m for m in by_name.values() if len(m) > 1):
            cosines = from_mean[members] @ from_mean[members].T
            within = (cosines.sum() - len(members)) / (len(members) * (len(members) - 1))
            assert within >= got.threshold - 1e-4 >= similarity - 1e-4
        assert any(len(m) > 2 for m in by_name.values())

    def test_what_all_requests_share_joins_nothing(self) -> None:
        """Rows of different kinds have a cosine of 0.4 on the average: eight kinds stay eight."""
        vectors = kinds(8, 6)
        assert float((vectors @ vectors.T).min()) > 0.15
        members = found(vectors).members
        assert [f"t{n % 8}" for n in range(48)] == list(members)

    def test_unrelated_rows_raise_the_threshold(self) -> None:
        """In few dimensions chance alone makes cosines of 0.5: what 19 of 20 pairs stay below is asked for."""
        few, many = found(chance(200, 4), Rule(similarity=0.01)), found(chance(200, 2_000), Rule(similarity=0.01))
        assert few.threshold > 0.5 and 0.01 <= many.threshold < 0.1
        pairs = centred(chance(200, 4)) @ centred(chance(200, 4)).T
        assert 0.90 < float((pairs[np.triu_indices(200, 1)] < few.threshold).mean()) < 0.99

    def test_related_rows_do_not_raise_it(self) -> None:
        """Four kinds of work, where a quarter of all pairs are alike: the null is of rows that share nothing."""
        assert null(centred(kinds(4, 25))) < 1.3 * null(centred(chance(100)))


class TestSize:
    def test_no_cluster_is_more_than_its_share_of_the_project(self) -> None:
        """Sixty alike among a hundred: the rule's 15 of 100 is the most."""
        vectors = np.concatenate([kinds(1, 60), chance(40)])
        assert 15 == max(Counter(found(vectors).members).values())
        assert 60 <= max(Counter(found(vectors, Rule(similarity=0.1, largest=1)).members).values())

    def test_the_same_words_are_one_cluster_however_often_they_came(self) -> None:
        """Two clusters of one text would be two names for one thing."""
        same, others = np.tile(chance(1), (50, 1)), chance(50, seed=1)
        members = found(np.concatenate([same, others])).members
        assert {"t0"} == set(members[:50])
        later = assign(ids(101), np.concatenate([same, others, same[:1]]), [*members, None], RULE)
        assert ("t0",) == later.members

    def test_five_may_be_one_cluster_in_any_project(self) -> None:
        """Of ten tasks, 15 of 100 is one."""
        assert {5} == set(Counter(found(kinds(2, 5)).members).values())


class TestIds:
    def test_a_cluster_is_named_after_its_first_task(self) -> None:
        """And each task is in one."""
        assert ("t0", "t1", "t2", "t0", "t1", "t2") == found(kinds(3, 2)).members

    def test_new_tasks_join_what_is_known(self) -> None:
        """A known cluster keeps its id; nothing else changes."""
        got = assign(ids(9), kinds(3, 3), ["a", "b", "c", "a", None, "c", None, None, None], RULE)
        assert (("b", "a", "b", "c"), {}) == (got.members, got.joined)

    def test_when_clusters_grow_together_the_older_id_stays(self) -> None:
        """Also when the younger one is larger; the pipeline is told what became part of what."""
        known = ["older", "b", "c", "younger", "b", "c", "younger", "b", "c", None, None, None]
        got = assign(ids(12), kinds(3, 4), known, RULE)
        assert (("older", "b", "c"), {"younger": "older"}) == (got.members, got.joined)

    def test_clusters_that_nothing_joined_stay_as_they_were(self) -> None:
        """Only what is new or grew is looked at again: two that are alike are not joined a night later."""
        got = assign(ids(7), kinds(3, 3)[:7], ["a", "b", "c", "a2", "b", "c", None], Rule(similarity=0.9))
        assert {} == got.joined

    def test_no_tasks_change_nothing(self) -> None:
        """Mining twice is mining once."""
        nothing = np.zeros((0, 2), dtype=np.float32)
        assert ((), {}) == (assign((), nothing, (), RULE).members, assign((), nothing, (), RULE).joined)
        known = assign(ids(2), kinds(2, 1), ["a", "b"], RULE)
        assert ((), {}, 0) == (known.members, known.joined, known.compared)

    @pytest.mark.parametrize("count", [1, 4])
    def test_rows_that_are_all_the_same_are_one_cluster(self, count: int) -> None:
        """There is nothing left when their mean is taken out, and no division by it."""
        assert ("t0",) * count == found(np.tile(chance(1), (count, 1))).members


def test_day_by_day_gives_what_all_at_once_gives() -> None:
    """Kinds of work that are apart come out the same, with the same ids, however the days are cut."""
    vectors = kinds(8, 6)
    whole = found(vectors).members
    for cut in range(16, len(vectors), 5):
        first = found(vectors[:cut])
        second = assign(ids(len(vectors)), vectors, [*first.members, *[None] * (len(vectors) - cut)], RULE)
        then = tuple(second.joined.get(c, c) for c in first.members)
        assert whole == (*then, *second.members)


class TestMany:
    def test_the_search_in_cells_finds_what_comparing_all_finds(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Forty kinds that are apart, by either way."""
        vectors = kinds(40, 60)
        in_cells = found(vectors)
        monkeypatch.setattr(cluster, "_COMPARED_WHOLE", 10_000)
        all_pairs = found(vectors)
        assert all_pairs.members == in_cells.members and 40 == len(set(all_pairs.members))
        assert in_cells.compared < all_pairs.compared / 2

    def test_four_times_as_many_take_less_than_ten_times_the_comparisons(self) -> None:
        """All pairs would be sixteen times as many."""
        small, large = (found(chance(n, 24)).compared for n in (3_000, 12_000))
        assert large < 10 * small

    def test_a_new_day_costs_what_is_new(self) -> None:
        """Ten tasks among 2,000 known ones are compared with each once a round, not all with all."""
        vectors = kinds(40, 50)
        known = found(vectors[:-10]).members
        got = assign(ids(len(vectors)), vectors, [*known, *[None] * 10], RULE)
        assert set(got.members) <= set(known)
        assert got.compared <= 10 * 50 * 3

    def test_a_crowd_around_one_row_is_joined_in_a_few_rounds(self) -> None:
        """Each of 1,500 has the same nearest neighbour; a join a round would compare them a million times."""
        hub = chance(1, 512)
        crowd = hub + 0.4 * chance(1_500, 512, seed=3)
        crowd /= np.linalg.norm(crowd, axis=1, keepdims=True)
        vectors = np.concatenate([hub, crowd.astype(np.float32), -chance(500, 512, seed=4)])
        assert found(vectors, Rule(similarity=0.02, largest=1)).compared < 30 * len(vectors) ** 2


class TestKinds:
    def test_groups_become_part_of_the_older_one_by_plain_cosines(self) -> None:
        """Whatever their size; what is far stays."""
        groups = ["a", "b", "c", "a2", "b", "c2"]
        assert {"a2": "a", "c2": "c"} == merged(groups, kinds(3, 2), {"a2", "c2"}, 0.8)
        assert {"c2": "c"} == merged(groups, kinds(3, 2), {"c2"}, 0.8)
        assert {} == merged(groups, kinds(3, 2), set(), 0.8)
        assert {"b": "a", "c": "a", "a2": "a", "c2": "a"} == merged(groups, kinds(3, 2), {*groups}, 0.2)

    def test_the_rows_are_left_as_they_were(self) -> None:
        """They are the caller's."""
        vectors = kinds(3, 2)
        before = vectors.copy()
        merged(list("abcabc"), vectors, {"a"}, 0.1)
        found(vectors)
        assert before.tolist() == vectors.tolist()
