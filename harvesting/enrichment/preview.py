"""What other enrichment rules would change in a provider's records: on a sample, without storing anything.

The sample is read twice from what was received: by the rules in use and by those proposed. Where few of its records
change, further records are searched for some that do, for a limited time.
"""

import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from django.db.models import QuerySet

from harvesting.enrichment.differences import Difference, differences
from harvesting.models import Repository, SourceRecord
from harvesting.records.compression import unpack_payload, unpack_record
from harvesting.records.enriched import originals
from harvesting.registry.policies import policy_of
from metadata.enrichment.fields import FIELDS
from metadata.enrichment.rules import AnyRule, MapCodes, RuleSet
from metadata.issue import Reading
from metadata.policy import Policy
from metadata.reading import read
from metadata.record import BibliographicRecord

SEED = 20261127
SAMPLE = 200  # records
BLOCKS = 10  # places of a long list from which the sample is taken
LISTED = 20_000  # records of which all ids are read
EXAMPLES = 10
SEARCH_SECONDS = 1.0
SEARCH_BATCH = 500
MOST_UNCOVERED = 50  # codes that are listed


@dataclass(frozen=True, slots=True)
class Example:
    """A record that the proposed rules change. refused, accepted: it would no longer be registered, or now be."""

    public_id: str
    title: str
    differences: tuple[Difference, ...]
    refused: bool = False
    accepted: bool = False
    added: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Preview:
    """What the proposed rules would do.

    records: of the provider. sampled, changed, refused, accepted: records of the sample. codes: code -> issues that
    appear and disappear in the sample. idle: names of rules that change nothing in the sample. uncovered: name of a
    rule that maps codes -> texts that are not in its list, the most frequent first, and how often the sample has them.
    """

    records: int
    sampled: int
    changed: int = 0
    refused: int = 0
    accepted: int = 0
    codes: tuple[tuple[str, int, int], ...] = ()
    examples: tuple[Example, ...] = ()
    idle: tuple[str, ...] = ()
    uncovered: tuple[tuple[str, tuple[tuple[str, int], ...]], ...] = ()

    @property
    def is_exact(self) -> bool:
        """Whether the sample is all there is."""
        return self.sampled == self.records

    @property
    def estimate(self) -> int:
        """About how many records of the provider would change."""
        return round(self.records * self.changed / self.sampled) if self.sampled else 0


class _Pair(NamedTuple):
    """A record read by the rules in use and by the proposed ones."""

    public_id: str
    before: Reading
    after: Reading

    @property
    def is_changed(self) -> bool:
        return self.before.record != self.after.record


def preview(repository: Repository, rules: Sequence[AnyRule]) -> Preview:
    """Return what these rules would change, compared with those in use."""
    current = policy_of(repository)
    proposed = replace(current, enrichment=RuleSet(0, tuple(rules)))
    records = _records(repository)
    total = records.count()
    pks = _sample(records, total)
    pairs = list(_pairs(pks, current, proposed))
    changed = [pair for pair in pairs if pair.is_changed]
    shown = changed[:EXAMPLES]
    if len(shown) < EXAMPLES and total > len(pks):
        further = _search(records, set(pks), current, proposed, EXAMPLES - len(shown))
        shown += [pair for pair in _pairs(further, current, proposed) if pair.is_changed]
    acting = {name for pair in pairs if pair.after.enriched for name in pair.after.enriched.names}
    return Preview(
        records=total,
        sampled=len(pairs),
        changed=len(changed),
        refused=sum(bool(pair.before.record and not pair.after.record) for pair in changed),
        accepted=sum(bool(pair.after.record and not pair.before.record) for pair in changed),
        codes=_codes(pairs),
        examples=tuple(map(_example, shown)),
        idle=tuple(rule.name for rule in rules if rule.name not in acting),
        uncovered=tuple(_uncovered(rules, pks)),
    )


def _records(repository: Repository) -> QuerySet[SourceRecord]:
    return SourceRecord.objects.filter(repository=repository, deleted=False)


def _sample(records: QuerySet[SourceRecord], total: int) -> list[int]:
    """Return the ids of the sample, the same ones as long as the records are the same."""
    chance = random.Random(SEED)  # noqa: S311 a sample, no secret
    by_identifier = records.order_by("identifier").values_list("pk", flat=True)
    if total <= LISTED:
        pks = list(by_identifier)
        return sorted(chance.sample(pks, min(SAMPLE, len(pks))))
    size = SAMPLE // BLOCKS
    starts = (chance.randrange(total - size) for _number in range(BLOCKS))
    return sorted({pk for start in starts for pk in by_identifier[start : start + size]})


def _pairs(pks: Sequence[int], current: Policy, proposed: Policy) -> Iterator[_Pair]:
    rows = SourceRecord.objects.filter(pk__in=pks).order_by("pk")
    columns = ("public_id", "metadata_prefix", "payload", "rejected_payload")
    for public_id, prefix, payload, rejected in rows.values_list(*columns):
        received = unpack_payload(rejected or payload)
        yield _Pair(public_id, read(received, prefix, current), read(received, prefix, proposed))


def _search(
    records: QuerySet[SourceRecord], known: set[int], current: Policy, proposed: Policy, most: int
) -> list[int]:
    """Return the ids of some records outside the sample that the rules seem to change."""
    found: list[int] = []
    position, end = "", time.monotonic() + SEARCH_SECONDS
    registered = records.exclude(record=b"").order_by("identifier")
    while len(found) < most and time.monotonic() < end:
        rows = list(registered.filter(identifier__gt=position).values_list("pk", "identifier", "record")[:SEARCH_BATCH])
        if not rows:
            break
        position = rows[-1][1]
        without_rules = originals([pk for pk, _identifier, _packed in rows])
        found += [
            pk
            for pk, _identifier, packed in rows
            if pk not in known
            and (plain := without_rules.get(pk, bytes(packed)))
            and _differs(plain, current, proposed)
        ]
    return found[:most]


def _differs(packed: bytes, current: Policy, proposed: Policy) -> bool:
    if not packed:
        return False
    record = unpack_record(packed)
    return _applied(record, current) != _applied(record, proposed)


def _applied(record: BibliographicRecord, policy: Policy) -> BibliographicRecord:
    return policy.enrichment.apply(record).record if policy.enrichment else record


def _codes(pairs: Sequence[_Pair]) -> tuple[tuple[str, int, int], ...]:
    added: Counter[str] = Counter()
    gone: Counter[str] = Counter()
    for pair in pairs:
        before, after = (Counter(issue.code for issue in reading.issues) for reading in (pair.before, pair.after))
        added += after - before
        gone += before - after
    return tuple((code, added[code], gone[code]) for code in sorted(added | gone))


def _example(pair: _Pair) -> Example:
    before, after = (reading.record or BibliographicRecord() for reading in (pair.before, pair.after))
    codes = [Counter(issue.code for issue in reading.issues) for reading in (pair.before, pair.after)]
    both = pair.before.record and pair.after.record
    return Example(
        public_id=pair.public_id,
        title=before.title or after.title,
        differences=differences(before, after) if both else (),
        refused=after == BibliographicRecord(),
        accepted=before == BibliographicRecord(),
        added=tuple(sorted(codes[1] - codes[0])),
        gone=tuple(sorted(codes[0] - codes[1])),
    )


def _uncovered(rules: Sequence[AnyRule], pks: Sequence[int]) -> Iterator[tuple[str, tuple[tuple[str, int], ...]]]:
    """Yield for each rule that maps codes the texts which its list lacks."""
    mapping = [rule for rule in rules if isinstance(rule, MapCodes)]
    counts: dict[str, Counter[str]] = {rule.name: Counter() for rule in mapping}
    without_rules = originals(pks) if mapping else {}
    for pk, packed in SourceRecord.objects.filter(pk__in=pks).values_list("pk", "record") if mapping else ():
        if plain := without_rules.get(pk, bytes(packed)):
            record = unpack_record(plain)
            for rule in mapping:
                counts[rule.name].update(rule.uncovered(FIELDS[rule.field].texts(record)))
    yield from ((name, tuple(count.most_common(MOST_UNCOVERED))) for name, count in counts.items() if count)
