"""What of a merged record is searched, and as what. Pure; knows no engine."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from aggregator.matching.features.numbering import volume_form
from aggregator.search.base import MAX_CHARACTERS, Document
from aggregator.search.suggest.entries import Entry, entries
from metadata.identifiers import normalise
from metadata.record import BibliographicRecord, Identifier, Subject, Title
from metadata.vocabularies.dcndl import CARRIER_WORDS, CLASS_SCHEMES, MATERIAL_TYPES, language_code, material_type_uri

MAX_TEXT = 3_000  # characters of notes, contents and abstracts: what follows describes the book less and less
OTHER_TYPE = "Other"
_TYPE_KEYS = {uri: uri.rsplit("/", 1)[-1] for uri in MATERIAL_TYPES}
TYPES = (*_TYPE_KEYS.values(), OTHER_TYPE)  # all there are
_ISBN_SCHEMES = ("ISBN", "SetISBN")
_ISSN_SCHEMES = ("ISSN", "ISSNL", "PISSN", "EISSN")
_CLASSIFICATIONS = CLASS_SCHEMES | {"UDC", "LCC", "GHQSCAP", "USCAR", "MCJ"}
_NDC = re.compile(r"[0-9]{1,3}(?:\.[0-9]+)?").match
# COAR's access rights, and the words of NDL's digital collections.
_OPEN = ("open access", "http://purl.org/coar/access_right/c_abf2", "インターネット公開")
_NO_TEXT = frozenset(("abstract", "summary", "thumbnail", "other"))  # files that are not the text itself
# "夏目, 漱石, 1867-1916", "Smith, John (1950- )": the dates of an authority record, which nobody types.
_DATES = re.compile(
    r"[\s,，]*[(（]?(?:\b(?:b|d|ca)\.\s*)?(?:\d{3,4}\??\s*[-\u2010-\u2015〜～~]\s*(?:\d{3,4}\??)?"
    r"|[-\u2010-\u2015]\s*\d{3,4})\s*[)）]?\s*\Z"
)
_BARE_VOLUME = re.compile("[0-9]{1,3}[上中下前後]?|[上中下前後]").fullmatch
_YEAR = re.compile(r"\d{3}").search  # looked for first: most names have none
_PLAIN_DATES = re.compile(r", ?[0-9]{3,4}-(?:[0-9]{3,4})?\Z").search  # as nearly all are given
# Readings give particles as they are spoken (ワ, エ); who knows the title from its print types ハ and ヘ.
_REPEATED = re.compile("([ぁ-ゖァ-ヺ])([ゝゞヽヾ])")
_PARTICLES = re.compile(r"(?<=\s)(?:(ニ|ト|デ)?ワ|エ(ノ|ト)?)(?=\s)")


def document(
    manifestation_id: int, record: BibliographicRecord, repositories: tuple[str, ...], holdings: int, changed: int = 0
) -> Document:
    """The index document of a merged record. repositories: who describes it; holdings: how many descriptions.

    changed: when it changed last, in seconds since 1970.
    """
    words = [each for each in record.subjects + record.genres if not _is_class(each)]
    isbns, issns, identifiers = _numbers(record)
    return Document(
        id=manifestation_id,
        titles=_unique(_titles(record)),
        creators=_unique(_creators(record)),
        publishers=_unique([name for each in record.publishers for name in (each.name, each.transcription)]),
        subjects=_unique(
            [text for each in record.subjects + record.genres for text in (each.value, each.transcription)]
        ),
        texts=_within_limit(_unique(_texts(record))),
        isbns=_unique(isbns),
        identifiers=_unique(identifiers),
        issns=_unique(issns),
        repositories=repositories,
        languages=_unique(map(language_code, record.languages)),
        ndcs=_unique(_ndcs(record)),
        headings=_named([each.value for each in words]),
        names=_named([without_dates(each.name) for each in record.creators]),
        houses=_named([each.name for each in record.publishers]),
        online=is_online(record),
        sort_title=_reading(record.titles),
        sort_creator=_name_reading(record),
        suggestions=_suggestions(record, words),
        types=types_of(record),
        year=int(record.year) if record.year.isascii() and record.year.isdigit() else 0,
        holdings=holdings,
        changed=changed,
    )


def _titles(record: BibliographicRecord) -> list[str]:
    """The main title first, also with its volume as people type the two: as printed, and as the bare number."""
    main = record.title
    found = [main]
    if main and record.volume:
        found.append(f"{main} {record.volume}")
        form = volume_form(record.volume)
        if _BARE_VOLUME(form):
            found.append(f"{main} {form}")
    _add_forms(found, record.titles)
    found.append(record.display_title)
    for titles in (
        record.alternatives,
        record.volumes,
        record.alternative_volumes,
        record.volume_titles,
        record.parts,
    ):
        if titles:
            _add_forms(found, titles)
    return found


def _add_forms(found: list[str], titles: Iterable[Title]) -> None:
    for title in titles:
        reading = title.transcription
        found += (title.value, reading)
        if "ワ" in reading or "エ" in reading:
            found.append(_PARTICLES.sub(_as_written, reading))
        if _REPEATED.search(title.value):
            found.append(_REPEATED.sub(_spelled_out, title.value))


def _as_written(particle: re.Match[str]) -> str:
    return particle[0].replace("ワ", "ハ").replace("エ", "ヘ")


def _spelled_out(pair: re.Match[str]) -> str:
    """すゝ as すす, みすゞ as みすず: nobody types the marks."""
    kana = pair[1]
    return kana + (unicodedata.normalize("NFC", f"{kana}\u3099") if pair[2] in "ゞヾ" else kana)


def _creators(record: BibliographicRecord) -> Iterable[str]:
    """Creators and contributors; the statement of responsibility where neither is given."""
    agents = record.creators + record.contributors
    if not agents:
        return record.responsibility
    names = [without_dates(name) for each in agents for name in (each.name, each.transcription)]
    names += [_name_and_dates(each.name)[1] for each in agents]  # whoever copies a name copies its dates
    for other in (*record.creator_alternatives, *(title for each in agents for title in each.other_names)):
        names += (without_dates(other.value), other.transcription)
    return names


def without_dates(name: str) -> str:
    """A name as people type it: "夏目, 漱石, 1867-1916" is "夏目, 漱石"."""
    return _name_and_dates(name)[0]


@lru_cache(maxsize=8192)  # asked several times of each name
def _name_and_dates(name: str) -> tuple[str, str]:
    """As `without_dates`, and what that leaves out."""
    end = _end_of_name(name)
    return name[:end].rstrip(" ,，"), name[end:].strip(" ,，()（）")


def _end_of_name(name: str) -> int:
    plain = _PLAIN_DATES(name)
    if plain and name.isprintable():  # so that its blanks are simple ones
        return plain.start()
    dates = _DATES.search(name) if _YEAR(name) else None
    return dates.start() if dates else len(name)


def _texts(record: BibliographicRecord) -> list[str]:
    found: list[str] = []
    _add_forms(found, record.series)
    found.append(record.host.title)
    if record.host.titles:
        _add_forms(found, record.host.titles)
    found += _around(record)
    if record.creators or record.contributors:
        found += record.responsibility
    return [*found, *record.editions, *record.notes, *record.contents, *record.abstracts]


def _around(record: BibliographicRecord) -> Iterator[str]:
    """Who is behind it: affiliations, degrees, conferences, funding. Books have none of these."""
    for each in record.creators + record.contributors:
        for body in each.affiliations:
            yield body.name
            yield from (other.value for other in body.other_names)
    yield from record.degree_names
    for each in record.degree_grantors + record.rights_agents + record.digitized_publishers:
        yield each.name
    for meeting in record.conferences:
        yield from (title.value for title in (*meeting.names, *meeting.sponsors))
    for funding in record.fundings:
        yield funding.funder.name
        yield from (title.value for title in (*funding.titles, *funding.streams))


def _numbers(record: BibliographicRecord) -> tuple[list[str], list[str], list[str]]:
    """ISBNs (those of sets last), ISSNs, and all that identifies besides ISBNs."""
    isbns: list[str] = []
    of_sets: list[str] = []
    issns: list[str] = []
    others: list[str] = []
    for each in record.identifiers:
        if each.scheme == "ISBN":
            isbns.append(each.value)
        elif each.scheme == "SetISBN":
            of_sets.append(each.value)
        else:
            if each.scheme in _ISSN_SCHEMES:
                issns.append(each.value)
            if not _is_address(each):
                others.append(each.value)
    if record.host.issn:
        issns += [normalise("ISSN", each) for each in record.host.issn]
    return isbns + of_sets, issns, others + _other_numbers(record)


def _other_numbers(record: BibliographicRecord) -> list[str]:
    """Also what is printed wrongly in the book: people type it as it is printed."""
    found = [
        each.value for each in record.source_identifiers if each.scheme not in _ISBN_SCHEMES and not _is_address(each)
    ]
    found += [each.printed or each.value for each in record.invalid_identifiers]
    found += [each.award.value for each in record.fundings]
    found += [each.value for agent in record.creators + record.contributors for each in agent.identifiers]
    found += [each.value for each in record.host.identifiers if not _is_address(each)]
    return [*found, *record.host.issn, *record.dissertation_numbers]


def _ndcs(record: BibliographicRecord) -> Iterator[str]:
    """Class numbers of any edition, without what a library has written behind them ("913.6/ナ")."""
    for each in record.subjects:
        if each.scheme.startswith("NDC") and (number := _NDC(each.value)):
            yield number[0]


def _is_class(subject: Subject) -> bool:
    """Numbers of a classification are no words to offer."""
    return (
        subject.scheme.startswith("NDC")
        or subject.scheme in _CLASSIFICATIONS
        or subject.value.replace(".", "").isdecimal()
    )


def _reading(titles: Sequence[Title]) -> str:
    return (titles[0].transcription or titles[0].value) if titles else ""


def suggestions(record: BibliographicRecord) -> tuple[Entry, ...]:
    """What may be suggested of a merged record to somebody who types."""
    return _suggestions(record, [each for each in record.subjects + record.genres if not _is_class(each)])


def _suggestions(record: BibliographicRecord, words: Iterable[Subject]) -> tuple[Entry, ...]:
    """words: its subjects that are no classes."""
    return entries(
        [(each.value, each.transcription) for each in record.titles + record.alternatives],
        [(without_dates(each.name), each.transcription) for each in record.creators],
        [(each.value, each.transcription) for each in words],
    )


def _name_reading(record: BibliographicRecord) -> str:
    for each in record.creators or record.contributors:
        return each.transcription or without_dates(each.name)
    return record.responsibility[0] if record.responsibility else ""


def is_online(record: BibliographicRecord) -> bool:
    """Whether anybody can read it on the net now: it says so, or it has a file and no word of who may not."""
    said = (*record.access_rights, *(each.availability for each in record.items))
    if any(each.startswith(_OPEN) for each in said):
        return True
    return not record.access_rights and any(each.uri and each.type not in _NO_TEXT for each in record.files)


def _is_address(identifier: Identifier) -> bool:
    return identifier.scheme == "URI" or "://" in identifier.value


def types_of(record: BibliographicRecord) -> tuple[str, ...]:
    """The keys of its types, see TYPES; none where it names none."""
    return _types(tuple([(each.uri, each.label) for each in record.material_types]))


@lru_cache(maxsize=1024)  # a handful of combinations make up every catalogue
def _types(named: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    """The keys of types given as URI and label; words for carriers are no types."""
    types = [(uri, label) for uri, label in named if uri or label not in CARRIER_WORDS]
    return _unique(
        [_TYPE_KEYS.get(uri) or _TYPE_KEYS.get(material_type_uri(uri or label), OTHER_TYPE) for uri, label in types]
    )


def _unique(values: Iterable[str]) -> tuple[str, ...]:
    found = dict.fromkeys(values)
    found.pop("", None)
    return tuple(found)


def _named(values: Iterable[str]) -> tuple[str, ...]:
    """What can be offered to choose from; a text so long that it could not be asked for is none."""
    return _unique([value for value in values if len(value) <= MAX_CHARACTERS])


def _within_limit(texts: tuple[str, ...]) -> tuple[str, ...]:
    if sum(map(len, texts)) <= MAX_TEXT:
        return texts
    kept, left = [], MAX_TEXT
    for text in texts:
        kept.append(text[:left])
        left -= len(kept[-1])
    return _unique(kept)
