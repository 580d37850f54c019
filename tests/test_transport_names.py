"""No module outside a transport's folder names it: all ask the registry what a transport can do. Reads files only."""

import ast
from collections.abc import Iterator
from pathlib import Path

from harvesting.transports.registry import TRANSPORTS
from tests.modules import imported_names, module_name, product_files
from tests.paths import ROOT
from tests.sources import TOGETHER, nodes_in

pytestmark = TOGETHER

FOLDER = "harvesting.transports."
FOLDERS = {
    f"{FOLDER}{path.parent.name}"
    for path in (ROOT / "harvesting" / "transports").glob("*/__init__.py")
    if "TRANSPORT" in path.read_text(encoding="utf-8")
}


def names_asked_for(node: ast.AST) -> Iterator[str]:
    """The transports that something is compared with, or that are looked up in the registry by their names."""
    compared = isinstance(node, ast.Compare)
    if not compared and not (isinstance(node, ast.Subscript) and "TRANSPORTS" in ast.dump(node.value)):
        return
    of_transport = not compared or "protocol" in ast.dump(node)
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and part.value in TRANSPORTS and (of_transport or part.value != "file"):
            yield str(part.value)


def names_in(path: Path) -> list[str]:
    """The transports that a module asks for, and those whose folders it imports."""
    asked = [name for node in nodes_in(path) for name in names_asked_for(node)]
    imported = [name for name in imported_names(path) if any(f"{name}.".startswith(f"{one}.") for one in FOLDERS)]
    return asked + imported


def test_no_module_outside_names_a_transport() -> None:
    outside = [path for path in product_files() if not module_name(path).startswith((FOLDER, "sampleprovider"))]
    assert {module_name(path): found for path in outside if (found := names_in(path))} == {}


def test_folders_and_names_are_recognised() -> None:
    assert {f"{FOLDER}rss", f"{FOLDER}oai_pmh", f"{FOLDER}live"} <= FOLDERS
    source = 'feed.protocol in ("rss", "file"); TRANSPORTS["push"]; {"rss": 1}; kind == "file"'
    assert {name for node in ast.walk(ast.parse(source)) for name in names_asked_for(node)} == {"rss", "file", "push"}
    assert not list(names_asked_for(ast.parse('kind == "file"', mode="eval").body))
