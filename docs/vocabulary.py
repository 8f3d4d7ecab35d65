"""The vocabulary: one word for one thing, in the code, on the pages and in messages.

The glossary is made from it by `docs.generate`, and a test looks up every place in the code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A word, and the thing in the code that bears its meaning."""

    word: str
    """Two words for the same thing, or two things explained together, are separated by a comma."""
    meaning: str
    at: str
    """`module:Name` or `module:Name.attribute`."""
    instead_of: str = ""
    """Words that other projects use for it and this one does not, or uses for something else."""


VOCABULARY: Final[dict[str, tuple[Term, ...]]] = {
    "Reading transcripts": (
        Term(
            word="transcript",
            meaning="the file that an agent wrote about a conversation",
            at="harvesters.records:Reading",
            instead_of="log, history",
        ),
        Term(
            word="harvester",
            meaning="the adapter that reads the transcripts of one agent",
            at="harvesters.records:Harvester",
            instead_of="importer, parser",
        ),
        Term(word="session", meaning="one conversation with an agent", at="harvesters.records:Session"),
        Term(word="turn", meaning="one message of a session; turns are in order", at="harvesters.records:Turn"),
        Term(
            word="tool call",
            meaning="one action of the agent, with the result of the action",
            at="harvesters.records:ToolCall",
        ),
        Term(
            word="defect",
            meaning="a piece of a transcript that could not be read; defects are kept, with file and offset",
            at="harvesters.records:Defect",
            instead_of="warning",
        ),
        Term(
            word="own run",
            meaning="a session that sleepd itself started, known by a mark in its first prompt; never mined",
            at="sleepd.core.mark:OWN_MARK",
        ),
    ),
    "The work that recurs": (
        Term(
            word="task",
            meaning="one piece of work, cut out of a session: the request, the context, and each answer",
            at="sleepd.core.model:Task",
            instead_of="item",
        ),
        Term(
            word="attempt",
            meaning="one answer to a task, and what became of the answer",
            at="sleepd.core.model:Attempt",
        ),
        Term(word="friction", meaning="how often the user had to ask again", at="sleepd.core.model:Task.friction"),
        Term(
            word="checkable task",
            meaning="a task that has a check and a side of the split, and no near-duplicate on a more sealed side",
            at="sleepd.store.tasks:StoredTask.usable",
        ),
        Term(
            word="cluster",
            meaning="tasks that are asked for in like words; at most 15 of 100 of a project",
            at="sleepd.core.cluster:Clustering",
            instead_of="group",
        ),
        Term(
            word="kind of work",
            meaning="clusters that are the same recurring work; what a skill is for and checks are mined from",
            at="sleepd.store.tasks:StoredTask.kind",
        ),
        Term(
            word="near-duplicate",
            meaning="a request that is the same as another one, by its words or by a cosine of at least 0.95",
            at="sleepd.core.split:place",
        ),
        Term(
            word="split, side",
            meaning="the division of tasks into train, validation and test, once for each group of near-duplicates",
            at="sleepd.core.model:Split",
        ),
        Term(
            word="holdout, sealed",
            meaning="the test side: scored once, after the verdict; no decision uses it",
            at="sleepd.core.model:Split.TEST",
        ),
        Term(
            word="task set",
            meaning="a folder of tasks with checks, divided into the three sides, to train on instead of on sessions",
            at="sleepd.usecases.taskset:TaskSet",
        ),
    ),
    "Texts": (
        Term(
            word="skill target",
            meaning="a file that sleepd may change: a SKILL.md, AGENTS.md, CLAUDE.md or copilot-instructions.md",
            at="sleepd.core.model:SkillTarget",
            instead_of="memory",
        ),
        Term(word="live text", meaning="the text that is in the skill target now", at="sleepd.pipeline.work:live_text"),
        Term(
            word="candidate",
            meaning="a whole text that is tried against the live text",
            at="sleepd.core.model:Candidate",
            instead_of="version",
        ),
        Term(
            word="learnt region",
            meaning="the part of a skill file between sleepd's markers",
            at="sleepd.core.edit:Region.LEARNT",
        ),
        Term(
            word="companion",
            meaning="a file that a SKILL.md names; it is read together with the SKILL.md and never written",
            at="sleepd.skills.companions:companions",
        ),
        Term(
            word="edit",
            meaning="one rule that is added, replaced or deleted",
            at="sleepd.core.model:Edit",
            instead_of="patch",
        ),
    ),
    "Replaying and scoring": (
        Term(
            word="replay",
            meaning="how a piece of work is done again: text (the request is asked again), trigger (which skills to "
            "load is asked), decision (the next step is asked), worktree (the work is done in the repository)",
            at="sleepd.core.model:Replay",
        ),
        Term(
            word="replayer",
            meaning="the adapter that carries out one kind of replay and says what was done",
            at="sleepd.core.ports:Replayer",
        ),
        Term(
            word="judge",
            meaning="the adapter that values what was done: a score with its reason, or unscored",
            at="sleepd.core.ports:Judge",
        ),
        Term(
            word="criteria",
            meaning="what an outcome is judged by, such as the checks of a task; they name the judge",
            at="sleepd.core.ports:Criteria",
        ),
        Term(
            word="rollout",
            meaning="one replay of a task under a text, with its score",
            at="sleepd.core.model:Rollout",
        ),
        Term(
            word="check",
            meaning="a condition on an answer that a machine can test",
            at="sleepd.core.check:Check",
            instead_of="assertion",
        ),
        Term(
            word="gates, observed",
            meaning="said of a check: it may decide on a change, or it is only shown; with the reason",
            at="sleepd.core.validity:Validity",
        ),
        Term(
            word="rubric",
            meaning="a rule that a judge model answers with kept or broken",
            at="sleepd.core.behaviour:RubricCheck",
        ),
        Term(
            word="card",
            meaning="a past exchange of which the person says whether a rule was kept: so a judge's error is known",
            at="sleepd.core.rubric:cards",
        ),
        Term(word="score", meaning="a value from 0 to 1, with the reason for it", at="sleepd.core.model:Score"),
        Term(
            word="unscored",
            meaning="a rollout that could not be valued, with the cause; it is never a score of 0",
            at="sleepd.core.model:Unscored",
        ),
        Term(
            word="trigger",
            meaning="the choice which skills to load for a request, made by their descriptions alone",
            at="sleepd.core.model:Replay.TRIGGER",
        ),
        Term(
            word="task model",
            meaning="the model that does the tasks under the text",
            at="sleepd.pipeline.rollout:RunContext.model",
            instead_of="target",
        ),
        Term(
            word="outage",
            meaning="a failure whose cause is not the text; the night stops and uses up nothing",
            at="sleepd.pipeline.rollout:outage",
        ),
    ),
    "Proposing edits": (
        Term(
            word="reflection",
            meaning="reading the outcomes of rollouts, and of real sessions, to propose edits",
            at="sleepd.pipeline.reflect:reflect",
        ),
        Term(
            word="reflection model",
            meaning="the model that proposes edits",
            at="sleepd.pipeline.rollout:RunContext.reflector",
            instead_of="optimizer",
        ),
        Term(
            word="recall_k",
            meaning="how many similar past tasks a reflection is shown",
            at="sleepd.pipeline.optimize:OptimizerTerms.recall_k",
        ),
        Term(
            word="edit budget",
            meaning="how many edits one step may try together",
            at="sleepd.pipeline.optimize:OptimizerTerms.edit_budget",
        ),
        Term(
            word="rejected-edit buffer",
            meaning="edits that failed or that a person turned down, with the reasons, shown to later reflections",
            at="sleepd.pipeline.buffer:Failed",
        ),
    ),
    "Deciding": (
        Term(
            word="experiment",
            meaning="two arms, a statistic and the error levels: the one computation that every verdict comes from",
            at="sleepd.core.experiment:Experiment",
        ),
        Term(
            word="statistic",
            meaning="what is claimed of the two arms, and what counts as evidence for and against the claim",
            at="sleepd.core.experiment:Statistic",
        ),
        Term(
            word="gate",
            meaning="the sequential test that decides whether a candidate is better",
            at="sleepd.core.experiment:conclude",
        ),
        Term(
            word="pair",
            meaning="one draw of the gate: a rollout of the candidate and fresh rollouts of the live text on one task",
            at="sleepd.core.model:Pair",
        ),
        Term(
            word="evidence, e-process",
            meaning="what a bet against “the candidate does not help” has earned so far, as a logarithm; to look at it "
            "after every pair does not raise the error level",
            at="sleepd.core.experiment:Decision.evidence",
        ),
        Term(
            word="level",
            meaning="the error probability of one candidate, fixed before its first pair; evidence of 1/level accepts",
            at="sleepd.core.evidence:level",
        ),
        Term(
            word="verdict",
            meaning="what the gate says of a candidate: accepted, rejected, undecided or closed",
            at="sleepd.core.model:Verdict",
        ),
        Term(
            word="probation",
            meaning="the nights in which a candidate is undecided",
            at="sleepd.core.model:Verdict.UNDECIDED",
        ),
        Term(
            word="leave-one-out, attribution",
            meaning="leaving out the edits of an accepted bundle one at a time, to see which of them help",
            at="sleepd.pipeline.attribute:attribute",
        ),
        Term(
            word="compaction",
            meaning="trying a shorter text where there is no room; the test is one of non-inferiority",
            at="sleepd.core.model:CandidateOrigin.COMPACTION",
        ),
        Term(
            word="non-inferiority, margin",
            meaning="not worse by more than the margin: what a shorter text has to show instead of being better",
            at="sleepd.core.experiment:NonInferiority.margin",
        ),
        Term(
            word="drift pair",
            meaning="a fresh rollout of the live text and an older one, which differ when the model itself changed",
            at="sleepd.core.drift:DriftPair",
        ),
    ),
    "Training": (
        Term(
            word="epoch",
            meaning="as many steps as show every train task once, and what follows them",
            at="sleepd.pipeline.trained:Epoch",
        ),
        Term(
            word="present text, best text",
            meaning="in a training run, the text that the next step starts from, and the text that is kept at the end",
            at="sleepd.pipeline.trained:Trained.best",
        ),
        Term(
            word="slow update",
            meaning="guidance for the longer term, rewritten at the end of an epoch, in a region that no step may edit",
            at="sleepd.pipeline.slow:slow_update",
        ),
        Term(
            word="reminder, appendix",
            meaning="a second wording of a rule that the skill states and the agent broke; the region for these",
            at="sleepd.pipeline.remind:remind",
        ),
        Term(
            word="strategy notes, meta skill",
            meaning="the reflection model's notes for itself about proposing edits; they are never part of a skill",
            at="sleepd.pipeline.meta:take_notes",
        ),
    ),
    "A person decides": (
        Term(
            word="proposal",
            meaning="an accepted candidate that waits for a person",
            at="sleepd.store.proposals:Proposal",
        ),
        Term(
            word="adoption",
            meaning="a proposal that was written to the skill target",
            at="sleepd.store.proposals:Adoption",
        ),
        Term(word="revert", meaning="undoing an adoption", at="sleepd.pipeline.adopt:revert"),
        Term(
            word="proven",
            meaning="said of an adoption whose text is exactly the text that the gate accepted",
            at="sleepd.pipeline.adopt:WriteResult.proven",
        ),
        Term(
            word="quarantine",
            meaning="where a suspicious proposal is kept; it is never adopted",
            at="sleepd.store.proposals:Status.QUARANTINED",
        ),
    ),
    "A night": (
        Term(
            word="night",
            meaning="one run of the pipeline for one scope (a project, or all of them) and one local date",
            at="sleepd.store.nights:Night",
            instead_of="cycle",
        ),
        Term(
            word="preflight",
            meaning="one short real call to each model, before a night spends anything",
            at="sleepd.pipeline.night:preflight",
        ),
        Term(
            word="adapter",
            meaning="Python that is found by an entry point: a harvester, a model, a replayer, a judge, an embedder",
            at="sleepd.registry:names",
        ),
    ),
}
"""Part of the subject -> its terms, in the order of the data flow."""
