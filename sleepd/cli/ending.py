"""How the command ends: an expected error in one line, an unexpected one in one line and in the log."""

from __future__ import annotations

import errno
import signal
import sys
import traceback
from types import FrameType, TracebackType
from typing import Final, Self

from sleepd.core.errors import SleepdError, Unwritable

INTERRUPTED: Final = 130
UNEXPECTED: Final = 70
_UNWRITABLE: Final = (errno.ENOSPC, errno.EROFS, errno.EDQUOT)
_AGAIN = "run the same command again and it continues where it stopped"


class Ending:
    """Within it, whatever is raised ends the process with the right status and one line on stderr.

    Ctrl-C and SIGTERM alike end it with 130. A trace is shown only with `verbose`, and is in the log otherwise.
    """

    def __init__(self, *, verbose: bool) -> None:
        self._verbose = verbose

    def __enter__(self) -> Self:
        self._before = signal.signal(signal.SIGTERM, _stop)
        for stream in (sys.stdout, sys.stderr):
            # A lone surrogate of a transcript, or a terminal that knows only ASCII, must not end a night.
            # A reader of a pipe gets each line when it is printed, as at a terminal.
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace", line_buffering=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        match error:
            case SystemExit(code=130) | KeyboardInterrupt():
                # Remaining work, such as threads that finish their call, must not end in a trace either.
                _stop_once()
                _say(f"stopped; {_AGAIN}")
                raise SystemExit(INTERRUPTED) from None
            case _:
                signal.signal(signal.SIGTERM, self._before)
        match error:
            case None | SystemExit():
                return
            case SleepdError():
                self._show(error)
                _say(str(error))
                raise SystemExit(error.exit_status) from None
            case OSError(filename=name, errno=number) if number in _UNWRITABLE:
                # An error in the middle of writing does not name the file.
                self._show(error)
                _say(str(Unwritable.of("a file" if name is None else _text(name), error)))
                raise SystemExit(Unwritable.exit_status) from None
            case OSError(filename=str() | bytes() as name, strerror=str(why)) if not isinstance(error, ConnectionError):
                self._show(error)
                _say(f"{_text(name)}: {why[:1].lower()}{why[1:]}; {_remedy(error)}")
                raise SystemExit(2) from None
            case Exception():
                self._show(error)
                _say(f"unexpected {type(error).__name__}: {_first_line(error)}; {_log(error)}")
                raise SystemExit(UNEXPECTED) from None

    def _show(self, error: BaseException) -> None:
        if self._verbose:
            sys.stderr.write(_shown("".join(traceback.format_exception(error))))


def _stop(_number: int, _frame: FrameType | None) -> None:
    _stop_once()
    raise KeyboardInterrupt


def _stop_once() -> None:
    """A stop signal often reaches a process and its group: the second signal must not break the end that the first one
    started."""
    # Not SIG_IGN: a program started while we end would be deaf, too.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _told_already)


def _told_already(_number: int, _frame: FrameType | None) -> None:
    """It is ending."""


def _shown(text: str) -> str:
    from sleepd.core import plaintext  # only where something is said: `--help` loads nothing

    return plaintext.shown(text)


def _say(line: str) -> None:
    sys.stderr.write(f"sleepd: {_shown(line)}\n")


def _remedy(error: OSError) -> str:
    match error:
        case PermissionError():
            return "make it readable and writable for you and try again"
        case IsADirectoryError():
            return "a file was wanted here"
        case _:
            return _log(error)


def _text(name: object) -> str:
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)


def _first_line(error: BaseException) -> str:
    from sleepd.core.redact import redact  # only where something went wrong: it loads numpy

    lines = str(error).strip().splitlines()
    return redact(lines[0], 200).text if lines else "no message"


def _log(error: BaseException) -> str:
    """Write the trace to the log; the words that say where it is."""
    import structlog

    from sleepd.host import log
    from sleepd.settings import config

    file = config.places().log
    try:
        log.configure(file)
    except OSError as refused:
        return f"the log {file} cannot be written ({refused.strerror}); `sleepd --verbose …` shows the trace"
    logger = structlog.get_logger()
    logger.error("command.failed", exc_info=error)
    return f"the trace is in {file}"
