"""Merge rules for fields with one value: what most records state, in its fullest form. No database access.

A rule is called with the eligible records (the most trusted of those that fill the field), all records that fill the
field, and the name of the field. Both lists are ranked, best first; ties go to the better record.
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
Combine = Callable[[Records, Records, str], Any]


def first(eligible: Records, _filling: Records, field: str) -> Any:
    """The value of the best record that has one."""
    return getattr(eligible[0], field)


def most_frequent(key: sameness.Key) -> Combine:
    """A rule that takes the value most records state, in the spelling that most of them use."""

    def combine(eligible: Records, _filling: Records, field: str) -> Any:
        equal = _most_frequent([getattr(record, field) for record in eligible], key)
        return _most_frequent(equal, lambda value: value)[0]

    return combine


def fullest_most_frequent(key: sameness.Key) -> Combine:
    """A rule that takes the value most records state, in its fullest spelling."""

    def combine(eligible: Records, _filling: Records, field: str) -> Any:
        equal = _most_frequent([getattr(record, field) for record in eligible], key)
        return max(equal, key=lambda value: len(sameness.tight("".join(value))))

    return combine


def _most_frequent[T](values: Sequence[T], key: Callable[[T], Hashable]) -> list[T]:
    """The values with the most frequent key; of equally frequent keys, the first."""
    keys = [key(value) for value in values]
    winner = max(keys, key=keys.count)  # max returns the first of equals
    return [value for value, value_key in zip(values, keys, strict=True) if value_key == winner]


def date(eligible: Records, _filling: Records, field: str) -> str:
    """The year that most records give, of equals the earliest (a later year is that of a printing); within that year
    the most exact date that contradicts the fewest records.

    1997, 1997-06 and 1997-06-22 give 1997-06-22; together with 1997-06-01 they give 1997-06.
    """
    dates = [str(getattr(record, field)) for record in eligible]
    years = Counter(text[:4] for text in dates)
    year = min(years, key=lambda candidate: (-years[candidate], candidate))
    agreeing = [text for text in dates if text.startswith(year)]
    forms = {form for text in agreeing for form in (text[:4], text[:7], text)}
    return min(forms, key=lambda form: (-_support(form, agreeing), -len(form), form))


def _support(form: str, dates: Iterable[str]) -> int:
    return sum(text.startswith(form) or form.startswith(text) for text in dates)


def titles(eligible: Records, filling: Records, field: str) -> tuple[Title, ...]:
    """The main title that most records give, in its fullest and plainest form; every parallel title; readings from
    any record.
    """
    best = getattr(_best_titled(eligible), field)[0]
    by_key = {sameness.titled(best): best}
    for record in filling:
        for title in getattr(record, field)[1:]:
            by_key.setdefault(sameness.titled(title), title)
    return tuple(with_readings(by_key.values(), filling, field))


def _best_titled(records: Records) -> BibliographicRecord:
    # a title in kana may be only the reading
    ranked = sorted(records, key=lambda record: sameness.is_reading(record.title))
    equal = _most_frequent(ranked, lambda record: sameness.main_title(record.titles))
    if all(record.title == equal[0].title for record in equal):
        return equal[0]
    subtitles = Counter(sameness.tight(sameness.parts(record.title).subtitle) for record in equal)
    prints = Counter(record.title for record in equal)
    has_field = tuple(any(getattr(record, field) for record in records) for field in ("volumes", "editions"))

    def order(record: BibliographicRecord) -> tuple[Any, ...]:
        own = sameness.parts(record.title)
        return (
            _clutter(own, has_field),
            not own.subtitle,
            -subtitles[sameness.tight(own.subtitle)],
            bool(_WIDE.search(record.title)),
            -prints[record.title],
            record.title.isupper(),
        )

    return min(equal, key=order)


_WIDE = re.compile("[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]")  # full-width letters and digits


def _clutter(parts: TitleParts, has_field: tuple[bool, ...]) -> int:
    """How many of volume, edition and series stand in the title although some record has a field for them, or stand
    nowhere. has_field: for volume and edition; there is always a field for the series.
    """
    stated = (parts.volume, parts.edition, parts.series)
    return sum(bool(text) == in_field for text, in_field in zip(stated, (*has_field, True), strict=True))


def volumes(eligible: Records, filling: Records, field: str) -> tuple[Title, ...]:
    """The volume that most records give, with its reading from any record."""
    return tuple(with_readings(most_frequent(sameness.volumes)(eligible, filling, field), filling, field))


def with_readings(titles: Iterable[Title], filling: Records, field: str) -> Iterable[Title]:
    """Add missing readings from records with the same title."""
    readings: dict[str, str] = {}
    for record in filling:
        for title in getattr(record, field):
            if title.transcription:
                readings.setdefault(sameness.tight(title.value), title.transcription)
    for title in titles:
        reading = "" if title.transcription else readings.get(sameness.tight(title.value), "")
        yield msgspec.structs.replace(title, transcription=reading) if reading else title


def host(eligible: Records, _filling: Records, _field: str) -> Host:
    """The host publication from the record that describes it most fully: a mixture of two would name a third."""
    return max((record.host for record in eligible), key=_parts_of)


def _parts_of(host: Host) -> int:
    return sum(bool(getattr(host, name)) for name in host.__struct_fields__)
