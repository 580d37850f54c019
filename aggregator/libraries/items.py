"""The holdings of books as the formats have them: one item per library, with its link and the words of its first copy.

This is the only place that puts holdings into a record that is given to others: merged records hold none. Further
copies of a library are not among the items, so a further copy changes nothing that is redistributed. A record has at
most MOST_LIBRARIES items and about MOST_BYTES of them; a note then says how many libraries there are, and where the
others are found.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import msgspec
from msgspec import structs

from aggregator.libraries.holdings import Copy, Held, unpack_copies
from aggregator.libraries.identify import NDL
from aggregator.libraries.numbers import library_number
from aggregator.models import Holding, Library, LibraryCode
from core.database.batches import fetch_in, select_in
from harvesting.records.compression import unpack_encoded
from metadata.record import BibliographicRecord, Item

MOST_LIBRARIES = 300  # libraries of a book that are items of its record
MOST_COPIES = 10_000  # of a book that are records of their own
MOST_BYTES = 100_000  # of the items of a record, as MessagePack
MOST_PAGES = 30  # pages of libraries about the book that are links of its record, too
_PAGES = ("openurl", "detail")  # kinds of links to the book, and not only to the library
_COLUMNS = ("library_id", "link", "link_kind", "packed")
_COUNT = "SELECT manifestation_id, count(*) FROM aggregator_holding WHERE {condition} GROUP BY manifestation_id"


class Listed(msgspec.Struct, frozen=True, gc=False):
    """The items of a book; their URIs are fragments. libraries: how many hold it, also those that are not among the
    items. pages: the first pages of the libraries about the book itself.
    """

    items: tuple[Item, ...] = ()
    libraries: int = 0
    pages: tuple[str, ...] = ()


NONE_LISTED = Listed()


class SingleCopy(msgspec.Struct, frozen=True, gc=False):
    """One copy of a book. library: the primary key. number: its place among the copies of the library, from 1."""

    library: int
    number: int
    item: Item


class _Row(msgspec.Struct, frozen=True, gc=False):
    """What one library has of a book. library: its primary key, 0 if it is not known so far. has_page: whether the link
    leads to the book. item: the first copy.
    """

    library: int
    link: str
    has_page: bool
    item: Item


@dataclass(frozen=True, slots=True)
class _Library:
    name: str
    reading: str
    code: str


def stored_items(numbers: Collection[int]) -> dict[int, Listed]:
    """Return the items of these books by number, from the stored holdings. Five queries; one more per large book."""
    counts = _counts(numbers)
    large = [number for number, count in counts.items() if count > MOST_LIBRARIES]
    rows: defaultdict[int, list[_Row]] = defaultdict(list)
    usual = counts.keys() - set(large)
    for number, *row in select_in(Holding, ("manifestation_id", *_COLUMNS), "manifestation_id", usual):
        rows[number].append(_row(*row))
    for number in large:
        holdings = Holding.objects.filter(manifestation=number).order_by("library")
        rows[number] = [_row(*row) for row in holdings.values_list(*_COLUMNS)[:MOST_LIBRARIES]]
    return _listed(rows, counts)


def items_of(holdings: Mapping[int, Sequence[Held]]) -> dict[int, Listed]:
    """Return the items of books whose holdings were computed from some of their records only."""
    rows = {
        number: [_Row(one.library.pk, one.link.url, one.link.kind in _PAGES, one.copies[0].item) for one in own]
        for number, own in holdings.items()
    }
    return _listed(rows, {number: len(own) for number, own in rows.items()})


def with_items(record: BibliographicRecord, listed: Listed, page: str) -> BibliographicRecord:
    """Return a merged record with the items of its book, and with their pages among its own links, since most formats
    have no items. page: the permanent address of the book.

    The subject of an item is a part of that page, and an item without a link of its own leads there. A record that has
    items was merged by an earlier release and stays as it is until it is merged again.
    """
    if record.items or not listed.items:
        return record
    shown, notes = len(listed.items), record.notes
    if shown < listed.libraries:
        notes = (*notes, _CUT.format(shown=shown, libraries=listed.libraries, page=page))
    items = (structs.replace(item, uri=f"{page}{item.uri}", see_also=item.see_also or (page,)) for item in listed.items)
    links = dict.fromkeys((*record.see_also, *listed.pages))
    return structs.replace(record, items=tuple(items), see_also=tuple(links), notes=notes)


def without_items(record: BibliographicRecord) -> BibliographicRecord:
    """Undo `with_items`."""
    notes = tuple(note for note in record.notes if not _CUT_NOTE.fullmatch(note))
    return structs.replace(record, items=(), notes=notes)


def stored_copies(numbers: Collection[int]) -> Iterator[dict[int, list[SingleCopy]]]:
    """Yield the single copies of these books by number, of so many books at a time that memory stays bounded."""
    portion: list[int] = []
    size = 0
    for number, count in _counts(numbers).items():
        if portion and size + count > MOST_COPIES:
            yield _stored_copies(portion)
            portion, size = [], 0
        portion.append(number)
        size += count
    if portion:
        yield _stored_copies(portion)


def single_copies(holdings: Mapping[int, Sequence[Held]]) -> dict[int, list[SingleCopy]]:
    """As `stored_copies`, of books whose holdings were computed from some of their records only."""
    return _single(
        {
            number: [(one.library.pk, one.link.url, one.copies) for one in own if one.library.pk]
            for number, own in holdings.items()
        }
    )


def _stored_copies(numbers: Collection[int]) -> dict[int, list[SingleCopy]]:
    rows: defaultdict[int, list[_Copies]] = defaultdict(list)
    columns = ("manifestation_id", "library_id", "link", "packed")
    for number, library, link, packed in select_in(Holding, columns, "manifestation_id", numbers):
        rows[number].append((library, link, unpack_copies(unpack_encoded(packed))))
    return _single(rows)


type _Copies = tuple[int, str, Sequence[Copy]]  # a library, its link, the copies


def _single(holdings: Mapping[int, Sequence[_Copies]]) -> dict[int, list[SingleCopy]]:
    libraries = _libraries({library for own in holdings.values() for library, _link, _copies in own})
    return {
        number: [
            SingleCopy(library, place, _item(_Row(library, link, False, copy.item), libraries.get(library), "#item"))
            for library, link, copies in sorted(own, key=lambda row: row[0])
            for place, copy in enumerate(copies, 1)
        ][:MOST_COPIES]
        for number, own in holdings.items()
    }


# In both languages, since a record is written once for everybody.
_CUT = "所蔵館{libraries}館のうち{shown}館を記載 / {shown} of the {libraries} libraries that hold this: {page}"
_CUT_NOTE = re.compile(
    re.escape(_CUT).replace(r"\{libraries\}", "[0-9]+").replace(r"\{shown\}", "[0-9]+").replace(r"\{page\}", r"\S+")
)


def _counts(numbers: Collection[int]) -> dict[int, int]:
    """Return how many libraries hold each of these books; books without any are left out."""
    return dict(fetch_in(_COUNT, "manifestation_id", numbers))


def _row(library: int, link: str, kind: str, packed: Any) -> _Row:
    copies = unpack_copies(unpack_encoded(packed))
    return _Row(library, link, kind in _PAGES, copies[0].item if copies else Item())


def _listed(rows: Mapping[int, Sequence[_Row]], counts: Mapping[int, int]) -> dict[int, Listed]:
    first = {number: sorted(own, key=lambda row: row.library)[:MOST_LIBRARIES] for number, own in rows.items()}
    libraries = _libraries({row.library for own in first.values() for row in own})
    return {
        number: Listed(_bounded(_items(own, libraries)), counts[number], _pages(own)) for number, own in first.items()
    }


def _libraries(pks: Collection[int]) -> dict[int, _Library]:
    codes: dict[int, str] = {}
    rows = select_in(LibraryCode, ("library_id", "scheme", "value"), "library_id", pks)
    for library, scheme, value in sorted(rows):
        if scheme == NDL:
            codes.setdefault(library, value)
    named = select_in(Library, ("id", "name", "reading"), "id", pks)
    return {pk: _Library(name, reading, codes.get(pk, "")) for pk, name, reading in named}


def _pages(rows: Iterable[_Row]) -> tuple[str, ...]:
    return tuple(islice(dict.fromkeys(row.link for row in rows if row.has_page), MOST_PAGES))


def _items(rows: Iterable[_Row], libraries: Mapping[int, _Library]) -> Iterator[Item]:
    for position, row in enumerate(rows, 1):
        fragment = f"#item-{library_number(row.library)}" if row.library else f"#item{position}"
        yield _item(row, libraries.get(row.library), fragment)


def _item(row: _Row, library: _Library | None, fragment: str) -> Item:
    link = (row.link,) if row.link else row.item.see_also[:1]
    if library is None:
        return structs.replace(row.item, uri=fragment, see_also=link)
    is_named = library.name == row.item.holding_agent
    reading = library.reading or (row.item.holding_agent_transcription if is_named else "")
    return structs.replace(
        row.item,
        uri=fragment,
        holding_agent=library.name,
        holding_agent_transcription=reading,
        library_code=library.code or row.item.library_code,
        see_also=link,
    )


def _bounded(items: Iterable[Item]) -> tuple[Item, ...]:
    kept: list[Item] = []
    size = 0
    for item in items:
        size += len(msgspec.msgpack.encode(item))
        if kept and size > MOST_BYTES:
            break
        kept.append(item)
    return tuple(kept)
