"""A model whose prompts and answers are files: each prompt lies in a folder until somebody answers it.

`<digest>.prompt.md` holds one prompt. `<digest>.answer.md`, put next to it by whoever answers, holds the answer and
ends with the line `END`. A prompt that is answered is never asked again, and an answer may come in a later run.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path

from sleepd.core.errors import BadSettings, Unwritable
from sleepd.core.model import Cause, digest
from sleepd.core.ports import Ask, CallPurpose, Failure, Reply
from sleepd.host import outfile
from sleepd.models.settings import ModelSettings

END = "<<end of answer>>"
"""The last line of a whole answer."""
_PROMPT = ".prompt.md"
_ANSWER = ".answer.md"
_LARGEST = 1_000_000
_DIGITS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingPrompt:
    """A prompt in the folder that has no usable answer."""

    prompt: Path
    answer: Path
    """Where the answer belongs."""
    trouble: str
    """Why the file that is there is no answer; empty when there is none."""


def from_settings(settings: ModelSettings) -> Handoff:
    """The adapter registered as `handoff`. Raises `BadSettings` without a folder."""
    if settings.folder is None:
        raise BadSettings("handoff needs a folder: set model.folder")
    return Handoff(Path(settings.folder), key=settings.key)


def waiting(folder: Path) -> tuple[WaitingPrompt, ...]:
    """The prompts without a usable answer, oldest first. A folder that is missing holds none."""
    found = []
    for prompt in sorted(folder.glob(f"*{_PROMPT}"), key=lambda path: (path.stat().st_mtime_ns, path.name)):
        answer = prompt.with_name(prompt.name.removesuffix(_PROMPT) + _ANSWER)
        read = _read(answer)
        if not isinstance(read, Reply):
            found.append(WaitingPrompt(prompt=prompt, answer=answer, trouble=read))
    return tuple(found)


class Handoff:
    """Writes prompts, reads answers. Safe to call from several threads and processes."""

    def __init__(self, folder: Path, *, key: str = "handoff") -> None:
        self._folder = folder
        self._key = key
        self._lock = threading.Lock()
        self._waiting: set[str] = set()

    @property
    def key(self) -> str:
        return self._key

    def ask(self, ask: Ask) -> Reply | Failure:
        """The answer that lies in the folder; else the prompt is put there, and the failure says what waits.

        The preflight is answered at once: all it asks is whether there is anybody to ask.
        """
        if ask.purpose is CallPurpose.PREFLIGHT:
            return Reply(text="ready")
        name = name_of(self._key, ask)
        prompt, answer = self._folder / f"{name}{_PROMPT}", self._folder / f"{name}{_ANSWER}"
        read = _read(answer)
        if isinstance(read, Reply):
            return read
        with self._lock:
            fresh = not prompt.exists()
            if fresh:
                try:
                    outfile.write(
                        prompt,
                        "Answer everything below the line. "
                        f"Save the answer as {name}{_ANSWER} in the folder of this file.\n"
                        f"End it with a line that holds only {END}\n\n---\n\n"
                        + (f"{ask.system}\n\n" if ask.system else "")
                        + f"{ask.prompt}\n",
                    )
                except Unwritable as error:
                    return Failure(cause=Cause.NETWORK, message=str(error), asked=False)
            self._waiting.add(name)
            count = len(self._waiting)
        noun = "1 prompt waits" if count == 1 else f"{count} prompts wait"
        # A file that is no answer may be one that is being written: nothing is concluded from it.
        trouble = f" ({answer.name} {read})" if read else ""
        return Failure(
            cause=Cause.WAITING,
            message=(
                f"{noun} for an answer in {self._folder}{trouble}; answer what `sleepd handoff` lists, then give the "
                "same command again"
            ),
            asked=fresh,
            waiting=count,
        )


def name_of(key: str, ask: Ask) -> str:
    """What the files of a prompt are called: the same for the same prompt to the same model."""
    return digest(key, ask.system, ask.prompt, str(ask.sample))[:_DIGITS]


def _read(answer: Path) -> Reply | str:
    """The answer; why the file is none; "" when there is no file."""
    try:
        if answer.stat().st_size > _LARGEST:
            return f"is longer than {_LARGEST:,} bytes and no answer"
        text = answer.read_bytes().decode("utf-8").strip()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        return "is not UTF-8 text"
    except OSError as error:
        return f"cannot be read ({(error.strerror or str(error)).lower()})"
    if not text.endswith(END):
        return f"is empty or cut off: its last line must be {END}"
    said = text.removesuffix(END).strip()
    return Reply(text=said) if said else "holds no answer"
