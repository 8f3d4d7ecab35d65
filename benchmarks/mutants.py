"""How many planted faults the tests of the deciding modules notice: `python -m benchmarks.mutants`, or `make mutants`.

mutmut changes one expression at a time in the modules that `[tool.mutmut]` of pyproject.toml names. Each changed module
meets only its own tests in tests/core: the file of its name, and files with a name of their own that import it
(`test_margin.py` is about the gate). A part such as `redact_tokens` meets those of `redact`. A sample is drawn at
random over all mutants, the same for a seed. Prints a row for each module, for docs/reference/benchmarks.md, and to
standard error the change of each mutant that lived.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
MUTMUT = Path(sys.executable).with_name("mutmut")
TESTS = Path("tests") / "core"
NEEDED = ("sleepd", "harvesters", "tests")
NOTICED = ("killed", "timeout", "segfault")
QUICKEST = TESTS / "test_interval.py"
"""Only there because mutmut runs tests, whichever, before it lets its mutants be listed."""


def main() -> None:
    """Make all mutants in a scratch folder, try a sample of them module by module, and print what came of it."""
    options = read_options()
    with tempfile.TemporaryDirectory(prefix="mutants-") as scratch:
        folder = Path(scratch)
        for name in NEEDED:
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        wanted = [name for name in all_mutants(folder) if not options.modules or short(name) in options.modules]
        size = min(options.sample or len(wanted), len(wanted))
        chosen = sorted(random.Random(options.seed).sample(wanted, size))
        print(f"{size} of {len(wanted)} mutants, seed {options.seed}; {machine()}\n", flush=True)
        print("| module | tried | noticed |\n|---|---:|---:|", flush=True)
        fates: dict[str, str] = {}
        for module in sorted({module_of(name) for name in chosen}):
            names = [name for name in chosen if module_of(name) == module]
            fates |= tried(folder, module, names)
            print(row(short(names[0]), [fates[name] for name in names]), flush=True)
            for name in names:
                if fates[name] not in NOTICED:
                    print(mutmut(folder, "show", name), file=sys.stderr, flush=True)
        print(row("**all**", fates.values()), flush=True)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", help="names such as `gate`; all of [tool.mutmut] when there is none")
    parser.add_argument("--sample", type=int, help="try so many, drawn at random; all when not stated")
    parser.add_argument("--seed", type=int, default=8)
    return parser.parse_args()


def all_mutants(folder: Path) -> list[str]:
    """The names of all mutants, after making them."""
    configure(folder, [QUICKEST])
    mutmut(folder, "run", "--max-children", "1", "none of them")
    return sorted(results(folder))


def tried(folder: Path, module: str, names: Sequence[str]) -> dict[str, str]:
    """What became of these mutants of one module under its tests."""
    configure(folder, tests_of(module))
    # Which test runs which function is found out anew: these are other tests than those of the module before.
    (folder / "mutants" / "mutmut-stats.json").unlink(missing_ok=True)
    said = mutmut(folder, "run", "--max-children", "1", *names)
    fates = {name: fate for name, fate in results(folder).items() if name in names}
    if "not checked" in fates.values():
        raise SystemExit(f"mutmut did not try all mutants of {module}:\n{said[-4_000:]}")
    return fates


def configure(folder: Path, tests: Iterable[Path]) -> None:
    """The project's own settings, with these tests."""
    selected = ", ".join(f'"{test.as_posix()}"' for test in tests)
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    line = f"pytest_add_cli_args_test_selection = [{selected}]"
    settings, count = re.subn(r"^pytest_add_cli_args_test_selection = .*$", line, settings, flags=re.MULTILINE)
    assert count == 1
    (folder / "pyproject.toml").write_text(settings, encoding="utf-8")


def tests_of(module: str) -> list[Path]:
    """The test files that are about a module, or about the one that it is a part of."""
    parent, _, name = module.rpartition(".")
    imports = re.compile(rf"from {re.escape(parent)}(\.{name} import| import .*\b{name}\b)")
    found = []
    for path in sorted((ROOT / TESTS).glob("test_*.py")):
        about = path.stem.removeprefix("test_")
        named = (ROOT / "sleepd" / "core" / f"{about}.py").exists() or (ROOT / "sleepd" / "core" / about).is_dir()
        if about == name or (not named and imports.search(path.read_text(encoding="utf-8"))):
            found.append(path.relative_to(ROOT))
    if found:
        return found
    whole = f"{parent}.{name.rpartition('_')[0]}" if "_" in name else parent
    if whole == "sleepd.core":
        raise SystemExit(f"no file of {TESTS} is about {name}: give it tests, or take it out of [tool.mutmut]")
    return tests_of(whole)


def results(folder: Path) -> dict[str, str]:
    """Each mutant and its fate so far, in mutmut's words."""
    lines = mutmut(folder, "results", "--all", "true").splitlines()
    return dict(line.strip().rsplit(": ", 1) for line in lines if "__mutmut_" in line)


def mutmut(folder: Path, *arguments: str) -> str:
    # With CI set, property tests draw the same examples each time.
    environment = {**os.environ, "CI": "1"}  # noqa: TID251  handed to a child process
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    # It ends with an error where nothing is to be tried, as when its mutants are only made.
    done = subprocess.run(
        [str(MUTMUT), *arguments], check=False, cwd=folder, env=environment, capture_output=True, text=True
    )
    return done.stdout + done.stderr


def module_of(mutant: str) -> str:
    return mutant.rpartition(".")[0]


def short(mutant: str) -> str:
    core = "sleepd.core."
    return module_of(mutant).removeprefix(core)


def row(name: str, fates: Iterable[str]) -> str:
    counts = Counter(fates)
    noticed = sum(counts[fate] for fate in NOTICED)
    return f"| {name} | {counts.total()} | {noticed} ({100 * noticed / counts.total():.0f} %) |"


def machine() -> str:
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mutmut"]
    without = ", ".join(tool["do_not_mutate"])
    return f"{platform.platform()}, Python {platform.python_version()}, {os.cpu_count()} cores; without {without}"


if __name__ == "__main__":
    main()
