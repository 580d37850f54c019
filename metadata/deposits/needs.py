"""What a record needs so that an agency registers its DOI: the issues of the rules `doi.*`. Pure.

From JaLC's table of JPCOAR elements (ver. 1.5, 2025-11), whose names of elements the issues have. Where the table names
a value for what is missing (the publisher, the date, the first page), the DOI can be registered.
"""

from collections.abc import Iterable, Iterator

from metadata.deposits.kinds import AGENCIES, ARTICLE, BOOK, CROSSREF, DATACITE, Kind, kind_of, term_of
from metadata.deposits.values import (
    MOST_DOI,
    MOST_URL,
    NO_PAGE,
    UNKNOWN_DATE,
    UNKNOWN_PUBLISHER,
    address_of,
    doi_of,
    host_in_english,
    isbns_of,
    published,
    publisher_in_english,
    titles_of,
)
from metadata.formats.jpcoar.write.source import split_pages
from metadata.issue import Issue, where
from metadata.record import BibliographicRecord

FAMILY = "doi"  # first part of the codes of these rules
REGISTRATION = "jpcoar:identifierRegistration"
_ISBN = where("jpcoar:relation/jpcoar:relatedIdentifier", "identifierType", "ISBN")
_PAGES = where("jpcoar:identifier", "identifierType", "HDL", "URI")


class NotRegistrable(ValueError):
    """A record whose DOI an agency would not register.

    code: "doi" (the record asks the agency for none), "datacite" (it asks DataCite, to which nothing is handed over) or
    "needs". issues: what would have to be corrected.
    """

    def __init__(self, code: str, issues: tuple[Issue, ...] = ()) -> None:
        super().__init__(" ".join((code, *(f"{issue.code} {issue.field}" for issue in issues))))
        self.code = code
        self.issues = issues


def registrable(record: BibliographicRecord, agency: str) -> Kind:
    """Return what the record is for the agency. Raises NotRegistrable."""
    if not doi_of(record, agency):
        raise NotRegistrable("datacite" if doi_of(record, DATACITE) else "doi")
    kind = kind_of(record, agency)
    issues = tuple(missing(record, agency))
    if kind is None or issues:
        raise NotRegistrable("needs", issues)
    return kind


def asked_for(record: BibliographicRecord | None) -> tuple[str, str]:
    """Return the agency and the DOI for which a record asks, ("", "") if there is none to be handed over."""
    if record is None or not record.registrations:
        return "", ""
    found = ((agency, doi_of(record, agency)) for agency in AGENCIES)
    return next(((agency, doi) for agency, doi in found if 0 < len(doi) <= MOST_DOI), ("", ""))


def check_deposit(record: BibliographicRecord) -> Iterator[Issue]:
    """Yield what the agency would refuse of a record that asks for a DOI, and what it is given in place of gaps."""
    for agency in AGENCIES:
        if record.registrations and doi_of(record, agency):
            yield from missing(record, agency)
            yield from _substituted(record, agency)


def missing(record: BibliographicRecord, agency: str) -> Iterator[Issue]:
    """Yield what the record lacks, or what the agency does not accept."""
    kind = kind_of(record, agency)
    if kind is None:
        yield Issue(code="doi.E002", field=where(REGISTRATION, "identifierType", agency), value=term_of(record))
    if len(doi_of(record, agency)) > MOST_DOI:
        yield Issue(code="doi.E007", field=where(REGISTRATION, "identifierType", agency), value=doi_of(record, agency))
    if not any(titles_of(record)):
        yield Issue(code="doi.E003", field="dc:title", value=agency)
    yield from _missing_addresses(record, agency)
    if kind == ARTICLE and not record.host.volume.strip():
        yield Issue(code="doi.E006", field="jpcoar:volume", value=agency)
    if agency == CROSSREF:
        yield from _missing_for_crossref(record, kind)


def _missing_addresses(record: BibliographicRecord, agency: str) -> Iterator[Issue]:
    address = address_of(record)
    if not address:
        yield Issue(code="doi.E004", field=_PAGES, value=agency)
    elif len(address) > MOST_URL:
        yield Issue(code="doi.E104", field=_PAGES, value=address)
    if not any(file.uri for file in record.files):
        yield Issue(code="doi.E005", field="jpcoar:file/jpcoar:URI", value=agency)


def _missing_for_crossref(record: BibliographicRecord, kind: Kind | None) -> Iterator[Issue]:
    """Yield what else Crossref needs: names in English; the ISBN of a book, the number of a journal."""
    if record.publishers and not publisher_in_english(record):
        yield Issue(code="doi.E011", field=where("dc:publisher", "xml:lang", "en"), value=CROSSREF)
    host = record.host
    if kind == ARTICLE:
        if not host.issn and not host.identifiers:
            yield Issue(code="doi.E012", field="jpcoar:sourceIdentifier", value=CROSSREF)
        if not host_in_english(record):
            yield Issue(code="doi.E013", field=where("jpcoar:sourceTitle", "xml:lang", "en"), value=CROSSREF)
    if kind == BOOK:
        if all(language != "en" for _, language in titles_of(record)):
            yield Issue(code="doi.E014", field=where("dc:title", "xml:lang", "en"), value=CROSSREF)
        if not isbns_of(record):
            yield Issue(
                code="doi.E015",
                field=_ISBN,
                value=CROSSREF,
            )


def _substituted(record: BibliographicRecord, agency: str) -> Iterator[Issue]:
    """Yield the elements for which the agency is given a word of its table, because the record lacks them."""
    gaps: Iterable[tuple[bool, str, str]] = (
        (not any(body.name.strip() for body in record.publishers), "dc:publisher", UNKNOWN_PUBLISHER),
        (published(record) == UNKNOWN_DATE, "datacite:date", "-".join(UNKNOWN_DATE)),
        (kind_of(record, agency) == ARTICLE and not split_pages(record.host.pages)[0], "jpcoar:pageStart", NO_PAGE),
    )
    for is_gap, field, word in gaps:
        if is_gap:
            yield Issue(code="doi.I010", field=field, value=agency, result=word)
