"""Rules for fields of which one value stands: what most say, in its fullest form. Pure.

A rule is given the records that are asked, all records that have the field, and the name of the field; both ranked,
the best first. Ties go to the best.
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import msgspec

from aggregator.matching.features.titles import TitleParts
from aggregator.merge import sameness
from metadata.record import BibliographicRecord, Host, Title

Records = Sequence[BibliographicRecord]
Take = Callable[[Records, Records, str], Any]


def first(asked: Records, _said: Records, field: str) -> Any:
    """The value of the best record that has one."""
    return getattr(asked[0], field)


def most_said(key: sameness.Key) -> Take:
    """What most say, as most of them print it."""

    def take(asked: Records, _said: Records, field: str) -> Any:
        same = _most([getattr(each, field) for each in asked], key)
        return _most(same, lambda value: value)[0]

    return take


def fullest_said(key: sameness.Key) -> Take:
    """What most say, as the one prints it who says most of it."""

    def take(asked: Records, _said: Records, field: str) -> Any:
        same = _most([getattr(each, field) for each in asked], key)
        return max(same, key=lambda value: len(sameness.tight("".join(value))))

    return take


def _most[T](values: Sequence[T], key: Callable[[T], Hashable]) -> list[T]:
    """Those with the key that most have; of several, that of the first."""
    keys = [key(value) for value in values]
    winner = max(keys, key=keys.count)  # of equals the one met first
    return [value for value, its in zip(values, keys, strict=True) if its == winner]


def date(asked: Records, _said: Records, field: str) -> str:
    """The year that most give, of equals the earliest: a later one is that of a printing. In it, the most exact date
    that contradicts the fewest: 1997, 1997-06 and 1997-06-22 are 1997-06-22, with 1997-06-01 they are 1997-06.
    """
    dates = [str(getattr(each, field)) for each in asked]
    years = Counter(each[:4] for each in dates)
    year = min(years, key=lambda each: (-years[each], each))
    agreeing = [each for each in dates if each.startswith(year)]
    forms = {form for each in agreeing for form in (each[:4], each[:7], each)}
    return min(forms, key=lambda form: (-_support(form, agreeing), -len(form), form))


def _support(form: str, dates: Iterable[str]) -> int:
    return sum(each.startswith(form) or form.startswith(each) for each in dates)


def titles(asked: Records, said: Records, field: str) -> tuple[Title, ...]:
    """The main title that most give, in its fullest and plainest form; every parallel title; readings from anybody."""
    best = getattr(_best_titled(asked), field)[0]
    found = {sameness.titled(best): best}
    for record in said:
        for each in getattr(record, field)[1:]:
            found.setdefault(sameness.titled(each), each)
    return tuple(with_readings(found.values(), said, field))


def _best_titled(records: Records) -> BibliographicRecord:
    kanji_first = sorted(records, key=lambda record: sameness.is_reading(record.title))  # kana may be a reading only
    same = _most(kanji_first, lambda record: sameness.main_title(record.titles))
    if all(record.title == same[0].title for record in same):
        return same[0]
    subtitles = Counter(sameness.tight(sameness.parts(record.title).subtitle) for record in same)
    prints = Counter(record.title for record in same)
    apart = tuple(any(getattr(each, field) for each in records) for field in ("volumes", "editions"))

    def order(record: BibliographicRecord) -> tuple[Any, ...]:
        own = sameness.parts(record.title)
        return (
            _clutter(own, apart),
            not own.subtitle,
            -subtitles[sameness.tight(own.subtitle)],
            bool(_WIDE.search(record.title)),
            -prints[record.title],
            record.title.isupper(),
        )

    return min(same, key=order)


_WIDE = re.compile("[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]")  # full-width letters and digits


def _clutter(parts: TitleParts, apart: tuple[bool, ...]) -> int:
    """How many statements stand in the title that stand in fields too, or are in neither. A series has its field."""
    stated = (parts.volume, parts.edition, parts.series)
    return sum(bool(text) == elsewhere for text, elsewhere in zip(stated, (*apart, True), strict=True))


def volumes(asked: Records, said: Records, field: str) -> tuple[Title, ...]:
    """The volume that most give, with its reading from anybody."""
    return tuple(with_readings(most_said(sameness.volumes)(asked, said, field), said, field))


def with_readings(found: Iterable[Title], said: Records, field: str) -> Iterable[Title]:
    """A reading that a title lacks comes from whoever has the same title."""
    readings: dict[str, str] = {}
    for record in said:
        for title in getattr(record, field):
            if title.transcription:
                readings.setdefault(sameness.tight(title.value), title.transcription)
    for title in found:
        known = "" if title.transcription else readings.get(sameness.tight(title.value), "")
        yield msgspec.structs.replace(title, transcription=known) if known else title


def host(asked: Records, _said: Records, _field: str) -> Host:
    """The publication around the article as one record has it, the fullest: parts of two would name a third."""
    return max((each.host for each in asked), key=_parts_of)


def _parts_of(around: Host) -> int:
    return sum(bool(getattr(around, name)) for name in around.__struct_fields__)
