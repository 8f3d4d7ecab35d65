"""A VS Code chat session out of its state: requests become prompts and replies."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from harvesters import vscode_parts as parts
from harvesters.drafts import CallDraft, TurnDraft, freeze_turns
from harvesters.records import Origin, Role, Session, SessionKind, SkillTrigger, SkillUse, Tokens
from harvesters.values import flag, integer, mapping, moment, sequence, text

State = dict[str, Any]
_NO_MODEL = ("auto", "copilot/auto")
CANCELLED = 2
"""`modelState` of a request that the user stopped."""


class Conversation:
    """Gathers the turns of one session."""

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self.turns: list[TurnDraft] = []
        self.skills: list[SkillUse] = []
        self.votes: dict[str, int] = {}
        self.models: list[str] = []
        self.tokens = Tokens()
        self.times: list[datetime] = []
        self._ids: set[str] = set()
        self._call_ids: set[str] = set()

    def take(self, index: int, request: State) -> None:
        """Take in one request with its reply."""
        identifier = text(request, "requestId") or f"{self.session_id}:{index}"
        undone = flag(request, "isHidden") is True or flag(request, "shouldBeRemovedOnSend") is True
        first = len(self.turns)
        self._prompt(identifier, request, undone)
        self._reply(text(request, "responseId") or f"{identifier}/reply", request)
        code = text(mapping(mapping(request, "result"), "errorDetails"), "code")
        stopped = integer(mapping(request, "modelState"), "value") == CANCELLED
        if stopped or flag(request, "isCanceled") is True or code == "canceled":
            self._add(f"{identifier}/interrupt", Role.USER, Origin.INTERRUPT, _finished(request))
        for turn in self.turns[first:]:
            turn.abandoned = undone
        # A vote is for the whole reply; it goes to the turn with its final words.
        vote = integer(request, "vote")
        replies = [turn for turn in self.turns[first:] if turn.origin is Origin.REPLY and turn.worth_telling]
        if vote in (0, 1) and replies:
            self.votes[replies[-1].id] = 1 if vote == 1 else -1
        model = _model(request)
        if model and model not in self.models:
            self.models.append(model)
        spent = _usage(request)
        self.tokens += spent
        if replies:
            # A request states its tokens once, for all that the agent said and did.
            replies[-1].tokens = spent
        completed = mapping(request, "modelState").get("completedAt")
        told = (request.get("timestamp"), request.get("responseTimestamp"), completed)
        self.times.extend(at for at in map(moment, told) if at is not None)

    def session(self, state: State, cwd: str | None, limit: int) -> Session | None:
        """The session, or None when it holds no turn."""
        turns = freeze_turns(self.turns, limit)
        if not turns:
            return None
        created = moment(state.get("creationDate"))
        return Session(
            agent="copilot-vscode",
            id=self.session_id,
            kind=SessionKind.INTERACTIVE,
            cwd=parts.path_of(state.get("workingDirectory")) or cwd,
            title=text(state, "customTitle") or text(state, "computedTitle"),
            started_at=min(self.times, default=created),
            ended_at=max(self.times, default=created),
            models=tuple(self.models),
            skills=tuple(self.skills),
            tokens=self.tokens,
            votes=self.votes,
            turns=turns,
        )

    def _prompt(self, identifier: str, request: State, undone: bool) -> None:
        message = request.get("message")
        words = message if isinstance(message, str) else text(message, "text")
        if not words or not words.strip():
            return
        by_client = flag(request, "isSystemInitiated") is True or undone
        origin = Origin.INJECTED if by_client else Origin.PROMPT
        self._add(identifier, Role.USER, origin, moment(request.get("timestamp"))).text = words.strip()

    def _reply(self, identifier: str, request: State) -> None:
        """One turn up to each run of tool calls, so that the last one holds the final words."""
        metadata = mapping(mapping(request, "result"), "metadata")
        rounds, results = parts.rounds_of(metadata), parts.results_of(metadata)
        at, model, number = _finished(request), _model(request), 0
        turn = self._answer(identifier, at, model)
        for part in _parts(request.get("response")):
            words = parts.words_of(part)
            if words is not None:
                if turn.calls and words.strip():
                    number += 1
                    turn = self._answer(f"{identifier}#{number}", at, model)
                turn.text += words if words.strip() or (turn.text and not turn.calls) else ""
                continue
            call = parts.call_of(part, rounds, results)
            if call is not None:
                for name, path in parts.skills_in(part, rounds.get(call.id, {})):
                    use = SkillUse(name=name, path=path, trigger=SkillTrigger.AGENT, position=len(self.turns) - 1)
                    self.skills.append(use)
                self._attach(turn, call)
        if not turn.calls and number == 0:
            for call in parts.calls_of_rounds(rounds, results):
                self._attach(turn, call)

    def _attach(self, turn: TurnDraft, call: CallDraft) -> None:
        if not call.id or call.id in self._call_ids:
            call.id = f"{call.id or turn.id}@{len(self._call_ids)}"  # a copied request, or a part without an id
        self._call_ids.add(call.id)
        turn.calls.append(call)

    def _answer(self, identifier: str, at: datetime | None, model: str | None) -> TurnDraft:
        turn = self._add(identifier, Role.ASSISTANT, Origin.REPLY, at)
        turn.model = model
        return turn

    def _add(self, identifier: str, role: Role, origin: Origin, at: datetime | None) -> TurnDraft:
        if identifier in self._ids:
            identifier = f"{identifier}@{len(self.turns)}"  # a copied request: ids are unique in a session
        self._ids.add(identifier)
        turn = TurnDraft(id=identifier, position=len(self.turns), role=role, origin=origin, at=at)
        self.turns.append(turn)
        return turn


def session_of(state: State, fallback_id: str, cwd: str | None, limit: int) -> Session | None:
    """The session that a state holds; None when it has no turn."""
    conversation = Conversation(text(state, "sessionId") or fallback_id)
    for index, request in enumerate(sequence(state, "requests")):
        if isinstance(request, dict):
            conversation.take(index, request)
    return conversation.session(state, cwd, limit)


def _parts(response: object) -> list[object]:
    if isinstance(response, list):
        return response
    return [response] if isinstance(response, str | dict) else []


def _finished(request: State) -> datetime | None:
    completed = moment(mapping(request, "modelState").get("completedAt"))
    return completed or moment(request.get("responseTimestamp")) or moment(request.get("timestamp"))


def _model(request: State) -> str | None:
    for part in _parts(request.get("response")):
        if text(part, "kind") == "autoModeResolution":
            chosen = text(mapping(part, "resolved"), "id")
            if chosen:
                return chosen
    asked_for = text(request, "modelId")
    resolved = text(mapping(mapping(request, "result"), "metadata"), "resolvedModel")
    return resolved or (None if asked_for in _NO_MODEL else asked_for)


def _usage(request: State) -> Tokens:
    """What one request cost, from the first place that says so. Cached input is not told apart."""
    result = mapping(request, "result")
    places = (
        (request, "promptTokens", "completionTokens"),
        (mapping(result, "metadata"), "promptTokens", "outputTokens"),
        (mapping(result, "usage"), "promptTokens", "completionTokens"),
        (mapping(result, "usage"), "prompt_tokens", "completion_tokens"),
    )
    for place, asked, answered in places:
        prompt, reply = integer(place, asked), integer(place, answered)
        if prompt is not None or reply is not None:
            return Tokens(input=prompt or 0, output=reply or 0)
    return Tokens()
