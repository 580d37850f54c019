"""Several descriptions of one book as one record, by one rule for each field. Pure; knows no provider and no database.

The result depends on the set of records alone: they are ranked first, those that staff trust most before others, then
the fullest, equal ones by their URI and by all they say. Nothing that only one record knows is lost, and nothing is
said twice in another spelling. Who says what of the merged record: `voices`.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import compress
from operator import attrgetter, itemgetter
from typing import Any

from aggregator.merge.rules import RULES
from aggregator.merge.settle import settle
from aggregator.merge.testimony import Statement, record_with, statements, unanimous
from metadata.record import BibliographicRecord, Host, encode_record

__all__ = ["RULES", "Statement", "merge", "record_with", "statements", "unanimous"]

type Known = tuple[BibliographicRecord, int]  # with how far its provider is trusted


def merge(records: Sequence[BibliographicRecord], trusts: Sequence[int] = ()) -> BibliographicRecord:
    """One record for the group; a single record is returned as it is.

    trusts: how far staff trust the provider of each, 0 where nothing is given. Where only one value can stand, it is
    taken from those that are trusted most among those that have one.
    """
    if len(records) == 1:
        return records[0]
    ranked = _ranked(list(zip(records, trusts or [0] * len(records), strict=True)))
    merged: dict[str, Any] = {}
    for field, said in zip(RULES, zip(*[_all_fields(record) for record, _trust in ranked], strict=True), strict=True):
        if said.count(said[0]) == len(said):  # most fields are empty with all, or the same
            if said[0]:
                merged[field] = said[0]
            continue
        values = list(filter(None, said))
        same = values.count(values[0]) == len(values)  # those who fill it mostly agree
        merged[field] = values[0] if same else _taken(field, list(compress(ranked, said)))
    return settle(BibliographicRecord(**merged), [record for record, _trust in ranked])


def _taken(field: str, holders: list[Known]) -> Any:
    """What stands in a field by its rule, where those who fill it differ."""
    if field == "host":
        holders = [known for known in holders if known[0].host != _NO_HOST]
    said = [record for record, _trust in holders]
    rule = RULES[field]
    asked = [record for record, trust in holders if trust == holders[0][1]] if rule.single else said
    return rule.take(asked, said, field)


def _ranked(known: Sequence[Known]) -> list[Known]:
    """The most trusted, then the fullest first; the rest only makes the order certain."""
    ranks = [(-trust, -sum(map(bool, _telling(record))), record.uri) for record, trust in known]
    ties = [b""] * len(known)
    if len(set(ranks)) < len(ranks):
        met = Counter(ranks)
        ties = [encode_record(each[0]) if met[rank] > 1 else b"" for rank, each in zip(ranks, known, strict=True)]
    order = sorted(zip(ranks, ties, known, strict=True), key=itemgetter(0, 1))
    return [each for _rank, _tie, each in order]


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
