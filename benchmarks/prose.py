"""The words of a made-up corpus: code, logs, diffs and prompts, ready to stand inside a JSON string."""

# Whole lines of tool output as templates.
# ruff: noqa: E501

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

NOUNS = (
    "parser cursor ledger invoice session router column widget tenant report filter chart schema worker buffer index".split()  # noqa: SIM905
)
VERBS = "read write merge split render check load close scan sort parse draw fetch trim map fold".split()  # noqa: SIM905
PROMPTS = (
    "Fix the failing {0} test.\n\nIt fails only on the second run:\n- the {1} is not reset\n- the {2} keeps its old value",
    "Write the release notes for the {0}.\nShort sentences, no marketing.\nMention the {1} and who has to migrate.",
    "{3} the {0} before the {1} is opened, and add a test for an empty {2}.",
    "No, not like that: keep the {0} as it was and change only the {1}.",
    "Раздели {0} на части и проверь {1}.",
)
START = datetime(2026, 9, 1, 6, 0, tzinfo=UTC)


def _code(rng: random.Random) -> str:
    a, b, c = rng.sample(NOUNS, 3)
    v = rng.choice(VERBS)
    return (
        f"def {v}_{a}({b}: {b.title()}, *, {c}_limit: int = {rng.randrange(9999)}) -> {a.title()} | None:\n"
        f'    """{v.title()} the {a} of one {b}; None when there is no {c}."""\n'
        f"    {c} = {b}.{c}s[{rng.randrange(90)}] if {b}.{c}s else None\n"
        f'    if {c} is None or {c}.state == "closed":\n        return None\n'
        f"    for position, {a} in enumerate({c}.{a}s, start={rng.randrange(9)}):\n"
        f"        if {a}.key in {b}.seen and position > {c}_limit:\n            {b}.{v}({a}, {c})\n    return {c}.{a}\n\n\n"
    )


def _log(rng: random.Random) -> str:
    at = START + timedelta(seconds=rng.randrange(9_000_000))
    lines = []
    for _ in range(8):
        at += timedelta(milliseconds=rng.randrange(9_000))
        noun, verb = rng.choice(NOUNS), rng.choice(VERBS)
        lines.append(
            f"{at:%Y-%m-%d %H:%M:%S},{rng.randrange(1000):03} {rng.choice(('INFO', 'DEBUG', 'WARNING'))} app.{noun}: "
            f"{verb} of {noun} {rng.getrandbits(48):012x} took {rng.randrange(4000)} ms (attempt {rng.randrange(5)})\n"
        )
    return "".join(lines)


def _diff(rng: random.Random) -> str:
    a, b = rng.sample(NOUNS, 2)
    line = rng.randrange(900)
    return (
        f"diff --git a/src/{a}/{b}.py b/src/{a}/{b}.py\nindex {rng.getrandbits(28):07x}..{rng.getrandbits(28):07x} 100644\n"
        f"--- a/src/{a}/{b}.py\n+++ b/src/{a}/{b}.py\n@@ -{line},6 +{line},8 @@ class {a.title()}:\n"
        f"     def close(self) -> None:\n-        self.{b}.close()\n+        if self.{b} is not None:\n"
        f"+            self.{b}.close()\n+        self.{b} = None\n     \n"
    )


def _tests(rng: random.Random) -> str:
    a, b = rng.sample(NOUNS, 2)
    return (
        f"tests/{a}/test_{b}.py::test_{rng.choice(VERBS)}_the_{b}_{rng.randrange(99)} \x1b[32mPASSED\x1b[0m   [{rng.randrange(100):3}%]\n"
        f"/home/u/work/{a}/src/{b}/{rng.choice(VERBS)}.py:{rng.randrange(900)}: note: \"{a}\" has type 'dict[str, {b.title()}]'\n"
    )


def _secret(rng: random.Random, which: int) -> str:
    def some(alphabet: str, length: int) -> str:
        return "".join(rng.choice(alphabet) for _ in range(length))

    alnum = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
    made: tuple[Callable[[], str], ...] = (
        lambda: "GITHUB_TOKEN=" + "gh" + "p_" + some(alnum, 36),
        lambda: "postgres://app:" + some(alnum, 18) + "@db.internal:5432/main",
        lambda: "aws_access_key_id = AK" + "IA" + some("ABCDEFGHJKLMNPQRSTUVWXYZ234567", 16),
        lambda: '"api_' + 'key": "s' + "k-proj-" + some(alnum, 48) + '"',
        lambda: "Authorization: Bearer " + some(alnum, 40),
    )
    return made[which % len(made)]()


@dataclass(slots=True)
class Mill:
    """Everything random of one corpus; equal seeds give equal output."""

    seed: int
    secrets: int = 0
    """Secrets planted so far."""
    prompts: int = 0
    """Requests made so far."""
    bodies: int = 0
    now: datetime = START
    rng: random.Random = field(init=False)
    pool: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        makers = (_code, _log, _diff, _tests, _tests)
        texts = [self.rng.choice(makers)(self.rng) for _ in range(1_500)]
        self.pool = [json.dumps(text, ensure_ascii=False)[1:-1] for text in texts]

    def body(self, low: int = 3, high: int = 40) -> str:
        """JSON-escaped tool output of so many paragraphs; every `SECRET_EVERY`th holds a secret."""
        start = self.rng.randrange(len(self.pool) - high)
        paragraphs = self.pool[start : start + self.rng.randint(low, high)]
        self.bodies += 1
        if self.bodies % SECRET_EVERY == 0:
            paragraphs.insert(1, json.dumps(_secret(self.rng, self.secrets) + "\n")[1:-1])
            self.secrets += 1
        return "".join(paragraphs)

    def giant(self, size: int) -> str:
        """A JSON-escaped text of at least `size` characters."""
        pieces, length = [], 0
        while length < size:
            pieces.append(self.rng.choice(self.pool))
            length += len(pieces[-1])
        return "".join(pieces)

    def prompt(self) -> str:
        """A JSON-escaped request, mostly of several lines."""
        self.prompts += 1
        words = [*self.rng.sample(NOUNS, 3), self.rng.choice(VERBS).title()]
        return json.dumps(self.rng.choice(PROMPTS).format(*words), ensure_ascii=False)[1:-1]

    def reply(self) -> str:
        noun, verb = self.rng.choice(NOUNS), self.rng.choice(VERBS)
        return f"The {noun} is now {verb}ed once. I ran the tests: {self.rng.randrange(400)} passed.\\n\\n- changed `{noun}.py`"

    def uuid(self) -> str:
        h = f"{self.rng.getrandbits(128):032x}"
        return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:]}"

    def time(self) -> str:
        """ISO-8601 in UTC; later with every call."""
        self.now += timedelta(milliseconds=self.rng.randrange(200, 20_000))
        return f"{self.now:%Y-%m-%dT%H:%M:%S}.{self.now.microsecond // 1000:03}Z"

    def millis(self) -> int:
        self.now += timedelta(milliseconds=self.rng.randrange(200, 20_000))
        return int(self.now.timestamp() * 1000)


SECRET_EVERY = 211
