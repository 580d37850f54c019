"""What a record needs so that an agency registers its DOI. Pure.

From JaLC's table of JPCOAR elements (ver. 1.5, 2025-11). Where the table names a value for what is missing (the
publisher, the date, the first page), nothing is missing.
"""

from collections.abc import Iterator

from metadata.deposits.kinds import ARTICLE, BOOK, CROSSREF, DATACITE, Kind, kind_of, term_of
from metadata.deposits.values import (
    MOST_DOI,
    MOST_URL,
    address_of,
    doi_of,
    host_in_english,
    isbns_of,
    publisher_in_english,
    titles_of,
)
from metadata.record import BibliographicRecord


class NotRegistrable(ValueError):
    """A record whose DOI an agency would not register.

    code: "type" (the agency does not accept it), "doi" (the record asks the agency for none), "datacite" (it asks
    DataCite, to which nothing is handed over) or "lacks". type: the resource type of the record. lacks: the elements of
    JPCOAR that are missing.
    """

    def __init__(self, code: str, type_: str = "", lacks: tuple[str, ...] = ()) -> None:
        super().__init__(f"{code} {type_} {', '.join(lacks)}".strip())
        self.code = code
        self.type = type_
        self.lacks = lacks


def registrable(record: BibliographicRecord, agency: str) -> Kind:
    """Return what the record is for the agency. Raises NotRegistrable."""
    if not doi_of(record, agency):
        raise NotRegistrable("datacite" if doi_of(record, DATACITE) else "doi")
    kind = kind_of(record, agency)
    if kind is None:
        raise NotRegistrable("type", term_of(record))
    lacks = tuple(_lacking(record, kind, agency))
    if lacks:
        raise NotRegistrable("lacks", term_of(record), lacks)
    return kind


def _lacking(record: BibliographicRecord, kind: Kind, agency: str) -> Iterator[str]:
    """Yield the elements that the record lacks, or that are longer than the agency accepts."""
    if len(doi_of(record, agency)) > MOST_DOI:
        yield "jpcoar:identifierRegistration"
    if not any(titles_of(record)):
        yield "dc:title"
    if not 0 < len(address_of(record)) <= MOST_URL:
        yield "jpcoar:identifier[@HDL|@URI]"
    if not any(file.uri for file in record.files):
        yield "jpcoar:file/jpcoar:URI"
    if kind == ARTICLE and not record.host.volume.strip():
        yield "jpcoar:volume"
    if agency == CROSSREF:
        yield from _lacking_for_crossref(record, kind)


def _lacking_for_crossref(record: BibliographicRecord, kind: Kind) -> Iterator[str]:
    """Yield what else Crossref needs: names in English; the ISBN of a book, the number of a journal."""
    if record.publishers and not publisher_in_english(record):
        yield "publisher[@en]"
    host = record.host
    if kind == ARTICLE:
        if not host.issn and not host.identifiers:
            yield "jpcoar:sourceIdentifier"
        if not host_in_english(record):
            yield "jpcoar:sourceTitle[@en]"
    if kind == BOOK:
        if all(language != "en" for _, language in titles_of(record)):
            yield "dc:title[@en]"
        if not isbns_of(record):
            yield "jpcoar:relatedIdentifier[@ISBN]"
