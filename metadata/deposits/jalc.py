"""Writes the document with which JaLC registers DOIs.

Order and names of the elements are those of JaLC's tables for articles, books, research data and e-learning, as far as
they are public; `jalc.rng` describes what is written here, because JaLC publishes no schema. Abstracts are not in these
tables, so they are not given.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from lxml import etree

from metadata.deposits.kinds import ARTICLE, DATA, JALC, THESES, Kind, term_of
from metadata.deposits.needs import registrable
from metadata.deposits.values import (
    NO_PAGE,
    UNKNOWN_PUBLISHER,
    PersonName,
    address_of,
    doi_of,
    half_width,
    in_languages,
    person_names,
    published,
    titles_of,
)
from metadata.formats.jpcoar.terms import DATE_TYPE_OF
from metadata.formats.jpcoar.write.languages import forms_of
from metadata.formats.jpcoar.write.source import bare_number, split_pages
from metadata.record import Agent, BibliographicRecord, Identifier
from metadata.xml.parsing import PARSER_OPTIONS, serialise, strip_illegal

SYNCHRONOUS, BY_NUMBER = "0", "2"  # how JaLC gives the result: at once, or when it is asked by exec_id
THESIS = "03"  # of book_classification
_REGISTER = "01"
_ISSN = {"PISSN": "ISSN", "EISSN": "ISSN"}
_FUNDERS = {"e-Rad_funder": "Other", "e-Rad": "Other"}  # schemes that JaLC does not name


def write(records: Sequence[BibliographicRecord], site_id: str, result_method: str = SYNCHRONOUS) -> bytes:
    """Return the document that registers the DOIs of records of one kind.

    site_id: the number of the provider's site at JaLC. Raises NotRegistrable for a record that JaLC would refuse, and
    ValueError for records of several kinds.
    """
    [kind] = {registrable(record, JALC) for record in records}
    root = etree.Element("root")
    head = etree.SubElement(root, "head")
    for name, value in (
        ("error_process", "0"),
        ("result_method", result_method),
        ("content_classification", kind.code),
        ("request_kind", _REGISTER),
    ):
        _add(head, name, value)
    body = etree.SubElement(root, "body")
    _add(body, "site_id", site_id)
    for number, record in enumerate(records):
        content = etree.SubElement(body, "content", sequence=str(number))
        if kind == ARTICLE:
            content.set("classification", "article")
        for part in _PARTS:
            part(content, record, kind)
    return serialise(root)


def _add(parent: etree._Element, name: str, text: str, **attributes: str) -> None:
    """Add an element, unless its text is empty. Empty attributes are left out."""
    clean = strip_illegal(text).strip()
    if clean:
        element = etree.SubElement(parent, name, {key: value for key, value in attributes.items() if value})
        element.text = clean


def _keep_if_filled(parent: etree._Element, element: etree._Element) -> None:
    if len(element):
        parent.append(element)


def _doi(content: etree._Element, record: BibliographicRecord, kind: Kind) -> None:
    _add(content, "doi", half_width(doi_of(record, JALC)))


def _url(content: etree._Element, record: BibliographicRecord, kind: Kind) -> None:
    _add(content, "url", address_of(record))


def _thesis(content: etree._Element, record: BibliographicRecord, kind: Kind) -> None:
    if term_of(record) in THESES:
        _add(content, "book_classification", THESIS)


def _journal_ids(content: etree._Element, record: BibliographicRecord, kind: Kind) -> None:
    if kind != ARTICLE:
        return
    host, numbers = record.host, etree.Element("journal_id_list")
    typed = {number.value for number in host.identifiers}
    issns = (Identifier(scheme="ISSN", value=issn) for issn in host.issn if issn not in typed)
    for number in (*host.identifiers, *issns):
        scheme = _ISSN.get(number.scheme, number.scheme)
        value = f"{number.value[:4]}-{number.value[4:]}" if scheme == "ISSN" else number.value
        _add(numbers, "journal_id", value, type=scheme)
    _keep_if_filled(content, numbers)


def _titles(content: etree._Element, record: BibliographicRecord, kind: Kind) -> None:
    titles = etree.Element("title_list")
    for text, language in titles_of(record):
        entry = etree.SubElement(titles, "titles", {"lang": language} if language else {})
        _add(entry, "title", text)
    _keep_if_filled(content, titles)


def _creators(content: etree._Element, record: BibliographicRecord, kind: Kind) -> None:
    _agents(content, "creator", record.creators, record)


def _contributors(content: etree._Element, record: BibliographicRecord, kind: Kind) -> None:
    if kind == DATA:
        _agents(content, "contributor", record.contributors, record)


def _agents(content: etree._Element, name: str, agents: Iterable[Agent], record: BibliographicRecord) -> None:
    found = etree.Element(f"{name}_list")
    for number, agent in enumerate(agents):
        entry = etree.SubElement(found, name, sequence=str(number))
        if name == "contributor" and agent.role:
            entry.set("contributor_type", strip_illegal(agent.role))
        for spelled in person_names(agent, record):
            _names(entry, spelled)
        _affiliations(entry, agent, record)
        numbers = etree.Element("researcher_id")
        for identifier in agent.identifiers:
            _add(numbers, "id_code", identifier.value, type=identifier.scheme)
        _keep_if_filled(entry, numbers)
    _keep_if_filled(content, found)


def _names(entry: etree._Element, spelled: PersonName) -> None:
    names = etree.SubElement(entry, "names", {"lang": spelled.language} if spelled.language else {})
    _add(names, "last_name", spelled.family)
    _add(names, "first_name", spelled.given)


def _affiliations(entry: etree._Element, agent: Agent, record: BibliographicRecord) -> None:
    bodies = etree.Element("affiliations")
    for number, body in enumerate(agent.affiliations):
        affiliation = etree.SubElement(bodies, "affiliation", sequence=str(number))
        for text, language in in_languages(forms_of(body), record):
            _add(affiliation, "affiliation_name", text, lang=language)
        for identifier in body.identifiers:
            _add(affiliation, "affiliation_identifier", identifier.value, type=identifier.scheme)
    _keep_if_filled(entry, bodies)


def _published(content: etree._Element, record: BibliographicRecord, kind: Kind) -> None:
    moment = published(record)
    date = etree.SubElement(content, "publication_date")
    for name in ("year", "month", "day"):
        _add(date, name, getattr(moment, name))
    if kind == ARTICLE and moment.day:
        _add(content, "date", "".join(moment))


def _dates(content: etree._Element, record: BibliographicRecord, kind: Kind) -> None:
    if kind != DATA:
        return
    dates = etree.Element("date_list")
    _add(dates, "date", record.issued, type="Issued")
    for date in record.other_dates:
        _add(dates, "date", date.value, type=DATE_TYPE_OF.get(date.type, date.type))
    _keep_if_filled(content, dates)


def _relations(content: etree._Element, record: BibliographicRecord, kind: Kind) -> None:
    relations = etree.Element("relation_list")
    for relation in record.relations:
        target = relation.number or relation.uri
        _add(relations, "related_content", target, type=relation.scheme, relation=relation.term or relation.type)
    _keep_if_filled(content, relations)


def _publisher(content: etree._Element, record: BibliographicRecord, kind: Kind) -> None:
    name = next((publisher.name for publisher in record.publishers if publisher.name.strip()), UNKNOWN_PUBLISHER)
    _add(etree.SubElement(content, "publisher"), "publisher_name", name)


def _place(content: etree._Element, record: BibliographicRecord, kind: Kind) -> None:
    """Write volume, issue and pages. Of an article JaLC wants a first page in any case."""
    host = record.host
    start, end = split_pages(host.pages)
    if kind == ARTICLE:
        start = start or NO_PAGE
    for name, value in (
        ("volume", bare_number(host.volume)),
        ("issue", bare_number(host.number or host.issue)),
        ("first_page", start),
        ("last_page", end),
    ):
        _add(content, name, half_width(value))


def _funds(content: etree._Element, record: BibliographicRecord, kind: Kind) -> None:
    funds = etree.Element("fund_list")
    for funding in record.fundings:
        if not funding.funder.name.strip():
            continue
        fund = etree.SubElement(funds, "fund")
        _add(fund, "funder_name", funding.funder.name)
        for number in funding.funder.identifiers[:1]:
            _add(fund, "funder_identifier", number.value, type=_FUNDERS.get(number.scheme, number.scheme))
        award = etree.Element("award_number_group")
        _add(award, "award_number", funding.award.printed or funding.award.value)
        _keep_if_filled(fund, award)
    _keep_if_filled(content, funds)


# The parts of a content in JaLC's order.
_PARTS: tuple[Callable[[etree._Element, BibliographicRecord, Kind], None], ...] = (
    _doi,
    _url,
    _thesis,
    _journal_ids,
    _titles,
    _creators,
    _contributors,
    _published,
    _dates,
    _relations,
    _publisher,
    _place,
    _funds,
)


def schema() -> etree.RelaxNG:
    """Return the schema of what JaLC accepts, made from its tables."""
    parser = etree.XMLParser(**PARSER_OPTIONS)
    return etree.RelaxNG(etree.parse(Path(__file__).with_name("jalc.rng"), parser))
