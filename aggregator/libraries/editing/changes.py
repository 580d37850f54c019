"""Changes of the fields of a library by people: stored with their marks, noted in the audit trail, and passed on to the
books of the library.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from hashlib import blake2b
from typing import Any

import msgspec
from django.db import transaction

from aggregator.libraries.editing.sources import FIELDS, FROM_RECORDS
from aggregator.libraries.edits import LIST, with_people, without
from aggregator.libraries.identify import PROVIDER
from aggregator.libraries.remerging import LINKING, mark_for_merging
from aggregator.libraries.to_index import mark_books
from aggregator.models import Library, LibraryCode, LibraryName
from harvesting.audit.trail import note
from harvesting.models import Repository
from metadata.links import safe_href

INDEXED = frozenset({"name", "reading", "name_en", "short_name", "prefecture", "municipality"})


class ChangedMeanwhile(Exception):
    """Somebody else has changed the library since the form was shown."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What records say about a library: its value by field. is_provider: a provider is this library itself."""

    values: Mapping[str, str]
    is_provider: bool = False


@dataclass(frozen=True, slots=True)
class _Edit:
    """An edit of a library. marks: computes the new `Library.edited`. given_back: the field given back, if any."""

    action: str
    values: Mapping[str, Any]
    marks: Callable[[Collection[str]], list[str]]
    given_back: str = ""


def fingerprint(library: Library) -> str:
    """Return a digest of what people can change, by which a form sees that somebody else has changed it."""
    values = {name: text_of(getattr(library, _column(name))) for name in FIELDS}
    state = msgspec.json.encode([values, sorted(library.edited), library.merged_into_id])
    return blake2b(state, digest_size=12).hexdigest()


def add(values: Mapping[str, Any], person: Any) -> Library:
    """Add a library that no record has named so far."""
    given = [name for name, value in values.items() if value not in ("", None)]
    with transaction.atomic():
        library = Library.objects.create(**values, edited=with_people([], given))
        note(person, "library.added", library)
    return library


def change(pk: int, seen: str, values: Mapping[str, Any], person: Any) -> None:
    """Store the values of these fields as those of people. seen: the fingerprint that the form was made from.

    Raises ChangedMeanwhile.
    """
    _store(pk, seen, _Edit("library.changed", values, partial(_typed, values)), person)


@transaction.atomic
def change_field(pk: int, field: str, value: Any) -> list[Any] | None:
    """Store the value of a field as that of people, for a bulk action. Return the value and the marks before it.

    None if the library has this value already, or was merged into another.
    """
    edit = _Edit("library.changed", {field: value}, partial(_typed, {field: value}))
    _prepare_books(pk, edit)
    library = Library.objects.select_for_update(no_key=True).filter(pk=pk, merged_into=None).first()
    if library is None or getattr(library, field) == value:
        return None
    before = [getattr(library, field), list(library.edited)]
    _write(library, edit)
    return before


@transaction.atomic
def put_back_field(pk: int, field: str, now: Any, before: Any, marks: Collection[str]) -> bool:
    """Undo `change_field`. Return False if the field has been changed since. now: the value that was set.

    marks: those before the change; the other fields keep the marks that they have got since.
    """
    edit = _Edit("library.changed", {field: before}, partial(_marked_before, field, marks))
    _prepare_books(pk, edit)
    library = Library.objects.select_for_update(no_key=True).filter(pk=pk, merged_into=None).first()
    if library is None or getattr(library, field) != now:
        return False
    _write(library, edit)
    return True


def give_back(pk: int, seen: str, field: str, person: Any) -> None:
    """Let records, or the next list, say what a field is. Raises ChangedMeanwhile."""
    recorded = recorded_values(pk)
    values = {field: recorded.values[field]} if field in recorded.values else {}
    edit = _Edit("library.given_back", values, lambda marks: without(marks, [field]), given_back=field)
    _store(pk, seen, edit, person)


def recorded_values(pk: int) -> Recorded:
    """Return what records say. Of a provider that is this library itself, all fields are known; otherwise the reading
    and the English name stay empty until the next record brings them.
    """
    numbers = LibraryCode.objects.filter(library=pk, scheme=PROVIDER).values("value")
    provider = Repository.objects.filter(number__in=numbers).order_by("pk").first()
    if provider:
        own = {"name": provider.name, "reading": provider.name_yomi, "name_en": provider.name_en}
        return Recorded({**own, "page": safe_href(provider.home_page)}, is_provider=True)
    names = Counter(LibraryName.objects.filter(library=pk).order_by("pk").values_list("name", flat=True))
    code = LibraryCode.objects.filter(library=pk).order_by("pk").first()
    name = next((name for name, _count in names.most_common(1)), "") or (code.value if code else "")
    return Recorded({"name": name, "reading": "", "name_en": ""} if name else {})


def ancestors(library: Library) -> list[int]:
    """Return the libraries of which a library is a branch, directly or through others."""
    found: list[int] = []
    above = library.parent_id
    while above and above not in found:
        found.append(above)
        above = Library.objects.filter(pk=above).values_list("parent", flat=True).first()
    return found


def text_of(value: object) -> str:
    """Return a value as the audit trail and the preview of a merge write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, date):
        return value.isoformat()
    return "" if value is None else str(value)


def _column(name: str) -> str:
    return "parent_id" if name == "parent" else name


def _typed(values: Mapping[str, Any], marks: Collection[str]) -> list[str]:
    return with_people(marks, values.keys())


def _marked_before(field: str, before: Collection[str], marks: Collection[str]) -> list[str]:
    own = [mark for mark in before if mark.removeprefix(LIST) == field]
    return sorted({*without(marks, [field]), *own})


def _store(pk: int, seen: str, edit: _Edit, person: Any) -> None:
    with transaction.atomic():
        _prepare_books(pk, edit)
        library = Library.objects.select_for_update(no_key=True).filter(pk=pk).first()
        if library is None or fingerprint(library) != seen:
            raise ChangedMeanwhile
        details = _write(library, edit)
        note(person, edit.action, library, details=details)


def _prepare_books(pk: int, edit: _Edit) -> None:
    """Mark the books of the library for merging, if the edit matters to them.

    Books are locked before their library, in the order in which the merging stage locks them. When a field is given
    back to records, the books are merged again: their records then fill it in if it is empty.
    """
    if not LINKING.isdisjoint(edit.values) or edit.given_back in FROM_RECORDS:
        mark_for_merging([pk])


def _write(library: Library, edit: _Edit) -> dict[str, str]:
    details = _apply(library, edit)
    library.save(update_fields=[*(_column(name) for name in edit.values), "edited"])
    if not INDEXED.isdisjoint(edit.values):
        transaction.on_commit(partial(mark_books, [library.pk]))
    return details


def _apply(library: Library, edit: _Edit) -> dict[str, str]:
    """Set the values and marks of the row; return what the audit trail says."""
    details = {edit.given_back: "–"} if edit.given_back else {}
    for name, value in edit.values.items():
        before = getattr(library, _column(name))
        setattr(library, _column(name), value)
        details[name] = f"{text_of(before)} → {text_of(value)}"
    library.edited = edit.marks(library.edited)
    return details
