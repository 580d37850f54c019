"""Decides what becomes of a stored record that is read again, and counts the results. No database access.

Issues that the transport found (about the hash, the header or the bytes around a record), or a comparison with other
records when the record was stored, cannot be found again in the stored payload. Therefore they stay, and a record that
was refused because of them stays refused until it is harvested again.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self

from harvesting.issues.storage import IssueRow
from harvesting.records.compression import pack_record, unpack_payload, unpack_record
from harvesting.records.writing import issue_row
from harvesting.transports.registry import TRANSPORTS
from metadata.catalogue import family_of
from metadata.deposits.terms import NO_TERMS, Terms, check_terms
from metadata.issue import Issue, Reading
from metadata.policy import Policy
from metadata.reading import check_repository_number, read, with_issues

# Issues of these families are found before a record is read, except for _READING_CODES. So are those that a transport
# names.
_EARLY_FAMILIES = frozenset({"harvest", "oai", "xml"})
_BY_COMPARISON = frozenset({"doi.E022", "doi.E023"})
_READING_CODES = frozenset({"oai.E002", "oai.E003", "oai.E004", "oai.W004", "harvest.E005"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """What the database holds about a record.

    number: of its repository; terms: what it has agreed about DOIs. payload, record, rejected: compressed, as stored;
    digest: SHA-256 of the payload.
    """

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
    terms: Terms = NO_TERMS

    @property
    def version(self) -> tuple[bytes, bytes, bool, bool]:
        """The columns that a harvest changes. If they differ in the database by now, a harvest has read the record."""
        return self.digest, self.rejected, self.refused, self.deleted


@dataclass(frozen=True, slots=True, kw_only=True)
class Rereading:
    """The result for one record.

    record: compressed, b"" = it stays as it is. issues, rows: all issues that it has now, and those to be stored.
    accepted: the version that was refused is now registered. refused: the registered version is now refused.
    """

    stored: Stored
    record: bytes = b""
    issues: Sequence[Issue] = ()
    rows: Sequence[IssueRow] = ()
    accepted: bool = False
    refused: bool = False

    @property
    def digest(self) -> bytes:
        """SHA-256 of the payload of a version that is registered now but was refused before."""
        return hashlib.sha256(unpack_payload(self.stored.rejected)).digest()

    @property
    def issues_differ(self) -> bool:
        """Whether the issues differ from those stored so far."""
        return Counter(self.rows) != Counter(self.stored.issues)


def decide(stored: Stored, policy: Policy) -> Rereading:
    """Read a stored record by the current rules.

    A deleted record is converted too, so that it is up to date if it is restored; it has no issues.
    """
    if stored.deleted:
        return Rereading(stored=stored, record=_new_record(stored, policy))
    transport_issues = policy.reported(issue for row in stored.issues if _found_before(issue := _issue(row)))
    packed, issues = b"", transport_issues
    if not policy.refuses(transport_issues):
        packed, found = _read(stored.rejected if stored.refused else stored.payload, stored, policy)
        issues = (*transport_issues, *(issue for issue in found if issue not in transport_issues))
    rows = [row for issue in issues if (row := issue_row(issue, policy))]
    if packed and not stored.refused:
        packed = b"" if _is_same(packed, stored.record) else packed
        return Rereading(stored=stored, record=packed, issues=issues, rows=rows)
    if packed:
        return Rereading(stored=stored, record=packed, issues=issues, rows=rows, accepted=True)
    # The registered version stays, converted by the current crosswalk if the rules still accept it.
    return Rereading(
        stored=stored, record=_new_record(stored, policy), issues=issues, rows=rows, refused=not stored.refused
    )


def _new_record(stored: Stored, policy: Policy) -> bytes:
    """The registered version as it is read now, compressed; b"" if that changes nothing."""
    if not stored.payload:
        return b""
    packed, _issues = _read(stored.payload, stored, policy)
    return b"" if not packed or _is_same(packed, stored.record) else packed


def _read(payload: bytes, stored: Stored, policy: Policy) -> tuple[bytes, tuple[Issue, ...]]:
    """The compressed record, b"" if it is refused, and the issues."""
    reading: Reading = read(unpack_payload(payload), stored.prefix, policy)
    reading = check_repository_number(reading, stored.number, policy)
    if reading.record and (conflicts := list(check_terms(reading.record, stored.terms))):
        reading = with_issues(reading, conflicts, policy)
    if reading.record is None:
        return b"", reading.issues
    try:
        return pack_record(reading.record), reading.issues
    except UnicodeEncodeError as error:  # lone surrogates, which JSON can carry
        return b"", (*reading.issues, Issue(code="harvest.E005", field="metadata", value=error.reason))


def _is_same(packed: bytes, stored: bytes) -> bool:
    """Whether both records are equal. Their bytes need not be: another release of zstd may compress differently."""
    return packed == stored or (bool(stored) and unpack_record(packed) == unpack_record(stored))


def _issue(row: IssueRow) -> Issue:
    return Issue(code=row.code, field=row.field, value=row.value, result=row.result)


def _found_before(issue: Issue) -> bool:
    code, family = issue.code, family_of(issue.code)
    if code in _BY_COMPARISON:
        return True
    if any(code in kind.issue_codes or family in kind.issue_families for kind in TRANSPORTS.values()):
        return True
    return family in _EARLY_FAMILIES and code not in _READING_CODES


@dataclass(slots=True)
class Tally:
    """The counted results for the records of one repository.

    changed: records whose canonical record differs, including accepted ones. accepted, refused: as in `Rereading`.
    still_refused: records refused by the old and by the current rules. deleted: deleted records that were converted.
    overtaken: records left as they are because a harvest changed them in the meantime.
    codes: code -> issues before, after, added, gone. silent: code -> issues that are only counted, after the reread.
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
        """Load the result of `as_json`; a field that is missing counts as zero."""
        return cls(**{column.name: counts[column.name] for column in fields(cls) if column.name in counts})

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def add(self, rereading: Rereading, policy: Policy) -> None:
        """Count one record."""
        stored = rereading.stored
        self.records += 1
        self.changed += bool(rereading.record)
        self.accepted += rereading.accepted
        self.refused += rereading.refused
        self.still_refused += stored.refused and not rereading.accepted
        self.deleted += stored.deleted
        self._compare(Counter(stored.issues), Counter(rereading.rows))
        for issue in rereading.issues:
            if issue_row(issue, policy) is None and policy.severity(issue.code) is not None:
                self.silent[issue.code] = self.silent.get(issue.code, 0) + 1

    def merge(self, other: Self) -> None:
        """Add the counts of another tally to this one."""
        for column in fields(self):
            mine, theirs = getattr(self, column.name), getattr(other, column.name)
            if isinstance(mine, int):
                setattr(self, column.name, mine + theirs)
        for code, numbers in other.codes.items():
            self.codes[code] = [a + b for a, b in zip(self.codes.get(code, [0] * 4), numbers, strict=True)]
        for code, count in other.silent.items():
            self.silent[code] = self.silent.get(code, 0) + count

    def _compare(self, before: Counter[IssueRow], after: Counter[IssueRow]) -> None:
        self.issues_before += before.total()
        self.issues_after += after.total()
        for position, rows in enumerate((before, after, after - before, before - after)):
            for row, count in rows.items():
                self.codes.setdefault(row.code, [0] * 4)[position] += count
