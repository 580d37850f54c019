"""Brakes against guessing passwords: after a few failures the next look at a password waits, longer each time.

Counted in the database, for all processes together, of an account from one network, of a network, and of an account
from everywhere. That last brake never holds a network from which the person has logged in before: nobody can lock a
librarian out by guessing. What is kept are keyed hashes, no addresses and no names.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac

from core.http.client_address import client, network, parse_networks
from harvesting.models import LoginThrottle

FORGOTTEN = timedelta(hours=24)  # a failure counts for so long
LONGEST = timedelta(minutes=15)
KNOWN = timedelta(days=180)  # a network from which somebody logged in stays hers
FREE = {"pair": 4, "network": 30, "account": 30}  # failures before the first wait


def place(request: HttpRequest) -> str:
    """The network that asks, "" if it is not known (a socket, a proxy that is not trusted)."""
    proxies = parse_networks(settings.TRUSTED_PROXIES)
    found = client(request.META.get("REMOTE_ADDR", ""), request.headers.get("X-Forwarded-For", ""), proxies)
    return str(network(found)) if found else ""


def wait(username: str, where: str) -> int:
    """Seconds until a password may be looked at again, 0 if it may now."""
    now = timezone.now()
    keys = dict(_keys(username, where))
    rows = {each.key: each for each in LoginThrottle.objects.filter(key__in=[*keys.values(), _known(username, where)])}
    if _known(username, where) in rows:
        keys.pop("account")
    ends = [rows[key].until for key in keys.values() if key in rows]
    return max((_seconds(each, now) for each in ends), default=0)


@transaction.atomic
def failed(username: str, where: str) -> None:
    """A password was wrong, or there is no such account: both count alike."""
    now = timezone.now()
    for kind, key in _keys(username, where):
        row, _created = LoginThrottle.objects.select_for_update().get_or_create(key=key, defaults={"last": now})
        row.failures = row.failures + 1 if row.last > now - FORGOTTEN else 1
        row.last, over = now, row.failures - FREE[kind]
        row.until = now + min(LONGEST, timedelta(seconds=2 ** min(over, 12))) if over > 0 else None
        row.save()


@transaction.atomic
def succeeded(username: str, where: str) -> None:
    """The network is known as this person's from now on, and her own failures there are forgotten."""
    LoginThrottle.objects.filter(key=dict(_keys(username, where))["pair"]).delete()
    LoginThrottle.objects.update_or_create(key=_known(username, where), defaults={"last": timezone.now()})


def prune(now: datetime) -> int:
    """Forget what counts no longer; returns how many rows."""
    return LoginThrottle.objects.filter(last__lt=now - KNOWN).delete()[0]


def _keys(username: str, where: str) -> Iterator[tuple[str, str]]:
    yield "pair", _hashed("pair", username, where)
    yield "account", _hashed("account", username)
    if where:
        yield "network", _hashed("network", where)


def _known(username: str, where: str) -> str:
    return _hashed("known", username, where)


def _hashed(*parts: str) -> str:
    return salted_hmac("aggregator.access.login_throttle", "\0".join(parts).casefold(), algorithm="sha256").hexdigest()


def _seconds(until: datetime | None, now: datetime) -> int:
    return max(0, -int(-(until - now).total_seconds() // 1)) if until else 0
