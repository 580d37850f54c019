"""Every setting, command and rule is documented, and every path that a document names exists."""

import ast
import re
from pathlib import Path
from runpy import run_path

import pytest

from aggregator.views.public.links import MEANINGS
from metadata.links import PLACEHOLDERS
from tests.paths import ROOT

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TEXT = "\n".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)
FOLDERS = ("aggregator", "benchmarks", "core", "deploy", "docs", "harvesting", "metadata", "sampleprovider", "tests")
PLACEHOLDER = re.compile(r"\b[A-Z]{3,}\b")  # as in aggregator/search/NAME/
EXAMPLES = {"metadata/formats/cards/"}  # the folder that the tutorial lets the reader create
OWN_READERS = {"env_flag", "env_list", "get"}  # functions that read the environment, in settings.py


def environment_names() -> set[str]:
    """The names of the environment variables that settings.py reads; DATABASE_URL is read by dj_database_url."""
    tree = ast.parse((ROOT / "aggregator" / "settings.py").read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args]
    readers = {call: getattr(call.func, "attr", getattr(call.func, "id", "")) for call in calls}
    names = [call.args[0] for call, name in readers.items() if name in OWN_READERS or name.startswith("env_")]
    return {node.value for node in names if isinstance(node, ast.Constant)} | {"DATABASE_URL"}


def command_names() -> list[str]:
    paths = ROOT.glob("*/management/commands/[a-z]*.py")
    return sorted(path.stem for path in paths)


def test_every_variable_of_the_environment_is_documented():
    assert environment_names() >= {"AGGREGATOR_DATA", "HARVEST_CONTACT", "DEBUG"}
    assert not {name for name in environment_names() if f"`{name}`" not in TEXT}


def test_every_command_is_documented():
    assert "harvest" in command_names()
    assert not [name for name in command_names() if f"`{name}`" not in TEXT]


@pytest.mark.parametrize("place", PLACEHOLDERS)
def test_every_place_of_a_link_template_is_documented_and_explained(place):
    assert f"`{{{place}}}`" in TEXT
    assert MEANINGS[place]


def test_every_path_that_a_document_names_exists():
    named = set(re.findall(rf"`((?:{'|'.join(FOLDERS)})/[\w./-]*)`", TEXT))
    named = {name for name in named if not PLACEHOLDER.search(name)} - EXAMPLES
    assert "metadata/formats/" in named
    assert not sorted(name for name in named if not (ROOT / name).exists())


def is_defined(name: str) -> bool:
    """Whether a dotted name is a package, a module, or a name in the module before the last dot."""
    path = ROOT / name.replace(".", "/")
    places = (path.parent.with_suffix(".py"), path.parent / "__init__.py")
    sources = [place.read_text(encoding="utf-8") for place in places if place.exists()]
    is_module = path.is_dir() or path.with_suffix(".py").exists()
    return is_module or any(re.search(rf"\b{path.name}\b", source) for source in sources)


def test_every_module_that_a_comment_or_a_document_names_exists():
    code = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    texts = [TEXT, *(path.read_text(encoding="utf-8") for path in code)]
    pattern = re.compile(rf"`((?:{'|'.join(FOLDERS)})\.[a-z]\w*(?:\.\w+)*)[^`]*`")
    named = {name for text in texts for name in pattern.findall(text)}
    assert "metadata.formats" in named
    assert not sorted(name for name in named if not is_defined(name))


def anchors(path: Path) -> set[str]:
    """The anchors of the headings of a document."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", [*ROOT.glob("*.md"), *DOCUMENTS[1:]], ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_between_documents_leads_to_its_place(document):
    links = re.findall(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)]*))?\)", document.read_text(encoding="utf-8"))
    targets = [(document.parent / path if path else document, anchor) for path, anchor in links]
    assert not [str(path) for path, _anchor in targets if not path.exists()]
    assert not [(str(path), anchor) for path, anchor in targets if anchor and anchor not in anchors(path)]


def test_generated_pages_are_current():
    """docs/generate.py was run after the last change of a command, a format, a rule or a scenario."""
    generate = run_path(str(ROOT / "docs" / "generate.py"))
    for name, text in generate["pages"]().items():
        assert (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8") == text, name
