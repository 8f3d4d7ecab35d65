"""The same plugin in the real Copilot CLI, and the MCP server beside it."""

from __future__ import annotations

import json

import pytest

from sleepd import __version__
from tests.e2e.clients import SLEEPD, Person, eventually
from tests.stub.script import Call, Say

pytestmark = pytest.mark.e2e


def copilot(person: Person, prompt: str) -> str:
    """Run a prompt; everything that the model was sent last, as one text."""
    ended = person.run("copilot", "-p", prompt, "--allow-all-tools", "--allow-all-paths", "-s")
    assert 0 == ended.code, ended
    return json.dumps(person.asked("/chat/completions")[-1], ensure_ascii=False)


@pytest.fixture
def installed(person: Person) -> Person:
    """The same person after `sleepd plugin install copilot`."""
    person.sleepd("plugin", "install", "copilot")
    return person


def ours(person: Person) -> list[dict[str, object]]:
    return [row for row in person.run("copilot", "plugin", "list", "--json").json if row["name"] == "sleepd"]


def test_it_is_installed_and_listed_and_taken_out_again(person: Person) -> None:
    """What Copilot lists is what sleepd says; afterwards neither plugin nor server is left."""
    person.sleepd("plugin", "install", "copilot")
    (listed,) = ours(person)
    assert ("sleepd", __version__, True) == (listed["marketplace"], listed["version"], listed["enabled"])
    row = json.loads(person.sleepd("plugin", "status", "--json").out)[2]
    servers = person.home / ".copilot" / "mcp-config.json"
    assert ("copilot", True, True, [str(servers)]) == (row["agent"], row["installed"], row["current"], row["mcp"])
    person.sleepd("plugin", "uninstall", "copilot")
    assert [] == ours(person)
    assert not servers.exists()


def test_the_skills_are_offered_and_reach_the_model(installed: Person) -> None:
    """The command is a skill here; loading the skill sends its text."""
    listed = installed.run("copilot", "skill", "list").out
    assert ("sleepd - Use when" in listed, "skillopt-sleep - Ask sleepd" in listed) == (True, True)
    sent = copilot(installed, "stub:loads-sleepd")
    assert "Adopt only a proposal that the user saw and named" in sent


def test_a_session_is_harvested_when_it_ends(installed: Person) -> None:
    """Copilot runs the same hooks."""
    copilot(installed, "Say stub:hello to the harvest")
    wanted = ["Say stub:hello to the harvest"]
    eventually(lambda: wanted == installed.prompts("copilot-cli"), "the prompt is in the database")


def test_the_client_starts_the_server_and_calls_a_tool(installed: Person) -> None:
    """`sleepd mcp` is started by the real client from the file that was written, and its answer reaches the model."""
    listed = installed.run("copilot", "mcp", "list", "--json").json["mcpServers"]["sleepd"]
    assert (str(SLEEPD), ["mcp"]) == (listed["command"], listed["args"])
    installed.stub.scenarios = {"asks-server": (Call("sleepd-status", {}), Say("That is how it stands."))}
    sent = json.loads(copilot(installed, "stub:asks-server"))
    answer = next(str(m["content"]) for m in sent["messages"] if m["role"] == "tool")
    assert "nothing was harvested yet" in answer, answer
