"""What is counted once for all machines of a site: a second process with a data folder of its own sees it too."""

import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client
from django.utils import timezone

from aggregator.access import login_throttle
from core.database.locks import Work, try_lock
from core.http.rate_limit import Counts, RateLimit
from harvesting.models import LoginThrottle
from harvesting.registry.transport import reader_policy
from tests.paths import ROOT

REDIS = os.environ.get("REDIS_URL", "")
NETWORK, HOST = "203.0.113.0/24", "covers.example"
OTHER = """
import json, sys
from django.contrib.sessions.backends.db import SessionStore
from aggregator.access import login_throttle
from core.database.locks import Work, try_lock
from core.http.rate_limit import Counts, RateLimit
from harvesting.registry.transport import reader_policy
from harvesting.types import TransportError
from django.conf import settings
session, key = sys.argv[-1].split()
with try_lock(Work.INDEX) as alone:
    pass
try:
    with reader_policy("covers", 0.5).throttle.turn("covers.example", 0):
        turn = "taken"
except TransportError as problem:
    turn = problem.code
print(json.dumps({
    "data": str(settings.DATA_DIR),
    "account": SessionStore(session).load().get("_auth_user_id"),
    "lock": alone,
    "budget": RateLimit(Counts(settings.REDIS_URL), key, 2, 600).take("reader").wait > 0,
    "guesses": login_throttle.begin("hanako", "203.0.113.0/24").wait > 0,
    "turn": turn,
}))
"""


def url_of_database() -> str:
    """The address of the database of this test, for another process."""
    values = {name: quote(str(value), safe="") for name, value in connection.settings_dict.items() if name.isupper()}
    return f"postgres://{values['USER']}:{values['PASSWORD']}@{values['HOST']}:{values['PORT']}/{values['NAME']}"


@pytest.mark.services
@pytest.mark.skipif(connection.vendor != "postgresql" or not REDIS, reason="needs PostgreSQL and Redis")
@pytest.mark.django_db(transaction=True)
def test_sessions_locks_budgets_and_turns_are_those_of_all_machines(tmp_path: Path, client: Client) -> None:
    account = get_user_model().objects.create_user("hanako", password="x")
    client.force_login(account)
    key = f"two-machines-{tmp_path.name}-{os.getpid()}"
    budget = RateLimit(Counts(REDIS), key, 2, 600)
    assert [budget.take("reader").wait for _search in range(2)] == [0, 0]
    while login_throttle.begin("hanako", NETWORK).wait == 0:
        pass
    # the first wait lasts two seconds, and starting another process may take longer
    LoginThrottle.objects.exclude(until=None).update(until=timezone.now() + timedelta(minutes=10))
    with try_lock(Work.INDEX) as alone, reader_policy("covers", 5).throttle.turn(HOST, 0):
        assert alone
        seen = ask_other(tmp_path, f"{client.session.session_key} {key}")
    assert seen == {
        "data": str(tmp_path),
        "account": str(account.pk),
        "lock": False,
        "budget": True,
        "guesses": True,
        "turn": "net.host_busy",
    }


def ask_other(folder: Path, argument: str) -> dict[str, object]:
    """What a process of another machine sees."""
    common = {"DATABASE_URL": url_of_database(), "REDIS_URL": REDIS, "SECRET_KEY": settings.SECRET_KEY}
    own = {"AGGREGATOR_DATA": str(folder), "DJANGO_SETTINGS_MODULE": "aggregator.settings"}
    environment = {**os.environ, **common, **own}
    code = f"import django; django.setup(){OTHER}"
    command = [sys.executable, "-c", code, argument]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))
