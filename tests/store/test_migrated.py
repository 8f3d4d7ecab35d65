"""A database that an earlier commit made opens with nothing lost."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine

from harvesters.records import Tokens
from sleepd.core.model import SessionId
from sleepd.store import migrate, proposals, rollouts, sessions
from sleepd.store.database import Database, open_database
from tests.cli.command import sleepd

DATABASES = Path(__file__).parent / "databases"
FACTS: Mapping[str, Any] = json.loads(lzma.decompress((DATABASES / "0008.json.xz").read_bytes()))
CANDIDATES = "SELECT id, number, verdict, reason, evidence, effect, nights FROM candidates ORDER BY number"


def unpacked(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lzma.decompress((DATABASES / "0008.db.xz").read_bytes()))
    path.chmod(0o600)
    return path


def rounded(value: Any) -> Any:
    """The value with each float to twelve digits."""
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [rounded(inner) for inner in value]
    return round(value, 12) if isinstance(value, float) else value


def without_digest(facts: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in facts.items() if key != "digest"}


def without_level(candidates: Iterable[dict[str, Any]]) -> None:
    """Without what is said of a candidate's level since: none of these had a share for the person's words."""
    for one in candidates:
        assert (None, pytest.approx(1 / one["threshold"])) == (one.pop("stated"), one.pop("level"))


@pytest.fixture
def old(tmp_path: Path) -> Database:
    return open_database(unpacked(tmp_path / "sleepd.db"))


class TestNothingIsLost:
    def test_every_row_is_there(self, old: Database) -> None:
        """As many in each table, with equal sums of scores, answers and tokens."""
        with old.reading() as connection:
            counts = {t: connection.exec_driver_sql(f"SELECT count(*) FROM {t}").scalar() for t in FACTS["counts"]}
            sums = "SELECT sum(score), count(cause), sum(length(answer)), sum(tokens_in), sum(tokens_out) FROM rollouts"
            assert FACTS["counts"] == counts
            assert FACTS["sums"] == list(connection.exec_driver_sql(sums).one())

    def test_its_candidates_had_no_share_for_words(self, old: Database) -> None:
        """Each had the whole of its part, so only what they left is shared among later ones."""
        with old.reading() as connection:
            held = proposals.given(connection)
            assert (held.candidates, 0, held.candidates) == (held.unshared, held.stated, held.unshared)
            assert held.candidates > 0
            assert {None} == {t.candidate.stated for t in proposals.trials(connection)}

    def test_what_was_spent_is_said_by_the_same_stages(self, old: Database) -> None:
        """For each night and each step of the training run."""
        with old.reading() as connection:
            for run, stages in FACTS["stages"].items():
                # As that version named the steps of a training run.
                id_, _, step = run.partition(":")
                found = rollouts.spent_by_stage(connection, id_, [int(step or 0)])
                assert (run, stages) == (run, [asdict(s) for s in found])


class TestTheCommandSaysTheSame:
    @pytest.fixture(autouse=True)
    def at_home(self, own_home: Path) -> None:
        unpacked(own_home / ".local" / "share" / "sleepd" / "sleepd.db")

    def test_of_the_proposals(self) -> None:
        """In text and JSON, those decided on included. Lists held digests then."""
        found = sleepd("proposals", "--all", "--json").json
        # Said since: the older one was accepted before a night found the model changed.
        (doubt,) = {one.pop("doubt") for one in found} - {None}
        known = FACTS["views"]["proposals"]
        without_level(one["candidate"] for one in found)
        assert [without_digest(one) for one in known] == found
        text = sleepd("proposals", "--all").out
        # A table wraps: its words are there, cell by cell.
        assert set(doubt.split()) <= set(text.split())
        rows = [line.split()[:2] for line in text.splitlines() if line[:1] not in " p"]
        assert [[one["id"][:8], one["status"]] for one in known] == [[id_, status.rstrip(",")] for id_, status in rows]

    @pytest.mark.parametrize("night", FACTS["views"]["nights"])
    def test_of_a_night(self, night: str) -> None:
        """With its candidates, their pairs by task, and the model that answered them."""
        shown = sleepd("show", night, "--json").json
        known = FACTS["views"]["nights"][night]
        without_level(shown["candidates"])
        # The last digit of a sum may fall otherwise when its terms are added in another order.
        assert rounded({**known, "proposals": [without_digest(one) for one in known["proposals"]]}) == rounded(shown)


def test_tokens_of_replies_that_an_older_sleepd_read_are_unknown(tmp_path: Path) -> None:
    """A turn kept under the schema before comes back with everything but its tokens."""
    engine = create_engine(f"sqlite:///{tmp_path / 'sleepd.db'}")
    migrate.upgrade(engine, "0018")
    with engine.begin() as connection:
        connection.exec_driver_sql(
            "INSERT INTO sessions (id, agent, kind, models, redacted, revision) "
            "VALUES ('codex:s', 'codex', 'interactive', '[]', 0, 1)"
        )
        connection.exec_driver_sql(
            "INSERT INTO turns (session_id, id, position, role, origin, text, abandoned) "
            "VALUES ('codex:s', 't', 0, 'assistant', 'reply', 'Done.', 0)"
        )
    engine.dispose()
    (tmp_path / "sleepd.db").chmod(0o600)
    with open_database(tmp_path / "sleepd.db").reading() as connection:
        (turn,) = sessions.transcript(connection, SessionId("codex:s")).turns
    assert ("Done.", Tokens()) == (turn.text, turn.tokens)
