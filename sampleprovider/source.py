"""What a sample provider holds: records and the order they are listed in. Pure: no XML, no network, no Django."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, field, replace
from typing import Protocol, runtime_checkable

DAY = "YYYY-MM-DD"
SECOND = "YYYY-MM-DDThh:mm:ssZ"

# Payloads link to their provider's own pages under this address; a server that listens elsewhere rewrites it.
DEFAULT_BASE = "http://127.0.0.1:8400"


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleRecord:
    """One record. datestamp: in the source's granularity. payloads: metadataPrefix -> XML in UTF-8."""

    identifier: str
    datestamp: str
    deleted: bool = False
    sets: tuple[str, ...] = ()
    payloads: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str]:
        """The order of every list, and the state that a resumptionToken carries."""
        return self.datestamp, self.identifier

    @property
    def local_id(self) -> str:
        """The last part of the identifier: what the record's own page is called."""
        return self.identifier.replace("/", ":").rstrip(":").rpartition(":")[2]


@dataclass(frozen=True, slots=True)
class SampleSet:
    """A set as ListSets names it."""

    spec: str
    name: str


@runtime_checkable
class Records(Protocol):
    """The records of one source. Every list is sorted by `SampleRecord.key`."""

    def __len__(self) -> int: ...

    def listing(self, prefix: str, set_spec: str) -> Sequence[SampleRecord]:
        """Records that have the prefix and stand in the set ("" = any)."""
        ...

    def find(self, identifier: str) -> SampleRecord | None:
        """By OAI identifier or by local id."""
        ...

    def candidates(self, isbn: str, title: str) -> Iterable[SampleRecord]:
        """Records that may carry the ISBN (digits only) or the title; whoever asks checks."""
        ...


class RecordList:
    """Records held in memory."""

    def __init__(self, records: Iterable[SampleRecord]) -> None:
        self._records = sorted(records, key=lambda record: record.key)
        self._found = {record.local_id: record for record in self._records}
        self._found |= {record.identifier: record for record in self._records}
        self._listings: dict[tuple[str, str], Sequence[SampleRecord]] = {}

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[SampleRecord]:
        return iter(self._records)

    def listing(self, prefix: str, set_spec: str) -> Sequence[SampleRecord]:
        wanted = (prefix, set_spec)
        if wanted not in self._listings:
            self._listings[wanted] = [
                record
                for record in self._records
                if (record.deleted or prefix in record.payloads) and stands_in(record, set_spec)
            ]
        return self._listings[wanted]

    def find(self, identifier: str) -> SampleRecord | None:
        return self._found.get(identifier)

    def candidates(self, isbn: str, title: str) -> Iterable[SampleRecord]:
        return (record for record in self._records if not record.deleted)


def stands_in(record: SampleRecord, set_spec: str) -> bool:
    """Whether the record is in the set or in one below it ("a:b" is below "a")."""
    return not set_spec or any(spec == set_spec or spec.startswith(set_spec + ":") for spec in record.sets)


@dataclass(slots=True, kw_only=True)
class SampleSource:
    """One provider, served under /<name>/oai. deleted_record: "no", "transient" or "persistent".

    page_size: records in one response. list_size: entries in one ResourceSync list. hub: of WebSub, "" = none.
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
        """Everything anew, in one step: a list that is being read goes on with the new records."""
        self.holdings = RecordList(self._as_told(record) for record in records if self._is_told(record))

    def update(self, records: Iterable[SampleRecord]) -> None:
        """Add these records, each in the place of the one with its identifier. For sources held in memory."""
        if not isinstance(self.holdings, RecordList):
            raise TypeError("only records held in memory can be changed one by one")
        kept = {record.identifier: record for record in self.holdings}
        self.replace((kept | {record.identifier: record for record in records}).values())

    def _is_told(self, record: SampleRecord) -> bool:
        return self.deleted_record != "no" or not record.deleted

    def _as_told(self, record: SampleRecord) -> SampleRecord:
        day = record.datestamp[:10]
        if self.granularity == DAY:
            return replace(record, datestamp=day)
        return record if len(record.datestamp) > len(day) else replace(record, datestamp=f"{day}T00:00:00Z")


def between(records: Sequence[SampleRecord], from_: str, until: str) -> tuple[int, int]:
    """Index range of a sorted list whose datestamps lie in from..until, both inclusive; "" = open."""
    start = bisect_left(records, (from_, ""), key=lambda record: record.key) if from_ else 0
    if not until:
        return start, len(records)
    # "~" sorts behind "T" and every digit: a bare day thus includes all its seconds, whatever the identifier.
    return start, bisect_left(records, (until + "~", ""), key=lambda record: record.key)
