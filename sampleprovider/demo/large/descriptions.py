"""Describes a publication as the providers of the large demo would, each in its own style. Pure.

The facts are the same everywhere; spelling, completeness and order differ, as they do between real catalogues.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import msgspec

from metadata.identifiers import hyphenate, isbn10
from metadata.record import (
    Agent,
    BibliographicRecord,
    File,
    Host,
    Identifier,
    Item,
    License,
    MaterialType,
    Subject,
    Title,
)
from metadata.text.romaji import romanise
from sampleprovider.demo.large.facts import Publication
from sampleprovider.demo.large.holdings import ARCHIVE, MARC, NEWS, PREFECTURE, REPOSITORY, TOWN, UNION, holders

_NDL, _DCMI, _COAR = (
    "http://ndl.go.jp/ndltype/",
    "http://purl.org/dc/dcmitype/",
    "http://purl.org/coar/resource_type/",
)
# Kind of publication -> its type in the list of the NDL, and in that of COAR for a repository
_TYPES: Mapping[str, tuple[MaterialType, str]] = {
    "book": (MaterialType(uri=f"{_NDL}Book", label="図書"), "c_2f33 book"),
    "oldbook": (MaterialType(uri=f"{_NDL}JapaneseClassicalBook", label="和古書"), "c_2f33 book"),
    "ebook": (MaterialType(uri=f"{_NDL}ElectronicResource", label="電子資料"), "c_2f33 book"),
    "recording": (MaterialType(uri=f"{_DCMI}Sound", label="録音資料"), "c_18cc sound"),
    "music": (MaterialType(uri=f"{_DCMI}Sound", label="録音資料"), "c_18cc sound"),
    "score": (MaterialType(uri=f"{_NDL}MusicScore", label="楽譜"), "c_18cw musical notation"),
    "serial": (MaterialType(uri=f"{_NDL}Journal", label="雑誌"), "c_0640 journal"),
    "film": (MaterialType(uri=f"{_DCMI}MovingImage", label="映像資料"), "c_8a7e moving image"),
    "map": (MaterialType(uri=f"{_NDL}Map", label="地図"), "c_12cd map"),
    "picture": (MaterialType(uri=f"{_DCMI}StillImage", label="静止画資料"), "c_ecc8 still image"),
    "article": (MaterialType(uri=f"{_NDL}Article", label="記事・論文"), "c_6501 journal article"),
    "thesis": (MaterialType(uri=f"{_NDL}DoctoralDissertation", label="博士論文"), "c_db06 doctoral thesis"),
    "dataset": (MaterialType(uri=f"{_NDL}ElectronicResource", label="電子資料"), "c_ddb1 dataset"),
}
KINDS = frozenset(_TYPES)
PUBLIC_DOMAIN = License(uri="https://creativecommons.org/publicdomain/mark/1.0/", label="Public Domain Mark 1.0")


@dataclass(frozen=True, slots=True)
class Page:
    """The page of a record on the site of its provider. root: address of the site."""

    root: str
    publication: Publication

    @property
    def address(self) -> str:
        return f"{self.root}/books/{self.publication.number:09d}"

    @property
    def manifest(self) -> str:
        return f"{self.root}/iiif/{self.publication.number:09d}/manifest.json"


@dataclass(frozen=True, slots=True)
class Style:
    """How a provider describes publications. change: makes its description from the full one."""

    change: Callable[[BibliographicRecord, Page], BibliographicRecord]
    holder: str = ""
    holder_reading: str = ""
    shelves: tuple[str, ...] = field(default=("",))


def description(publication: Publication, provider: str, root: str) -> BibliographicRecord:
    """Return the description of a publication by a provider. root: address of the provider's own pages."""
    style, page = STYLES[provider], Page(root, publication)
    return style.change(_full(publication, style, page), page)


def _full(publication: Publication, style: Style, page: Page) -> BibliographicRecord:
    """Everything that the facts say, as a careful cataloguer writes it."""
    kind, _coar = _TYPES[publication.type]
    return BibliographicRecord(
        uri=page.address,
        titles=(Title(value=publication.title, transcription=publication.reading),),
        volumes=_titles(publication.volume),
        series=_titles(publication.series) if publication.type != "article" else (),
        host=Host(title=publication.series) if publication.type == "article" else Host(),
        editions=_texts(publication.edition),
        creators=tuple(
            Agent(name=person.name, transcription=person.reading, uri=person.authority)
            for person in publication.persons
        ),
        responsibility=_texts(_statement(publication)),
        publishers=_publishers(publication),
        publication_places=_texts("JP" if publication.language == "jpn" and publication.type != "thesis" else ""),
        issued=publication.issued,
        dates=_texts(_dotted(publication.issued)),
        subjects=_subjects(publication),
        languages=_texts(publication.language),
        extents=_texts(publication.extent),
        material_types=(kind,),
        identifiers=_identifiers(publication),
        items=_own_item(publication, style, page) if style.holder else (),
    )


def _titles(text: str) -> tuple[Title, ...]:
    return (Title(value=text),) if text else ()


def _texts(text: str) -> tuple[str, ...]:
    return (text,) if text else ()


def _statement(publication: Publication) -> str:
    """The statement of responsibility: the persons whose roles are known."""
    return ", ".join(f"{person.plain} {person.role}" for person in publication.persons if person.role)


def _publishers(publication: Publication) -> tuple[Agent, ...]:
    if not publication.publisher:
        return ()
    name, reading, place = publication.publisher, publication.publisher_reading, publication.place
    return (Agent(name=name, transcription=reading, location=place),)


def _dotted(issued: str) -> str:
    """The date as libraries in Japan write it: 1905.10."""
    return ".".join(part.lstrip("0") for part in issued.split("-"))


def _subjects(publication: Publication) -> tuple[Subject, ...]:
    scheme = "NDLSH" if publication.language == "jpn" else ""
    classes = (Subject(value=publication.ndc, scheme="NDC9"),) if publication.ndc else ()
    return classes + tuple(Subject(value=topic, scheme=scheme) for topic in publication.topics)


def _identifiers(publication: Publication) -> tuple[Identifier, ...]:
    numbers = {"ISBN": publication.isbn, "ISSN": publication.issn, "DOI": publication.doi, "JPNO": publication.jpno}
    return tuple(Identifier(scheme=scheme, value=value) for scheme, value in numbers.items() if value)


def call_number(publication: Publication) -> str:
    """The class and the first two kana of the author, or of the title: 913.6/ナツ."""
    author = publication.persons[0].reading if publication.persons else ""
    mark = (author or publication.reading or (publication.persons[0].name if publication.persons else ""))[:2].strip()
    return "/".join(
        filter(None, (publication.ndc, mark.upper(), publication.volume if len(publication.volume) < 4 else ""))
    )


def _own_item(publication: Publication, style: Style, page: Page) -> tuple[Item, ...]:
    return (
        Item(
            uri=f"{page.address}#item",
            holding_agent=style.holder,
            holding_agent_transcription=style.holder_reading,
            call_number=call_number(publication),
            location=style.shelves[publication.draw("shelf", len(style.shelves))],
            see_also=(page.address,),
        ),
    )


def _changed(record: BibliographicRecord, **values: object) -> BibliographicRecord:
    return msgspec.structs.replace(record, **values)


def prefecture(record: BibliographicRecord, page: Page) -> BibliographicRecord:
    """Complete: readings, authority forms, subjects, classes."""
    return _changed(record, level="book", cataloging_status="C7", cataloging_rule="ncr/1987")


def town(record: BibliographicRecord, page: Page) -> BibliographicRecord:
    """Short: volume and edition in the title, names as printed, the year only, many records without a reading."""
    publication = page.publication
    volume = (f" {publication.volume}", f"({publication.volume})", f"　{publication.volume}")[
        publication.draw("volume", 3)
    ]
    title = f"{_short_title(publication)}{volume if publication.volume else ''}"
    reading = publication.reading if publication.draw("reading", 2) else ""
    number = publication.isbn
    printed = (number, isbn10(number), hyphenate(number))[publication.draw("isbn", 3)] or number
    return _changed(
        record,
        titles=(Title(value=title, transcription=reading),),
        volumes=(),
        series=(),
        creators=tuple(Agent(name=person.plain) for person in publication.persons[:2]),
        responsibility=(),
        publishers=tuple(Agent(name=publisher.name) for publisher in record.publishers),
        issued=publication.issued[:4],
        dates=(),
        subjects=(),
        identifiers=(Identifier(scheme="ISBN", value=number, printed=printed),) if number else (),
        items=(),
        see_also=(page.address,),
    )


def _short_title(publication: Publication) -> str:
    """The title, of every third publication without its subtitle."""
    title = publication.title
    return title if publication.draw("subtitle", 3) else title.partition(" : ")[0]


def union(record: BibliographicRecord, page: Page) -> BibliographicRecord:
    """Taken together from many libraries: names without authority forms, few subjects, one item for each library."""
    publication = page.publication
    items = tuple(
        Item(
            uri=f"{page.address}#{library.code}",
            holding_agent=library.name,
            holding_agent_transcription=library.reading,
            holding_agent_identifiers=(Identifier(scheme="ISIL", value=library.code),),
            call_number=call_number(publication),
            see_also=(page.address,),
        )
        for library in holders(publication)
    )
    return _changed(
        record,
        creators=tuple(Agent(name=person.plain, transcription=person.reading) for person in publication.persons),
        subjects=record.subjects[:1],
        extents=() if publication.draw("extent", 3) else record.extents,
        items=items,
    )


def repository(record: BibliographicRecord, page: Page) -> BibliographicRecord:
    """Of a university: full texts with their licences, theses with the degree, pictures of old books as IIIF."""
    publication = page.publication
    code, _, label = _TYPES[publication.type][1].partition(" ")
    is_old = publication.type == "oldbook"
    licence = License(uri=publication.licence, label=publication.licence) if publication.licence else None
    return _changed(
        record,
        material_types=(MaterialType(uri=f"{_COAR}{code}", label=label),),
        items=(),
        creators=tuple(Agent(name=person.undated, transcription=person.reading) for person in publication.persons),
        see_also=(page.address, *(() if publication.doi else _texts(publication.link))),
        access_rights=("open access",) if publication.link or is_old else ("metadata only access",),
        licenses=(PUBLIC_DOMAIN,) if is_old else ((licence,) if licence else ()),
        files=(File(uri=page.manifest, type="iiif"),) if is_old else (),
        dates=(),
        publishers=() if publication.type == "thesis" else record.publishers,
        degree_grantors=_grantor(publication) if publication.type == "thesis" else (),
    )


def _grantor(publication: Publication) -> tuple[Agent, ...]:
    return (Agent(name=publication.publisher),) if publication.publisher else ()


def archive(record: BibliographicRecord, page: Page) -> BibliographicRecord:
    """Of rare and old books, all to be read online."""
    return _changed(
        record,
        see_also=(page.address,),
        licenses=(PUBLIC_DOMAIN,),
        files=(File(uri=page.manifest, type="iiif"),) if page.publication.type == "oldbook" else (),
    )


def news(record: BibliographicRecord, page: Page) -> BibliographicRecord:
    """What fits into an item of a feed: the volume in the title, neither subjects nor items."""
    title = " ".join(filter(None, (page.publication.title, page.publication.volume)))
    return _changed(record, titles=(Title(value=title),), subjects=(), extents=(), items=(), responsibility=())


def marc(record: BibliographicRecord, page: Page) -> BibliographicRecord:
    """Of a university library: the reading also in Latin letters."""
    romanised = romanise(page.publication.reading).capitalize()
    number = Identifier(value=f"{page.publication.number:09d}")
    return _changed(record, alternatives=_titles(romanised), source_identifiers=(number,), see_also=(page.address,))


STYLES: Mapping[str, Style] = {
    PREFECTURE: Style(
        prefecture, "見本県立中央図書館", "ミホン ケンリツ チュウオウ トショカン", ("一般", "書庫", "郷土")
    ),
    TOWN: Style(town),
    UNION: Style(union),
    REPOSITORY: Style(repository),
    ARCHIVE: Style(archive, "見本古典籍アーカイブ", "ミホン コテンセキ アーカイブ", ("貴重書庫",)),
    NEWS: Style(news),
    MARC: Style(marc, "見本学園大学図書館", "ミホン ガクエン ダイガク トショカン", ("開架", "書庫")),
}
