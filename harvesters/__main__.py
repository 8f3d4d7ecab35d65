"""`python -m harvesters AGENT FILE [--json]` shows what a harvester reads out of one transcript."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec

from harvesters.records import Harvester, Reading

BUILT_IN: Mapping[str, str] = {
    "claude-code": "harvesters.claude_code:ClaudeCode",
    "codex": "harvesters.codex:Codex",
    "copilot-vscode": "harvesters.copilot_vscode:CopilotVSCode",
    "copilot-cli": "harvesters.copilot_cli:CopilotCLI",
}
"""Agent name -> where its harvester stands."""


def harvester(agent: str) -> Harvester:
    """The built-in harvester of an agent. Raises KeyError for an unknown name."""
    module, name = BUILT_IN[agent].split(":")
    return cast("Harvester", getattr(importlib.import_module(module), name)())


def as_plain(reading: Reading) -> dict[str, Any]:
    """The reading as JSON-ready values. Times are ISO-8601 in UTC."""
    return cast("dict[str, Any]", msgspec.to_builtins(reading))


def as_json(reading: Reading) -> str:
    """The reading as indented JSON; the same reading always gives the same text."""
    return msgspec.json.format(msgspec.json.encode(as_plain(reading)), indent=1).decode()


def as_text(reading: Reading) -> str:
    """The reading for a person's eyes, one line for each turn and tool call."""
    lines = [f"defect at byte {defect.offset}: {defect.reason}" for defect in reading.defects]
    session = reading.session
    if session is None:
        return "\n".join([*lines, "no session"])
    tokens = session.tokens
    lines += [
        f"{session.agent} {session.id} ({session.kind})",
        f"title {session.title}, cwd {session.cwd}, branch {session.branch}, version {session.version}",
        f"from {session.started_at} to {session.ended_at}, models {', '.join(session.models) or 'unknown'}",
        f"tokens in {tokens.input}, out {tokens.output}, cache read {tokens.cache_read}, written {tokens.cache_write}",
        *(f"skill {use.name} by {use.trigger} at {use.position}" for use in session.skills),
    ]
    for turn in session.turns:
        mark = " (abandoned)" if turn.abandoned else ""
        lines.append(f"{turn.position:>10} {turn.role}/{turn.origin}{mark}: {turn.text[:100]!r}")
        lines += [f"{'':>10}   {call.name} {call.status}: {call.input[:80]}" for call in turn.tool_calls]
    lines.append(f"{'whole' if reading.whole else 'continued'}, {reading.bytes_read} bytes read")
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """The command. Exit status 0, or 1 when the file gave nothing but defects."""
    parser = argparse.ArgumentParser(prog="python -m harvesters", description=__doc__)
    parser.add_argument("agent", choices=sorted(BUILT_IN))
    parser.add_argument("file", type=Path)
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    options = parser.parse_args(arguments)
    reading = harvester(options.agent).read(options.file)
    sys.stdout.write((as_json(reading) if options.json else as_text(reading)) + "\n")
    return 1 if reading.session is None and reading.defects else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
