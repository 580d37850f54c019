"""Says of every requested DOI whether it can be registered, and whether what was handed over has changed since."""

import hashlib
from collections.abc import Sequence

from harvesting.doi import verdicts
from harvesting.doi.terms import terms_of
from harvesting.doi.verdicts import MOST, Records, Verdict, mark
from harvesting.models import RequestedDoi
from metadata.deposits import crossref, jalc
from metadata.deposits.kinds import JALC
from metadata.deposits.needs import asked_for, missing
from metadata.deposits.terms import Terms, check_terms
from metadata.record import BibliographicRecord

State = RequestedDoi.State
# The sender of a document that is only compared with another one.
_NOBODY = crossref.Batch(number="-", timestamp=0, depositor="-", email="-", registrant="-")


def decide(row: RequestedDoi, record: BibliographicRecord | None, terms: Terms) -> Verdict:
    """Say what a DOI is now. record: as it is registered here, None if it is not any more. Pure."""
    if asked_for(record) != (row.agency, row.doi) or record is None:
        return Verdict(State.GONE if row.sent_digest else "", digest=row.digest)
    issues = [*missing(record, row.agency), *check_terms(record, terms)]
    if issues:
        return Verdict(State.BLOCKED, tuple(dict.fromkeys(issue.code for issue in issues)), row.digest)
    digest = digest_of(record, row.agency)
    if not row.sent_digest:
        return Verdict(State.READY, digest=digest)
    if row.sent_digest != digest:
        return Verdict(row.state if row.state == State.SENT else State.CHANGED, digest=digest)
    if row.state == State.SENT:
        return Verdict(State.SENT, digest=digest)
    return Verdict(State.REFUSED if row.message else State.REGISTERED, digest=digest)


def digest_of(record: BibliographicRecord, agency: str) -> str:
    """Return a digest of the document of one record, without what differs from one delivery to the next."""
    document = jalc.write([record], "-") if agency == JALC else crossref.write([record], _NOBODY)
    return hashlib.sha256(document).hexdigest()


def check_changed(most: int = MOST) -> int:
    """Check the DOIs of changed records; return how many."""
    return verdicts.check_changed(RequestedDoi, _judge, most)


def _judge(rows: Sequence[RequestedDoi], records: Records) -> list[Verdict]:
    terms = {repository: terms_of(repository) for repository in {row.repository_id for row in rows}}
    return [decide(row, records.get(row.record_id or 0), terms[row.repository_id]) for row in rows]


def is_due() -> bool:
    """Whether there are DOIs to check."""
    return RequestedDoi.objects.filter(checked_at=None).exists()


def mark_handed_over(rows: Sequence[RequestedDoi]) -> int:
    """Mark DOIs as handed over with the XML that they had when the rows were read; return how many."""
    return mark(rows, State.SENT, lambda row: row.digest, message="")


def mark_registered(repository_id: int, agency: str) -> int:
    """Mark the DOIs of a provider that were handed over as registered; return how many."""
    handed_over = RequestedDoi.objects.filter(repository=repository_id, agency=agency, state=State.SENT, delivery=None)
    return mark(list(handed_over), State.REGISTERED, lambda row: row.sent_digest, message="")
