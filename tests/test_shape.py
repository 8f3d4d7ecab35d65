"""The shape of the code, held by a machine: doors, words, what is shipped. `python -m benchmarks.shape` reports sizes."""

from __future__ import annotations

import ast
import os
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from benchmarks.shape import Module, computes_verdict, shared_class_names
from sleepd.settings.sections import ReflectionConfig, keys
from sleepd.settings.settings import section_classes

ROOT = Path(__file__).parent.parent
PRODUCT = ("sleepd", "harvesters")

BROAD_HANDLERS = {"sleepd/pipeline/rollout.py": 1, "sleepd/resident/scheduled.py": 1}
"""One rollout, which becomes `Unscored`, and the scheduled job, which must see another night."""

UNTYPED_FLOORS = ("harvesters/", "sleepd/models/")
"""Where somebody else's JSON comes in."""

WORDS_WITHOUT_MEANING = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "base"}

ONE_MEANING_IN_TWO_MODULES = {
    "Memory": "what a harvester keeps of a file between two readings; one for each format",
    "_Reply": "the form in which one prompt wants its reply; private to the module that asks",
}
"""Class name -> why classes of several modules bear it. At most five."""

IMPORTED_FOR_TYPES_STILL = {"sleepd/registry.py", "sleepd/views/report.py", "sleepd/views/trained.py"}
"""Modules that hide an import from what runs. This set only shrinks."""

SETTINGS_THEMSELVES = (
    "sleepd/settings/config.py",
    "sleepd/settings/settings.py",
    "sleepd/settings/values.py",
    "sleepd/settings/sections.py",
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


# Reading the tree ---------------------------------------------------------------------------------------------------


def sources(*folders: str) -> list[str]:
    """Python files below the folders, as paths from the root. Migrations are written by a tool and never changed."""
    found = (path.relative_to(ROOT).as_posix() for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return sorted(path for path in found if "/migrations/versions/" not in path)


@cache
def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


@cache
def tree(path: str) -> ast.Module:
    return ast.parse(text(path), path)


@cache
def modules() -> list[Module]:
    """As `benchmarks.shape.product` gives them, each parsed once for all tests."""
    return [Module(path=path, source=text(path), tree=tree(path)) for path in sources(*PRODUCT)]


@cache
def nodes(path: str) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree(path)))


def place(path: str, node: ast.AST, what: str = "") -> str:
    return f"{path}:{getattr(node, 'lineno', 1)} {what}".rstrip()


def dotted(node: ast.expr) -> str:
    return ast.unparse(node)


def listed(found: list[str]) -> str:
    """All of them, one to a line: the list is what the reader has to work through."""
    return "\n".join(["", *found])


# Doors --------------------------------------------------------------------------------------------------------------


def test_broad_handlers_stand_in_two_places() -> None:
    """`except Exception` elsewhere would turn a defect into a quiet zero."""
    found: dict[str, list[str]] = {}
    for path in sources(*PRODUCT):
        broad = [place(path, node) for node in nodes(path) if is_broad(node)]
        if len(broad) > BROAD_HANDLERS.get(path, 0):
            found[path] = broad
    assert {} == found


def is_broad(node: ast.AST) -> bool:
    if not isinstance(node, ast.ExceptHandler):
        return False
    caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    return any(kind is None or dotted(kind) in ("Exception", "BaseException") for kind in caught)


def test_untyped_dictionaries_stay_where_foreign_json_comes_in() -> None:
    """`dict[str, Any]` is for harvesters and models; everybody else has a name for what is passed."""
    found = [
        place(path, node, dotted(node))
        for path in sources(*PRODUCT)
        if not path.startswith(UNTYPED_FLOORS)
        for node in nodes(path)
        if isinstance(node, ast.Subscript) and is_untyped(node)
    ]
    assert [] == found, listed(found)


def is_untyped(node: ast.Subscript) -> bool:
    if not isinstance(node.slice, ast.Tuple) or not dotted(node.value).rpartition(".")[2].lower().endswith(
        ("dict", "mapping")
    ):
        return False
    return dotted(node.slice.elts[-1]).rpartition(".")[2] == "Any"


def test_our_own_code_is_not_mocked() -> None:
    """Tests use the fakes that are shipped; a mock agrees with whatever the test believes."""
    imported = [
        place(path, node, name)
        for path in sources("tests", "benchmarks")
        if "mock" in text(path)
        for node in nodes(path)
        for name in imports(node)
        if name.startswith(("unittest.mock", "mock", "pytest_mock"))
    ]
    assert [] == imported, listed(imported)


def imports(node: ast.AST) -> list[str]:
    match node:
        case ast.Import():
            return [alias.name for alias in node.names]
        case ast.ImportFrom(module=str(module)):
            return [f"{module}.{alias.name}" for alias in node.names]
        case _:
            return []


def test_only_the_daemon_knows_the_clock_and_the_ear() -> None:
    """apscheduler and watchdog have one door."""
    outside = [
        place(path, node, name)
        for path in sources(*PRODUCT)
        if path not in ("sleepd/resident/daemon.py", "sleepd/resident/watcher.py")
        for node in nodes(path)
        for name in imports(node)
        if name.startswith(("apscheduler", "watchdog"))
    ]
    assert [] == outside, listed(outside)


def test_only_the_mcp_server_knows_its_protocol() -> None:
    """mcp has one door: the folder that is named after it."""
    outside = [
        place(path, node, name)
        for path in sources(*PRODUCT)
        if not path.startswith("sleepd/mcp/")
        for node in nodes(path)
        for name in imports(node)
        if name.split(".")[0] in ("mcp", "mcp_types")
    ]
    assert [] == outside, listed(outside)


def test_one_module_computes_verdicts() -> None:
    """Everybody else compares, stores, looks up and shows them."""
    assert ["sleepd/core/experiment.py"] == [m.path for m in modules() if computes_verdict(m)]


def test_every_package_has_a_floor() -> None:
    """A package that import-linter does not know could import anything."""
    contracts = project()["tool"]["importlinter"]["contracts"]
    floors = {
        name.strip()
        for c in contracts
        if c["type"] == "layers"
        for layer in c["layers"]
        for name in re.split("[|:]", layer)
    }
    packages = {f"sleepd.{folder.parent.name}" for folder in (ROOT / "sleepd").glob("*/__init__.py")}
    assert set() == packages - floors


def test_no_import_is_for_the_type_checker_alone() -> None:
    """Such an import hides a circle, or that a module knows too much. A provider's SDK is one: it is loaded on first use.

    So is what the builders of `compose` build, and the sections of the settings: whoever opens the database does not
    wait for the night, nor for the sections who asks for a place. And so is SQLAlchemy: a harvest stores without it.
    """
    hidden = {
        path
        for path in sources(*PRODUCT)
        for node in nodes(path)
        if isinstance(node, ast.If) and dotted(node.test).endswith("TYPE_CHECKING")
    }
    on_first_use = {
        "sleepd/compose.py",
        "sleepd/models/anthropic.py",
        "sleepd/models/openai.py",
        "sleepd/settings/config.py",
        "sleepd/store/database.py",
    }
    assert on_first_use | IMPORTED_FOR_TYPES_STILL == hidden


# Words --------------------------------------------------------------------------------------------------------------


def test_every_module_is_named_after_what_it_holds() -> None:
    """No utils, helpers, common, misc, manager or base."""
    named = [path for path in sources(*PRODUCT, "tests", "benchmarks", "docs") if words(path) & WORDS_WITHOUT_MEANING]
    assert [] == named, listed(named)


def words(path: str) -> set[str]:
    return {word for part in path.removesuffix(".py").split("/") for word in (part, *part.split("_"))}


def test_a_class_name_means_one_thing() -> None:
    """Classes of two modules share a name only where they are the same idea, with the reason given above."""
    shared = shared_class_names(modules())
    unexplained = {n: at for n, at in shared.items() if n not in ONE_MEANING_IN_TWO_MODULES}
    assert {} == unexplained
    assert len(ONE_MEANING_IN_TWO_MODULES) <= 5
    assert set() == set(ONE_MEANING_IN_TWO_MODULES) - set(shared), "an exception that nobody needs"


def test_the_core_and_the_harvesters_say_what_the_caller_gets() -> None:
    """Every module, public class and public function there has a docstring; enumerations speak by their members."""
    silent = [where for path in sources("sleepd/core", "harvesters") for where in undocumented(path)]
    assert [] == silent, listed(silent)


def undocumented(path: str) -> Iterator[str]:
    module = tree(path)
    if ast.get_docstring(module) is None:
        yield place(path, module, "the module")
    for node in module.body:
        public = isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_")
        if public and ast.get_docstring(node) is None and not is_enumeration(node):
            yield place(path, node, node.name)


def is_enumeration(node: ast.AST) -> bool:
    return isinstance(node, ast.ClassDef) and any(dotted(base).endswith("Enum") for base in node.bases)


def test_log_events_are_a_noun_and_what_became_of_it() -> None:
    """`night.started`, not `Starting night…`: an event is found by its name."""
    odd = [
        place(path, node, event)
        for path in sources(*PRODUCT)
        for node in nodes(path)
        if (event := logged(node)) is not None and not re.fullmatch(r"[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*", event)
    ]
    assert [] == odd, listed(odd)


def logged(node: ast.AST) -> str | None:
    """The event of a call such as `log.info("night.started", …)`."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.expr() as logger, attr="debug" | "info" | "warning" | "error" | "exception"),
            args=[ast.Constant(value=str(event)), *_],
        ) if dotted(logger).rpartition(".")[2].strip("_") in ("log", "logger"):
            return event
        case _:
            return None


# Settings -----------------------------------------------------------------------------------------------------------


def test_every_setting_is_read_somewhere() -> None:
    """A key that nobody reads is a promise that nobody keeps."""
    readers = [path for path in sources("sleepd") if not path.startswith(SETTINGS_THEMSELVES)]
    read = {node.attr for path in readers for node in nodes(path) if isinstance(node, ast.Attribute)}
    # Read by a property of the settings themselves.
    means = {
        **{f"reflection.{key}": "for_reflection" for key in keys(ReflectionConfig)},
        "harvest.include_headless": "kinds",
    }
    unread = [
        f"{name}.{key}"
        for name, section in section_classes().items()
        for key in keys(section)
        if means.get(f"{name}.{key}", key) not in read
    ]
    assert [] == unread, listed(unread)


# What is shipped ----------------------------------------------------------------------------------------------------


@cache
def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_pip_of_any_age_finds_the_tools_of_development() -> None:
    """The extra `dev` is the dependency group `dev`, which pip reads only since 25.1."""
    assert project()["dependency-groups"]["dev"] == project()["project"]["optional-dependencies"]["dev"]


def test_everything_installed_is_pinned() -> None:
    """`constraints.txt` holds one tested version of each requirement, without a build tag, which only some indexes have."""
    extras = project()["project"]["optional-dependencies"].values()
    required = {bare(line) for group in (project()["project"]["dependencies"], *extras) for line in group}
    pins = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if line and not line.startswith("#")]
    assert [] == [pin for pin in pins if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+", pin)]
    assert set() == required - {bare(pin) for pin in pins}


def bare(requirement: str) -> str:
    return re.split(r"[^A-Za-z0-9._-]", requirement)[0].lower().replace("_", "-")


UNKEPT = {".git", ".venv", ".e2e", "__pycache__", "build", "dist", "node_modules", ".hypothesis", ".cache"}


def shipped() -> Iterator[Path]:
    """Every file of the repository but what tools leave behind."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in UNKEPT and not name.endswith(("_cache", ".egg-info"))]
        yield from (Path(folder, name) for name in names if name not in UNKEPT)


def pattern(*halves: str) -> re.Pattern[bytes]:
    """Each half-word pair is joined here, so that this file does not hold what it looks for."""
    pairs = zip(halves[::2], halves[1::2], strict=True)
    return re.compile("|".join(re.escape(left + right) for left, right in pairs).encode())


REGISTRIES = pattern(
    "py", "pi.org", "python", "hosted.org", "pytorch", ".org/whl", "registry.npm", "js.org", "npm", "mirror",
    "crates", ".io",
)  # fmt: skip
MACHINES = pattern(
    "/work/", "main", "/work/", "shared", "/work/", "tmp", "/ro", "ot/", "/opt/", "pypi", "/opt/", "wheels"
)


@pytest.mark.parametrize("unwanted", [REGISTRIES, MACHINES], ids=["registry hosts", "machine paths"])
def test_nothing_shipped_knows_where_it_was_made(unwanted: re.Pattern[bytes]) -> None:
    """Which package index is used, and where a checkout lies, is the user's business."""
    found = [
        f"{file.relative_to(ROOT)}: {match.group().decode()}"
        for file in shipped()
        if (match := unwanted.search(file.read_bytes()))
    ]
    assert [] == found, listed(found)


def test_nothing_that_installs_chooses_an_index() -> None:
    """pip asks the index that the user has set up."""
    installers = ["Makefile", ".ci/run", "constraints.txt", "pyproject.toml", "CONTRIBUTING.md", "README.md"]
    options = ("--index", "--extra-index", "--find-links", "-i http", "PIP_INDEX", "PIP_FIND")
    assert [] == [name for name in installers if any(option in (ROOT / name).read_text() for option in options)]


def test_the_shape_test_sees_the_product() -> None:
    """The tests above would all hold for an empty list of files."""
    assert {"sleepd/core/model.py", "harvesters/records.py", "sleepd/settings/config.py"} <= set(sources(*PRODUCT))
    assert {"Makefile", "run", "test_shape.py"} <= {file.name for file in shipped()}
