"""Recorded replies of a model: which prompt, which reply, when and how it was made.

    python -m tests.recorded write FOLDER    # puts the prompts of the made-up history into FOLDER, as `handoff` does
    python -m tests.recorded keep FOLDER DAY "who answered, and how"    # makes cassettes of the answers there

A cassette belongs to one prompt, letter by letter. When a prompt's words change, its cassette has to be made anew: a
reply to other words says nothing about these.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from sleepd.core.act_reading import shown
from sleepd.core.model import digest
from sleepd.core.ports import Ask, Failure, Reply
from sleepd.models.handoff import Handoff
from sleepd.pipeline.read_acts import act_asks
from sleepd.pipeline.read_lessons import lesson_prompts
from tests.made_up import history

CASSETTES = Path(__file__).parent / "cassettes"
KEY = "handoff:recorded"


class RecordedModel:
    """Gives the recorded reply to a prompt. A prompt without one is a mistake of the test, and says so."""

    @property
    def key(self) -> str:
        return KEY

    def ask(self, ask: Ask) -> Reply | Failure:
        """The reply on the cassette. Raises `LookupError` where there is none."""
        path = CASSETTES / f"{address(ask)}.json"
        if not path.exists():
            raise LookupError(
                f"no cassette for this prompt ({path.name}): its words changed. Make one: python -m tests.recorded"
            )
        return Reply(text=json.loads(path.read_text(encoding="utf-8"))["reply"])


def address(ask: Ask) -> str:
    return digest(ask.system, ask.prompt)[:20]


def prompts() -> dict[str, Ask]:
    """The prompts about the made-up history, by what they ask for."""
    known = history()
    turns = [turn for session in known.sessions for turn in shown([one.episode for one in session])]
    acts = act_asks(turns, {})
    lessons = lesson_prompts(known.sessions, {}, 30_000)
    named = {f"acts {number}": ask for number, ask in enumerate(acts, start=1)}
    return named | {f"lessons {number}": ask for number, ask in enumerate(lessons.asks, start=1)}


def main() -> None:
    what, folder = sys.argv[1], Path(sys.argv[2])
    model = Handoff(folder, key=KEY)
    for name, ask in prompts().items():
        outcome = model.ask(ask)
        if what == "write" or isinstance(outcome, Failure):
            sys.stdout.write(f"{name} {'waits' if isinstance(outcome, Failure) else 'is answered'}\n")
            continue
        cassette = {
            "about": name,
            "made": sys.argv[3],
            "how": sys.argv[4],
            "history": "tests/made_up.py",
            "reply": outcome.text,
        }
        path = CASSETTES / f"{address(ask)}.json"
        path.write_text(json.dumps(cassette, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        sys.stdout.write(f"{name} kept as {path.name}\n")


if __name__ == "__main__":
    main()
