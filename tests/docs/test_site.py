"""The pages are a site that is built without a complaint and reads without a network."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOADED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio)\b[^>]*\bsrc=["']?(?:https?:)?//|<link\b[^>]*\bhref=["']?(?:https?:)?//"""
)
"""What a browser fetches from another host when it opens a page; a link to click on is none of it."""
IMPORTED = re.compile(r"""(?:url\(\s*["']?|@import\s+["'])(?:https?:)?//""")


def built(root: Path, site: Path) -> subprocess.CompletedProcess[str]:
    """Build as a person does; one process of its own, since mkdocs warns of its own dependencies."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.slow
def test_the_site_builds_strictly_and_needs_no_other_host(tmp_path: Path) -> None:
    """Every page is in the navigation, every link and anchor leads somewhere, and nothing is loaded from elsewhere."""
    done = built(ROOT, tmp_path / "site")
    assert 0 == done.returncode, f"a new page goes into the nav of mkdocs.yml\n{done.stderr}"
    pages = list((tmp_path / "site").rglob("*.html"))
    sources = sorted(p.relative_to(ROOT / "docs") for p in (ROOT / "docs").rglob("*.md"))
    assert [] == [str(s) for s in sources if not (tmp_path / "site" / s.with_suffix(".html")).is_file()]
    assert [] == [p.name for p in pages if LOADED.search(p.read_text(encoding="utf-8"))]
    styles = (tmp_path / "site").rglob("*.css")
    assert [] == [p.name for p in styles if IMPORTED.search(p.read_text(encoding="utf-8"))]
    assert [] == [p.name for p in (tmp_path / "site").rglob("*.py")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "text", "complaint"),
    [
        ("docs/lonely.md", "# Lonely\n", "lonely.md"),
        ("docs/index.md", "# sleepd\n\n[gone](gone.md)\n", "gone.md"),
        ("docs/index.md", "# sleepd\n\n[no such](explanation/gate.md#no-such-heading)\n", "no-such-heading"),
    ],
)
def test_a_page_that_lies_fails_the_build(file: str, text: str, complaint: str, tmp_path: Path) -> None:
    """A page outside the navigation, a dead link, a heading that is not there: each is named."""
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    (tmp_path / file).write_text(text, encoding="utf-8")
    done = built(tmp_path, tmp_path / "site")
    assert 0 != done.returncode and complaint in done.stderr


def test_what_a_browser_would_fetch_is_recognised() -> None:
    """A script and a style sheet from elsewhere are, our own and a link to click on are not."""
    assert LOADED.search('<script src="https://cdn.example/h.js">')
    assert LOADED.search('<link rel="stylesheet" href="//fonts.example/f.css">')
    assert not LOADED.search('<a href="https://www.mkdocs.org/">') and not LOADED.search('<script src="js/base.js">')
    assert IMPORTED.search("@import 'https://fonts.example/f.css'") and not IMPORTED.search("url(../img/grid.png)")
