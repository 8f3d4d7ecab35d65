"""The parts of a VS Code chat reply: text, references within the text, and tool calls with their results."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote

from harvesters.codex_text import skills_read
from harvesters.drafts import CallDraft, compact
from harvesters.records import ToolStatus
from harvesters.values import flag, integer, mapping, sequence, text

Part = dict[str, Any]
_ID_SUFFIX = re.compile(r"__vscode-\d+$")
_DRIVE = re.compile(r"/[A-Za-z]:")
_REFUSED = (0, 5)
"""Answers of the user that kept a call from running: denied, skipped."""


def plain_id(identifier: str) -> str:
    """A tool call's id without the suffix that some of its copies carry."""
    return _ID_SUFFIX.sub("", identifier)


def path_of(uri: object) -> str | None:
    """The path that a URI (a string, or VS Code's URI object) names; a remote URI stays as it is."""
    if isinstance(uri, dict):
        if text(uri, "scheme") in (None, "file"):
            return text(uri, "fsPath") or text(uri, "path")
        return text(uri, "external") or text(uri, "path")
    if not isinstance(uri, str) or not uri:
        return None
    if not uri.startswith("file://"):
        return uri
    path = unquote(uri.removeprefix("file://"))
    return path[1:] if _DRIVE.match(path) else path


def words_of(part: object) -> str | None:
    """What a part adds to the reply's text, or None when it is no text."""
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return None
    kind = text(part, "kind")
    if kind == "inlineReference":
        name = text(part, "name")
        if name:
            return name
        target = part.get("inlineReference")
        if not isinstance(target, dict):
            return path_of(target)
        place = target.get("uri") or mapping(target, "location").get("uri") or target
        return path_of(place) or text(target, "name")
    if kind in (None, "markdownContent", "markdown"):
        return text(part, "value") or text(mapping(part, "content"), "value") or text(mapping(part, "value"), "value")
    return None


def call_of(part: object, rounds: dict[str, Part], results: Part) -> CallDraft | None:
    """The tool call in a part; `rounds` and `results` are the request's metadata about calls, by plain id."""
    if not isinstance(part, dict) or text(part, "kind") != "toolInvocationSerialized":
        return None
    identifier = plain_id(text(part, "toolCallId") or "")
    call = CallDraft(id=identifier, name=text(part, "toolId") or "tool")
    message = part.get("invocationMessage")
    told = message if isinstance(message, str) else text(message, "value")
    call.input = _input(part) or _arguments(rounds.get(identifier, {})) or told or ""
    details = part.get("resultDetails")
    if isinstance(details, list):
        output_text = "\n".join(path for path in map(path_of, details) if path) or None
    else:
        output = details.get("output") if isinstance(details, dict) else None
        output_text = output if isinstance(output, str) else _joined(output)
    call.answer(output_text or _result(results.get(identifier)))
    code = integer(mapping(mapping(part, "toolSpecificData"), "terminalCommandState"), "exitCode")
    failed = flag(details, "isError") is True or bool(part.get("resultError"))
    call.exit_code = code
    confirmed = part.get("isConfirmed")
    if confirmed is False or integer(confirmed, "type") in _REFUSED:
        call.status = ToolStatus.DENIED
    elif failed or code not in (None, 0):
        call.status = ToolStatus.ERROR
    elif flag(part, "isComplete") is True or call.output is not None:
        call.status = ToolStatus.OK
    if text(mapping(mapping(part, "toolSpecificData"), "commandLine"), "userEdited"):
        call.feedback = "user-modified"
    return call


def calls_of_rounds(rounds: dict[str, Part], results: Part) -> list[CallDraft]:
    """The calls of a request whose reply shows none: those that have a result in the metadata."""
    calls = []
    for identifier, told in rounds.items():
        if identifier in results:
            call = CallDraft(id=identifier, name=text(told, "name") or "tool", input=_arguments(told) or "")
            call.answer(_result(results[identifier]))
            call.status = ToolStatus.OK
            calls.append(call)
    return calls


def rounds_of(metadata: Part) -> dict[str, Part]:
    """What the metadata says about each call, by its plain id."""
    told = (call for entry in sequence(metadata, "toolCallRounds") for call in sequence(entry, "toolCalls"))
    return {plain_id(call["id"]): call for call in told if text(call, "id")}


def results_of(metadata: Part) -> Part:
    """The result of each call in the metadata, by its plain id."""
    return {plain_id(key): value for key, value in mapping(metadata, "toolCallResults").items()}


def skills_in(part: object, told: Part) -> list[tuple[str, str | None]]:
    """Name and path of the skills that a call read."""
    if not isinstance(part, dict) or text(part, "kind") != "toolInvocationSerialized":
        return []
    uris = mapping(mapping(part, "invocationMessage"), "uris")
    named = [path_of(uri) or "" for uri in uris] + [text(told, "arguments") or "", _input(part) or ""]
    found = {skill.name: skill.path for words in named for skill in skills_read(words)}
    return list(found.items())


def _input(part: Part) -> str | None:
    data = mapping(part, "toolSpecificData")
    line = mapping(data, "commandLine")
    command = text(line, "userEdited") or text(line, "original") or text(data, "command")
    if command:
        return command
    raw = data.get("rawInput", mapping(part, "resultDetails").get("input"))
    if isinstance(raw, str):
        return raw
    return compact(raw) if raw else None


def _arguments(told: Part) -> str | None:
    value = told.get("arguments")
    if isinstance(value, str):
        return value or None
    return compact(value) if value else None


def _result(value: object) -> str | None:
    return _joined(sequence(value, "content")) or text(value, "output")


def _joined(values: object) -> str | None:
    if not isinstance(values, list):
        return None
    found = (one if isinstance(one, str) else text(one, "value") or text(one, "text") for one in values)
    return "\n".join(filter(None, found)) or None
