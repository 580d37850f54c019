"""The index document of a merged record: which of its data are searched, and in which fields. Independent of the search
engine.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec

from aggregator.matching.features.numbering import volume_form
from aggregator.search.access import access_of, has_full_text, is_online, licences_of
from aggregator.search.base import MAX_CHARACTERS, Document, HoldingLibrary
from aggregator.search.identities import identities_of
from aggregator.search.materials import materials_of
from aggregator.search.names import Names, names_of, without_dates
from aggregator.search.suggest.entries import Entry, make_entries
from metadata.accessible import accessible_formats, in_order
from metadata.citations.facts import split_series
from metadata.identifiers import normalise
from metadata.record import Agent, BibliographicRecord, Identifier, Subject, Title
from metadata.vocabularies.countries import NAMES as COUNTRIES
from metadata.vocabularies.dcndl import CLASS_SCHEMES, language_code

MAX_TEXT = 3_000  # characters of texts and descriptions: later text describes the book less and less
_ISBN_SCHEMES = ("ISBN", "SetISBN")
_ISSN_SCHEMES = ("ISSN", "ISSNL", "PISSN", "EISSN")
_CLASSIFICATIONS = CLASS_SCHEMES | {"UDC", "LCC", "GHQSCAP", "USCAR", "MCJ"}
OTHER_CLASSES = ("NDLC", "DDC", "LCC", "UDC")  # schemes that are searched by the beginning of a number, beside NDC
_NDC = re.compile(r"[0-9]{1,3}(?:\.[0-9]+)?").match
_BARE_VOLUME = re.compile("[0-9]{1,3}[上中下前後]?|[上中下前後]").fullmatch
_HAS_REPEATED = re.compile("[ゝゞヽヾ]").search
_REPEATED = re.compile("([ぁ-ゖァ-ヺ])([ゝゞヽヾ])")
_CARD_SIGNS = re.compile(r"[\[\]()（）［］〔〕【】:：;；]")
_W3CDTF = re.compile(r"([0-9]{4})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12][0-9]|3[01]))?)?", re.ASCII).fullmatch
# Readings give particles as they are pronounced (ワ, エ); readers who know the printed title type ハ and ヘ.
_PARTICLES = re.compile(r"(?<=\s)(?:(ニ|ト|デ)?ワ|エ(ノ|ト)?)(?=\s)")


class Holders(msgspec.Struct, frozen=True, gc=False):
    """Who has a book. repositories: the numbers of its providers. descriptions: how many they sent. libraries: those
    that hold it. accessible: the accessible formats that copies state, see `metadata.accessible`.
    """

    repositories: tuple[str, ...] = ()
    descriptions: int = 0
    libraries: tuple[HoldingLibrary, ...] = ()
    accessible: frozenset[str] = frozenset()


def document(manifestation_id: int, record: BibliographicRecord, holders: Holders, changed: int = 0) -> Document:
    """Return the index document of a merged record. changed: when it last changed, in seconds since 1970."""
    words = words_of(record)
    creators = list(map(names_of, record.creators))
    agents = [*creators, *map(names_of, record.contributors)]
    texts, descriptions = _long_texts(record, agents)
    publishers = _publishers(record.publishers)
    classes, other_classes = _split_classes(record)
    accessible, online = in_order((*accessible_formats(record), *holders.accessible)), is_online(record)
    return Document(
        id=manifestation_id,
        titles=_unique(_titles(record)),
        creators=_unique(_creators(record, agents)),
        publishers=publishers.texts,
        subjects=_unique(_subjects(record)),
        journals=_unique(_journals(record)),
        digitizers=_unique(_digitizers(record)),
        texts=texts,
        descriptions=descriptions,
        **_numbers(record, agents)._asdict(),
        repositories=holders.repositories,
        libraries=holders.libraries,
        languages=_language_codes(record.languages),
        ndcs=_unique(classes),
        classes=_unique(other_classes),
        subject_values=_facet_values([subject.value for subject in words]),
        creator_values=_facet_values([agent.name for agent in creators]),
        publisher_values=publishers.values,
        place_values=_facet_values(places_of(record)) if record.publication_places else publishers.places,
        series_values=_facet_values([title for title, _reading in series_of(record)] if record.series else ()),
        online=online,
        fulltext=has_full_text(record),
        access=access_of(record),
        licences=licences_of(record),
        funder_values=_facet_values([funding.funder.name for funding in record.fundings] if record.fundings else ()),
        degree_values=_facet_values(record.degree_names),
        identity_values=tuple(identities_of(record)),
        accessible=accessible,
        **materials_of(record, accessible, online)._asdict(),
        sort_title=_reading(record.titles),
        sort_creator=_name_reading(record, agents),
        suggestions=_suggestions(record, creators, words),
        year=int(record.year) if record.year.isascii() and record.year.isdigit() else 0,
        issued=days_of(record.issued),
        holdings=len(holders.libraries) or holders.descriptions,
        changed=changed,
    )


@lru_cache(maxsize=4096)  # the same dates recur
def days_of(date: str) -> tuple[int, int]:
    """Return the first and the last day, as numbers, of a date with or without month and day; (0, 0) if it is none."""
    match = _W3CDTF(date)
    if match is None:
        return 0, 0
    year, month, day = (int(part) if part else 0 for part in match.groups())
    return year * 10_000 + (month or 1) * 100 + (day or 1), year * 10_000 + (month or 12) * 100 + (day or 31)


def _titles(record: BibliographicRecord) -> list[str]:
    """Return all title forms and readings: the main title, the same with its volume (as printed, and as a bare
    number, as readers type it), then all others.
    """
    main = record.title
    forms = [main]
    if main and record.volume:
        forms.append(f"{main} {record.volume}")
        form = volume_form(record.volume)
        if _BARE_VOLUME(form):
            forms.append(f"{main} {form}")
    _add_title_forms(forms, record.titles)
    forms.append(record.display_title)
    for titles in (
        record.alternatives,
        record.volumes,
        record.alternative_volumes,
        record.volume_titles,
        record.parts,
    ):
        if titles:
            _add_title_forms(forms, titles)
    return forms


def _add_title_forms(forms: list[str], titles: Iterable[Title]) -> None:
    for title in titles:
        reading = title.transcription
        forms += (title.value, reading)
        if "ワ" in reading or "エ" in reading:
            forms.append(_PARTICLES.sub(_as_written, reading))
        if _HAS_REPEATED(title.value):
            forms.append(_REPEATED.sub(_spelled_out, title.value))


def _as_written(particle: re.Match[str]) -> str:
    return particle[0].replace("ワ", "ハ").replace("エ", "ヘ")


def _spelled_out(pair: re.Match[str]) -> str:
    """Write out iteration marks, which readers do not type: すゝ as すす, みすゞ as みすず."""
    kana = pair[1]
    return kana + (unicodedata.normalize("NFC", f"{kana}\u3099") if pair[2] in "ゞヾ" else kana)


def _creators(record: BibliographicRecord, agents: Sequence[Names]) -> Iterable[str]:
    """Creators and contributors; the statement of responsibility where there are neither."""
    if not agents:
        return record.responsibility
    names = [text for agent in agents for text in (agent.name, agent.reading)]
    names += [agent.dates for agent in agents]  # readers who copy a name copy its dates too
    for other in record.creator_alternatives:
        names += (without_dates(other.value), other.transcription)
    for agent in agents:
        names += agent.others
    return names


def _subjects(record: BibliographicRecord) -> list[str]:
    return [text for subject in record.subjects + record.genres for text in (subject.value, subject.transcription)]


def _journals(record: BibliographicRecord) -> list[str]:
    journals = [record.host.title]
    _add_title_forms(journals, record.host.titles)
    return journals


def _digitizers(record: BibliographicRecord) -> Iterator[str]:
    """Who digitised the book: stated of the book, or since version 3 of DC-NDL as the publisher of a copy."""
    for agent in (*record.digitized_publishers, *(agent for item in record.items for agent in item.publishers)):
        yield from (agent.name, agent.transcription)


class _Publishers(NamedTuple):
    """The fields of publishers. texts: names and readings. places: as `places_of`."""

    texts: tuple[str, ...]
    values: tuple[str, ...]
    places: tuple[str, ...]


@lru_cache(maxsize=16_384)  # few publishers have many books
def _publishers(publishers: tuple[Agent, ...]) -> _Publishers:
    return _Publishers(
        texts=_unique([text for publisher in publishers for text in (publisher.name, publisher.transcription)]),
        values=_facet_values([publisher.name for publisher in publishers]),
        places=_facet_values(_places([publisher.location for publisher in publishers])),
    )


@lru_cache(maxsize=1024)
def _language_codes(languages: tuple[str, ...]) -> tuple[str, ...]:
    return _unique(map(language_code, languages))


def _long_texts(record: BibliographicRecord, agents: Sequence[Names]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the texts and the descriptions, together at most MAX_TEXT characters."""
    texts = _within_limit(_unique(_texts(record, agents)), MAX_TEXT)
    return texts, _within_limit(_unique(_descriptions(record)), MAX_TEXT - sum(map(len, texts)))


def _texts(record: BibliographicRecord, agents: Sequence[Names]) -> list[str]:
    texts: list[str] = []
    _add_title_forms(texts, record.series)
    for agent in agents:
        texts += agent.bodies
    texts += _related_bodies(record)
    if agents:
        texts += record.responsibility
    return [*texts, *record.editions]


def _descriptions(record: BibliographicRecord) -> list[str]:
    return [*record.notes, *record.contents, *record.abstracts]


def _related_bodies(record: BibliographicRecord) -> Iterator[str]:
    """Degrees, conferences, funding. Books usually have none of these."""
    yield from record.degree_names
    for agent in record.degree_grantors + record.rights_agents:
        yield agent.name
    for meeting in record.conferences:
        yield from (title.value for title in (*meeting.names, *meeting.sponsors))
    for funding in record.fundings:
        yield funding.funder.name
        yield from (title.value for title in (*funding.titles, *funding.streams))


class _Numbers(NamedTuple):
    """The fields of `base.Document` of the same names."""

    isbns: tuple[str, ...]
    issns: tuple[str, ...]
    jpnos: tuple[str, ...]
    identifiers: tuple[str, ...]


def _numbers(record: BibliographicRecord, agents: Sequence[Names]) -> _Numbers:
    """ISBNs (set ISBNs last), ISSNs, numbers of the national bibliography, and all identifiers but ISBNs."""
    jpnos: list[str] = []
    isbns: list[str] = []
    set_isbns: list[str] = []
    issns: list[str] = []
    others: list[str] = []
    for identifier in record.identifiers:
        if identifier.scheme == "ISBN":
            isbns.append(identifier.value)
        elif identifier.scheme == "SetISBN":
            set_isbns.append(identifier.value)
        else:
            if identifier.scheme in _ISSN_SCHEMES:
                issns.append(identifier.value)
            elif identifier.scheme == "JPNO":
                jpnos.append(identifier.value)
            if not _is_address(identifier):
                others.append(identifier.value)
    if record.host.issn:
        issns += [normalise("ISSN", issn) for issn in record.host.issn]
    others += _other_numbers(record, agents)
    return _Numbers(_unique(isbns + set_isbns), _unique(issns), _unique(jpnos), _unique(others))


def _other_numbers(record: BibliographicRecord, agents: Sequence[Names]) -> list[str]:
    """Further numbers, including those misprinted in the book, because readers type them as printed."""
    numbers = [
        identifier.value
        for identifier in record.source_identifiers
        if identifier.scheme not in _ISBN_SCHEMES and not _is_address(identifier)
    ]
    numbers += [identifier.printed or identifier.value for identifier in record.invalid_identifiers]
    numbers += [funding.award.value for funding in record.fundings]
    for agent in agents:
        numbers += agent.numbers
    numbers += [identifier.value for identifier in record.host.identifiers if not _is_address(identifier)]
    return [*numbers, *record.host.issn, *record.dissertation_numbers]


def _split_classes(record: BibliographicRecord) -> tuple[list[str], list[str]]:
    """Class numbers of any NDC edition, without a library's additions ("913.6/ナ"), and those of other schemes."""
    ndcs: list[str] = []
    others: list[str] = []
    for subject in record.subjects:
        scheme = subject.scheme
        if scheme.startswith("NDC") and (ndc := _NDC(subject.value)):
            ndcs.append(ndc[0])
        elif scheme in OTHER_CLASSES and (number := subject.value.strip()):
            others.append(f"{scheme}:{number}")
    return ndcs, others


def classes_of(record: BibliographicRecord) -> list[str]:
    """Class numbers of any NDC edition, without a library's additions ("913.6/ナ")."""
    return _split_classes(record)[0]


def _is_class(subject: Subject) -> bool:
    """Whether a subject is a class number, which is not offered as a word."""
    return (
        subject.scheme.startswith("NDC")
        or subject.scheme in _CLASSIFICATIONS
        or subject.value.replace(".", "").isdecimal()
    )


def words_of(record: BibliographicRecord) -> list[Subject]:
    """The subjects and genres that are words, not class numbers."""
    return [subject for subject in record.subjects + record.genres if not _is_class(subject)]


def places_of(record: BibliographicRecord) -> list[str]:
    """The places of publication, without the brackets and signs of a catalogue card: "[東京] :" is "東京".

    Codes of countries are left out.
    """
    return _places([*[publisher.location for publisher in record.publishers], *record.publication_places])


def _places(stated: Iterable[str]) -> list[str]:
    return list(filter(None, dict.fromkeys(map(_place, stated))))


@lru_cache(maxsize=4096)  # few places have many publishers
def _place(stated: str) -> str:
    """A place as `places_of` has it, "" for the code of a country."""
    place = _CARD_SIGNS.sub("", stated).strip()
    return "" if place.upper() in COUNTRIES else place


def series_of(record: BibliographicRecord) -> list[tuple[str, str]]:
    """The titles of the series without numbers, with their readings."""
    found = ((split_series(series.value)[0], split_series(series.transcription)[0]) for series in record.series)
    return [(title, reading) for title, reading in found if title]


def _reading(titles: Sequence[Title]) -> str:
    return (titles[0].transcription or titles[0].value) if titles else ""


def suggestions(record: BibliographicRecord) -> tuple[Entry, ...]:
    """The texts of a merged record that may be suggested while a reader types."""
    return _suggestions(record, list(map(names_of, record.creators)), words_of(record))


def _suggestions(record: BibliographicRecord, creators: Iterable[Names], words: Iterable[Subject]) -> tuple[Entry, ...]:
    """words: the subjects that are not class numbers."""
    return make_entries(
        [(title.value, title.transcription) for title in record.titles + record.alternatives],
        [(agent.name, agent.reading) for agent in creators],
        [(subject.value, subject.transcription) for subject in words],
    )


def _name_reading(record: BibliographicRecord, agents: Sequence[Names]) -> str:
    for agent in agents:
        return agent.stated_reading or agent.name
    return record.responsibility[0] if record.responsibility else ""


def _is_address(identifier: Identifier) -> bool:
    return identifier.scheme == "URI" or "://" in identifier.value


def _unique(values: Iterable[str]) -> tuple[str, ...]:
    if not values:
        return ()
    unique = dict.fromkeys(values)
    unique.pop("", None)
    return tuple(unique)


def _facet_values(values: Iterable[str]) -> tuple[str, ...]:
    """Facet values, without those too long to be used as a search condition."""
    return _unique([value for value in values if len(value) <= MAX_CHARACTERS])


def _within_limit(texts: tuple[str, ...], most: int) -> tuple[str, ...]:
    """Return the beginning of the texts, at most so many characters."""
    if sum(map(len, texts)) <= most:
        return texts
    result, remaining = [], most
    for text in texts:
        result.append(text[:remaining])
        remaining -= len(result[-1])
    return _unique(result)
