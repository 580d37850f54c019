"""Writes the host of a record (the publication that contains it), its edition, degree, files and funding as JPCOAR."""

import re

from metadata.formats.common.codes import number_text
from metadata.formats.jpcoar.identifiers import number_in_words
from metadata.formats.jpcoar.write.languages import LANGUAGE_CODES, guess_language
from metadata.formats.jpcoar.write.parts import add, add_with_reading, agent, conference, file, funding, holding_agent
from metadata.formats.jpcoar.write.values import page_numbers
from metadata.record import BibliographicRecord, File, Host, Title
from metadata.xml.writing import Element

# Schemes of identifiers that only a host (the publication that contains the record) can have; and schemes of
# identifiers of either the host or the record itself, which are written as those of the host only if there is a host.
_OF_HOSTS, _OF_EITHER = frozenset({"PISSN", "EISSN", "NCID"}), frozenset({"ISBN", "ISSN"})
_COUNT = re.compile(r"([1-9][0-9]*)p\Z")


def source(root: Element, record: BibliographicRecord) -> None:
    """Write the identifiers (ISSN, NCID …) of the host, the publication that contains the record."""
    host = record.host
    typed = {number.value for number in host.identifiers}
    for number in host.identifiers:
        text = f"{number.value[:4]}-{number.value[4:]}" if number.scheme in {"PISSN", "EISSN"} else number_text(number)
        add(root, "jpcoar:sourceIdentifier", text).attributes["identifierType"] = number.scheme
    for issn in host.issn:
        if issn not in typed:
            add(root, "jpcoar:sourceIdentifier", f"{issn[:4]}-{issn[4:]}").attributes["identifierType"] = "ISSN"
    for wrong in record.invalid_identifiers:
        if wrong.scheme in _OF_HOSTS or (wrong.scheme in _OF_EITHER and _is_written(host)):
            add(root, "jpcoar:sourceIdentifier", wrong.value).attributes["identifierType"] = wrong.scheme


def _is_written(host: Host) -> bool:
    """Whether JPCOAR can say anything of the host: of pages only numbers have an element."""
    stated = (host.title, *host.titles, host.volume, host.number, host.issue, *host.issn, *host.identifiers)
    return any(stated) or any(page_numbers(host.pages))


def journal(root: Element, record: BibliographicRecord) -> None:
    """Write title, numbering and pages of the host, the publication that contains the record."""
    host = record.host
    for title in (Title(value=host.title, language=host.language), *host.titles):
        add(root, "jpcoar:sourceTitle", title.value, title.language)
    add(root, "jpcoar:volume", bare_number(host.volume or ("" if host.title else record.volume)))
    add(root, "jpcoar:issue", bare_number(host.number or host.issue))
    add(root, "jpcoar:numPages", _pages(record))
    start, end = page_numbers(host.pages)
    add(root, "jpcoar:pageStart", start)
    add(root, "jpcoar:pageEnd", end)


def bare_number(text: str) -> str:
    """Return the number in "第12巻" or "no. 3", which JPCOAR wants without words; other texts as they are."""
    return number_in_words(text) or text


def split_pages(pages: str) -> tuple[str, str]:
    """Split pages into first and last at the middle hyphen: "A-1-A-5" gives "A-1" and "A-5"."""
    pieces = pages.split("-")
    if len(pieces) % 2:
        return pages, ""
    middle = len(pieces) // 2
    return "-".join(pieces[:middle]), "-".join(pieces[middle:])


def edition(root: Element, record: BibliographicRecord) -> None:
    """Write edition, volume titles, original languages, extents, one holding library and the data set series.

    A first extent that is a number of pages is left out, because `journal` writes it.
    """
    for text in record.editions:
        add(root, "dcndl:edition", text, guess_language(text, record))
    for title in record.volume_titles:
        add_with_reading(root, "dcndl:volumeTitle", title)
    for code in record.original_languages:
        add(root, "dcndl:originalLanguage", LANGUAGE_CODES.get(code, code))
    for text in record.extents[_pages(record) != "" :]:
        add(root, "dcterms:extent", text, guess_language(text, record))
    for item in record.items[:1]:
        holding_agent(root, item)
    add(root, "jpcoar:datasetSeries", record.dataset_series)


def _pages(record: BibliographicRecord) -> str:
    match = _COUNT.match(record.extents[0]) if record.extents else None
    return match[1] if match else ""


def thesis(root: Element, record: BibliographicRecord) -> None:
    for number in record.dissertation_numbers[:1]:
        add(root, "dcndl:dissertationNumber", number)
    for name in record.degree_names:
        add(root, "dcndl:degreeName", name, guess_language(name, record) or ("en" if name.isascii() else ""))
    granted = [date.value for date in record.other_dates if date.type == "dateGranted"]
    for value in granted[:1]:
        add(root, "dcndl:dateGranted", value)
    for grantor in record.degree_grantors:
        agent(root, "degreeGrantor", grantor)


def files(root: Element, record: BibliographicRecord) -> None:
    for event in record.conferences:
        conference(root, event)
    for value in record.files:
        file(root, value)
    known = {value.uri for value in record.files}
    for uri in record.thumbnails:
        if uri not in known:
            file(root, File(uri=uri, type="thumbnail"))
    media_types = {value.media_type for value in record.files}
    for media_type in record.formats:
        if media_type not in media_types:
            file(root, File(media_type=media_type))


def fundings(root: Element, record: BibliographicRecord) -> None:
    for reference in record.fundings:
        funding(root, reference)
