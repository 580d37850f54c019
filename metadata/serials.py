"""What records say about serials: issues held (所蔵巻号), and the earlier and later titles that they name. Pure.

Issues held are free text. NACSIS-CAT and many libraries write the volumes as numbers and ranges ("1-12,14,16-"; "+" or
"-" at the end: it is still received); only such texts are combined.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from metadata.identifiers import normalise, recognise
from metadata.record import BibliographicRecord, Relation
from metadata.vocabularies.dcndl import identifier_in_uri

EARLIER, LATER = "replaces", "isReplacedBy"  # types of relations
ISSN_SCHEMES = frozenset(("ISSN", "ISSNL", "PISSN", "EISSN"))
_SERIAL_TYPES = ("Journal", "Newspaper")
_NDL_BOOK = re.compile(r"https?://(?:iss|ndlsearch)\.ndl\.go\.jp/books/R100000002-I([0-9]{12})(?:-00)?/?\Z").match
_NCID = re.compile(r"https?://ci\.nii\.ac\.jp/ncid/([AB][A-Z][0-9]{7}[0-9X])\b").match
_DASHES = str.maketrans(dict.fromkeys("‐‑–—−〜~～", "-") | dict.fromkeys("、，;；", ","))
_RANGE = re.compile(r"([0-9]{1,5})(?:(-)([0-9]{1,5})?)?(\+)?")
_OPEN_END = 10**9

type Number = tuple[str, str]  # scheme and normal value; the scheme of every ISSN is "ISSN"


def is_serial(record: BibliographicRecord) -> bool:
    """Whether the record describes a serial, by its type or an ISSN of its own."""
    types = {material_type.uri.rpartition("/")[2] for material_type in record.material_types}
    return not types.isdisjoint(_SERIAL_TYPES) or any(one.scheme in ISSN_SCHEMES for one in record.identifiers)


def own_numbers(record: BibliographicRecord) -> frozenset[Number]:
    """Return the numbers by which relations of other records may name this record."""
    return frozenset(_number(one.scheme, one.value) for one in record.identifiers if one.scheme)


def related_numbers(relation: Relation) -> frozenset[Number]:
    """Return the numbers of the related resource, from the number and the URI of a relation."""
    found = set(_of_uri(relation.uri))
    if relation.scheme and relation.number:
        found.add(_number(relation.scheme, normalise(relation.scheme, relation.number) or relation.number))
    return frozenset(found)


def combined_issues(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the issues that several copies hold together: ranges of numbers as one text, then all other texts."""
    given = list(dict.fromkeys(text for text in map(str.strip, texts) if text))
    ranges: list[tuple[int, int]] = []
    others = []
    for text in given:
        read = _ranges(text)
        if read:
            ranges += read
        else:
            others.append(text)
    return (*filter(None, (_written(ranges),)), *others)


def _of_uri(uri: str) -> Iterator[Number]:
    if not uri:
        return
    if match := _NDL_BOOK(uri):
        yield "NDLBibID", match[1]
    if match := _NCID(uri):
        yield "NIIBibID", match[1]
    scheme, value = identifier_in_uri(uri) or recognise(uri)
    if scheme and scheme != "URI" and (normal := normalise(scheme, value)):
        yield _number(scheme, normal)


def _number(scheme: str, value: str) -> Number:
    return ("ISSN" if scheme in ISSN_SCHEMES else scheme, value)


def _ranges(text: str) -> list[tuple[int, int]]:
    """Return the ranges of a text that consists of nothing else; [] for any other text."""
    plain = unicodedata.normalize("NFKC", text).translate(_DASHES).replace(" ", "")
    matches = [_RANGE.fullmatch(part) for part in plain.split(",") if part]
    found = []
    for match in matches:
        if match is None:
            return []
        first, dash, last, plus = match.groups()
        end = _OPEN_END if plus or (dash and not last) else int(last or first)
        if end < int(first):
            return []
        found.append((int(first), end))
    return found


def _written(ranges: Iterable[tuple[int, int]]) -> str:
    """Return ranges in order, those that touch each other as one: "1-12,14-"."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return ",".join(
        f"{first}-" if last == _OPEN_END else str(first) if first == last else f"{first}-{last}"
        for first, last in merged
    )
