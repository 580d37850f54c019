"""Import of a list of libraries: shows what the list would change, field by field, then changes it. Files: `lists`.

A library is recognised by its codes. A list takes precedence over records, and what people typed over the list: see
`edits`. What the list does not mention stays; nothing is deleted. Queries grow with the number of batches, not of rows.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from aggregator.libraries.edits import by_people, with_list
from aggregator.libraries.identify import Code
from aggregator.libraries.list_cells import cell_of
from aggregator.libraries.lists import CODES, FIELDS, Row
from aggregator.libraries.remerging import LINKING, mark_for_merging
from aggregator.libraries.to_index import mark_books
from aggregator.models import Library, LibraryCode
from core.database.batches import chunks, select_in
from harvesting.audit.trail import note

NEW, CHANGED, SAME, ERROR = "new", "changed", "same", "error"
_FIRST_SCHEMES = {scheme: column for column, scheme in CODES.items()}
type Known = Mapping[Code, int]  # the number of the library that a code belongs to


class ImportRefused(ValueError):
    """The list cannot be imported. The message says why."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A field whose value the list would change."""

    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Change:
    """What one row would change. library: 0 for a new one. values: those to be written. codes: those that are new.
    marks: `Library.edited` afterwards. kept: fields in which the list differs from what people typed.
    """

    line: int
    name: str
    library: int = 0
    differences: tuple[Difference, ...] = ()
    codes: tuple[Code, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    marks: tuple[str, ...] = ()
    parent: Code | None = None
    kept: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()

    @property
    def outcome(self) -> str:
        """NEW, CHANGED, SAME or ERROR."""
        if self.errors:
            return ERROR
        if not self.library:
            return NEW
        return CHANGED if self.differences or self.codes else SAME


def plan(rows: Sequence[Row]) -> list[Change]:
    """Return what every row would change. Writes nothing."""
    codes = {code for row in rows for code in (*row.codes, row.parent) if code}
    known = _libraries_of(codes)
    stored = _stored(known.values())
    new = {code: -row.line for row in rows for code in row.codes if code not in known}
    twice = _twice(rows, known)
    return [_change(row, known, new, stored, twice) for row in rows]


def counts(changes: Iterable[Change]) -> dict[str, int]:
    """Return the number of changes by outcome."""
    return {NEW: 0, CHANGED: 0, SAME: 0, ERROR: 0} | Counter(change.outcome for change in changes)


@transaction.atomic
def carry_out(changes: Sequence[Change], person: Any) -> int:
    """Carry out all changes or none; return how many rows changed something. Raises ImportRefused."""
    if any(change.errors for change in changes):
        raise ImportRefused(_("No rows are imported until all errors are corrected."))
    made = [change for change in changes if change.outcome == NEW]
    known = [change for change in changes if change.library]
    # Books are locked before their libraries, in the order in which the merging stage locks them.
    mark_for_merging([change.library for change in known if LINKING & {own.field for own in change.differences}])
    numbers = {change.line: change.library for change in known} | _make(made)
    _update(known)
    _add_codes(changes, numbers)
    _set_parents(changes, numbers)
    changed = [change for change in known if change.outcome == CHANGED]
    # After the transaction, in batches: the search index contains names, codes and regions of libraries.
    transaction.on_commit(partial(mark_books, {change.library for change in changed}))
    _note(changed, len(made), person)
    return len(made) + len(changed)


def rows_of(libraries: Iterable[Library]) -> Iterator[dict[str, object]]:
    """Yield libraries as rows of our own lists; their codes and parents must be prefetched. Importing them changes
    nothing.
    """
    for library in libraries:
        codes = [Code(code.scheme, code.value) for code in library.codes.all()]
        row = dict.fromkeys(CODES, "")
        rest = []
        for code in sorted(codes):
            column = _FIRST_SCHEMES.get(code.scheme, "")
            if column and not row[column]:
                row[column] = code.value
            else:
                rest.append(cell_of(code))
        cells = {name: _text(getattr(library, name)) for name in FIELDS}
        parent = library.parent and next((Code(code.scheme, code.value) for code in library.parent.codes.all()), None)
        yield {**row, "codes": ";".join(filter(None, rest)), **cells, "parent": cell_of(parent) if parent else ""}


def _libraries_of(codes: Iterable[Code]) -> dict[Code, int]:
    wanted = set(codes)
    found = select_in(LibraryCode, ("scheme", "value", "library_id"), "value", {code.value for code in wanted})
    return {code: pk for scheme, value, pk in found if (code := Code(scheme, value)) in wanted}


def _stored(pks: Iterable[int]) -> dict[int, Library]:
    libraries: dict[int, Library] = {}
    for chunk in chunks(sorted(set(pks))):
        libraries |= Library.objects.in_bulk(chunk)
    return libraries


def _twice(rows: Sequence[Row], known: Known) -> dict[int, int]:
    """Rows that mean the same library as an earlier row: line -> line of the earlier row."""
    first: dict[Code | int, int] = {}
    repeated: dict[int, int] = {}
    for row in rows:
        for code in row.codes:
            key = known.get(code, code)
            if first.setdefault(key, row.line) != row.line:
                repeated.setdefault(row.line, first[key])
    return repeated


def _change(row: Row, known: Known, new: Known, stored: Mapping[int, Library], twice: Mapping[int, int]) -> Change:
    errors = [*row.errors, *_doubts(row, known, new, twice)]
    own = {known[code] for code in row.codes if code in known}
    library = stored[min(own)] if own else Library()
    name = str(row.values.get("name", "")) or library.name
    if not errors and not name:
        errors.append(_("A new library needs a name."))
    typed = by_people(library.edited)
    differing = {field: value for field, value in row.values.items() if getattr(library, field) != value}
    values = {field: value for field, value in differing.items() if field not in typed}
    errors += _faults(values)
    differences = [Difference(field, _text(getattr(library, field)), _text(value)) for field, value in values.items()]
    parent = row.parent if "parent" not in typed else None
    if parent and library.pk and not errors and known.get(parent, 0) != library.parent_id:
        differences.append(Difference("parent", "", cell_of(parent)))
    return Change(
        line=row.line,
        name=name,
        library=library.pk or 0,
        differences=tuple(differences) if library.pk else (),
        codes=tuple(code for code in row.codes if code not in known),
        values=values,
        marks=tuple(with_list(library.edited, [*row.values, *(["parent"] if parent else [])])),
        parent=parent,
        kept=tuple(field for field in differing if field in typed),
        errors=tuple(errors),
    )


def _doubts(row: Row, known: Known, new: Known, twice: Mapping[int, int]) -> Iterator[str]:
    """Why it is not certain which library a row or its parent is."""
    if row.line in twice:
        yield _("The same library is in line %(line)s.") % {"line": twice[row.line]}
    if len({known[code] for code in row.codes if code in known}) > 1:
        yield _("The codes of this row belong to different libraries. Merge these libraries first.")
    if row.parent is None:
        return
    if row.parent in row.codes:
        yield _("parent: A library cannot be a branch of itself.")
    elif row.parent not in known and row.parent not in new:
        yield _("parent: No library has the code “%(code)s”.") % {"code": row.parent.value}


def _faults(values: Mapping[str, Any]) -> list[str]:
    """Return the errors of values that the columns of the table do not accept."""
    try:
        exclude = {column.name for column in Library._meta.concrete_fields} - values.keys()
        Library(**values).clean_fields(exclude=exclude)
    except ValidationError as error:
        return [f"{name}: {' '.join(texts)}" for name, texts in error.message_dict.items()]
    return []


def _make(changes: Sequence[Change]) -> dict[int, int]:
    """Make the new libraries; return their numbers by the lines of the rows."""
    rows = [Library(**change.values, edited=list(change.marks)) for change in changes]
    made = Library.objects.bulk_create(rows, batch_size=500)
    return {change.line: library.pk for change, library in zip(changes, made, strict=True)}


def _update(changes: Sequence[Change]) -> None:
    for chunk in chunks(changes):
        stored = Library.objects.in_bulk([change.library for change in chunk])
        for change in chunk:
            library = stored[change.library]
            library.edited = list(change.marks)
            for name, value in change.values.items():
                setattr(library, name, value)
        names = {name for change in chunk for name in change.values}
        Library.objects.bulk_update(stored.values(), ["edited", *sorted(names)], batch_size=50)


def _add_codes(changes: Sequence[Change], numbers: Mapping[int, int]) -> None:
    codes = [
        LibraryCode(scheme=code.scheme, value=code.value, library_id=numbers[change.line])
        for change in changes
        for code in change.codes
    ]
    LibraryCode.objects.bulk_create(codes, batch_size=500)


def _set_parents(changes: Sequence[Change], numbers: Mapping[int, int]) -> None:
    """Make libraries the branches of others, also of those that were just made. A ring of branches is not made."""
    parents = _libraries_of(change.parent for change in changes if change.parent)
    wanted = {numbers[change.line]: parents[change.parent] for change in changes if change.parent}
    rows = [
        Library(pk=pk, parent_id=parent) for pk, parent in wanted.items() if parent != pk and wanted.get(parent) != pk
    ]
    Library.objects.bulk_update(rows, ["parent"], batch_size=500)


def _note(changed: Sequence[Change], made: int, person: Any) -> None:
    if changed or made:
        note(person, "libraries.imported", _("List of libraries"), details={"new": made, "changed": len(changed)})
    libraries = _stored(change.library for change in changed)
    for change in changed:
        differences = {item.field: f"{item.before} → {item.after}" for item in change.differences}
        codes = {"codes": ", ".join(f"{code.scheme} {code.value}" for code in change.codes)} if change.codes else {}
        note(person, "library.imported", libraries[change.library], details={**differences, **codes})


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, date):
        return value.isoformat()
    return "" if value is None else str(value)
