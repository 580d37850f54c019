"""Checks the structure of the code: the direction of imports, limits of size, nothing that must not be in the
repository. Reads files only.
"""

import ast
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.levels import LEVELS, PACKAGES, USERS_OF_THE_SAMPLE_PROVIDER
from tests.modules import (
    imported_names,
    is_in,
    module_name,
    modules,
    own_imports,
    package_of,
    product_files,
    reachable_modules,
    unit,
    users,
)
from tests.paths import ROOT
from tests.sources import TOGETHER, nodes_in, tree

pytestmark = TOGETHER

NO_DJANGO = (
    "metadata",
    "sampleprovider",
    "harvesting.http.fetch",
    "harvesting.transports",
    "harvesting.types",
    "aggregator.deployment",
    "aggregator.matching",
    "aggregator.merge",
    *(f"aggregator.libraries.{name}" for name in ("holdings", "identify", "provider_link", "regions")),
    *(
        f"aggregator.loans.{name}"
        for name in ("fill", "iso18626", "lenders", "material", "openurl", "request", "states")
    ),
    *(f"aggregator.libraries.editing.{name}" for name in ("duplicates", "merge_plan", "name_conflicts", "sources")),
    "aggregator.search.base",
)
PURE = (
    *("metadata", "aggregator.matching", "aggregator.merge"),
    *(name for name in NO_DJANGO if name.startswith(("aggregator.libraries.", "aggregator.loans."))),
)
OUTSIDE_WORLD = ("requests", "urllib3", "http", "socket", "sqlite3", "psycopg", "redis", "rq", "tantivy")
MAX_MODULES = 16  # in a folder of the five packages
# Folders that cannot be divided. Django finds commands only in this folder of an app; each is called by its own name,
# so that none is an option of another. Each public page is a module, named by one line of `urls`.
WIDER = {
    "aggregator/management/commands": 22,
    "harvesting/management/commands": 21,
    "aggregator/views/public": 20,
}
MAX_FUNCTION_LINES = 50
MAX_FILE_LINES = 400
SHORT_MODULE = 50  # lines; a shorter one that one other module uses belongs into that module
LISTS = ("urls", "routes", "jobs", "settings")  # modules that name others, each by a line
FOUNDATIONS = ("core", "metadata")  # packages that know nothing of those that use them
MAX_COMPLEXITY = 10  # McCabe's number as ruff counts it, plus one for each conditional expression


@cache
def level(name: str) -> int | None:
    """The level of a module: that of the longest name in LEVELS that contains it. A package itself has none."""
    package, _dot, rest = name.partition(".")
    while rest:
        for number, names in enumerate(LEVELS[package]):
            if rest in names.split():
                return number
        rest = rest.rpartition(".")[0]
    return None


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in nodes_in(path) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def reason_to_stand_alone(name: str, user: str) -> str:
    """Why a short module with a single user is a module of its own, "" if there is no reason."""
    reasons = {
        "the package gathers modules of one kind": name.rpartition(".")[0] == user,
        "the user names many modules, each by a line": user.rpartition(".")[2] in LISTS,
        "the package knows nothing of its users": package_of(name) in FOUNDATIONS
        and package_of(user) != package_of(name),
        "decides without a database what its user carries out": is_in(name, PURE) and not is_in(user, PURE),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def branches(statements: Iterable[ast.stmt]) -> int:
    """What the statements add to McCabe's number: one for each condition, loop, handler, case and inner function."""
    count = 0
    for statement in statements:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.If() | ast.For() | ast.AsyncFor() | ast.While():
                count += 1
            case ast.Try(handlers=handlers, orelse=orelse):
                count += len(handlers) + bool(orelse) + sum(branches(handler.body) for handler in handlers)
            case ast.Match(cases=cases):
                count += sum(1 + branches(case.body) for case in cases)
        for name in ("body", "orelse", "finalbody"):
            count += branches(getattr(statement, name, ()))
    return count


def complexity(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    choices = sum(isinstance(node, ast.IfExp) for node in ast.walk(function))
    return 1 + branches(function.body) + choices


def tracked_files() -> list[Path]:
    """The files that git tracks or would add. Skips the test if this is no checkout."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        names = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def test_packages_import_one_way() -> None:
    wrong = [
        f"{name} imports {other}"
        for name in modules()
        for other in own_imports(name)
        if package_of(other) not in {package_of(name), *PACKAGES[package_of(name)]}
    ]
    assert not wrong


def test_only_commands_import_the_sample_provider() -> None:
    wrong = [
        f"{name} imports {other}"
        for name in modules()
        for other in own_imports(name)
        if package_of(other) == "sampleprovider" != package_of(name) and not is_in(name, USERS_OF_THE_SAMPLE_PROVIDER)
    ]
    assert not wrong


def test_every_folder_has_a_level() -> None:
    assert not sorted({unit(name) for name in modules() if name not in PACKAGES and level(name) is None})


def test_every_name_in_the_levels_is_a_place() -> None:
    places = {name for module in modules() for name in (module, unit(module))}
    listed = [f"{package}.{name}" for package, levels in LEVELS.items() for names in levels for name in names.split()]
    assert not [name for name in listed if name not in places]
    assert not [name for name, count in Counter(listed).items() if count > 1]


def test_levels_inside_a_package_import_one_way() -> None:
    wrong = [
        f"{name} ({own_level}) imports {other} ({other_level})"
        for name in modules()
        for other in own_imports(name)
        if package_of(other) == package_of(name)
        if (own_level := level(name)) is not None
        and (other_level := level(other)) is not None
        and other_level > own_level
    ]
    assert not wrong


def test_no_folders_import_each_other_in_a_ring() -> None:
    graph: dict[str, set[str]] = defaultdict(set)
    for name in modules():
        graph[unit(name)] |= {unit(other) for other in own_imports(name)} - {unit(name)}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(reversed(error.args[1])))


def test_no_modules_import_each_other_in_a_ring() -> None:
    assert not [name for name in modules() if any(name in reachable_modules(other) for other in own_imports(name))]


def test_no_folder_is_too_wide() -> None:
    width = Counter(path.parent.relative_to(ROOT).as_posix() for path in product_files() if path.stem != "__init__")
    assert not {folder: count for folder, count in width.items() if count > WIDER.get(folder, MAX_MODULES)}
    assert not [folder for folder, most in WIDER.items() if width[folder] < most], "the folder needs less"


@pytest.mark.parametrize("part", NO_DJANGO)
def test_parts_without_django_do_not_reach_it(part: str) -> None:
    wrong = [
        f"{name} reaches Django through {other}"
        for name in modules()
        if is_in(name, (part,))
        for other in reachable_modules(name)
        if any(is_in(imported, ("django", "django_rq")) for imported in imported_names(modules()[other]))
    ]
    assert any(is_in(name, (part,)) for name in modules())
    assert not wrong


def test_pure_parts_do_not_reach_the_outside_world() -> None:
    wrong = [
        f"{name} imports {imported}"
        for name in modules()
        if is_in(name, PURE)
        for imported in imported_names(modules()[name])
        if is_in(imported, OUTSIDE_WORLD)
    ]
    assert not wrong


def test_only_the_choice_of_the_engine_imports_an_engine() -> None:
    """So another engine can be added without changes elsewhere, and no engine depends on another."""
    engines = {"aggregator.search.tantivy": "tantivy", "aggregator.search.opensearch": "opensearchpy"}
    wrong = [
        f"{name} imports {imported}"
        for engine, library in engines.items()
        for name in modules()
        if not is_in(name, (engine,)) and name != "aggregator.search"
        for imported in imported_names(modules()[name])
        if is_in(imported, (engine, library))
    ]
    assert all(f"{engine}.engine" in modules() for engine in engines)
    assert not wrong


def test_only_the_dialects_ask_which_database_is_in_use() -> None:
    """So what SQLite and PostgreSQL do differently is in one place."""
    asking = {
        name
        for name, path in modules().items()
        for node in nodes_in(path)
        if isinstance(node, ast.Attribute) and node.attr == "vendor"
    }
    assert asking == {"core.database.dialects"}


def test_only_core_takes_locks_between_processes() -> None:
    """Then the order of all locks between processes can be checked in two modules."""
    locking = {
        name
        for name, path in modules().items()
        for node in nodes_in(path)
        if (isinstance(node, ast.Attribute) and node.attr in {"flock", "lockf"})
        or (isinstance(node, ast.Constant) and "pg_advisory" in str(node.value))
    }
    assert locking == {"core.file_locks", "core.database.dialects.postgresql"}


def test_columns_have_names_instead_of_positions() -> None:
    wrong = [
        f"{name}:{node.lineno}"
        for name, path in modules().items()
        if package_of(name) == "aggregator"
        for node in nodes_in(path)
        if isinstance(node, ast.Subscript) and re.search(r"(^|_)columns$", ast.unparse(node.value), re.IGNORECASE)
        if isinstance(node.slice, ast.Slice | ast.Constant) and not isinstance(getattr(node.slice, "value", 0), str)
    ]
    assert not wrong, wrong


def test_no_import_inside_a_function() -> None:
    wrong = [
        f"{module_name(path)}:{node.lineno}"
        for path in product_files()
        for function in functions(path)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert not wrong


def test_functions_are_short() -> None:
    lengths = {
        f"{module_name(path)}.{node.name}": (node.end_lineno or 0) - node.lineno + 1
        for path in [*product_files(), ROOT / "run.py"]
        for node in functions(path)
    }
    assert not {name: lines for name, lines in lengths.items() if lines > MAX_FUNCTION_LINES}


def test_functions_are_simple() -> None:
    complexities = {
        f"{module_name(path)}.{node.name}": complexity(node)
        for path in [*product_files(), ROOT / "run.py"]
        for node in functions(path)
    }
    assert not {name: number for name, number in complexities.items() if number > MAX_COMPLEXITY}


def test_complexity_is_counted_as_mccabe_does() -> None:
    source = """
def of_eleven(a):
    def inner(): pass
    for b in a:
        if b: pass
        elif a: pass
    while a: pass
    try: pass
    except ValueError: pass
    except KeyError: pass
    else: pass
    match a:
        case 1: pass
    return 1 if a else 2
"""
    assert complexity(next(node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef))) == 11


def test_files_are_short() -> None:
    files = [*product_files(), *(ROOT / "tests").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py"), ROOT / "run.py"]
    lengths = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    assert not {name: lines for name, lines in lengths.items() if lines > MAX_FILE_LINES}


def test_short_modules_have_several_users_or_a_reason() -> None:
    wrong = {
        name: user
        for name, path in modules().items()
        if path.stem != "__init__" and len(path.read_text(encoding="utf-8").splitlines()) < SHORT_MODULE
        if len(users()[name]) == 1
        for user in users()[name]
        if not reason_to_stand_alone(name, user)
    }
    assert not wrong, "these belong into the modules that use them"


def test_no_file_is_called_utils() -> None:
    assert not [name for name in modules() if re.search(r"\b(utils?|helpers|misc|services)\b", name)]


def test_every_module_has_a_docstring() -> None:
    undocumented = [
        module_name(path)
        for path in product_files()
        if path.read_text(encoding="utf-8").strip() and not ast.get_docstring(tree(path))
    ]
    assert not undocumented


# The first writes JSON for a script block, in which HTML must not escape the quotes; the second the output of our own
# stylesheet, which escapes texts. Both are tested with hostile records. The third writes the texts of the templates.
MARKED_SAFE = {
    ROOT / "aggregator" / "presentation" / "representations.py",
    ROOT / "aggregator" / "provision" / "oai" / "documents.py",
    ROOT / "aggregator" / "templating" / "environment.py",
}


def test_nothing_else_is_marked_safe() -> None:
    pattern = re.compile(r"\|\s*safe\b|\bmark_safe\b|\bautoescape (off|false)\b|\bMarkup\b")
    folders = (ROOT / "templates", ROOT / "aggregator" / "admin" / "templates")
    files = {*product_files(), *(path for folder in folders for path in folder.rglob("*.*"))}
    found = {path for path in files if pattern.search(path.read_text(encoding="utf-8"))}
    assert found == MARKED_SAFE


def test_no_package_index_is_named() -> None:
    hosts = re.compile("|".join([r"pypi\.org", r"pythonhosted", r"registry\.npmjs", r"--(extra-)?index" + "-url"]))
    texts = [path for path in tracked_files() if path.suffix not in {".png", ".mo", ".dict", ".gz", ".zst"}]
    own = Path(__file__).resolve()
    found = [str(path) for path in texts if path != own and hosts.search(path.read_text(errors="ignore"))]
    assert not found


def test_no_lock_that_names_an_index_is_tracked() -> None:
    assert not [path for path in tracked_files() if path.name in {"uv.lock", "pylock.toml", "poetry.lock"}]
