"""Reports of errors hold no person and no secret; without the setting nothing of it is loaded."""

import json
import os
import subprocess
import sys

import pytest

from core.log_context import about
from tests.paths import ROOT

sentry_sdk = pytest.importorskip("sentry_sdk")
from sentry_sdk.transport import Transport  # noqa: E402

from aggregator.observability import sentry  # noqa: E402


class Kept(Transport):
    """Sends nothing."""

    def __init__(self, options=None):
        super().__init__(options)
        self.events = []

    def capture_envelope(self, envelope):
        self.events += [item.payload.json for item in envelope.items if item.payload.json]


@pytest.fixture
def kept():
    transport = Kept()
    sentry.start("https://key@sentry.example.jp/1", transport=transport)
    yield transport
    sentry_sdk.get_client().close()
    sentry_sdk.Scope.get_global_scope().set_client(None)


def test_an_error_of_a_page_tells_neither_who_nor_what_for(client, db, kept, monkeypatch):
    def broken(_request):
        password = "canary-in-a-variable"
        raise RuntimeError(f"https://library:canary-in-words@a.example.jp {len(password)}")

    monkeypatch.setattr("aggregator.views.site.health._may_measure", broken)
    client.raise_request_exception = False
    client.cookies["sessionid"] = "canary-cookie"
    headers = {"Authorization": "Bearer canary-header", "X-Forwarded-For": "203.0.113.77"}
    client.get("/metrics?q=canary-query", headers=headers)
    (event,) = kept.events
    told = json.dumps(event)
    assert "RuntimeError" in told
    assert event["transaction"] == "/metrics"
    assert "request" not in event
    assert event["tags"].keys() == {"request"}
    assert "canary" not in told
    assert "203.0.113" not in told


def test_an_error_of_a_harvest_names_the_harvest(kept):
    with about(harvest=7, repository="R900000001"):
        sentry_sdk.capture_exception(ValueError("token=canary-99"))
    (event,) = kept.events
    assert event["tags"] == {"harvest": "7", "repository": "R900000001"}
    assert "canary" not in json.dumps(event)


def test_without_the_setting_nothing_of_it_is_loaded(tmp_path):
    code = "import django, sys; django.setup(); print('sentry_sdk' in sys.modules)"
    changed = {"DJANGO_SETTINGS_MODULE": "aggregator.settings", "AGGREGATOR_DATA": str(tmp_path)}
    for dsn, loaded in (("", "False"), ("https://key@127.0.0.1/1", "True")):
        environment = {**os.environ, **changed, "SENTRY_DSN": dsn}
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)
        assert done.stdout.strip() == loaded
