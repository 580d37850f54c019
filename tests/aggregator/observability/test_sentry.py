"""Error reports contain no personal data and no secrets; without the setting the package is not imported."""

import json
import os
import subprocess
import sys

import pytest

from core.log_context import log_fields
from tests.paths import ROOT

sentry_sdk = pytest.importorskip("sentry_sdk")
from sentry_sdk.transport import Transport  # noqa: E402

from aggregator.observability import sentry  # noqa: E402


class RecordingTransport(Transport):
    """Records the events instead of sending them."""

    def __init__(self, options=None):
        super().__init__(options)
        self.events = []

    def capture_envelope(self, envelope):
        self.events += [item.payload.json for item in envelope.items if item.payload.json]


@pytest.fixture
def transport():
    transport = RecordingTransport()
    sentry.start("https://key@sentry.example.jp/1", transport=transport)
    yield transport
    sentry_sdk.get_client().close()
    sentry_sdk.Scope.get_global_scope().set_client(None)


def test_the_report_of_a_page_error_contains_no_private_data(client, db, transport, monkeypatch):
    def broken(_request):
        password = "canary-in-a-variable"
        raise RuntimeError(f"https://library:canary-in-words@a.example.jp {len(password)}")

    monkeypatch.setattr("aggregator.views.site.health._may_measure", broken)
    client.raise_request_exception = False
    client.cookies["sessionid"] = "canary-cookie"
    headers = {"Authorization": "Bearer canary-header", "X-Forwarded-For": "203.0.113.77"}
    client.get("/metrics?q=canary-query", headers=headers)
    (event,) = transport.events
    text = json.dumps(event)
    assert "RuntimeError" in text
    assert event["transaction"] == "/metrics"
    assert "request" not in event
    assert event["tags"].keys() == {"request"}
    assert "canary" not in text
    assert "203.0.113" not in text


def test_the_report_of_a_harvest_error_names_the_harvest(transport):
    with log_fields(harvest=7, repository="R900000001"):
        sentry_sdk.capture_exception(ValueError("token=canary-99"))
    (event,) = transport.events
    assert event["tags"] == {"harvest": "7", "repository": "R900000001"}
    assert "canary" not in json.dumps(event)


def test_without_the_setting_the_package_is_not_imported(tmp_path):
    code = "import django, sys; django.setup(); print('sentry_sdk' in sys.modules)"
    changed = {"DJANGO_SETTINGS_MODULE": "aggregator.settings", "AGGREGATOR_DATA": str(tmp_path)}
    for dsn, loaded in (("", "False"), ("https://key@127.0.0.1/1", "True")):
        environment = {**os.environ, **changed, "SENTRY_DSN": dsn}
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)
        assert done.stdout.strip() == loaded
