"""No module or template outside a transport's folder names it: what differs between transports, they say themselves."""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from harvesting.transports.registry import TRANSPORTS
from tests.paths import ROOT
from tests.sources import TOGETHER, nodes

pytestmark = TOGETHER

FOLDERS = ("oai_pmh", "resourcesync", "rss", "file", "push", "live")
CONSTANTS = frozenset(f".{folder.upper()}" for folder in FOLDERS if folder != "live")  # LIVE is a state of providers
# Some names are also everyday words or names of formats. They count only where a protocol is chosen or compared.
WORDS = frozenset({"rss", "file", "push", "live"})
NAMES = frozenset((*TRANSPORTS, *FOLDERS)) - WORDS
IMPORTED = re.compile(rf"harvesting\.transports\.({'|'.join(FOLDERS)})(\.|$)")
LABEL = re.compile(r"\b(OAI-PMH|ResourceSync|RSS)\b")
CODES = frozenset(code for kind in TRANSPORTS.values() for code in (*kind.messages, *kind.words) if "." in code)

# Places that may name transports, and why.
EXCEPTIONS = {
    "harvesting/migrations/": "what was stored when they were written",
    "harvesting/transports/registry.py": "the registration, one line for each transport",
    "harvesting/transports/documents/": "the reading of documents, which the transports of feeds and files share",
    "harvesting/live/": "what live sources are asked and answer, which their transports and the live search share",
    "harvesting/management/trials.py": "drives the sample provider, a program of its own with its own names",
    "harvesting/management/commands/sampleprovider.py": "the same",
    "harvesting/models/registration.py": "the ways in which this site gives its records on",
    "harvesting/messages/safety.py": "cites a standard",
    "templates/dumps/": "the ways in which this site gives its records on",
    "templates/oai/": "the same",
    "templates/pages/api.html": "the same",
    "templates/pages/help.html": "the same",
    "templates/pages/terms.html": "the same",
}


def is_exception(place: str) -> bool:
    return place.startswith((*EXCEPTIONS, *(f"harvesting/transports/{folder}/" for folder in FOLDERS)))


@cache
def modules() -> tuple[tuple[str, Path], ...]:
    paths = [path for package in ("harvesting", "aggregator", "core") for path in (ROOT / package).rglob("*.py")]
    return tuple((path.relative_to(ROOT).as_posix(), path) for path in sorted(paths))


def named_in_code(source: str, *, everywhere: bool) -> Iterator[str]:
    """Yield what a module names: folders that it imports, protocols that it compares or sets, and, if everywhere,
    constants, codes and texts that name a protocol. Docstrings are not counted.
    """
    docstrings = {id(node.value) for node in nodes(source) if isinstance(node, ast.Expr)}
    for node in nodes(source):
        yield from filter(IMPORTED.match, _imports(node))
        for side in _beside_a_protocol(node):
            yield from _names_within(side)
        if everywhere and id(node) not in docstrings:
            yield from filter(_is_name, _words(node))


def _imports(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.ImportFrom):
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _words(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            yield f".{name}"
        case ast.Constant(value=str(text)):
            yield text


def _is_name(word: str) -> bool:
    return word in CONSTANTS or word in NAMES or word in CODES or bool(LABEL.search(word))


def _beside_a_protocol(node: ast.AST) -> Iterable[ast.AST]:
    """What is compared with a protocol, or becomes one."""
    match node:
        case ast.Compare(left=left, comparators=others):
            return [left, *others] if "protocol" in ast.unparse(node).lower() else ()
        case ast.keyword(arg="protocol", value=value):
            return [value]
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            return [value for key, value in pairs if isinstance(key, ast.Constant) and key.value == "protocol"]
    return ()


def _names_within(side: ast.AST) -> Iterator[str]:
    return (word for node in ast.walk(side) for word in _words(node) if word in TRANSPORTS or word in CONSTANTS)


@pytest.mark.parametrize("package", ["harvesting", "aggregator", "core"])
def test_no_module_names_a_transport(package):
    # The aggregator and core serve protocols of the same names to others; only what concerns harvesting counts there.
    named = {
        place: found
        for place, path in modules()
        if place.startswith(f"{package}/") and not is_exception(place)
        if (found := sorted(set(named_in_code(path.read_text("utf-8"), everywhere=package == "harvesting"))))
    }
    assert not named


def test_no_template_names_a_transport():
    named = {
        place: sorted(set(found))
        for path in sorted((ROOT / "templates").rglob("*.*"))
        if not is_exception(place := path.relative_to(ROOT).as_posix())
        if (found := LABEL.findall(path.read_text("utf-8")))
    }
    assert not named


def test_every_exception_is_needed():
    files = [*modules(), *((path.relative_to(ROOT).as_posix(), path) for path in (ROOT / "templates").rglob("*.*"))]
    for exception in EXCEPTIONS:
        texts = [(path, path.read_text("utf-8")) for place, path in files if place.startswith(exception)]
        assert any(
            list(named_in_code(text, everywhere=True)) if path.suffix == ".py" else LABEL.search(text)
            for path, text in texts
        ), exception


@pytest.mark.parametrize(
    "line",
    [
        "from harvesting.transports.rss.document import FeedDocument",
        "from harvesting.transports import file",
        "wanted = feed.protocol == 'rss'",
        "Feed(protocol='file')",
        "feed.protocol in {Feed.Protocol.RSS}",
        "place = {'protocol': Feed.Protocol.FILE}",
        "kind = 'oai-pmh'",
        "if error.code == 'oai.badResumptionToken': pass",
        "text = _('Only for RSS.')",
    ],
)
def test_a_name_is_found(line):
    assert list(named_in_code(line, everywhere=True))


def test_everyday_words_are_not_taken_for_names():
    assert not list(named_in_code("options['file']; POOR = ('oai_dc', 'rss')", everywhere=True))
