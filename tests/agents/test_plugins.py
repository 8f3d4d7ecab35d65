"""`sleepd plugin`: the files it writes, what it asks of the agents' own commands, and what it leaves alone."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sleepd import __version__
from sleepd.agents import json_member, marketplace
from sleepd.agents.json_member import Unclear
from sleepd.settings import config
from tests.cli.command import Result, sleepd

AT = ("servers", "sleepd")

CLIENT = """\
#!{python}
import json, pathlib, sys
state = pathlib.Path(__file__).with_suffix(".json")
known = json.loads(state.read_text()) if state.exists() else {{"plugin": None, "market": None, "asked": []}}
asked = " ".join(sys.argv[1:])
known["asked"].append(asked)
words = sys.argv[1:]
code = 0
if asked == "features list":
    print("plugins  stable  true")
elif words[:3] == ["plugin", "marketplace", "list"]:
    print(json.dumps([{{"name": "sleepd", "path": known["market"]}}] if known["market"] else []))
elif words[:3] == ["plugin", "marketplace", "add"]:
    known["market"] = words[3]
elif words[:3] == ["plugin", "marketplace", "remove"]:
    known["market"] = None
elif words[:2] == ["plugin", "list"]:
    manifest = pathlib.Path(known["market"] or "/nowhere") / "claude-code/.claude-plugin/plugin.json"
    row = {{"id": "sleepd@sleepd", "pluginId": "sleepd@sleepd", "name": "sleepd", "marketplace": "sleepd",
           "enabled": known.get("enabled", True), "version": known["plugin"]}}
    print(json.dumps([row] if known["plugin"] else []))
elif words[1] in ("install", "add"):
    {trouble}
    known["plugin"] = "{version}"
elif words[1] in ("uninstall", "remove"):
    known["plugin"] = None
state.write_text(json.dumps(known))
sys.exit(code)
"""
"""Stands for an agent's command: keeps a marketplace and a plugin, and what it was asked."""


class Agents:
    """Commands of agents on PATH, and what they were asked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def add(self, name: str, *, version: str = __version__, trouble: str = "pass", text: str = CLIENT) -> None:
        file = self.folder / name
        file.write_text(text.format(python=sys.executable, version=version, trouble=trouble), encoding="utf-8")
        file.chmod(0o755)

    def state(self, name: str) -> Any:
        return json.loads((self.folder / f"{name}.json").read_text(encoding="utf-8"))

    def changes(self, name: str) -> list[str]:
        """What changed something, in order."""
        return [asked for asked in self.state(name)["asked"] if " list" not in asked]


@pytest.fixture
def agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Agents:
    """A PATH with a folder for agents and nothing of the developer's."""
    folder = tmp_path / "agents"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return Agents(folder)


@pytest.fixture
def all_agents(agents: Agents) -> Agents:
    for name in ("claude", "codex", "copilot"):
        agents.add(name)
    return agents


def lines(result: Result, agent: str) -> list[str]:
    return [line for line in result.out.splitlines() if line.startswith(f"{agent}: ")]


# What an agent is asked ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_each_agent_gets_the_marketplace_and_then_the_plugin(all_agents: Agents) -> None:
    """In its own words; a second time only the plugin again, and it goes in the opposite order."""
    folder = config.places().plugins
    assert 0 == sleepd("plugin", "install", "all").code
    added = f"plugin marketplace add {folder}"
    assert [added, "plugin install sleepd@sleepd"] == all_agents.changes("claude")
    assert [added, "plugin add sleepd@sleepd"] == all_agents.changes("codex")
    assert [added, "plugin install sleepd@sleepd"] == all_agents.changes("copilot")
    assert 0 == sleepd("plugin", "install", "codex").code
    assert [added, *["plugin add sleepd@sleepd"] * 2] == all_agents.changes("codex")
    assert 0 == sleepd("plugin", "uninstall", "codex").code
    assert ["plugin remove sleepd@sleepd", "plugin marketplace remove sleepd"] == all_agents.changes("codex")[3:]


@pytest.mark.slow
def test_the_folder_goes_with_the_last_agent(all_agents: Agents) -> None:
    """An agent that reads it must not find it gone."""
    folder = config.places().plugins
    sleepd("plugin", "install", "all")
    sleepd("plugin", "uninstall", "claude-code", "copilot")
    assert folder.is_dir()
    sleepd("plugin", "uninstall", "codex")
    assert not folder.exists()


@pytest.mark.slow
def test_status_says_what_the_agents_say(all_agents: Agents) -> None:
    """Not installed, installed, turned off, of another version: each with its remedy."""
    assert 3 * ["not installed; run sleepd plugin install"] == [
        " ".join(line.split()[1:7]) for line in sleepd("plugin", "status").out.splitlines()
    ]
    sleepd("plugin", "install", "all")
    all_agents.add("codex", version="0.0.1")
    sleepd("plugin", "install", "codex")
    off = all_agents.state("copilot") | {"enabled": False}
    (all_agents.folder / "copilot.json").write_text(json.dumps(off), encoding="utf-8")
    claude, codex, copilot = sleepd("plugin", "status").out.splitlines()
    assert f"claude-code  installed, version {__version__}" == claude
    assert f"codex        version 0.0.1, and this sleepd is {__version__}; run sleepd plugin install codex" == codex
    assert "turned off" in copilot
    assert [True, False, True] == [row["current"] for row in sleepd("plugin", "status", "--json").json]


@pytest.mark.slow
def test_doctor_says_what_to_do_about_a_plugin(agents: Agents, begun: Path) -> None:
    """An agent without it is no warning; an older plugin, a turned-off one and an agent that cannot tell are."""

    def row() -> tuple[str, bool]:
        (found,) = [r for r in sleepd("doctor", "--json").json["rows"] if r["fact"].startswith("plugin ")]
        assert "plugin codex" == found["fact"]
        return found["state"], "sleepd plugin install codex" in found["finding"] + found["fix"]

    agents.add("codex")
    assert ("ok", True) == row()
    sleepd("plugin", "install", "codex")
    assert ("ok", False) == row()
    agents.add("codex", version="0.0.1")
    sleepd("plugin", "install", "codex")
    assert ("warning", True) == row()
    agents.add("codex", text="#!/bin/sh\necho; exit 1\n")
    assert ("warning", False) == row()


def test_an_agent_that_is_not_here_is_one_line(agents: Agents) -> None:
    """Asked for by name it is a failure with a remedy; among all it is passed over."""
    agents.add("claude")
    named = sleepd("plugin", "install", "codex")
    assert (2, ["codex: codex is not on PATH; install Codex, or add its folder to PATH, and try again"]) == (
        named.code,
        named.out.splitlines(),
    )
    assert 0 == sleepd("plugin", "install", "all").code
    (agents.folder / "claude").unlink()
    assert 2 == sleepd("plugin", "install", "all").code


def test_an_unknown_agent_is_named_with_the_known_ones(agents: Agents) -> None:
    """Before anything is written."""
    wrong = sleepd("plugin", "install", "codex", "cluade-code")
    assert (2, 1) == (wrong.code, len(wrong.err.splitlines()))
    assert "did you mean 'claude-code'" in wrong.err
    missing = sleepd("plugin", "install")
    assert (2, 1) == (missing.code, len(missing.err.splitlines()))
    assert not config.places().plugins.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (
            "sys.exit('WARNING: x\\nError: no room left')",
            "claude plugin install sleepd@sleepd failed: Error: no room left",
        ),
        ("sys.exit(3)", "claude plugin install sleepd@sleepd failed: exit status 3"),
        ("print('✘ Failed to do it'); sys.exit(1)", "Failed to do it"),
        ("import os; os.write(2, b'\\xff\\n'); sys.exit(1)", "failed: \ufffd"),
    ],
)
def test_an_agent_that_refuses_is_quoted(agents: Agents, trouble: str, said: str) -> None:
    """Its own words in one line; the other agents are served all the same."""
    agents.add("claude", trouble=trouble)
    agents.add("codex")
    done = sleepd("plugin", "install", "all")
    assert (2, 1) == (done.code, len(lines(done, "claude-code")))
    assert said in lines(done, "claude-code")[0]
    assert "installed" in lines(done, "codex")[0]


@pytest.mark.parametrize("said", ["", "not json", '{"plugins": 3}', "[[]]", "null"])
def test_a_list_that_is_not_understood_is_no_crash(agents: Agents, said: str) -> None:
    """A later version of an agent may print something else: status says so, or sees nothing of ours."""
    agents.add("claude", text=f"#!/bin/sh\nprintf '%s' '{said.replace('{', '{{').replace('}', '}}')}'\n")
    done = sleepd("plugin", "status")
    assert 0 == done.code
    assert done.out.splitlines()[0].startswith(("claude-code  unknown: its list", "claude-code  not installed"))


def test_a_program_that_cannot_be_run_is_no_crash(agents: Agents) -> None:
    """A script without its interpreter, as an uninstalled Node leaves it behind."""
    agents.add("claude", text="#!/nowhere/node\n")
    done = sleepd("plugin", "install", "claude-code")
    assert (2, True) == (done.code, "install Claude Code anew" in done.out)


def test_another_marketplace_of_that_name_is_left_alone(agents: Agents, tmp_path: Path) -> None:
    """It may be the user's own checkout: it is named, with the command that removes it."""
    agents.add("claude")
    (agents.folder / "claude.json").write_text(json.dumps({"plugin": "9", "market": str(tmp_path), "asked": []}))
    done = sleepd("plugin", "install", "claude-code")
    assert 2 == done.code
    assert f"from {tmp_path}; run claude plugin marketplace remove sleepd" in done.out
    assert 0 == sleepd("plugin", "uninstall", "claude-code").code
    assert [] == agents.changes("claude")


# The marketplace folder ---------------------------------------------------------------------------------------------


def test_the_copy_is_whole_and_knows_its_program(agents: Agents) -> None:
    """File for file that of this sleepd, scripts executable, and one note more."""
    agents.add("claude")
    sleepd("plugin", "install", "claude-code")
    folder, source = config.places().plugins, marketplace.source()
    kept = {p.relative_to(folder) for p in folder.rglob("*") if p.is_file()}
    ours = {p.relative_to(source) for p in source.rglob("*") if p.is_file()}
    assert {Path("claude-code/sleepd-path")} == kept - ours
    assert ours <= kept
    assert [] == [p for p in ours if (folder / p).read_bytes() != (source / p).read_bytes()]
    assert os.access(folder / "claude-code/bin/sleepd", os.X_OK)
    noted = Path((folder / "claude-code/sleepd-path").read_text().rstrip("\n"))
    assert (True, True) == (noted.is_absolute(), os.access(noted, os.X_OK))


def test_installing_again_replaces_the_folder_and_what_a_killed_attempt_left(agents: Agents) -> None:
    """Files that are no longer part of the plugin go; half a copy beside it goes too."""
    agents.add("claude")
    sleepd("plugin", "install", "claude-code")
    folder = config.places().plugins
    (folder / "old").write_text("")
    for left in (".plugins.new", ".plugins.old"):
        (folder.parent / left).mkdir()
    sleepd("plugin", "install", "claude-code")
    assert not (folder / "old").exists()
    assert [] == sorted(folder.parent.glob(".plugins.*"))


# The MCP server in other programs' files ----------------------------------------------------------------------------


@pytest.fixture
def vscode(own_home: Path) -> Path:
    """The file of an edition of VS Code that was used here; the file itself is not there."""
    folder = own_home / ".config" / "Code" / "User"
    folder.mkdir(parents=True)
    return folder / "mcp.json"


@pytest.mark.slow
@pytest.mark.parametrize(
    "before",
    [
        None,
        "{}",
        "{ }\n",
        '{"servers": {}}',
        '{"inputs": [], "servers": {"other": {"command": "x"}}}\n',
        '{\n\t"servers": {\n\t\t"other": {\n\t\t\t"command": "ü"\n\t\t}\n\t},\n\t"inputs": [1.0, 1e5, "\\ud800"]\n}\n',
        '{\r\n    "servers": {\r\n    }\r\n}\r\n',
    ],
)
def test_uninstall_leaves_a_file_as_it_was(all_agents: Agents, vscode: Path, before: str | None) -> None:
    """To the byte, or gone when it was not there; in between the server is in it."""
    if before is not None:
        vscode.write_bytes(before.encode())
        vscode.chmod(0o640)
    sleepd("plugin", "install", "copilot")
    sleepd("plugin", "install", "copilot")
    held = json.loads(vscode.read_bytes())["servers"]["sleepd"]
    assert ("stdio", ["mcp"], True) == (held["type"], held["args"], os.access(held["command"], os.X_OK))
    if before is not None:
        assert 0o640 == stat.S_IMODE(vscode.stat().st_mode)
    sleepd("plugin", "uninstall", "copilot")
    assert before == (vscode.read_bytes().decode() if vscode.exists() else None)
    assert not config.places().plugin_record.exists()


@pytest.mark.slow
def test_an_empty_file_is_served(all_agents: Agents, vscode: Path) -> None:
    """Some programs make one in advance."""
    vscode.write_text("")
    sleepd("plugin", "install", "copilot")
    assert ["sleepd"] == list(json.loads(vscode.read_text())["servers"])
    sleepd("plugin", "uninstall", "copilot")
    assert {} == json.loads(vscode.read_text())


@pytest.mark.slow
def test_what_the_user_added_meanwhile_stays(all_agents: Agents, vscode: Path) -> None:
    """A file that we made is no longer ours alone."""
    sleepd("plugin", "install", "copilot")
    vscode.write_text(json_member.put(vscode.read_text(), ("servers", "mine"), {"command": "x"}))
    sleepd("plugin", "uninstall", "copilot")
    assert {"servers": {"mine": {"command": "x"}}} == json.loads(vscode.read_text())


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        '{\n  // mine\n  "servers": {}\n}\n',
        '{"servers": {"a": 1,}}',
        '{"servers": {}, "servers": {}}',
        '{"servers": []}',
        "[]",
        '{"servers": {"sleepd": {"command": "somebody-elses"}}}',
        "\ufeff\ufeff{}",
        "[" * 100_000,
    ],
)
def test_a_file_that_cannot_be_merged_safely_is_left_and_shown(all_agents: Agents, vscode: Path, text: str) -> None:
    """The line to add is printed; the file keeps every byte, then and at uninstall."""
    vscode.write_text(text, encoding="utf-8")
    done = sleepd("plugin", "install", "copilot")
    (said,) = [line for line in lines(done, "copilot") if str(vscode) in line]
    assert (0, True) == (done.code, '"args": ["mcp"]' in said)
    assert 0 == sleepd("plugin", "status").code
    sleepd("plugin", "uninstall", "copilot")
    assert text == vscode.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("text", ['{\r\n  "servers": {}\r\n}\r\n', "{}", '{"servers": {"b": {}}}'])
def test_a_byte_order_mark_stays(all_agents: Agents, vscode: Path, text: str) -> None:
    """Some editors begin a file with it: the server is put behind it, and taken out without a trace."""
    before = b"\xef\xbb\xbf" + text.encode()
    vscode.write_bytes(before)
    assert 0 == sleepd("plugin", "install", "copilot").code
    after = vscode.read_bytes()
    assert after.startswith(b"\xef\xbb\xbf") and b"\xef\xbb\xbf" not in after[3:]
    assert "sleepd" in json.loads(after.decode("utf-8-sig"))["servers"]
    sleepd("plugin", "uninstall", "copilot")
    assert before == vscode.read_bytes()


@pytest.mark.slow
def test_a_server_that_moved_is_corrected(all_agents: Agents, vscode: Path) -> None:
    """Our own entry gets the path of today; what the user gave it, and the rest of the file, stay."""
    given = {"command": "/old/sleepd", "args": ["--environment", "file", "mcp"], "env": {"A": "b"}}
    vscode.write_text(json.dumps({"servers": {"sleepd": given, "b": 1}}))
    sleepd("plugin", "install", "copilot")
    held = json.loads(vscode.read_text())["servers"]
    assert {**given, "command": str(marketplace.program())} == held["sleepd"]
    assert ["sleepd", "b"] == list(held)
    sleepd("plugin", "uninstall", "copilot")
    assert {"servers": {"b": 1}} == json.loads(vscode.read_text())


def test_vs_code_alone_gets_the_server(agents: Agents, vscode: Path, own_home: Path) -> None:
    """Who has no Copilot CLI still has Copilot; no file of the CLI is made for nothing."""
    assert 0 == sleepd("plugin", "install", "copilot").code
    assert ["sleepd"] == list(json.loads(vscode.read_text())["servers"])
    assert not (own_home / ".copilot").exists()
    assert 0 == sleepd("plugin", "uninstall", "all").code
    assert not vscode.exists()


@pytest.mark.slow
@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 1}', "null"])
def test_a_lost_record_costs_no_entry(all_agents: Agents, vscode: Path, text: str) -> None:
    """Without it the entry itself is taken out, and nothing around it."""
    sleepd("plugin", "install", "copilot")
    config.places().plugin_record.write_text(text)
    sleepd("plugin", "uninstall", "copilot")
    assert {"servers": {}} == json.loads(vscode.read_text())


# One member of somebody else's JSON ---------------------------------------------------------------------------------


def _values() -> st.SearchStrategy[Any]:
    scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["}", '"', "\\", ","])
    return st.recursive(
        scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    )


@st.composite
def _files(draw: st.DrawFn) -> str:
    """Objects as programs write them: any layout, with or without what we look for."""
    whole = draw(st.dictionaries(st.text(max_size=6), _values(), max_size=4))
    if draw(st.booleans()):
        whole["servers"] = draw(st.dictionaries(st.text(max_size=6), _values(), max_size=3))
    indent = draw(st.sampled_from([None, 0, 1, 2, 4, "\t"]))
    text = json.dumps(whole, indent=indent, ensure_ascii=draw(st.booleans()))
    return draw(st.sampled_from(["", " ", "\n", "\ufeff"])) + text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


@pytest.mark.slow
@given(_files(), _values().filter(lambda value: value is not None))
def test_a_member_comes_and_goes_without_a_trace(text: str, value: object) -> None:
    """Put in, it is there and everything else is as before; taken out, the text is the same to the byte."""
    before = json.loads(text.removeprefix("\ufeff"))
    had = json_member.has(text, AT[0])
    changed = json_member.put(text, AT, value)
    wanted = {**before, AT[0]: {**before.get(AT[0], {}), AT[1]: value}}
    held = json.loads(changed.removeprefix("\ufeff"))
    assert (wanted, list(wanted)) == (held, list(held))
    assert value == json_member.get(changed, AT)
    again = json_member.drop(changed, AT, container=not had)
    assert text == again


@given(st.text(max_size=30) | st.sampled_from(['{"servers": {"sleepd": 1, "sleepd": 2}}', '{"servers": 3}', "{}{}"]))
def test_rubbish_is_refused_or_read_as_python_reads_it(text: str) -> None:
    """Whatever the text, the answer is a value or `Unclear`, never another error."""
    try:
        changed = json_member.put(text, AT, 1)
    except Unclear:
        return
    assert 1 == json.loads(changed.removeprefix("\ufeff"))["servers"]["sleepd"]


@pytest.fixture
def _no_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    yield


@pytest.mark.usefixtures("_no_program")
def test_without_a_command_to_call_nothing_is_installed(agents: Agents) -> None:
    """A plugin that cannot find sleepd would be silent for ever."""
    agents.add("claude")
    done = sleepd("plugin", "install", "claude-code")
    assert (2, True) == (done.code, "there is no command sleepd in" in done.err)
    assert not config.places().plugins.exists()
