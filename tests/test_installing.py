"""What `make demo` and `make install` load, and what the container holds. Nothing is installed here."""

from __future__ import annotations

import importlib.util
import io
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture
def torch_build() -> ModuleType:
    spec = importlib.util.spec_from_file_location("torch_build", ROOT / ".ci" / "torch_build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def commands(target: str, folder: Path) -> str:
    """What make would do for this target in a fresh clone."""
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, folder)
    done = subprocess.run(["make", "-n", target], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.skipif(shutil.which("make") is None, reason="no make here")
def test_the_demo_loads_no_torch_and_says_what_is_missing(tmp_path: Path) -> None:
    """Neither by an extra nor by the embedder that it runs with; its last words name `make install`."""
    shown = commands("demo", tmp_path)
    assert "embeddings" not in shown and "--embedder hashed-tfidf --assert-improves" in shown
    assert "make install" in "".join(shown.splitlines()[-3:])
    light = re.search(r'-e "\.\[(.*)\]"', shown)
    parts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [
        *parts["dependencies"],
        *(p for name in light[1].split(",") for p in parts["optional-dependencies"][name]),
    ]  # type: ignore[index]
    assert [] == [name for name in wanted if re.match("torch|sentence|transformers|gt-all|scipy", name)]


@pytest.mark.skipif(shutil.which("make") is None, reason="no make here")
def test_the_installation_asks_before_it_loads(tmp_path: Path) -> None:
    """First the light part, then the question, then the rest. The tests of a developer ask nothing."""
    shown = commands("install", tmp_path)
    order = [shown.index(part) for part in ('-e ".[zstd]"', ".ci/torch_build.py", '-e ".[embeddings,')]
    assert sorted(order) == order
    assert "torch_build" not in commands("test", tmp_path)


def test_a_plan_with_a_card_makers_packages_is_recognised(torch_build: ModuleType) -> None:
    """As pip reports it; the CPU build brings none."""
    cpu = {"install": [{"metadata": {"name": name}} for name in ("torch", "sentence-transformers", "numpy")]}
    cuda = {
        "install": [*cpu["install"], {"metadata": {"name": "nvidia-cublas-cu12"}}, {"metadata": {"name": "triton"}}]
    }
    assert ([], ["nvidia-cublas-cu12", "triton"], []) == tuple(map(torch_build.gpu_packages, (cpu, cuda, {})))


@pytest.mark.parametrize("driver", ["proc/driver/nvidia/version", "dev/kfd"])
def test_a_card_is_known_by_its_driver(
    torch_build: ModuleType, tmp_path: Path, driver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without one there is nothing that the large build would be good for."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not torch_build.has_card(tmp_path)
    (tmp_path / driver).parent.mkdir(parents=True)
    (tmp_path / driver).touch()
    assert torch_build.has_card(tmp_path)


@pytest.mark.parametrize(
    ("packages", "card", "accepted", "typed", "status"),
    [
        ([], False, False, None, 0),
        (["nvidia-x"], True, False, None, 0),
        (["nvidia-x"], False, True, None, 0),
        (["nvidia-x"], False, False, None, 2),
        (["nvidia-x"], False, False, "y\n", 0),
        (["nvidia-x"], False, False, "\n", 2),
        (["nvidia-x"], False, False, "", 2),
    ],
)
def test_nobody_downloads_gigabytes_unasked(
    torch_build: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    packages: list[str],
    card: bool,
    accepted: bool,
    typed: str | None,
    status: int,
) -> None:
    """A person is asked, Enter is no; where nobody sits it is refused, with the way out."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed or ""))
    assert status == torch_build.decide(packages, card=card, accepted=accepted, asked=typed is not None)
    said = capsys.readouterr().err
    assert (bool(packages) and not card and not accepted) == ("no such card" in said)
    assert (status == 2 and typed is None) == ("ACCEPT_CUDA=1" in said)


def test_the_container_holds_what_the_wheel_is_made_of() -> None:
    """Every folder that the build wants is copied, no secret and no history is, and nobody is root in it."""
    text = (ROOT / "Containerfile").read_text()
    copied = {word for line in re.findall(r"^COPY (.*)$", text, re.M) for word in line.split()[:-1]}
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert {*wheel["only-include"], "pyproject.toml", "constraints.txt", "README.md"} == copied
    assert "USER 1000" in text and {".git", ".venv"} <= set((ROOT / ".containerignore").read_text().split())
