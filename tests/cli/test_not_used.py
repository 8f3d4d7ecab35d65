"""What a reflection model proposed that could not be used: the night's report and `sleepd show` name it with the reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sleepd.core.ports import Ask, CallPurpose, Reply
from sleepd.simulate.agent import SimulatedModel
from sleepd.simulate.cast import persona
from tests.cli.command import configure, sleepd
from tests.stub.server import Stub

SETTINGS = """\
[harvest]
since = "all"
[embedder]
name = "hashed-tfidf"
[model]
name = "openai"
model = "stub"
base_url = "{url}/v1"
max_retries = 0
[night]
max_calls = 2000
[optimizer]
steps = 1
minibatch = 4
edit_budget = 2
schedule = "constant"
"""
NOWHERE = {"op": "delete", "anchor": "- Sing loudly.", "text": "", "reason": "nobody asked"}
EDITS = json.dumps(
    {"edits": [NOWHERE, {"text": "Name the moon."}, {"text": "Praise the rain."}, {"text": "Count clouds."}]}
)


def answer(system: str, prompt: str) -> str:
    """Works as the simulated agent does, and proposes a deletion of a rule that there is not."""
    if "You maintain a skill file" in system:
        return "The first, then the others." if '"order"' in system else EDITS
    outcome = SimulatedModel(persona("programmer"), seed=3).ask(
        Ask(purpose=CallPurpose.ROLLOUT, system=system, prompt=prompt)
    )
    return outcome.text if isinstance(outcome, Reply) else "ok"


@pytest.mark.slow
def test_what_could_not_be_used_is_shown_with_its_reason(lived_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edit without a place, and an order that cannot be read; neither ends the night."""
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    with Stub(answer=answer) as stub:
        configure(lived_in, SETTINGS.format(url=stub.url))
        ran = sleepd("run", "--json")
    assert 0 == ran.code, ran.err
    assert "done" == ran.json["status"]
    shown = sleepd("show", ran.json["id"]).out
    assert "not used: delete - Sing loudly.: the anchor matches no rules" in shown
    assert "not used: the order is by support, since the reflection model gave none" in shown
    assert not any("Sing loudly" in path.read_text(encoding="utf-8") for path in lived_in.rglob("SKILL.md"))
