"""What every harvester returns: the one page that a new harvester has to satisfy.

A harvester turns one transcript file into a `Reading`. It knows nothing of sleepd: no database, no settings, no
redaction. It never raises for what stands in a file; a piece that cannot be read becomes a `Defect`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Protocol


class SessionKind(StrEnum):
    """Who drove the session."""

    INTERACTIVE = "interactive"
    """A person typed the prompts."""
    HEADLESS = "headless"
    """A script started the agent (`claude -p`, `codex exec`, an SDK)."""
    SUBAGENT = "subagent"
    """Another agent wrote the prompts."""


class Role(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"


class Origin(StrEnum):
    """Why a turn stands in the transcript. Only a `PROMPT` was written by whoever drove the session."""

    PROMPT = "prompt"
    """Words of the driver: a person's in an interactive session, a script's or an agent's in the other kinds.

    A slash command with arguments of a person's own is one, too: `/review the second commit`.
    """
    COMMAND = "command"
    """A slash command without words of its own."""
    PLAN = "plan"
    """A plan that the agent wrote and the client hands over as a prompt, because the person accepted the plan."""
    HOOK = "hook"
    """Output of a hook that the client put in the user's name."""
    SHELL = "shell"
    """A shell line the user ran inside the agent (`!cmd`)."""
    INTERRUPT = "interrupt"
    """The user stopped the agent."""
    INJECTED = "injected"
    """Text the client added in the user's name: reminders, skill bodies, summaries, IDE context."""
    REPLY = "reply"
    """The agent's own words (role ASSISTANT)."""


class ToolStatus(StrEnum):
    OK = "ok"
    ERROR = "error"
    DENIED = "denied"
    """The user refused the call."""
    UNANSWERED = "unanswered"
    """No result is on disk: interrupted, crashed or still running."""


class SkillTrigger(StrEnum):
    USER = "user"
    AGENT = "agent"
    CONTEXT = "context"


class FileAction(StrEnum):
    """What a call did to a file."""

    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"


class EventKind(StrEnum):
    """Something that happened in a session and is neither a message nor a call."""

    COMPACTION = "compaction"
    """The client replaced the conversation so far by a summary; `name` says who asked (`auto`, `manual`)."""
    HOOK = "hook"
    """A hook ran; `name` is its event or its command."""
    API_ERROR = "api-error"
    """A call of the model failed; `name` is the kind of error or the status."""
    PERMISSION_MODE = "permission-mode"
    """What the agent may do without asking changed to `name`."""
    TURN_ENDED = "turn-ended"
    """The agent was done with a prompt; `duration_ms` tells how long it took."""
    PULL_REQUEST = "pull-request"
    """The session opened a pull request; `text` is its address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """What one call did to one file."""

    path: str
    action: FileAction
    patch: str | None = None
    """Hunks of a unified diff without the file's header, at most `clip` characters. None where the transcript holds
    none: the text of a new file stands in the call's `input`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """One question that the agent put to the person, with the person's answer."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEvent:
    """Something that happened between the messages."""

    position: int
    """Orders events among the turns; see `Turn.position`."""
    kind: EventKind
    at: datetime | None = None
    name: str | None = None
    text: str | None = None
    """What was printed or said, at most `clip` characters."""
    failed: bool | None = None
    exit_code: int | None = None
    duration_ms: int | None = None
    tokens: int | None = None
    """Of a compaction: how long the conversation was before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One action of the agent with its result."""

    id: str
    name: str
    input: str
    """The arguments: compact JSON of an object, or the free text of a text-only tool. At most `clip` characters."""
    output: str | None = None
    """The result's text, at most `clip` characters; None when no result is on disk."""
    status: ToolStatus = ToolStatus.UNANSWERED
    exit_code: int | None = None
    """The process's exit status where the transcript states one; None when unknown."""
    feedback: str | None = None
    """What the user said with a denial, or the marker `user-modified` when the user changed the proposed edit."""
    answers: tuple[Answered, ...] = ()
    """Of a call that asks the person."""
    changes: tuple[FileChange, ...] = ()
    duration_ms: int | None = None
    subagent: str | None = None
    """The agent's own id of the sub-agent that the call started; the sub-agent's session is `<parent>/<this id>`."""
    subagent_tokens: int | None = None
    """What that sub-agent used in all, as the transcript of the caller states it."""
    result_id: str | None = None
    """The vendor's id of the line that holds the result, where it has one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Counts of a session or a reply; `input` excludes what was read from or written to a cache. None = not stated."""

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None

    @property
    def fresh(self) -> int | None:
        """What the model read anew and wrote. What it reads from a cache is a small part of the price of the rest."""
        return _sum(_sum(self.input, self.cache_write), self.output)

    def __add__(self, other: Tokens) -> Tokens:
        """The sums; a count that neither states stays None."""
        return Tokens(
            input=_sum(self.input, other.input),
            output=_sum(self.output, other.output),
            cache_read=_sum(self.cache_read, other.cache_read),
            cache_write=_sum(self.cache_write, other.cache_write),
        )


def _sum(one: int | None, other: int | None) -> int | None:
    return one if other is None else other if one is None else one + other


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message, in order.

    In a reading that continues an earlier one (`Reading.whole` is False) a turn whose `id` was returned before
    *continues* that turn: its text is to be appended, its tool calls and its tokens are to be added.
    """

    id: str
    """The vendor's id of the message (or one made of the session and the position), unique in its session."""
    position: int
    """Orders the turns of a session; the byte offset of the turn's first line where the file is a log."""
    role: Role
    origin: Origin
    text: str
    at: datetime | None = None
    """Aware, UTC."""
    model: str | None = None
    skill: str | None = None
    """The skill that drove this turn, where the transcript attributes one (last segment of a qualified name)."""
    cwd: str | None = None
    branch: str | None = None
    abandoned: bool = False
    """The user rewound past this turn: it lies on no path to the conversation's end."""
    tool_calls: tuple[ToolCall, ...] = ()
    """A call with an empty name is one whose beginning stands in another file: look for its `id` there."""
    queued: bool = False
    """The person typed this while the agent was at work."""
    source_id: str | None = None
    """The vendor's id of the turn's first line (Claude Code: its uuid), where a line has one."""
    tokens: Tokens = field(default_factory=Tokens)
    """What a reply used, its calls included; of a continued turn what came in besides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillUse:
    """A skill that was really loaded (an offer in a listing is not a use)."""

    name: str
    path: str | None = None
    """The SKILL.md or its folder, where the transcript names it."""
    trigger: SkillTrigger
    position: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One conversation, or (in a continuing reading) what was added to it."""

    agent: str
    """`claude-code`, `codex`, `copilot-vscode` or `copilot-cli`."""
    id: str
    """The vendor's id, unique per agent; for a sub-agent `<parent>/<agent id>`."""
    kind: SessionKind
    parent_id: str | None = None
    """The session this one was forked from or spawned by, where known."""
    cwd: str | None = None
    branch: str | None = None
    title: str | None = None
    version: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    models: tuple[str, ...] = ()
    skills: tuple[SkillUse, ...] = ()
    """A use that an earlier reading returned without its path comes again with it, at the same position."""
    tokens: Tokens = field(default_factory=Tokens)
    """Cumulative over the whole session, also in a continuing reading (the cursor's `state` carries the sum)."""
    votes: Mapping[str, int] = field(default_factory=dict)
    """Turn id of a reply -> +1 or -1, where the client has thumbs."""
    commit: str | None = None
    """The commit that was checked out when the session began."""
    events: tuple[SessionEvent, ...] = ()
    turns: tuple[Turn, ...] = ()
    late_results: tuple[ToolCall, ...] = ()
    """Results for calls that an earlier reading returned unanswered; matched by `id`, `input` and `name` empty.

    `output`, `status`, `exit_code` and `feedback` replace what was returned; of the other fields those that say
    something do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Defect:
    """A piece of a transcript that could not be read."""

    path: str
    offset: int
    """Byte offset of the piece in the file."""
    reason: str
    """One of the stable words of `docs/reference/defects.md`, e.g. `bad-json`, `truncated`, `not-utf8`, `binary`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordCount:
    """How many records of a file, written by one version of the client, were known or not."""

    version: str | None
    """None: the records before a version is named, or a format that names none."""
    unknown: str | None
    """The type that the harvester does not know, or the shape in which a known type came; None: the known records."""
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """Where a file was left, and enough to know it again."""

    inode: int
    size: int
    mtime_ns: int
    offset: int
    """Byte offset behind the last consumed newline."""
    head: str
    """Digest of the first 4 KiB (or of the whole, if shorter, at that time: see `head_length`)."""
    head_length: int
    tail: str
    """Digest of the (at most) 256 bytes before `offset`."""
    state: Mapping[str, str] = field(default_factory=dict)
    """What the agent's harvester must remember to go on; strings only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one file gave."""

    session: Session | None
    """None: nothing in it but metadata, or nothing readable."""
    defects: tuple[Defect, ...] = ()
    cursor: Cursor | None = None
    """None when the file could not be opened."""
    whole: bool = True
    """True: replace what was stored for this file. False: add to it."""
    bytes_read: int = 0
    records: tuple[RecordCount, ...] = ()
    """What this reading met, known records and unknown ones: a change of the client's format shows here first."""
    more: bool = False
    """True: a long file was read in part. Call `read` again with this reading's cursor to go on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillPlaces:
    """Where an agent looks for skills and instructions."""

    home_variable: str
    """The variable that moves the user's folder of the agent."""
    home_folder: str
    """That folder, below the user's home."""
    project_skills: str
    """The folder of a project's skills, each in a folder of its own with a SKILL.md."""
    shared_folder: str | None = None
    """A second folder of the user's whose `skills` the agent reads, below the user's home."""
    project_files: tuple[str, ...] = ()
    home_files: tuple[str, ...] = ()


class Harvester(Protocol):
    """One agent's transcripts. Both methods only read; neither raises for a file's contents or absence.

    A harvester may have two attributes more. `places`, a `SkillPlaces`, says where its agent looks for skills; without
    one the agent is taken to read `.agents/skills` of a project. `recognises(path) -> bool` says whether a file
    that a person named is one of its agent's. `harvesters.contract` checks what the port asks for.
    """

    agent: str

    def find(self, env: Mapping[str, str], home: Path) -> Iterable[Path]:
        """Transcript files below the agent's folders, in a stable order.

        `env` holds the agents' own overrides (`CLAUDE_CONFIG_DIR`, `CODEX_HOME`, …), `home` the user's folder.
        """
        ...

    def read(self, path: Path, cursor: Cursor | None = None, *, clip: int = 16_512) -> Reading:
        """Read `path` from `cursor` on, or whole when there is no cursor or the file was rewritten.

        An unchanged file (same inode, size and mtime) returns at once with `bytes_read == 0` and no session.
        No text in the reading is longer than `clip` characters. A long file may be read in pieces; see `Reading.more`.
        """
        ...
