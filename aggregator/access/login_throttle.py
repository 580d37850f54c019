"""Login throttle: after a few failed attempts, further attempts must wait, longer each time.

Failures are counted in the database, for all processes together: per account and network ("pair"), per network, and
per account from anywhere. The last limit does not apply to a network from which the account has logged in before, so
nobody can lock a librarian out by guessing. Only keyed hashes are stored, no addresses and no login names.
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

FAILURE_LIFETIME = timedelta(hours=24)  # a failure older than this no longer counts
MAX_WAIT = timedelta(minutes=15)
KNOWN_FOR = timedelta(days=180)  # how long a network stays known for an account after a login
FREE_FAILURES = {"pair": 4, "network": 30, "account": 30}  # failures before the first wait


def network_of(request: HttpRequest) -> str:
    """Return the client's network, or "" if it is unknown (a Unix socket, a proxy that is not trusted)."""
    proxies = parse_networks(settings.TRUSTED_PROXIES)
    address = client(request.META.get("REMOTE_ADDR", ""), request.headers.get("X-Forwarded-For", ""), proxies)
    return str(network(address)) if address else ""


def seconds_to_wait(username: str, network: str) -> int:
    """Return the seconds until the next attempt is allowed, 0 if it is allowed now."""
    now = timezone.now()
    keys = dict(_keys(username, network))
    rows = {row.key: row for row in LoginThrottle.objects.filter(key__in=[*keys.values(), _known(username, network)])}
    if _known(username, network) in rows:
        keys.pop("account")
    ends = [rows[key].until for key in keys.values() if key in rows]
    return max((_seconds_until(end, now) for end in ends), default=0)


@transaction.atomic
def record_failure(username: str, network: str) -> None:
    """Count a wrong password or an unknown account; both count alike."""
    now = timezone.now()
    for kind, key in _keys(username, network):
        row, _created = LoginThrottle.objects.select_for_update().get_or_create(key=key, defaults={"last": now})
        row.failures = row.failures + 1 if row.last > now - FAILURE_LIFETIME else 1
        row.last, over = now, row.failures - FREE_FAILURES[kind]
        row.until = now + min(MAX_WAIT, timedelta(seconds=2 ** min(over, 12))) if over > 0 else None
        row.save()


@transaction.atomic
def record_success(username: str, network: str) -> None:
    """Mark the network as known for this account, and delete the account's failures from it."""
    LoginThrottle.objects.filter(key=dict(_keys(username, network))["pair"]).delete()
    LoginThrottle.objects.update_or_create(key=_known(username, network), defaults={"last": timezone.now()})


def prune(now: datetime) -> int:
    """Delete rows that no longer count. Return how many."""
    return LoginThrottle.objects.filter(last__lt=now - KNOWN_FOR).delete()[0]


def _keys(username: str, network: str) -> Iterator[tuple[str, str]]:
    yield "pair", _hashed("pair", username, network)
    yield "account", _hashed("account", username)
    if network:
        yield "network", _hashed("network", network)


def _known(username: str, network: str) -> str:
    return _hashed("known", username, network)


def _hashed(*parts: str) -> str:
    return salted_hmac("aggregator.access.login_throttle", "\0".join(parts).casefold(), algorithm="sha256").hexdigest()


def _seconds_until(until: datetime | None, now: datetime) -> int:
    return max(0, -int(-(until - now).total_seconds() // 1)) if until else 0
