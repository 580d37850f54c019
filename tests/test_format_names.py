"""No module outside a format's folder names a format or one of its rules: all ask the registry. Reads files only."""

import ast
from collections.abc import Iterator
from pathlib import Path

from metadata.formats import READABLE, RULES, WRITERS
from tests.modules import imported_names, module_name, product_files
from tests.paths import ROOT
from tests.sources import TOGETHER, nodes_in

pytestmark = TOGETHER

# These names are also those of a protocol, a feed, an option of commands or an encoding, so they are not looked for.
OF_OTHER_THINGS = {"json", "rss"}
NAMES = {*READABLE, *WRITERS} - OF_OTHER_THINGS
CODES = frozenset(code for code in RULES if code.partition(".")[0] in {*READABLE, *WRITERS})  # of their rules
FOLDER = "metadata.formats."
REGISTRY = "metadata.formats"
# Module → why it may name a format.
EXCEPTIONS = {
    "metadata.vocabularies.namespaces": "the usual prefixes of XML namespaces; some are metadataPrefixes too",
    "metadata.policy": "codes that say that nothing could be read, as families of other rules do",
    "metadata.reading": "the number of a repository is checked for every format by a rule of DC-NDL",
    "harvesting.transports.documents.feed_items": "links of items, for which the format of feeds has rules",
    "harvesting.transports.rss": "which codes of the format of feeds the transport finds",
    "metadata.deposits.crossref": "the agencies' tables are written in elements and words of JPCOAR",
    "metadata.deposits.jalc": "the agencies' tables are written in elements and words of JPCOAR",
    "metadata.deposits.kinds": "the agencies' tables are written in elements and words of JPCOAR",
    "metadata.deposits.needs": "the agencies' tables are written in elements and words of JPCOAR",
    "metadata.deposits.values": "the agencies' tables are written in elements and words of JPCOAR",
    "metadata.deposits.theses": "what the NDL needs of theses is said in elements of JPCOAR, and handed over so",
    "metadata.validation.xsd.folder": "schemas of RDF describe DC-NDL only in a folder of that name",
    "aggregator.provision.sru.indexes": "the prefix of a context set of CQL",
    "aggregator.views.public.feed_modules": "the prefixes of the namespaces in a feed",
    "aggregator.provision.ndl.harvesting": "the API of NDL Search, whose parameters are given",
    "aggregator.provision.ndl.rss": "the API of NDL Search, whose feeds have elements of DC-NDL",
    "aggregator.provision.ndl.sru": "the API of NDL Search, whose parameters are given",
    "aggregator.presentation.representations": "the page of a book embeds JSON-LD, from the citation that it shows",
    "harvesting.registry.feed_form": "tables have the columns of JSON, from which a form is made",
    "harvesting.live.kinds.json_service": "a mapping leads from the answers of a service to the columns of JSON",
    "harvesting.transports.file.table": "tables have the columns of JSON",
}


def is_of_a_format(name: str) -> bool:
    """Whether a module belongs to the folder of one format, or to the forms for reference managers."""
    return name.startswith((FOLDER, "metadata.citations.")) or name == REGISTRY


def names_in(path: Path) -> Iterator[str]:
    for node in nodes_in(path):
        if isinstance(node, ast.Constant) and (node.value in NAMES or node.value in CODES):
            yield str(node.value)
    for imported in imported_names(path):
        if imported.startswith(FOLDER) and not imported.startswith(f"{FOLDER}common."):
            yield imported


def modules_that_name_formats() -> dict[str, list[str]]:
    paths = [path for path in product_files() if path.relative_to(ROOT).parts[0] != "sampleprovider"]
    named = {module_name(path): list(names_in(path)) for path in paths}
    return {name: found for name, found in named.items() if found and not is_of_a_format(name)}


def test_only_the_exceptions_name_a_format() -> None:
    named = modules_that_name_formats()
    assert {name: found for name, found in named.items() if name not in EXCEPTIONS} == {}
    assert sorted(EXCEPTIONS.keys() - named.keys()) == []


def test_the_registry_has_one_line_for_each_format() -> None:
    folders = {path.parent.name for path in (ROOT / "metadata" / "formats").glob("*/__init__.py")} - {"common"}
    text = (ROOT / "metadata" / "formats" / "__init__.py").read_text(encoding="utf-8")
    assert {
        name: text.count(f"    {name}.FORMAT,") + text.count(f"{name}.WRITER") for name in folders
    } == dict.fromkeys(folders, 1)
