"""What the readers of file formats share: entries with their position, and a report of oddities."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import IO, NamedTuple

from harvesting.types import HarvestedRecord, Observation, Source
from metadata.issue import Issue


class Entry(NamedTuple):
    """A record, and the position from which the next one is read. Only the reader interprets positions."""

    record: HarvestedRecord
    next: int


@dataclass
class Report:
    """Collects observations of a file as a whole: one for each code, with the number of times that it was noted.

    incomplete: records may be missing, so a record that is absent must not be treated as deleted.
    is_beginning: the file being read was cut off for a sample, so that it may end in the middle of a record.
    """

    name: str
    _observations: dict[str, Observation] = field(default_factory=dict)
    _counts: dict[str, int] = field(default_factory=dict)
    incomplete: bool = False
    is_beginning: bool = False

    def note(self, code: str, *, incomplete: bool = False, **facts: str | int) -> None:
        self._counts[code] = self._counts.get(code, 0) + 1
        self.incomplete = self.incomplete or incomplete
        self._observations.setdefault(
            code, Observation(code=code, facts={"file": self.name, **facts}, incomplete=incomplete)
        )

    def take_observations(self) -> tuple[Observation, ...]:
        """Return the observations noted since the last call."""
        observations = [
            Observation(
                code=code, facts={**observation.facts, "count": self._counts[code]}, incomplete=observation.incomplete
            )
            for code, observation in self._observations.items()
        ]
        self._observations, self._counts = {}, {}
        return tuple(observations)


# (stream at its start, source of the feed, start position, report) -> the records from that position on.
Reader = Callable[[IO[bytes], Source, int, Report], Iterator[Entry]]


def content_identifier(payload: bytes) -> str:
    """Return an identifier made from the content, for a record that has none."""
    return f"urn:sha256:{hashlib.sha256(payload).hexdigest()}"


def broken_record(payload: bytes, identifier: str, issue: Issue) -> HarvestedRecord:
    """Return a record that is rejected without being read, with its bytes stored."""
    return HarvestedRecord(identifier=identifier or content_identifier(payload), payload=payload, issues=(issue,))


def identifier_warning(place: str) -> Issue:
    """Return the warning for a record whose identifier was made from its content. place: where it is in the file."""
    return Issue(code="file.W004", field=place)
