"""The publication around a record, its edition, degree, files and funding, as JPCOAR."""

import re

from lxml import etree

from metadata.formats.common.base import NO_HOST
from metadata.formats.jpcoar.write.languages import LANGUAGE_CODES, guess, with_reading
from metadata.formats.jpcoar.write.parts import add, agent, conference, file, funding, holding_agent
from metadata.record import BibliographicRecord, File, Title

# Schemes of the publication around a record only, and those that may be the record's own, which have no place here.
_OF_HOSTS, _OF_EITHER = frozenset({"PISSN", "EISSN", "NCID"}), frozenset({"ISBN", "ISSN"})
_COUNT = re.compile(r"([1-9][0-9]*)p\Z")


def source(root: etree._Element, record: BibliographicRecord) -> None:
    """The publication around the record: its numbers."""
    host = record.host
    typed = {each.value for each in host.identifiers}
    for each in host.identifiers:
        text = f"{each.value[:4]}-{each.value[4:]}" if each.scheme in {"PISSN", "EISSN"} else each.printed or each.value
        add(root, "jpcoar:sourceIdentifier", text).set("identifierType", each.scheme)
    for issn in host.issn:
        if issn not in typed:
            add(root, "jpcoar:sourceIdentifier", f"{issn[:4]}-{issn[4:]}").set("identifierType", "ISSN")
    for wrong in record.invalid_identifiers:
        if wrong.scheme in _OF_HOSTS or (wrong.scheme in _OF_EITHER and host != NO_HOST):
            add(root, "jpcoar:sourceIdentifier", wrong.value).set("identifierType", wrong.scheme)


def journal(root: etree._Element, record: BibliographicRecord) -> None:
    """The publication around the record: title, numbering, pages."""
    host = record.host
    for each in (Title(value=host.title, language=host.language), *host.titles):
        add(root, "jpcoar:sourceTitle", each.value, each.language)
    add(root, "jpcoar:volume", host.volume or ("" if host.title else record.volume))
    add(root, "jpcoar:issue", host.number or host.issue)
    add(root, "jpcoar:numPages", _pages(record))
    start, end = halves(host.pages)
    add(root, "jpcoar:pageStart", start)
    add(root, "jpcoar:pageEnd", end)


def halves(pages: str) -> tuple[str, str]:
    """ "A-1-A-5" has its middle at the second of three hyphens."""
    pieces = pages.split("-")
    if len(pieces) % 2:
        return pages, ""
    middle = len(pieces) // 2
    return "-".join(pieces[:middle]), "-".join(pieces[middle:])


def edition(root: etree._Element, record: BibliographicRecord) -> None:
    """Edition and extent; the first extent as number of pages where it is one."""
    for text in record.editions:
        add(root, "dcndl:edition", text, guess(text, record))
    for each in record.volume_titles:
        with_reading(root, "dcndl:volumeTitle", each)
    for code in record.original_languages:
        add(root, "dcndl:originalLanguage", LANGUAGE_CODES.get(code, code))
    for text in record.extents[_pages(record) != "" :]:
        add(root, "dcterms:extent", text, guess(text, record))
    for item in record.items[:1]:
        holding_agent(root, item)
    add(root, "jpcoar:datasetSeries", record.dataset_series)


def _pages(record: BibliographicRecord) -> str:
    match = _COUNT.match(record.extents[0]) if record.extents else None
    return match[1] if match else ""


def thesis(root: etree._Element, record: BibliographicRecord) -> None:
    for number in record.dissertation_numbers[:1]:
        add(root, "dcndl:dissertationNumber", number)
    for name in record.degree_names:
        add(root, "dcndl:degreeName", name, guess(name, record) or ("en" if name.isascii() else ""))
    for each in record.other_dates:
        if each.type == "dateGranted":
            add(root, "dcndl:dateGranted", each.value)
    for grantor in record.degree_grantors:
        agent(root, "degreeGrantor", grantor)


def files(root: etree._Element, record: BibliographicRecord) -> None:
    for each in record.conferences:
        conference(root, each)
    for found in record.files:
        file(root, found)
    known = {each.uri for each in record.files}
    for uri in record.thumbnails:
        if uri not in known:
            file(root, File(uri=uri, type="thumbnail"))
    media_types = {each.media_type for each in record.files}
    for media_type in record.formats:
        if media_type not in media_types:
            file(root, File(media_type=media_type))


def fundings(root: etree._Element, record: BibliographicRecord) -> None:
    for each in record.fundings:
        funding(root, each)
