"""Writes the document with which Crossref registers DOIs.

Elements and order are those of Crossref's deposit schema 5.3.1, as far as JaLC's table (ver. 1.5, 2025-11) fills them:
articles are in a journal; books, reports and theses, which the table counts among them, are books. `crossref.rng`
describes what is written here. Funders and relations, which the table leaves to the provider, are not given.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lxml import etree

from metadata.deposits.kinds import ARTICLE, CROSSREF, term_of
from metadata.deposits.needs import registrable
from metadata.deposits.values import (
    NO_PAGE,
    UNKNOWN_PUBLISHER,
    address_of,
    doi_of,
    half_width,
    host_in_english,
    isbns_of,
    person_names,
    published,
    publisher_in_english,
    titles_of,
)
from metadata.formats.jpcoar.write.source import bare_number, split_pages
from metadata.record import Agent, BibliographicRecord
from metadata.xml.parsing import PARSER_OPTIONS, serialise, strip_illegal

VERSION = "5.3.1"
NAMESPACE = f"http://www.crossref.org/schema/{VERSION}"
_NSMAP: Any = {None: NAMESPACE}  # the type stubs of lxml do not allow a default namespace
_ORCID = re.compile("[0-9]{4}-?[0-9]{4}-?[0-9]{4}-?[0-9]{3}[0-9X]")
_ISSN = re.compile("([0-9]{4})-?([0-9]{3}[0-9X])")


class Batch(NamedTuple):
    """Who sends a document, and which. timestamp: a number that grows with every document for the same DOI."""

    number: str
    timestamp: int
    depositor: str
    email: str
    registrant: str


def write(records: Sequence[BibliographicRecord], batch: Batch) -> bytes:
    """Return the document that registers the DOIs of records of one kind.

    Raises NotRegistrable for a record that lacks what Crossref asks for, and ValueError for records of several kinds.
    """
    [kind] = {registrable(record, CROSSREF) for record in records}
    root = etree.Element(f"{{{NAMESPACE}}}doi_batch", nsmap=_NSMAP, version=VERSION)
    head = _part(root, "head")
    _add(head, "doi_batch_id", batch.number)
    _add(head, "timestamp", str(batch.timestamp))
    depositor = _part(head, "depositor")
    _add(depositor, "depositor_name", batch.depositor)
    _add(depositor, "email_address", batch.email)
    _add(head, "registrant", batch.registrant)
    body = _part(root, "body")
    for record in records:
        (_journal if kind == ARTICLE else _book)(body, record)
    return serialise(root)


def _part(parent: etree._Element, name: str, **attributes: str) -> etree._Element:
    return etree.SubElement(parent, f"{{{NAMESPACE}}}{name}", attributes)


def _add(parent: etree._Element, name: str, text: str, **attributes: str) -> None:
    """Add an element, unless its text is empty."""
    clean = strip_illegal(text).strip()
    if clean:
        _part(parent, name, **attributes).text = clean


def _journal(body: etree._Element, record: BibliographicRecord) -> None:
    journal, host = _part(body, "journal"), record.host
    about = _part(journal, "journal_metadata")
    _add(about, "full_title", host_in_english(record))
    numbers = (*host.issn, *(number.value for number in host.identifiers))
    for issn in dict.fromkeys("-".join(found.groups()) for found in map(_ISSN.fullmatch, numbers) if found):
        _add(about, "issn", issn)
    issue = _part(journal, "journal_issue")
    _date(issue, record)
    _add(_part(issue, "journal_volume"), "volume", half_width(bare_number(host.volume) or host.volume))
    _add(issue, "issue", half_width(bare_number(host.number or host.issue)))
    article = _part(journal, "journal_article", publication_type="full_text")
    _titles(article, record)
    _contributors(article, record)
    _date(article, record)
    start, end = split_pages(host.pages)
    pages = _part(article, "pages")
    _add(pages, "first_page", half_width(start) or NO_PAGE)
    _add(pages, "last_page", half_width(end))
    _doi(article, record)


def _book(body: etree._Element, record: BibliographicRecord) -> None:
    book = _part(body, "book", book_type="monograph" if term_of(record) == "book" else "other")
    about = _part(book, "book_metadata")
    _contributors(about, record)
    _titles(about, record)
    _date(about, record)
    for isbn in isbns_of(record):
        _add(about, "isbn", isbn)
    publisher = _part(about, "publisher")
    _add(publisher, "publisher_name", publisher_in_english(record) or UNKNOWN_PUBLISHER)
    _doi(about, record)


def _titles(parent: etree._Element, record: BibliographicRecord) -> None:
    """Write the English title, and the title in the original language beside it."""
    found = sorted(titles_of(record), key=lambda title: title[1] != "en")
    titles = _part(parent, "titles")
    _add(titles, "title", found[0][0])
    for text, language in found[1:2]:
        _add(titles, "original_language_title", text, **({"language": language} if language else {}))


def _contributors(parent: etree._Element, record: BibliographicRecord) -> None:
    if record.creators:
        contributors = _part(parent, "contributors")
        for number, creator in enumerate(record.creators):
            _contributor(contributors, creator, record, "additional" if number else "first")
        if not len(contributors):
            parent.remove(contributors)


def _contributor(parent: etree._Element, agent: Agent, record: BibliographicRecord, sequence: str) -> None:
    """Write a person or body by its English name, else by its first."""
    names = sorted(person_names(agent, record), key=lambda name: name.language != "en")
    for name in names[:1]:
        attributes = {"sequence": sequence, "contributor_role": "author"}
        if name.language:
            attributes["language"] = name.language
        if agent.is_body:
            _add(parent, "organization", name.given, **attributes)
            return
        person = _part(parent, "person_name", **attributes)
        _add(person, "given_name", name.given if name.family else "")
        _add(person, "surname", name.family or name.given)
        for number in agent.identifiers:
            if number.scheme == "ORCID" and _ORCID.fullmatch(number.value):
                digits = number.value.replace("-", "")
                parts = (digits[start : start + 4] for start in range(0, 16, 4))
                _add(person, "ORCID", f"https://orcid.org/{'-'.join(parts)}")
                break


def _date(parent: etree._Element, record: BibliographicRecord) -> None:
    moment = published(record)
    date = _part(parent, "publication_date", media_type="online")
    for name in ("month", "day", "year"):
        _add(date, name, getattr(moment, name))


def _doi(parent: etree._Element, record: BibliographicRecord) -> None:
    data = _part(parent, "doi_data")
    _add(data, "doi", half_width(doi_of(record, CROSSREF)))
    _add(data, "resource", address_of(record))


def schema() -> etree.RelaxNG:
    """Return the schema of what is written here, after Crossref's."""
    parser = etree.XMLParser(**PARSER_OPTIONS)
    return etree.RelaxNG(etree.parse(Path(__file__).with_name("crossref.rng"), parser))
