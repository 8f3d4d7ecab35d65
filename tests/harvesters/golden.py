"""The golden corpus: `tests/corpus/<agent>/<case>/transcript.jsonl` (or `.json`) beside `expected.json`.

`python -m tests.harvesters.golden` writes every `expected.json` anew; look at the difference before you commit it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, cast

from harvesters.__main__ import as_plain, harvester

CORPUS = Path(__file__).parent.parent / "corpus"
NAMES = ("transcript.jsonl", "transcript.json")


def cases() -> list[Path]:
    """The transcripts of the corpus, sorted."""
    return sorted(path for path in CORPUS.glob("*/*/*") if path.name in NAMES)


def view(transcript: Path) -> dict[str, Any]:
    """What a reading says about the file, without what changes from machine to machine."""
    agent = transcript.parent.parent.name
    reading = as_plain(harvester(agent).read(transcript))
    cursor = reading.pop("cursor")
    reading["consumed"] = cursor["offset"] if cursor else None
    for defect in reading["defects"]:
        defect["path"] = Path(defect["path"]).name
    return cast("dict[str, Any]", _stated(reading))


def _stated(value: Any) -> Any:
    """The value without the fields that say nothing: most of a turn's and a call's are empty."""
    if isinstance(value, dict):
        return {key: stated for key, item in value.items() if not _empty(stated := _stated(item))}
    return [_stated(item) for item in value] if isinstance(value, list | tuple) else value


def _empty(value: Any) -> bool:
    return value is None or value is False or value in ([], (), {})


def expected_path(transcript: Path) -> Path:
    return transcript.parent / "expected.json"


def as_stored(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def main() -> int:
    """Write what differs and name it."""
    for transcript in cases():
        text = as_stored(view(transcript))
        path = expected_path(transcript)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"written: {path.relative_to(CORPUS)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
