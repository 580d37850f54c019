"""Several descriptions of one book as one record, by one rule for each field. Pure; knows no provider and no database.

The result depends on the set of records alone: they are ranked first, those that staff trust most before others, then
the fullest, equal ones by their URI and by all they say. Nothing that only one record knows is lost, and nothing is
said twice in another spelling. Who says what of the merged record: `voices`.
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from aggregator.merge.rules import RULES
from aggregator.merge.settle import settle
from aggregator.merge.testimony import Voice, record_with, unanimous, voices
from metadata.record import BibliographicRecord, Host, encode_record

__all__ = ["RULES", "Voice", "merge", "record_with", "unanimous", "voices"]

type Known = tuple[BibliographicRecord, int]  # with how far its provider is trusted


def merge(records: Sequence[BibliographicRecord], trusts: Sequence[int] = ()) -> BibliographicRecord:
    """One record for the group; a single record is returned as it is.

    trusts: how far staff trust the provider of each, 0 where nothing is given. Where only one value can stand, it is
    taken from those that are trusted most among those that have one.
    """
    if len(records) == 1:
        return records[0]
    ranked = sorted(zip(records, trusts or [0] * len(records), strict=True), key=_rank)
    merged: dict[str, Any] = {}
    for field, column in zip(RULES, zip(*(_all_fields(record) for record, _trust in ranked), strict=True), strict=True):
        if any(column):
            holders = [each for each, value in zip(ranked, column, strict=True) if value and value != _NO_HOST]
            merged[field] = _taken(field, holders) if holders else _NO_HOST
    return settle(BibliographicRecord(**merged), [record for record, _trust in ranked])


def _taken(field: str, holders: Sequence[Known]) -> Any:
    """What stands in the field; its rule is asked only where they differ, which they mostly do not."""
    said = [record for record, _trust in holders]
    value, *others = (getattr(record, field) for record in said)
    if others.count(value) == len(others):
        return value
    rule = RULES[field]
    asked = [record for record, trust in holders if trust == holders[0][1]] if rule.single else said
    return rule.take(asked, said, field)


def _rank(known: Known) -> tuple[int, int, str, bytes]:
    """The most trusted, then the fullest first; the rest only makes the order certain."""
    record, trust = known
    return -trust, -sum(map(bool, _telling(record))), record.uri, encode_record(record)


_NO_HOST = Host()  # the one default that is not false
_all_fields = attrgetter(*RULES)
# Fields that a careful description has and a thin one lacks.
_telling = attrgetter(
    "titles",
    "volumes",
    "series",
    "editions",
    "creators",
    "publishers",
    "issued",
    "identifiers",
    "subjects",
    "languages",
    "extents",
    "material_types",
    "notes",
    "prices",
    "publication_places",
    "responsibility",
    "display_title",
)
