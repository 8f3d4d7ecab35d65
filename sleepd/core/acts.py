"""Acts: what a person's turn is, with a probability.

Structure comes first: what the agent did before and after, what the person stopped or refused, which lines a later
exchange took out again. Words of twelve languages are weak signs beside it. A multinomial logistic model weighs them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sleepd.core import act_words as words
from sleepd.core.act_weights import BIAS, WEIGHTS
from sleepd.core.episode import Episode, Source


class Act(StrEnum):
    """What a person's turn is."""

    REQUEST = "request"
    """New work."""
    QUESTION = "question"
    """The person wants to know something and asks for no change."""
    CORRECTION = "correction"
    """The agent's work has a fault, in the person's eyes."""
    REFINEMENT = "refinement"
    """The work was right as far as it went; the person wants it otherwise, or more of it."""
    APPROVAL = "approval"
    """Assent, thanks, a choice between options offered, or the usual next step after finished work."""
    EVIDENCE = "evidence"
    """Pasted from outside: a review comment, a log of CI."""
    OTHER = "other"


class ClientLabel(StrEnum):
    """What a client's own look at a whole session said of it: a weak sign for each of its turns."""

    FRICTION = "insights: friction"
    """The agent misunderstood, went wrong or did too much; or the person was not satisfied."""
    SATISFIED = "insights: satisfied"
    """Nothing of the kind, and the person was satisfied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedAct:
    """The act of one turn."""

    act: Act
    probability: float
    """Of the act named."""
    correction: float
    """Probability that the turn is a correction."""
    refinement: float
    signs: tuple[str, ...]
    """The signs that were there, in a stable order."""
    read: bool = False
    """A model's word is part of it."""


_FENCED = re.compile(r"```.*?(?:```|\Z)|\"\"\".*?(?:\"\"\"|\Z)", re.DOTALL)
_LOGGED = re.compile(
    r"^\s*[\w./\\-]+\.\w{1,5}:\d+(?::\d+)?[:\s]"
    r"|^\s*(?:FAIL|ERROR|Error|error|panic|Traceback|fatal|warning|E\s{2,}|--- FAIL)\b"
    r"|\bexit (?:code|status) \d|^\s*at \S+ \(.*:\d+|^\s*[✗✘×❌]|^\S+@\S+.*[%$>#] |^\s*\d{4}-\d\d-\d\d[T ]\d\d:\d\d"
    r"|(?<=\n)\s*[❯$%⎿] ?\s*\S|[⎿]|^\s*\[\d\d:\d\d|##\[error\]",
    re.MULTILINE,
)
_ADDRESS = re.compile(r"https?://\S+")
_CODE = re.compile(r"`[^`\n]+`|\b\w+\(\)|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w+|\b\w+_\w+\b|\b\S+\.\w{1,4}:\d+")
_ASKING = re.compile(r"\A.{0,80}?:\s*\n", re.DOTALL)
"""A first line such as `address this feedback:` before what is pasted."""
_HEAD = 400
_SHORT = 8
_LONG = 60
_PROSE = 18


def signs(episode: Episode, before: Episode | None) -> dict[str, float]:
    """The signs of a turn, each in [0, 1]; `before` is the episode before it in its session."""
    text = episode.text.strip()
    own = _FENCED.sub(" ", text).strip()
    head = own[:_HEAD]
    count = len(own.split()) or len(own) // 3
    logged = bool(_LOGGED.search(text))
    found = {
        "first": before is None,
        "after edits": before is not None and bool(before.edits),
        "after words": before is not None and not before.edits,
        "stopped": before is not None and (before.interrupted or any(call.denied for call in before.calls)),
        "refusal": episode.source is Source.DENIAL,
        "queued": episode.source is Source.QUEUED,
        "approves": bool(words.APPROVES.search(head)),
        "approves, short": bool(words.APPROVES.search(head)) and count <= _SHORT,
        "objects": bool(words.OBJECTS.search(head)),
        "repairs": bool(words.REPAIRS.search(head)),
        "fails": bool(words.FAILS.search(head)),
        "denies": bool(words.DENIES.search(head)),
        "misses": bool(words.MISSES.search(head)),
        "work": bool(words.STARTS_WORK.search(head)),
        "asks": own.endswith(("?", "？", "؟")) or bool(words.ASKS.search(head)),
        "question mark": own.endswith(("?", "？", "؟")),
        "review": bool(words.REVIEWS.search(head)) or bool(_ADDRESS.search(head)),
        "log": logged,
        "short": count <= _SHORT,
        "long": count > _LONG,
        "admits": bool(words.ADMITS.search(episode.opening[:200])),
        "edits": bool(episode.edits),
        "nothing done": not episode.calls,
    }
    told = _ASKING.sub(" ", own)
    impersonal = len(words.PERSON.findall(told)) <= count // 50
    found["impersonal"] = count >= _PROSE and impersonal and not logged
    found["code in prose"] = count >= _PROSE and len(_CODE.findall(own)) >= 3 and impersonal
    found["obliges"] = bool(words.OBLIGES.search(head)) and not found["impersonal"]
    found["obliges, later"] = bool(found["obliges"] and not found["first"])
    found["misses, later"] = bool(found["misses"] and not found["first"])
    found["repairs a failure"] = bool(found["repairs"] and found["fails"])
    found["repairs, first"] = bool(found["repairs"] and found["first"])
    found["denies, later"] = bool(found["denies"] and not found["first"])
    found["fails, later"] = bool(found["fails"] and not found["first"])
    found["work, later"] = bool(found["work"] and not found["first"])
    found["log, later"] = bool(logged and not found["first"])
    undone = same = False
    if before is not None:
        added = {line for edit in before.edits for line in edit.added if len(line) > 3}
        undone = any(line in added for edit in episode.edits for line in edit.removed)
        same = bool({edit.path for edit in before.edits} & {edit.path for edit in episode.edits})
    found["undone"], found["same file"] = undone, same
    return {name: float(value) for name, value in found.items()}


_FLAGGED = 0.5
"""From this probability on a turn counts as a correction. A refinement is neither for nor against."""
_LABELS = {ClientLabel.FRICTION.value: 0.5, ClientLabel.SATISFIED.value: -0.5}
"""What a label of the whole session adds to the logit of a correction. No labelled history holds such labels, so that
nothing could be fitted: half a unit moves an even chance to .62, and no sure turn across the line."""
_NOT_OWN = {Source.PLAN: Act.REQUEST, Source.COMMAND: Act.REQUEST, Source.HOOK: Act.OTHER}


def judge(found: Sequence[Episode], label: ClientLabel | None = None) -> tuple[JudgedAct, ...]:
    """The act of each of a session's episodes, in order. `label` is what the client said of the session, if it did.

    A turn is a correction when its probability is at least a half, given that it is no refinement. A text that is not
    the person's own is never a correction.
    """
    judged = []
    for before, episode in zip([None, *found], found, strict=False):
        if episode.source in _NOT_OWN:
            judged.append(
                JudgedAct(act=_NOT_OWN[episode.source], probability=1.0, correction=0.0, refinement=0.0, signs=())
            )
            continue
        there = signs(episode, before)
        if label is not None:
            there[label.value] = 1.0
        judged.append(decided(probabilities(there), tuple(name for name, value in there.items() if value)))
    return tuple(judged)


def probabilities(there: Mapping[str, float]) -> dict[Act, float]:
    """The probability of each act for a turn's signs; they sum to 1."""
    logits = {
        act: BIAS[act] + sum(weights.get(name, 0.0) * value for name, value in there.items())
        for act, weights in WEIGHTS.items()
    }
    for label, weight in _LABELS.items():
        logits[Act.CORRECTION] += weight * there.get(label, 0.0)
    highest = max(logits.values())
    powers = {act: math.exp(logit - highest) for act, logit in logits.items()}
    total = sum(powers.values())
    return {Act(act): power / total for act, power in powers.items()}


def decided(by_act: Mapping[Act, float], there: tuple[str, ...]) -> JudgedAct:
    """The act for the probabilities of all acts."""
    refinement = by_act[Act.REFINEMENT]
    correction = by_act[Act.CORRECTION] / (1 - refinement) if refinement < 1 else 0.0
    if correction >= _FLAGGED:
        act, probability = Act.CORRECTION, correction
    else:
        act = max((a for a in Act if a is not Act.CORRECTION), key=lambda a: by_act[a])
        probability = by_act[act]
    return JudgedAct(act=act, probability=probability, correction=correction, refinement=refinement, signs=there)
