"""`sleepd proposals`, `sleepd review`, `sleepd adopt`, `sleepd reject` and `sleepd revert`, without a terminal."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sleepd.core.model import Digest
from sleepd.pipeline import adopt as writing
from sleepd.settings import config
from sleepd.store import proposals
from sleepd.store.database import open_database
from sleepd.store.proposals import Status
from tests.cli.command import sleepd
from tests.usecases.waiting import POISON, RISK, TESTED, TICKET, Home

OURS = "# Mine\n\n<!-- sleepd:learnt -->\n- a\n<!-- /sleepd:learnt -->\n"


@pytest.fixture
def home(begun: Path) -> Home:
    return Home(folder=begun)


def seen(id_: str) -> dict[str, Any]:
    return next(p for p in sleepd("proposals", "--all", "--json").json if p["id"] == id_)


def digest_of(id_: str) -> str:
    """As `sleepd review` shows it."""
    return str(next(p for p in sleepd("review", "--json").json if p["id"] == id_)["digest"])


class TestWhole:
    def test_a_proposal_is_adopted_and_reverted(self, home: Home) -> None:
        """The file appears and goes, with the folders that were made for it; doing either twice is an error in words."""
        id_ = home.propose()
        assert not home.file().exists()
        done = sleepd("adopt", id_[:8], "--json")
        assert (0, [(id_, True)]) == (done.code, [(w["proposal"], w["proven"]) for w in done.json["adopted"]])
        assert "sleepd:learnt" in home.file().read_text() and Status.ADOPTED is home.status(id_)
        assert 2 == sleepd("adopt", id_[:8]).code
        back = sleepd("revert", "--json")
        assert (0, True, True) == (back.code, back.json["removed"], back.json["proven"])
        assert [] == list(home.project.iterdir()) and Status.REVERTED is home.status(id_)
        assert 2 == sleepd("revert").code

    def test_all_means_all_that_wait(self, home: Home) -> None:
        """What was set aside is not among them; with nothing left it is still a success."""
        first, second = home.propose(), home.propose((TICKET,), name="other", number=2)
        aside = home.propose((POISON,), name="third", number=3, status=Status.QUARANTINED)
        assert 0 == sleepd("adopt", "--all").code
        assert [Status.ADOPTED, Status.ADOPTED, Status.QUARANTINED] == [home.status(i) for i in (first, second, aside)]
        again = sleepd("adopt", "--all")
        assert (0, "nothing was adopted\n") == (again.code, again.out)

    def test_what_was_set_aside_is_refused_by_the_name_of_its_rule(self, home: Home) -> None:
        """Neither by its id nor on a branch."""
        aside = home.propose((POISON,), status=Status.QUARANTINED)
        for more in ([], ["--git"], ["--edit", "1"]):
            done = sleepd("adopt", aside[:8], *more)
            assert (2, True) == (done.code, "fetch" in done.err or "quarantined" in done.err), done.err
        assert "fetch" in sleepd("proposals").out and not home.file().exists()

    def test_the_users_own_edit_is_in_the_way(self, home: Home) -> None:
        """A file was made by hand where a new one was proposed: 5, the line says so, and not a byte is written."""
        id_ = home.propose()
        home.live("written by hand\n")
        done = sleepd("adopt", id_[:8])
        assert (5, 1) == (done.code, done.err.count("\n")) and id_[:8] in done.err
        assert "written by hand\n" == home.file().read_text() and Status.WAITING is home.status(id_)
        assert str(home.file()) in done.err and f"sleepd reject {id_[:8]}" in done.err and "sleepd run" in done.err
        assert "cannot be adopted now" in sleepd("review").out

    def test_a_superseded_proposal_is_shown_as_such(self, home: Home) -> None:
        """Only with --all, with what took its place; it is not among --all to adopt, and can be turned down."""
        id_ = home.propose(status=Status.SUPERSEDED)
        assert "nothing waits" in sleepd("proposals").out
        assert "superseded" in sleepd("proposals", "--all").out
        assert "nothing was adopted" in sleepd("adopt", "--all").out and not home.file().exists()
        assert 0 == sleepd("reject", id_[:8], "--why", "never this").code
        assert Status.REJECTED is home.status(id_)

    def test_reverting_takes_out_what_was_learnt_and_nothing_else(self, home: Home) -> None:
        """The file was not there before, but holds a line of theirs now: the line stays, with the frontmatter."""
        id_ = home.propose()
        sleepd("adopt", id_[:8])
        home.file().write_text(home.file().read_text() + "\nmy own last line\n")
        done = sleepd("revert", id_[:8])
        assert (0, True) == (done.code, "your later changes kept" in done.out), done.err
        left = home.file().read_text()
        assert left.startswith("---\nname: commit\n") and left.endswith("---\n\nmy own last line\n")
        assert "sleepd" not in left and Status.REVERTED is home.status(id_)

    def test_a_learnt_rule_in_other_words_is_in_the_way_of_a_revert(self, home: Home) -> None:
        """5, in one line with file, line and remedy; the file stays as it is. After the remedy the revert works."""
        id_ = home.propose(base=OURS)
        home.live(OURS)
        sleepd("adopt", id_[:8])
        theirs = home.file().read_text().replace("ticket key", "issue number")
        home.file().write_text(theirs)
        done = sleepd("revert", id_[:8])
        assert (5, 1) == (done.code, done.err.count("\n"))
        assert (
            f"{home.file()}: line 5: you changed " in done.err and "delete it yourself, then revert again" in done.err
        )
        assert theirs == home.file().read_text() and Status.ADOPTED is home.status(id_)
        home.file().write_text("".join(x for x in theirs.splitlines(keepends=True) if "issue number" not in x))
        assert (0, OURS) == (sleepd("revert").code, home.file().read_text())

    def test_a_rejection_keeps_its_reason_without_secrets(self, home: Home) -> None:
        """And cannot be adopted any more."""
        id_ = home.propose()
        secret = "ghp_" + "a1B2" * 9
        assert 0 == sleepd("reject", id_[:8], "--why", f"not how we  write {secret}").code
        assert "rejected" == seen(id_)["status"]
        assert "not how we write [redacted:" in seen(id_)["why"] and secret not in seen(id_)["why"]
        done = sleepd("adopt", id_[:8])
        assert 2 == done.code and "rejected" in done.err

    def test_a_reason_in_another_encoding_is_kept(self, home: Home) -> None:
        """As far as it can be read."""
        id_ = home.propose()
        assert 0 == sleepd("reject", id_[:8], "--why", b"caf\xe9 style".decode("utf-8", "surrogateescape")).code
        assert "caf? style" == seen(id_)["why"]

    @pytest.mark.parametrize("why", ["", " \t ", "...", "\n"])
    def test_a_rejection_needs_a_reason(self, home: Home, why: str) -> None:
        """Blanks and dots are none: one line that asks for it, and nothing is decided, for one edit neither."""
        id_ = home.propose()
        for more in ([], ["--edit", "1"]):
            done = sleepd("reject", id_[:8], "--why", why, *more)
            assert (2, "", 1) == (done.code, done.out, done.err.count("\n")) and "say why" in done.err
        assert (Status.WAITING, []) == (home.status(id_), seen(id_)["decided"])

    @pytest.mark.parametrize(
        ("arguments", "named"),
        [
            (["adopt"], "--all"),
            (["adopt", "zz"], "sleepd proposals"),
            (["adopt", ""], "several"),
            (["reject", "zz", "--why", "x"], "sleepd proposals"),
            (["revert", "zz"], "sleepd proposals --all"),
            (["adopt", "--all", "--edit", "1"], "one proposal"),
            (["adopt", "aa", "bb", "--digest", "0"], "one proposal"),
            (["adopt", "aa", "--pr"], "--git"),
        ],
    )
    def test_an_id_that_means_nothing_or_too_much(self, home: Home, arguments: list[str], named: str) -> None:
        """One line that says how to find the right one."""
        home.propose()
        home.propose((TICKET,), name="other", number=2)
        done = sleepd(*arguments)
        assert (2, 1) == (done.code, done.err.count("\n")) and named in done.err, done.err

    def test_a_write_that_a_crash_left_open_is_settled(self, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
        """The file was written, the journal not finished: the next decision finds it adopted and can revert it."""
        id_ = home.propose()

        def crash(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(proposals, "written", crash)
            assert 130 == sleepd("adopt", id_[:8]).code
        assert home.file().exists()
        assert 0 == sleepd("revert").code
        assert not home.file().exists()
        database = open_database(config.places().database)
        found = writing.find(database, Digest(id_), (Status.REVERTED,))
        database.close()
        assert id_ == found.id


class TestShown:
    def test_review_without_a_terminal_prints_all_and_changes_nothing(self, home: Home) -> None:
        """Diff, reason, sessions with titles, before and after by task, evidence, sealed tasks, rent, digest."""
        home.propose()
        before = sleepd("proposals", "--json").out
        shown = sleepd("review", stdin="a\na\n")
        assert 0 == shown.code and before == sleepd("proposals", "--json").out
        words = (
            "+++ ", "because asked for in 9 of 12", "taught by 5 sessions", "2026-09-04  Session number 3 (shop)",
            "Write commit message number 4", "before  after", "evidence 403 of 200 needed", "0.25 → 0.90",
            "tokens in every session", "text replay", f"digest {sleepd('review', '--json').json[0]['digest']}",
            "commit-task-6"[:8],
        )  # fmt: skip
        assert [] == [word for word in words if word not in shown.out], shown.out
        assert "press d" not in shown.out

    def test_the_greatest_effect_comes_first(self, home: Home) -> None:
        """Whatever the order in which they were tried."""
        small = home.propose(effect=0.1)
        great = home.propose((TICKET,), name="other", number=2, effect=0.5)
        assert [great, small] == [p["id"] for p in sleepd("review", "--json").json]

    def test_json_says_it_all_edit_by_edit(self, home: Home) -> None:
        """Numbers, reasons, digest, and what was decided before."""
        id_ = home.propose()
        sleepd("reject", id_[:8], "--edit", "2", "--why", "too vague")
        (one,) = sleepd("review", "--json").json
        assert [(1, TICKET.text), (2, TESTED.text), (3, RISK.text)] == [
            (e["number"], e["text"]) for e in one["candidate"]["edits"]
        ]
        assert [{"edit": 2, "decision": "rejected", "text": None, "why": "too vague"}] == one["decided"]
        assert "Session number 3" == one["taught_by"][1]["title"] and one["candidate"]["tasks"]

    def test_a_page_of_hidden_characters_shows_them(self, home: Home) -> None:
        """A terminal obeys nothing that a model wrote."""
        home.propose((replace(TICKET, reason="so \x1b[2J clear"),))
        assert "<U+001B>" in sleepd("review").out and "\x1b" not in sleepd("review").out

    def test_nothing_to_review_is_said(self, home: Home) -> None:
        """Of an empty database."""
        assert ("nothing waits for you", 0) == (sleepd("review").out.strip(), sleepd("review").code)
        assert [] == sleepd("proposals", "--json").json

    @pytest.mark.slow
    def test_review_starts_without_what_only_nights_need(self) -> None:
        """No torch, no SDK of a provider, no migrations."""
        heavy = ("torch", "sentence_transformers", "anthropic", "openai", "alembic", "scipy", "mcp")
        code = f"import sleepd.cli.review, sys; print([m for m in {heavy} if m in sys.modules])"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert "[]\n" == done.stdout


class TestShow:
    def test_without_an_id_it_is_the_newest_proposal(self, home: Home) -> None:
        """As `sleepd review` shows it, with its status, whatever that is; by its id as well."""
        home.propose()
        newest = home.propose((TICKET,), name="other", number=2)
        sleepd("reject", newest[:8], "--why", "not ours")
        shown = sleepd("show")
        assert (0, f"other, proposal {newest[:8]}, rejected") == (shown.code, shown.out.splitlines()[0])
        assert shown.out == sleepd("show", newest[:8]).out
        assert newest == sleepd("show", "--json").json["id"] and "digest" in sleepd("show", "--json").json

    def test_without_any_proposal_it_is_the_newest_night(self, home: Home) -> None:
        """And before that a line that says how to begin."""
        done = sleepd("show")
        assert (2, 1) == (done.code, done.err.count("\n")) and "sleepd run" in done.err
        done = sleepd("show", "zz")
        assert 2 == done.code and "no night and no proposal" in done.err and "sleepd nights" in done.err

    def test_undo_is_a_revert_of_the_newest_adoption(self, home: Home) -> None:
        """Twice undoes the one before, too."""
        first, second = home.propose(), home.propose((TICKET,), name="other", number=2)
        sleepd("adopt", first[:8])
        sleepd("adopt", second[:8])
        assert second == sleepd("undo", "--json").json["proposal"]
        assert (True, False) == (home.file().exists(), home.file("other").exists())
        assert first[:8] in sleepd("undo").out and not home.file().exists()
        assert 2 == sleepd("undo").code


class TestDigest:
    def test_it_lets_through_only_what_was_shown(self, home: Home) -> None:
        """12 hex digits; when the file changed since, nothing is written and the line says to look again."""
        id_ = home.propose(base=OURS)
        home.live(OURS)
        digest = digest_of(id_)
        assert re.fullmatch("[0-9a-f]{12}", digest) and f"digest {digest}" in sleepd("review").out
        home.live(OURS + "more\n")
        for more in ([], ["--edit", "1"], ["--git"]):
            done = sleepd("adopt", id_[:8], "--digest", digest, *more)
            assert (2, 1, OURS + "more\n") == (done.code, done.err.count("\n"), home.file().read_text())
            assert "changed since it was shown" in done.err
        assert 0 == sleepd("adopt", id_[:8], "--digest", digest_of(id_).upper()).code
        assert Status.ADOPTED is home.status(id_)

    def test_it_changes_with_what_was_turned_down(self, home: Home) -> None:
        """What was shown before would not be written any more."""
        id_ = home.propose()
        digest = digest_of(id_)
        sleepd("reject", id_[:8], "--edit", "1", "--why", "no")
        assert 2 == sleepd("adopt", id_[:8], "--digest", digest).code
        assert not home.file().exists()

    def test_it_is_good_for_one_decision(self, home: Home) -> None:
        """After a revert the file is as it was, and yet the person has to look again."""
        id_ = home.propose(base=OURS)
        home.live(OURS)
        digest = digest_of(id_)
        assert 0 == sleepd("adopt", id_[:8], "--digest", digest).code
        assert 0 == sleepd("revert").code and OURS == home.file().read_text()
        again = sleepd("adopt", id_[:8], "--digest", digest)
        assert (2, OURS) == (again.code, home.file().read_text()) and "is not the digest" in again.err

    def test_no_list_holds_one(self, home: Home) -> None:
        """A digest says that somebody looked at the proposal, which nobody does in a list."""
        id_ = home.propose()
        digest = digest_of(id_)
        for words in (["proposals"], ["proposals", "--json"], ["proposals", "--all", "--json"], ["status", "--json"]):
            assert digest not in sleepd(*words).out and "digest" not in sleepd(*words).out


class TestEdits:
    def test_chosen_ones_alone_are_written_and_called_unproven(self, home: Home) -> None:
        """And come off again, byte for byte."""
        id_ = home.propose(base=OURS)
        home.live(OURS)
        done = sleepd("adopt", id_[:8], "--edit", "1", "--edit", "2", "--digest", digest_of(id_))
        assert (0, True) == (done.code, "with your choice of its edits: unproven" in done.out), done.err
        wanted = OURS.replace("- a\n", f"- a\n- {TICKET.text}\n- {TESTED.text}\n")
        assert wanted == home.file().read_text()
        assert ["accepted", "accepted"] == [d["decision"] for d in seen(id_)["decided"]]
        assert (0, OURS) == (sleepd("revert").code, home.file().read_text())

    @pytest.mark.slow
    def test_all_of_them_by_number_are_the_gated_text(self, home: Home) -> None:
        """Which is proven."""
        id_ = home.propose()
        done = sleepd("adopt", id_[:8], "--edit", "3", "--edit", "1", "--edit", "2", "--json")
        assert [True] == [w["proven"] for w in done.json["adopted"]]

    @pytest.mark.parametrize(
        ("numbers", "said"), [(["3"], "anchor matches no"), (["4"], "1 to 3"), (["0"], "1 to 3"), (["-1"], "1 to 3")]
    )
    def test_what_cannot_stand_alone_is_said(self, home: Home, numbers: list[str], said: str) -> None:
        """An edit that builds on another one, and a number that is none."""
        id_ = home.propose()
        done = sleepd("adopt", id_[:8], *(word for n in numbers for word in ("--edit", n)))
        assert (2, 1) == (done.code, done.err.count("\n")) and said in done.err
        assert not home.file().exists() and Status.WAITING is home.status(id_)

    def test_what_was_turned_down_stays_out_of_an_adoption(self, home: Home) -> None:
        """Also of one with --all; the reason is kept."""
        id_ = home.propose()
        assert f"rejected edit 1 of {id_[:8]}\n" == sleepd("reject", id_[:8], "--edit", "1", "--why", "no").out
        assert Status.WAITING is home.status(id_)
        assert "not the measured text" in sleepd("review").out
        assert 0 == sleepd("adopt", "--all").code
        assert TICKET.text not in home.file().read_text() and TESTED.text in home.file().read_text()

    def test_when_all_are_turned_down_the_proposal_is(self, home: Home) -> None:
        """One by one or at once."""
        id_ = home.propose()
        sleepd("reject", id_[:8], "--edit", "1", "--edit", "3", "--why", "no")
        assert Status.WAITING is home.status(id_)
        sleepd("reject", id_[:8], "--edit", "2", "--why", "no")
        assert Status.REJECTED is home.status(id_)

    def test_an_edit_that_is_none_rejects_nothing(self, home: Home) -> None:
        """2, and everything waits as before."""
        id_ = home.propose()
        assert 2 == sleepd("reject", id_[:8], "--edit", "1", "--edit", "9", "--why", "no").code
        assert (Status.WAITING, []) == (home.status(id_), seen(id_)["decided"])
