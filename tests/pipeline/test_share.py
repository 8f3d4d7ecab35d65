"""A night's pairs are shared out by what the work costs the user; work goes to the skill it belongs to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleepd.core.model import SkillTarget, Split
from sleepd.pipeline.mine import kinds_of_work
from sleepd.pipeline.night import outlook
from sleepd.pipeline.route import by_meaning
from sleepd.pipeline.share import LEAST_PAIRS, shares
from sleepd.pipeline.work import Work, find_work
from sleepd.store import tasks
from tests.pipeline.world import World, new_skill


def work(name: str, frequency: int, friction: float) -> Work:
    target = SkillTarget(agent="codex", name=name, path=f"/p/{name}", project="/p", description="")
    return Work(target=target, tasks=(), frequency=frequency, friction=friction)


@pytest.mark.parametrize(("costs", "pairs", "most", "parts"), [
    ([10.0], 120, 3, [120]),
    ([30.0, 10.0], 120, 3, [78, 42]),
    ([30.0, 10.0], 40, 3, [40]),
    ([30.0, 10.0, 10.0, 10.0], 120, 3, [54, 33, 33]),
    ([30.0, 10.0], 120, 1, [120]),
    ([10.0, 0.0], 120, 3, [120]),
    ([0.0, 0.0], 120, 3, [120]),
    ([], 120, 3, []),
])  # fmt: skip
def test_parts_follow_the_cost(costs: list[float], pairs: int, most: int, parts: list[int]) -> None:
    """None below the least, the rest in proportion; what was never corrected comes only alone."""
    made = [work(f"w{n}", 1, cost) for n, cost in enumerate(costs)]
    found = shares(made, pairs, most)
    assert parts == [share.pairs for share in found]
    assert [f"w{n}" for n in range(len(parts))] == [share.work.target.name for share in found]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 100), max_size=6), st.integers(1, 400), st.integers(1, 5))
def test_parts_add_up(costs: list[float], pairs: int, most: int) -> None:
    """To the night's pairs, whatever the work; never more skills than asked for."""
    found = shares([work(f"w{n}", 1, cost) for n, cost in enumerate(sorted(costs, reverse=True))], pairs, most)
    assert (pairs if costs else 0) == sum(share.pairs for share in found)
    assert len(found) <= most
    assert len(found) <= 1 or all(share.pairs >= LEAST_PAIRS for share in found)


class TestRouting:
    def everything(self, world: World) -> dict[object, object]:
        with world.database.reading() as connection:
            return dict(kinds_of_work(tasks.load(connection), 2))

    def test_work_goes_to_the_projects_skill_that_is_meant_for_it(self, world: World, tmp_path: Path) -> None:
        """By what its description says; a skill for other things is left alone, and then a new one is made."""
        before = find_work(self.everything(world), world.surroundings, new_skill)[0]  # type: ignore[arg-type]
        own = replace(world.surroundings, home=tmp_path)
        said = before.tasks[0].task.request
        folder = Path(before.target.project) / ".claude" / "skills" / "our-way"
        agent = before.target.agent
        places = {"claude-code": ".claude/skills", "codex": ".agents/skills", "copilot": ".github/skills"}
        folder = Path(before.target.project) / places[agent] / "our-way"
        folder.mkdir(parents=True)
        file = folder / "SKILL.md"
        try:
            near = by_meaning(world.ctx(), 0.3)
            for description, routed in ((said, True), ("Bake bread and water the plants.", False)):
                file.write_text(f"---\nname: our-way\ndescription: {' '.join(description.split())[:200]}\n---\n")
                found = find_work(self.everything(world), own, near)[0]  # type: ignore[arg-type]
                assert routed == (found.target.path == str(file))
        finally:
            file.unlink()
            for made in (folder, folder.parent, folder.parent.parent):
                made.rmdir()

    def test_a_night_knows_its_parts_before_it_begins(self, world: World) -> None:
        """The outlook names the skills with their pairs."""
        seen = outlook(world.ctx(), world.plan())
        assert world.gate.pairs_per_night == sum(share.pairs for share in seen.chosen)
        assert all(share.work.usable(Split.VAL) for share in seen.chosen)
