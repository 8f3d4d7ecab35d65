"""The files that a skill file names count: rollouts read them, reflections see them, evidence is about them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sleepd.core.model import Rollout, Score, SkillTarget, Split
from sleepd.core.schedule import baseline
from sleepd.models.scripted import ScriptedModel
from sleepd.pipeline.companions import with_companions
from sleepd.pipeline.mine import kinds_of_work
from sleepd.pipeline.prompts import Case
from sleepd.pipeline.reflect import reflect
from sleepd.pipeline.rollout import RunContext, run_all
from sleepd.store import rollouts, tasks
from tests.pipeline.world import World

TEXT = "---\nname: commits\n---\nFollow references/rules.md.\n"
RULES = "- Start with the ticket key in square brackets.\n- End with a Tested line that names the command.\n"


def target_in(folder: Path) -> SkillTarget:
    (folder / "references").mkdir()
    (folder / "SKILL.md").write_text(TEXT)
    return SkillTarget(
        agent="claude-code", name="commits", path=str(folder / "SKILL.md"), project=str(folder), description=""
    )


def score(world: World, ctx: RunContext) -> float:
    with world.database.writing() as connection:
        everything = tasks.load(connection)
        text = rollouts.put_text(connection, TEXT)
    work = max(kinds_of_work(everything, 2).values(), key=len)
    some = [s for s in work if s.usable and s.split is Split.VAL]
    made = run_all(ctx, [ctx.request(s, text, baseline(n, "n1")) for s in some for n in range(4)])
    return sum(r.result.value for r in made if isinstance(r.result, Score)) / len(made)


def test_rules_in_a_file_that_the_skill_names_are_kept(world: World, tmp_path: Path) -> None:
    """The agent keeps them as it keeps the skill's own; without the file it does not."""
    target = target_in(tmp_path)
    alone = with_companions(world.ctx(), target)
    assert world.ctx().replay_key == alone.replay_key
    (tmp_path / "references" / "rules.md").write_text(RULES)
    both = with_companions(world.ctx(), target)
    assert score(world, both) > score(world, alone) + 0.2


def test_a_file_that_changed_makes_other_evidence(world: World, tmp_path: Path) -> None:
    """Rollouts of before are not taken for rollouts of now."""
    target = target_in(tmp_path)
    rules = tmp_path / "references" / "rules.md"
    keys = []
    for body in (RULES, RULES + "- Be brief.\n", RULES):
        rules.write_text(body)
        keys.append(with_companions(world.ctx(), target).replay_key)
    assert keys[0] == keys[2] != keys[1]


def test_reflections_see_them_as_not_theirs_to_change(world: World, tmp_path: Path) -> None:
    """Before the skill file itself, behind a bar."""
    target = target_in(tmp_path)
    (tmp_path / "references" / "rules.md").write_text(RULES)
    model = ScriptedModel('{"edits": []}')
    ctx = with_companions(replace(world.ctx(), reflector=model), target)
    with world.database.reading() as connection:
        stored = tasks.load(connection)[0]
    reflect(ctx, TEXT, [Case(task=stored.task, rollouts=_one(ctx, stored), neighbours=())], (), 3)
    (ask,) = model.asks
    assert "no edit reaches them" in ask.prompt
    assert "| - Start with the ticket key" in ask.prompt


def _one(ctx: RunContext, stored: tasks.StoredTask) -> tuple[Rollout, ...]:
    with ctx.database.writing() as connection:
        text = rollouts.put_text(connection, TEXT)
    return tuple(run_all(ctx, [ctx.request(stored, text, baseline(1, "n1"))]))
