"""The tree that a Claude Code transcript is: every line names the line it continues, and a rewind makes a branch."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from itertools import islice

RECENT = 64
"""How many places at the end of the conversation are remembered from one reading to the next."""


class Tree:
    """Lines by uuid with their parents, and the turns that lines belong to."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._known = frozenset(known)
        """Places that an earlier reading left behind: a line that continues one of them abandons nothing."""
        self._parents: dict[str, str | None] = {}
        self._before: dict[str, str | None] = {}
        """For lines whose parent is not in this file: the line before them in the file."""
        self._owner: dict[str, str] = {}
        self._prompts: set[str] = set()
        self._attached: dict[str, str | None] = {}
        self._recent: deque[str] = deque(maxlen=4 * RECENT)
        self._last: str | None = None
        self._last_talk: str | None = None
        self._named_leaf: str | None = None
        self._chained = False

    def __contains__(self, uuid: object) -> bool:
        return uuid in self._parents

    def add(self, uuid: str, parent: str | None, *, talk: bool) -> None:
        """Add a line; `talk` is True for user and assistant lines. The uuid must be new."""
        if parent is not None and (parent in self._parents or parent in self._known):
            self._chained = True
        else:
            self._before[uuid] = self._last
        self._parents[uuid] = parent
        if self._known:
            self._attached[uuid] = parent if parent is None else self._attached.get(parent, parent)
        self._last = uuid
        self._recent.append(uuid)
        if talk:
            self._last_talk = uuid
            self._named_leaf = None

    def own(self, uuid: str, turn: str, *, prompt: bool = False) -> None:
        """Say that the line holds (a part of) the turn. A branch that begins with a prompt is one that was rewound."""
        self._owner[uuid] = turn
        if prompt:
            self._prompts.add(uuid)

    def name_leaf(self, uuid: str) -> None:
        """The client says where the conversation ends; true until more is said."""
        self._named_leaf = uuid

    def needs_history(self) -> bool:
        """True when this part of a file hangs on something before it other than its end: it has to be read whole."""
        named = self._named_leaf
        if named is not None and named not in self._parents and (self._owner or named not in self._known):
            return True
        leaf = self._leaf() if self._last_talk is not None else None
        places = self._owner if leaf is None else (leaf, *self._owner)
        return any(self._attached.get(uuid) not in self._known for uuid in places)

    def abandoned(self) -> frozenset[str]:
        """The turns that the user went back past; none when the lines of the file are not linked.

        Going back is always going back to before a prompt. So a branch of nothing but replies and results (parallel
        calls, a retried request, a client that hung the next prompt too high) was not abandoned by the user.
        """
        path: set[str] = set()  # the lines from the conversation's end up to its beginning
        place = self._leaf() if self._chained else None
        while place is not None:
            path.add(place)
            place = self._above(place) if place in self._parents else None
        gone: set[str] = set()
        if not path:
            return frozenset()
        for uuid in self._parents:
            if uuid not in path and (uuid in self._prompts or self._above(uuid) in gone):
                gone.add(uuid)
        kept = {turn for uuid, turn in self._owner.items() if uuid not in gone}
        return frozenset(self._owner[uuid] for uuid in gone if uuid in self._owner) - kept

    def places(self) -> tuple[str, ...]:
        """The last lines on which the conversation can go on without leaving a prompt behind, in file order."""
        leaf = self._leaf()
        if leaf is None:
            return tuple(sorted(self._known))
        known: dict[str, str | None] = {}
        prompt = self._prompt_above(leaf, known)
        latest = (uuid for uuid in reversed(self._recent) if self._prompt_above(uuid, known) == prompt)
        found = list(islice(latest, RECENT))[::-1]
        if prompt is None:
            found = [*sorted(self._known), *found]
        return tuple(found[-RECENT:])

    def _leaf(self) -> str | None:
        """The end of the conversation: the last thing said on the branch that the client named, if it named one."""
        named = self._named_leaf
        if named is None or named not in self._parents:
            return self._last_talk or self._last
        below = {named}
        leaf = named
        for uuid, parent in self._parents.items():
            if parent in below:
                below.add(uuid)
                leaf = uuid
        return leaf

    def _above(self, uuid: str) -> str | None:
        """The line that this one continues: where its parent is unknown, the line before it in the file.

        A prompt without a parent continues nothing: the user went back to the very beginning. A parent that stands
        further down counts as unknown, so every step leads up in the file and no circle can arise.
        """
        if uuid not in self._before:
            return self._parents[uuid]
        begins_anew = uuid in self._prompts and self._parents[uuid] is None
        return None if begins_anew else self._before[uuid]

    def _prompt_above(self, uuid: str, known: dict[str, str | None]) -> str | None:
        """The prompt at or next above a line; None when it lies before this reading or there is no way.

        `known` holds what was found so far, so that no line is passed twice.
        """
        passed: list[str] = []
        place: str | None = uuid
        found: str | None = None
        while place is not None and place in self._parents:
            if place in known:
                found = known[place]
                break
            passed.append(place)
            if place in self._prompts:
                found = place
                break
            place = self._above(place)
        known.update(dict.fromkeys(passed, found))
        return found
