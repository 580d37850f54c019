"""The shape of the code: imports one way, budgets, nothing that must not be in the repository. Reads files only."""

import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.paths import ROOT

PACKAGES = ("core", "metadata", "sampleprovider", "harvesting", "aggregator")
NO_DJANGO = (
    "metadata",
    "harvesting.http.fetch",
    "harvesting.transports",
    "aggregator.deployment.embedded_valkey",
    "aggregator.deployment.launch",
    "aggregator.matching",
    "aggregator.merge",
    "aggregator.catalogue.provider_link",
    "aggregator.search.base",
    "aggregator.deployment.supervisor",
    "aggregator.deployment.web_server",
)
PURE = ("metadata", "aggregator.matching", "aggregator.merge", "aggregator.catalogue.provider_link")
OUTSIDE_WORLD = ("requests", "urllib3", "http", "socket", "sqlite3", "psycopg", "redis", "rq", "tantivy")

# Per package, lowest first: a module may import from its own level and from those before it.
# What stands in no level is free inside its package, but no two modules may import each other in a ring.
LEVELS = {
    "core": [],
    "sampleprovider": [],
    "metadata": [
        {"vocabularies", "text"},
        {"record", "issue"},
        {"xml"},
        {"identifiers"},
        {"formats", "validation"},
        {"reading"},
        {"__main__"},
    ],
    "harvesting": [
        {"types"},  # the shapes and the one exception
        {"http"},
        {"transports"},
        {"models"},
        {"harvest", "completion", "rereading"},
        {"tasks"},
        {"admin", "views", "management"},
    ],
    "aggregator": [
        {"matching", "merge"},
        {"models", "search"},
        {"grouping", *(f"provision.{each}" for each in ("pending", "contents", "stamp_barrier", "stamping"))},
        {f"provision.{each}" for each in ("listing", "sets", "written_records", "dumps", "timestamps", "resourcesync")},
        {"tasks"},
        {"admin", "views", "provision", "management"},
    ],
}
MAX_FUNCTION_LINES = 50
MAX_FILE_LINES = 400


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def product_files() -> list[Path]:
    files = (path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    return sorted(path for path in files if "migrations" not in path.parts)


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def modules() -> dict[str, Path]:
    return {module_name(path): path for path in product_files()}


def imported_names(path: Path) -> Iterator[str]:
    """Absolute names of all imports; `from package import module` counts as the module."""
    package = module_name(path).split(".") if path.name == "__init__.py" else module_name(path).split(".")[:-1]
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*base, *filter(None, [node.module])])
            inner = {f"{source}.{alias.name}" for alias in node.names} & modules().keys()
            yield from inner or {source}


@cache
def own_imports(name: str) -> frozenset[str]:
    return frozenset(each for each in imported_names(modules()[name]) if each in modules() and each != name)


def level(name: str) -> int | None:
    """The number of its level: that of the longest name in LEVELS that it stands under."""
    package, _dot, rest = name.partition(".")
    while rest:
        for number, names in enumerate(LEVELS[package]):
            if rest in names:
                return number
        rest = rest.rpartition(".")[0]
    return None


def is_in(name: str, places: tuple[str, ...]) -> bool:
    return any(name == place or name.startswith(f"{place}.") for place in places)


def reached(name: str) -> set[str]:
    """Every own module that importing this one brings in."""
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        current = waiting.pop()
        if current not in seen:
            seen.add(current)
            waiting.extend(own_imports(current))
    return seen


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree(path)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def tracked_files() -> list[Path]:
    """What git tracks or would add; every file where this is no checkout."""
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
        if PACKAGES.index(other.split(".")[0]) > PACKAGES.index(name.split(".")[0])
    ]
    assert not wrong


def test_levels_inside_a_package_import_one_way() -> None:
    wrong = []
    for name in modules():
        for other in own_imports(name):
            mine, theirs = level(name), level(other)
            same_package = other.split(".")[0] == name.split(".")[0]
            if same_package and mine is not None and theirs is not None and theirs > mine:
                wrong.append(f"{name} imports {other}")
    assert not wrong


def test_no_two_modules_import_each_other_in_a_ring() -> None:
    rings = [name for name in modules() if any(name in reached(other) for other in own_imports(name))]
    assert not rings


@pytest.mark.parametrize("place", NO_DJANGO)
def test_parts_without_django_do_not_reach_it(place: str) -> None:
    wrong = [
        f"{name} reaches Django through {other}"
        for name in modules()
        if is_in(name, (place,))
        for other in reached(name)
        if any(is_in(imported, ("django", "django_rq")) for imported in imported_names(modules()[other]))
    ]
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


def test_nothing_but_the_choice_of_the_engine_knows_the_embedded_one() -> None:
    """Another search engine must find nothing in its way."""
    own = "aggregator.search.tantivy"
    wrong = [
        f"{name} imports {imported}"
        for name in modules()
        if not name.startswith(own) and name != "aggregator.search"
        for imported in imported_names(modules()[name])
        if is_in(imported, ("tantivy",)) or imported.startswith(own)
    ]
    assert not wrong


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
    lengths = [
        (f"{module_name(path)}.{node.name}", (node.end_lineno or 0) - node.lineno + 1)
        for path in [*product_files(), ROOT / "run.py"]
        for node in functions(path)
    ]
    assert not [each for each in lengths if each[1] > MAX_FUNCTION_LINES]


def test_files_are_short() -> None:
    files = [*product_files(), *(ROOT / "tests").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py"), ROOT / "run.py"]
    lengths = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    assert not {name: lines for name, lines in lengths.items() if lines > MAX_FILE_LINES}


def test_no_file_is_called_utils() -> None:
    assert not [name for name in modules() if re.search(r"\b(utils?|helpers|misc|services)\b", name)]


def test_every_module_says_first_what_it_knows() -> None:
    silent = [
        module_name(path)
        for path in product_files()
        if path.read_text(encoding="utf-8").strip() and not ast.get_docstring(tree(path))
    ]
    assert not silent


# JSON for a script block, whose quotes HTML must not escape; what a stylesheet of ours has written, which escapes.
# Tests of both feed them hostile records.
MARKED_SAFE = {
    ROOT / "aggregator" / "presentation" / "representations.py",
    ROOT / "aggregator" / "provision" / "oai" / "reading.py",
}


def test_nothing_else_is_marked_safe() -> None:
    pattern = re.compile(r"\|\s*safe\b|\bmark_safe\b|\bautoescape off\b")
    files = {*product_files(), *(ROOT / "templates").rglob("*.*")} - MARKED_SAFE
    assert not [str(path) for path in files if pattern.search(path.read_text(encoding="utf-8"))]


def test_no_package_index_is_named() -> None:
    hosts = re.compile("|".join([r"pypi\.org", r"pythonhosted", r"registry\.npmjs", r"--(extra-)?index" + "-url"]))
    texts = [path for path in tracked_files() if path.suffix not in {".png", ".mo", ".dict", ".gz", ".zst"}]
    own = Path(__file__).resolve()
    found = [str(path) for path in texts if path != own and hosts.search(path.read_text(errors="ignore"))]
    assert not found


def test_no_lock_that_names_an_index_is_tracked() -> None:
    assert not [path for path in tracked_files() if path.name in {"uv.lock", "pylock.toml", "poetry.lock"}]
