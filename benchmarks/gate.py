"""How often the gate errs, beside the peer's own: the same simulated candidates and seeds in one run.

    python -m benchmarks.gate --date 2026-11-20 [--repetitions 2000] [--cache FOLDER]

Our side is the laboratory of `sleepd gate-lab`: the shipped gate in memory. The peer's side calls its own
`consolidate()`, as installed from the package index, with a backend whose tasks pass at the same rates, one candidate a
night. Prints Markdown; every figure has its 95 % interval. Deterministic for a seed.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import peer
from sleepd.app import config
from sleepd.app.lab import printed
from sleepd.app.lab.figures import Figure, mean, share
from sleepd.app.lab.lives import MEAN_070
from sleepd.app.lab.truth import kind
from sleepd.core.gate import Rule

TASKS = 13
NIGHTS = 14
DRAG_NIGHTS = 30
PEER_KINDS = ("none", "timeouts", "random", "-15")

_PEER = r"""
import json, random, sys
from skillopt_sleep.backend import Backend
from skillopt_sleep.consolidate import consolidate
from skillopt_sleep.types import EditRecord, TaskRecord

given = json.load(open(sys.argv[1]))

class Simulated(Backend):
    name = "simulated"

    def __init__(self, chance, judge):
        self.chance, self.random_judge = chance, judge == "random"
        self.before = self.after = self.step = None
        self.line = ""

    def rate(self, number, skill):
        if self.step is not None:
            adopted = skill.count("edit number ")
            return min(1.0, max(0.0, self.before[number] + self.step * adopted))
        return self.after[number] if self.line in skill else self.before[number]

    def attempt(self, task, skill, memory, sample_id=0):
        number = int(task.id.rsplit("-", 1)[1])
        return "pass" if self.chance.random() < self.rate(number, skill) else ""

    def judge(self, task, response):
        if self.random_judge:
            score = self.chance.random()
            return score, score, ""
        score = 1.0 if response == "pass" else 0.0
        return score, score, ""

    def reflect(self, failures, successes, skill, memory, *, edit_budget, evolve_skill, evolve_memory):
        return [EditRecord(target="skill", op="add", content=self.line)] if evolve_skill else []

def tasks(count):
    made = [TaskRecord(id="val-%d" % n, project="p", intent="task %d" % n, split="val") for n in range(count)]
    return made + [TaskRecord(id="train-0", project="p", intent="task to learn from", split="train")]

out = []
for number, life in enumerate(given["lives"]):
    backend = Simulated(random.Random(given["seed"] * 1000003 + number), given["judge"])
    backend.step = given.get("step")
    skill, adopted = "# Skill\n", []
    for night, rates in enumerate(life, 1):
        if backend.step is None or night == 1:
            backend.before, backend.after = rates["before"], rates["after"]
        backend.line = "edit number %d says so" % night
        done = consolidate(backend, tasks(len(rates["before"])), skill, "", night=night, evolve_memory=False)
        adopted.append(bool(done.accepted))
        skill = done.new_skill if backend.step is not None else "# Skill\n"
    live = [backend.rate(n, skill) for n in range(len(backend.before))]
    out.append({"adopted": adopted, "rate": sum(live) / len(live)})
print(json.dumps(out))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nights:
    """What the peer did over the nights of many users."""

    per_night: Figure
    ever: Figure
    rate: Figure
    """True pass rate in the end."""


def peers(there: peer.Peer, key: str, repetitions: int, seed: int) -> Nights:
    """`consolidate()` over fourteen nights with candidates of one kind, or thirty with -1-point edits ("drag")."""
    rng = np.random.default_rng([seed, 77])
    lives = [_drag(rng) if key == "drag" else _life(rng, key) for _ in range(repetitions)]
    given = {"lives": lives, "seed": seed, "judge": key, **({"step": -0.01} if key == "drag" else {})}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(given, file)
        file.flush()
        done = there.run(_PEER, file.name)
    if done.status:
        raise SystemExit(f"the peer ended with status {done.status}")
    told = json.loads(done.stdout)
    return Nights(
        per_night=share([adopted for life in told for adopted in life["adopted"]]),
        ever=share([any(life["adopted"]) for life in told]),
        rate=mean([life["rate"] for life in told]),
    )


def _life(rng: np.random.Generator, key: str) -> list[dict[str, list[float]]]:
    made = [kind(key).make(rng, TASKS) for _ in range(NIGHTS)]
    return [{"before": rates.before.tolist(), "after": rates.after.tolist()} for rates in made]


def _drag(rng: np.random.Generator) -> list[dict[str, list[float]]]:
    live = rng.beta(*MEAN_070, TASKS)
    live += 0.70 - live.mean()
    return [{"before": live.tolist(), "after": live.tolist()}] * DRAG_NIGHTS


def shown(figure: Figure | None, *, percent: bool = True) -> str:
    if figure is None:
        return "–"
    if percent:
        return f"{figure.value:.1%} [{figure.low:.1%}, {figure.high:.1%}]"
    return f"{figure.value:.2f} [{figure.low:.2f}, {figure.high:.2f}]"


def rows(measured: printed.Measured, nights: dict[str, Nights]) -> Sequence[tuple[str, str, str, str]]:
    """(what, the peer, ours, the target), all formatted."""
    line = {one.key: one.figure for one in measured.lines}
    first = {one.kind: one for one in measured.rows if one.index == 1}
    per_night = {key: shown(n.per_night) for key, n in nights.items()}
    ratios = [shown(first[key].ratio, percent=False) for key in ("+10", "+20", "+30", "+50", "house-rule")]
    return (
        ("edit without effect adopted, any time in 14 nights", f"{shown(nights['none'].ever)}; per night "
         f"{per_night['none']}", shown(line["fortnight none"]), "≤ 5 %"),
        ("harmful (-15) adopted, any time in 14 nights", f"{shown(nights['-15'].ever)}; per night {per_night['-15']}",
         shown(line["fortnight -15"]), "≤ 0.5 %"),
        ("null candidate whose failures become timeouts, 14 nights", f"{shown(nights['timeouts'].ever)}; scored as 0",
         shown(line["fortnight timeouts"]), "≤ 5 %"),
        ("30 nights of -1-point edits: true pass rate from 0.70", shown(nights["drag"].rate, percent=False),
         shown(line["drag"], percent=False), "≥ 0.69"),
        ("random judge, any time in 14 nights", f"{shown(nights['random'].ever)}; per night {per_night['random']}",
         shown(line["fortnight random"]), "≤ 5 %"),
        ("+20 aimed, first candidate: adopted within 5 nights", "–", shown(first["+20"].within_nights), "≥ 95 %"),
        ("house rule, first candidate: pairs until crossing", "–", shown(first["house-rule"].pairs, percent=False),
         "≤ 15"),
        ("house rule that breaks one task: missed after confirmation", "–", shown(first["breaks-one"].accepted),
         "≤ 5 %"),
        ("mean pairs / N* at +10, +20, +30, +50, house rule", "–", ", ".join(ratios), "≤ 1.5 each"),
        ("candidate without effect: mean pairs until rejected", "–", shown(first["none"].pairs, percent=False),
         "≤ 100"),
        ("life of 60 candidates, a fifth good: lives with a false adoption", "–", shown(line["life"]), "≤ 5 %"),
        ("… good ones found", "–", shown(line["life found"]), "≥ 95 %"),
        ("tasks sampled, effect sd .2: adoptions whose population effect ≤ 0", "–", shown(line["population 0.2"]),
         "reported"),
        ("tasks sampled, effect sd .3: adoptions whose population effect ≤ 0", "–", shown(line["population 0.3"]),
         "reported"),
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--date", required=True)
    parser.add_argument("--repetitions", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cache", type=Path, default=None)
    chosen = parser.parse_args()
    there = peer.install(chosen.cache)
    nights = {key: peers(there, key, chosen.repetitions, chosen.seed) for key in (*PEER_KINDS, "drag")}
    setup, alpha = printed.setup(config.load(), Rule.EVIDENCE, tasks=TASKS, pairs=40)
    measured = printed.measure(setup, alpha, chosen.repetitions, chosen.seed, lambda _done, _of: None)
    print(f"{chosen.date}, {chosen.repetitions} repetitions, seed {chosen.seed}; level of the first candidate")
    print(f"\n| what | skillopt {there.version} | **sleepd** | target |\n|---|---|---|---|")
    for what, theirs, ours, target in rows(measured, nights):
        print(f"| {what} | {theirs} | **{ours}** | {target} |")


if __name__ == "__main__":
    main()
