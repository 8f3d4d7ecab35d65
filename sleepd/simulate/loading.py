"""Which skills the simulated agent loads, by the words that a description shares with the request: all it can see."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence

_ATTENTION = 0.97
"""Probability that the agent looks at its skills at all before it works."""
_LISTED = re.compile(r"^- (?P<name>[^:\n]+): (?P<description>.*)$", re.MULTILINE)
_ENOUGH = 0.5
_NEARLY_ALL = 0.8
_LONG = 4
_SMALL = frozenset(
    {"this", "that", "when", "with", "from", "them", "asks", "user", "work", "like", "such", "these", "about", "into"}
)


def choice(system: str, prompt: str, chance: random.Random) -> str:
    """The reply: each skill of the list half of whose telling words stand in the request."""
    request = set(_words(prompt))
    looks = chance.random() < _ATTENTION
    names = []
    for listed in _LISTED.finditer(system) if looks else ():
        described = set(_words(listed["description"]))
        if described and len(described & request) >= _ENOUGH * len(described):
            names.append(listed["name"])
    return json.dumps({"load": names})


def description(wanted: Sequence[str], unwanted: Sequence[str]) -> str:
    """Words that nearly all of the first texts have and none of the others, in the order in which they come up."""
    counts = Counter(word for text in wanted for word in dict.fromkeys(_words(text)))
    other = {word for text in unwanted for word in _words(text)}
    common = [word for word, count in counts.items() if count >= _NEARLY_ALL * len(wanted) and word not in other]
    return f"Use this when the user asks for work like: {' '.join(common) or 'this'}"


def _words(text: str) -> Iterator[str]:
    """Words of some length, in one form, without those that every description has."""
    for word in re.findall(r"[^\W\d_]+", text.casefold()):
        stem = word.removesuffix("s")
        if len(stem) >= _LONG and not {word, stem} & _SMALL:
            yield stem
