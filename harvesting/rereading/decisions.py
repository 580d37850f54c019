"""Decides what becomes of a stored record that is read again, and counts the results. No database access.

Issues that the transport found (about the hash, the header or the bytes around a record), or a comparison with other
records when the record was stored, cannot be found again in the stored payload. Therefore they stay, and a record that
was refused because of them stays refused until it is harvested again.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, NamedTuple, Self

from harvesting.issues.storage import IssueRow
from harvesting.records.compression import pack_record, unpack_payload, unpack_record
from harvesting.records.enriched import EnrichedRow, enriched_row
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
    digest: SHA-256 of the payload. enriched: what enrichment rules made of the record; None if there were never any.
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
    enriched: EnrichedRow | None = None

    @property
    def is_only_enriched(self) -> bool:
        """Whether the record is registered only because of enrichment rules."""
        return self.enriched is not None and bool(self.enriched.names) and not self.enriched.original

    @property
    def version(self) -> tuple[bytes, bytes, bool, bool]:
        """The columns that a harvest changes. If they differ in the database by now, a harvest has read the record."""
        return self.digest, self.rejected, self.refused, self.deleted


@dataclass(frozen=True, slots=True, kw_only=True)
class Rereading:
    """The result for one record.

    record: compressed, b"" = it stays as it is. enriched: what enrichment rules made of it, None = that stays.
    issues, rows: all issues that it has now, and those to be stored.
    accepted: the version that was refused is now registered. refused: the registered version is now refused; it stays,
    unless it is withdrawn: it was registered only because of enrichment rules that are no longer in use.
    """

    stored: Stored
    record: bytes = b""
    enriched: EnrichedRow | None = None
    issues: Sequence[Issue] = ()
    rows: Sequence[IssueRow] = ()
    accepted: bool = False
    refused: bool = False
    withdrawn: bool = False

    @property
    def digest(self) -> bytes:
        """SHA-256 of the payload of a version that is registered now but was refused before."""
        return hashlib.sha256(unpack_payload(self.stored.rejected)).digest()

    @property
    def is_changed(self) -> bool:
        """Whether what is given of the record differs: the record itself, or what it is without enrichment rules."""
        if self.record or self.enriched is None:
            return bool(self.record)
        before, record = self.stored.enriched, self.stored.record
        return not _is_same(_without_rules(self.enriched, record), _without_rules(before, record))

    @property
    def issues_differ(self) -> bool:
        """Whether the issues differ from those stored so far."""
        return Counter(self.rows) != Counter(self.stored.issues)


def decide(stored: Stored, policy: Policy) -> Rereading:
    """Read a stored record by the current rules.

    A deleted record is converted too, so that it is up to date if it is restored; it has no issues.
    """
    if stored.deleted:
        return _registered(stored, policy, Rereading(stored=stored))
    transport_issues = policy.reported(issue for row in stored.issues if _found_before(issue := _issue(row)))
    read_again, issues = _NOTHING, transport_issues
    if not policy.refuses(transport_issues):
        read_again = _read(stored.rejected if stored.refused else stored.payload, stored, policy)
        issues = (*transport_issues, *(issue for issue in read_again.issues if issue not in transport_issues))
    rows = [row for issue in issues if (row := issue_row(issue, policy))]
    found = Rereading(stored=stored, issues=issues, rows=rows)
    if read_again.packed and not stored.refused:
        return _with(found, read_again)
    if read_again.packed:
        return replace(found, record=read_again.packed, enriched=read_again.enriched, accepted=True)
    if not stored.refused and stored.is_only_enriched:
        return replace(found, refused=True, withdrawn=True)
    # The registered version stays, converted by the current crosswalk if the rules still accept it.
    return _registered(stored, policy, replace(found, refused=not stored.refused))


class _Read(NamedTuple):
    """A payload as it is read now. packed: the compressed record, b"" if it is refused."""

    packed: bytes = b""
    issues: tuple[Issue, ...] = ()
    enriched: EnrichedRow | None = None


_NOTHING = _Read()


def _registered(stored: Stored, policy: Policy, found: Rereading) -> Rereading:
    """The result with the registered version as it is read now, if it has one that is still accepted."""
    return _with(found, _read(stored.payload, stored, policy)) if stored.payload else found


def _with(found: Rereading, read_again: _Read) -> Rereading:
    """The result with a record as it is read now, as far as that differs from what is stored."""
    stored = found.stored
    record = b"" if _is_same(read_again.packed, stored.record) else read_again.packed
    changed = read_again.packed and read_again.enriched != stored.enriched
    return replace(found, record=record, enriched=read_again.enriched if changed else None)


def _read(payload: bytes, stored: Stored, policy: Policy) -> _Read:
    reading: Reading = read(unpack_payload(payload), stored.prefix, policy)
    reading = check_repository_number(reading, stored.number, policy)
    if reading.record and (conflicts := list(check_terms(reading.record, stored.terms))):
        reading = with_issues(reading, conflicts, policy)
    if reading.record is None:
        return _Read(issues=reading.issues)
    try:
        return _Read(pack_record(reading.record), reading.issues, enriched_row(reading.enriched))
    except UnicodeEncodeError as error:  # lone surrogates, which JSON can carry
        return _Read(issues=(*reading.issues, Issue(code="harvest.E005", field="metadata", value=error.reason)))


def _is_same(packed: bytes, stored: bytes) -> bool:
    """Whether both records are equal, or there are none. Their bytes need not be: another release of zstd may compress
    differently.
    """
    if not packed or not stored or packed == stored:
        return packed == stored
    return unpack_record(packed) == unpack_record(stored)


def _without_rules(enriched: EnrichedRow | None, record: bytes) -> bytes:
    """A record without enrichment rules, compressed; b"" if it could not be registered without them."""
    return enriched.original if enriched and enriched.names else record


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
