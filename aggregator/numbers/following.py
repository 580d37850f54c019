"""Follows numbers that are out of use to the books that they lead to now. Read-only."""

from collections.abc import Collection

from aggregator.models import FormerMember, Manifestation, Member, NumberCounter
from core.database.batches import fetch_in, select_in
from harvesting.models import SourceRecord

MOST_STEPS = 1000  # only reached if the rows were damaged: a number always goes out of use before its successor does

_IN_USE = f"SELECT DISTINCT manifestation_id FROM {Member._meta.db_table} WHERE {{condition}}"  # noqa: S608 names only


def follow(numbers: Collection[int]) -> dict[int, int]:
    """Return number -> the number of the book that it leads to; numbers that lead nowhere are left out."""
    leads = {number: number for number in numbers}
    for _step in range(MOST_STEPS):
        successors = dict(select_in(Manifestation, ("id", "successor_id"), "id", set(leads.values())))
        further = {number: onward for number, at in leads.items() if (onward := successors.get(at)) is not None}
        if not further:
            break
        leads |= further
    in_use = {number for (number,) in fetch_in(_IN_USE, "manifestation_id", set(leads.values()))}
    return {number: at for number, at in leads.items() if at in in_use}


def book_of_departed(record: int) -> int | None:
    """Return the number of the book that a record, now in no book, belonged to last; None if that leads nowhere."""
    noted = FormerMember.objects.filter(source_record=record).values_list("manifestation", flat=True)
    leads = follow(list(noted))
    # A book whose own number was noted is preferred: the record left it while other records stayed, so it was the
    # record's last book. Other noted numbers are out of use and only lead to a book.
    return min(leads.values(), key=lambda number: (leads.get(number) != number, number), default=None)


def last_member(number: int) -> SourceRecord | None:
    """Return one of the last members of a number that is out of use, the oldest."""
    noted = FormerMember.objects.filter(manifestation=number).order_by("source_record").first()
    return SourceRecord.objects.select_related("repository").get(pk=noted.source_record_id) if noted else None


def was_given(number: int) -> bool:
    """Whether a book had this number at some time."""
    return number > 0 and NumberCounter.objects.filter(last__gte=number).exists()
