"""The shape of the code, beside that of the commit before the redesign: `python -m benchmarks.shape [--base REV]`.

Prints rows of docs/reference/benchmarks.md, then the functions and files over the sizes that this project would like to
keep. Those are no errors: a function may be long when it reads better so. `--long` names each; `--fast` leaves out what
has to be run (frames and start-up).

Product code is `sleepd` and `harvesters`, without the migrations, which a tool writes. The figures:

- circle: modules that import one another, directly or through others. Imports inside functions and those for the type
  checker alone count like all others.
- module that computes a verdict: makes a `Decision`, or puts a member of `Verdict` into something's `verdict`, into a
  variable or into its answer. To compare with a verdict, to store one and to look one up computes none.
- anonymous tuple parameter: annotated as a `tuple[...]` of two or more fixed positions, such as `tuple[Wish, Told]`.
- helper used once: a function whose name begins with `_` and is named once in its module; as a share of all functions.
- class name with two meanings: given to classes of two or more modules.
- frames: functions of sleepd from the verb `run` to the adapter's `ask`, both ends counted but for `ask` itself, in the
  longest chain of a simulated night (`benchmarks.frames`).
- line of product code: holds more than blanks and a comment. Lines of docstrings count: they are maintained as well.
- length of a function: from `def` to the end without the docstring, nested functions included.
- start-up: CPU time of the process in user and system mode, with an empty database; the median of five. The two
  trees are measured in turns.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tarfile
import tempfile
import tokenize
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BEFORE_THE_REDESIGN = "9aa30f4"
PRODUCT = ("sleepd", "harvesters")
STARTED = ("status", "proposals")
ROUNDS = 5

LONG_FUNCTION, LONG_FILE = 60, 400
LIMITS = (
    "lint.mccabe.max-complexity=10",
    "lint.pylint.max-args=5",
    "lint.pylint.max-branches=12",
    "lint.pylint.max-statements=50",
)
LIMIT_RULES = {
    "C901": "functions of a complexity over 10",
    "PLR0912": "functions with more than 12 branches",
    "PLR0913": "functions with more than 5 parameters",
    "PLR0915": "functions with more than 50 statements",
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One row of the table."""

    name: str
    value: str
    wanted: str
    names: tuple[str, ...] = ()
    """What was counted, for `--long`."""


# Reading a tree -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """One Python file of the product."""

    path: str
    """From the root of the tree."""
    source: str
    tree: ast.Module

    def functions(self) -> Iterator[Function]:
        return (node for node in ast.walk(self.tree) if isinstance(node, Function))


def product(root: Path, packages: Sequence[str] = PRODUCT) -> list[Module]:
    """The modules below `root`, sorted by path."""
    paths = sorted(path for package in packages for path in (root / package).rglob("*.py"))
    names = [path.relative_to(root).as_posix() for path in paths]
    sources = {n: (root / n).read_text(encoding="utf-8") for n in names if "/migrations/versions/" not in n}
    return [Module(path=name, source=source, tree=ast.parse(source, name)) for name, source in sources.items()]


# What can be read ---------------------------------------------------------------------------------------------------


def circles(imported: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """The groups of modules that import one another; `imported` is module -> modules it imports."""

    def reached(module: str) -> set[str]:
        seen: set[str] = set()
        waiting = [module]
        while waiting:
            new = set(imported.get(waiting.pop(), ())) - seen
            seen |= new
            waiting += new
        return seen

    reach = {module: reached(module) for module in imported}
    groups = {frozenset(other for other in reach[m] if m in reach[other]) for m in imported if m in reach[m]}
    return sorted(sorted(group) for group in groups)


def computes_verdict(module: Module) -> bool:
    """Whether the module makes a verdict, as the head of this page has it."""
    fields = {id(s) for n in ast.walk(module.tree) if isinstance(n, ast.ClassDef) for s in n.body}
    for node in ast.walk(module.tree):
        match node:
            case ast.Call(func=func) if ast.unparse(func).rpartition(".")[2] == "Decision":
                return True
            case ast.Call(keywords=given) if any(k.arg == "verdict" and _is_member(k.value) for k in given):
                return True
            case ast.Return(value=ast.Tuple(elts=parts)) if any(_is_member(part) for part in parts):
                return True
            case ast.Return(value=ast.expr() as value) if _is_member(value):
                return True
            case ast.Assign(value=value) if id(node) not in fields and _is_member(value):
                return True
            case ast.AnnAssign(value=ast.expr() as value) if id(node) not in fields and _is_member(value):
                return True
    return False


def _is_member(value: ast.expr) -> bool:
    """Whether the value of the expression may be a member of `Verdict` that is written there."""
    match value:
        case ast.Attribute(value=ast.Name(id="Verdict") | ast.Attribute(attr="Verdict")):
            return True
        case ast.IfExp(body=one, orelse=other):
            return _is_member(one) or _is_member(other)
        case ast.BoolOp(values=parts):
            return any(_is_member(part) for part in parts)
        case _:
            return False


def tuple_parameters(module: Module) -> list[str]:
    """`path:line function(parameter)` of each parameter that is an anonymous tuple."""
    return [
        f"{module.path}:{function.lineno} {function.name}({parameter.arg})"
        for function in module.functions()
        for parameter in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
        if _is_anonymous(parameter.annotation)
    ]


def _is_anonymous(annotation: ast.expr | None) -> bool:
    match annotation:
        case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=[_, last, *rest])):
            last = rest[-1] if rest else last
            return not (isinstance(last, ast.Constant) and last.value is ...)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _is_anonymous(left) or _is_anonymous(right)
        case _:
            return False


def used_once(module: Module) -> list[str]:
    """`path:line function` of each private function that its module names once."""
    named: Counter[str] = Counter()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Name):
            named[node.id] += 1
        elif isinstance(node, ast.Attribute):
            named[node.attr] += 1
    return [
        f"{module.path}:{function.lineno} {function.name}"
        for function in module.functions()
        if function.name.startswith("_") and not function.name.startswith("__") and named[function.name] == 1
    ]


def shared_class_names(modules: Iterable[Module]) -> dict[str, list[str]]:
    """Class name -> the modules that give it to a class; names of one module alone are left out."""
    homes: dict[str, set[str]] = defaultdict(set)
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                homes[node.name].add(module.path)
    return {name: sorted(paths) for name, paths in sorted(homes.items()) if len(paths) > 1}


def code_lines(source: str) -> int:
    """Lines that hold more than blanks and a comment."""
    lines: set[int] = set()
    empty = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in empty:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines)


def length(function: Function) -> int:
    """Lines from `def` to the end, without the docstring."""
    first = function.body[0]
    documented = ast.get_docstring(function) is not None
    docstring = (first.end_lineno or 0) - first.lineno + 1 if documented else 0
    return (function.end_lineno or 0) - function.lineno + 1 - docstring


# What has to be run -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """A tree whose code can be run: its own, whatever is installed."""

    root: Path
    shadow: Path
    """A folder that stands for the installed package, with the entry points of this tree."""

    def run(self, *command: str, home: Path | None = None) -> str:
        """stdout of `python COMMAND` with the code of the tree; ends this process with its last words on a failure."""
        foreign = ("SLEEPD_", "XDG_", "PYTHON", "CLAUDE", "CODEX", "COPILOT", "VSCODE", "ANTHROPIC_", "OPENAI_")
        given = {k: v for k, v in os.environ.items() if not k.startswith(foreign)}  # noqa: TID251  handed to a child
        given |= {"PYTHONPATH": os.pathsep.join(map(str, (self.shadow, self.root)))}
        given |= {"HOME": str(home), "USERPROFILE": str(home)} if home is not None else {}
        done = subprocess.run(
            [sys.executable, *command], env=given, cwd=self.shadow, check=False, capture_output=True, text=True,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        if done.returncode:
            sys.exit(f"{' '.join(command)} in {self.root}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def imports(self) -> dict[str, list[str]]:
        """Module -> the modules of the product that it imports, as grimp finds them."""
        script = (
            f"import grimp, json; g = grimp.build_graph(*{PRODUCT!r}, cache_dir=None);"
            "print(json.dumps({m: sorted(g.find_modules_directly_imported_by(m)) for m in sorted(g.modules)}))"
        )
        return {module: list(found) for module, found in json.loads(self.run("-c", script)).items()}

    def frames(self) -> dict[str, list[str]]:
        """Purpose of a call -> the longest chain of functions to it."""
        return {p: list(chain) for p, chain in json.loads(self.run("-m", "benchmarks.frames")).items()}

    def cpu_ms(self, home: Path, *arguments: str) -> float:
        """What `sleepd ARGUMENTS` takes of a processor."""

        def children() -> float:
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            return used.ru_utime + used.ru_stime

        before = children()
        self.run("-m", "sleepd", *arguments, home=home)
        return (children() - before) * 1000


def start_up(trees: Sequence[Checkout]) -> list[list[Figure]]:
    """For each tree the median of each verb; the trees are measured in turns, so that a busy moment meets all."""
    times: dict[str, list[list[float]]] = {verb: [[] for _ in trees] for verb in STARTED}
    with tempfile.TemporaryDirectory() as folder:
        homes = [Path(folder, str(number)) for number, _ in enumerate(trees)]
        for tree, home in zip(trees, homes, strict=True):
            home.mkdir()
            tree.cpu_ms(home, "init", "--yes")
        for turn in range(ROUNDS + 1):
            for verb, found in times.items():
                for tree, home, own in zip(trees, homes, found, strict=True):
                    spent = tree.cpu_ms(home, verb)
                    if turn > 0:  # the first compiles
                        own.append(spent)
    return [
        [
            Figure(
                name=f"CPU time of `sleepd {verb}`", value=f"{statistics.median(found[n]):.0f} ms", wanted="not more"
            )
            for verb, found in times.items()
        ]
        for n, _ in enumerate(trees)
    ]


@contextmanager
def checkout(root: Path) -> Iterator[Checkout]:
    """The tree at `root` as if it were installed, beside the adapter of `benchmarks.frames` and this file's folder."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {"console_scripts": project["scripts"], **{k: dict(v) for k, v in project["entry-points"].items()}}
    groups["sleepd.models"] |= {"counted": "benchmarks.frames:from_settings"}
    with tempfile.TemporaryDirectory() as folder:
        shadow = Path(folder)
        information = shadow / f"{project['name']}-0.dist-info"
        information.mkdir()
        (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 0\n")
        lines = [
            line
            for group, points in groups.items()
            for line in (f"[{group}]", *(f"{name} = {value}" for name, value in points.items()), "")
        ]
        (information / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
        # The measuring module is that of the present tree, in both trees.
        (shadow / "benchmarks").mkdir()
        (shadow / "benchmarks" / "__init__.py").touch()
        (shadow / "benchmarks" / "frames.py").write_bytes((ROOT / "benchmarks" / "frames.py").read_bytes())
        yield Checkout(root=root, shadow=shadow)


@contextmanager
def tree_of(revision: str) -> Iterator[Path]:
    """The files of a commit, in a folder that is gone afterwards."""
    packed = subprocess.run(["git", "archive", revision], cwd=ROOT, check=True, capture_output=True).stdout
    with tempfile.TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
        yield Path(folder)


# The figures --------------------------------------------------------------------------------------------------------


def read_figures(modules: Sequence[Module]) -> Iterator[Figure]:
    """The figures that need nothing but the files."""
    verdicts = [m.path for m in modules if computes_verdict(m)]
    yield Figure(name="modules that compute a verdict", value=f"{len(verdicts)}", wanted="1", names=tuple(verdicts))
    tuples = [found for m in modules for found in tuple_parameters(m)]
    yield Figure(name="anonymous tuple parameters", value=f"{len(tuples)}", wanted="≤ 5", names=tuple(tuples))
    lengths = [length(function) for m in modules for function in m.functions()]
    once = [found for m in modules for found in used_once(m)]
    share = f"{100 * len(once) / len(lengths):.0f} %"
    yield Figure(name="private helpers used once, of all functions", value=share, wanted="≤ 12 %", names=tuple(once))
    shared = [f"{name}: {', '.join(paths)}" for name, paths in shared_class_names(modules).items()]
    yield Figure(name="class names with two meanings", value=f"{len(shared)}", wanted="≤ 5", names=tuple(shared))
    lines = sum(code_lines(m.source) for m in modules)
    yield Figure(name="lines of product code", value=f"{lines:,}", wanted="−10 %")
    p90 = statistics.quantiles(lengths, n=10, method="inclusive")[-1]
    yield Figure(name="length of functions, 90th percentile", value=f"{p90:.0f}", wanted="≤ 35")
    yield Figure(name="longest function", value=f"{max(lengths)}", wanted="≤ 90")


def run_figures(tree: Checkout) -> Iterator[Figure]:
    """The figures for which the code of the tree is run."""
    groups = [", ".join(group) for group in circles(tree.imports())]
    yield Figure(name="circles of imports", value=f"{len(groups)}", wanted="0", names=tuple(groups))
    chain = max(tree.frames().values(), key=len)
    yield Figure(name="frames from `run` to a model call", value=f"{len(chain)}", wanted="≤ 9", names=tuple(chain))


def figures(roots: Sequence[Path], *, fast: bool) -> list[list[Figure]]:
    """All figures of each tree."""
    found = [list(read_figures(product(root))) for root in roots]
    if not fast:
        with ExitStack() as stack:
            trees = [stack.enter_context(checkout(root)) for root in roots]
            for own, tree, started in zip(found, trees, start_up(trees), strict=True):
                own += [*run_figures(tree), *started]
    return found


def over_size(root: Path, modules: Sequence[Module]) -> list[Figure]:
    """What is larger than this project would like, for a person to look at."""
    functions = [
        f"{m.path}:{f.lineno} {f.name}: {length(f)}"
        for m in modules
        for f in m.functions()
        if length(f) > LONG_FUNCTION
    ]
    sizes = {m.path: len(m.source.splitlines()) for m in modules}
    files = [f"{path}: {lines}" for path, lines in sizes.items() if lines > LONG_FILE]
    counted = {f"functions over {LONG_FUNCTION} lines": functions, f"files over {LONG_FILE} lines": files}
    told = [option for limit in LIMITS for option in ("--config", limit)]
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--exit-zero", "--ignore-noqa"]
    rules = ["--select", ",".join(LIMIT_RULES), "--output-format", "json", "--exclude", "**/migrations/versions"]
    done = subprocess.run([*command, *rules, *told, *PRODUCT], cwd=root, check=True, capture_output=True, text=True)
    counted |= {title: [] for title in LIMIT_RULES.values()}
    for one in json.loads(done.stdout):
        path = Path(one["filename"]).relative_to(root.resolve()).as_posix()
        counted[LIMIT_RULES[one["code"]]].append(f"{path}:{one['location']['row']} {one['message']}")
    return [
        Figure(name=title, value=f"{len(places)}", wanted="", names=tuple(places)) for title, places in counted.items()
    ]


def table(before: Sequence[Figure], now: Sequence[Figure]) -> Iterator[str]:
    """The rows of the page; the two lists hold the same figures in the same order."""
    yield from ("| figure | before | now | wanted |", "|---|---:|---:|---:|")
    for old, new in zip(before, now, strict=True):
        yield f"| {new.name} | {old.value} | **{new.value}** | {new.wanted} |"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", default=BEFORE_THE_REDESIGN, help="the commit to compare with")
    parser.add_argument("--fast", action="store_true", help="leave out what has to be run")
    parser.add_argument("--long", action="store_true", help="name what was counted")
    chosen = parser.parse_args()
    with tree_of(chosen.base) as base:
        before, now = figures([base, ROOT], fast=chosen.fast)
        before_sizes = over_size(base, product(base))
    sizes = over_size(ROOT, product(ROOT))
    say("\n".join(table(before, now)))
    machine = f"{platform.platform()}, Python {platform.python_version()}, {os.cpu_count()} cores"
    say(f"\nbefore: {chosen.base}; {datetime.now(UTC):%Y-%m-%d}; {machine}\n")  # noqa: TID251  the date of measuring
    say("For a person to look at; no limit of any check:\n\n| size | before | now |\n|---|---:|---:|")
    for old, new in zip(before_sizes, sizes, strict=True):
        say(f"| {new.name} | {old.value} | {new.value} |")
    if chosen.long:
        for figure in (*now, *sizes):
            say("\n".join([f"\n{figure.name}: {figure.value}", *(f"  {name}" for name in figure.names)]))


say: Callable[[str], None] = print


if __name__ == "__main__":
    main()
