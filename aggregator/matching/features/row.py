"""The features of a record: a small row of normalised values, computed once. No database; no weights."""

import re
import unicodedata
from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from operator import attrgetter

import msgspec

from aggregator.matching.features.carriers import Size, find_carrier, links_to_file, read_size
from aggregator.matching.features.names import names_in_statement, person_forms, publisher_forms
from aggregator.matching.features.numbering import (
    KANJI_DIGITS,
    count_volumes,
    edition_form,
    is_later_printing,
    is_set,
    kanji_number,
    volume_form,
)
from aggregator.matching.features.titles import TitleParts, original_titles, split_title
from metadata.record import BibliographicRecord, Title
from metadata.text.folding import fold_tight

VERSION = 10  # of the rules below, `blocking_keys` and `groups.works`; `rematch` recomputes rows of another version


class Features(msgspec.Struct, frozen=True, kw_only=True, array_like=True, omit_defaults=True, gc=False):
    """What the matcher compares. Absent values are "", (), 0 or False: unknown, never a contradiction.

    title: core title without subtitle, volume and edition. full: with the subtitle. yomi: reading of the title.
    entries: titles under which another provider may have entered this very book (volume title, alternative title).
    others: titles that many books share (series) or that are parts of this one (subtitle). volume, edition: see
    `numbering`. bare: the volume is a mere number at the end of the title. parts: the volume title, where there is
    one, as core, with its subtitle, and whole; part_volume: its volume. series: "title#number", also where the record
    was entered under its series. month: 1 to 12. volumes: the number of volumes in the extent, where there are
    several; the record of one volume may state that of the whole set. persons, publishers: see `names`. kind: of
    material. carrier: where it is sure; likely: the probable carrier where it is not. pieces, minutes, height: see
    `carriers`. reprinted: the date may be that of a later printing. originals: cores of original and uniform titles,
    which identify works, not books.
    """

    version: int = VERSION
    title: str = ""
    full: str = ""
    yomi: str = ""
    entries: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    volume: str = ""
    is_set: bool = False
    edition: str = ""
    year: int = 0
    persons: tuple[str, ...] = ()
    publishers: tuple[str, ...] = ()
    isbns: tuple[str, ...] = ()
    set_isbns: tuple[str, ...] = ()
    issns: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()  # "JPNO:21234567"
    kind: str = ""
    carrier: str = ""
    pages: int = 0
    bare: bool = False
    parts: tuple[str, ...] = ()
    part_volume: str = ""
    series: tuple[str, ...] = ()
    month: int = 0
    volumes: int = 0
    likely: str = ""
    pieces: int = 0
    minutes: int = 0
    height: int = 0
    reprinted: bool = False
    originals: tuple[str, ...] = ()


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Features)
# What is beyond these limits tells no two books apart, and some patterns take long for long texts.
_LONGEST = 500  # characters of a title, an edition, a name or a statement of responsibility
_AT_MOST = 100  # series, other titles, persons or publishers


def encode_features(features: Features) -> bytes:
    """Encode the features as MessagePack, by position."""
    return _encoder.encode(features)


def decode_features(data: bytes) -> Features:
    """The inverse of `encode_features`. Raises msgspec.DecodeError for anything else."""
    return _decoder.decode(data)


def recall_features(record: BibliographicRecord) -> Features:
    """As `extract_features`, but those of recent descriptions are remembered: libraries copy descriptions from each
    other, and to recognise one takes a tenth of the time.
    """
    description = _encoder.encode((*_fields_of(record), links_to_file(record)))
    if len(description) > _LONGEST_REMEMBERED:
        return extract_features(record)
    features = _RECENT.pop(description, None) or extract_features(record)
    _RECENT[description] = features  # at the end, as the last one used
    if len(_RECENT) > _REMEMBERED:
        _RECENT.popitem(last=False)
    return features


# The fields of a record that its features are made of, besides its links.
FIELDS = (
    *("titles", "alternatives", "volumes", "volume_titles", "series", "editions", "creators", "contributors"),
    *("responsibility", "publishers", "issued", "identifiers", "extents", "material_types", "formats", "notes"),
)
_fields_of = attrgetter(*FIELDS)
_REMEMBERED = 4096  # descriptions, about 5 MB
_LONGEST_REMEMBERED = 8192  # bytes, ten times the usual: hostile descriptions take 32 MB at most
# No lru_cache: it would keep containers for each description, which Python's garbage collection then searches.
_RECENT: OrderedDict[bytes, Features] = OrderedDict()


def extract_features(record: BibliographicRecord) -> Features:
    """Return the features of a record."""
    main = record.titles[0] if record.titles else _NO_TITLE
    parts = split_title(main.value[:_LONGEST])
    title = title_form(parts.core)
    volumes = max(map(count_volumes, record.extents), default=0)
    volume, whole_set = _volume(record, parts, volumes)
    isbns, set_isbns, issns, ids = _numbers(record)
    printed_part = record.volume_titles[0].value[:_LONGEST] if record.volume_titles else ""
    part = split_title(printed_part) if printed_part else _NO_PARTS
    kind, carrier, sure = find_carrier(record, main.value)
    size = read_size(record.extents[0]) if record.extents else _NO_SIZE
    edition = (record.edition or parts.edition)[:_LONGEST]
    series = _values(record.series)
    return Features(
        title=title,
        full=title + _tight(parts.subtitle),
        yomi=_reading(main.transcription, parts),
        entries=_cores(_values(record.volume_titles + record.alternatives), title),
        others=_cores([*series, parts.subtitle], title),
        volume=volume,
        is_set=whole_set,
        edition=edition_form(edition) or edition_form(parts.edition),
        year=_year(record.year),
        persons=_persons(record),
        publishers=publisher_forms(tuple([one.name[:_LONGEST] for one in record.publishers[:_AT_MOST]])),
        isbns=isbns,
        set_isbns=set_isbns,
        issns=issns if kind != "article" else (),  # an article carries the ISSN of its journal
        ids=ids,
        kind=kind,
        carrier=carrier if sure else "",
        pages=_pages(record.extents),
        bare=parts.bare and not record.volume,
        parts=_part_forms(printed_part, part),
        part_volume=volume_form(part.volume),
        series=_series([*series, parts.series], f"{title}#{volume}" if part.core else ""),
        month=_month(record.issued),
        volumes=volumes,
        likely="" if sure else carrier,
        pieces=size.pieces,
        minutes=size.minutes,
        height=size.height,
        reprinted=is_later_printing(edition),
        originals=_cores(original_titles(record), title) if record.notes or record.alternatives else (),
    )


def _values(titles: tuple[Title, ...]) -> list[str]:
    return [title.value[:_LONGEST] for title in titles[:_AT_MOST]]


_NO_TITLE = Title()
_NO_PARTS = TitleParts("")
_NO_SIZE = Size()


def _volume(record: BibliographicRecord, parts: TitleParts, volumes: int) -> tuple[str, bool]:
    """The folded volume statement, and whether the record describes a whole set. volumes: the number in the extent."""
    # Rough sets III, 2 v.: the number belongs to the title
    statement = record.volume or ("" if volumes and parts.bare else parts.volume)
    if not statement:
        return "", volumes > 0
    return ("", True) if is_set(statement) else (volume_form(statement), False)


def _year(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _month(issued: str) -> int:
    return int(issued[5:7]) if _MONTH(issued) else 0


_MONTH = re.compile("[0-9]{4}-(?:0[1-9]|1[0-2])").match


def _part_forms(printed: str, part: TitleParts) -> tuple[str, ...]:
    """The forms under which another provider may have entered a volume title.

    A number at its end may be its own or that of the volume, so both readings are included.
    """
    if not part.core:
        return ()
    core = title_form(part.core)
    full = core + _tight(part.subtitle) if part.subtitle else core
    return tuple(dict.fromkeys((core, full, title_form(printed))))


# Schemes whose numbers should identify one publication. In practice many of these numbers (NCIDs, for example) stand
# for a whole set of volumes. Therefore an equal number is only weak evidence.
_IDENTITY_SCHEMES = ("JPNO", "DOI", "NDLBibID", "NIIBibID", "NCID", "TRCMARCNO", "TOHANMARCNO", "NSMARCNO")
_IDENTIFIER_GROUPS = {"ISBN": 0, "SetISBN": 1, "ISSN": 2, "ISSNL": 2} | dict.fromkeys(_IDENTITY_SCHEMES, 3)


def _numbers(record: BibliographicRecord) -> tuple[tuple[str, ...], ...]:
    """The identifiers that are compared, in four groups, each sorted: ISBNs, set ISBNs, ISSNs, others."""
    groups: tuple[list[str], ...] = ([], [], [], [])
    for identifier in record.identifiers:
        group = _IDENTIFIER_GROUPS.get(identifier.scheme)
        if group is not None:
            groups[group].append(identifier.value if group < 3 else f"{identifier.scheme}:{identifier.value}")
    return tuple([tuple(numbers) if len(numbers) < 2 else tuple(sorted(set(numbers))) for numbers in groups])


_ARTICLES = ("the ", "a ", "an ")


def title_form(text: str) -> str:
    """`fold_tight` of a title, without its leading article, and with "&" as "and"."""
    if text.isascii() and text[:4].lower().startswith(_ARTICLES):
        text = text.partition(" ")[2]
    return _tight(text) or "".join(unicodedata.normalize("NFKC", text).split())  # a title of signs alone: ○


_KANJI_DIGITS = frozenset(KANJI_DIGITS)
_KANJI_NUMBERS = re.compile(f"[{KANJI_DIGITS}]{{1,9}}")


def _tight(text: str) -> str:
    """`fold_tight` of a text, with kanji numbers as digits, so that 他九篇 and 他9篇 are the same."""
    if text.isascii():
        return fold_tight(text.replace("&", " and ") if "&" in text else text)
    folded = fold_tight(text)
    return folded if _KANJI_DIGITS.isdisjoint(folded) else _KANJI_NUMBERS.sub(_arabic, folded)


def _arabic(match: re.Match[str]) -> str:
    return str(kanji_number(match[0]))


_SERIES_NUMBER = re.compile(
    r"\s*[;,:]?\s*(?:v(?:ol)?\.?|no\.?|#|第)?\s*([0-9]+(?:-(?:[0-9]+|[A-Z]\b))?)\s*[巻号集]?\s*\Z", re.IGNORECASE
)


def _series(printed: list[str], entered: str) -> tuple[str, ...]:
    forms = [_numbered_series(text) for text in printed if text] + [entered]
    return tuple(dict.fromkeys([form for form in forms if form]))[:_OTHERS_AT_MOST]


@lru_cache(maxsize=4096)
def _numbered_series(text: str) -> str:
    """A series with its number: "Wiley series ; v. 14" is "wileyseries#14"."""
    text = text if text.isascii() else unicodedata.normalize("NFKC", text)
    text = " ".join(text.split())  # the pattern would try every division of a long run of spaces
    match = _SERIES_NUMBER.search(text)
    title = title_form(text[: match.start()] if match else text)
    return f"{title}#{match[1] if match else ''}" if title else ""


def _reading(transcription: str, parts: TitleParts) -> str:
    """The reading of the core title. It has the same parts as the title, so it usually need not be split."""
    if not transcription:
        return ""
    whole = not (parts.subtitle or parts.volume or parts.edition)
    return fold_tight(transcription if whole else split_title(transcription).core)[:_LONGEST]


_OTHERS_AT_MOST = 4


def _cores(titles: Sequence[str], main: str) -> tuple[str, ...]:
    """The folded cores of further titles, each once, without the main title."""
    forms = [_core(title[:_LONGEST]) for title in titles if title]
    return tuple(dict.fromkeys([form for form in forms if form and form != main]))[:_OTHERS_AT_MOST] if forms else ()


@lru_cache(maxsize=2048)  # each of its volumes repeats a series
def _core(title: str) -> str:
    return title_form(split_title(title).core)


def _persons(record: BibliographicRecord) -> tuple[str, ...]:
    """The creators; where there are none, contributors or the statement of responsibility."""
    agents = (record.creators or record.contributors)[:_AT_MOST]
    if not agents:
        statements = [text[:_LONGEST] for text in record.responsibility[:_AT_MOST]]
        names = [name for text in statements for name in names_in_statement(text)]
        return person_forms(tuple(names)) if names else ()
    return person_forms(
        tuple([agent.name[:_LONGEST] for agent in agents]),
        tuple([agent.transcription[:_LONGEST] for agent in agents if agent.transcription]),
    )


_PAGED = re.compile(
    r"\bp{1,2}\b|[0-9\])]\s*p|\bpages?\b|[0-9\])]\s*(?:leaves\b(?! of)|丁)|頁|ページ|ｐ", re.IGNORECASE
).search
_NUMBERED = re.compile(r"(?<![0-9])([0-9]{1,4})(?![0-9]|\s*(?:[x×冊巻枚]|cm|mm))")

_THOUSANDS = re.compile(r"\b([1-3]),(?=[0-9]{3} p)")  # "xv, 1,040 p"; "7,203p" are two sequences


def _pages(extents: tuple[str, ...]) -> int:
    """The last page in the extent, 0 if none: "xii, [9]-504 p. ; 22 cm" and "2 v. (504 p.)" are 504."""
    return next((pages for pages in map(_last_page, extents) if pages is not None), 0)


@lru_cache(maxsize=4096)  # catalogues state these with few different texts
def _last_page(extent: str) -> int | None:
    """The last page that one extent states; None if it does not speak of pages."""
    plain = extent if extent.isascii() else unicodedata.normalize("NFKC", extent)
    counted = plain.partition(";")[0].partition(" : ")[0]
    if not _PAGED(counted):
        return None
    return max([int(number) for number in _NUMBERED.findall(_THOUSANDS.sub(r"\1", counted))], default=0)
