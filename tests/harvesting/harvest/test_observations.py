"""What a run notices about the provider: nothing that looks wrong passes in silence."""

import pytest

from harvesting.harvest.run import create_harvest, harvest, identity_oddities
from harvesting.models import Feed
from harvesting.transports.oai_pmh.envelope import document_oddities
from harvesting.types import Identity
from metadata.xml.parsing import parse
from tests.harvesting.transports.oai_responses import envelope

FEED = Feed(protocol="oai-pmh", base_url="https://lib.example.jp/oai")
RIGHT = {"base_url": "http://LIB.example.jp/oai/", "earliest_datestamp": "2020-01-01"}


@pytest.mark.parametrize(
    ("wrong", "codes"),
    [
        ({}, []),
        ({"base_url": "https://old.example.jp/oai"}, ["oai.base_url"]),
        ({"base_url": ""}, ["oai.base_url"]),
        ({"earliest_datestamp": "0000-00-00"}, ["oai.earliest"]),
        ({"earliest_datestamp": "2999-01-01"}, ["oai.earliest"]),
    ],
)
def test_a_wrong_identity_is_noticed(wrong, codes):
    assert [found.code for found in identity_oddities(FEED, Identity(**RIGHT | wrong))] == codes


def test_a_missing_identity_is_no_wrong_one():
    assert identity_oddities(FEED, Identity()) == ()


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        ((b"", b""), []),
        ((b"<responseDate>2", b"<responseDate>now, 2"), ["oai.response_date"]),
        ((b"<OAI-PMH", b"<!DOCTYPE OAI-PMH><OAI-PMH"), ["oai.doctype"]),
    ],
)
def test_odd_documents_are_noticed(change, codes):
    document = envelope("<ListRecords/>").replace(*change, 1)
    assert [found.code for found in document_oddities(parse(document))] == codes


@pytest.mark.django_db
def test_an_empty_first_list_is_noticed(source, feed_of):
    source.holdings = type(source.holdings)([])
    done = harvest(create_harvest(feed_of(source)))
    assert (done.state, done.received) == ("succeeded", 0)
    assert "run.empty" in done.observations
