"""Codes of a library, added and removed by staff. A code belongs to one library."""

from functools import partial
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from aggregator.libraries.identify import Code
from aggregator.libraries.remerging import mark_for_merging
from aggregator.libraries.to_index import mark_books
from aggregator.models import Library, LibraryCode
from harvesting.audit.trail import note


class CodeRefused(ValueError):
    """A code cannot be added or removed. The message says why; holder: the library that has the code already."""

    def __init__(self, message: str, holder: Library | None = None) -> None:
        super().__init__(message)
        self.holder = holder


def add_code(library: Library, code: Code, person: Any) -> None:
    """Add a code to a library. Raises CodeRefused for a code that the library or another one has."""
    with transaction.atomic():
        if not Library.objects.current().select_for_update(no_key=True).filter(pk=library.pk):
            raise CodeRefused(_("The library was merged into another, or deleted."))
        row, made = LibraryCode.objects.select_related("library").get_or_create(
            scheme=code.scheme, value=code.value, defaults={"library": library}
        )
        if not made and row.library_id == library.pk:
            raise CodeRefused(_("The library already has this code."))
        if not made:
            raise CodeRefused(_("The code belongs to another library. If the two are one, merge them."), row.library)
        note(person, "library.changed", library, details={"codes": f"+ {row}"})
        transaction.on_commit(partial(mark_books, [library.pk]))


def remove_code(library: Library, pk: int, person: Any) -> None:
    """Remove a code from a library; records with this code make a library of their own then. Raises CodeRefused."""
    with transaction.atomic():
        row = LibraryCode.objects.filter(library=library, pk=pk).first()
        if row is None:
            raise CodeRefused(_("The library does not have this code any more."))
        if row.own_id:
            raise CodeRefused(
                _("The code came with a library that was merged into this one. Undo the merging instead.")
            )
        mark_for_merging([library.pk])
        row.delete()
        note(person, "library.changed", library, details={"codes": f"− {row}"})
        transaction.on_commit(partial(mark_books, [library.pk]))
