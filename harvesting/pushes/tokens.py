"""Tokens with which a provider's programs push records: making, looking up and revoking them. Handles no HTTP.

Only a hash is stored, keyed with SECRET_KEY, so that a copy of the database alone is of no use to anybody.
"""

import secrets
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.views.decorators.debug import sensitive_variables

from harvesting.audit.trail import note
from harvesting.models import PushToken, Repository

PREFIX = "push_"  # lets secret scanners recognise a token that was published by mistake
START_LENGTH = 9  # characters at its start that are stored in the clear, so that people can tell tokens apart
MAX_LENGTH = 100  # characters; longer texts are rejected without a look-up
MOST_TOKENS = 20  # in use, of one provider
USED_STEP = timedelta(minutes=1)  # the time of the last use is written at most so often
SALT = "harvesting.pushes.tokens"


@sensitive_variables()
def create_token(repository: Repository, name: str, person: Any) -> tuple[PushToken, str]:
    """Make a token. Return its row and the token itself, which is not stored and cannot be shown again.

    Raises IntegrityError if the provider has a token in use with this name.
    """
    text = PREFIX + secrets.token_urlsafe(32)
    with transaction.atomic():
        token = PushToken.objects.create(
            repository=repository,
            name=name,
            digest=_digest(text),
            start=text[:START_LENGTH],
            created_by=person.get_username(),
        )
        note(person, "push_token.made", repository, details={"name": name})
    return token, text


def revoke_token(token: PushToken, person: Any) -> bool:
    """Revoke a token permanently, at once. Return False if it was revoked before."""
    with transaction.atomic():
        revoked = PushToken.objects.filter(pk=token.pk, revoked=None).update(revoked=timezone.now())
        if revoked:
            note(person, "push_token.revoked", token.repository, details={"name": token.name})
    return bool(revoked)


@sensitive_variables()
def find_token(text: str) -> PushToken | None:
    """Return the token in use with this text, None if there is none; write down that it was used."""
    if not text.startswith(PREFIX) or len(text) > MAX_LENGTH:
        return None
    token = PushToken.objects.select_related("repository").filter(digest=_digest(text), revoked=None).first()
    now = timezone.now()
    if token and (token.used is None or token.used < now - USED_STEP):
        PushToken.objects.filter(pk=token.pk).update(used=now)
    return token


@sensitive_variables()
def _digest(text: str) -> bytes:
    return salted_hmac(SALT, text.encode("utf-8", "replace"), algorithm="sha256").digest()
