"""How facts look: text for people, plain values for `--json`. Light to import; nothing here reads or decides.

Text out of transcripts and models is shown with its hidden characters made visible: a terminal must not obey it.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import zip_longest
from typing import TYPE_CHECKING

from sleepd.core.plaintext import flat, hidden

if TYPE_CHECKING:
    from sleepd.core.model import Candidate
    from sleepd.core.validity import Validity
    from sleepd.pipeline.adopt import WriteResult
    from sleepd.pipeline.mine import MineReport
    from sleepd.pipeline.unread import IngestReport
    from sleepd.settings.places import Places
    from sleepd.store.nights import Night
    from sleepd.store.voices import VoiceCount
    from sleepd.views.doctor_result import DoctorRow
    from sleepd.views.init_result import InitResult

Plain = dict[str, object]
MODE = "text replay"
"""How everything is measured: requests are asked again, nothing is done again in a repository."""
_MOST_SHOWN_FACTOR = 1e6
_MOST_COLUMNS = 80

STATUS_WORDS = {
    "running": "not finished: running now, or stopped; sleepd run continues it",
    "done": "done",
    "not-measured": "could not be measured; nothing was consumed, the next run tries again",
    "budget-spent": "budget spent; the next run continues it",
}
"""A night's status, for a person."""


# Building blocks ----------------------------------------------------------------------------------------------------


def validity_json(found: Validity | None) -> Plain | None:
    """A verdict on checks for a program; None where there is none yet."""
    if found is None:
        return None
    one = found.agreement
    return {
        "gates": found.gates,
        "ground": found.ground.value if found.ground is not None else None,
        "why": found.why,
        "held_out": None
        if one is None
        else {
            "auc": round(one.auc, 3),
            "low": round(one.low, 3),
            "high": round(one.high, 3),
            "p": one.p,
            "corrected_sessions": one.corrected_sessions,
            "kept_sessions": one.kept_sessions,
        },
    }


def clean(text: str) -> str:
    """The text with invisible and control characters written as `<U+001B>`."""
    return "".join(f"<U+{ord(char):04X}>" if hidden(char) and char not in "\n\t" else char for char in text)


def short(text: str, width: int) -> str:
    """The text on one line of at most `width` characters."""
    line = clean(flat(text))
    return line if len(line) <= width else line[: width - 1].rstrip() + "…"


def table(headings: Sequence[str], rows: Iterable[Sequence[object]], *, cut: str | None = None) -> str:
    """Columns under headings; numbers to the right. Wide letters count as two.

    A row that is too long for 80 columns goes on in the next line, at spaces and behind slashes, column by column; only
    where single words are too long for that, the lines are longer. The column with the heading `cut` is a preview of
    a text: it stays on one line and loses its end.
    """
    lines = [[_cell(value) for value in row] for row in rows]
    numbers = [
        [cell.replace(".", "", 1).replace("–", "0").removeprefix("+").removeprefix("-").isdigit() for cell in line]
        for line in lines
    ]
    numeric = [all(line[i] for line in numbers) and bool(lines) for i in range(len(headings))]
    widths = _column_widths(headings, lines)
    if cut is not None:
        at = list(headings).index(cut)
        for line in lines:
            if _width(line[at]) > widths[at]:
                while line[at] and _width(line[at]) >= widths[at]:
                    line[at] = line[at][:-1]
                line[at] = line[at].rstrip() + "…"
    shown = []
    for line in [list(headings), *lines]:
        wrapped = [_wrapped(cell, width) for cell, width in zip(line, widths, strict=True)]
        for cells in zip_longest(*wrapped, fillvalue=""):
            padded = (
                " " * (width - _width(cell)) + cell if right else cell + " " * (width - _width(cell))
                for cell, width, right in zip(cells, widths, numeric, strict=True)
            )
            shown.append("  ".join(padded).rstrip())
    return "\n".join(shown)


def facts(pairs: Mapping[str, object]) -> str:
    """One fact to a line, the names aligned."""
    width = max(map(len, pairs), default=0)
    return "\n".join(f"{name:<{width}}  {_cell(value)}" for name, value in pairs.items())


def count(number: int, one: str, many: str | None = None) -> str:
    """`1 session`, `2 sessions`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def dollars(amount: object) -> str:
    """`$0.12`, or that the cost is not known."""
    return f"${amount:.4f}" if isinstance(amount, int | float) else "cost unknown"


def mean(value: float | None) -> str:
    """A score with two decimals, or that there is none."""
    return "–" if value is None else f"{value:.2f}"


def sealed_words(before: float | None, after: float | None) -> str:
    """Before and after on the sealed tasks."""
    if before is None or after is None:
        return "not measured"
    # The gate's promise is about the tasks that judged; these did not, and they disagree.
    return f"{before:.2f} → {after:.2f}" + (" (worse: look twice)" if after < before else "")


def factor(logarithm: float | None) -> float:
    """The evidence as a factor, from its natural logarithm. A candidate without a pair has evidence of 1."""
    return math.exp(min(logarithm or 0.0, 700.0))


def evidence(logarithm: float | None, alpha: float) -> str:
    """`14 of 84`: the evidence reached, and the evidence needed."""
    value = factor(logarithm)
    shown = f"over {_MOST_SHOWN_FACTOR:.0f}" if value > _MOST_SHOWN_FACTOR else _brief(value)
    return f"{shown} of {_brief(1 / alpha)}"


def level(candidate: Candidate) -> str:
    """The error level in force for a candidate, and why it is that."""
    why = f"level {candidate.alpha:.2g}, as candidate {candidate.index} of the account"
    return f"{why} and number {candidate.stated} of those that you put into words" if candidate.stated else why


def _brief(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def moment(at: datetime | str | None) -> str:
    """A time where this machine is, to the minute."""
    if at is None:
        return "unknown"
    known = datetime.fromisoformat(at) if isinstance(at, str) else at
    return known.astimezone().strftime("%Y-%m-%d %H:%M")


def iso(at: datetime | None) -> str | None:
    """A time in UTC, for a program."""
    return None if at is None else at.astimezone(UTC).isoformat()


def _cell(value: object) -> str:
    return short(value, 200) if isinstance(value, str) else str(value)


def _column_widths(headings: Sequence[str], lines: Sequence[Sequence[str]]) -> list[int]:
    """As wide as the cells, or narrower where a line would be longer than 80: first the headings, then the widest."""
    columns = list(zip(headings, *lines, strict=True))
    widths = [max(map(_width, column)) for column in columns]
    least = [max(_width(part) for cell in column for part in [*_parts(cell), ""]) for column in columns]
    room = _MOST_COLUMNS - 2 * (len(columns) - 1)
    for at, column in enumerate(columns):
        if sum(widths) > room:
            widths[at] = max(least[at], *(_width(cell) for cell in column[1:]), 0)
    while sum(widths) > room:
        at = max(range(len(columns)), key=lambda n: (widths[n] > least[n], widths[n]))
        if widths[at] == least[at]:
            break
        widths[at] -= 1
    return widths


def _wrapped(text: str, width: int) -> list[str]:
    """The text in lines of at most `width`; a longer word has a line for itself."""
    lines = [""]
    for part in _parts(text):
        longer = lines[-1] + part
        if lines[-1] and _width(longer.rstrip()) > width:
            lines.append(part)
        else:
            lines[-1] = longer
    return [line.rstrip() for line in lines]


def _parts(text: str) -> list[str]:
    """Where a line may end: behind spaces and slashes."""
    return re.findall(r"[^ /]*[ /]+|[^ /]+", text)


def _width(text: str) -> int:
    wide = (2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)
    return sum(w for w, char in zip(wide, text, strict=True) if not unicodedata.combining(char))


# Setting up ---------------------------------------------------------------------------------------------------------


def begun_json(begun: InitResult, places: Places) -> Plain:
    return {
        "agents": {agent.name: agent.transcripts for agent in begun.agents},
        "config": str(places.config),
        "config_made": begun.config_made,
        "database": str(places.database),
        "database_made": begun.database_made,
        "chosen": begun.chosen,
        "model_chosen": begun.model_chosen,
        "models": {model.name: model.price for model in begun.models},
    }


def begun_text(begun: InitResult, places: Places, *, asked: bool) -> str:
    lines = [table(["agent", "transcripts"], [[a.name, a.transcripts] for a in begun.agents]), ""]
    added = "added missing settings to" if begun.chosen else "kept as it is:"
    lines.append(f"{'wrote' if begun.config_made else added} {places.config}")
    lines.append(f"{'made' if begun.database_made else 'kept as it is:'} {places.database}")
    if begun.chosen:
        source = "as you said" if asked else "defaults, since nothing was asked"
        said = ", ".join(f"{key} = {value}" for key, value in begun.chosen.items())
        lines.append(f"in it ({source}): {said}")
    lines += ["", "Next:"]
    if not begun.window_chosen:
        lines.append("  state how far back to read and the budget of a night: sleepd run asks, on a terminal")
    if not begun.model_chosen:
        key = "" if begun.models else ", and export its key"
        lines.append(f"  choose a model: set model.name and model.model in {places.config}{key}")
        lines += [f'    model.name = "{model.name}": {model.price}' for model in begun.models]
    steps = {
        "sleepd harvest": "reads your sessions; asks no model",
        "sleepd lessons": "shows what you had to say again and again; asks no model",
        "sleepd doctor": "checks the installation",
        "sleepd run --dry-run": "shows the plan of a night; asks no model",
        "sleepd run": "runs one night now",
        "sleepd service install": "runs one every night, by itself",
        "sleepd plugin install all": "lets you review proposals from within your agents",
    }
    lines.append(facts({f"  {command}": does for command, does in steps.items()}))
    return "\n".join(lines)


def doctor_json(rows: Sequence[DoctorRow]) -> Plain:
    return {
        "ok": not any(row.state.value == "failed" for row in rows),
        "rows": [{"fact": r.fact, "state": r.state.value, "finding": r.finding, "fix": r.fix} for r in rows],
    }


def doctor_text(rows: Sequence[DoctorRow]) -> str:
    lines = []
    width = max(len(row.fact) for row in rows)
    for row in rows:
        lines.append(f"{row.state.value:<7}  {row.fact:<{width}}  {clean(row.finding)}")
        if row.fix and row.state.value != "ok":
            lines.append(f"{'':<7}  {'':<{width}}  → {clean(row.fix)}")
    failed = sum(row.state.value == "failed" for row in rows)
    return "\n".join([*lines, "", "all checks passed" if not failed else f"{count(failed, 'thing')} to fix"])


# Days ---------------------------------------------------------------------------------------------------------------


def harvest_json(report: IngestReport) -> Plain:
    return {
        "files": report.files,
        "read": report.read,
        "bytes_read": report.bytes_read,
        "sessions": report.sessions,
        "turns": report.turns,
        "defects": report.defects,
        "redacted": report.redacted,
        "by_agent": dict(sorted(report.by_agent.items())),
    }


def harvest_text(report: IngestReport) -> str:
    by_agent = ", ".join(f"{agent} {number}" for agent, number in sorted(report.by_agent.items())) or "none"
    shown: dict[str, object] = {
        "files": f"{report.files} ({by_agent})",
        "new or grown": report.read,
        "bytes read": f"{report.bytes_read:,}",
        "sessions": report.sessions,
        "turns": report.turns,
        "secrets redacted": report.redacted,
        "defects": f"{report.defects}" + (" (sleepd doctor lists some; the rest was read)" if report.defects else ""),
    }
    return facts(shown)


def voices_json(found: Sequence[VoiceCount]) -> list[Plain]:
    return [
        {
            "agent": one.agent,
            "source": one.voice.value,
            "by_a_person": one.by_a_person,
            "texts": one.texts,
            "characters": one.characters,
        }
        for one in found
    ]


def voices_text(found: Sequence[VoiceCount]) -> str:
    """Where the stored texts came from, and which of them are a person's."""
    if not found:
        return "nothing is stored yet"
    rows = [
        [one.agent, one.voice.value, "yes" if one.by_a_person else "no", one.texts, one.characters] for one in found
    ]
    return table(["agent", "source", "by a person", "texts", "characters"], rows)


def mine_json(report: MineReport) -> Plain:
    return {
        "sessions": report.sessions,
        "tasks": report.tasks,
        "recurring": report.recurring,
        "clusters": report.clusters,
        "checkable": report.checkable,
        "embedded": report.embedded,
    }


def mine_text(report: MineReport) -> str:
    return (
        f"{count(report.sessions, 'session')} cut into tasks, {count(report.embedded, 'text')} embedded\n"
        f"{count(report.tasks, 'task')}, {report.recurring} of them recurring in "
        f"{count(report.clusters, 'kind', 'kinds')} of work, "
        f"{report.checkable} checkable"
    )


# Nights -------------------------------------------------------------------------------------------------------------


def night_json(night: Night) -> Plain:
    return {
        "id": night.id,
        "scope": night.scope,
        "date": night.date,
        "status": night.status.value,
        "message": night.message,
        "started_at": iso(night.started_at),
        "report": dict(night.report),
    }


def night_line(night: Night) -> list[object]:
    spent = night.report.get("spending")
    return [
        night.id,
        night.scope,
        night.status.value,
        spent.get("calls", "–") if isinstance(spent, Mapping) else "–",
        night.message or "–",
    ]


def nights_text(nights: Sequence[Night]) -> str:
    if not nights:
        return "no night yet; sleepd run runs one"
    return table(["night", "scope", "status", "calls", "result"], [night_line(n) for n in nights])


def spending(report: Mapping[str, object]) -> str:
    """The spending in a night's report."""
    spent = report.get("spending")
    if not isinstance(spent, Mapping):
        return "unknown"
    tokens = f"{spent.get('tokens_in', 0)} tokens in, {spent.get('tokens_out', 0)} out"
    return f"{spent.get('calls', 0)} calls, {tokens}, {dollars(spent.get('cost_usd'))}"


def written_json(written: WriteResult) -> Plain:
    return {
        "proposal": written.proposal.id,
        "path": written.path,
        "proven": written.proven,
        "as_gated": written.as_gated,
        "changed": written.changed,
        "removed": written.removed,
    }


def adopted_words(written: WriteResult) -> str:
    """The result of an adoption."""
    id_ = written.proposal.id[:8]
    if not written.changed:
        return f"{written.path} already holds this text; nothing was written, and {id_} counts as adopted"
    merged = "merged with your own changes" if written.as_gated else "with your choice of its edits"
    how = "as measured" if written.proven else f"{merged}: unproven"
    return f"adopted {id_} into {written.path}, {how}; sleepd revert {id_} undoes it"


def reverted_words(written: WriteResult) -> str:
    """The result of a revert."""
    if written.removed:
        return f"reverted {written.proposal.id[:8]}: {written.path} did not exist before and was removed"
    how = "every byte restored" if written.proven else "your later changes kept"
    return f"reverted {written.proposal.id[:8]} in {written.path}: {how}"
