"""The account of levels outlives the database."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sleepd.core.errors import UsageError
from sleepd.core.evidence import Given, Place
from sleepd.core.model import Digest
from sleepd.host.account import Account

C = Digest("c")


@pytest.fixture
def account(tmp_path: Path) -> Account:
    return Account(file=tmp_path / "state" / "account.json")


def test_it_begins_at_nothing_and_goes_on_from_what_was_given(account: Account) -> None:
    """A database that knows of fewer candidates is given the next index; one that knows of more raises the mark."""
    assert Given() == account.given()
    known = [Given(candidates=most) for most in (0, 0, 56, 2)]
    assert [1, 2, 57, 58] == [account.take(one, Digest(f"c{n}")).index for n, one in enumerate(known)]
    assert 58 == account.given().candidates == Account(file=account.file).given().candidates


def test_the_share_for_the_persons_words_is_counted_too(account: Account) -> None:
    """The third candidate is the second that was put into words, whatever a restored backup knows."""
    taken = [account.take(Given(), Digest(f"c{n}"), stated=stated) for n, stated in enumerate((True, False, True))]
    assert [1, 0, 2] == [place.stated for place in taken]
    assert 7 == account.take(Given(stated=6), Digest("c3"), stated=True).stated


def test_what_earlier_versions_gave_away_is_not_shared(account: Account) -> None:
    """They had the whole of their part: only what they left is shared, also after more candidates."""
    account.file.parent.mkdir()
    account.file.write_text('{"highest_index": 12, "candidate": "old"}')
    taken = [account.take(Given(candidates=3), Digest(f"c{n}"), stated=True) for n in range(2)]
    assert [Place(index=13, stated=1, unshared=12), Place(index=14, stated=2, unshared=12)] == taken


def test_a_database_without_its_account_says_what_is_not_shared(account: Account) -> None:
    """As after the state folder was deleted."""
    known = Given(candidates=9, stated=2, unshared=4)
    assert Place(index=10, stated=3, unshared=4) == account.take(known, C, stated=True)
    assert Given(candidates=10, stated=3, unshared=4) == account.given()


def test_a_candidate_that_was_killed_before_it_was_kept_is_given_its_index_again(account: Account) -> None:
    """So a killed run that is resumed comes to the same levels; not where the database went on without it."""
    first = account.take(Given(), C, stated=True)
    assert first == account.take(Given(), C, stated=True)
    assert Place(index=2, stated=2) == account.take(Given(candidates=1, stated=1), C, stated=True)


def test_nobody_else_may_read_it(account: Account) -> None:
    account.take(Given(), C)
    assert 0o600 == account.file.stat().st_mode & 0o777


def test_two_at_once_are_given_two_indices(account: Account) -> None:
    """A training run beside a night."""
    with ThreadPoolExecutor(4) as executor:
        taken = list(executor.map(lambda n: account.take(Given(), Digest(f"c{n}")).index, range(40)))
    assert list(range(1, 41)) == sorted(taken)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        '{"highest_index": "7"}',
        '{"highest_index": -1}',
        '{"highest_index": true}',
        '{"highest_index": 2, "stated": -1}',
        '{"highest_index": 2, "unshared": "2"}',
    ],
)
def test_a_file_that_holds_no_index_is_an_error_and_no_fresh_start(account: Account, text: str) -> None:
    """To begin again at 1 would spend the level of a life twice."""
    account.file.parent.mkdir()
    account.file.write_text(text)
    with pytest.raises(UsageError, match="does not say how many candidates there were"):
        account.take(Given(), C)
    assert text == account.file.read_text()
