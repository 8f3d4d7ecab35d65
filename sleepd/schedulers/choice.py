"""Which kinds of schedule there are on a system."""

from __future__ import annotations

from sleepd.core.errors import UsageError
from sleepd.schedulers.cron import Cron
from sleepd.schedulers.launchd import Launchd
from sleepd.schedulers.scheduler import Scheduler
from sleepd.schedulers.systemd import Systemd
from sleepd.schedulers.tasks import Tasks


def known(platform: str) -> tuple[Scheduler, ...]:
    """All kinds for a `sys.platform`: the resident one first, then the nightly one, then the others."""
    match platform:
        case "win32":
            return (Tasks(nightly=False), Tasks(nightly=True))
        case "darwin":
            return (Launchd(nightly=False), Launchd(nightly=True), Cron())
        case _:
            return (Systemd(nightly=False), Systemd(nightly=True), Cron())


def choose(platform: str, *, timer: bool, cron: bool) -> Scheduler:
    """The requested kind. Raises `UsageError` with an alternative where the kind is impossible."""
    if timer and cron:
        raise UsageError("--timer and --cron are two kinds of schedule; give one of them")
    resident, nightly, *others = known(platform)
    if cron and not others:
        raise UsageError("this system has no crontab; --timer starts one night each night")
    chosen = others[0] if cron else nightly if timer else resident
    refused = chosen.refusal()
    if refused is None:
        return chosen
    instead = "" if cron or not others or others[0].refusal() else "; `sleepd service install --cron` needs none"
    if cron:
        instead = "; install cron and start it, or ask whoever keeps /etc/cron.allow"
    raise UsageError(f"{refused}{instead or '; `sleepd daemon` in a terminal of its own works anywhere'}")
