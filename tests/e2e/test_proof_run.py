"""The proof-run as a user starts it: in a process of its own, with the shipped command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow(20)
BROKEN_ELSEWHERE = ("--persona", "programmer", "--seed", "1", "--nights", "2", "--embedder", "hashed-tfidf")
BY_THE_GATE = {
    "useless candidates are not adopted",
    "harmful edits do not ride along in good bundles",
    "useless edits do not ride along in good bundles",
    "edits that leave hard work unanswered are not adopted",
}


def start(tmp_path: Path, name: str, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run `sleepd proof-run` with a home and a folder of its own."""
    home = tmp_path / f"{name}-home"
    home.mkdir()
    environment = {
        "HOME": str(home),
        "PATH": os.defpath,
        "SLEEPD_HOME": str(home / "sleepd"),
        "OPENBLAS_NUM_THREADS": "1",  # as in conftest
        **variables,
    }
    command = [sys.executable, "-m", "sleepd", "proof-run", "--folder", str(tmp_path / name), *options]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=550)


def without_meta(text: str) -> str:
    found = json.loads(text)
    del found["meta"]
    return json.dumps(found, sort_keys=True)


@pytest.mark.parametrize(("persona", "seed"), [("researcher", "802"), ("analyst", "801")])
def test_the_product_helps_and_holds_back_what_does_not(tmp_path: Path, persona: str, seed: str) -> None:
    """Every claim holds, with the packaged embedding model. The programmer's life is that of `make demo`."""
    done = start(tmp_path, "run", "--persona", persona, "--seed", seed, "--assert-improves")
    assert 0 == done.returncode, f"{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize("persona", ["maintainer", "shopkeeper", "apprentice"])
def test_the_lessons_of_work_that_is_new_every_day_are_found(tmp_path: Path, persona: str) -> None:
    """Every claim holds, without a night; two runs differ in nothing but `meta`."""
    options = ("--persona", persona, "--seed", "901", "--embedder", "hashed-tfidf", "--assert-improves", "--json")
    first, second = (start(tmp_path, name, *options) for name in ("one", "another-folder"))
    assert 0 == first.returncode == second.returncode, first.stdout + first.stderr
    assert without_meta(first.stdout) == without_meta(second.stdout)
    assert all(claim["passed"] for claim in json.loads(first.stdout)["assertions"])


def test_two_runs_are_equal_to_the_byte(tmp_path: Path) -> None:
    """Another folder, another number of workers and another time zone change nothing but `meta`. Every claim holds, of
    a life in which `tests/lab/test_broken_product.py` breaks the product."""
    options = (*BROKEN_ELSEWHERE, "--assert-improves", "--json")
    runs = [
        ("one", ("--workers", "1"), {"TZ": "Asia/Shanghai"}),
        ("another-folder-with-a-longer-name", ("--workers", "2"), {"TZ": "America/Los_Angeles"}),
    ]
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda r: start(tmp_path, r[0], *options, *r[1], **r[2]), runs)
    assert 0 == first.returncode == second.returncode, first.stderr + second.stderr
    assert without_meta(first.stdout) == without_meta(second.stdout)
    found = json.loads(first.stdout)
    assert found["adopted"], "nothing was adopted, so nothing was compared"
    assert BY_THE_GATE <= {claim["name"] for claim in found["assertions"]}


def test_under_the_strict_rule_what_does_nothing_or_harms_is_adopted(tmp_path: Path) -> None:
    """The claims about candidates that do not help and about riders fail: they can, and the gate is what holds them."""
    options = (*BROKEN_ELSEWHERE, "--gate-rule", "strict", "--assert-improves", "--json")
    done = start(tmp_path, "run", *options)
    assert 1 == done.returncode, done.stderr
    found = json.loads(done.stdout)
    assert BY_THE_GATE <= {claim["name"] for claim in found["assertions"] if not claim["passed"]}
    (claim,) = (c for c in found["assertions"] if c["name"] == "useless candidates are not adopted")
    assert not claim["holds"]
    gauntlet = [c for c in found["gauntlet"] if c["effect"] == 0]
    assert 10 <= len(gauntlet)
    assert 3 <= sum(c["verdict"] == "accepted" for c in gauntlet)


def test_without_the_flag_failing_claims_are_shown_and_the_run_ends_well(tmp_path: Path) -> None:
    """Without `--assert-improves` the same table is printed and the exit status is 0, here without any rule."""
    done = start(tmp_path, "run", *BROKEN_ELSEWHERE, "--gate-rule", "off")
    assert 0 == done.returncode, done.stderr
    assert set() == {name for name in BY_THE_GATE if f"FAIL  {name}" not in done.stdout}


def test_an_unknown_persona_is_named_with_the_known_ones(tmp_path: Path) -> None:
    """A misspelt persona ends with status 2 and one line that lists the right names."""
    done = start(tmp_path, "run", "--persona", "programer")
    assert 2 == done.returncode
    assert "did you mean 'programmer'?" in done.stderr
    assert 1 == len(done.stderr.strip().splitlines())
