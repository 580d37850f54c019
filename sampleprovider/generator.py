"""Any number of invented records, made on access. Pure; nothing is stored.

Of every 20 records 17 describe new books; the last 3 describe earlier books again, as another library would. So 15%
of the records are second descriptions, usually far away in the list from the first.
"""

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from sampleprovider.books import BLOCK, MAX_BOOKS, Book, book, book_number
from sampleprovider.rendering import full_dcndl, oai_dc, plain_dcndl
from sampleprovider.source import DEFAULT_BASE, SampleRecord, SampleSource

NAME = "generated"
ROUND = 20
# The records come in rounds of ROUND. The last ones of a round describe books of an earlier block again: those at these
# positions of the block, in an even and in an odd round.
REPEATED_POSITIONS = ((2, 7, 12), (4, 9, 14))
MAX_RECORDS = MAX_BOOKS // BLOCK * ROUND

START = datetime(2024, 1, 1)  # noqa: DTZ001 - in UTC; naive because formatting it for every record is cheaper
STEP = timedelta(seconds=10)
PREFIXES = ("dcndl", "oai_dc")


def generated_source(count: int) -> SampleSource:
    """Return a provider with `count` records in dcndl and oai_dc. Raises ValueError beyond MAX_RECORDS."""
    if not 0 < count <= MAX_RECORDS:
        raise ValueError(f"between 1 and {MAX_RECORDS} records can be made, not {count}")
    return SampleSource(
        name=NAME,
        records=GeneratedRecords(count),
        prefixes=PREFIXES,
        title="見本の大きな図書館",
        title_en="A large sample library",
        description="いくらでも作れる、実在しない本の目録。",
    )


def described_book(index: int) -> tuple[int, bool]:
    """Return (number of the book, whether this is its second description) for the record at this index."""
    block, position = divmod(index, ROUND)
    if position < BLOCK:
        return block * BLOCK + position, False
    return block // 2 * BLOCK + REPEATED_POSITIONS[block % 2][position - BLOCK], True


def descriptions(number: int) -> list[int]:
    """Return the indexes of the records that describe a book: the inverse of `described_book`."""
    block, position = divmod(number, BLOCK)
    indexes = [block * ROUND + position]
    for odd, positions in enumerate(REPEATED_POSITIONS):
        if position in positions:
            indexes.append((2 * block + odd) * ROUND + BLOCK + positions.index(position))
    return indexes


@dataclass(frozen=True, slots=True)
class Payloads(Mapping[str, bytes]):
    """The payloads of one generated record by metadataPrefix, written on access."""

    index: int

    def __getitem__(self, prefix: str) -> bytes:
        number, is_repeated = described_book(self.index)
        return _writer(prefix, is_repeated)(book(number), f"{DEFAULT_BASE}/{NAME}/books/{self.index:09d}")

    def __iter__(self) -> Iterator[str]:
        return iter(PREFIXES)

    def __len__(self) -> int:
        return len(PREFIXES)

    def __contains__(self, prefix: object) -> bool:
        return prefix in PREFIXES


def _writer(prefix: str, is_repeated: bool) -> Callable[[Book, str], bytes]:
    if prefix == "oai_dc":
        return oai_dc
    if prefix == "dcndl":
        return plain_dcndl if is_repeated else full_dcndl
    raise KeyError(prefix)


class GeneratedRecords(Sequence[SampleRecord]):
    """Records by index; datestamps and identifiers both grow with the index, so the records are sorted."""

    def __init__(self, count: int) -> None:
        self._indexes = range(count)

    def __len__(self) -> int:
        return len(self._indexes)

    def __getitem__(self, index: int | slice) -> SampleRecord | list[SampleRecord]:  # type: ignore[override]
        if isinstance(index, slice):
            return [self._record(position) for position in self._indexes[index]]
        return self._record(self._indexes[operator.index(index)])

    def listing(self, prefix: str, set_spec: str) -> Sequence[SampleRecord]:
        return self

    def find(self, identifier: str) -> SampleRecord | None:
        digits = identifier.rpartition(":")[2]
        index = int(digits) if digits.isascii() and digits.isdigit() else len(self)
        record = self._record(index) if index in self._indexes else None
        return record if record and identifier in {record.identifier, record.local_id} else None

    def candidates(self, isbn: str, title: str) -> Iterable[SampleRecord]:
        """Return the records with the ISBN; without an ISBN the first 2,000, because titles are not indexed."""
        if not isbn:
            return islice(self, 2000)
        number = book_number(isbn)
        indexes = descriptions(number) if number is not None else []
        return [self._record(index) for index in indexes if index in self._indexes]

    def payloads(self, index: int) -> Mapping[str, bytes]:
        """The payloads of the record at this index by metadataPrefix."""
        return Payloads(index)

    def _record(self, index: int) -> SampleRecord:
        return SampleRecord(
            identifier=f"oai:{NAME}.example:{index:09d}",
            datestamp=f"{(START + index * STEP).isoformat()}Z",
            payloads=self.payloads(index),
        )
