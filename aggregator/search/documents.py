"""What of a merged record is searched, and as what. Pure; knows no engine."""

import re
from collections.abc import Iterable, Iterator

from aggregator.search.base import Document
from metadata.record import BibliographicRecord, Identifier, Subject, Title
from metadata.vocabulary import MATERIAL_TYPES, material_type_uri

MAX_TEXT = 3_000  # characters of notes, contents and abstracts: what follows describes the book less and less
OTHER_TYPE = "Other"
_TYPE_KEYS = {uri: uri.rsplit("/", 1)[-1] for uri in MATERIAL_TYPES}
_ISBN_SCHEMES = ("ISBN", "SetISBN")
# "夏目, 漱石, 1867-1916", "Smith, John (1950- )": the dates of an authority record, which nobody types.
_DATES = re.compile(
    r"[\s,，]*[(（]?(?:\b(?:b|d|ca)\.\s*)?(?:\d{3,4}\??\s*[-\u2010-\u2015〜～~]\s*(?:\d{3,4}\??)?"
    r"|[-\u2010-\u2015]\s*\d{3,4})\s*[)）]?\s*\Z")
_YEAR = re.compile(r"\d{3}").search  # looked for first: most names have none
# Readings give particles as they are spoken (ワ, エ); who knows the title from its print types ハ and ヘ.
_PARTICLES = re.compile(r"(?<=\s)(?:(ニ|ト|デ)?ワ|エ(ノ|ト)?)(?=\s)")


def document(
    manifestation_id: int, record: BibliographicRecord, repositories: tuple[str, ...], holdings: int
) -> Document:
    """The index document of a merged record. repositories: who describes it; holdings: how many descriptions."""
    return Document(
        id=manifestation_id,
        titles=_unique(_titles(record)),
        creators=_unique(_creators(record)),
        publishers=_unique(name for each in record.publishers for name in (each.name, each.transcription)),
        subjects=_unique(_subjects(record.subjects + record.genres)),
        texts=_within_limit(_unique(_texts(record))),
        isbns=_unique(value for scheme in _ISBN_SCHEMES for value in record.values(scheme)),
        identifiers=_unique(_identifiers(record)),
        repositories=repositories,
        types=_unique(_types(record)),
        year=int(record.year) if record.year.isascii() and record.year.isdigit() else 0,
        holdings=holdings,
    )


def _titles(record: BibliographicRecord) -> Iterator[str]:
    """The main title first, also with its volume, as people type the two."""
    yield record.title
    if record.title and record.volume:
        yield f"{record.title} {record.volume}"
    yield from _forms(record.titles)
    yield record.display_title
    for titles in (record.alternatives, record.volumes, record.volume_titles, record.parts):
        yield from _forms(titles)


def _forms(titles: Iterable[Title]) -> Iterator[str]:
    for title in titles:
        yield title.value
        yield title.transcription
        if "ワ" in title.transcription or "エ" in title.transcription:
            yield _PARTICLES.sub(_as_written, title.transcription)


def _as_written(particle: re.Match[str]) -> str:
    return particle[0].replace("ワ", "ハ").replace("エ", "ヘ")


def _creators(record: BibliographicRecord) -> Iterator[str]:
    """Creators and contributors; the statement of responsibility where neither is given."""
    for agent in record.creators + record.contributors:
        yield _without_dates(agent.name)
        yield _without_dates(agent.transcription)
    if not record.creators and not record.contributors:
        yield from record.responsibility


def _without_dates(name: str) -> str:
    return _DATES.sub("", name) if _YEAR(name) else name


def _subjects(subjects: Iterable[Subject]) -> Iterator[str]:
    for subject in subjects:
        yield subject.value
        yield subject.transcription


def _texts(record: BibliographicRecord) -> Iterator[str]:
    yield from _forms(record.series)
    yield record.host.title
    if record.creators or record.contributors:
        yield from record.responsibility
    for texts in (record.editions, record.notes, record.contents, record.abstracts):
        yield from texts


def _identifiers(record: BibliographicRecord) -> Iterator[str]:
    """All that identifies, also what is printed wrongly in the book: people type it as it is printed."""
    for identifier in record.identifiers + record.source_identifiers:
        if identifier.scheme not in _ISBN_SCHEMES and not _is_address(identifier):
            yield identifier.value
    for identifier in record.invalid_identifiers:
        yield identifier.printed or identifier.value
    yield from record.host.issn


def _is_address(identifier: Identifier) -> bool:
    return identifier.scheme == "URI" or "://" in identifier.value


def _types(record: BibliographicRecord) -> Iterator[str]:
    for each in record.material_types:
        yield _TYPE_KEYS.get(each.uri) or _TYPE_KEYS.get(material_type_uri(each.uri or each.label), OTHER_TYPE)


def _unique(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))


def _within_limit(texts: tuple[str, ...]) -> tuple[str, ...]:
    if sum(map(len, texts)) <= MAX_TEXT:
        return texts
    kept, left = [], MAX_TEXT
    for text in texts:
        kept.append(text[:left])
        left -= len(kept[-1])
    return _unique(kept)
