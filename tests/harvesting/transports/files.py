"""Small files for tests, and helpers to harvest them with the file transport."""

from pathlib import Path

import pymarc

from harvesting.transports.file.transport import FileTransport
from harvesting.transports.retries import RetryPolicy
from harvesting.types import Batch, HarvestedRecord, HarvestRequest, Source
from metadata.issue import Reading
from metadata.reading import read
from tests.harvesting.transports.feeds import fetcher

AT_ONCE = RetryPolicy(max_attempts=1)


def transport(address: object, **source: object) -> FileTransport:
    return FileTransport(Source(base_url=str(address), **source), fetcher().fetch, AT_ONCE)


def harvest(address: object, *, source: dict[str, object] | None = None, **request: object) -> list[Batch]:
    file_transport = transport(address, **(source or {}))
    return list(file_transport.batches(HarvestRequest(metadata_prefix="json", **request)))


def records(batches: list[Batch]) -> list[HarvestedRecord]:
    return [record for batch in batches for record in batch.records]


def codes(batches: list[Batch]) -> list[str]:
    return [observation.code for batch in batches for observation in batch.observations]


def issues(batches: list[Batch]) -> list[str]:
    return [issue.code for record in records(batches) for issue in record.issues]


def readings(batches: list[Batch]) -> list[Reading]:
    return [read(record.payload, "json") for record in records(batches) if record.payload]


def titles(batches: list[Batch]) -> list[str]:
    return [reading.record.title for reading in readings(batches) if reading.record]


def write(folder: Path, content: str | bytes, name: str = "file.dat") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def marc(number: str, title: str, *, status: str = "n", utf8: bool = True) -> bytes:
    """A record in ISO 2709. utf8: otherwise the leader says MARC-8."""
    record = pymarc.Record(leader=f"00000{status}am {'a' if utf8 else ' '}2200000   4500", force_utf8=utf8)
    record.add_field(pymarc.Field(tag="001", data=number))
    record.add_field(pymarc.Field(tag="003", data="EXAMPLE"))
    record.add_field(
        pymarc.Field(tag="245", indicators=pymarc.Indicators("0", "0"), subfields=[pymarc.Subfield("a", title)])
    )
    data: bytes = record.as_marc()
    return data if utf8 else data[:9] + b" " + data[10:]
