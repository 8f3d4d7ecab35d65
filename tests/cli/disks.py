"""A home on a disk that takes no more, in mounts of the test's own: nothing of it is seen by, or stays with, others."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import Result

_SYSTEM = "/usr/sbin:/usr/bin:/sbin:/bin"
READ_ONLY = 'mount --bind "$HOME" "$HOME" && mount -o remount,bind,ro "$HOME"'
FULL = (
    'cp -a "$HOME" "$HOME.copy" && mount -t tmpfs -o size=2m tmpfs "$HOME" && cp -a "$HOME.copy/." "$HOME/" && '
    '{ cat /dev/zero > "$HOME/rest" 2>/dev/null || true; }'
)
_VERBS = """
import json, sys
from tests.cli.command import sleepd
for verb in json.loads(sys.argv[1]):
    done = sleepd(*verb.split())
    print(json.dumps([done.code, done.out, done.err]))
"""


def run_on(disk: str, *verbs: str) -> dict[str, Result]:
    """Run the verbs one after another with the home on such a disk; skips the test where that cannot be made."""
    unshare = shutil.which("unshare", path=_SYSTEM)
    if unshare is None:
        pytest.skip("there is no unshare command here")
    refused = subprocess.run([unshare, "-m", "/bin/sh", "-c", "true"], capture_output=True, text=True, check=False)
    if refused.returncode:
        pytest.skip(f"no mounts of our own can be made here: {refused.stderr.strip()}")
    script = f'before=$PATH; PATH={_SYSTEM}; {disk} || exit 99; PATH=$before; exec "$@"'
    words = [unshare, "-m", "/bin/sh", "-c", script, "sh", sys.executable, "-c", _VERBS, json.dumps(verbs)]
    done = subprocess.run(
        words, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2], timeout=120
    )
    if done.returncode == 99:
        pytest.skip(f"no such disk can be made here: {done.stderr.strip()}")
    assert 0 == done.returncode, done.stderr
    return dict(zip(verbs, (Result(*json.loads(line)) for line in done.stdout.splitlines()), strict=True))
