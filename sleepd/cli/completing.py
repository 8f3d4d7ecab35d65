"""What Tab offers for a value. Nothing here may fail, be slow or write: somebody is in the middle of a line."""

from __future__ import annotations

from sleepd.core.errors import SleepdError


def setting_keys(incomplete: str) -> list[str]:
    """Every setting as `section.key`."""
    from sleepd.settings import config

    return [key for key in config.known_keys() if key.startswith(incomplete)]


def waiting_ids(incomplete: str) -> list[str]:
    """The first 8 characters of the ids of waiting proposals; none without a database that can be read."""
    from sleepd.host import clock
    from sleepd.settings import config
    from sleepd.store.overview import news

    try:
        seen = news(config.places().database, clock.now())
    except (SleepdError, OSError):
        return []
    return [id_[:8] for id_ in (seen.waiting if seen is not None else ()) if id_.startswith(incomplete)]
