"""The record schemas of SRU, and serialization of a book in a schema. No HTTP."""

from collections.abc import Callable
from dataclasses import dataclass

from lxml import etree

from aggregator.catalogue.books import Book
from metadata.formats import CROSSWALKS
from metadata.record import BibliographicRecord
from metadata.xml.parsing import PARSER_OPTIONS, children

DC = "info:srw/schema/1/dc-v1.1"
_DC_ROOT = "{info:srw/schema/1/dc-schema}dc"


@dataclass(frozen=True, slots=True)
class Schema:
    """A record schema. identifier: as in responses. others: other names in requests. write: makes a document."""

    name: str
    identifier: str
    title: str
    write: Callable[[BibliographicRecord], bytes]
    location: str
    others: tuple[str, ...] = ()


def _plain_dc(record: BibliographicRecord) -> bytes:
    """Return Dublin Core with the root element of SRU."""
    parser = etree.XMLParser(**PARSER_OPTIONS)
    source = etree.fromstring(CROSSWALKS["oai_dc"].write(record), parser)
    root = etree.Element(_DC_ROOT, nsmap={"srw_dc": "info:srw/schema/1/dc-schema", "dc": source.nsmap["dc"]})
    root.extend(children(source))
    etree.cleanup_namespaces(root)
    return etree.tostring(root, encoding="UTF-8")


def _schema(prefix: str, title: str, identifier: str = "", *others: str) -> Schema:
    crosswalk = CROSSWALKS[prefix]
    identifier = identifier or crosswalk.namespace
    return Schema(prefix, identifier, title, crosswalk.write, crosswalk.schema, (crosswalk.namespace, *others))


SCHEMAS = (
    _schema("dcndl", "DC-NDL (RDF)", "http://ndl.go.jp/dcndl/terms/"),
    _schema("dcndl_simple", "DC-NDL (Simple)"),
    _schema("oai_dc", "Dublin Core (OAI-PMH)"),
    Schema("dc", DC, "Dublin Core", _plain_dc, "http://www.loc.gov/standards/sru/recordSchemas/dc-schema.xsd"),
    _schema("marcxml", "MARCXML", "info:srw/schema/1/marcxml-v1.1", "info:srw/schema/1/marcxml-v1.2"),
    _schema("mods", "MODS", "info:srw/schema/1/mods-v3.7"),
    _schema("jpcoar", "JPCOAR"),
)
DEFAULT = SCHEMAS[0]
BY_NAME = {name: schema for schema in reversed(SCHEMAS) for name in (schema.name, schema.identifier, *schema.others)}


def record_element(book: Book, schema: Schema) -> str:
    """Return the book as an element for embedding: without XML declaration, with all its namespaces."""
    text = schema.write(book.record).decode()
    return text.partition("?>")[2].lstrip() if text.startswith("<?xml") else text
