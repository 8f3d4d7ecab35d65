"""The log: JSON lines in the state folder, nothing on the terminal unless asked.

An event is named `noun.past_participle` (`night.started`, `file.harvested`) and carries its facts as keys, never a
prompt or a reply. Whoever logs calls `structlog.get_logger()`; where the line goes is decided here, once a process.
Importing this module costs 0.1 s, so import it in the command that needs it.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from contextlib import AbstractContextManager
from io import FileIO, TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

import structlog
from structlog.typing import Processor

from sleepd.core.redact import OVERLAP, redact
from sleepd.settings.places import make_private

MAX_BYTES = 5_000_000
"""Size of one file: some weeks of nights."""
KEPT = 3
"""Older files kept beside the live one."""

_SAID_CHARS = 300
"""How much of an error's own words the log keeps: enough for a reason, too little for a prompt that it quotes."""
_SAID = re.compile(
    rf"(?m)^((?:\w+\.)*\w+(?:Error|Exception|Warning)?: .{{{_SAID_CHARS}}})(?:.|\n(?!Traceback|  File|\n))*"
)


def without_secrets(value: object) -> object:
    """A fact as the log and the terminal may show it: secrets out, the words of an error cut short."""
    if not isinstance(value, str):
        return value
    return redact(_SAID.sub(r"\1…", value), len(value) + OVERLAP).text


_FACTS: tuple[Processor, ...] = (
    structlog.contextvars.merge_contextvars,
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    # Plain text: the structured form would write the values of local variables, prompts and keys among them.
    structlog.processors.format_exc_info,
    lambda _logger, _method, facts: {key: without_secrets(value) for key, value in facts.items()},
)


class _PrivateFile(RotatingFileHandler):
    """Rotates by size; every file is for its owner alone, since lines name projects and skills.

    Several processes write to it: one that another has rotated away is left for the live one. On a full disk a line is
    lost, which is said once.
    """

    _failed = False

    def emit(self, record: logging.LogRecord) -> None:
        if self.stream is not None:
            try:
                live = os.path.samestat(Path(self.baseFilename).stat(), os.fstat(self.stream.fileno()))
            except OSError:
                live = False
            if not live:
                self.stream.close()
                self.stream = None  # what follows opens it anew
        super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802, ARG002 - logging's own name
        if not self._failed:
            self._failed = True
            sys.stderr.write(f"sleepd: the log {self.baseFilename} cannot be written: {sys.exception()}\n")

    def _open(self) -> TextIOWrapper:
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        return TextIOWrapper(FileIO(descriptor, "a"), encoding=self.encoding, write_through=True)


def configure(file: Path, *, level: str = "info", verbose: bool = False, max_bytes: int = MAX_BYTES) -> None:
    """Send every event of `level` and above to `file`, and with `verbose` to stderr too.

    Makes the folder (0700) and the file (0600); starts a new file at `max_bytes`. Calling it again replaces the
    earlier arrangement. Raises OSError when the file cannot be written.
    """
    make_private(file.parent)
    lines = _PrivateFile(file, maxBytes=max_bytes, backupCount=KEPT, encoding="utf-8")
    _send_to([_rendered(lines, structlog.processors.JSONRenderer())])
    if verbose:
        words = structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "event"], drop_missing=True)
        _ours().addHandler(_rendered(logging.StreamHandler(sys.stderr), words))
    structlog.configure(
        processors=[*_FACTS, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=lambda *_: _ours(),
        cache_logger_on_first_use=False,
    )


def silence() -> None:
    """Drop every event: for commands that keep no log, whose output must be theirs alone."""
    _send_to([logging.NullHandler()])
    structlog.configure(
        processors=[structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger("critical"),
        logger_factory=lambda *_: _ours(),
    )


def in_night(night_id: str) -> AbstractContextManager[None]:
    """Within it every event carries `night_id`. Other threads need their own (`contextvars.copy_context`)."""
    return structlog.contextvars.bound_contextvars(night_id=night_id)


def _ours() -> logging.Logger:
    return logging.getLogger("sleepd")


def _send_to(handlers: list[logging.Handler]) -> None:
    logger = _ours()
    for old in list(logger.handlers):
        logger.removeHandler(old)
        old.close()
    for new in handlers:
        logger.addHandler(new)
    # The level is structlog's to filter; other libraries' loggers are left alone, and so is the root.
    logger.setLevel(logging.DEBUG)
    logger.propagate = False


def _rendered(handler: logging.Handler, renderer: Processor) -> logging.Handler:
    clean = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processors=[clean, renderer]))
    return handler
