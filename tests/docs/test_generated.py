"""Generated pages of the reference are what the code says."""

from __future__ import annotations

from docs import generate
from sleepd.settings import config


def test_no_generated_page_is_stale() -> None:
    """`make docs` has nothing to do."""
    assert [] == generate.stale()


def test_every_setting_is_in_the_reference() -> None:
    """Each section has its heading and each key its row with a meaning."""
    page = generate.settings_page()
    sections = page.split("\n## [")[1:]
    rows = [
        f"{section.partition(']')[0]}.{line.split('`')[1]}"
        for section in sections
        for line in section.splitlines()
        if line.startswith("| `") and len(line.split(" | ")[-1]) > len("| |")
    ]
    assert list(config.known_keys()) == rows
