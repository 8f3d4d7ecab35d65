"""What the report on the shape of the code counts, each on a few lines of code."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from benchmarks import frames, shape
from benchmarks.shape import Figure, Module


def module(source: str, path: str = "sleepd/example.py") -> Module:
    return Module(path=path, source=source, tree=ast.parse(source))


def test_a_circle_is_found_once_with_all_its_modules() -> None:
    """Also when it takes more than one step to come back; what only hangs on a circle is not part of it."""
    imported = {"a": ["b"], "b": ["c"], "c": ["a", "d"], "d": [], "e": ["a"]}
    assert [["a", "b", "c"]] == shape.circles(imported)
    assert [] == shape.circles({**imported, "c": ["d"]})


@pytest.mark.parametrize(
    "source",
    [
        "Decision(pairs=3)",
        "gate.Decision(pairs=3)",
        "replace(decision, verdict=Verdict.REJECTED)",
        "def f(x):\n    return Verdict.ACCEPTED if x else Verdict.REJECTED",
        "def f(x):\n    return Verdict.ACCEPTED, x",
        "verdict = Verdict.UNDECIDED",
        "verdict: Verdict = model.Verdict.UNDECIDED",
    ],
)
def test_a_module_that_makes_a_verdict_is_counted(source: str) -> None:
    """Whether it makes a whole decision, replaces its verdict, returns one or keeps one."""
    assert shape.computes_verdict(module(source))


@pytest.mark.parametrize(
    "source",
    [
        "if verdict is Verdict.ACCEPTED: pass",
        "def f(v):\n    return v is Verdict.ACCEPTED",
        "WORDS = {Verdict.ACCEPTED: 'yes'}",
        "OPEN = (Verdict.ACCEPTED, Verdict.UNDECIDED)",
        "load(connection, Verdict.UNDECIDED)",
        "Candidate(verdict=Verdict(row.verdict))",
        "class Candidate:\n    verdict: Verdict = Verdict.UNDECIDED",
        "class Open:\n    verdict = Verdict.UNDECIDED",
    ],
)
def test_a_module_that_reads_a_verdict_is_not_counted(source: str) -> None:
    """To compare, to name, to look up, to load and to declare a default compute nothing."""
    assert not shape.computes_verdict(module(source))


def test_a_tuple_parameter_is_anonymous_where_its_positions_are_fixed() -> None:
    """A tuple of any length is a list; a tuple inside another type and a named class are not counted."""
    source = (
        "def f(a: tuple[int, str], b: tuple[int, ...], c: list[tuple[int, str]], d: Pair, *, e: tuple[int, int] | None)"
        ": ..."
    )
    assert ["sleepd/example.py:1 f(a)", "sleepd/example.py:1 f(e)"] == shape.tuple_parameters(module(source))


def test_a_helper_is_used_once_where_its_module_names_it_once() -> None:
    """Public functions, special methods and helpers named twice are left out."""
    source = """
def public(): return _once() + _twice() + _twice()
def _once(): ...
def _twice(): ...
class A:
    def __init__(self): self._method()
    def _method(self): ...
"""
    assert ["sleepd/example.py:3 _once", "sleepd/example.py:7 _method"] == shape.used_once(module(source))


def test_a_class_name_is_shared_where_two_modules_give_it() -> None:
    """Twice in one module is one meaning."""
    one = module("class Plan: ...\nclass Row: ...\nclass Row: ...", "sleepd/a.py")
    other = module("class Plan: ...", "sleepd/b.py")
    assert {"Plan": ["sleepd/a.py", "sleepd/b.py"]} == shape.shared_class_names([one, other])


def test_a_line_of_code_holds_more_than_blanks_and_a_comment() -> None:
    """A docstring of three lines is three lines, an empty line in it included."""
    source = '"""One.\n\nThree."""\n\n# a comment\nx = 1  # another\n\ny = (\n    2,\n)\n'
    assert 7 == shape.code_lines(source)


def test_a_function_is_as_long_as_its_lines_without_the_docstring() -> None:
    """From `def` to the end."""
    found = list(module('def f(\n    a,\n):\n    """Two\n    lines."""\n    return a\n').functions())
    assert [4] == [shape.length(f) for f in found]


def test_the_table_shows_both_trees_and_the_aim() -> None:
    """One row for each figure."""
    before, now = (Figure(name="circles", value=value, wanted="0") for value in ("1", "0"))
    assert "| circles | 1 | **0** | 0 |" == list(shape.table([before], [now]))[-1]


@pytest.mark.slow
def test_the_figures_of_this_tree_can_be_read() -> None:
    """The report finds the product: thousands of lines and no figure without a value."""
    found = {figure.name: figure.value for figure in shape.read_figures(shape.product(shape.ROOT))}
    assert int(found["lines of product code"].replace(",", "")) > 10_000
    assert [] == [name for name, value in found.items() if not value]


def test_what_is_large_is_counted_and_named(tmp_path: Path) -> None:
    """By this report alone: no check fails for it, and a `noqa` hides nothing from it."""
    (tmp_path / "sleepd").mkdir()
    (tmp_path / "harvesters").mkdir()
    parameters = ", ".join("abcdef")
    source = f"def many({parameters}):  # noqa: PLR0913\n    return a\n\n\ndef long():\n" + "    print()\n" * 61
    (tmp_path / "sleepd" / "large.py").write_text(source, encoding="utf-8")
    found = {one.name: one for one in shape.over_size(tmp_path, shape.product(tmp_path))}
    assert ("sleepd/large.py:5 long: 62",) == found["functions over 60 lines"].names
    assert ("1", "1", "0") == tuple(
        found[name].value
        for name in (
            "functions with more than 5 parameters",
            "functions with more than 50 statements",
            "functions of a complexity over 10",
        )
    )


def test_a_chain_begins_at_the_verb() -> None:
    """What calls the verb, what is not sleepd's and comprehensions are left out; the innermost is last."""
    space = {"__name__": "sleepd.cli.nights", "here": lambda: frames.functions(sys._getframe(1))}
    exec(
        "def main(): return run()\ndef run(): return [inner() for _ in range(1)][0]\ndef inner(): return here()", space
    )
    assert ["sleepd.cli.nights:run", "sleepd.cli.nights:inner"] == space["main"]()
    assert [] == space["inner"]()


@pytest.mark.slow
def test_a_night_is_followed_from_the_verb_to_the_models(tmp_path: Path) -> None:
    """The chains of the real product begin at `run`, end at an adapter or what wraps it, and cross the thread pool."""
    with shape.checkout(shape.ROOT) as tree:
        chains = tree.frames()
    assert {"preflight", "rollout", "reflect"} <= set(chains)
    assert {"run"} == {chain[0].rpartition(":")[2] for chain in chains.values()}
    assert "run_night" in [name.rpartition(":")[2] for name in chains["rollout"]]
