"""Which libraries can be asked about a book, and at which addresses. Reads the database; asks nobody.

The address is filled from the library's own records of the book, which have the number of the book in that library;
without such a record, from the merged record.
"""

from collections.abc import Buffer, Collection, Iterable, Mapping
from datetime import date
from itertools import chain

from django.conf import settings
from django.utils import timezone

from aggregator.availability.adapters import adapter_of
from aggregator.availability.health import AdapterHealth, adapter_health
from aggregator.availability.inquiries import Question
from aggregator.libraries.holdings import unpack_copies
from aggregator.libraries.provider_link import LinkSource, fill_link_template
from aggregator.libraries.successors import present_keys
from aggregator.models import AvailabilityAdapter, Holding, Library, Manifestation
from harvesting.models import SourceRecord
from harvesting.records.compression import unpack_encoded, unpack_record
from metadata.record import BibliographicRecord

MOST_RECORDS = 3  # records of a library that are tried for an address


def askable() -> frozenset[int]:
    """Return the libraries that can be asked at all. One query, more if such a library was merged."""
    if settings.AVAILABILITY_MINUTES <= 0:
        return frozenset()
    return frozenset(_adapters())


def questions(number: int, libraries: Collection[int]) -> list[Question]:
    """Return the questions about a book to those of the libraries that hold it and can be asked. Four queries."""
    if settings.AVAILABILITY_MINUTES <= 0:
        return []
    row_of = {library: row for library, row in _adapters().items() if library in set(libraries)}
    stored = AvailabilityAdapter.objects.in_bulk(list(row_of.values()))
    adapters = {library: stored[row] for library, row in row_of.items() if row in stored}
    rows = Holding.objects.filter(manifestation=number, library__in=adapters)
    copies = {library: _records_of(packed) for library, packed in rows.values_list("library", "packed")}
    records = _records(chain.from_iterable(copies.values()))
    merged = _merged(number) if copies else ()
    return [
        _question(
            library, adapters[library], [*(records[name] for name in copies[library] if name in records), *merged]
        )
        for library in libraries
        if library in copies
    ]


def _adapters() -> dict[int, int]:
    """Return library -> the key of the interface by which it is asked: its own, else one of a library that was merged
    into it. A library that switched its own interface off is not asked by another.
    """
    columns = ("library", "kind", "library__merged_into", "library__closed_on")
    rows = list(AvailabilityAdapter.objects.order_by("library").values_list(*columns))
    own = {library for library, _kind, merged_into, _closed in rows if merged_into is None}
    moved = present_keys({library: library for library, kind, merged_into, _closed in rows if kind and merged_into})
    today = timezone.localdate()
    open_ones = ((library, kind, merged) for library, kind, merged, closed in rows if _is_open(closed, today))
    found = {library: library for library, kind, merged in open_ones if kind and not merged}
    closing = dict(Library.objects.filter(pk__in=moved.values()).values_list("pk", "closed_on")) if moved else {}
    for row, library in sorted(moved.items()):
        if library not in own and _is_open(closing[library], today):
            found.setdefault(library, row)
    return found


def _is_open(closed_on: date | None, today: date) -> bool:
    return closed_on is None or closed_on > today


def holders(number: int, most: int) -> list[int]:
    """Return the first libraries that hold a book and can be asked."""
    rows = Holding.objects.filter(manifestation=number, library__in=askable())
    return list(rows.order_by("pk").values_list("library", flat=True)[:most])


def title_of(number: int) -> str:
    """Return the title of a book; "" while it waits for merging."""
    return next((record.title for record in _merged(number)), "")


def address_for(row: AvailabilityAdapter, number: int) -> str:
    """Return the address to ask a library about a book, which it need not hold; "" if none can be made."""
    packed = Holding.objects.filter(manifestation=number, library=row.library_id).values_list("packed", flat=True)
    names = [name for own in packed for name in _records_of(own)]
    records = _records(names)
    return _address(row.address, [*(records[name] for name in names if name in records), *_merged(number)])


def _address(template: str, records: Iterable[BibliographicRecord]) -> str:
    """Return the address to ask: by the first record that fills the template; "" if none does."""
    source = LinkSource(link_template=template)
    return next(filter(None, (fill_link_template(record, source).url for record in records)), "")


def _question(library: int, row: AvailabilityAdapter, records: Iterable[BibliographicRecord]) -> Question:
    paused = adapter_health(row, timezone.now()) is AdapterHealth.PAUSED
    return Question(adapter_of(row), _address(row.address, records), paused, library)


def _records_of(packed: Buffer) -> list[str]:
    """The permanent ids of the records that report the first copies of a holding."""
    copies = unpack_copies(unpack_encoded(packed)) if packed else ()
    return list(dict.fromkeys(copy.record for copy in copies))[:MOST_RECORDS]


def _records(names: Iterable[str]) -> Mapping[str, BibliographicRecord]:
    """The accepted records with these permanent ids that readers may see."""
    shown = SourceRecord.objects.filter(public_id__in=set(names), deleted=False, suppressed_at=None)
    return {name: unpack_record(packed) for name, packed in shown.values_list("public_id", "record") if packed}


def _merged(number: int) -> list[BibliographicRecord]:
    packed = Manifestation.objects.filter(pk=number).values_list("record", flat=True)
    return [unpack_record(record) for record in packed if record]
