"""What a model is shown of a turn, and how its word joins the structural signs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sleepd.core.act_reading import ReadAct, agreement, combined, shown, unsure, what_was_done
from sleepd.core.acts import Act, JudgedAct, judge
from sleepd.core.episode import Source
from tests.exchanges import edit, exchange, refused, shell


def by_signs(text: str, *, number: int = 1) -> JudgedAct:
    """The structural judgement of a turn after some work."""
    work = exchange("Add an option", edit("a.py"), number=0)
    return judge([work, exchange(text, number=number)])[1]


class TestShown:
    def test_only_the_persons_own_turns_are_shown(self) -> None:
        """A plan that the client hands over is not the person's word."""
        plan = exchange("Implement the following plan", number=1, source=Source.PLAN)
        assert ["a"] == [turn.said for turn in shown([exchange("a"), plan])]

    def test_the_agents_last_steps_are_shown_in_short(self) -> None:
        """Edits, calls with their outcome, and the last words; reading commands say nothing."""
        calls = [edit("a.py"), shell("npm test", code=1), shell("cat a.py"), refused("git push")]
        (_, turn) = shown([exchange("Add it", *calls, answer="All done."), exchange("no", number=1)])
        assert "Edited a.py (+5 -1 lines)." in turn.before
        assert "Bash: npm test (failed)" in turn.before
        assert "Bash: git push (refused by the person)" in turn.before
        assert "cat a.py" not in turn.before
        assert "Ended with: All done." in turn.before

    def test_secrets_are_taken_out_and_long_texts_are_cut_in_the_middle(self) -> None:
        """The beginning and the end of what a person says tell most."""
        secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
        (turn,) = shown([exchange(f"first {secret} {'word ' * 900} last")])
        assert secret not in turn.said
        assert turn.said.startswith("first [redacted")
        assert turn.said.endswith("last")
        assert len(turn.said) <= 910

    def test_the_key_is_made_of_what_is_shown(self) -> None:
        """The same words after other work are another question."""
        (_, one) = shown([exchange("Add it", edit("a.py")), exchange("commit", number=1)])
        (_, same) = shown([exchange("Add it", edit("a.py"), session=4), exchange("commit", session=4, number=1)])
        (_, other) = shown([exchange("Add it", edit("b.py")), exchange("commit", number=1)])
        assert one.key == same.key
        assert one.key != other.key


class TestCombined:
    def test_a_models_word_turns_an_unsure_act(self) -> None:
        """The signs leave it open; the model has read the words."""
        judged = by_signs("the tables are empty for half of the harbours")
        assert Act.CORRECTION is not judged.act
        found = combined(judged, ReadAct(act=Act.CORRECTION, sure=0.9))
        assert Act.CORRECTION is found.act
        assert judged.correction < found.correction
        assert found.read

    def test_the_signs_count_against_an_unsure_model(self) -> None:
        """Strong signs and a model that guesses: the correction stays likelier than what the model says."""
        judged = by_signs("No, that's still wrong. It doesn't work, revert it")
        assert judged.correction > 0.9
        found = combined(judged, ReadAct(act=Act.REQUEST, sure=0.2))
        assert found.correction > found.probability
        assert combined(judged, ReadAct(act=Act.REQUEST, sure=0.9)).correction < 0.1

    @pytest.mark.parametrize("sure", [0.0, 0.5, 1.0, None])
    def test_an_approval_is_never_a_correction(self, sure: float | None) -> None:
        """However the signs look, and however sure the model is."""
        judged = by_signs("No, that's still wrong. It doesn't work, revert it")
        found = combined(judged, ReadAct(act=Act.APPROVAL, sure=sure))
        assert Act.CORRECTION is not found.act
        assert 0.0 == found.correction

    def test_the_words_of_a_refusal_stay_a_correction(self) -> None:
        """Whoever refuses a call objects to it."""
        refusal = exchange("I'll take it from here", number=1, source=Source.DENIAL)
        judged = judge([exchange("Add it", refused("git push")), refusal])[1]
        assert Act.CORRECTION is judged.act
        assert judged == combined(judged, ReadAct(act=Act.OTHER, sure=0.9))

    def test_without_a_usable_word_the_signs_decide(self) -> None:
        """A reply that could not be read changes nothing."""
        judged = by_signs("no, wrong")
        assert judged == combined(judged, None)
        assert judged == combined(judged, ReadAct(act=None, why="the reply leaves it out"))

    def test_probabilities_stay_probabilities(self) -> None:
        """Between 0 and 1, also for the surest statement."""
        for act in Act:
            found = combined(by_signs("do it otherwise"), ReadAct(act=act, sure=1.0))
            assert 0 <= found.correction <= 1
            assert 0 <= found.probability <= 1


@pytest.mark.parametrize(
    ("probability", "correction", "is_unsure"),
    [(0.9, 0.05, False), (0.84, 0.05, True), (0.9, 0.5, True), (0.9, 0.9, False), (0.9, 0.16, True)],
)
def test_turns_in_the_band_are_unsure(probability: float, correction: float, is_unsure: bool) -> None:
    """The band is stated: an act below 0.85, or a correction between 0.15 and 0.85."""
    judged = replace(by_signs("ok"), probability=probability, correction=correction)
    assert is_unsure is unsure(judged)


def test_agreement_counts_turns_and_corrections() -> None:
    """Replies that could not be used are counted apart."""
    correction, request = by_signs("No, that's still wrong, it fails"), by_signs("Add a parser for dates please")
    assert (Act.CORRECTION, Act.REQUEST) == (correction.act, request.act)
    found = agreement(
        [
            (correction, ReadAct(act=Act.CORRECTION)),
            (request, ReadAct(act=Act.CORRECTION)),
            (request, ReadAct(act=Act.REQUEST)),
            (request, ReadAct(act=None, why="no JSON")),
        ]
    )
    assert (3, 2, 2, 1, 1) == (found.read, found.same, found.corrections, found.both, found.unusable)


def test_a_judge_does_not_see_what_the_person_did_about_an_exchange() -> None:
    """A refused call was called, and a stopped agent made its calls; with the reaction both are named."""
    one = replace(exchange("go on", refused("make slow")), interrupted=True)
    assert "refused" in what_was_done(one) and "stopped the agent" in what_was_done(one)
    alone = what_was_done(one, reaction=False)
    assert "make slow" in alone and "(called)" in alone
    assert not any(word in alone for word in ("refused", "stopped", "person"))
