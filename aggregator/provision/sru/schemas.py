"""The record schemas of SRU, and serialization of a book in a schema. No HTTP."""

from collections.abc import Callable
from dataclasses import dataclass

from lxml import etree

from aggregator.catalogue.books import Book
from metadata.formats import OAI_REQUIRED, WRITERS, Writer
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
    source = etree.fromstring(OAI_REQUIRED.write(record), parser)
    root = etree.Element(_DC_ROOT, nsmap={"srw_dc": "info:srw/schema/1/dc-schema", "dc": source.nsmap["dc"]})
    root.extend(children(source))
    etree.cleanup_namespaces(root)
    return etree.tostring(root, encoding="UTF-8")


PLAIN_DC = Schema("dc", DC, "Dublin Core", _plain_dc, "http://www.loc.gov/standards/sru/recordSchemas/dc-schema.xsd")


def schemas() -> tuple[Schema, ...]:
    """Return the schemas in which books are given; the default first."""
    return (*(schema_of(writer) for writer in WRITERS.values() if writer.books and writer.namespace), PLAIN_DC)


def default_schema() -> Schema:
    return schemas()[0]


def schema_of(writer: Writer) -> Schema:
    """Return a form of records as a record schema."""
    identifier, *others = (*writer.sru, writer.namespace)
    return Schema(writer.name, identifier, writer.label, writer.write, writer.schema, tuple(others))


def schema_named(name: str) -> Schema | None:
    """Return the schema with this name or identifier, None if there is none."""
    found = (schema for schema in schemas() if name in (schema.name, schema.identifier, *schema.others))
    return next(found, None)


def record_element(book: Book, schema: Schema) -> str:
    """Return the book as an element for embedding: without XML declaration, with all its namespaces."""
    text = schema.write(book.record).decode()
    return text.partition("?>")[2].lstrip() if text.startswith("<?xml") else text
