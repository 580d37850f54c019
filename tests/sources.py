"""The source of the product as trees, parsed once for all tests about it; one process runs them (`TOGETHER`)."""

import ast
from functools import cache
from pathlib import Path

import pytest

from tests.paths import ROOT

TOGETHER = pytest.mark.xdist_group("sources")


@cache
def nodes(source: str) -> tuple[ast.AST, ...]:
    """Return all nodes of a source text, the module itself first."""
    return tuple(ast.walk(ast.parse(source)))


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def nodes_in(path: Path) -> tuple[ast.AST, ...]:
    return nodes(text_of(path))


def modules_with(folder: str, *words: str) -> list[Path]:
    """Return the modules below a folder of the repository that contain one of the words; others need no parsing."""
    return [path for path in (ROOT / folder).rglob("*.py") if any(word in text_of(path) for word in words)]


def tree(path: Path) -> ast.Module:
    module = nodes_in(path)[0]
    assert isinstance(module, ast.Module)
    return module
