"""The account of levels outlives the database."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sleepd.core.errors import UsageError
from sleepd.core.model import Digest
from sleepd.host.account import Account

C = Digest("c")


@pytest.fixture
def account(tmp_path: Path) -> Account:
    return Account(file=tmp_path / "state" / "account.json")


def test_it_begins_at_nothing_and_goes_on_from_what_was_given(account: Account) -> None:
    """A database that knows of fewer candidates is given the next index; one that knows of more raises the mark."""
    assert 0 == account.highest()
    assert [1, 2, 57, 58] == [account.take(least, Digest(f"c{n}")) for n, least in enumerate((1, 1, 57, 3))]
    assert 58 == account.highest() == Account(file=account.file).highest()


def test_a_candidate_that_was_killed_before_it_was_kept_is_given_its_index_again(account: Account) -> None:
    """So a killed run that is resumed comes to the same levels; not where the database went on without it."""
    assert [1, 1, 2] == [account.take(1, C), account.take(1, C), account.take(2, C)]


def test_nobody_else_may_read_it(account: Account) -> None:
    account.take(1, C)
    assert 0o600 == account.file.stat().st_mode & 0o777


def test_two_at_once_are_given_two_indices(account: Account) -> None:
    """A training run beside a night."""
    with ThreadPoolExecutor(4) as executor:
        taken = list(executor.map(lambda n: account.take(1, Digest(f"c{n}")), range(40)))
    assert list(range(1, 41)) == sorted(taken)


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"highest_index": "7"}', '{"highest_index": -1}', '{"highest_index": true}']
)
def test_a_file_that_holds_no_index_is_an_error_and_no_fresh_start(account: Account, text: str) -> None:
    """To begin again at 1 would spend the level of a life twice."""
    account.file.parent.mkdir()
    account.file.write_text(text)
    with pytest.raises(UsageError, match="does not say how many candidates there were"):
        account.take(1, C)
    assert text == account.file.read_text()
