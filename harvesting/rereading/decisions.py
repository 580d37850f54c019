"""What becomes of a stored record that is read again, and the account of it. Decides only: no database is asked.

What was found on a record's way to us (its hash, its header, the bytes around it) cannot be found again in the
stored payload: such issues stay, and where they kept the record out, it stays out until the next harvest.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self

from harvesting.issues.storage import IssueRow
from harvesting.records.compression import pack_record, unpack_payload, unpack_record
from harvesting.records.writing import issue_row
from metadata.catalogue import family_of
from metadata.issue import Issue, Reading
from metadata.policy import Policy
from metadata.reading import checked_number, read

_ON_THE_WAY = frozenset({"harvest", "rs", "file", "oai", "xml"})  # families of codes
_BY_A_TRANSPORT = frozenset({"rss.E001", "rss.N002", "rss.W008"})
_BY_READING = frozenset({"oai.E002", "oai.E003", "oai.E004", "oai.W004", "harvest.E005"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """What the database has of a record. payload, record, rejected: packed. issues: as they are stored."""

    pk: int
    number: str
    prefix: str
    payload: bytes
    digest: bytes
    record: bytes
    rejected: bytes
    refused: bool
    deleted: bool
    issues: Sequence[IssueRow] = ()

    @property
    def version(self) -> tuple[bytes, bytes, bool, bool]:
        """What a harvest changes: where it is another one now, the record has been read meanwhile anyway."""
        return self.digest, self.rejected, self.refused, self.deleted


@dataclass(frozen=True, slots=True, kw_only=True)
class Rereading:
    """What becomes of one record. record: packed, b"" = stays as it is. issues: all that it has now.

    accepted: the version that was refused is registered now. refused: the registered one is refused now.
    """

    stored: Stored
    record: bytes = b""
    issues: Sequence[Issue] = ()
    rows: Sequence[IssueRow] = ()
    accepted: bool = False
    refused: bool = False

    @property
    def digest(self) -> bytes:
        """Of the version that is registered now."""
        return hashlib.sha256(unpack_payload(self.stored.rejected)).digest()

    @property
    def tells_otherwise(self) -> bool:
        """Whether the issues differ from those that are stored."""
        return Counter(self.rows) != Counter(self.stored.issues)


def decide(stored: Stored, policy: Policy) -> Rereading:
    """Read what is stored by the rules of now.

    A deleted record is converted, too, so that it comes back as it would be read now; it has no issues.
    """
    if stored.deleted:
        return Rereading(stored=stored, record=_new_record(stored, policy))
    known = policy.told(issue for row in stored.issues if _was_found_on_the_way(issue := _issue(row)))
    packed, issues = b"", known
    if not policy.refuses(known):
        packed, found = _read(stored.rejected if stored.refused else stored.payload, stored, policy)
        issues = (*known, *(each for each in found if each not in known))
    rows = [row for each in issues if (row := issue_row(each, policy))]
    if packed and not stored.refused:
        packed = b"" if _is_same(packed, stored.record) else packed
        return Rereading(stored=stored, record=packed, issues=issues, rows=rows)
    if packed:
        return Rereading(stored=stored, record=packed, issues=issues, rows=rows, accepted=True)
    # The version that is registered stays, by the crosswalk of now as far as the rules let it.
    return Rereading(
        stored=stored, record=_new_record(stored, policy), issues=issues, rows=rows, refused=not stored.refused
    )


def _new_record(stored: Stored, policy: Policy) -> bytes:
    """The registered version as it is read now, packed; b"" where that changes nothing."""
    if not stored.payload:
        return b""
    packed, _issues = _read(stored.payload, stored, policy)
    return b"" if not packed or _is_same(packed, stored.record) else packed


def _read(payload: bytes, stored: Stored, policy: Policy) -> tuple[bytes, tuple[Issue, ...]]:
    """The record, packed, b"" if it is refused; and the issues."""
    reading: Reading = read(unpack_payload(payload), stored.prefix, policy)
    reading = checked_number(reading, stored.number, policy)
    if reading.record is None:
        return b"", reading.issues
    try:
        return pack_record(reading.record), reading.issues
    except UnicodeEncodeError as error:  # lone surrogates, which JSON can carry
        return b"", (*reading.issues, Issue(code="harvest.E005", field="metadata", value=error.reason))


def _is_same(packed: bytes, stored: bytes) -> bool:
    """Whether both say the same, be it in other bytes: another release of zstd may pack otherwise."""
    return packed == stored or (bool(stored) and unpack_record(packed) == unpack_record(stored))


def _issue(row: IssueRow) -> Issue:
    code, _severity, place, value, result = row
    return Issue(code=code, field=place, value=value, result=result)


def _was_found_on_the_way(issue: Issue) -> bool:
    code = issue.code
    return code in _BY_A_TRANSPORT or (family_of(code) in _ON_THE_WAY and code not in _BY_READING)


@dataclass(slots=True)
class Tally:
    """What was found about the records of one repository. codes: code -> before, after, added, gone; silent: after.

    changed: their canonical record differs (accepted ones included). still_refused: by the old and the new rules.
    overtaken: a harvest was faster. deleted: tombstones that were converted again.
    """

    records: int = 0
    changed: int = 0
    accepted: int = 0
    refused: int = 0
    still_refused: int = 0
    deleted: int = 0
    overtaken: int = 0
    issues_before: int = 0
    issues_after: int = 0
    codes: dict[str, list[int]] = field(default_factory=dict)
    silent: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, counts: Mapping[str, Any]) -> Self:
        """From the JSON of `as_json`; what it does not know counts as nothing."""
        return cls(**{each.name: counts[each.name] for each in fields(cls) if each.name in counts})

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def add(self, found: Rereading, policy: Policy) -> None:
        """Count one record."""
        stored = found.stored
        self.records += 1
        self.changed += bool(found.record)
        self.accepted += found.accepted
        self.refused += found.refused
        self.still_refused += stored.refused and not found.accepted
        self.deleted += stored.deleted
        self._compare(Counter(stored.issues), Counter(found.rows))
        for issue in found.issues:
            if issue_row(issue, policy) is None and policy.severity(issue.code) is not None:
                self.silent[issue.code] = self.silent.get(issue.code, 0) + 1

    def merge(self, other: Self) -> None:
        """Add another account to this one."""
        for each in fields(self):
            mine, more = getattr(self, each.name), getattr(other, each.name)
            if isinstance(mine, int):
                setattr(self, each.name, mine + more)
        for code, numbers in other.codes.items():
            self.codes[code] = [a + b for a, b in zip(self.codes.get(code, [0] * 4), numbers, strict=True)]
        for code, count in other.silent.items():
            self.silent[code] = self.silent.get(code, 0) + count

    def _compare(self, before: Counter[IssueRow], after: Counter[IssueRow]) -> None:
        self.issues_before += before.total()
        self.issues_after += after.total()
        for place, rows in enumerate((before, after, after - before, before - after)):
            for row, count in rows.items():
                self.codes.setdefault(row[0], [0] * 4)[place] += count
