"""The modules of the product and what they import. Reads files only.

Imports are compared by folder. A module that has subfolders beside it counts as a folder of its own.
"""

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from tests.levels import PACKAGES
from tests.paths import ROOT
from tests.sources import nodes_in


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def product_files() -> tuple[Path, ...]:
    files = (path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    return tuple(sorted(path for path in files if "migrations" not in path.parts))


@cache
def modules() -> dict[str, Path]:
    return {module_name(path): path for path in product_files()}


def package_of(name: str) -> str:
    return name.partition(".")[0]


@cache
def imported_names(path: Path) -> tuple[str, ...]:
    """Absolute names of all imports; `from package import module` counts as the module."""
    return tuple(_imported_names(path))


def _imported_names(path: Path) -> Iterator[str]:
    package = module_name(path).split(".") if path.name == "__init__.py" else module_name(path).split(".")[:-1]
    for node in nodes_in(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*base, *filter(None, [node.module])])
            inner = {f"{source}.{alias.name}" for alias in node.names} & modules().keys()
            yield from inner or {source}


@cache
def own_imports(name: str) -> frozenset[str]:
    return frozenset(other for other in imported_names(modules()[name]) if other in modules() and other != name)


@cache
def folders_with_subfolders() -> frozenset[Path]:
    folders = {path.parent for path in product_files()}
    return frozenset(folder.parent for folder in folders if folder.parent in folders)


def unit(name: str) -> str:
    """The folder of a module, or the module itself if there are subfolders beside it."""
    path = modules()[name]
    return name if path.parent in folders_with_subfolders() else ".".join(path.parent.relative_to(ROOT).parts)


def is_in(name: str, places: Iterable[str]) -> bool:
    return any(name == part or name.startswith(f"{part}.") for part in places)


@cache
def reachable_modules(name: str) -> frozenset[str]:
    """All modules of the project that are imported with this one, directly or through others."""
    seen: set[str] = set()
    to_visit = [name]
    while to_visit:
        current = to_visit.pop()
        if current not in seen:
            seen.add(current)
            to_visit.extend(own_imports(current))
    return frozenset(seen)


@cache
def users() -> dict[str, set[str]]:
    """The modules that import a module or name it in a string, as settings do."""
    found: dict[str, set[str]] = defaultdict(set)
    for name, path in modules().items():
        named = {node.value for node in nodes_in(path) if isinstance(node, ast.Constant) and type(node.value) is str}
        for other in own_imports(name) | ({*named, *(text.rpartition(".")[0] for text in named)} & modules().keys()):
            found[other].add(name)
    return found
