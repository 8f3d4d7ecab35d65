"""How often the gate errs, beside the peer's own: the same simulated candidates and seeds in one run.

    python -m benchmarks.gate --date 2026-11-20 [--repetitions 2000] [--cache FOLDER]

Our side is the laboratory of `sleepd gate-lab`: the shipped gate in memory. The peer's side calls its own
`consolidate()` with its defaults, as installed from the package index. What a model would answer is drawn by chance, at
the same pass rates; prompts, parsing, exact references, judging and the cache are the peer's own. Prints Markdown;
every figure has its 95 % interval. Deterministic for a seed.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import peer
from sleepd.core.experiment import VerdictRule
from sleepd.lab.gate import figures as lab
from sleepd.lab.gate import printed
from sleepd.lab.gate.figures import Figure, Line, mean, share
from sleepd.lab.gate.lives import MEAN_070
from sleepd.lab.gate.truth import kind
from sleepd.settings import config

TASKS = 13
NIGHTS = 14
DRAG_NIGHTS = 30
FORTNIGHTS = {
    "none": ("edit without effect", 0.05),
    "-15": ("harmful edit (-15)", 0.005),
    "timeouts": ("null candidate whose failures become timeouts", 0.05),
    "random": ("random judge", 0.05),
}
"""What is offered for fourteen nights, and how often it may be adopted."""
PEER_KINDS = ("none", "-15", "random", "drag")

Life = list[dict[str, list[float]]]
"""For each night, the tasks' pass rates before (`before`) and what each edit adds to them (`step`)."""

_PEER = r"""
import json, random, re, sys
from skillopt_sleep.backend import CliBackend
from skillopt_sleep.consolidate import consolidate
from skillopt_sleep.types import TaskRecord

given = json.load(open(sys.argv[1]))
EDIT, TASK = re.compile("edit number [0-9]+ "), re.compile(r"^task (\d+) of the set$", re.M)

class Simulated(CliBackend):
    # The peer's own prompts, parsing, judging and cache; what a model would answer is drawn here.

    def __init__(self, chance, before, step):
        super().__init__()
        self.chance, self.before, self.step, self.asked = chance, before, step, 0

    def _call(self, prompt, *, max_tokens=1024):
        self.asked += 1
        if prompt.startswith("Score how well"):
            return json.dumps({"score": self.chance.random()})
        found = TASK.search(prompt)
        if prompt.startswith("You are"):
            line = "edit number %d says so" % self.asked
            return json.dumps([{"op": "add", "content": line}])
        number = int(found[1])
        if number >= len(self.before):
            return "wrong"  # the train task always fails, so that there is something to learn from every night
        right = self.chance.random() < self.rate(number, prompt)
        return "%s %d" % ("correct" if right else "wrong", self.asked)

    def rate(self, number, texts):
        return min(1.0, max(0.0, self.before[number] + len(set(EDIT.findall(texts))) * self.step[number]))

def tasks(count):
    judged = dict(reference_kind="rubric") if given["random"] else dict(reference_kind="exact", reference="correct")
    made = [TaskRecord(id="t%d" % n, project="p", intent="task %d of the set" % n, split="val", **judged)
            for n in range(count)]
    learnt = TaskRecord(id="l", project="p", intent="task %d of the set" % count, split="train",
                        reference_kind="exact", reference="correct")
    return [*made, learnt]

out = []
for number, life in enumerate(given["lives"]):
    chance = random.Random(given["seed"] * 1000003 + number)
    skill = memory = ""
    adopted, asked = [], 0
    for night, rates in enumerate(life, 1):
        # A process of its own each night, so the cache lives for one night.
        backend = Simulated(chance, rates["before"], rates["step"])
        backend.asked = 1000 * night
        done = consolidate(backend, tasks(len(rates["before"])), skill, memory, night=night,
                           evolve_memory=given["memory"])
        adopted.append(bool(done.accepted))
        asked += backend.asked - 1000 * night
        if given["keeps"]:
            skill, memory = done.new_skill, done.new_memory
    live = [backend.rate(n, skill + memory) for n in range(len(backend.before))]
    out.append({"adopted": adopted, "rate": sum(live) / len(live), "calls": asked / len(life)})
print(json.dumps(out))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nights:
    """What the peer did over the nights of many users."""

    per_night: Figure
    ever: Figure
    rate: Figure
    """True pass rate in the end."""
    calls: Figure
    """Model calls of one night, the peer's cache being in force."""


def peers(there: peer.Peer, key: str, asked: tuple[int, int], *, memory: bool = True) -> Nights:
    """`consolidate()` over fourteen nights with edits of one kind, or thirty with -1-point edits ("drag").

    `asked` are the repetitions and the seed. With `memory`, its default, a night offers one edit of the skill and one
    of the memory file. Each night of the fourteen begins with texts that no edit was added to.
    """
    repetitions, seed = asked
    rng = np.random.default_rng([seed, 77])
    lives = [_drag(rng) if key == "drag" else _life(rng, key) for _ in range(repetitions)]
    given = {"seed": seed, "random": key == "random", "memory": memory, "keeps": key == "drag"}
    return ended(there, lives, given)


def ended(there: peer.Peer, lives: Sequence[Life], given: Mapping[str, object]) -> Nights:
    """What `consolidate()` made of these lives."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"random": False, "memory": True, "keeps": False, **given, "lives": lives}, file)
        file.flush()
        done = there.run(_PEER, file.name)
    if done.status:
        raise SystemExit(f"the peer ended with status {done.status}")
    told = json.loads(done.stdout)
    return Nights(
        per_night=share([adopted for life in told for adopted in life["adopted"]]),
        ever=share([any(life["adopted"]) for life in told]),
        rate=mean([life["rate"] for life in told]),
        calls=mean([life["calls"] for life in told]),
    )


def _life(rng: np.random.Generator, key: str) -> Life:
    made = [kind(key).make(rng, TASKS) for _ in range(NIGHTS)]
    return [{"before": rates.before.tolist(), "step": (rates.after - rates.before).tolist()} for rates in made]


def _drag(rng: np.random.Generator) -> Life:
    live = rng.beta(*MEAN_070, TASKS)
    live += 0.70 - live.mean()
    return [{"before": live.tolist(), "step": [-0.01] * TASKS}] * DRAG_NIGHTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table."""

    what: str
    effect: float | None
    """Realised mean effect of what was offered."""
    theirs: str
    ours: tuple[Figure, ...]
    unit: str = "%"
    beside: str = ""
    """What else is to be known about our figure."""
    most: float | None = None
    """What the interval's upper end must not pass."""
    least: float | None = None
    """What the interval's lower end must reach."""

    @property
    def target(self) -> str:
        bound = self.most if self.most is not None else self.least
        if bound is None:
            return "reported"
        written = f"{100 * bound:g} %" if self.unit == "%" else f"{bound:g}"
        return f"{'≤' if self.most is not None else '≥'} {written}{' each' if len(self.ours) > 1 else ''}"

    @property
    def verdict(self) -> str:
        """Whether the bound of the interval meets the target."""
        if self.most is not None:
            return "yes" if all(one.high <= self.most for one in self.ours) else "**no**"
        if self.least is not None:
            return "yes" if all(one.low >= self.least for one in self.ours) else "**no**"
        return "–"

    def markdown(self) -> str:
        effect = f"{self.effect:+.3f}" if self.effect is not None else "–"
        ours = ", ".join(shown(one, self.unit) for one in self.ours)
        beside = f"; {self.beside}" if self.beside else ""
        return f"| {self.what} | {effect} | {self.theirs} | **{ours}**{beside} | {self.target} | {self.verdict} |"


def shown(figure: Figure, unit: str = "%") -> str:
    if unit == "%":
        return f"{figure.value:.1%} [{figure.low:.1%}, {figure.high:.1%}]"
    digits = 3 if unit == "rate" else 2 if unit == "ratio" else 1
    value, low, high = (f"{one:.{digits}f}" for one in (figure.value, figure.low, figure.high))
    return f"{value} [{low}, {high}]"


def rows(measured: printed.Measured, nights: dict[str, Nights]) -> tuple[Row, ...]:
    """The table, in the order of the promises."""
    line = {one.key: one for one in measured.lines}
    first = {one.kind: one for one in measured.rows if one.index == 1}
    return (
        *(_fortnight(key, line[f"fortnight {key}"], nights) for key in FORTNIGHTS),
        Row(
            what="30 nights of -1-point edits: true pass rate, from 0.70",
            effect=-0.01,
            theirs=f"{shown(nights['drag'].rate, 'rate')}; {shown(nights['drag'].per_night)} of nights",
            ours=(line["drag"].figure,),
            unit="rate",
            least=0.69,
        ),
        *_candidates(first),
        _line("life of 60 candidates, a fifth +20: lives with a false adoption", line["life"], most=0.05),
        _line("… good ones found", line["life found"], least=0.95),
        *(
            _line(f"tasks sampled, effect sd {sd}: adoptions whose population effect ≤ 0", line[f"population {sd}"])
            for sd in ("0.2", "0.3")
        ),
        *(_line(line[key].words, line[key]) for key in line if key.startswith(("rides", "shorter"))),
        *(_line(line[key].words, line[key], most=0.05) for key in line if key.startswith("drifting")),
        *(_line(line[key].words, line[key]) for key in line if key.startswith("alarm")),
    )


def _fortnight(key: str, line: Line, nights: dict[str, Nights]) -> Row:
    what, most = FORTNIGHTS[key]
    # A timeout is a score of 0 to the peer: the same draws as those of an edit without effect.
    theirs = nights["none" if key == "timeouts" else key]
    return Row(
        what=f"{what}: adopted at any time in 14 nights",
        effect=line.effect,
        theirs=f"{shown(theirs.per_night)} per night, {shown(theirs.ever)} ever; {theirs.calls.value:.0f} calls each",
        ours=(line.figure,),
        most=most,
    )


def _candidates(first: dict[str, lab.Row]) -> Iterator[Row]:
    """What the first candidate of an account meets with."""
    aimed, rule, breaks, none = (first[key] for key in ("+20", "house-rule", "breaks-one", "none"))
    yield Row(
        what="+20 aimed, first candidate: adopted within 5 nights",
        effect=aimed.effect,
        theirs="–",
        ours=(aimed.within_nights,),
        beside=_pairs(aimed),
        least=0.95,
    )
    yield Row(
        what="house rule, first candidate: pairs until crossing",
        effect=rule.effect,
        theirs="–",
        ours=(rule.pairs,),
        unit="pairs",
        beside=f"{shown(rule.rollouts, 'pairs')} rollouts with the look at each task",
        most=15,
    )
    yield Row(
        what="house rule that breaks one task: missed after confirmation",
        effect=breaks.effect,
        theirs="–",
        ours=(breaks.accepted,),
        beside=_pairs(breaks),
        most=0.05,
    )
    ratios = [first[key].ratio for key in ("+10", "+20", "+30", "+50", "house-rule")]
    yield Row(
        what="mean pairs / N* at +10, +20, +30, +50, house rule",
        effect=None,
        theirs="–",
        ours=tuple(one for one in ratios if one is not None),
        unit="ratio",
        most=1.5,
    )
    yield Row(
        what="candidate without effect: mean pairs until rejected",
        effect=none.effect,
        theirs="–",
        ours=(none.pairs,),
        unit="pairs",
        beside=f"{shown(none.rollouts, 'pairs')} rollouts",
        most=100,
    )


def _line(what: str, line: Line, *, most: float | None = None, least: float | None = None) -> Row:
    return Row(what=what, effect=line.effect, theirs="–", ours=(line.figure,), most=most, least=least)


def _pairs(row: lab.Row) -> str:
    return f"{shown(row.pairs, 'pairs')} pairs, {shown(row.rollouts, 'pairs')} rollouts"


def middling(there: peer.Peer, asked: tuple[int, int]) -> Iterator[str]:
    """The peer in other conditions, so that nobody thinks that one set of pass rates was picked for it."""
    for tasks in (5, TASKS):
        for gain in (0.0, -0.15):
            made = [{"before": [0.5] * tasks, "step": [gain] * tasks}] * NIGHTS
            done = ended(there, [made] * asked[0], {"seed": asked[1]})
            yield f"{tasks} tasks that all pass half the time, effect {gain:+.2f}: {shown(done.per_night)} per night"
    for key in ("none", "-15"):
        done = peers(there, key, asked, memory=False)
        yield f"{TASKS} tasks as in the table, {key}, the skill file only: {shown(done.per_night)} per night"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--date", required=True)
    parser.add_argument("--repetitions", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cache", type=Path, default=None)
    chosen = parser.parse_args()
    there = peer.install(chosen.cache)
    asked = (chosen.repetitions, chosen.seed)
    with ThreadPoolExecutor(2) as executor:  # each call waits for a process of the peer's
        nights = dict(zip(PEER_KINDS, executor.map(lambda key: peers(there, key, asked), PEER_KINDS), strict=True))
    setup, alpha = printed.setup(config.load(), VerdictRule.EVIDENCE, tasks=TASKS, pairs=40)
    measured = printed.measure(setup, alpha, *asked, lambda _done, _of: None)
    print(f"{chosen.date}, {asked[0]:,} repetitions, seed {asked[1]}; {TASKS} tasks, 40 pairs a night, ", end="")
    print(f"{setup.baseline_samples} baseline rollouts a pair; the first candidate needs evidence of ", end="")
    print(f"{1 / measured.rows[0].alpha:.0f}, later ones what their place in the account asks for\n")
    print(f"| what | realised effect | skillopt {there.version} | **sleepd** | target | met by the bound |")
    print("|---|---:|---|---|---|---|")
    for row in rows(measured, nights):
        print(row.markdown())
    few = (max(20, chosen.repetitions // 10), chosen.seed)
    print(f"\nskillopt in other conditions ({few[0]} repetitions)\n")
    for words in middling(there, few):
        print(f"* {words}")


if __name__ == "__main__":
    main()
