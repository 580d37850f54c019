"""What the readers of files have in common: an entry with its place, a report of what was odd. Knows no format."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import IO, NamedTuple

from harvesting.types import HarvestedRecord, Observation, Source
from metadata.issue import Issue


class Entry(NamedTuple):
    """A record, and the place in the file from where the next one is read. Places are the reader's own affair."""

    record: HarvestedRecord
    next: int


@dataclass
class Report:
    """What a reader found out about the file as a whole: each code told once, with how often."""

    name: str
    _found: dict[str, Observation] = field(default_factory=dict)
    _counts: dict[str, int] = field(default_factory=dict)
    incomplete: bool = False  # something may be missing, so nothing may be concluded from absence

    def note(self, code: str, *, incomplete: bool = False, **facts: str | int) -> None:
        self._counts[code] = self._counts.get(code, 0) + 1
        self.incomplete = self.incomplete or incomplete
        self._found.setdefault(code, Observation(code=code, facts={"file": self.name, **facts}, incomplete=incomplete))

    def told(self) -> tuple[Observation, ...]:
        """What has been noted since the last time."""
        found = [
            Observation(code=code, facts={**each.facts, "count": self._counts[code]}, incomplete=each.incomplete)
            for code, each in self._found.items()
        ]
        self._found, self._counts = {}, {}
        return tuple(found)


# stream at its start, what is known of the feed, from which place, where to note -> the records from that place on.
Reader = Callable[[IO[bytes], Source, int, Report], Iterator[Entry]]


def content_name(payload: bytes) -> str:
    """An identifier made from the content, where there is no other."""
    return f"urn:sha256:{hashlib.sha256(payload).hexdigest()}"


def broken(payload: bytes, identifier: str, issue: Issue) -> HarvestedRecord:
    """A record that is rejected unread, its bytes kept."""
    return HarvestedRecord(identifier=identifier or content_name(payload), payload=payload, issues=(issue,))


def unnamed(place: str) -> Issue:
    """The warning for a record whose identifier was made from its content."""
    return Issue(code="file.W004", field=place)
