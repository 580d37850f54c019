"""Merging of libraries that prove to be one, and undoing it.

One short transaction moves the codes, by which records lead to a library; each code remembers its own library. Holdings
are derived from the codes: the books of both libraries are marked for merging afterwards, in batches, before the next
merging of books (`mark_moved_books`), however often the process is interrupted.
"""

from collections.abc import Collection
from dataclasses import asdict
from datetime import date
from typing import Any

from django.db import transaction
from django.db.models import Exists, Max, OuterRef
from django.utils import timezone
from django.utils.translation import gettext as _

from aggregator.libraries.editing.changes import ChangedMeanwhile, ancestors, fingerprint, text_of
from aggregator.libraries.editing.merge_plan import Plan, Replaced, Side, plan, restored
from aggregator.libraries.editing.sources import FIELDS
from aggregator.libraries.numbers import library_number
from aggregator.libraries.remerging import mark_in_batches
from aggregator.libraries.successors import successors, with_merged
from aggregator.models import Holding, Library, LibraryCode, LibraryMerge, LibraryName
from harvesting.audit.trail import note

COUNTED = 10_000  # books that both libraries hold; counting stops there


class MergeRefused(ValueError):
    """The libraries cannot be merged, or parted again. The message says why."""


def side_of(library: Library) -> Side:
    """Return a library as `merge_plan` compares it."""
    values = {name: _plain(getattr(library, f"{name}_id" if name == "parent" else name)) for name in FIELDS}
    return Side(library.pk, values, tuple(library.edited), tuple(ancestors(library)))


def seen_of(library: Library, into: Library) -> str:
    """Return a digest of both libraries, by which a merge sees that somebody has changed one of them."""
    return f"{fingerprint(library)}.{fingerprint(into)}"


def held_by_both(library: Library, into: Library) -> int:
    """Return how many books both libraries hold, counted up to COUNTED."""
    few, many = sorted((library, into), key=lambda row: row.holdings)
    of_many = Holding.objects.filter(library=many, manifestation=OuterRef("manifestation"))
    return Holding.objects.filter(Exists(of_many), library=few)[: COUNTED + 1].count()


def merge(library_pk: int, into_pk: int, seen: str, taken: Collection[str], person: Any) -> None:
    """Merge a library into another, which takes these of its fields. Raises MergeRefused, ChangedMeanwhile."""
    with transaction.atomic():
        library, into = _locked(library_pk, into_pk)
        if library.merged_into_id or into.merged_into_id:
            raise MergeRefused(_("One of the two has already been merged into another library."))
        if seen_of(library, into) != seen:
            raise ChangedMeanwhile
        decided = plan(side_of(into), side_of(library), taken)
        own = LibraryCode.objects.filter(library=library)
        own.filter(own=None).update(own=library)
        own.update(library=into)
        branches = Library.objects.filter(parent=library).exclude(pk=into.pk)
        made = LibraryMerge.objects.create(
            library=library,
            into=into,
            person=person.get_username() if person else "",
            replaced={name: asdict(field) for name, field in decided.replaced.items()},
            branches=list(branches.values_list("pk", flat=True)),
            last_name=LibraryName.objects.aggregate(last=Max("pk"))["last"] or 0,
        )
        branches.update(parent=into)
        _set(into, decided)
        Library.objects.filter(pk=library.pk).update(merged_into=into)
        note(person, "library.merged", library, details=_details(made, decided))


def undo(merge_pk: int, person: Any) -> LibraryMerge:
    """Part two libraries again: codes, branches and fields that have not changed since go back. Raises MergeRefused."""
    with transaction.atomic():
        found = LibraryMerge.objects.in_force().select_for_update(no_key=True).filter(pk=merge_pk).first()
        if found is None:
            raise MergeRefused(_("This merging has already been undone."))
        library, into = _locked(found.library_id, found.into_id)
        following = list(successors(into.pk))
        LibraryCode.objects.filter(own__in=with_merged([library.pk])).update(library=library)
        LibraryCode.objects.filter(own=library).update(own=None)
        Library.objects.filter(pk__in=found.branches, parent__in=following).update(parent=library)
        # A name noted since the merge may belong to either library; it is noted again with its next record.
        LibraryName.objects.filter(library__in=following, pk__gt=found.last_name).delete()
        decided = restored(side_of(into), {name: _read(field) for name, field in found.replaced.items()})
        _set(into, decided)
        Library.objects.filter(pk=library.pk).update(merged_into=None)
        found.undone_at, found.undone_by = timezone.now(), person.get_username() if person else ""
        found.settled = False
        found.save(update_fields=["undone_at", "undone_by", "settled"])
        note(person, "library.unmerged", library, details=_details(found, decided))
    return found


def mark_moved_books() -> int:
    """Mark the books of libraries that were merged or parted; return how many. Can be repeated."""
    marked = 0
    for row in LibraryMerge.objects.unsettled():
        marked += sum(map(mark_in_batches, sorted({row.library_id, *successors(row.into_id)})))
        # Not if it was undone meanwhile: then the books are marked once more.
        LibraryMerge.objects.filter(pk=row.pk, undone_at=row.undone_at).update(settled=True)
    return marked


def _locked(library: int, into: int) -> tuple[Library, Library]:
    rows = Library.objects.select_for_update(no_key=True).filter(pk__in=(library, into)).order_by("pk").in_bulk()
    if len(rows) < 2:
        raise MergeRefused(_("Choose another library."))
    return rows[library], rows[into]


def _set(library: Library, decided: Plan) -> None:
    """Store the fields and marks that a plan changes."""
    values = {f"{name}_id" if name == "parent" else name: field.after for name, field in decided.replaced.items()}
    Library.objects.filter(pk=library.pk).update(**values, edited=list(decided.edited))


def _read(field: dict[str, Any]) -> Replaced:
    return Replaced(field["before"], field["after"], tuple(field["marks"]))


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


def _details(row: LibraryMerge, decided: Plan) -> dict[str, str]:
    into = f"{library_number(row.into_id)} {row.into}"
    fields = {name: f"{text_of(f.before)} → {text_of(f.after)}" for name, f in decided.replaced.items()}
    return {"into": into, **fields}
