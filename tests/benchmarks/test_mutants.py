"""The measurement of mutants: changed functions are put into imported modules, and nothing else is."""

import sys
from types import CodeType, ModuleType

import pytest

from benchmarks.mutants.swap import (
    changed_functions,
    compiles_to_same,
    functions_of,
    is_assignment,
    replace_values,
    run_module,
    statement,
    swap,
)

PATH = "/nowhere/planted.py"
SOURCE = """
LIMIT = 3
def inner(number):
    def of(other):
        return other < number
    return of
early = inner(LIMIT)
class Rule:
    most = LIMIT
    def holds(self, number: int | None, exactly=False):
        found: int | None = number
        return number == self.most if exactly else found <= self.most
"""
COMPOUND = """
def read(name):
    with open(name) as file:
        try:
            text = file.read()
        except ValueError:
            return max(
                2,
            )
        else:
            @once
            def again():
                return text
            return again()
"""


def code(source: str, path: str = PATH) -> CodeType:
    return compile(source, path, "exec")


@pytest.fixture
def planted() -> ModuleType:
    module = ModuleType("planted")
    exec(code(SOURCE), vars(module))
    return module


def changed(old: str, new: str) -> list[tuple[CodeType, CodeType]] | None:
    assert old in SOURCE
    return changed_functions(code(SOURCE), code(SOURCE.replace(old, new)))


def test_a_changed_method_runs_wherever_it_was_bound_before(planted):
    rule, holds = planted.Rule(), planted.Rule().holds
    assert holds(3)
    pairs = changed("found <= self", "found < self")
    assert [old.co_name for old, _new in pairs] == ["holds"]
    assert swap(pairs, functions_of({PATH}))
    assert not holds(3)
    assert not rule.holds(3)
    assert rule.holds(3, exactly=True)


def test_a_function_made_by_a_changed_one_before_is_changed_too(planted):
    assert not planted.early(3)
    assert swap(changed("other < number", "other <= number"), functions_of({PATH}))
    assert planted.early(3)
    assert planted.inner(1)(1)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LIMIT = 3", "LIMIT = 4"),
        ("most = LIMIT", "most = -LIMIT"),
        ("exactly=False", "exactly=True"),
        ("number: int | None", "number: int & None"),
        ("early = inner", "early = not inner"),
    ],
)
def test_what_is_done_while_a_module_is_imported_needs_a_new_process(old, new):
    assert changed(old, new) is None


def test_a_change_of_nothing_that_runs_is_recognised():
    assert compiles_to_same(code(SOURCE), code(SOURCE.replace("found: int | None", "found: int + None")))
    assert not compiles_to_same(code(SOURCE), code(SOURCE.replace("found <= self", "found < self")))
    assert changed("found: int | None", "found: int + None") == []


def test_a_function_that_exists_nowhere_cannot_be_exchanged():
    changed_source = SOURCE.replace("found <= self", "found < self")
    pairs = changed_functions(code(SOURCE, "/nowhere/else.py"), code(changed_source, "/nowhere/else.py"))
    assert pairs
    assert not swap(pairs, functions_of({PATH}))


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("other < number", "other <= number", [5]),
        ("return of", "return not of", [6]),
        ("early = inner", "early = not inner", [7]),
        ("exactly=False", "exactly=True", [10]),
        ("with open", "with not open", [3]),
        ("except ValueError", "except KeyError", [6]),
        ("    2,", "    3,", [7, 8, 9]),
        ("return text", "return not text", [13]),
        ("            @once\n", "", list(range(4, 15))),
    ],
)
def test_the_tests_that_run_the_changed_statement_are_found_by_its_lines(old, new, lines):
    source = SOURCE if old in SOURCE else COMPOUND
    assert list(statement(source, source.replace(old, new))) == lines


def test_a_module_that_cannot_be_imported_raises():
    assert run_module(code(SOURCE), "planted", PATH).LIMIT == 3
    with pytest.raises(TypeError):
        run_module(code(SOURCE.replace("number: int | None", "number: int & None")), "planted", PATH)


VALUES = "LIMIT = 3\nKNOWN = {LIMIT: 'three'}\ndef known(number):\n    return KNOWN.get(number, LIMIT)\n"


def test_changed_values_reach_the_module_and_those_that_imported_them(monkeypatch):
    module, other = (run_module(code(VALUES), name, PATH) for name in ("planted", "planted_too"))
    other.LIMIT, other.KNOWN = module.LIMIT, module.KNOWN
    monkeypatch.setitem(sys.modules, "planted", module)
    monkeypatch.setitem(sys.modules, "planted_too", other)
    assert replace_values(module, code(VALUES.replace("3", "4")), PATH)
    assert (module.known(4), module.known(3)) == ("three", 4)
    assert (other.LIMIT, other.KNOWN) == (4, {4: "three"})


def test_values_of_a_module_with_classes_are_not_exchanged(planted):
    assert not replace_values(run_module(code(SOURCE), "planted", PATH), code(SOURCE.replace("3", "4")), PATH)


def test_assignments_of_modules_are_recognised():
    lines = [number for number in range(1, 5) if is_assignment(VALUES, range(number, number + 1))]
    assert lines == [1, 2]
