"""The record schemas of SRU: their names, and a book written in one. Knows crosswalks; no HTTP."""

from collections.abc import Callable
from dataclasses import dataclass

from lxml import etree

from aggregator.catalogue.books import Book
from aggregator.presentation.representations import addressed
from metadata.formats import CROSSWALKS
from metadata.record import BibliographicRecord
from metadata.xml.parsing import PARSER_OPTIONS, children

DC = "info:srw/schema/1/dc-v1.1"
_DC_ROOT = "{info:srw/schema/1/dc-schema}dc"


@dataclass(frozen=True, slots=True)
class Schema:
    """identifier: as responses name it; names: what a request may say besides; write: a document."""

    name: str
    identifier: str
    title: str
    write: Callable[[BibliographicRecord], bytes]
    location: str
    others: tuple[str, ...] = ()


def _plain_dc(record: BibliographicRecord) -> bytes:
    """Dublin Core under the root that SRU gives it."""
    parser = etree.XMLParser(**PARSER_OPTIONS)
    source = etree.fromstring(CROSSWALKS["oai_dc"].write(record), parser)
    root = etree.Element(_DC_ROOT, nsmap={"srw_dc": "info:srw/schema/1/dc-schema", "dc": source.nsmap["dc"]})
    root.extend(children(source))
    etree.cleanup_namespaces(root)
    return etree.tostring(root, encoding="UTF-8")


def _of(prefix: str, title: str, identifier: str = "", *others: str) -> Schema:
    crosswalk = CROSSWALKS[prefix]
    identifier = identifier or crosswalk.namespace
    return Schema(prefix, identifier, title, crosswalk.write, crosswalk.schema, (crosswalk.namespace, *others))


SCHEMAS = (
    _of("dcndl", "DC-NDL (RDF)", "http://ndl.go.jp/dcndl/terms/"),
    _of("dcndl_simple", "DC-NDL (Simple)"),
    _of("oai_dc", "Dublin Core (OAI-PMH)"),
    Schema("dc", DC, "Dublin Core", _plain_dc, "http://www.loc.gov/standards/sru/recordSchemas/dc-schema.xsd"),
    _of("marcxml", "MARCXML", "info:srw/schema/1/marcxml-v1.1", "info:srw/schema/1/marcxml-v1.2"),
    _of("mods", "MODS", "info:srw/schema/1/mods-v3.7"),
    _of("jpcoar", "JPCOAR"),
)
DEFAULT = SCHEMAS[0]
BY_NAME = {name: each for each in reversed(SCHEMAS) for name in (each.name, each.identifier, *each.others)}


def written(book: Book, schema: Schema) -> str:
    """The book as an element that can stand inside another: without the declaration, with all its namespaces."""
    text = schema.write(addressed(book)).decode()
    return text.partition("?>")[2].lstrip() if text.startswith("<?xml") else text
