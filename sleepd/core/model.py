"""The nouns of sleepd. Values only: frozen, comparable, without storage identity.

Times are aware and UTC. `None` means unknown; it is never written as an empty text or as 0.0.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NewType

Digest = NewType("Digest", str)
TaskId = NewType("TaskId", str)
ClusterId = NewType("ClusterId", str)
SessionId = NewType("SessionId", str)


def digest(*parts: str) -> Digest:
    """Content address: 32 hex digits over the parts, which cannot run into one another."""
    sha = hashlib.sha256()
    for part in parts:
        body = part.encode("utf-8", "surrogatepass")
        sha.update(len(body).to_bytes(8, "big"))
        sha.update(body)
    return Digest(sha.hexdigest()[:32])


class AnswerOutcome(StrEnum):
    """What became of an answer."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNKNOWN = "unknown"


class EvidenceKind(StrEnum):
    """Why an answer counts as accepted or rejected. No kind rests on the words of one language."""

    REDONE = "redone"
    """The user spoke and the agent did the same thing again."""
    DENIED = "denied"
    INTERRUPTED = "interrupted"
    REWOUND = "rewound"
    USER_EDITED = "user-edited"
    VOTED = "voted"
    TOOL_FAILED = "tool-failed"
    TOOL_PASSED = "tool-passed"
    COMMITTED = "committed"
    MOVED_ON = "moved-on"
    """The user went on to other work, or ended the session, with this answer standing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One answer to a request and what followed."""

    answer: str
    outcome: AnswerOutcome
    evidence: tuple[EvidenceKind, ...] = ()
    reaction: str | None = None
    """The user's next words, when they were about this answer."""
    tool_output: str | None = None
    """The decisive tool result, when the outcome rests on one. Not the user's words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One piece of work cut out of a session."""

    id: TaskId
    session_id: SessionId
    project: str
    """The folder the work was done in; "" when the transcript does not say."""
    at: datetime
    request: str
    context: str
    """What the agent had seen before it answered: earlier turns and tool results, clipped."""
    attempts: tuple[Attempt, ...]
    skill: str | None = None
    """The skill that was active."""

    @property
    def rejected(self) -> tuple[Attempt, ...]:
        return tuple(a for a in self.attempts if a.outcome is AnswerOutcome.REJECTED)

    @property
    def accepted(self) -> Attempt | None:
        """The answer the user kept; None when none was."""
        last = self.attempts[-1] if self.attempts else None
        return last if last is not None and last.outcome is AnswerOutcome.ACCEPTED else None

    @property
    def friction(self) -> int:
        """How often the user had to ask again."""
        return len(self.rejected)


class Split(StrEnum):
    TRAIN = "train"
    VAL = "val"
    TEST = "test"


class CheckKind(StrEnum):
    """The names of the rule checks, in task sets and in the database."""

    FIRST_LINE = "first-line"
    LAST_LINE = "last-line"
    LINE_START = "line-start"
    SHAPE = "shape"
    CONTAINS = "contains"
    LACKS = "lacks"
    MAX_WORDS = "max-words"
    ANSWER = "answer"
    """Never mined; for task sets whose tasks have a right answer."""


class RunKind(StrEnum):
    """What a run is."""

    NIGHT = "night"
    TRAINING = "training"
    EVALUATION = "evaluation"
    CALIBRATION = "calibration"
    PROOF = "proof"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunId:
    """A run, or one step of it: what calls, pairs and candidates are kept under."""

    id: str
    kind: RunKind = RunKind.NIGHT
    step: int = 0
    """Of a training run, from 0; each step draws and counts for itself, as a night does."""

    def __str__(self) -> str:
        return f"{self.id}:{self.step:03d}" if self.kind is RunKind.TRAINING else self.id


class Replay(StrEnum):
    """How a piece of work was done again. Figures of two kinds are never pooled."""

    TEXT = "text"
    """The request was asked again; nothing was done again."""
    TRIGGER = "trigger"
    """The model was asked which skills it would load for the request."""
    DECISION = "decision"
    """The model was asked for its next step at a point of a recorded session."""
    WORKTREE = "worktree"
    """The work was done again in the repository."""


class Purpose(StrEnum):
    """What a rollout is made for. What one purpose saw is never used for another."""

    BASELINE = "baseline"
    """The live text, against which a candidate is compared."""
    CONFIRMATION = "confirmation"
    """The live text, for the look at each task."""
    CANDIDATE = "candidate"
    LEARNING = "learning"
    """Train tasks, for reflections to read."""
    COMPARISON = "comparison"
    """Train tasks under the first and the last text of an epoch."""
    EVALUATION = "evaluation"
    """A text by itself, to say how good it is. Decides nothing."""
    SEALED = "sealed"
    PROOF = "proof"
    """The proof-run's own; on sealed tasks only."""
    RACE = "race"
    """Candidates and the live text, to say which candidates go on to the gate."""
    ATTRIBUTION = "attribution"
    """Bundles, and bundles without an edit."""
    CALIBRATION = "calibration"
    """The live text against itself."""
    DRIFT = "drift"
    """The live text, beside older rollouts of it."""

    @property
    def of_live_text(self) -> bool:
        """Whether only the text that is in use is ever rolled out for it."""
        return self in _OF_LIVE_TEXT


_OF_LIVE_TEXT = (
    Purpose.BASELINE,
    Purpose.CONFIRMATION,
    Purpose.LEARNING,
    Purpose.COMPARISON,
    Purpose.EVALUATION,
    Purpose.DRIFT,
)


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Sample:
    """Which one of the exchangeable rollouts of a task under a text."""

    purpose: Purpose
    series: int = 0
    """The candidate's index, the step or the epoch, where each of them draws for itself; of a drift rollout that of the
    baseline rollouts it is compared with."""
    ordinal: int = 0
    """From 0 within the series."""
    night: str = ""
    """The night, or training step, whose rollouts alone it is compared with; "" for what counts in every night. That of
    a drift rollout is the earlier night that it is compared with."""


class Cause(StrEnum):
    """Why something could not be measured."""

    AUTH = "auth"
    QUOTA = "quota"
    NETWORK = "network"
    KILLED = "killed"
    SPENT = "spent"
    """Our own budget for the night."""
    TIMEOUT = "timeout"
    REFUSED = "refused"
    MALFORMED = "malformed"
    OVERLONG = "overlong"
    """The reply hit its own token limit."""
    NO_CHECK = "no-check"
    WAITING = "waiting"
    """The prompt lies in a folder until somebody answers it (`handoff`)."""

    @property
    def outside(self) -> bool:
        """True when the text under trial cannot be the reason: the draw is repeated, for both sides."""
        return self in (Cause.AUTH, Cause.QUOTA, Cause.NETWORK, Cause.KILLED, Cause.SPENT, Cause.WAITING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How well a rollout did, in [0, 1]."""

    value: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unscored:
    """A rollout that could not be valued. Never 0.0, and in no mean."""

    cause: Cause
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutKey:
    """What makes two rollouts exchangeable, and `sample`, which tells them apart.

    Promise 6 of the gate: evidence is about this text, this model, these parameters and this judge.
    """

    task_id: TaskId
    text: Digest
    model: str
    """Name, version and parameters of the task model."""
    judge: Digest
    """What the answer is judged by, and the judge's version."""
    replay: Replay = Replay.TEXT
    sample: Sample


@dataclass(frozen=True, slots=True, kw_only=True)
class CallUsage:
    """What an answer cost; None where nobody stated it."""

    tokens_in: int | None = None
    tokens_out: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollout:
    """One attempt at a task under a text."""

    key: RolloutKey
    result: Score | Unscored
    answer: str
    usage: CallUsage = field(default_factory=CallUsage)


class EditOp(StrEnum):
    ADD = "add"
    DELETE = "delete"
    REPLACE = "replace"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One bounded change of a skill text.

    `anchor` is a line of the learnt region; it must match exactly once. `add` without an anchor appends.
    """

    op: EditOp
    anchor: str | None
    text: str
    """The new line or lines; "" for `delete`."""
    reason: str

    @property
    def id(self) -> Digest:
        """Equal edits are equal whatever reason was given."""
        return digest(self.op, self.anchor or "", " ".join(self.text.split()).casefold())


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmatched:
    """An edit that could not be applied, and why."""

    edit: Edit
    reason: str


class Verdict(StrEnum):
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNDECIDED = "undecided"
    CLOSED = "closed"
    PRUNED = "pruned"
    """A bundle that crossed and goes on, as another candidate, without the edits of no measurable effect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillTarget:
    """A file that may be changed."""

    agent: str
    name: str
    path: str
    """Absolute."""
    project: str
    """The project it belongs to; "" for the user's own."""
    description: str
    """When to load it; used when the file has to be made."""


class CandidateOrigin(StrEnum):
    """What made a candidate's text."""

    REFLECTION = "reflection"
    PRUNED = "pruned"
    """A bundle that crossed, without the edits of no measurable effect."""
    COMPACTION = "compaction"
    SLOW_UPDATE = "slow-update"
    APPENDIX = "appendix"
    DESCRIPTION = "description"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """The effect of one edit of a bundle: the bundle against the bundle without it (leave-one-out)."""

    edit_id: Digest
    round: int
    """From 1: dropping an edit may change the effect of the others, so those in doubt are asked again without it."""
    kept: bool
    effect: float | None
    """Its part of the gain, a mean difference of scores; None without a scored pair."""
    low: float
    high: float
    """The 95 % interval of the effect."""
    pairs: int
    tokens: int
    """Its rent: tokens it adds to every session that loads the skill."""


def before_the_change(night: str) -> str:
    """What is said of a proof when this night found that the model had changed since."""
    return f"proven before the model changed (night {night})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A full text under trial, with its place in the user's false-discovery account."""

    id: Digest
    index: int
    """t, from 1, given before the first pair."""
    alpha: float
    """The level α_t in force for this candidate."""
    stated: int | None = 0
    """See `evidence.Place`: above 0, the level holds a part of the share for rules that the person put into words."""
    target: SkillTarget
    base: Digest
    text: Digest
    edits: tuple[Edit, ...]
    tasks: tuple[TaskId, ...]
    """The validation tasks at its start, in order; later ones do not join."""
    model: str
    invalidated_in: str | None = None
    """The night that found the model changed: what was measured is about the model before that."""
    origin: CandidateOrigin = CandidateOrigin.REFLECTION
    margin: float = 0.0
    """0: it has to be better. Above: it may be worse by less than this, as it makes the text shorter (promise 8)."""
    verdict: Verdict = Verdict.UNDECIDED
    reason: str = ""

    @property
    def doubt(self) -> str | None:
        """What became of the proof of an accepted candidate; None while it is about the model as it is."""
        if self.verdict is not Verdict.ACCEPTED or self.invalidated_in is None:
            return None
        return before_the_change(self.invalidated_in)

    @property
    def measured_on(self) -> str:
        """The model, and until when it answered as it did, where it changed since."""
        return self.model if self.invalidated_in is None else f"{self.model} until night {self.invalidated_in}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One draw: a rollout of the candidate against the mean of fresh baseline rollouts of the same task."""

    purpose: Purpose = Purpose.CANDIDATE
    """`CANDIDATE`: evidence for the mean. `CONFIRMATION`: drawn to look at its task, after the evidence had crossed."""
    ordinal: int
    """From 0 within its purpose."""
    replay: Replay = Replay.TEXT
    task_id: TaskId
    own: bool | None = None
    """Of a description: whether its skill is for the request; None for a text."""
    candidate: float | None
    """None: unscored for a cause that the text may have."""
    baseline: float | None
    """None: one of its rollouts is unscored."""
    baseline_low: float | None = None
    """The mean, were each unscored baseline rollout a 0; None: as `baseline`, or 0 where that is None."""
    baseline_high: float | None = None
    """The mean, were each unscored baseline rollout a 1; None: as `baseline`, or 1 where that is None."""

    @property
    def confirms(self) -> bool:
        """Whether it was drawn to look at its task; it is no evidence for the mean."""
        return self.purpose is Purpose.CONFIRMATION
