"""The signed link in a mail by which a library without an account answers a request.

The link expires, works once for each answer, and can be revoked. Only a hash of its token is stored. Opening it
changes nothing, because mail programs and scanners open links by themselves.
"""

import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from aggregator.loans.states import Action
from aggregator.models import Loan, LoanLink
from harvesting.mail.texts import page_url, read_token, sign_token

SALT = "loans.answer"
VALID = timedelta(days=60)  # about two months: until a request is answered and sent


@dataclass(frozen=True, slots=True)
class Opened:
    """A link that still works: its request, and the answers that it permits and that were not given so far."""

    loan: Loan
    digest: bytes
    answers: frozenset[Action]


def make_link(loan: Loan, answers: Collection[Action], now: datetime) -> str:
    """Create a link for these answers, and revoke the earlier links of the request. Return its address."""
    revoke_links(loan, now)
    token = sign_token(SALT, loan.pk, secrets.token_urlsafe(16))
    LoanLink.objects.bulk_create(
        LoanLink(loan=loan, digest=_digest(token), answer=answer, expires=now + VALID) for answer in answers
    )
    return page_url("loan_answer", token)


def revoke_links(loan: Loan, now: datetime) -> int:
    """Revoke the links of a request. Return how many answers they permitted."""
    return LoanLink.objects.filter(loan=loan, revoked=None).update(revoked=now)


def open_link(token: str, now: datetime) -> Opened | None:
    """Return what a link permits now; None if it was never signed by us, has expired, or was revoked."""
    digest = _digest(token)
    if len(read_token(SALT, token)) != 2:
        return None
    rows = list(LoanLink.objects.filter(digest=digest).select_related("loan__borrower", "loan__lender"))
    valid = [row for row in rows if row.expires > now and row.revoked is None]
    if not valid:
        return None
    return Opened(valid[0].loan, digest, frozenset(Action(row.answer) for row in valid if row.used_at is None))


def use(opened: Opened, answer: Action, now: datetime) -> bool:
    """Use up an answer of a link; False if it was used or revoked in the meantime. The request must be locked."""
    row = LoanLink.objects.filter(digest=opened.digest, answer=answer, used_at=None, revoked=None, expires__gt=now)
    return row.update(used_at=now) == 1


def forget_links(before: datetime) -> int:
    """Delete the links that expired before this time. Return how many answers they permitted."""
    return LoanLink.objects.filter(expires__lt=before).delete()[0]


def _digest(token: str) -> bytes:
    return sha256(token.encode()).digest()
