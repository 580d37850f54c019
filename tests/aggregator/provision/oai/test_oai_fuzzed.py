"""Fuzzing of /oai: the answer to any request is an OAI-PMH document."""

from urllib.parse import quote, urlencode

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

from aggregator.provision.oai import tokens
from aggregator.provision.oai.arguments import VERBS
from aggregator.tasks import aggregate
from tests.aggregator.shelves import Shelf
from tests.books import record

pytestmark = pytest.mark.django_db
NAMES = ("verb", "metadataPrefix", "from", "until", "set", "identifier", "resumptionToken")
SENSIBLE = (
    *VERBS,
    *("oai_dc", "dcndl", "2026-01-01", "2026-01-01T00:00:00Z", "0001-01-01", "9999-12-31", "9999-12-31T23:59:59Z"),
    *("merged", "type:Book", "repository", "repository:R000000001", "oai:aggregator.localhost:M1", "M-1", "M²", ""),
)
VALUES = st.sampled_from(SENSIBLE) | st.text(max_size=40) | st.text("0123456789-:TZ", max_size=25)
PAIRS = st.lists(st.tuples(st.sampled_from(NAMES) | st.text(max_size=5), VALUES), max_size=7)
STATES = st.builds(
    tokens.State,
    verb=st.sampled_from(("ListRecords", "ListIdentifiers")),
    prefix=st.sampled_from(("oai_dc", "mods", "")),
    set_spec=st.sampled_from(("", "merged", "type:Book", "gone")),
    from_=st.integers(0, 2**40),
    until=st.integers(0, 2**40),
    size=st.integers(0, 2**40),
    cursor=st.integers(0, 2**40),
    place=st.tuples(st.integers(-1, 2**40), st.integers(-1, 2**40)),
)


@pytest.fixture
def client(client: Client) -> Client:
    Shelf().put("a", "one", record("1"))
    aggregate()
    return client


def check(response: object) -> None:
    assert response.status_code == 200  # type: ignore[attr-defined]
    root = etree.fromstring(response.content)  # type: ignore[attr-defined]
    assert root.tag == "{http://www.openarchives.org/OAI/2.0/}OAI-PMH" and len(root) >= 3


fuzzed = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)


@fuzzed
@given(PAIRS)
def test_any_arguments_get_an_answer(client: Client, pairs: list[tuple[str, str]]) -> None:
    sent = "&".join(f"{quote(name, errors='replace')}={quote(value, errors='replace')}" for name, value in pairs)
    check(client.get(f"/oai?{sent}"))
    check(client.post("/oai", sent, content_type="application/x-www-form-urlencoded"))


@fuzzed
@given(st.binary(max_size=60))
def test_any_bytes_get_an_answer(client: Client, sent: bytes) -> None:
    check(client.get("/oai", QUERY_STRING=sent.decode("latin-1")))
    check(client.post("/oai", sent, content_type="application/x-www-form-urlencoded"))
    check(client.post("/oai", sent, content_type="multipart/form-data; boundary=x"))


@fuzzed
@given(STATES)
def test_a_token_is_decoded_as_it_was_encoded(client: Client, state: tokens.State) -> None:
    token = tokens.encode(state)
    assert tokens.decode(token, state.verb) == state
    check(client.get("/oai?" + urlencode({"verb": state.verb, "resumptionToken": token})))
