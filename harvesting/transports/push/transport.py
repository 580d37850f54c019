"""The push transport: reads what a provider has sent for one run, with the readers of the file transport. No Django.

Nothing is requested from the provider. Deletions by absence follow only from a push that contains all records.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import batched
from pathlib import Path
from typing import IO

from harvesting.http.fetch import Fetched
from harvesting.transports.file.transport import FileTransport
from harvesting.types import (
    EMPTY_MAPPING,
    Batch,
    HarvestedRecord,
    HarvestRequest,
    Identity,
    MetadataFormat,
    OaiSet,
    Pushed,
    Source,
    TransportError,
)

REMOVALS = 500  # identifiers in one transaction
LONGEST_LINE = 4000  # bytes that are read of a line
MADE_UP = "file.W004"  # "the identifier was made up": not true of a record that was sent with an identifier


class PushTransport:
    """The transport of what was pushed for one run."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def identify(self) -> Identity:
        return Identity()

    def metadata_formats(self) -> tuple[MetadataFormat, ...]:
        return ()

    def sets(self) -> tuple[OaiSet, ...]:
        return ()

    def batches(self, request: HarvestRequest) -> Iterator[Batch]:
        """Yield what was pushed. Raises TransportError "push.nothing" if nothing was."""
        pushed = request.pushed
        if not pushed.path:
            raise TransportError("nothing was pushed", "push.nothing", permanent=True)
        if pushed.removes:
            yield from _removals(pushed, request.resumption_token)
        elif pushed.identifier:
            yield self._one(request)
        else:
            yield from self._records(request)

    def sampled(self, request: HarvestRequest, size: int) -> Iterator[Batch]:
        yield from self.batches(request)

    def _records(self, request: HarvestRequest) -> Iterator[Batch]:
        """The records of the file. Files are not compared with earlier ones: the same file sent twice is read twice."""
        files = FileTransport(replace(self._source, base_url=request.pushed.path), _refuse)
        wanted = replace(request, identifier="", full=request.pushed.whole, memory=EMPTY_MAPPING)
        for batch in files.batches(wanted):
            yield replace(batch, memory=EMPTY_MAPPING)

    def _one(self, request: HarvestRequest) -> Batch:
        """The only record of the file, under the identifier that the sender has given it."""
        batches = self._records(replace(request, resumption_token=""))
        first = next(batches)
        number = len(first.records)
        if number != 1 or not first.is_last:
            raise TransportError("not one record", "push.not_one", permanent=True, identifier=request.pushed.identifier)
        record = first.records[0]
        issues = tuple(issue for issue in record.issues if issue.code != MADE_UP)
        return replace(first, records=(replace(record, identifier=request.pushed.identifier, issues=issues),))


def _removals(pushed: Pushed, token: str) -> Iterator[Batch]:
    """The identifiers of the list as deleted records. The resumptionToken is the number of lines that were read."""
    position = int(token or 0)
    with _opened(pushed.path) as file:
        lines = iter(lambda: file.readline(LONGEST_LINE), b"")
        for _line in range(position):
            next(lines, b"")
        for chunk in batched(lines, REMOVALS):
            position += len(chunk)
            yield Batch(records=tuple(_removed(chunk)), resumption_token=str(position))
    yield Batch(records=())


def _opened(path: str) -> IO[bytes]:
    try:
        return Path(path).open("rb")
    except FileNotFoundError as error:
        raise TransportError("the list is gone", "push.nothing", permanent=True) from error


def _removed(lines: tuple[bytes, ...]) -> Iterator[HarvestedRecord]:
    for line in lines:
        identifier = line.decode("utf-8-sig", "replace").strip()
        if identifier:
            yield HarvestedRecord(identifier=identifier, deleted=True)


def _refuse(*_arguments: object, **_named: object) -> Fetched:
    raise TransportError("a push is never fetched", "push.nothing", permanent=True)
