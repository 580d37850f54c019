"""The response of NDL Search's OpenSearch: RSS 2.0 with plain Dublin Core and DC-NDL elements. No database access."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from html import escape

from lxml import etree

from aggregator.catalogue.books import Book
from aggregator.catalogue.identity import permanent_address
from aggregator.provision.ndl.finding import Found
from metadata.formats.common.codes import number_text
from metadata.links import safe_href
from metadata.record import BibliographicRecord, Title
from metadata.vocabularies.dcndl import MATERIAL_TYPES
from metadata.vocabularies.namespaces import DC, DCNDL, DCTERMS, RDF, RDFS, XSI
from metadata.xml.parsing import strip_illegal

OPENSEARCH = "http://a9.com/-/spec/opensearchrss/1.0/"
MEDIA_TYPE = "text/xml; charset=utf-8"
JAPAN = timezone(timedelta(hours=9))
_NSMAP = {
    "dc": DC,
    "dcterms": DCTERMS,
    "dcndl": DCNDL,
    "rdf": RDF,
    "rdfs": RDFS,
    "xsi": XSI,
    "dcmitype": "http://purl.org/dc/dcmitype/",
    "openSearch": OPENSEARCH,
}
_DCMI_TYPES = frozenset({"W3CDTF", "ISO639-2", "ISO3166", "LCC", "DDC", "UDC", "URI", "LCSH"})
_TYPE = f"{{{XSI}}}type"
_RESOURCE = f"{{{RDF}}}resource"
Element = tuple[str, str, str]  # name, text, scheme for xsi:type


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """What the channel says about the request. title: of the channel. words: name=value of the request."""

    title: str
    address: str
    words: str
    start: int
    count: int


def document(channel: Channel, found: Found, changed: Mapping[int, datetime]) -> bytes:
    """Return the feed. changed: when each book last changed, by its number."""
    rss = etree.Element("rss", nsmap=_NSMAP, version="2.0")
    head = etree.SubElement(rss, "channel")
    for name, text in (
        ("title", channel.title),
        ("link", channel.address),
        ("description", f"Search results for {channel.words}"),
        ("language", "ja"),
        (f"{{{OPENSEARCH}}}totalResults", str(found.total)),
        (f"{{{OPENSEARCH}}}startIndex", str(channel.start)),
        (f"{{{OPENSEARCH}}}itemsPerPage", str(channel.count)),
    ):
        _add(head, name, text)
    for _position, book in found.books:
        _item(etree.SubElement(head, "item"), book, changed.get(book.number))
    return etree.tostring(rss, xml_declaration=True, encoding="UTF-8")


def _item(item: etree._Element, book: Book, changed: datetime | None) -> None:
    record, address = book.record, permanent_address(book)
    _add(item, "title", record.display_title or record.title or book.public_id)
    _add(item, "link", address)
    etree.SubElement(item, "description").text = etree.CDATA(strip_illegal(_summary(record)))
    _add(item, "author", ",".join(_names(record)))
    for label in _categories(record):
        _add(item, "category", label)
    _add(item, "guid", address).set("isPermaLink", "true")
    if changed:
        _add(item, "pubDate", format_datetime(changed.astimezone(JAPAN)))
    for name, text, scheme in _elements(record):
        if text:
            _add(item, name, text, scheme)
    for url in dict.fromkeys((*record.see_also, *(page for copy in record.items for page in copy.see_also), address)):
        if safe_href(url):
            etree.SubElement(item, f"{{{RDFS}}}seeAlso").set(_RESOURCE, strip_illegal(url))


def _add(parent: etree._Element, name: str, text: str, scheme: str = "") -> etree._Element:
    prefix, colon, local = name.partition(":") if not name.startswith("{") else ("", "", "")
    child = etree.SubElement(parent, f"{{{_NSMAP[prefix]}}}{local}" if colon else name)
    child.text = strip_illegal(text)
    if scheme:
        child.set(_TYPE, strip_illegal(f"{'dcterms' if scheme in _DCMI_TYPES else 'dcndl'}:{scheme}"))
    return child


def _names(record: BibliographicRecord) -> list[str]:
    return [*(creator.name for creator in record.creators), *record.responsibility]


def _categories(record: BibliographicRecord) -> Iterator[str]:
    for kind in record.material_types:
        label = MATERIAL_TYPES[kind.uri].ja if kind.uri in MATERIAL_TYPES else kind.label
        if label:
            yield label


def _summary(record: BibliographicRecord) -> str:
    """Return the description that NDL Search writes for people, as HTML."""
    imprint = [record.publishers[0].name if record.publishers else "", record.year]
    imprint += [number_text(number) for number in record.identifiers if number.scheme == "ISBN"][:1]
    reading = record.titles[0].transcription if record.titles else ""
    lines = [("タイトル", record.title), ("タイトル（読み）", reading), ("責任表示", ",".join(_names(record)))]
    lines += [("シリーズ名", series.value) for series in record.series[:1]]
    lines += [(f"NDC({subject.scheme[3:]})", subject.value) for subject in record.subjects if subject.scheme in _NDC]
    listed = "".join(f"<li>{escape(label)}：{escape(text)}</li>" for label, text in lines if text)
    return f"<p>{escape(','.join(filter(None, imprint)))}</p><ul>{listed}</ul>"


_NDC = ("NDC8", "NDC9", "NDC10")


def _elements(record: BibliographicRecord) -> Iterator[Element]:
    """Yield the elements that describe a book, in NDL's order."""
    yield from _titled("dc:title", "dcndl:titleTranscription", record.titles[:1])
    yield from _titled(
        "dcndl:alternative", "dcndl:alternativeTranscription", (*record.titles[1:], *record.alternatives)
    )
    yield from _titled("dcndl:volume", "dcndl:volumeTranscription", record.volumes)
    yield from _titled("dcndl:volumeTitle", "dcndl:volumeTitleTranscription", record.volume_titles)
    yield from (("dcndl:edition", text, "") for text in record.editions)
    yield from _titled("dcndl:seriesTitle", "dcndl:seriesTitleTranscription", record.series)
    names = [creator.name for creator in record.creators] or list(record.responsibility)
    yield from (("dc:creator", name, "") for name in names)
    yield from (("dcndl:creatorTranscription", creator.transcription, "") for creator in record.creators)
    yield from (("dc:contributor", agent.name, "") for agent in record.contributors)
    yield from (("dc:publisher", publisher.name, "") for publisher in record.publishers)
    yield from (("dcndl:digitizedPublisher", agent.name, "") for agent in record.digitized_publishers)
    yield from (("dcndl:publicationPlace", place, "") for place in record.publication_places)
    yield "dc:date", record.year, "W3CDTF"
    yield "dcterms:issued", (record.dates[0] if record.dates else "") or record.issued, ""
    yield from (("dcndl:price", text, "") for text in record.prices)
    yield from (("dc:extent", text, "") for text in record.extents)
    yield from _subjects_and_numbers(record)
    yield from (("dc:language", code, "ISO639-2") for code in record.languages)
    yield from (("dc:description", text, "") for text in (*record.notes, *record.abstracts))
    yield from _host(record)


def _titled(name: str, reading: str, titles: tuple[Title, ...]) -> Iterator[Element]:
    for title in titles:
        yield name, title.value, ""
        yield reading, title.transcription, ""


def _subjects_and_numbers(record: BibliographicRecord) -> Iterator[Element]:
    for number in record.identifiers:
        yield "dc:identifier", number_text(number), number.scheme
    for subject in record.subjects:
        yield "dc:subject", subject.value, subject.scheme
    for genre in record.genres:
        yield "dcndl:genre", genre.value, ""


def _host(record: BibliographicRecord) -> Iterator[Element]:
    host = record.host
    yield "dcndl:publicationName", host.title, ""
    yield "dcndl:publicationVolume", host.volume, ""
    yield "dcndl:number", host.number, ""
    yield "dcndl:issue", host.issue, ""
    yield "dcndl:pageRange", host.pages, ""
