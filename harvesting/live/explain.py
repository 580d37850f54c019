"""Reads the description of an SRU server (explain record, ZeeRex 2.0): its version, indexes and record schemas. Pure.

SRU 1.1 and 1.2: Library of Congress; SRU 2.0: OASIS searchRetrieve, part 3 and 7.
"""

from collections.abc import Iterator

from lxml import etree

from harvesting.live.cql import INDEX
from harvesting.live.documents import child, child_text, local, parsed
from harvesting.live.options import Options
from harvesting.live.types import (
    ANY,
    CREATOR,
    DESCRIPTION,
    ISBN,
    ISSN,
    LANGUAGE,
    NDC,
    PUBLISHER,
    SUBJECT,
    TITLE,
    YEAR,
    LiveError,
)
from metadata.formats import BY_NAME, FORMATS

OASIS = "http://docs.oasis-open.org/ns/search-ws/"
VERSIONS = ("1.1", "1.2", "2.0")
RELATIONS = frozenset({"=", "==", "exact", "all", "any", "scr", "adj", "<", "<=", ">", ">=", "within"})
# Field → the names that indexes for it have, in lower case; the better one first.
_INDEX_NAMES: dict[str, tuple[str, ...]] = {
    ANY: ("anywhere", "serverchoice", "anyfield", "any", "keyword", "keywords", "all", "allindexes", "fulltext"),
    TITLE: ("title", "titel", "title_keyword"),
    CREATOR: ("creator", "author", "name", "personalname"),
    PUBLISHER: ("publisher",),
    SUBJECT: ("subject", "topicalsubject", "subjects"),
    ISBN: ("isbn",),
    ISSN: ("issn",),
    LANGUAGE: ("language", "lang", "languagecode"),
    NDC: ("ndc", "classification"),
    DESCRIPTION: ("description", "abstract", "notes"),
    YEAR: ("date", "year", "publicationdate", "issued", "dateissued", "possibledate"),
}
_PREFERRED_SETS = ("dc", "cql", "bath", "dcterms")  # context sets whose meaning is known, the better one first
_MOST = 500  # indexes and schemas that are looked at
_IDENTIFIER = "info:srw/schema/1/"


def read_explain(body: bytes) -> Options | None:
    """Return what a response says of its server; None if it is a response of SRU without a description.

    Raises LiveError "live.not_sru" or "live.xml".
    """
    root = parsed(body)
    record = _record_in(root)
    if record is None:
        if local(root) not in ("explainResponse", "searchRetrieveResponse"):
            raise LiveError("live.not_sru", f"<{local(root)}>")
        return None
    indexes, relations = _indexes(record)
    info = child(record, "databaseInfo")
    return Options(
        name=child_text(info, "title")[:200] if info is not None else "",
        version=version_of(root),
        schemas=_schemas(record),
        indexes=indexes,
        relations=relations,
        page_size=_page_size(record),
    )


def version_of(root: etree._Element) -> str:
    """Return the version that a response is in."""
    if str(root.tag).startswith(f"{{{OASIS}"):
        return VERSIONS[-1]
    stated = child_text(root, "version")
    return stated if stated in VERSIONS else VERSIONS[0]


def prefix_of_schema(name: str, identifier: str) -> str:
    """Return the metadataPrefix of the format of a record schema; "" if it is not one that can be read."""
    for candidate in (name, identifier, identifier.removeprefix(_IDENTIFIER).partition("-")[0]):
        if known := BY_NAME.get(candidate.lower()):
            return known.prefix
    for known in FORMATS.values():
        if any(identifier in (writer.namespace, *writer.sru) for writer in known.writers if identifier):
            return known.prefix
    return ""


def _record_in(root: etree._Element) -> etree._Element | None:
    """The explain record: the document itself, inside a response, or as text in it (recordPacking "string")."""
    if local(root) == "explain":
        return root
    for data in root.iter("{*}recordData"):
        inner = next(data.iterchildren(etree.Element), None)
        if inner is None and (data.text or "").strip():
            inner = parsed((data.text or "").strip().encode())
        if inner is not None and local(inner) == "explain":
            return inner
    return None


def _schemas(record: etree._Element) -> dict[str, str]:
    """Return metadataPrefix → name in requests, for the schemas that can be read."""
    found: dict[str, str] = {}
    for schema in _within(record, "schemaInfo", "schema"):
        if schema.get("retrieve", "true").strip().lower() == "false":
            continue
        name, identifier = schema.get("name", "").strip(), schema.get("identifier", "").strip()
        prefix = prefix_of_schema(name, identifier)
        if prefix:
            found.setdefault(prefix, (name or identifier)[:200])
    return found


def _indexes(record: etree._Element) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Return field → index and field → its relations, for the indexes whose names are known."""
    offered: dict[str, list[str]] = {}  # qualified name → relations
    for index in _within(record, "indexInfo", "index"):
        if index.get("search", "true").strip().lower() == "false":
            continue
        relations = [_trimmed(element) for element in index.iter("{*}supports") if element.get("type") == "relation"]
        for element in index.iter("{*}name"):
            qualified = ".".join(filter(None, (element.get("set", "").strip(), _trimmed(element))))
            if INDEX.match(qualified):
                offered.setdefault(qualified, [relation for relation in relations if relation in RELATIONS])
    chosen = {field: name for field in _INDEX_NAMES if (name := _best(field, offered))}
    relations_of = {field: offered[name] for field, name in chosen.items() if offered[name]}
    return {ANY: "", **chosen}, relations_of


def _trimmed(element: etree._Element) -> str:
    return (element.text or "").strip()


def _best(field: str, offered: dict[str, list[str]]) -> str:
    """The index for a field: by its own name first, then by the context set that it is from."""

    def rank(name: str) -> tuple[int, int]:
        prefix, _dot, own = name.lower().rpartition(".")
        place = _PREFERRED_SETS.index(prefix) if prefix in _PREFERRED_SETS else len(_PREFERRED_SETS)
        return _INDEX_NAMES[field].index(own), place

    known = [name for name in offered if name.lower().rpartition(".")[2] in _INDEX_NAMES[field]]
    return min(known, key=rank, default="")


def _page_size(record: etree._Element) -> int:
    """The number of records that may be asked for at once, at most that of an answer."""
    config = child(record, "configInfo")
    settings = config.iter("{*}setting") if config is not None else ()
    for setting in settings:
        text = (setting.text or "").strip()
        if setting.get("type") == "maximumRecords" and text.isascii() and text.isdigit() and int(text[:9]) > 0:
            return min(int(text[:9]), Options().page_size)
    return Options().page_size


def _within(record: etree._Element, group: str, name: str) -> Iterator[etree._Element]:
    parent = child(record, group)
    if parent is None:
        return
    for number, element in enumerate(parent.iterchildren(f"{{*}}{name}")):
        if number >= _MOST:
            return
        yield element
