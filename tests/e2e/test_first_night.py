"""The whole tutorial, on a machine that has the real agents and a systemd of the user's own."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.docs.machine import provider, with_history
from tests.docs.newcomer import SESSIONS, carry_out, clean_environment
from tests.docs.page import Command, steps
from tests.docs.terminal import Terminal
from tests.docs.test_tutorial import TUTORIAL, left_behind
from tests.e2e.clients import move_in
from tests.e2e.users_systemd import Manager, user_manager
from tests.stub.server import Stub

pytestmark = pytest.mark.e2e(100)


@pytest.fixture
def home() -> Iterator[Path]:
    """A home that units can see: not below /tmp."""
    folder = Path(tempfile.mkdtemp(prefix="sleepd-e2e-", dir="/var/lib"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def manager(home: Path, own_schedules: None) -> Iterator[Manager]:
    """The user's systemd."""
    if Path(sys.executable).is_relative_to("/tmp"):
        pytest.skip("units do not see what lies in /tmp, as this Python does")
    with user_manager(home) as running:
        yield running


def test_the_tutorial_comes_true_to_its_end(home: Path, manager: Manager, tmp_path: Path) -> None:
    """With the service and the plugins; they are gone again afterwards, and so is everything else of sleepd."""
    with Stub(answer=provider()) as stub:
        agents = move_in(home, stub, tmp_path)
        with_history(home, datetime.now(UTC), sessions=SESSIONS)  # noqa: TID251  the reader has today's transcripts
        environment = {**agents.env, **clean_environment(home), **manager.environment}
        environment["PATH"] = clean_environment(home)["PATH"]
        del environment["ANTHROPIC_API_KEY"]  # the tutorial sets it
        inside = ["nsenter", "--target", str(manager.pid), "--mount", "--pid"]
        with Terminal(home, environment, inside) as terminal:
            wrong = []
            for step in steps(TUTORIAL):
                if isinstance(step, Command) and step.elsewhere:
                    # Only now, so that the first commands are as on a machine without agents.
                    terminal.run(f'export PATH="{home / "bin"}{os.pathsep}$PATH"')
                for done in carry_out([step], home, terminal, stub.url):
                    if not done.as_shown or done.status != 0:
                        wrong.append(f"$ {done.command.line}\n{done.came}[{done.status}]")
                    print(f"$ {done.command.line}\n{done.came}[{done.status}]")  # noqa: T201  what came, for the page
    assert [] == wrong, "\n\n".join(wrong)
    assert [] == left_behind(home / ".config") + left_behind(home / ".local")
