"""A night or a training run on one page: one file, no script, nothing fetched from anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sleepd.views import report
from sleepd.views.html import plots
from sleepd.views.html.fields import LONG, SHORT, Row, candidates, clipped, count, inner, number, rows, texts, words
from sleepd.views.html.markup import table, tag, text
from sleepd.views.html.style import STYLE
from sleepd.views.night_lessons_view import night_lessons_lines

_WIDTH = 200
"""Characters of a request or a title."""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_OPEN_AT_MOST = 12
"""With more candidates than this only the accepted ones are unfolded."""


def page(history: Row, patches: Mapping[str, str] | None = None) -> str:
    """The page of a history as `history.json` has it, with the diffs of candidates by id.

    The words of sessions and models appear as text, never as markup.
    """
    training = words(history, "kind") == "training"
    title = f"{'Training run' if training else 'Night'} {words(history, 'id')}"
    meta = (
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
    )
    head = tag("head", *meta, tag("title", text(title)), tag("style", STYLE))
    lost = _list("Unusable replies", texts(history, "problems"))
    cells = []
    for one in rows(history, "proposals"):
        sealed = inner(one, "sealed")
        before, after = (report.mean(number(sealed, name)) for name in ("before", "after"))
        taught = "; ".join(
            report.short(words(s, "title") or words(s, "session"), _WIDTH) for s in rows(one, "taught_by")
        )
        findings = "".join(tag("p", text(found), class_="del") for found in texts(one, "findings"))
        gain = f"{before} → {after} over {count(sealed, 'tasks')}"
        status = text(words(one, "status")) + findings
        cells.append([text(words(one, "id")[:8]), status, text(gain), text(clipped(taught, 2 * SHORT))])
    headings = ("proposal", "status", "sealed tasks", "taught by")
    parts = (
        _facts(history),
        _plots(history),
        _steps(history, patches or {}),
        (tag("h2", "Proposals") + table(headings, cells) if cells else ""),
        _lessons(history),
        lost,
    )
    said = (
        "All measurements are text replays: the model got the requests again; no work was redone in a repository.",
        "A pair is one task drawn at random, answered once under the candidate and compared with the live text. "
        "Evidence is an e-process: the gain of a bet on the candidate, pair by pair. If the candidate does not help, "
        "the chance that the evidence ever reaches the line of acceptance is at most α, however often one looks.",
        "An edit's part of the gain is the bundle's loss without it (leave-one-out); its rent is the tokens that it "
        "adds to every session.",
        "Sealed tasks are the holdout: they were scored once, after the verdict, and decided nothing.",
    )
    made = f"Made from the rows of the database; format {words(history, 'format')}."
    body = tag(
        "body",
        tag(
            "main",
            tag("h1", text(title)),
            *parts,
            tag("h2", "How to read this") + "".join(tag("p", text(line), class_="quiet") for line in (*said, made)),
        ),
    )
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _facts(history: Row) -> str:
    status = words(history, "status")
    spent, models = inner(history, "spending"), [words(history, "model"), words(history, "reflection_model")]
    rule, alpha, test = words(history, "rule"), number(history, "alpha"), inner(history, "test")
    level = f", account at level {alpha:g}" if alpha is not None else ""
    before, after = (plots.measured(inner(test, name)) for name in ("before", "after"))
    facts = {
        "outcome": words(history, "message"),
        "status": report.STATUS_WORDS.get(status, status),
        "skill": ", ".join(texts(history, "skills")) or words(history, "skill"),
        "about": {"user": "all projects"}.get(words(history, "scope"), words(history, "scope")),
        "began": report.moment(words(history, "started_at") or None) if words(history, "started_at") else "",
        "models": ", ".join(dict.fromkeys(filter(None, models))),
        "gate": f"rule {rule}, metric {words(history, 'metric') or 'unknown'}{level}" if rule else "",
        "spent": f"{count(spent, 'rollouts'):,} rollouts, {count(spent, 'reflections'):,} reflections, "
        f"{count(spent, 'tokens_in'):,} tokens in, {count(spent, 'tokens_out'):,} out, "
        f"{report.dollars(spent.get('cost_usd'))}",
        "sealed test": f"{before} before, {after} after" if test else "",
    }
    pairs = "".join(tag("dt", text(name)) + tag("dd", text(said)) for name, said in facts.items() if said)
    return tag("dl", pairs)


# Plots --------------------------------------------------------------------------------------------------------------


def _plots(history: Row) -> str:
    training = words(history, "kind") == "training"
    whose = (
        "The present text after each step." if training
        else f"{_key('new', 'Candidate')} and {_key('old', 'live text')}, in the candidate's own pairs."
    )  # fmt: skip
    drawn = [
        (
            "Score",
            plots.scores(history),
            f"{whose} Bars are 95 % intervals over tasks; they describe, the gate decides.",
        ),
        ("Tokens by stage", plots.tokens(history), f"{_key('new', 'In')} and {_key('out', 'out')}."),
        ("Edit budget", plots.edit_budget(history), "Edits that one candidate may hold, step by step."),
    ]
    shown = [tag("figure", tag("h3", name), plot, tag("figcaption", said)) for name, plot, said in drawn if plot]
    return tag("div", *shown, class_="plots") if shown else ""


def _key(look: str, name: str) -> str:
    return tag("span", name, class_=f"key {look}")


# Steps and candidates -----------------------------------------------------------------------------------------------


def _steps(history: Row, patches: Mapping[str, str]) -> str:
    unfolded = sum(1 for _ in candidates(history)) <= _OPEN_AT_MOST
    out = []
    for step in rows(history, "steps"):
        name = (
            words(step, "skill") or f"Step {words(step, 'step')}, epoch {words(step, 'epoch')}: {words(step, 'kind')}"
        )
        lines = [tag("h2", text(name), " ", _badge(words(step, "outcome")))]
        if words(step, "path"):
            lines.append(tag("p", text(words(step, "path")), class_="quiet"))
        lines += [_candidate(one, patches, unfolded=unfolded) for one in rows(step, "candidates")]
        if notes := words(step, "notes", LONG):
            name = "Strategy notes of the reflection model"
            lines.append(tag("details", tag("summary", name), tag("pre", text(notes), class_="soft")))
        lost = [f"{words(one, 'edit')}: {words(one, 'reason')}" for one in rows(step, "unmatched")]
        lines.append(_list("Edits without a place in the text", lost))
        lines.append(_list("Unusable replies", texts(step, "problems")))
        out.append(tag("section", *lines))
    return "".join(out) or tag("p", "No candidate was tried.")


def _candidate(one: Row, patches: Mapping[str, str], *, unfolded: bool) -> str:
    verdict = words(one, "verdict")
    aside = "quarantined" if words(one, "proposal") == "quarantined" else ""
    head = tag("h3", f"Candidate {text(words(one, 'index'))} ", _badge(verdict), " ", _badge(aside))
    reason = tag("p", text(words(one, "reason") or "still open"))
    whence = [f"made by {words(one, 'origin')}"] if words(one, "origin") not in ("", "reflection") else []
    margin = number(one, "margin")
    whence += [f"non-inferiority test, margin {margin:g}"] if margin else []
    effect = number(one, "effect")
    figures = (
        f"{count(one, 'pairs')} pairs, and {count(one, 'confirming')} to look at single tasks; "
        f"{'no pair was scored' if effect is None else f'mean difference {effect:+.3f}'}; "
        f"score {plots.measured(inner(one, 'before'))} before, {plots.measured(inner(one, 'after'))} after; "
        f"{count(one, 'tokens'):+d} tokens in every session that loads the skill"
    )
    inside = [tag("p", text("; ".join([*whence, figures, *texts(one, "loads")])), class_="quiet")]
    cells = []
    for edit in rows(one, "edits"):
        low, high, gain = (number(edit, name) for name in ("low", "high", "effect"))
        part = f"{gain:+.2f} ({low:+.2f} to {high:+.2f})" if None not in (low, high, gain) else "not asked"
        kept = {True: "kept", False: "dropped"}.get(bool(edit["kept"]), "") if edit.get("kept") is not None else "–"
        anchor = tag("p", tag("del", text(words(edit, "anchor", LONG))), class_="del") if edit.get("anchor") else ""
        said = anchor + tag("p", text(words(edit, "text", LONG)), class_="add")
        why = tag("p", text(words(edit, "reason")), class_="quiet") if edit.get("reason") else ""
        cells.append([text(words(edit, "op")), said + why, text(part), text(kept), text(f"{count(edit, 'tokens'):+d}")])
    headings = ("edit", "rule, and why", "part of the gain (95 %)", "", "rent")
    inside.append(table(headings, cells, numeric=(2, 4)) if cells else "")
    if drawn := plots.wealth(one):
        sides = f"{_key('new', 'for')} the candidate and {_key('against', 'against')} it"
        key = f"Evidence {sides}, on a log scale, from 1. Pairs drawn together with the deciding pair follow it."
        inside.append(tag("figure", drawn, tag("figcaption", key)))
    cells = []
    for task in rows(one, "tasks"):
        before, after = number(task, "before"), number(task, "after")
        request = text(report.short(words(task, "request"), _WIDTH) or words(task, "task")[:8])
        scores = [text(report.mean(before)), text(report.mean(after))]
        cells.append([request, text(count(task, "pairs")), *scores, plots.dumbbell(before, after)])
    inside.append(table(("task", "pairs", "before", "after", "0 to 1"), cells, numeric=(1, 2, 3)) if cells else "")
    if diff := patches.get(words(one, "id"), ""):
        inside.append(tag("details", tag("summary", "the change as a diff"), tag("pre", text(clipped(diff, LONG)))))
    opened = "open" if unfolded or verdict == "accepted" else None
    return tag("article", head, reason, tag("details", tag("summary", "evidence"), *inside, open=opened))


# The rest -----------------------------------------------------------------------------------------------------------


def _lessons(history: Row) -> str:
    """What the person had to say again and again, as far as it belongs to the night."""
    lines = night_lessons_lines(history)
    if not lines:
        return ""
    told = tag("ul", *(tag("li", text(line.strip())) for line in lines[1:])) if lines[1:] else ""
    return tag("h2", "Lessons") + tag("p", text(lines[0])) + told


def _list(title: str, said: Sequence[str]) -> str:
    if not said:
        return ""
    lines = "".join(tag("li", text(report.short(line, 2 * _WIDTH))) for line in said)
    return tag("details", tag("summary", f"{text(title)} ({len(said)})"), tag("ul", lines))


def _badge(verdict: str) -> str:
    return tag("span", text(verdict), class_=f"badge {verdict}") if verdict else ""
