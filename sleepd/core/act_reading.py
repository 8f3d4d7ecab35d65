"""Acts read by a model: what is shown of a turn, and how the model's word joins the structural signs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sleepd.core import plaintext
from sleepd.core.acts import Act, JudgedAct, decided, probabilities
from sleepd.core.command import commands
from sleepd.core.episode import Call, Episode, Source
from sleepd.core.model import Digest, digest

SURE = 0.85
"""A turn is unsure when its act is less probable than this, or when a correction is neither this sure nor ruled out:
its probability between 0.15 and 0.85. Of 235 labelled turns 166 are."""
_SAID = 900
_TAIL = 300
_ANSWER = 300
_NEXT = 160
_CALLS = 6
_COMMAND = 100
_FILES = 4
_STRUCTURE = 0.35
"""How much the structural signs count beside the model, as an exponent of their odds. The model has read the words."""
_LEAST_SURE, _MOST_SURE = 0.2, 0.97
"""A model's statement of its own sureness is taken within these bounds."""
_USUAL_SURE = 0.8
"""Where a model states none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTurn:
    """What a model is shown of one turn."""

    key: Digest
    """Of the content shown."""
    episode: Episode
    before: str
    """What the agent had just done."""
    said: str
    """The person's words, clipped in the middle."""
    after: str
    """The agent's next words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAct:
    """What a model takes a turn for. Without an act: the reply had none that could be used, and `why` says so."""

    act: Act | None
    sure: float | None = None
    """As the model states it, in [0, 1]; None where it states none."""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How far the model and the structural signs name the same act."""

    read: int
    same: int
    corrections: int
    """Turns that either calls a correction."""
    both: int
    """Turns that both call a correction."""
    unusable: int
    """Turns for which the model's reply held no act."""


def shown(session: Sequence[Episode]) -> tuple[ShownTurn, ...]:
    """The person's own turns of a session as a model sees them: redacted, short, in order."""
    found = []
    for before, episode in zip([None, *session], session, strict=False):
        if not episode.source.own:
            continue
        done = clean(_done(episode, before), 1_500)
        said = clean(_middle_out(episode.text.strip(), _SAID, _TAIL), _SAID + 10)
        after = clean(plaintext.flat(episode.opening), _NEXT)
        found.append(
            ShownTurn(key=digest("turn", done, said, after), episode=episode, before=done, said=said, after=after)
        )
    return tuple(found)


def unsure(judged: JudgedAct) -> bool:
    """Whether the structural signs leave the act open."""
    return judged.probability < SURE or 1 - SURE < judged.correction < SURE


def combined(judged: JudgedAct, read: ReadAct | None) -> JudgedAct:
    """The act by the model's word and the structural signs together.

    The probabilities are multiplied, those of the signs with an exponent below 1: a logarithmic opinion pool. A turn
    that the model reads as approval is never a correction. The words of a refusal stay what the signs say: whoever
    refuses a call objects to it, however friendly the words.
    """
    if read is None or read.act is None or "refusal" in judged.signs:
        return judged
    structure = probabilities(dict.fromkeys(judged.signs, 1.0))
    return replace(decided(pooled(structure, read.act, read.sure), judged.signs), read=True)


def pooled(structure: Mapping[Act, float], act: Act, sure: float | None) -> dict[Act, float]:
    """The probability of each act by the signs and by a model that names `act` and is that sure; they sum to 1."""
    stated = min(_MOST_SURE, max(_LEAST_SURE, sure if sure is not None else _USUAL_SURE))
    rest = (1 - stated) / (len(Act) - 1)
    shares = {each: structure[each] ** _STRUCTURE * (stated if each is act else rest) for each in Act}
    if act is Act.APPROVAL:
        shares[Act.CORRECTION] = 0.0
    total = sum(shares.values())
    return {each: share / total for each, share in shares.items()}


def agreement(pairs: Iterable[tuple[JudgedAct, ReadAct]]) -> Agreement:
    """Over the turns that were read; the first of each pair is judged by the structural signs alone."""
    rows = list(pairs)
    usable = [(judged.act, read.act) for judged, read in rows if read.act is not None]
    return Agreement(
        read=len(usable),
        same=sum(one is other for one, other in usable),
        corrections=sum(Act.CORRECTION in pair for pair in usable),
        both=sum(one is other is Act.CORRECTION for one, other in usable),
        unusable=len(rows) - len(usable),
    )


def _done(episode: Episode, before: Episode | None) -> str:
    """What the agent had done when the person spoke, in a few lines."""
    if episode.source is Source.DENIAL and episode.denied is not None:
        refused = f"The person refused this call and said why: {_call(episode.denied)}"
    else:
        refused = ""
    if before is None:
        return refused or "Nothing yet: the session begins."
    return "\n".join(filter(None, (what_was_done(before), refused)))


def what_was_done(episode: Episode, *, reaction: bool = True, answer: int = _ANSWER) -> str:
    """What the agent did in an exchange, in a few lines: files, commands with their outcome, its last words.

    Without the person's `reaction`, nothing says that a call was refused or the agent stopped. `answer`: so many
    characters of the last words at most, 200 of them from their end.
    """
    lines = []
    paths = list(dict.fromkeys(edit.path for edit in episode.edits))
    if paths:
        added = sum(len(edit.added) for edit in episode.edits)
        removed = sum(len(edit.removed) for edit in episode.edits)
        more = f" and {len(paths) - _FILES} more" if len(paths) > _FILES else ""
        lines.append(f"Edited {', '.join(paths[:_FILES])}{more} (+{added} -{removed} lines).")
    ran = [call for call in episode.calls if call.command and any(not c.reads for c in commands(call.command))]
    lines += [_call(call, reaction=reaction) for call in ran[-_CALLS:]]
    if reaction:
        refused = [call for call in episode.calls if call.denied and call not in ran]
        lines += [f"The person refused: {_call(call)}" for call in refused][:2]
        if episode.interrupted:
            lines.append("The person stopped the agent.")
    if not episode.calls:
        lines.append("Made no call.")
    if episode.answer:
        lines.append(f"Ended with: {_middle_out(' '.join(episode.answer.split()), answer, 200)}")
    return "\n".join(lines)


def _call(call: Call, *, reaction: bool = True) -> str:
    """A call in one line with its outcome."""
    given = plaintext.flat(call.command or call.input)
    if call.denied:
        outcome = "refused by the person" if reaction else "called"
    else:
        outcome = "failed" if call.failed else "worked"
    return f"{call.tool}: {given[:_COMMAND]} ({outcome})"


def _middle_out(text: str, most: int, tail: int) -> str:
    return text if len(text) <= most else f"{text[: most - tail]} […] {text[-tail:]}"


def clean(text: str, limit: int) -> str:
    """The text without secrets, cut to so many characters."""
    # Its patterns take longer to compile than a list of lessons to show, and only a prompt needs them.
    from sleepd.core.redact import redact

    return redact(text, limit).text
