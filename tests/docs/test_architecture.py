"""The page on the architecture: its places exist, and its examples are carried out as they are written."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

from docs import floors, site
from sleepd import cli, compose, registry
from sleepd.core import schedule
from sleepd.core.model import Replay, RunId, Score, digest
from sleepd.core.ports import Ask, CallPurpose, Reply
from sleepd.models.metered import Ledger
from sleepd.models.scripted import ScriptedModel
from sleepd.pipeline.rollout import RunContext, ShownText, run_all
from sleepd.settings import config
from sleepd.store import tasks
from sleepd.store.tasks import StoredTask
from tests.cli.command import configure, live_in, sleepd
from tests.homes import move_into

PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
LONGEST_TEST = 30
SESSIONS = 15

Add = Callable[[str], str]
"""From a heading such as `Add a model` to the name that its package is registered under."""
TEXT = ShownText(address=digest("- Be brief.\n"), body="- Be brief.\n")
Measuring = Callable[[ScriptedModel], AbstractContextManager[tuple[RunContext, StoredTask]]]
"""From a model to a run, and a task to try it on."""
Write = Callable[[str, str], ModuleType]
"""From the name of a module and a heading to the module."""


def blocks(heading: str, language: str) -> list[str]:
    """The blocks of code below a heading of the page."""
    (part,) = re.findall(rf"^### {heading}\n(.*?)(?=^##|\Z)", PAGE, re.DOTALL | re.MULTILINE)
    return re.findall(rf"^```{language}\n(.*?)^```$", part, re.DOTALL | re.MULTILINE)


@pytest.fixture
def add(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Add]:
    """Installs the package that the page shows, as pip would: a module, and the entry point in its metadata."""
    modules: list[str] = []

    def adding(heading: str) -> str:
        (source,), (project,) = blocks(heading, "python"), blocks(heading, "toml")
        ((group, points),) = tomllib.loads(project)["project"]["entry-points"].items()
        ((name, value),) = points.items()
        folder = tmp_path / "installed"
        module = value.split(":")[0]
        modules.append(module)
        information = folder / f"{module}-1.dist-info"
        information.mkdir(parents=True)
        (folder / f"{module}.py").write_text(source, encoding="utf-8")
        (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1\n")
        (information / "entry_points.txt").write_text(f"[{group}]\n{name} = {value}\n")
        monkeypatch.syspath_prepend(folder)
        registry._points.cache_clear()
        return name

    yield adding
    registry._points.cache_clear()
    for module in modules:
        sys.modules.pop(module, None)


@pytest.fixture(scope="module")
def mined(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with tasks in its database."""
    home = tmp_path_factory.mktemp("mined")
    live_in(home, SESSIONS)
    configure(home)
    with pytest.MonkeyPatch.context() as patch:
        move_into(patch, home)
        assert (0, 0) == (sleepd("harvest").code, sleepd("mine").code)
    return home


@pytest.fixture
def with_tasks(mined: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Be in that home."""
    move_into(monkeypatch, mined)
    return mined


@pytest.fixture
def write(monkeypatch: pytest.MonkeyPatch) -> Write:
    """Makes a module of sleepd from the first block of code below a heading."""

    def writing(name: str, heading: str) -> ModuleType:
        module = ModuleType(name)
        monkeypatch.setitem(sys.modules, name, module)  # dataclasses look their module up
        exec(blocks(heading, "python")[0], vars(module))
        return module

    return writing


@pytest.fixture
def measuring(with_tasks: Path) -> Measuring:
    """A run as the use cases make it, over a database with tasks, and one of them."""

    @contextmanager
    def measure(model: ScriptedModel) -> Iterator[tuple[RunContext, StoredTask]]:
        with closing(compose.database(config.places())) as database:
            settings = config.load()
            run = RunId(id="2026-11-22-1")
            embedder = compose.embedder(settings)
            asked = compose.Adapters(embedder=embedder, task=model, reflection=model, ledger=Ledger())
            ctx = compose.context(settings, database, asked, run)
            assert TEXT.address == ctx.put_text(TEXT.body)
            with database.reading() as connection:
                yield ctx, next(s for s in tasks.load(connection) if s.usable)

    return measure


def test_a_harvester_is_one_module_and_one_entry_point(add: Add, begun: Path) -> None:
    """Its transcripts are harvested like all others, and a damaged line becomes a defect."""
    name = add("Add a harvester")
    folder = begun / ".notepad"
    folder.mkdir()
    said = [{"who": "user", "text": "Sort the list."}, {"who": "notepad", "text": "Sorted."}]
    (folder / "monday.jsonl").write_text("\n".join([*map(json.dumps, said), "{damaged", ""]))
    done = sleepd("harvest", "--since", "all", "--json")
    assert 0 == done.code, done.err
    assert (1, 2, 1) == tuple(done.json[counted] for counted in ("sessions", "turns", "defects"))
    assert 1 == done.json["by_agent"][name]


def test_a_model_is_one_module_and_one_entry_point(add: Add) -> None:
    """The settings choose it by name, and its calls are counted like those of any other."""
    name = add("Add a model")
    task, _reflection, ledger = compose.models(config.load(overrides={"model.name": name, "model.model": "any"}))
    reply = task.ask(Ask(purpose=CallPurpose.ROLLOUT, system="", prompt="Is anybody there?"))
    assert isinstance(reply, Reply)
    assert ("Is anybody there?", 1) == (reply.text, ledger.spending().total.calls)


def test_a_judge_is_one_module_and_one_entry_point(add: Add, measuring: Measuring) -> None:
    """Criteria that name it are enough: its score is stored like that of any other judge."""
    name = add("Add a judge")
    criteria = importlib.import_module(name).Brevity(words=2)
    with measuring(ScriptedModel("four words it is")) as (ctx, task):
        request = ctx.request_of(Replay.TEXT, task, TEXT, criteria, schedule.baseline(0, "n1"))
        (rollout,) = run_all(ctx, [request])
        assert Score(value=0.5, reason="4 words") == rollout.result
    with measuring(ScriptedModel()) as (ctx, _task):
        assert [rollout] == run_all(ctx, [request])


def test_a_replayer_is_one_module_and_one_entry_point(add: Add, measuring: Measuring) -> None:
    """Its kind of replay chooses it; its rollouts are apart from those of another kind."""
    name = add("Add a replayer")
    model = ScriptedModel("git status", "An answer.")
    with measuring(model) as (ctx, task):
        kinds = (Replay(name), Replay.TEXT)
        requests = [ctx.request_of(k, task, TEXT, ctx.criteria(task), schedule.baseline(0, "n1")) for k in kinds]
        (step,), (answer,) = run_all(ctx, requests[:1]), run_all(ctx, requests[1:])
    assert ("git status", "An answer.") == (step.answer, answer.answer)
    assert "Which command do you run first?" in model.asks[0].prompt
    assert "Which command do you run first?" not in model.asks[1].prompt


def test_a_view_is_one_module_and_registers_nowhere(write: Write) -> None:
    """A result, one function for each form: the same facts for people and for programs."""
    view = write("sleepd.views.kinds_of_work", "Add a view")
    result = view.KindsOfWork(kinds=3, tasks=17)
    assert "3 kinds of work recur, in 17 tasks." == view.kinds_text(result)
    assert {"kinds": 3, "tasks": 17} == json.loads(json.dumps(view.kinds_json(result)))


def test_a_verb_is_one_function_and_one_line(write: Write, monkeypatch: pytest.MonkeyPatch, with_tasks: Path) -> None:
    """The command knows it, shows its result to people and to programs, and lists it in the help."""
    write("sleepd.views.kinds_of_work", "Add a view")
    write("sleepd.cli.kinds", "Add a verb")
    for name, verb in eval(f"{{{blocks('Add a verb', 'python')[1]}}}", {"Verb": cli.Verb}).items():
        monkeypatch.setitem(cli.VERBS, name, verb)
    found = sleepd("kinds", "--json").json
    assert found["tasks"] > found["kinds"] > 0
    assert f"{found['kinds']} kinds of work recur, in {found['tasks']} tasks." == sleepd("kinds").out.strip()
    assert "Say how much work recurs." in sleepd("--help").out


def test_each_part_is_added_in_at_most_thirty_lines() -> None:
    """What takes more would not be one place."""
    tests = [value for name, value in globals().items() if name.startswith("test_a_")]
    assert len(tests) == len(re.findall(r"^### Add ", PAGE, re.MULTILINE))
    assert {} == {t.__name__: n for t in tests if (n := len(inspect.getsource(t).splitlines())) > LONGEST_TEST}


@pytest.mark.parametrize("place", sorted(set(re.findall(r"`((?:sleepd|harvesters)[\w.]*:[\w.]+)`", PAGE))))
def test_every_place_on_the_page_exists(place: str) -> None:
    """`module:Name` or `module:Name.attribute` can be imported."""
    module, _, path = place.partition(":")
    value = importlib.import_module(module)
    for name in path.split("."):
        fields = {f.name for f in dataclasses.fields(value)} if dataclasses.is_dataclass(value) else set()
        assert hasattr(value, name) or name in fields, f"{place}: no {name}"
        value = getattr(value, name, None)


def test_the_page_shows_every_room_and_its_libraries() -> None:
    """The picture is the contracts: each room once, each floor above what it may import, each library at its door."""
    shown = floors.floors()
    rooms = [room for floor in shown for room in floor.rooms]
    assert {"store", "core", "harvesters"} <= {room.name for room in rooms}
    assert {"store", "models", "host"} == {room.name for room in rooms if room.libraries}, "a contract misses a room"
    assert ("sqlalchemy", "alembic", "sqlite3") == next(room.libraries for room in rooms if room.name == "store")
    assert all(f"| `{room.name}` | {room.about} |" in PAGE and room.about for room in rooms)
    chart = floors.mermaid(shown)
    assert [f"  floor{n} --> floor{n + 1}" for n in range(len(shown) - 1)] == chart.splitlines()[-len(shown) + 1 :]
    drawn = [node.text for node in ElementTree.fromstring(floors.svg(shown)).iter("{http://www.w3.org/2000/svg}text")]
    assert all(room.name in drawn and all(library in chart for library in room.libraries) for room in rooms)


def test_the_site_shows_the_picture_without_a_script() -> None:
    """Where a code host draws the Mermaid text, the site has an image of its own."""
    shown = site.on_page_markdown(PAGE)
    assert "```mermaid" in PAGE and "mermaid" not in shown
    assert "](floors.svg)" in shown and "| `store` |" in shown


def test_strangers_and_neighbours_are_told_apart(tmp_path: Path) -> None:
    """Rooms that may import one another have an arrow between them; a bar in the contract makes strangers."""
    (tmp_path / "pyproject.toml").write_text(
        '[[tool.importlinter.contracts]]\ntype = "layers"\nlayers = ["top.a : top.b", "top.c | top.d"]\n'
    )
    (tmp_path / "top").mkdir()
    for name in "abcd":
        (tmp_path / "top" / f"{name}.py").write_text(f'"""The room {name}. More."""')
    shown = floors.floors(tmp_path)
    assert [False, True] == [floor.strangers for floor in shown]
    assert ["The room a", "The room b"] == [room.about for room in shown[0].rooms]
    chart = floors.mermaid(shown)
    assert "top.a_ <--> top.b_" in chart and "top.c_ <--> top.d_" not in chart


def test_the_examples_are_written_as_the_house_writes() -> None:
    """They parse, and every public name in them has a docstring."""
    sources = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    trees = [ast.parse(source) for source in sources if not source.startswith('"')]
    named = [n for tree in trees for n in tree.body if isinstance(n, ast.ClassDef | ast.FunctionDef)]
    assert len(named) >= 3 and [] == [n.name for n in named if ast.get_docstring(n) is None]
