"""Follow-ups: what a person asks for again and again once the work is finished.

What is asked for is read from what the agent then did, so the words may be of any language: `commit`, `bitte committen`
and `提交` are one request when `git commit` follows. Words that were followed by one step most of the time then stand
for this step where the agent did nothing yet. Requests without such a step are grouped by their words.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import groupby, pairwise

from harvesters.records import ToolStatus
from sleepd.core.command import ShellCommand, check, commands, listed
from sleepd.core.episode import Call, Episode, Source
from sleepd.core.signal import Signal, SignalKind
from sleepd.core.tools import DOCUMENT, TEST_FILE

TESTS = "add tests"
DOCS = "update the documents"
PUBLISHING = frozenset({"commit", "push", "pull request", "merge", "release", "tag", "branch"})
"""Steps that reach further than the working tree: they are offered, unless they were nearly always asked for."""
_LONGEST = 280
_WORDS = 40
_FEW_WORDS = 14
_VERY_FEW = 5
_ASIDE = listed(
    "mkdir rm mv cp touch kill pkill chmod open cat sed awk python python3 node perl tee sqlite3 psql curl wget "
    "code bash sh zsh git gh lsof ps"
)
_GIT_ASIDE = listed("add fetch stash restore reset checkout switch rm mv clone init apply clean am")
_NOTE = re.compile(r"(?:^|/)\.(?!github/)[\w-]+/|(?:^|/)(?:plans|scratch|tmp)/|^/tmp/", re.I)
_PLAIN = re.compile(
    r"(?:^|/)(?:CHANGELOG\.md|CHANGES\.\w+|package\.json|pyproject\.toml|Cargo\.toml|VERSION|\.gitignore)$"
)
_TOKEN = re.compile(r"[^\W_]+(?:[:'’-][^\W_]+)*")
_DENSE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")
# Words of consent and of going on, in the languages that most people write in. Consent asks for no step of its own.
_CONSENT = listed(
    "yes y yep yeah ok okay k sure go ahead on continue proceed please do it that this thanks thank you great "
    "good nice perfect cool right correct fine done next resume keep going try again now the and then all of them "
    "lgtm looks is its a so ja jo genau weiter mach bitte gut danke mal das los oui vas-y continuez continue "
    "parfait merci bien sí si vale adelante sigue continúa gracias bien perfecto dale sim continua pode fazer "
    "obrigado sì va bene avanti grazie да давай продолжай хорошо ок спасибо дальше 好 好的 继续 可以 "
    "是 是的 对 行 嗯 はい 続けて お願いします いいよ "
    "네 계속 좋아 계속해 tak dalej evet devam ja doorgaan graag fortsätt jatka ano pokračuj i you're what your"
)
_NO = listed(
    "don't dont not no never without stop nicht kein keine nie ohne ne pas sans jamais non sin nunca não sem нет "
    "не без 不要 别 不 しないで 하지마 niet zonder nie bez nei inte utan"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Habit:
    """How often a step was asked for after finished work, and how often it was not. Counts of exchanges with edits."""

    finished: int
    """Exchanges that edited files and were not interrupted."""
    by_itself: int
    """Of these: the agent did the step in the same exchange, after its last edit."""
    asked: int
    """Of the rest: the person asked for the step next."""
    refused: int
    """Times the person refused the step or said not to do it."""
    sessions: int
    """Sessions with at least one finished exchange."""

    @property
    def share(self) -> float | None:
        """Asked, of the exchanges after which the step was still to be done; None when there is none."""
        open_ones = self.finished - self.by_itself
        return self.asked / open_ones if open_ones else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A turn that may be a follow-up."""

    episode: Episode
    work: Episode
    """The finished work before it."""
    steps: tuple[str, ...]
    tokens: tuple[str, ...]

    @property
    def said(self) -> str:
        """The words in their normal form."""
        return " ".join(self.tokens)


def follow_ups(episodes: Sequence[Episode]) -> tuple[Signal, ...]:
    """The requests for a further step after finished work, in order; one for each step and session.

    The key is the step: `commit`, `test`, `add tests`, a command's name, or the normal form of the words. The remedy is
    the command that the agent ran, or the files that it edited. Each costs a turn of the person.
    """
    asked = _by_words(_learned(list(_asked(episodes))))
    found: list[Signal] = []
    seen: set[tuple[str, str]] = set()
    for turn in asked:
        for step in turn.steps:
            if (turn.episode.session, step) not in seen:
                seen.add((turn.episode.session, step))
                found.append(
                    Signal(
                        kind=SignalKind.FOLLOW_UP,
                        session=turn.episode.session,
                        turn=turn.episode.turn,
                        episode=turn.episode.number,
                        at=turn.episode.at,
                        key=step,
                        text=turn.episode.text.strip(),
                        remedy=_what_was_done(turn.episode, step),
                        calls=len(turn.episode.calls),
                        minutes=turn.episode.minutes or 0.0,
                        tokens=turn.episode.tokens.fresh,
                        turns=1,
                    )
                )
    return tuple(found)


def habits(episodes: Sequence[Episode], signals: Sequence[Signal]) -> Mapping[str, Habit]:
    """For each step that the follow-ups `signals` ask for: how often it was asked for, done unasked, and refused."""
    steps = {signal.key for signal in signals}
    asked_at = {
        (turn.work.session, turn.work.number): turn.steps for turn in _by_words(_learned(list(_asked(episodes))))
    }
    # The word that names each step: the command's own, where the person uses it.
    telling = {signal.key.split()[-1]: signal.key for signal in signals if signal.key in PUBLISHING}
    finished = 0
    sessions = set()
    by_itself: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    for episode in episodes:
        if any(_edits_source(call) for call in episode.calls) and _is_finished(episode):
            finished += 1
            sessions.add(episode.session)
            done = _done_last(episode) & steps
            by_itself.update(done)
            asked.update(step for step in asked_at.get((episode.session, episode.number), ()) if step not in done)
        for call in episode.calls:
            if call.denied and call.command is not None:
                refused.update({step for command in commands(call.command) if (step := _step(command)) in steps})
        if episode.source.own and len(episode.text) <= 2_000:
            # The steps right behind a word of refusal, or one word further: `don't commit`, `not yet commit`.
            tokens = _tokens(episode.text)
            declined = {
                telling.get(token) or telling.get(token.removesuffix("s"))
                for place, token in enumerate(tokens)
                if any(before in _NO for before in tokens[max(0, place - 2) : place])
            }
            refused.update(step for step in declined if step is not None)
    return {
        step: Habit(
            finished=finished,
            by_itself=by_itself[step],
            asked=asked[step],
            refused=refused[step],
            sessions=len(sessions),
        )
        for step in sorted(steps)
    }


def _asked(episodes: Sequence[Episode]) -> Iterable[_Asked]:
    left: dict[str, Episode] = {}
    for _, group in groupby(episodes, key=lambda episode: episode.session):
        work: Episode | None = None
        first = True
        for episode in group:
            text, before = episode.text.strip(), left.get(episode.project)
            if episode.source in (Source.PROMPT, Source.QUEUED, Source.COMMAND) and _is_short(text):
                tokens = _tokens(text)
                if work is not None and episode.source is Source.COMMAND:
                    if episode.calls and text.startswith("/"):
                        yield _Asked(episode=episode, work=work, steps=(text.split()[0],), tokens=tokens)
                elif work is not None:
                    yield _Asked(episode=episode, work=work, steps=_steps(episode, work, tokens), tokens=tokens)
                elif (
                    first
                    and before is not None
                    and before.at is not None
                    and episode.at is not None
                    and timedelta(0) <= episode.at - before.at <= _SOON
                ):
                    # A new session that begins with a check finishes the work of the one before.
                    steps = tuple(
                        step for step in _steps(episode, before, tokens) if step in _CHECKS and _mentions(tokens, step)
                    )
                    if steps:
                        yield _Asked(episode=episode, work=before, steps=steps, tokens=tokens)
            first = first and episode.source is Source.COMMAND
            acted = any(
                call.edits
                or call.denied
                or (call.command is not None and any(not c.reads for c in commands(call.command)))
                for call in episode.calls
            )
            if acted:
                work = episode if _is_finished(episode) else None
        if work is not None and work.edits:
            left[work.project] = work


def _is_short(text: str) -> bool:
    length = len(text) + 2 * len(_DENSE.findall(text))
    return 0 < length <= _LONGEST and text.count("\n") <= 3 and len(text.split()) <= _WORDS


def _is_finished(episode: Episode) -> bool:
    """Not interrupted; or interrupted when the edits were made and the person refused what should come after them."""
    if not episode.interrupted:
        return True
    last = episode.calls[-1] if episode.calls else None
    return last is not None and last.denied and last.command is not None and any(call.edits for call in episode.calls)


def _edits_source(call: Call) -> bool:
    return any(not DOCUMENT.search(edit.path) and not _NOTE.search(edit.path) for edit in call.edits)


def _steps(episode: Episode, work: Episode, tokens: Sequence[str]) -> tuple[str, ...]:
    """What the agent then did first and mainly; empty when it worked on the code as for any request."""
    before: list[str] = []
    ever: list[str] = []
    edited = False
    for call in episode.calls:
        if call.denied:
            continue
        edited = edited or _edits_source(call)
        if call.command is not None:
            steps = [step for command in commands(call.command) if (step := _step(command))]
            ever += steps
            before += steps if not edited else []
    # What is published without an edit was asked for; behind edits only what the words name.
    publishing = [step for step in before if step in PUBLISHING] if not episode.edits else []
    publishing += [step for step in ever if step in PUBLISHING and _mentions(tokens, step)]
    kind = _edited_kind(episode, work, tokens)
    if publishing or kind:
        return tuple(dict.fromkeys((*publishing, kind) if kind else publishing))
    if len(tokens) > _FEW_WORDS or all(token in _CONSENT for token in tokens):
        return ()
    named = [step for step in (ever if len(tokens) <= _VERY_FEW else before) if _mentions(tokens, step)]
    if named:
        return tuple(dict.fromkeys(named))
    # With edits behind it, a check that ran first may only have looked for the fault that the person reports.
    return tuple(before[:1]) if not episode.edits and len(tokens) <= _VERY_FEW else ()


def _step(command: ShellCommand) -> str:
    """The step that a command is; empty for what only prepares or shows."""
    if command.reads:
        return ""
    spoken = f"{command.program} {command.verb}"
    if command.program == "git" and not command.runner:
        if command.verb in ("commit", "push", "tag"):
            return command.verb
        if command.verb in ("checkout", "switch") and ("-b" in command.flags or "-c" in command.flags):
            return "branch"
        return "" if command.verb.partition(" ")[0] in _GIT_ASIDE or not command.verb else spoken
    if spoken in ("gh pr create", "glab mr create", "hub pull-request", "az repos pr"):
        return "pull request"
    if spoken in ("gh pr merge", "glab mr merge"):
        return "merge"
    if spoken in ("gh release create", "npm publish", "cargo publish", "twine upload", "uv publish"):
        return "release"
    if kind := check(command.name):
        return kind
    if command.program in _ASIDE and command.program != "gh":
        return ""
    if "/" in command.words[0] and not command.runner:
        return f"run {command.program}"
    return command.name if command.verb or command.task else ""


def _edited_kind(episode: Episode, work: Episode, tokens: Sequence[str]) -> str:
    """The one kind of files that the agent edited, or that it edited mainly and the words name; else empty."""
    edits = [edit for edit in episode.edits if not _NOTE.search(edit.path)]
    tests = [edit for edit in edits if TEST_FILE.search(edit.path)]
    added, removed = sum(len(edit.added) for edit in tests), sum(len(edit.removed) for edit in tests)
    # Tests that are rewritten were not missing.
    if added >= 4 and removed * 4 <= added:
        all_added = sum(len(edit.added) for edit in edits)
        if len(tests) == len(edits) or (added * 2 >= all_added and _mentions(tokens, TESTS)):
            return TESTS
    documents = [edit for edit in edits if DOCUMENT.search(edit.path)]
    names = {edit.path.rpartition("/")[2] for edit in edits}
    if len(names) == 1 and all(_PLAIN.search(edit.path) for edit in edits):
        return f"edit {names.pop()}"
    if {edit.path for edit in documents} & {edit.path for edit in work.edits}:
        return ""  # A document that is written again was not forgotten.
    if documents and len(documents) == len(edits) and any(_edits_source(call) for call in work.calls):
        return DOCS
    return DOCS if documents and _mentions(tokens[:_FEW_WORDS], DOCS) else ""


_ALIASES = {
    "test": ("test", "测试", "テス", "スト", "тест", "prueba", "테스"),
    "lint": ("lint", "ruff", "clippy"),
    "types": ("type", "tsc", "mypy", "pyright"),
    "format": ("format", "fmt", "prettier"),
    "build": ("build", "compil", "构建", "ビル", "빌드"),
    TESTS: ("test", "测试", "テス", "スト", "тест", "prueba", "테스", "spec"),
    DOCS: ("doc", "readme", "changelog", "文档", "ドキ", "文書", "док", "문서"),
    "pull request": ("pr", "pull"),
    "commit": ("commit", "提交", "コミ", "коммит", "커밋"),
    "push": ("push", "推送", "プッ", "пуш", "푸시"),
}
_WHOLE = frozenset({"pr"})
_SAME_WORDS = 0.6
_COMPLAINT = listed(
    "still wrong broken error errors fail fails failed failing failure bug crash crashes instead "
    "why what how which who where when immer noch falsch fehler kaputt warum wieso was wie "
    "toujours encore erreur pourquoi comment quoi todavía sigue error errores falla por qué ainda "
    "errado erro falha porque ancora errore perché ошибка почему как опять 错误 报错 为什么 怎么 エラー なぜ まだ "
    "오류 왜 undo revert back should rather actually doesn't didn't isn't can't cannot"
)
_CHECKS = frozenset({"test", "lint", "types", "format", "build"})
_SOON = timedelta(hours=12)


def _mentions(tokens: Sequence[str], step: str) -> bool:
    """Whether the words name the step: checks have the same names in most languages of people who write code."""
    parts = _ALIASES.get(step) or tuple(part for part in re.split(r"[^\w]+", step.casefold()) if len(part) > 2)
    return any(part == token if part in _WHOLE else part in token for token in tokens for part in parts)


def _learned(asked: list[_Asked]) -> list[_Asked]:
    """Turns without a step get the one that their words nearly always led to in other sessions."""
    by_token: dict[str, Counter[str]] = defaultdict(Counter)
    sessions: dict[tuple[str, str], set[str]] = defaultdict(set)
    for turn in asked:
        for token in _features(turn):
            by_token[token].update(turn.steps or ("",))
            for step in turn.steps:
                sessions[token, step].add(turn.episode.session)
    leads: dict[str, str] = {}
    for token, counts in by_token.items():
        led = Counter({step: count for step, count in counts.items() if step})
        if not led or token in _CONSENT or token in _NO:
            continue
        step, count = led.most_common(1)[0]
        known = sum(led.values())
        if len(sessions[token, step]) >= 3 and count >= 0.6 * known and known >= 0.4 * sum(counts.values()):
            leads[token] = step
    learned = []
    for turn in asked:
        steps = turn.steps
        words = [word for word in _features(turn) if word in leads]
        if words and not steps and not turn.episode.edits:
            step = leads[words[0]]
            # One word among others (`now`, `please`) names no step.
            telling = [token for token in turn.tokens if token not in _CONSENT]
            several = len(words) > 1 or 2 * sum(token in leads for token in telling) >= len(telling)
            if several or _mentions(turn.tokens, step):
                steps = (step,)
        learned.append(replace(turn, steps=steps))
    return learned


def _features(turn: _Asked) -> tuple[str, ...]:
    """The words of a short request and each two that follow one another."""
    if len(turn.tokens) > _FEW_WORDS * 2:
        return ()
    return tuple(dict.fromkeys((*turn.tokens, *(" ".join(pair) for pair in pairwise(turn.tokens)))))


def _by_words(asked: list[_Asked]) -> list[_Asked]:
    """Turns without a step get their words as one, where another session holds the same words or nearly the same."""
    forms: list[tuple[frozenset[str], str]] = []
    index: dict[str, list[int]] = defaultdict(list)
    named: list[_Asked] = []
    sessions: dict[str, set[str]] = defaultdict(set)
    for turn in asked:
        content = frozenset(token for token in turn.tokens if token not in _CONSENT)
        if turn.steps or len(content) < 2 or not _may_be_named(turn):
            named.append(turn)
            continue
        near = Counter(place for token in content for place in index[token][-64:])
        best = max(near, key=lambda place: near[place] / len(content | forms[place][0]), default=None)
        if best is None or near[best] / len(content | forms[best][0]) < _SAME_WORDS:
            best = len(forms)
            forms.append((content, turn.said))
            for token in content:
                index[token].append(best)
        named.append(replace(turn, steps=(forms[best][1],)))
        sessions[forms[best][1]].add(turn.episode.session)
    return [
        turn if not turn.steps or len(sessions.get(turn.steps[0], ("", ""))) >= 2 else replace(turn, steps=())
        for turn in named
    ]


def _may_be_named(turn: _Asked) -> bool:
    """Whether the words may be a request for more work: not an answer, a question or a complaint about the work."""
    if len(turn.tokens) > _FEW_WORDS or not turn.episode.calls or turn.work.answer.rstrip().endswith("?"):
        return False
    if any(token in _NO or token in _COMPLAINT for token in turn.tokens):
        return False
    written = {line for edit in turn.work.edits for line in edit.added}
    taken_out = [line for edit in turn.episode.edits for line in edit.removed]
    return sum(line in written for line in taken_out) * 4 <= len(taken_out)


def _tokens(text: str) -> tuple[str, ...]:
    """The words without case and compatibility forms; of scripts without spaces the pairs of characters."""
    found: list[str] = []
    for token in _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold().replace("’", "'")):
        dense = _DENSE.findall(token)
        if len(dense) > 2 and token not in _CONSENT:
            found += [a + b for a, b in pairwise(dense)]
        else:
            found.append(token)
    return tuple(found)


def _done_last(episode: Episode) -> set[str]:
    """The steps that the agent did by itself, behind its last edit of the code."""
    done: set[str] = set()
    paths: list[str] = []
    for call in episode.calls:
        if _edits_source(call):
            done.clear()
        paths += [edit.path for edit in call.edits]
        if call.command is not None and call.status is ToolStatus.OK:
            done.update(step for command in commands(call.command) if (step := _step(command)))
    if any(TEST_FILE.search(path) for path in paths):
        done.add(TESTS)
    if any(DOCUMENT.search(path) and not _NOTE.search(path) for path in paths):
        done.add(DOCS)
    return done


def _what_was_done(episode: Episode, step: str) -> str:
    names = [
        command.name
        for call in episode.calls
        if call.command is not None and not call.denied
        for command in commands(call.command)
        if _step(command) == step
    ]
    if names:
        return names[0]
    if step in (TESTS, DOCS):
        kind = TEST_FILE if step == TESTS else DOCUMENT
        return ", ".join(dict.fromkeys(edit.path for edit in episode.edits if kind.search(edit.path)))[:200]
    return ""
