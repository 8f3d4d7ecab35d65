"""docs/how-to/copilot.md and docs/reference/mcp.md say what is so: each configuration is read and the server started."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import configure
from tests.homes import move_into
from tests.mcp.mcp_client import Talk, talking, text

DOCS = Path(__file__).parents[2] / "docs"
BLOCKS = re.findall(r"^```json\n(.*?)^```", (DOCS / "how-to" / "copilot.md").read_text(encoding="utf-8"), re.M | re.S)


def test_both_clients_are_shown() -> None:
    """The Copilot CLI reads `mcpServers`, VS Code reads `servers`."""
    assert [{"mcpServers"}, {"servers"}] == [set(json.loads(block)) for block in BLOCKS]


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Talk]:
    """The server that the page starts, found on PATH as a client finds it."""
    entries = [entry for block in BLOCKS for servers in json.loads(block).values() for entry in servers.values()]
    ((command, *arguments),) = {(entry["command"], *entry["args"]) for entry in entries}
    found = shutil.which(command, path=str(Path(sys.executable).parent))
    assert found is not None
    home = tmp_path_factory.mktemp("home")
    configure(home)
    with pytest.MonkeyPatch.context() as patch:
        move_into(patch, home)
        with talking(command=[found, *arguments]) as talk:
            yield talk


def test_the_server_starts_as_the_page_says(talk: Talk) -> None:
    """In both clients by the same command."""
    assert "sleepd init" in text(talk("status"))


def test_the_reference_lists_every_tool_and_argument(talk: Talk) -> None:
    """And no other."""
    page = (DOCS / "reference" / "mcp.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \|(.*?)\|", page, re.M)
    documented = {tool: set(re.findall(r"`(\w+)`", arguments)) for tool, arguments in rows}
    tools: list[Any] = talk.do(lambda client: client.list_tools()).tools
    assert {tool.name: set(tool.input_schema["properties"]) for tool in tools} == documented
