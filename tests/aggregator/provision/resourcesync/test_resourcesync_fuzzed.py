"""Fuzzing of the addresses below /resourcesync/ and of the hub: every request gets a proper answer."""

from urllib.parse import quote

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aggregator.tasks import aggregate
from tests.aggregator.shelves import Shelf
from tests.books import record

pytestmark = pytest.mark.django_db
SETS = st.sampled_from(("merged", "R000000001", "R999999999", "R1", "..")) | st.text(max_size=12)
NUMBERS = st.sampled_from(("0", "1", "-1", "9" * 12, "9" * 30, "٣", "1e3", ""))
NAMES = (
    st.sampled_from(("capabilitylist.xml", "changelist.xml", "changes", "M1.xml", "M0.xml", "M" + "9" * 18 + ".xml"))
    | st.builds("resourcelist-{}.xml".format, NUMBERS)
    | st.builds("changelist-{}.xml".format, NUMBERS)
    | st.builds("resourcedump-merged-{}-1.zip".format, NUMBERS | st.text(max_size=9))
    | st.builds("{}-{}.xml".format, st.sampled_from(("R000000001", "M1")), st.text(max_size=20))
    | st.text(max_size=30)
)
FIELDS = ("hub.mode", "hub.topic", "hub.callback", "hub.lease_seconds", "hub.secret")
VALUES = (
    st.sampled_from(("subscribe", "unsubscribe", "http://127.0.0.1:8000/resourcesync/merged/changes", "²", "-1", "1e9"))
    | st.sampled_from(("http://[", "http://a:99999/", "http://a.example/\r\nHost: b", "javascript:alert(1)", "//a/"))
    | st.text(max_size=60)
)
fuzzed = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)


@pytest.fixture
def client(client: Client) -> Client:
    Shelf().put("a", "one", record("1"))
    aggregate()
    return client


@fuzzed
@given(SETS, NAMES)
def test_any_address_gets_an_answer(client: Client, set_name: str, name: str) -> None:
    response = client.get(f"/resourcesync/{quote(set_name, errors='replace')}/{quote(name, errors='replace')}")
    assert response.status_code in {200, 301, 302, 400, 404}


@fuzzed
@given(st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=5))
def test_any_request_to_the_hub_gets_an_answer(client: Client, form: dict[str, str]) -> None:
    response = client.post("/resourcesync/hub", form)
    assert response.status_code in {202, 400}
    assert response.status_code == 202 or response["Content-Type"] == "text/plain; charset=utf-8"
