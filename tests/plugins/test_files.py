"""What stands outside Python, and what the pages say: every command and every option in it exists."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from sleepd import __version__
from sleepd.cli import VERBS, app
from sleepd.skills.targets import frontmatter

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "plugins" / "claude-code"
UNITS = ROOT / "systemd"
TEXTS = [p for p in [*sorted((ROOT / "plugins").rglob("*")), *sorted(UNITS.iterdir())] if p.is_file()]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PROSE = [*TEXTS, *(page for page in PAGES if page.parent.name not in ("decisions", "reference"))]

# Where a command stands: in `code`, in a block, in what an agent may run, behind a folder in a script or a unit.
INLINE = re.compile(r"(?<!`)`(?:\S*/)?sleepd ([^`]+)`(?!`)")
IN_A_BLOCK = re.compile(r"^ *(?:\$ )?(?:\S*/)?sleepd (.+)$", re.MULTILINE)
ALLOWED = re.compile(r"Bash\(sleepd ([^)]*)\)")
IN_A_SCRIPT = re.compile(r"(?:bin/|\} |\$)sleepd\"? ([a-z-].*)$", re.MULTILINE)


def commands(path: Path) -> Iterator[str]:
    """What follows `sleepd` wherever the file names a command."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        blocks = re.findall(r"^ *```.*?^ *```", text, re.DOTALL | re.MULTILINE)
        plain = re.sub(r"^ *```.*?^ *```", "", text, flags=re.DOTALL | re.MULTILINE)
        yield from (found.replace("\n", " ") for found in INLINE.findall(plain))
        yield from (found for block in blocks for found in IN_A_BLOCK.findall(block))
        yield from ALLOWED.findall(text)
    else:
        yield from IN_A_SCRIPT.findall(text)


def mistakes(said: str) -> list[str]:
    """The words of a command that no verb, part of a verb or option answers to."""
    words = [word.rstrip(":*,.;") for word in re.split(r" [|;&>#]|\s#| {2,}", f"{said} ")[0].split()]
    command: Any = get_command(app)
    wrong = []
    for position, word in enumerate(words):
        if word.startswith("-") and word.strip("-"):
            wrong += [] if word.split("=")[0] in options(command) else [word]
        elif hasattr(command, "list_commands") and re.fullmatch(r"[a-z][a-z|\\-]*", word):
            if position and words[position - 1] == "--environment":
                continue
            named = [command.get_command(None, name) for name in re.split(r"\\?\|", word)]
            if None in named:
                return [*wrong, word]
            command = named[0]
    return wrong


def options(command: Any) -> set[str]:
    return {"--help", *(name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts))}


@pytest.mark.parametrize("path", PROSE, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_command_named_in_a_file_exists(path: Path) -> None:
    """Each verb, each part of a verb and each option that a file names is one of the command line."""
    assert {} == {said: wrong for said in commands(path) if (wrong := mistakes(said))}


def test_there_is_something_to_check() -> None:
    """The files hold the commands they are known to hold; a rule that finds nothing would pass everything."""
    found = {said for path in PROSE for said in commands(path)}
    assert {"harvest --quiet", "notice --hook claude-code", "adopt ID --digest DIGEST", "run --dry-run:*"} <= found
    assert len(VERBS) - 6 <= len({said.split()[0] for said in found} & set(VERBS))


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("status", []),
        ("stauts", ["stauts"]),
        ("run --dry-run", []),
        ("run --dri-run", ["--dri-run"]),
        ("status --dry-run", ["--dry-run"]),
        ("plugin install all", []),
        ("plugin put all", ["put"]),
        ("plugin install|uninstall codex", []),
        ("plugin install --json=yes codex", []),
        ("--environment some-file harvest --quiet", []),
        ("--enviroment harvest", ["--enviroment"]),
        ("status | grep --colour night", []),
    ],
)
def test_a_wrong_command_is_noticed(said: str, wrong: list[str]) -> None:
    """The rule itself tells right from wrong."""
    assert wrong == mistakes(said)


def test_the_plugin_and_the_marketplace_agree() -> None:
    """One name, one description, one version: that of sleepd, so that an agent can say which one it has."""
    manifest = json.loads((PLUGIN / ".claude-plugin/plugin.json").read_text(encoding="utf-8"))
    market = json.loads((ROOT / "plugins/.claude-plugin/marketplace.json").read_text(encoding="utf-8"))
    (listed,) = market["plugins"]
    assert (PLUGIN, "sleepd") == ((ROOT / "plugins" / listed["source"]).resolve(), market["name"])
    assert {"name", "version", "description"} <= {key for key in listed if listed[key] == manifest.get(key)}
    assert ("sleepd", __version__) == (manifest["name"], manifest["version"])


def test_the_server_of_each_client_is_this_program() -> None:
    """What a person copies by hand starts `sleepd mcp`, in Codex as in both Copilots."""
    codex = tomllib.loads((ROOT / "plugins/codex/config.toml").read_text(encoding="utf-8"))["mcp_servers"]
    cli = json.loads((ROOT / "plugins/copilot/mcp-config.json").read_text(encoding="utf-8"))["mcpServers"]
    vscode = json.loads((ROOT / "plugins/copilot/mcp.json").read_text(encoding="utf-8"))["servers"]
    assert ["sleepd mcp"] * 3 == [
        " ".join([s["sleepd"]["command"], *s["sleepd"]["args"]]) for s in (codex, cli, vscode)
    ]
    assert "mcp" in VERBS


def test_the_skill_says_when_to_load_it() -> None:
    """Its name is its folder's, as every agent wants it."""
    skill = frontmatter((PLUGIN / "skills/sleepd/SKILL.md").read_text(encoding="utf-8"))
    assert "sleepd" == skill["name"]
    assert skill["description"].startswith("Use when")


def test_looking_is_allowed_and_changing_is_asked_for() -> None:
    """What the command may run without a question writes no skill, decides nothing and spends nothing."""
    text = (PLUGIN / "commands/skillopt-sleep.md").read_text(encoding="utf-8")
    allowed = set(ALLOWED.findall(text.split("---")[1]))
    assert {"status:*", "run --dry-run:*", "review:*", "proposals:*", "service status:*"} == allowed


def test_the_plugin_needs_nothing_outside_its_folder() -> None:
    """No file points above the plugin: an agent copies the folder alone."""
    assert [] == [p for p in PLUGIN.rglob("*") if p.is_symlink()]
    hooks = json.loads((PLUGIN / "hooks/hooks.json").read_text(encoding="utf-8"))["hooks"]
    orders = [hook["command"] for groups in hooks.values() for group in groups for hook in group["hooks"]]
    files = [re.fullmatch(r'sh "\$\{CLAUDE_PLUGIN_ROOT\}/(\S+)"', order) for order in orders]
    assert [True, True] == [found is not None and (PLUGIN / found[1]).is_file() for found in files]
    assert [] == [p.name for p in (PLUGIN / "hooks").iterdir() if "/../../" in p.read_text(encoding="utf-8")]


def test_scripts_can_be_executed() -> None:
    """As git and the wheel keep them."""
    scripts = [p for p in PLUGIN.rglob("*") if p.is_file() and p.read_bytes().startswith(b"#!")]
    assert {"session-start", "session-end", "sleepd"} == {p.name for p in scripts if os.access(p, os.X_OK)}


@pytest.mark.parametrize("folder", ["plugins", "systemd"])
def test_the_wheel_is_told_to_carry_what_is_no_python(folder: str) -> None:
    """`make e2e` builds one and looks; this holds the setting that does it."""
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert (f"sleepd/{folder}", True) == (wheel["sources"][folder], folder in wheel["only-include"])
