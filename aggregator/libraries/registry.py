"""Finds the libraries that records report, in bulk, and makes those that are not known.

What records say fills only fields that are empty: a name that is known stays, and what people have filled in
(`Library.edited`) takes precedence over records. The names that the records of a provider use are noted, so that
staff see where one code has two names. A provider and the library that its records call by the provider's name are one.
Concurrent processes may report the same library: one of them makes it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import msgspec
from django.db import transaction
from msgspec.structs import replace

from aggregator.libraries.identify import NAME, PROVIDER, Code, KnownLibrary, Reported, Reports, name_code, one_line
from aggregator.libraries.to_index import mark_books
from aggregator.models import Library, LibraryCode, LibraryName
from core.database.batches import chunks, fetch_in, select_in, upsert
from harvesting.models import Repository
from metadata.links import safe_href

MOST_NAMES = 20  # names of one library that are noted for one provider
_FILLED = ("name", "reading", "name_en")  # fields that records fill in
_FOUND_BY = ("name", "name_en")  # those of them that the search index contains
_KNOWN = (
    "SELECT scheme, value, library.id, name, name_en, link_template, page "  # noqa: S608 names only
    f"FROM {LibraryCode._meta.db_table} JOIN {Library._meta.db_table} AS library ON library.id = library_id "
    "WHERE {condition}"
)


def find_libraries(codes: Collection[Code]) -> dict[Code, KnownLibrary]:
    """Return the known ones of the libraries with these codes. One query."""
    rows = fetch_in(_KNOWN, "value", {code.value for code in codes})
    return {code: KnownLibrary(*library) for scheme, value, *library in rows if (code := Code(scheme, value)) in codes}


def register(reports: Reports) -> dict[Code, KnownLibrary]:
    """Return all libraries of the reports; those that were not known are made. Notes their names."""
    if not reports.first:
        return {}
    rows = _rows(reports.first)
    unknown = sorted(reports.first.keys() - rows.keys())
    filled = [fill for code, (_known, row) in rows.items() for fill in _fillings(row, reports.first[code])]
    names = _new_names(reports, {code: known.pk for code, (known, _row) in rows.items()})
    if unknown or filled or names:
        with transaction.atomic():
            _make([reports.first[code] for code in unknown])
            rows |= _rows(unknown)
            for pk, name, before, value in sorted(filled):
                Library.objects.filter(pk=pk, **{name: before}).update(**{name: value})
            # After the transaction: other processes may have locked these books.
            transaction.on_commit(partial(mark_books, {pk for pk, field, *_values in filled if field in _FOUND_BY}))
            names += _new_names(reports, {code: rows[code][0].pk for code in unknown})
            upsert(LibraryName, _NAME_COLUMNS, sorted(names), unique=_NAME_COLUMNS, replaced=())
    return {code: known for code, (known, _row) in rows.items()}


_NAME_COLUMNS = ("library_id", "repository_id", "name")


class _Row(NamedTuple):
    """A row of Library; the fields are columns. edited: as JSON. Cheaper than an instance of the model: a batch may
    report thousands of libraries.
    """

    id: int
    name: str
    reading: str
    name_en: str
    link_template: str
    page: str
    edited: str


def _rows(codes: Collection[Code]) -> dict[Code, tuple[KnownLibrary, _Row]]:
    """The rows of known libraries by their codes."""
    values = {code.value for code in codes}
    found = select_in(LibraryCode, ("scheme", "value", "library_id"), "value", values)
    pk_of = {code: pk for scheme, value, pk in found if (code := Code(scheme, value)) in codes}
    rows = {row.id: row for row in map(_Row._make, select_in(Library, _Row._fields, "id", set(pk_of.values())))}
    known = {pk: KnownLibrary(pk, row.name, row.name_en, row.link_template, row.page) for pk, row in rows.items()}
    return {code: (known[pk], rows[pk]) for code, pk in pk_of.items()}


def _make(reported: Sequence[Reported]) -> None:
    """Make libraries with these codes. If another process makes the same ones meanwhile, its rows stay, not ours.

    The library that the records of a provider call by the provider's own name is the provider itself.
    """
    providers = _providers(library.code for library in reported)
    itself = {_by_name(row): Code(PROVIDER, number) for number, row in providers.items()}
    keys = {library.code: itself.get(library.code, library.code) for library in reported}
    known = find_libraries({*itself, *itself.values()})
    pk_of = {itself.get(code, code): library.pk for code, library in known.items()}
    new = {key: replace(library, code=key) for library in reported if (key := keys[library.code]) not in pk_of}
    made = Library.objects.bulk_create([_library(library, providers) for library in new.values()])
    pk_of |= {key: row.pk for key, row in zip(new, made, strict=True)}
    rows = [(code.scheme, code.value, pk_of[key]) for code, key in keys.items()]
    upsert(LibraryCode, ("scheme", "value", "library_id"), rows, unique=("scheme", "value"), replaced=())
    for chunk in chunks([row.pk for row in made]):
        Library.objects.filter(pk__in=chunk, codes=None).delete()


def _providers(codes: Iterable[Code]) -> dict[str, Repository]:
    """The providers that codes of our own schemes mention, by number."""
    numbers = {code.value.partition(":")[0] for code in codes if code.scheme in (PROVIDER, NAME)}
    fields = ("number", "name", "name_yomi", "name_en", "home_page")
    return {row.number: row for row in Repository.objects.filter(number__in=numbers).only(*fields)}


def _by_name(provider: Repository) -> Code:
    """The code of the library that the provider's records call by its own name."""
    return name_code(provider.number, one_line(provider.name))


def _library(reported: Reported, providers: Mapping[str, Repository]) -> Library:
    """A new library, described by the provider if it is the library itself, else by the record; without a name, the
    code serves as its name.
    """
    if (provider := providers.get(reported.code.value)) and reported.code.scheme == PROVIDER:
        page = safe_href(provider.home_page)
        return Library(name=provider.name, reading=provider.name_yomi, name_en=provider.name_en, page=page)
    name = reported.name or reported.code.value
    return Library(name=name, reading=reported.reading, name_en=reported.name_en)


def _fillings(row: _Row, reported: Reported) -> Iterator[tuple[int, str, str, str]]:
    """The empty fields of a library that a report fills: primary key, name of the field, its value before and now."""
    for name in _FILLED:
        value, present = getattr(reported, name), getattr(row, name)
        empty = not present or (name == "name" and present == reported.code.value)
        if value and value != present and empty and name not in msgspec.json.decode(row.edited):
            yield row.id, name, present, value


def _new_names(reports: Reports, pk_of: Mapping[Code, int]) -> list[tuple[int, int, str]]:
    """The names that are not noted yet; of very many only the first."""
    reported = {
        (pk_of[code], *named)
        for code, names in reports.names.items()
        if code.scheme != NAME and code in pk_of
        for named in names
    }
    stored = set(select_in(LibraryName, _NAME_COLUMNS, "library_id", {pk for pk, _repository, _name in reported}))
    counts: defaultdict[tuple[int, int], int] = defaultdict(int)
    for pk, repository, _name in stored:
        counts[pk, repository] += 1
    new = []
    for pk, repository, name in sorted(reported - stored):
        if counts[pk, repository] < MOST_NAMES:
            counts[pk, repository] += 1
            new.append((pk, repository, name))
    return new
