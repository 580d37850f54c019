"""Which record claims a DOI: checked while records are stored, and written with them.

A DOI belongs to the first live record that asks for it. The rows are checked again by `harvesting.doi.states`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.utils import timezone

from core.database.batches import as_timestamp, chunks, select_in, upsert
from harvesting.doi.terms import terms_of
from harvesting.doi.verdicts import mark_to_check
from harvesting.models import Harvest, RequestedDoi, SourceRecord
from harvesting.records.decisions import Change, Outcome, checked_further
from metadata.deposits.needs import REGISTRATION, asked_for
from metadata.deposits.terms import check_terms
from metadata.issue import Issue, where
from metadata.policy import Policy
from metadata.record import BibliographicRecord

State = RequestedDoi.State
HANDED_OVER = (State.SENT, State.REGISTERED, State.REFUSED, State.CHANGED, State.GONE)


@dataclass(slots=True)
class _Claims:
    """owners: DOI -> id (0: of the same batch) and name of the live record that has it.

    handed_over: id of a record -> its DOIs that were sent to an agency.
    """

    owners: dict[str, tuple[int, str]] = field(default_factory=dict)
    handed_over: dict[int, list[str]] = field(default_factory=dict)


def check_claims(changes: list[Change], repository_id: int, policy: Policy) -> list[Change]:
    """Return the changes, with those issues of their DOIs that depend on the provider's terms or on other records."""
    wanted = {number: asked_for(change.reading.record)[1] for number, change in enumerate(changes)}
    if not any(wanted.values()):
        return changes
    terms, checked = terms_of(repository_id), list(changes)
    claims = _claims(list(filter(None, wanted.values())), [change.known.pk for change in changes if change.known])
    for number, doi in wanted.items():
        change = changes[number]
        record = change.reading.record
        if doi and record is not None:
            issues = [*check_terms(record, terms), *_conflicts(change, record, claims)]
            checked[number] = checked_further(change, issues, policy) if issues else change
            if checked[number].outcome is not Outcome.REJECTED:
                claims.owners.setdefault(doi, (change.known.pk if change.known else 0, change.record.identifier))
    return checked


def _claims(dois: list[str], pks: list[int]) -> _Claims:
    claims = _Claims()
    for chunk in chunks(dois):
        live = RequestedDoi.objects.filter(doi__in=chunk, record__deleted=False, record__suppressed_at=None)
        for doi, pk, name in live.values_list("doi", "record", "record__public_id"):
            claims.owners[doi] = pk, name
    for part in chunks(pks):
        sent = RequestedDoi.objects.filter(record__in=part, state__in=HANDED_OVER)
        for pk, doi in sent.values_list("record", "doi"):
            claims.handed_over.setdefault(pk, []).append(doi)
    return claims


def _conflicts(change: Change, record: BibliographicRecord, claims: _Claims) -> Iterator[Issue]:
    agency, doi = asked_for(record)
    place, pk = where(REGISTRATION, "identifierType", agency), change.known.pk if change.known else 0
    owner = claims.owners.get(doi)
    if owner and (owner[0] != pk or not pk):
        yield Issue(code="doi.E022", field=place, value=doi, result=owner[1])
    earlier = claims.handed_over.get(pk, [])
    if earlier and doi not in earlier:
        yield Issue(code="doi.E023", field=place, value=doi, result=earlier[0])


def write_claims(harvest: Harvest, changes: Sequence[Change]) -> None:
    """Store the DOIs for which the records of a batch ask, and mark those of changed records to be checked again."""
    changed = [change.known.pk for change in changes if change.known and change.outcome is not Outcome.UNCHANGED]
    mark_to_check(RequestedDoi, changed)
    claims = {
        change.record.identifier: asked_for(change.reading.record)
        for change in changes
        if change.packed and not any(issue.code == "doi.E022" for issue in change.reading.issues)
    }
    claims = {identifier: claim for identifier, claim in claims.items() if claim[1]}
    if claims:
        repository = harvest.feed.repository_id
        stored = select_in(SourceRecord, ("identifier", "id"), "identifier", list(claims), repository_id=repository)
        store({pk: claims[identifier] for identifier, pk in stored}, repository)


def claim(asked: Mapping[int, tuple[str, str]], repository_id: int) -> None:
    """Give DOIs to records that are stored already, unless another live record has them.

    asked: id of the record -> agency and DOI. Of two records that ask for one DOI, the older one gets it.
    """
    owners: dict[str, int] = {}
    for chunk in chunks({doi for _agency, doi in asked.values()}):
        live = RequestedDoi.objects.filter(doi__in=chunk, record__deleted=False, record__suppressed_at=None)
        owners.update(live.values_list("doi", "record"))
    for pk in sorted(asked):
        owners.setdefault(asked[pk][1], pk)
    store({pk: found for pk, found in asked.items() if found[1] and owners[found[1]] == pk}, repository_id)


def store(claims: Mapping[int, tuple[str, str]], repository_id: int) -> None:
    """Give DOIs to records. claims: id of the record -> agency and DOI."""
    of_claim = ("agency", "repository_id", "record_id", "checked_at")
    new = {"state": State.BLOCKED.value, "codes": "[]", "message": "", "digest": "", "sent_digest": ""}
    rest = (*new.values(), as_timestamp(timezone.now()))
    upsert(
        RequestedDoi,
        ("doi", *of_claim, *new, "changed_at"),
        [(doi, agency, repository_id, pk, None, *rest) for pk, (agency, doi) in claims.items()],
        unique=("doi",),
        replaced=of_claim,
    )
