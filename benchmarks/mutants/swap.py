"""Compares a module with a changed one, and puts changed functions into modules that are already imported.

The code inside of functions is exchanged in every function object that runs it, wherever it has been imported to. Of a
change outside of functions (a constant, a default, a base class) only a part can be made without a new process.
"""

import ast
import gc
import sys
from collections import defaultdict
from collections.abc import Container, Iterator
from types import CodeType, FunctionType, ModuleType

IN_FUNCTION = 1  # CO_OPTIMIZED: set for functions, not for modules and classes
type Functions = dict[str, list[FunctionType]]  # by the path of their code


def compiles_to_same(old: CodeType, new: CodeType) -> bool:
    """Whether both do the same for certain, because they differ in line tables only."""
    return (
        _own(old) == _own(new)
        and len(_inner(old)) == len(_inner(new))
        and all(compiles_to_same(*pair) for pair in zip(_inner(old), _inner(new), strict=True))
    )


def changed_functions(old: CodeType, new: CodeType) -> list[tuple[CodeType, CodeType]] | None:
    """Return the outermost functions that differ between two versions of a module; None if anything else differs."""
    if len(_inner(old)) != len(_inner(new)) or _own(old) != _own(new):
        return None
    found: list[tuple[CodeType, CodeType]] = []
    for before, after in zip(_inner(old), _inner(new), strict=True):
        if before.co_flags & IN_FUNCTION:
            if not compiles_to_same(before, after):
                found += _pairs(before, after)
        else:
            inner = changed_functions(before, after)
            if inner is None:
                return None
            found += inner
    return found


def statement(source: str, changed: str) -> range:
    """Return the lines of the smallest statement that a change is in; of one with a body, those before the body."""
    old, new = source.splitlines(), changed.splitlines()
    pairs = list(zip(old, new, strict=False))
    first = next((number for number, pair in enumerate(pairs, start=1) if pair[0] != pair[1]), len(pairs))
    backwards = zip(reversed(old), reversed(new), strict=False)
    same = next((number for number, pair in enumerate(backwards) if pair[0] != pair[1]), len(pairs))
    last = max(first, len(old) - same)
    around = [lines for lines in _ranges(ast.parse(source)) if first in lines and last in lines]
    return min(around, key=len, default=range(1, len(old) + 1))


def functions_of(paths: Container[str]) -> Functions:
    """Return path -> all functions that exist now whose code is in the file."""
    found: Functions = defaultdict(list)
    for thing in gc.get_objects():
        if type(thing) is FunctionType and thing.__code__.co_filename in paths:
            found[thing.__code__.co_filename].append(thing)
    return found


def swap(pairs: list[tuple[CodeType, CodeType]], functions: Functions) -> bool:
    """Exchange the code of those functions that run an old one. False if there is none or if it cannot be exchanged."""
    count = 0
    for old, new in pairs:
        for function in [function for function in functions.get(old.co_filename, ()) if _is(function, old)]:
            if len(function.__code__.co_freevars) != len(new.co_freevars):
                return False
            function.__code__ = new
            count += 1
    return count > 0


def run_module(code: CodeType, name: str, path: str) -> ModuleType:
    """Run the code of a module in a module object of its own, and return it. An error of the code is raised."""
    module = ModuleType(name)
    is_package = path.endswith("__init__.py")
    module.__package__ = name if is_package else name.rpartition(".")[0]
    if is_package:
        module.__path__ = [path.rpartition("/")[0]]
    module.__file__ = path
    exec(code, vars(module))
    return module


def is_assignment(source: str, lines: range) -> bool:
    """Whether the statement in these lines gives values to names of the module."""
    kinds = ast.Assign | ast.AnnAssign | ast.AugAssign
    return any(isinstance(node, kinds) and node.lineno == lines.start for node in ast.parse(source).body)


def replace_values(module: ModuleType, code: CodeType, path: str) -> bool:
    """Give a module the values that changed code makes, and those modules that have imported them by their names.

    Values that others have made of them stay. False for a module with classes: those of two runs are not the same.
    """
    if any(isinstance(value, type) and value.__module__ == module.__name__ for value in vars(module).values()):
        return False
    for name, new in vars(run_module(code, module.__name__, path)).items():
        old = vars(module).get(name)
        if name.startswith("__") or old is new or isinstance(new, ModuleType | FunctionType):
            continue
        if isinstance(old, dict | set) and type(old) is type(new):
            old.clear()
            old.update(new)
        else:
            for other in list(sys.modules.values()):
                if getattr(other, "__dict__", {}).get(name) is old:
                    setattr(other, name, new)
    return True


def _ranges(tree: ast.Module) -> Iterator[range]:
    """Yield the lines of every statement and except clause, and those before its body."""
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.ExceptHandler):
            yield range(node.lineno, (node.end_lineno or node.lineno) + 1)
            if body := getattr(node, "body", ()):
                yield range(node.lineno, max(body[0].lineno, node.lineno + 1))


def _is(function: FunctionType, code: CodeType) -> bool:
    own = function.__code__
    return (own.co_filename, own.co_firstlineno, own.co_qualname) == (
        code.co_filename,
        code.co_firstlineno,
        code.co_qualname,
    ) and compiles_to_same(own, code)


def _pairs(old: CodeType, new: CodeType) -> list[tuple[CodeType, CodeType]]:
    """Return a function that differs, and the functions inside of it, of which some may exist already."""
    pairs = [(old, new)]
    if len(_inner(old)) == len(_inner(new)):
        for before, after in zip(_inner(old), _inner(new), strict=True):
            if not compiles_to_same(before, after):
                pairs += _pairs(before, after)
    return pairs


def _own(code: CodeType) -> tuple[object, ...]:
    constants = [repr(value) for value in code.co_consts if not isinstance(value, CodeType)]
    return (
        code.co_code,
        constants,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        code.co_flags,
        code.co_qualname,
        code.co_exceptiontable,
    )


def _inner(code: CodeType) -> list[CodeType]:
    return [value for value in code.co_consts if isinstance(value, CodeType)]
