"""docs/how-to/copilot.md and docs/reference/mcp.md say what is so: each configuration is read and the server started."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.app.command import configure
from tests.app.mcp_client import talking, text

DOCS = Path(__file__).parents[2] / "docs"
BLOCKS = re.findall(r"^```json\n(.*?)^```", (DOCS / "how-to" / "copilot.md").read_text(encoding="utf-8"), re.M | re.S)


def test_both_clients_are_shown() -> None:
    """The Copilot CLI reads `mcpServers`, VS Code reads `servers`."""
    assert [{"mcpServers"}, {"servers"}] == [set(json.loads(block)) for block in BLOCKS]


@pytest.mark.parametrize("block", BLOCKS, ids=["copilot-cli", "vs-code"])
def test_the_server_starts_as_the_page_says(own_home: Path, block: str) -> None:
    """With the command found on PATH, as a client finds it."""
    configure(own_home)
    (servers,) = json.loads(block).values()
    (entry,) = servers.values()
    found = shutil.which(entry["command"], path=str(Path(sys.executable).parent))
    assert found is not None
    with talking(command=[found, *entry["args"]]) as talk:
        assert "sleepd init" in text(talk("status"))


def test_the_reference_lists_every_tool_and_argument(own_home: Path) -> None:
    """And no other."""
    page = (DOCS / "reference" / "mcp.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \|(.*?)\|", page, re.M)
    documented = {tool: set(re.findall(r"`(\w+)`", arguments)) for tool, arguments in rows}
    with talking() as talk:
        tools: list[Any] = talk.do(lambda client: client.list_tools()).tools
    assert {tool.name: set(tool.input_schema["properties"]) for tool in tools} == documented
