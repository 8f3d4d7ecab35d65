"""A hook of mkdocs: the site shows the picture of the floors without a script from elsewhere."""

from __future__ import annotations

import re
from typing import Any, Final

_PICTURE: Final = re.compile(r"^```mermaid\n.*?^```$", re.DOTALL | re.MULTILINE)


def on_page_markdown(markdown: str, **_given: Any) -> str:
    """mkdocs asks for each page: where a code host draws the Mermaid text, the site shows the same picture as SVG."""
    return _PICTURE.sub("![The floors of sleepd, each above what it imports](floors.svg)", markdown)
