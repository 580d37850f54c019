"""Writes the host of a record (the publication that contains it), its edition, degree, files and funding as JPCOAR."""

import re
from collections.abc import Iterator

from metadata.formats.common.codes import number_text
from metadata.formats.jpcoar.identifiers import number_in_words
from metadata.formats.jpcoar.write.agents import agent, name_identifier
from metadata.formats.jpcoar.write.languages import LANGUAGE_CODES, forms_in, forms_of, guess_language
from metadata.formats.jpcoar.write.parts import conference, file, funding
from metadata.formats.jpcoar.write.sheet import Sheet, uri
from metadata.formats.jpcoar.write.values import page_numbers
from metadata.record import Agent, BibliographicRecord, File, Host, Item
from metadata.xml.writing import Xml

# Schemes of identifiers that only a host (the publication that contains the record) can have; and schemes of
# identifiers of either the host or the record itself, which are written as those of the host only if there is a host.
_OF_HOSTS, _OF_EITHER = frozenset({"PISSN", "EISSN", "NCID"}), frozenset({"ISBN", "ISSN"})
_COUNT = re.compile(r"([1-9][0-9]*)p\Z")
_NO_HOST = Host()


def source(sheet: Sheet) -> Iterator[Xml]:
    """Write the identifiers (ISSN, NCID …) of the host, the publication that contains the record."""
    record, host = sheet.record, sheet.record.host
    if not record.invalid_identifiers and host == _NO_HOST:
        return
    typed = {number.value for number in host.identifiers}
    for number in host.identifiers:
        text = f"{number.value[:4]}-{number.value[4:]}" if number.scheme in {"PISSN", "EISSN"} else number_text(number)
        yield _source_identifier(sheet, number.scheme, text)
    for issn in host.issn:
        if issn not in typed:
            yield _source_identifier(sheet, "ISSN", f"{issn[:4]}-{issn[4:]}")
    for wrong in record.invalid_identifiers:
        if wrong.scheme in _OF_HOSTS or (wrong.scheme in _OF_EITHER and _is_written(host)):
            yield _source_identifier(sheet, wrong.scheme, wrong.value)


def _source_identifier(sheet: Sheet, scheme: str, text: str) -> Xml:
    return sheet.typed("jpcoar:sourceIdentifier", text, scheme, sheet.record.degree_names)


def _is_written(host: Host) -> bool:
    """Whether JPCOAR can say anything of the host: of pages only numbers have an element."""
    stated = (host.title, *host.titles, host.volume, host.number, host.issue, *host.issn, *host.identifiers)
    return any(stated) or any(page_numbers(host.pages))


def journal(sheet: Sheet) -> Iterator[Xml]:
    """Write title, numbering and pages of the host, the publication that contains the record."""
    record, host = sheet.record, sheet.record.host
    volume = host.volume or ("" if host.title else record.volume)
    if host == _NO_HOST:
        yield sheet.plain("jpcoar:volume", bare_number(volume))
        yield sheet.plain("jpcoar:numPages", _pages(record))
        return
    yield sheet.forms("jpcoar:sourceTitle", [(host.title, host.language), *forms_in(host.titles)])
    yield sheet.plain("jpcoar:volume", bare_number(volume))
    yield sheet.plain("jpcoar:issue", bare_number(host.number or host.issue))
    yield sheet.plain("jpcoar:numPages", _pages(record))
    for name, number in zip(("jpcoar:pageStart", "jpcoar:pageEnd"), page_numbers(host.pages), strict=True):
        if sheet.version.has_text(name, number):
            yield sheet.plain(name, number)


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


def edition(sheet: Sheet) -> Iterator[Xml]:
    """Write edition, volume titles, original languages, extents, one holding library and the data set series.

    A first extent that is a number of pages is left out, because `journal` writes it.
    """
    record = sheet.record
    for text in record.editions:
        yield sheet.words("dcndl:edition", text)
    for title in record.volume_titles:
        yield sheet.with_reading("dcndl:volumeTitle", title)
    for code in record.original_languages:
        yield sheet.plain("dcndl:originalLanguage", LANGUAGE_CODES.get(code, code))
    for text in record.extents[_pages(record) != "" :]:
        yield sheet.words("dcterms:extent", text)
    for item in record.items[:1]:
        yield sheet.block("jpcoar:holdingAgent", _holding_agent(sheet, item))
    yield sheet.typed("jpcoar:datasetSeries", record.dataset_series, "", record.degree_names)


def _holding_agent(sheet: Sheet, item: Item) -> Iterator[Xml]:
    """Write the library of the item. JPCOAR has room for only one."""
    names = forms_of(
        Agent(
            name=item.holding_agent,
            transcription=item.holding_agent_transcription,
            language="en" if item.holding_agent.isascii() else "ja",
            other_names=item.holding_agent_names,
        )
    )
    for number in item.holding_agent_identifiers[:1]:
        yield name_identifier(sheet, "jpcoar:holdingAgentNameIdentifier", number, uri(number.uri), names)
    yield sheet.forms("jpcoar:holdingAgentName", names)


def _pages(record: BibliographicRecord) -> str:
    match = _COUNT.match(record.extents[0]) if record.extents else None
    return match[1] if match else ""


def thesis(sheet: Sheet) -> Iterator[Xml]:
    record = sheet.record
    for number in record.dissertation_numbers[:1]:
        yield sheet.plain("dcndl:dissertationNumber", number)
    if record.degree_names:
        degrees = [
            (name, guess_language(name, record) or ("en" if name.isascii() else "")) for name in record.degree_names
        ]
        yield sheet.forms("dcndl:degreeName", degrees)
    granted = [date.value for date in record.other_dates if date.type == "dateGranted"]
    for value in granted[:1]:
        yield sheet.typed("dcndl:dateGranted", value)
    for grantor in record.degree_grantors:
        yield agent(sheet, "degreeGrantor", grantor)


def files(sheet: Sheet) -> Iterator[Xml]:
    record = sheet.record
    if not (record.conferences or record.files or record.thumbnails or record.formats):
        return
    for event in record.conferences:
        yield conference(sheet, event)
    for value in record.files:
        yield file(sheet, value)
    known = {value.uri for value in record.files}
    for address in record.thumbnails:
        if address not in known:
            yield file(sheet, File(uri=address, type="thumbnail"))
    media_types = {value.media_type for value in record.files}
    for media_type in record.formats:
        if media_type not in media_types:
            yield file(sheet, File(media_type=media_type))


def fundings(sheet: Sheet) -> Iterator[Xml]:
    for reference in sheet.record.fundings:
        yield funding(sheet, reference)
