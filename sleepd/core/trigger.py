"""Whether a description loads its skill for the right requests, and for no others (gate, promise 8).

Two questions are asked over one schedule of draws: of the requests that the skill is for, how many load it (recall),
and of the user's other requests, how many leave it alone. When neither share falls, precision does not fall either,
whatever the mix of requests: precision rises with the first and with the second. So a new description is accepted when
three bets win: that each share did not fall by `margin`, and that one of them rose. The least of the three wealths is
the evidence. If the description is worse in either way, or better in none, one of the three is a bet that wins with a
chance of at most α; so is the least of them. No correction is needed, since all three have to win.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from sleepd.core import edit, gate, plaintext
from sleepd.core.gate import Decision, Floats, Terms
from sleepd.core.model import Pair, TaskId, Verdict

_FENCED = re.compile(r"\A```(?:json)?\s*\n(?P<body>.*)\n```\Z", re.DOTALL)
_DESCRIPTION = re.compile(r"description:(?:[ \t]+(?P<value>.*))?")
_LOG_2 = float(np.log(2))


class Side(StrEnum):
    """What a request says about a skill."""

    WANTED = "wanted"
    """It is the work that the skill is for."""
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Loads:
    """For how many requests a description loaded its skill. Unreadable answers are in none of the counts but theirs."""

    wanted: int
    loaded_wanted: int
    others: int
    loaded_others: int
    unscored: int = 0

    @property
    def recall(self) -> float | None:
        return self.loaded_wanted / self.wanted if self.wanted else None

    @property
    def precision(self) -> float | None:
        """Of the requests that loaded it, the share that should; None when none did."""
        loaded = self.loaded_wanted + self.loaded_others
        return self.loaded_wanted / loaded if loaded else None


def loaded(answer: str, known: Collection[str]) -> frozenset[str] | None:
    """The skills that an answer names; None for one that is not exactly the JSON asked for, or names an unknown one."""
    body = answer.strip()
    fenced = _FENCED.match(body)
    try:
        value = json.loads(fenced["body"] if fenced else body)
    except (ValueError, RecursionError):
        return None
    names = value.get("load") if isinstance(value, dict) and len(value) == 1 else None
    if not isinstance(names, list) or not all(isinstance(name, str) and name in known for name in names):
        return None
    return frozenset(names)


def decide(pairs: Sequence[Pair], sides: Mapping[TaskId, Side], terms: Terms) -> Decision:
    """The verdict over the pairs so far, each of one request: 1 for the right choice, 0 for the wrong one.

    `terms.margin` is what each share may lose. Rejected on evidence (`terms.beta`) that one fell by more, or that
    neither rose by `terms.smallest_effect`. Looks after every pair.
    """
    pairs = pairs[: terms.max_pairs]
    candidate, baseline = gate.columns(pairs)
    masks = [np.array([sides[p.task_id] is side for p in pairs], dtype=bool) for side in Side]
    cautious, hopeful = gate.cautious(candidate, baseline), gate.hopeful(candidate, baseline)
    kept = [_path((cautious + terms.margin) / (1 + terms.margin), mask) for mask in masks]
    rose = [_path(cautious, mask) for mask in masks]
    evidence = np.minimum.reduce([*kept, np.logaddexp(*rose) - _LOG_2])
    fell = [_path((-terms.margin - hopeful) / (1 + terms.margin), mask) for mask in masks]
    useless = np.minimum(*(_path(terms.smallest_effect - hopeful, mask) for mask in masks))
    # Half of a rejection's level is for harm, on either side, and half for use.
    counter = np.maximum(np.maximum(*fell) - 2 * _LOG_2, useless - _LOG_2)
    return _decision(candidate, baseline, (evidence, counter), terms)


def words(loads: Loads) -> str:
    """For a person: `loads for 18 of 20 of these requests, for 1 of 20 others`."""
    unread = f" ({loads.unscored} unreadable)" if loads.unscored else ""
    return (
        f"loads for {loads.loaded_wanted} of {loads.wanted} of these requests, for {loads.loaded_others} of "
        f"{loads.others} others{unread}"
    )


def description_of(text: str) -> str | None:
    """The description in a skill file's frontmatter; None when there is none, or when it takes more than one line."""
    row = _row(text)
    if row is None:
        return None
    value = plaintext.lines(text)[row].rstrip("\r\n").partition(":")[2].strip()
    if value[:1] == '"':
        try:
            return str(json.loads(value))
        except ValueError:
            return None
    return value.strip("'") if value and value[0] not in "|>&*!" and " #" not in value else None


def described(text: str, description: str) -> str | None:
    """The text with another description, all other bytes as they were; None when it has no description of one line.

    Raises `UsageError` for a description that is not one line of at most 1,024 characters without tags and characters
    that do not show.
    """
    edit.check_description(description)
    row = _row(text)
    if row is None or description_of(text) is None:
        return None
    rows = plaintext.lines(text)
    ending = rows[row][len(rows[row].rstrip("\r\n")) :]
    rows[row] = f"description: {json.dumps(description, ensure_ascii=False)}{ending}"
    return "".join(rows)


def _row(text: str) -> int | None:
    """The place of the one line that holds the description."""
    rows = plaintext.lines(text)
    end = plaintext.frontmatter_end(rows) - 1
    found = [n for n in range(1, max(1, end)) if _DESCRIPTION.fullmatch(rows[n].rstrip("\r\n"))]
    if len(found) != 1 or rows[found[0] + 1][:1] in (" ", "\t"):
        return None
    return found[0]


def _path(gains: Floats, mask: Floats) -> Floats:
    """The wealth of a bet on the pairs of one side after every pair, as a natural logarithm."""
    own = np.concatenate([[0.0], gate.log_wealth(gains[mask])])
    path: Floats = own[np.cumsum(mask)]
    return path


def _decision(candidate: Floats, baseline: Floats, wealth: tuple[Floats, Floats], terms: Terms) -> Decision:
    evidence, counter = wealth
    drawn = np.arange(1, len(candidate) + 1)
    scored = [np.cumsum(~np.isnan(side)) for side in (candidate, baseline)]
    covered = (scored[0] >= terms.coverage * drawn) & (scored[1] >= terms.coverage * drawn)
    crossed = (evidence >= -np.log(terms.alpha)) & covered
    over = np.flatnonzero(crossed | (counter >= -np.log(terms.beta)))
    used = int(over[0]) + 1 if len(over) else len(candidate)
    verdict = Verdict.CLOSED if used >= terms.max_pairs else Verdict.UNDECIDED
    if len(over):
        verdict = Verdict.ACCEPTED if crossed[over[0]] else Verdict.REJECTED
    known = (candidate - baseline)[:used]
    known = known[~np.isnan(known)]
    return Decision(
        verdict=verdict,
        reason=_reason(verdict, terms, used),
        pairs=used,
        evidence=float(evidence[used - 1]) if used else 0.0,
        counter_evidence=float(counter[used - 1]) if used else 0.0,
        effect=float(known.mean()) if len(known) else None,
        coverage_candidate=float(scored[0][used - 1] / used) if used else 1.0,
        coverage_baseline=float(scored[1][used - 1] / used) if used else 1.0,
    )


def _reason(verdict: Verdict, terms: Terms, used: int) -> str:
    match verdict:
        case Verdict.ACCEPTED:
            return (
                f"evidence passed 1/{terms.alpha:.2g} after {used} requests: it loads the skill more rightly, and in "
                f"neither way worse by {terms.margin:g}"
            )
        case Verdict.REJECTED:
            return (
                f"worse by {terms.margin:g} for its own or for other requests, or better by less than "
                f"{terms.smallest_effect:g} for both, after {used} requests (error at most {terms.beta:.2g})"
            )
        case Verdict.CLOSED:
            return f"{used} requests used up without a decision"
        case _:
            return f"{used} requests so far; goes on in a later night"
