"""Merges several descriptions of one book into one record, by one rule per field. No database; no provider has rules
of its own.

The result depends only on the set of records: they are ranked first by how much staff trust their providers, then by
fullness, ties by URI and finally by content. Records that repeat one description count once (see `descriptions`).
Nothing that only one description states is lost, and nothing is repeated in another spelling. What libraries hold is no
part of a merged record. Which record states which value: `statement`.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import chain, compress
from operator import attrgetter, itemgetter, ne
from typing import Any

from msgspec import structs

from aggregator.merge.descriptions import TrustedRecord, different, heard_once, without_items
from aggregator.merge.rules import RULES
from aggregator.merge.settle import settle
from aggregator.merge.statement import Statement, record_with, statements, unanimous
from metadata.record import BibliographicRecord, Host, encode_record

__all__ = ["RULES", "Statement", "merge", "record_with", "statements", "unanimous"]


def merge(records: Sequence[BibliographicRecord], trusts: Sequence[int] = ()) -> BibliographicRecord:
    """Return one record for the group, without items; a single record without items is returned as it is.

    trusts: how much staff trust each record's provider; 0 where they have said nothing. Where a field can have only
    one value, it is taken from the most trusted of the records that have one.
    """
    if len(records) == 1:  # most books have one record
        return without_items(records[0], records)
    ranked = different(_ranked(list(zip(records, trusts or [0] * len(records), strict=True))))
    if len(ranked) == 1:
        return without_items(ranked[0][0], records)
    return without_items(_merge(ranked), records)


def _merge(ranked: Sequence[TrustedRecord]) -> BibliographicRecord:
    """Merge several different descriptions, the best first."""
    records = [record for record, _trust in ranked]
    repeated = len(heard_once(records)) < len(records)
    best, *others = map(_all_fields, records)
    # In most fields all records agree or are empty.
    differing = set(chain.from_iterable(compress(_FIELDS, map(ne, best, other)) for other in others))
    changes: dict[str, Any] = {}
    for field in differing:
        values = [getattr(record, field) for record in records]
        filled = list(filter(None, values))
        same = filled.count(filled[0]) == len(filled)  # usually the records that fill the field agree
        changes[field] = filled[0] if same else _apply_rule(field, list(compress(ranked, values)), repeated)
    return settle(structs.replace(records[0], **changes), records)


def _apply_rule(field: str, holders: list[TrustedRecord], repeated: bool) -> Any:
    """The value of a field by its rule, where the records that fill it differ. holders: these records. repeated:
    whether some of all records say the same (see `heard_once`).
    """
    if field == "host":
        holders = [holder for holder in holders if holder[0].host != _NO_HOST]
    filling = [record for record, _trust in holders]
    rule = RULES[field]
    eligible = [record for record, trust in holders if trust == holders[0][1]] if rule.single else filling
    return rule.combine(heard_once(eligible) if rule.single and repeated else eligible, filling, field)


def _ranked(records: Sequence[TrustedRecord]) -> list[TrustedRecord]:
    """Sort by trust, then fullness; URI and content only make the order deterministic."""
    ranks = [(-trust, -sum(map(bool, _fields_of_full_records(record))), record.uri) for record, trust in records]
    ties = [b""] * len(records)
    if len(set(ranks)) < len(ranks):
        counts = Counter(ranks)
        ties = [encode_record(item[0]) if counts[rank] > 1 else b"" for rank, item in zip(ranks, records, strict=True)]
    order = sorted(zip(ranks, ties, records, strict=True), key=itemgetter(0, 1))
    return [item for _rank, _tie, item in order]


_NO_HOST = Host()  # the only empty default that is not falsy
_FIELDS = tuple(RULES)
_all_fields = attrgetter(*_FIELDS)
# Fields that a careful description has and a brief one lacks.
_fields_of_full_records = attrgetter(
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
