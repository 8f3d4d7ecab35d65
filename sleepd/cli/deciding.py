"""`sleepd review` on a terminal: one page, one question, one key. A decision is written at once and stays."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import typer

from sleepd.cli.terminal import ask, note, show
from sleepd.core import edit as rules
from sleepd.core import plaintext
from sleepd.core.errors import Conflict, SleepdError
from sleepd.core.model import Edit, EditOp
from sleepd.core.rubric import CardAnswer, JudgedLesson
from sleepd.pipeline import adopt as writing
from sleepd.settings import config
from sleepd.settings.sections import LessonsConfig
from sleepd.store.database import Database
from sleepd.store.proposals import Proposal
from sleepd.store.reviews import EditChoice
from sleepd.usecases import decisions, editor, rubrics
from sleepd.views import proposal_view, report, rubric_view
from sleepd.views.evidence import Proposed
from sleepd.views.proposal_view import LineStyle, PageLine, QueuePlace

_STYLES = {
    LineStyle.HEAD: "bold",
    LineStyle.QUIET: "dim",
    LineStyle.ADDED: "green",
    LineStyle.REMOVED: "red",
    LineStyle.WARNING: "bold yellow",
    LineStyle.PLAIN: "",
}
_MOST_BYTES = 256
"""Of one answer: a pasted line arrives whole and is not a key."""


class QuitReview(Exception):
    """The person has had enough for today."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewContext:
    """Where decisions are made."""

    database: Database
    git: bool
    """Commit on a branch instead of writing the file."""


def show_page(lines: Sequence[PageLine]) -> None:
    """Print a page: in colour and wrapped by words on a terminal, as it is anywhere else."""
    if not sys.stdout.isatty():
        show("\n".join(line.text for line in lines))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, markup=False, emoji=False)
    for line in lines:
        console.print(Text(plaintext.shown(line.text), style=_STYLES[line.look]))


class Answer(StrEnum):
    """The possible decisions on an edit; a person types the first letter."""

    ACCEPT = "accept"
    REJECT = "reject"
    EDIT = "edit"
    SKIP = "skip"
    TAKE_ALL = "take all"
    DETAILS = "details"
    QUIT = "quit"


def decide_all(context: ReviewContext, waiting: Sequence[Proposed]) -> bool:
    """Show each and ask. False when the person has had enough."""
    for number, one in enumerate(waiting, 1):
        try:
            place = QueuePlace(number=number, of=len(waiting))
            show_page(proposal_view.page(one, place, whole=False))
            _decide(context, one, proposal_view.page(one, place, whole=True))
        except QuitReview:
            return False
        except SleepdError as error:
            # Decided on elsewhere, or the file changed meanwhile: no reason to keep the others from the person.
            note(f"  not done: {error}")
    return True


_SKIP: Final = "skip"


def ask_cards(context: ReviewContext, asked: Sequence[JudgedLesson], floors: LessonsConfig) -> None:
    """Show the cards of each lesson and ask; each answer is kept at once. Says at the end what they are worth."""
    try:
        for one in asked:
            for number, card in enumerate(one.waiting, 1):
                show_page(rubric_view.card_page(one, card, number, len(one.waiting)))
                said = _key("", [*CardAnswer, _SKIP, Answer.QUIT], default=_SKIP)
                if said == Answer.QUIT:
                    raise QuitReview
                if said != _SKIP:
                    rubrics.answer_card(context.database, one, card, CardAnswer(said))
    except QuitReview:
        pass
    mine = {one.lesson.id for one in asked}
    for one in rubrics.refresh(context.database, floors):
        if one.lesson.id in mine:
            note(rubric_view.judged_text(one))


def _decide(context: ReviewContext, one: Proposed, details: Sequence[PageLine]) -> None:
    """Ask about each undecided edit, then write the accepted ones."""
    edits = one.tried.trial.candidate.edits
    choices: list[EditChoice | None] = []
    for number, edit in enumerate(edits, 1):
        known = one.decided.get(edit.id)
        if known is not None:
            note(f"edit {number}: {proposal_view.decision_words(known)}")
            choices.append(known.decision)
            continue
        answer = _ask_about(context, one, number, details)
        if answer is Answer.TAKE_ALL:
            choices += [EditChoice.ACCEPTED] * (len(edits) - number + 1)
            break
        choices.append(_CHOICES.get(answer))
    if all(choice is EditChoice.ACCEPTED for choice in choices) and not one.decided and choices:
        _write(context, one.proposal, (), one.digest)
        return
    accepted = tuple(n for n, choice in enumerate(choices, 1) if choice in (EditChoice.ACCEPTED, EditChoice.REWORDED))
    if accepted:
        _write_choice(context, one.proposal, accepted, left_out=choices.count(None))
    elif None in choices:
        note(f"{one.proposal.id[:8]} keeps waiting")
    else:
        note(f"rejected {one.proposal.id[:8]}; later reflections see your reason")


def _ask_about(context: ReviewContext, one: Proposed, number: int, details: Sequence[PageLine]) -> Answer:
    """The person's decision on one edit, stored at once."""
    edits = one.tried.trial.candidate.edits
    several = len(edits) > 1
    name = f"edit {number} of {len(edits)}: " if several else ""
    allowed = [a for a in Answer if several or a is not Answer.TAKE_ALL]
    while True:
        answer = Answer(_key(name, allowed))
        match answer:
            case Answer.QUIT:
                raise QuitReview
            case Answer.DETAILS:
                show_page(details)
            case Answer.REJECT:
                try:
                    why = ask("why?", "", decisions.reason)
                except typer.Abort:
                    raise KeyboardInterrupt from None
                decisions.reject(config.places(), context.database, one.proposal.id, why, (number,))
                return answer
            case Answer.EDIT:
                if _reword(context, one.proposal, number, edits[number - 1]):
                    return answer
            case Answer.ACCEPT if several:
                decisions.decide(context.database, one.proposal, number, EditChoice.ACCEPTED)
                return answer
            case _:
                return answer


_CHOICES = {Answer.ACCEPT: EditChoice.ACCEPTED, Answer.REJECT: EditChoice.REJECTED, Answer.EDIT: EditChoice.REWORDED}


def _reword(context: ReviewContext, proposal: Proposal, number: int, edit: Edit) -> bool:
    """Open the editor on the rule; False when the rule did not change."""
    if edit.op is EditOp.DELETE:
        note("  a deletion has no words to change; accept or reject it")
        return False
    try:
        words = editor.reworded(edit.text, "the skill file", config.editor())
        if words is None:
            note("  nothing was changed")
            return False
        decisions.decide(context.database, proposal, number, EditChoice.REWORDED, words)
    except SleepdError as error:
        note(f"  {error}")
        return False
    return True


def _write_choice(context: ReviewContext, proposal: Proposal, numbers: tuple[int, ...], *, left_out: int) -> None:
    """Show the resulting text once more, since no gate saw it as a whole, and write it if the person confirms."""
    shown = decisions.shown_digest(context.database, proposal, numbers)
    seen = writing.intended(context.database, proposal, numbers)
    diff = rules.diff(seen.plan.live or "", seen.plan.text, name=seen.trial.candidate.target.name)
    show_page([PageLine(""), *proposal_view.diff_lines(diff)])
    if seen.wanted != seen.gated:
        note("this text as a whole was not measured: it would be adopted as unproven")
    if left_out:
        note(
            f"{report.count(left_out, 'edit')} left out; a later night may propose {'it' if left_out == 1 else 'them'}"
        )
    if _key("write this? ", ["yes", "no"], default="no") == "yes":
        _write(context, proposal, numbers, shown)
    else:
        note(f"{proposal.id[:8]} keeps waiting; your decisions are kept")


def _write(context: ReviewContext, proposal: Proposal, numbers: tuple[int, ...], shown: str | None) -> None:
    places, database = config.places(), context.database
    if shown is not None and shown != decisions.shown_digest(database, proposal, numbers):
        raise Conflict(f"{proposal.id[:8]} or its file changed while you looked at it; look again: sleepd review")
    if context.git:
        committed = decisions.put_on_branch(places, database, proposal.id, numbers, shown=shown)
        note(proposal_view.committed_words(*committed))
    else:
        note(report.adopted_words(decisions.adopt_edits(places, database, proposal.id, numbers, shown=shown)))


def _key(question: str, answers: Sequence[str], default: str = Answer.SKIP) -> str:
    """The answer whose first letter was pressed; Enter is the default. Raises `QuitReview` at the end of input."""
    keys = {answer[0]: answer for answer in answers}
    offer = " ".join(f"{a[0]}({a[1:]})" for a in answers)
    while True:
        pressed = _pressed(f"{question}{offer} [{default}] ")
        if not pressed or "\x04" in pressed:
            note("")
            raise QuitReview
        letter = pressed.strip().lower() or default[0]
        if letter in keys:
            note(letter)
            return str(keys[letter])
        note(f"\n  press one of {', '.join(keys)}; Enter is {default}")


def _pressed(question: str) -> str:
    """The key pressed after the question appeared; earlier input is discarded. "" at the end of input."""
    try:
        import termios
        import tty
    except ImportError:  # Windows
        sys.stderr.write(question)
        sys.stderr.flush()
        return str(typer.getchar())
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    tty.setcbreak(terminal, termios.TCSAFLUSH)
    try:
        sys.stderr.write(question)
        sys.stderr.flush()
        pressed = os.read(terminal, _MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
    if "\x03" in pressed:
        raise KeyboardInterrupt
    return pressed
