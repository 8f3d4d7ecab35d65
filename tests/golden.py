"""Golden readings: what each harvester makes of the transcripts in `tests/corpus/<agent>/<case>/`.

`python -m tests.golden` (`make golden`) writes `expected.json` beside every transcript. It is a claim, not a proof:
read the difference before you commit it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from harvesters.__main__ import as_plain, harvester

CORPUS = Path(__file__).parent / "corpus"


def cases() -> list[Path]:
    """The transcripts of the corpus, in a stable order."""
    return sorted(CORPUS.glob("*/*/transcript.*"))


def name(transcript: Path) -> str:
    """`<agent>/<case>`."""
    return transcript.parent.relative_to(CORPUS).as_posix()


def reading(transcript: Path) -> dict[str, Any]:
    """What the harvester reads, as JSON, without what is not about the text: cursor, folder and bytes read."""
    agent = transcript.parent.parent.name
    plain: dict[str, Any] = json.loads(json.dumps(as_plain(harvester(agent).read(transcript))))
    del plain["cursor"], plain["bytes_read"]
    for defect in plain["defects"]:
        defect["path"] = Path(defect["path"]).name
    return plain


def as_text(plain: dict[str, Any]) -> str:
    """The form of `expected.json`: indented, in the order of the records, ending in a newline."""
    return json.dumps(plain, indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    """Write what is new or changed, and name it."""
    for transcript in cases():
        expected, text = transcript.with_name("expected.json"), as_text(reading(transcript))
        if not expected.exists() or expected.read_text(encoding="utf-8") != text:
            expected.write_text(text, encoding="utf-8")
            sys.stdout.write(f"{name(transcript)}\n")


if __name__ == "__main__":
    main()
