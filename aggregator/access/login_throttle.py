"""Login throttle: after a few failed attempts, further attempts must wait, longer each time.

Attempts are counted in the database, for all processes together: per account and network ("pair"), per network, and
per account from anywhere. The last limit does not apply to a network from which the account has logged in before, so
nobody can lock a librarian out by guessing. Only keyed hashes are stored, no addresses and no login names.

An attempt counts as failed before the password is checked, and the count is taken back after a success. Otherwise many
parallel attempts would all find that none has failed yet.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac

from core.http.client_address import network
from core.http.clients import client_of
from harvesting.models import LoginThrottle

FAILURE_LIFETIME = timedelta(hours=24)  # a failure older than this no longer counts
MAX_WAIT = timedelta(minutes=15)
CLOCK_TOLERANCE = timedelta(minutes=1)  # by which the clocks of two machines may differ
KNOWN_FOR = timedelta(days=180)  # how long a network stays known for an account after a login
# Failures before the first wait; "letters": requests for new passwords from one network before the first wait.
FREE_FAILURES = {"pair": 4, "network": 30, "account": 30, "letters": 30}


@dataclass(frozen=True, slots=True)
class Attempt:
    """wait: seconds until the next attempt is allowed; 0: this one is, and has been counted as failed.

    ends: key of each count -> the end of the wait that this attempt has caused, or None.
    """

    wait: int = 0
    ends: Mapping[str, datetime | None] = field(default_factory=dict)


def network_of(request: HttpRequest) -> str:
    """Return the client's network, or "" if it is unknown (a Unix socket, a proxy that is not trusted)."""
    address = client_of(request)
    return str(network(address)) if address else ""


def begin(username: str, network: str) -> Attempt:
    """Count an attempt to log in, unless attempts have to wait now. Unknown accounts count like others."""
    keys = dict(_keys(username, network))
    exempt = {keys["account"]} if LoginThrottle.objects.filter(key=_known(username, network)).exists() else set()
    return _count({key: FREE_FAILURES[kind] for kind, key in keys.items()}, exempt)


def begin_letter(network: str) -> Attempt:
    """Count a request for a new password. Requests of a network that is unknown are not limited."""
    return _count({_hashed("letters", network): FREE_FAILURES["letters"]}, set()) if network else Attempt()


@transaction.atomic
def succeed(attempt: Attempt, username: str, network: str) -> None:
    """Take the count of an attempt back, forget the account's failures from this network, and mark it as known."""
    pair, rows = dict(_keys(username, network))["pair"], _locked(sorted(attempt.ends))
    for row in rows:
        row.failures = 0 if row.key == pair else max(0, row.failures - 1)
        if row.key == pair or row.until == attempt.ends[row.key]:  # else another attempt has failed meanwhile
            row.until = None
    LoginThrottle.objects.bulk_update(rows, ["failures", "until"])
    LoginThrottle.objects.update_or_create(key=_known(username, network), defaults={"last": timezone.now()})


def prune(now: datetime) -> int:
    """Delete rows that no longer count. Return how many."""
    return LoginThrottle.objects.filter(last__lt=now - KNOWN_FOR).delete()[0]


def _count(free: Mapping[str, int], exempt: set[str]) -> Attempt:
    """Count one attempt under each key, or return how long to wait. free: key -> attempts before the first wait.

    exempt: keys that are counted but never make an attempt wait. While attempts wait, nothing is written.
    """
    waiting = [key for key in free if key not in exempt]
    if seconds := _longest(LoginThrottle.objects.filter(key__in=waiting), timezone.now()):
        return Attempt(seconds)
    with transaction.atomic():
        now, rows = timezone.now(), _locked(sorted(free))
        if seconds := _longest((row for row in rows if row.key not in exempt), now):
            return Attempt(seconds)
        for row in rows:
            row.failures = row.failures + 1 if row.last > now - FAILURE_LIFETIME else 1
            row.last, over = now, row.failures - free[row.key]
            row.until = now + min(MAX_WAIT, timedelta(seconds=2 ** min(over, 12))) if over > 0 else None
        LoginThrottle.objects.bulk_update(rows, ["failures", "last", "until"])
    return Attempt(0, {row.key: row.until for row in rows})


def _locked(keys: list[str]) -> list[LoginThrottle]:
    """Return the rows of these keys, locked in the order of the keys, so that two attempts cannot deadlock."""
    new = [LoginThrottle(key=key, last=timezone.now()) for key in keys]
    LoginThrottle.objects.bulk_create(new, ignore_conflicts=True)
    return list(LoginThrottle.objects.select_for_update().filter(key__in=keys).order_by("key"))


def _longest(rows: Iterable[LoginThrottle], now: datetime) -> int:
    """Seconds until the last wait ends. One that is longer than any wait was begun by a fast clock: it is over."""
    seconds = (_seconds_until(row.until, now) for row in rows)
    return max((wait for wait in seconds if wait <= (MAX_WAIT + CLOCK_TOLERANCE).total_seconds()), default=0)


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
