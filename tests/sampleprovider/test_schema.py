"""Responses are valid against the schemas of OAI-PMH, if there is a copy of them beside the repository."""

import pytest
from lxml import etree

from sampleprovider.generator import generated_source
from sampleprovider.protocols.oai import answer
from sampleprovider.source import SampleSource
from tests.paths import SCHEMAS
from tests.sampleprovider.conftest import DC as PAYLOAD

SCHEMAS = SCHEMAS / "oai-pmh"
pytestmark = pytest.mark.skipif(not SCHEMAS.is_dir(), reason="no copy of the OAI-PMH schemas")

LIST = {"verb": "ListRecords", "metadataPrefix": "oai_dc"}
RESPONSES = [
    {"verb": "Identify"},
    {"verb": "ListMetadataFormats"},
    {"verb": "ListSets"},
    {"verb": "ListIdentifiers", "metadataPrefix": "oai_dc", "set": "a", "from": "2024-01-01"},
    LIST,
    {"verb": "GetRecord", "metadataPrefix": "oai_dc", "identifier": "oai:x.example:4"},
    {"verb": "GetRecord", "metadataPrefix": "oai_dc", "identifier": "oai:x.example:9"},
    {"verb": "ListRecords"},
    {},
]


@pytest.fixture(scope="module")
def envelope() -> etree.XMLSchema:
    """OAI-PMH.xsd with lax checking of payloads, because it would require a schema for them too."""
    text = (SCHEMAS / "OAI-PMH.xsd").read_bytes().replace(b'processContents="strict"', b'processContents="lax"')
    return etree.XMLSchema(etree.fromstring(text))


@pytest.mark.parametrize("query", RESPONSES, ids=lambda query: query.get("verb", "none"))
def test_a_response_is_valid(envelope: etree.XMLSchema, source: SampleSource, query: dict[str, str]) -> None:
    envelope.assertValid(etree.fromstring(answer(source, list(query.items()))))


@pytest.mark.parametrize("prefix", ["dcndl", "oai_dc"])
def test_pages_of_generated_records_are_valid(envelope: etree.XMLSchema, prefix: str) -> None:
    params = [("verb", "ListRecords"), ("metadataPrefix", prefix)]
    envelope.assertValid(etree.fromstring(answer(generated_source(500), params)))


def test_generated_oai_dc_is_valid() -> None:
    local = {b"http://dublincore.org/schemas/xmls/simpledc20021212.xsd": b"simpledc20021212.xsd"}
    text = (SCHEMAS / "oai_dc.xsd").read_bytes()
    for remote, name in local.items():
        text = text.replace(remote, name)
    base = str(SCHEMAS / "oai_dc.xsd")
    schema = etree.XMLSchema(etree.fromstring(text, etree.XMLParser(no_network=True), base_url=base))
    assert schema.validate(etree.fromstring(PAYLOAD.format(title="x", identifier="y")))
    for record in generated_source(100).holdings.listing("oai_dc", ""):
        schema.assertValid(etree.fromstring(record.payloads["oai_dc"]))
