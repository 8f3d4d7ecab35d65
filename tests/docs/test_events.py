"""The page on log events and the code agree."""

from __future__ import annotations

import re

from tests.test_shape import PRODUCT, ROOT, logged, nodes, sources, text


def test_every_event_stands_in_the_reference_and_no_other() -> None:
    """An event that is found in a log can be looked up."""
    page = (ROOT / "docs" / "reference" / "events.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([a-z_]+\.[a-z_]+)` \|", page, re.MULTILINE)
    logging = [
        path for path in sources(*PRODUCT) if re.search(r"\.(?:debug|info|warning|error|exception)\(", text(path))
    ]
    written = {event for path in logging for node in nodes(path) if (event := logged(node))}
    assert sorted(written) == listed
