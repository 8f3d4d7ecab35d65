"""The lines that the agents write, one endless session each: `(kind, text)` with the newline.

Bodies come JSON-escaped from the mill, so a line is put together by `%` and costs little more than its bytes.
"""

# Whole lines of JSON as templates: broken up they could not be compared with a real line.
# ruff: noqa: E501, UP031

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from benchmarks.prose import VERBS, Mill

Line = tuple[str, str]

CLASSIC: Mapping[str, float] = {
    "tool-result": 0.74,
    "assistant": 0.18,
    "prompt": 0.02,
    "system": 0.03,
    "metadata": 0.03,
}
"""Of the bytes of a session of 2.1.197. A tool result counts with its second copy in `toolUseResult`."""
V328: Mapping[str, float] = {
    "attachment": 0.56,
    "api-request-shape": 0.24,
    "api-request-blob": 0.08,
    "user+assistant": 0.067,
    "other": 0.053,
}
"""Of the bytes of a session of 2.1.328, as measured on real short sessions."""

_ENVELOPE = (
    '"parentUuid":%s,"isSidechain":false,"userType":"external","cwd":"/home/u/work/%s","sessionId":"%s","version":"%s",'
    '"gitBranch":"main","entrypoint":"cli","uuid":"%s","timestamp":"%s"'
)
_USAGE = (
    '"usage":{"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":%d,'
    '"service_tier":"standard"}'
)


@dataclass(slots=True, kw_only=True)
class _Claude:
    """One session of Claude Code: the chain of uuids, and which kind of line is most behind its share."""

    mill: Mill
    session: str
    project: str
    version: str
    shares: Mapping[str, float]
    parent: str | None = None
    written: dict[str, int] = field(default_factory=dict)

    def behind(self) -> str:
        total = sum(self.written.values()) or 1
        return max(self.shares, key=lambda kind: self.shares[kind] * total - self.written.get(kind, 0))

    def count(self, kind: str, text: str) -> Line:
        self.written[kind] = self.written.get(kind, 0) + len(text)
        return kind, text

    def envelope(self) -> str:
        uuid = self.mill.uuid()
        parent = f'"{self.parent}"' if self.parent else "null"
        self.parent = uuid
        return _ENVELOPE % (parent, self.project, self.session, self.version, uuid, self.mill.time())

    def prompt(self) -> str:
        human = ',"promptSource":"typed","origin":{"kind":"human"}' if self.version == "2.1.328" else ""
        text = '{%s,"type":"user"%s,"message":{"role":"user","content":"%s"}}\n'
        return text % (self.envelope(), human, self.mill.prompt())

    def assistant(self, block: str) -> str:
        rng = self.mill.rng
        usage = _USAGE % (rng.randrange(3_000), rng.randrange(9_000), rng.randrange(90_000), rng.randrange(900))
        return (
            '{%s,"type":"assistant","requestId":"req_011C%012x","message":{"model":"claude-sonnet-4-6","id":"msg_01%012x",'
            '"type":"message","role":"assistant","content":[%s],"stop_reason":null,%s}}\n'
        ) % (self.envelope(), rng.getrandbits(48), rng.getrandbits(48), block, usage)

    def call(self, body: str) -> tuple[str, str]:
        """An assistant line with a call, and the user line with its result (twice, as the client writes it)."""
        rng = self.mill.rng
        call = f"toolu_01{rng.getrandbits(48):012x}"
        if rng.random() < 0.6:
            use = '{"type":"tool_use","id":"%s","name":"Bash","input":{"command":"make %s","description":"%s"}}'
            use %= (call, rng.choice(VERBS), self.mill.reply())
            twin = '{"stdout":"%s","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}' % body
        else:
            use = '{"type":"tool_use","id":"%s","name":"Read","input":{"file_path":"/home/u/work/%s/%s.py"}}'
            use %= (call, self.project, rng.choice(VERBS))
            twin = (
                '{"type":"text","file":{"filePath":"/home/u/work/a.py","content":"%s","numLines":90,"startLine":1}}'
                % body
            )
        result = (
            '{%s,"type":"user","message":{"role":"user","content":[{"tool_use_id":"%s","type":"tool_result","content":"%s",'
            '"is_error":%s}]},"toolUseResult":%s}\n'
        )
        failed = "true" if rng.random() < 0.06 else "false"
        return self.assistant(use), result % (self.envelope(), call, body, failed, twin)

    def words(self) -> str:
        thinking = self.mill.rng.random() < 0.3
        block = (
            '{"type":"thinking","thinking":"%s","signature":"Eq%064x"}' if thinking else '{"type":"text","text":"%s"}'
        )
        text = self.mill.reply() + ("\\n\\n" + self.mill.body(1, 4) if self.mill.rng.random() < 0.5 else "")
        return self.assistant(block % ((text, self.mill.rng.getrandbits(256)) if thinking else text))


def claude_classic(mill: Mill, session: str, project: str) -> Iterator[Line]:
    """Claude Code 2.1.197: tool results dominate."""
    state = _Claude(mill=mill, session=session, project=project, version="2.1.197", shares=CLASSIC)
    yield state.count("prompt", state.prompt())
    while True:
        match state.behind():
            case "tool-result":
                use, result = state.call(mill.body())
                yield state.count("assistant", use)
                yield state.count("tool-result", result)
            case "assistant":
                yield state.count("assistant", state.words())
            case "prompt":
                yield state.count("prompt", state.prompt())
            case "system":
                text = '{%s,"type":"system","subtype":"turn_duration","durationMs":%d,"isMeta":false}\n'
                yield state.count("system", text % (state.envelope(), mill.rng.randrange(90_000)))
            case _:
                text = (
                    '{"type":"file-history-snapshot","messageId":"%s","snapshot":{"messageId":"%s","trackedFileBackups":'
                    '{"src/a.py":{"backupFileName":"%012x@v1","version":1}},"timestamp":"%s"},"isSnapshotUpdate":false}\n'
                )
                ids = (mill.uuid(), mill.uuid(), mill.rng.getrandbits(48), mill.time())
                yield state.count("metadata", text % ids)


def claude_328(mill: Mill, session: str, project: str) -> Iterator[Line]:
    """Claude Code 2.1.328: most bytes are attachments and copies of requests."""
    state = _Claude(mill=mill, session=session, project=project, version="2.1.328", shares=V328)
    yield state.count("user+assistant", state.prompt())
    turn = 0
    while True:
        match state.behind():
            case "attachment":
                yield state.count("attachment", _attachment(state))
            case "api-request-shape":
                text = '{"type":"api-request-shape","sessionId":"%s","shape":{"model":"claude-sonnet-4-6","tools":[{"name":"Bash",'
                text += '"description":"%s"}],"system":"%s"},"timestamp":"%s"}\n'
                yield state.count("api-request-shape", text % (session, mill.body(4, 9), mill.body(6, 18), mill.time()))
            case "api-request-blob":
                text = (
                    '{"type":"api-request-blob","hash":"%064x","message":{"role":"user","content":"<system-reminder>%s'
                )
                text += '</system-reminder>"}}\n'
                yield state.count("api-request-blob", text % (mill.rng.getrandbits(256), mill.body(2, 6)))
            case "user+assistant":
                turn += 1
                lines = (
                    (state.prompt(),)
                    if turn % 5 == 0
                    else state.call(mill.body(1, 3))
                    if turn % 2
                    else (state.words(),)
                )
                for line in lines:
                    yield state.count("user+assistant", line)
            case _:
                text = (
                    '{%s,"type":"system","subtype":"stop_hook_summary","hookCount":1,"hookErrors":[],"content":"%s"}\n'
                )
                yield state.count("other", text % (state.envelope(), mill.reply()))


def _attachment(state: _Claude) -> str:
    mill = state.mill
    content = mill.body(6, 30)
    inside = mill.rng.choice(
        (
            '{"type":"nested_memory","path":"/home/u/work/CLAUDE.md","content":"%s"}',
            '{"type":"hook_success","hookName":"PostToolUse:Bash","hookEvent":"PostToolUse","stdout":"%s","exitCode":0}',
            '{"type":"edited_text_file","filename":"src/a.py","snippet":"%s"}',
            '{"type":"skill_listing","content":"%s","skillCount":40,"isInitial":true}',
        )
    )
    return '{%s,"type":"attachment","attachment":%s}\n' % (state.envelope(), inside % content)


def claude_giant(mill: Mill, session: str, size: int) -> str:
    """One tool result of at least `size` characters, written twice as always."""
    state = _Claude(mill=mill, session=session, project="tools", version="2.1.197", shares=CLASSIC)
    return state.call(mill.giant(size // 2))[1]


def codex_legacy(mill: Mill, session: str, project: str) -> Iterator[Line]:
    """Codex before 0.151: what was said stands both as an event and as a response item."""
    for kind, payload in _codex_head(session, project, "0.63.0", "", mill):
        yield kind, _codex(mill, kind, payload)
    while True:
        prompt, reply = mill.prompt(), mill.reply()
        lines = [_message("user", prompt), ("event_msg", '{"type":"user_message","message":"%s","images":[]}' % prompt)]
        for call, arguments, body, code in _calls(mill):
            lines += _call_and_output(call, arguments, body, code)
        lines += [_message("assistant", reply), ("event_msg", '{"type":"agent_message","message":"%s"}' % reply)]
        for kind, payload in lines:
            yield kind, _codex(mill, kind, payload)


def codex_paginated(mill: Mill, session: str, project: str) -> Iterator[Line]:
    """Codex since 0.151: ordinals, and a completed item beside every response item that a person sees."""
    ordinal = 0
    for kind, payload in _codex_head(
        session, project, "0.169.0", ',"history_mode":"paginated","thread_source":"user"', mill
    ):
        yield kind, _codex(mill, kind, payload, f'"ordinal":{ordinal},')
        ordinal += 1
    while True:
        prompt, reply, turn = mill.prompt(), mill.reply(), mill.uuid()
        said = '{"type":"UserMessage","id":"%s","content":[{"type":"text","text":"%s","text_elements":[]}]}'
        answer = '{"type":"AgentMessage","id":"%s","content":[{"type":"Text","text":"%s"}],"phase":"final_answer"}'
        lines = [_message("user", prompt), _completed(session, turn, said % (mill.uuid(), prompt), mill)]
        for call, arguments, body, code in _calls(mill):
            use, output = _call_and_output(call, arguments, body, code)
            ran = '{"type":"CommandExecution","id":"%s","command":["bash","-lc","make"],"cwd":"/home/u/work/%s","source":"agent",'
            ran += '"status":"%s","stdout":"%s","stderr":"","exit_code":%d}'
            ran %= (call, project, "failed" if code else "completed", body, code)
            lines += [use, _completed(session, turn, ran, mill), output]
        lines += [_message("assistant", reply), _completed(session, turn, answer % (mill.uuid(), reply), mill)]
        for kind, payload in lines:
            yield kind, _codex(mill, kind, payload, f'"ordinal":{ordinal},')
            ordinal += 1


def _codex_head(session: str, project: str, version: str, extra: str, mill: Mill) -> Iterator[Line]:
    meta = (
        '{"id":"%s","timestamp":"%s","cwd":"/home/u/work/%s","originator":"codex-tui","cli_version":"%s","source":"cli",'
        '"model_provider":"openai","git":{"branch":"main"}%s}'
    )
    yield "session_meta", meta % (session, mill.time(), project, version, extra)
    context = '{"cwd":"/home/u/work/%s","approval_policy":"on-request","model":"gpt-5.5-codex","effort":"medium"}'
    yield "turn_context", context % project


def _codex(mill: Mill, kind: str, payload: str, ordinal: str = "") -> str:
    return '{"timestamp":"%s",%s"type":"%s","payload":%s}\n' % (mill.time(), ordinal, kind, payload)


def _message(role: str, text: str) -> Line:
    kind = "input_text" if role == "user" else "output_text"
    return "response_item", '{"type":"message","role":"%s","content":[{"type":"%s","text":"%s"}]}' % (role, kind, text)


def _completed(session: str, turn: str, item: str, mill: Mill) -> Line:
    text = '{"type":"item_completed","thread_id":"%s","turn_id":"%s","item":%s,"completed_at_ms":%d}'
    return "event_msg", text % (session, turn, item, mill.millis())


def _calls(mill: Mill) -> Iterator[tuple[str, str, str, int]]:
    """Id, arguments, output and exit status of the calls of one turn."""
    for _ in range(mill.rng.randint(2, 9)):
        arguments = '{\\"command\\":\\"make %s\\"}' % mill.rng.choice(VERBS)
        yield f"call_{mill.rng.getrandbits(80):020x}", arguments, mill.body(), int(mill.rng.random() < 0.06)


def _call_and_output(call: str, arguments: str, body: str, code: int) -> tuple[Line, Line]:
    use = '{"type":"function_call","name":"shell_command","arguments":"%s","call_id":"%s"}' % (arguments, call)
    output = f"Exit code: {code}\\nWall time: 0.1 seconds\\nOutput:\\n{body}"
    result = '{"type":"function_call_output","call_id":"%s","output":"%s"}' % (call, output)
    return ("response_item", use), ("response_item", result)


def copilot_cli(mill: Mill, session: str, project: str) -> Iterator[Line]:
    """Copilot CLI 1.0: one event a line, results with a detailed twin."""
    head = '{"sessionId":"%s","version":1,"producer":"copilot-agent","copilotVersion":"1.0.102","startTime":"%s",'
    head += '"context":{"cwd":"/home/u/work/%s","branch":"main"}}'
    yield _event(mill, "session.start", head % (session, mill.time(), project))
    while True:
        said = (
            '{"content":"%s","transformedContent":"<current_datetime>now</current_datetime>\\n\\n%s","attachments":[]}'
        )
        prompt = mill.prompt()
        yield _event(mill, "user.message", said % (prompt, prompt))
        for _ in range(mill.rng.randint(2, 9)):
            yield from _copilot_call(mill)
        reply = '{"messageId":"%s","model":"claude-sonnet-4.6","content":"%s","toolRequests":[],"outputTokens":%d}'
        yield _event(mill, "assistant.message", reply % (mill.uuid(), mill.reply(), mill.rng.randrange(900)))


def _copilot_call(mill: Mill) -> Iterator[Line]:
    call, verb, body = f"tooluse_{mill.rng.getrandbits(80):020x}", mill.rng.choice(VERBS), mill.body()
    arguments = '{"command":"make %s","description":"runs it"}' % verb
    ask = '{"messageId":"%s","model":"claude-sonnet-4.6","content":"","toolRequests":[{"toolCallId":"%s","name":"bash",'
    ask += '"arguments":%s,"type":"function"}],"outputTokens":%d}'
    yield _event(mill, "assistant.message", ask % (mill.uuid(), call, arguments, mill.rng.randrange(300)))
    start = '{"toolCallId":"%s","toolName":"bash","arguments":%s}'
    yield _event(mill, "tool.execution_start", start % (call, arguments))
    failed = mill.rng.random() < 0.06
    end = '{"toolCallId":"%s","success":%s,"result":{"content":"%s<0 completed with exit code %d>","detailedContent":"%s"}}'
    yield _event(mill, "tool.execution_complete", end % (call, "false" if failed else "true", body, failed, body))


def _event(mill: Mill, kind: str, data: str) -> Line:
    text = '{"type":"%s","data":%s,"id":"%s","timestamp":"%s","parentId":null}\n'
    return kind, text % (kind, data, mill.uuid(), mill.time())


def copilot_vscode(mill: Mill, session: str, project: str) -> Iterator[Line]:
    """VS Code 1.137: a log of operations on the session's state."""
    state = '{"kind":0,"v":{"version":3,"creationDate":%d,"customTitle":"%s","sessionId":"%s","responderUsername":"GitHub Copilot",'
    state += '"requests":[],"pendingRequests":[],"inputState":{"inputText":""}}}\n'
    yield "initial", state % (mill.millis(), project, session)
    turn = 0
    while True:
        request = '{"kind":2,"k":["requests"],"v":[{"requestId":"request_%s","timestamp":%d,"message":{"text":"%s","parts":[]},'
        request += '"variableData":{"variables":[]},"modelId":"copilot/gpt-5.4","response":[],"agent":{"id":"github.copilot.editsAgent",'
        request += '"extensionId":{"value":"GitHub.copilot-chat"}},"modelState":{"value":0}}]}\n'
        yield "push", request % (mill.uuid(), mill.millis(), mill.prompt())
        for _ in range(mill.rng.randint(2, 7)):
            part = '{"kind":2,"k":["requests",%d,"response"],"v":[{"kind":"toolInvocationSerialized","toolId":"run_in_terminal",'
            part += '"toolCallId":"call_%020x","isConfirmed":{"type":1},"isComplete":true,"pastTenseMessage":{"value":"Ran it"},'
            part += '"toolSpecificData":{"kind":"terminal","commandLine":{"original":"make %s"}},"resultDetails":{"input":"make",'
            part += '"output":[{"type":"embed","isText":true,"value":"%s"}],"isError":false}}]}\n'
            yield "push", part % (turn, mill.rng.getrandbits(80), mill.rng.choice(VERBS), mill.body())
        yield "push", '{"kind":2,"k":["requests",%d,"response"],"v":[{"value":"%s"}]}\n' % (turn, mill.reply())
        done = '{"kind":1,"k":["requests",%d,"modelState"],"v":{"value":1,"completedAt":%d}}\n'
        yield "set", done % (turn, mill.millis())
        turn += 1
