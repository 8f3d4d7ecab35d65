"""Whether pip is about to load a build of torch for a graphics card that this machine does not have.

`make install` runs this file before it installs. It asks pip for its plan, which downloads no build from an index that
tells what its packages need. On a terminal a person decides; elsewhere the download is refused, unless ACCEPT_CUDA is
set.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

REFUSED = 2
CPU = """\
    For the CPU build (0.2 GB): your index's address for CPU builds of torch is named by its documentation. Then
        .venv/bin/python -m pip install --index-url ADDRESS torch
        make install
    Without any of it: embedder.name = "hashed-tfidf" in the settings needs nothing more than `make demo` installed.
"""


def gpu_packages(plan: dict[str, Any]) -> list[str]:
    """The packages of a graphics card's maker that pip's plan (`pip install --dry-run --report -`) would load."""
    names = [str(one["metadata"]["name"]).lower() for one in plan.get("install", [])]
    return sorted(name for name in names if name.startswith(("nvidia-", "cuda-", "pytorch-triton", "triton")))


def has_card(root: Path = Path("/")) -> bool:
    """Whether a driver for a card that torch can use is loaded."""
    drivers = ("proc/driver/nvidia/version", "dev/nvidiactl", "dev/kfd", "dev/dxg")
    return any((root / driver).exists() for driver in drivers) or shutil.which("nvidia-smi") is not None


def decide(packages: list[str], *, card: bool, accepted: bool, asked: bool) -> int:
    """The exit status: 0 to go on. Asks on a terminal (`asked`)."""
    if not packages or card or accepted:
        return 0
    sys.stderr.write(
        f"pip would load a build of torch for NVIDIA cards: {len(packages)} more packages, about 3 GB to download and "
        f"5.6 GB on disk.\nThis machine has no such card.\n{CPU}"
    )
    if not asked:
        sys.stderr.write("    To load the large build anyway: make install ACCEPT_CUDA=1\n")
        return REFUSED
    sys.stderr.write("Load the large build anyway? [y/N] ")
    sys.stderr.flush()
    return 0 if sys.stdin.readline().strip().lower() in ("y", "yes") else REFUSED


def main() -> int:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--dry-run"]
    asked = subprocess.run(  # noqa: S603  pip, with the words of the Makefile
        [*command, "--report", "-", "-c", "constraints.txt", *sys.argv[1:]], capture_output=True, text=True, check=False
    )
    if asked.returncode:
        return 0  # The installation that follows says what is wrong.
    accepted = os.environ.get("ACCEPT_CUDA", "") not in ("", "0")  # noqa: TID251  no part of sleepd
    terminal = sys.stdin.isatty() and sys.stderr.isatty()
    return decide(gpu_packages(json.loads(asked.stdout)), card=has_card(), accepted=accepted, asked=terminal)


if __name__ == "__main__":
    raise SystemExit(main())
