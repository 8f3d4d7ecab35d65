"""`sleepd proposals`, `sleepd review`, `sleepd adopt`, `sleepd reject` and `sleepd revert`."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sleepd.app import config
from sleepd.core.model import Digest
from sleepd.pipeline import adopt as writing
from sleepd.store import proposals
from sleepd.store.database import open_database
from sleepd.store.proposals import Status
from tests.app.command import sleepd
from tests.app.test_cli_setup import at_a_terminal


@pytest.fixture
def proposed(lived_in: Path) -> str:
    """A home after a night; the id of the proposal that waits."""
    assert 0 == sleepd("run").code
    return waiting()


def waiting() -> str:
    return next(p["id"] for p in sleepd("proposals", "--json").json if p["status"] == "waiting")


def path_of(id_: str) -> Path:
    found = sleepd("proposals", "--all", "--json").json
    return Path(next(p["candidate"]["path"] for p in found if p["id"] == id_))


def status_of(id_: str) -> str:
    return next(p["status"] for p in sleepd("proposals", "--all", "--json").json if p["id"] == id_)


def test_a_proposal_is_adopted_and_reverted(proposed: str) -> None:
    """The file appears and goes, with the folders that were made for it; doing either twice is an error in words."""
    file = path_of(proposed)
    assert not file.exists()
    done = sleepd("adopt", proposed[:8], "--json")
    assert (0, [(proposed, True)]) == (done.code, [(w["proposal"], w["proven"]) for w in done.json["adopted"]])
    assert "sleepd:learnt" in file.read_text() and "adopted" == status_of(proposed)
    assert 2 == sleepd("adopt", proposed[:8]).code
    back = sleepd("revert", "--json")
    assert (0, True, True) == (back.code, back.json["removed"], back.json["proven"])
    assert not file.exists() and not (file.parents[2]).exists() and "reverted" == status_of(proposed)
    assert 2 == sleepd("revert").code


def test_all_means_all_that_wait(proposed: str) -> None:
    """What was set aside is not among them; with nothing left it is still a success."""
    assert 0 == sleepd("adopt", "--all").code
    assert "adopted" == status_of(proposed)
    assert (0, "nothing was adopted\n") == (sleepd("adopt", "--all").code, sleepd("adopt", "--all").out)


def test_what_was_set_aside_is_refused_by_the_name_of_its_rule(proposed: str) -> None:
    """Neither by its id nor with --all."""
    aside = [p for p in sleepd("proposals", "--json").json if p["status"] == "quarantined"]
    assert aside, "the poisoned sessions of this persona should have been set aside"
    for one in aside:
        done = sleepd("adopt", one["id"][:8])
        assert 2 == done.code and one["findings"][0].split(":")[0] in done.err
        assert one["findings"][0].split(":")[0] in sleepd("proposals").out


def test_the_users_own_edit_is_in_the_way(proposed: str) -> None:
    """A file was made by hand where a new one was proposed: 5, the line says so, and not a byte is written."""
    file = path_of(proposed)
    file.parent.mkdir(parents=True)
    file.write_text("written by hand\n")
    done = sleepd("adopt", proposed[:8])
    assert (5, 1) == (done.code, done.err.count("\n")) and proposed[:8] in done.err
    assert "written by hand\n" == file.read_text() and "waiting" == status_of(proposed)


def test_reverting_does_not_take_away_what_the_user_added(proposed: str) -> None:
    """The file was not there before, but now holds a line of theirs: 5, and it stays as it is."""
    sleepd("adopt", proposed[:8])
    file = path_of(proposed)
    theirs = file.read_text() + "\nmy own last line\n"
    file.write_text(theirs)
    done = sleepd("revert", proposed[:8])
    assert (5, 1) == (done.code, done.err.count("\n"))
    assert theirs == file.read_text() and "adopted" == status_of(proposed)


def test_a_rejection_keeps_its_reason(proposed: str) -> None:
    """And cannot be adopted any more."""
    assert 0 == sleepd("reject", proposed[:8], "--why", "not how we write").code
    kept = next(p for p in sleepd("proposals", "--all", "--json").json if p["id"] == proposed)
    assert ("rejected", "not how we write") == (kept["status"], kept["why"])
    done = sleepd("adopt", proposed[:8])
    assert 2 == done.code and "rejected" in done.err


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["adopt"], "--all"),
        (["adopt", "zz"], "sleepd proposals"),
        (["adopt", ""], "several"),
        (["reject", "zz", "--why", "x"], "sleepd proposals"),
        (["revert", "zz"], "sleepd proposals --all"),
    ],
)
def test_an_id_that_means_nothing_or_too_much(in_it: Path, arguments: list[str], named: str) -> None:
    """One line that says how to find the right one."""
    done = sleepd(*arguments)
    assert (2, 1) == (done.code, done.err.count("\n")) and named in done.err, done.err


def test_review_without_a_terminal_prints_and_changes_nothing(in_it: Path) -> None:
    """Diff, reason, sessions, before and after by task, evidence, rent."""
    before = sleepd("proposals", "--json").out
    shown = sleepd("review", stdin="a\na\n")
    assert 0 == shown.code and before == sleepd("proposals", "--json").out
    words = ("+++ ", "because ", "taught by", "before  after", "evidence ", "tokens in every session", "text replay")
    assert [] == [word for word in words if word not in shown.out]
    (one,) = sleepd("review", "--json").json
    assert "waiting" == one["status"] and one["candidate"]["tasks"]


@pytest.mark.slow
def test_review_on_a_terminal_adopts_and_asks_for_a_reason(lived_in: Path) -> None:
    """`s` leaves it, `r` rejects with a reason, `a` adopts."""
    assert 0 == sleepd("run").code
    id_ = waiting()
    at_a_terminal(["review"], "what\ns\n")
    assert "waiting" == status_of(id_)
    shutil.copytree(lived_in / ".local", lived_in / "copy")
    at_a_terminal(["review"], "r\ntoo long\n")
    assert "rejected" == status_of(id_)
    shutil.rmtree(lived_in / ".local")
    shutil.move(lived_in / "copy", lived_in / ".local")
    at_a_terminal(["review"], "a\n")
    assert "adopted" == status_of(id_) and path_of(id_).exists()


def test_nothing_to_review_is_said(begun: Path) -> None:
    """Of an empty database."""
    assert ("nothing waits for you", 0) == (sleepd("review").out.strip(), sleepd("review").code)
    assert [] == sleepd("proposals", "--json").json


def test_a_write_that_a_crash_left_open_is_settled(proposed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file was written, the journal not finished: the next decision finds it adopted and can revert it."""

    def crash(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(proposals, "written", crash)
        assert 130 == sleepd("adopt", proposed[:8]).code
    assert path_of(proposed).exists()
    assert 0 == sleepd("revert").code
    assert not path_of(proposed).exists()
    database = open_database(config.places().database)
    found = writing.find(database, Digest(proposed), (Status.REVERTED,))
    database.close()
    assert proposed == found.id
