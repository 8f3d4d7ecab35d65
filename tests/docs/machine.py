"""A machine as a newcomer's: a home with some weeks of agents' transcripts, and a provider that answers on 127.0.0.1."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from importlib import resources
from pathlib import Path

from sleepd.core.ports import Ask, CallPurpose, Reply
from sleepd.simulate.agent import SimulatedModel
from sleepd.simulate.cast import persona
from sleepd.simulate.life import Days, live
from sleepd.simulate.transcripts import write

PERSON = "programmer"
_TELLING = 80
"""Characters by which our prompts differ from one another."""


def with_history(home: Path, until: datetime, *, sessions: int, seed: int = 1) -> Path:
    """Write `sessions` transcripts, three hours apart, the last one before `until`; the project they ran in."""
    who = persona(PERSON)
    project = home / who.project
    project.mkdir(parents=True)
    start = until - timedelta(hours=3 * (sessions + 1))
    for session in live(who, Days(seed=seed, start=start, sessions=sessions, poisoned=False)):
        write(session, home, project)
    return project


def provider(seed: int = 1) -> Callable[[str, str], str]:
    """What the stub server answers: the person's agent, drawing anew each time it is asked the same."""
    model = SimulatedModel(persona(PERSON), seed=seed)
    asked: Counter[tuple[str, str]] = Counter()
    lock = threading.Lock()

    def answer(system: str, prompt: str) -> str:
        with lock:
            asked[system, prompt] += 1
            sample = asked[system, prompt]
        reply = model.ask(Ask(purpose=purpose_of(system), system=system, prompt=prompt, sample=sample))
        assert isinstance(reply, Reply)
        return reply.text

    return answer


def purpose_of(system: str) -> CallPurpose:
    """What a call is for, by how our own prompt begins; whatever is neither work nor loading reflects."""
    for purpose in (CallPurpose.ROLLOUT, CallPurpose.TRIGGER):
        template = resources.files("sleepd.core") / "prompts" / f"{purpose}.md"
        if system.startswith(template.read_text(encoding="utf-8")[:_TELLING]):
            return purpose
    return CallPurpose.REFLECT if system else CallPurpose.PREFLIGHT
