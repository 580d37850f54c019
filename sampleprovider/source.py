"""The records of a sample provider and the order of its lists. Pure: no XML, no network, no Django."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, field, replace
from typing import Protocol, runtime_checkable

DAY = "YYYY-MM-DD"
SECOND = "YYYY-MM-DDThh:mm:ssZ"

# Payloads link to their provider's own pages at this address; a server at another address rewrites the links.
DEFAULT_BASE = "http://127.0.0.1:8400"


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleRecord:
    """One record. datestamp: in the granularity of the source. payloads: metadataPrefix -> XML in UTF-8."""

    identifier: str
    datestamp: str
    deleted: bool = False
    sets: tuple[str, ...] = ()
    payloads: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str]:
        """The sort key of all lists, and the position in a list that a resumptionToken contains."""
        return self.datestamp, self.identifier

    @property
    def local_id(self) -> str:
        """The last part of the identifier: the name of the page of the record."""
        return self.identifier.replace("/", ":").rstrip(":").rpartition(":")[2]


@dataclass(frozen=True, slots=True)
class SampleSet:
    """A set, as in ListSets."""

    spec: str
    name: str


@runtime_checkable
class Records(Protocol):
    """The records of one source. All lists are sorted by `SampleRecord.key`."""

    def __len__(self) -> int: ...

    def listing(self, prefix: str, set_spec: str) -> Sequence[SampleRecord]:
        """Return the records that have the prefix and are in the set ("" = any)."""
        ...

    def find(self, identifier: str) -> SampleRecord | None:
        """Return a record by OAI identifier or local id."""
        ...

    def candidates(self, isbn: str, title: str) -> Iterable[SampleRecord]:
        """Return records that may have the ISBN (digits only) or the title; the caller must check them."""
        ...


class RecordList:
    """Records held in memory."""

    def __init__(self, records: Iterable[SampleRecord]) -> None:
        self._records = sorted(records, key=lambda record: record.key)
        self._by_identifier = {record.local_id: record for record in self._records}
        self._by_identifier |= {record.identifier: record for record in self._records}
        self._listings: dict[tuple[str, str], Sequence[SampleRecord]] = {}

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[SampleRecord]:
        return iter(self._records)

    def listing(self, prefix: str, set_spec: str) -> Sequence[SampleRecord]:
        key = (prefix, set_spec)
        if key not in self._listings:
            self._listings[key] = [
                record
                for record in self._records
                if (record.deleted or prefix in record.payloads) and in_set(record, set_spec)
            ]
        return self._listings[key]

    def find(self, identifier: str) -> SampleRecord | None:
        return self._by_identifier.get(identifier)

    def candidates(self, isbn: str, title: str) -> Iterable[SampleRecord]:
        return (record for record in self._records if not record.deleted)


def in_set(record: SampleRecord, set_spec: str) -> bool:
    """Whether the record is in the set or in a subset of it ("a:b" is a subset of "a")."""
    return not set_spec or any(spec == set_spec or spec.startswith(set_spec + ":") for spec in record.sets)


@dataclass(slots=True, kw_only=True)
class SampleSource:
    """One provider, served at /<name>/oai. deleted_record: "no", "transient" or "persistent".

    page_size: records in one response. list_size: entries in one ResourceSync list. hub: of WebSub, "" = none.
    holdings: the records, with datestamps in the granularity of the source.
    """

    name: str
    records: InitVar[Records | Iterable[SampleRecord]] = ()
    prefixes: tuple[str, ...] = ("oai_dc",)
    sets: tuple[SampleSet, ...] = ()
    granularity: str = SECOND
    deleted_record: str = "persistent"
    title: str = ""
    title_en: str = ""
    description: str = ""
    page_size: int = 200
    list_size: int = 50_000
    hub: str = ""
    holdings: Records = field(init=False)

    def __post_init__(self, records: Records | Iterable[SampleRecord]) -> None:
        if isinstance(records, Records):
            self.holdings = records
        else:
            self.replace(records)

    def replace(self, records: Iterable[SampleRecord]) -> None:
        """Replace all records in one step; a list that is being read continues with the new ones."""
        self.holdings = RecordList(self._with_granularity(record) for record in records if self._is_served(record))

    def update(self, records: Iterable[SampleRecord]) -> None:
        """Add records; those with the same identifier are replaced. Raises TypeError unless they are held in memory."""
        if not isinstance(self.holdings, RecordList):
            raise TypeError("only records held in memory can be changed one by one")
        current = {record.identifier: record for record in self.holdings}
        self.replace((current | {record.identifier: record for record in records}).values())

    def _is_served(self, record: SampleRecord) -> bool:
        return self.deleted_record != "no" or not record.deleted

    def _with_granularity(self, record: SampleRecord) -> SampleRecord:
        day = record.datestamp[:10]
        if self.granularity == DAY:
            return replace(record, datestamp=day)
        return record if len(record.datestamp) > len(day) else replace(record, datestamp=f"{day}T00:00:00Z")


def date_range(records: Sequence[SampleRecord], from_: str, until: str) -> tuple[int, int]:
    """Return the index range of the datestamps in from..until of a sorted list, both inclusive; "" = open."""
    start = bisect_left(records, (from_, ""), key=lambda record: record.key) if from_ else 0
    if not until:
        return start, len(records)
    # until may be a day. "~" sorts after "T" and all digits, so until + "~" comes after every datestamp of that day (or
    # second).
    return start, bisect_left(records, (until + "~", ""), key=lambda record: record.key)
