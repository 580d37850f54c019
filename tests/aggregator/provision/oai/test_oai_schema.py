"""Every OAI-PMH response is valid against the official schemas, if there is a copy of them beside the repository."""

import pytest
from django.test import Client
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree
from msgspec import structs

from aggregator.provision.oai.records import prefixes, uri
from aggregator.tasks import aggregate
from harvesting.models import Feed, Repository, SourceRecord
from harvesting.records.compression import pack_record
from metadata.policy import DEFAULT
from metadata.reading import read
from sampleprovider.generator import generated_source
from tests.aggregator.shelves import Shelf
from tests.aggregator.views.public.test_oai_pmh import ERROR_CODES
from tests.books import record
from tests.paths import SCHEMAS
from tests.stored_once import stored_once

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(not SCHEMAS.is_dir(), reason="no copy of the schemas"),
]
# Schemas that are imported into OAI-PMH.xsd. DC-NDL has no schema, so its payloads are not validated.
PARTS = ("oai_dc.xsd", "provenance.xsd", "rights.xsd", "oai-identifier.xsd")
OTHERS = {
    "marcxml": "marc/MARC21slim.xsd",
    "jpcoar": "jpcoar/2.1/jpcoar_scm.xsd",
    "jpcoar_2.0": "jpcoar/2.0/jpcoar_scm.xsd",
    "jpcoar_1.0": "jpcoar/1.0/jpcoar_scm.xsd",
}
XS = "http://www.w3.org/2001/XMLSchema"


@pytest.fixture(scope="module")
def schema() -> etree.XMLSchema:
    """OAI-PMH.xsd with the schemas in PARTS; payloads without a schema are not validated (lax)."""
    text = (
        (SCHEMAS / "oai-pmh" / "OAI-PMH.xsd")
        .read_text("utf-8")
        .replace('processContents="strict"', 'processContents="lax"')
    )
    root = etree.fromstring(text.encode(), base_url=str(SCHEMAS / "oai-pmh" / "OAI-PMH.xsd"))
    for position, name in enumerate(PARTS):
        path = SCHEMAS / "oai-pmh" / name
        target = etree.parse(path).getroot().get("targetNamespace")
        root.insert(position, etree.Element(f"{{{XS}}}import", namespace=target, schemaLocation=str(path)))
    parser = etree.XMLParser(no_network=True)
    parser.resolvers.add(FromFolder())
    return etree.XMLSchema(etree.fromstring(etree.tostring(root), parser, base_url=str(SCHEMAS / "oai-pmh" / "x.xsd")))


class FromFolder(etree.Resolver):
    """Resolves schemas that are imported by their web address to files in the folder."""

    def resolve(self, url: str, public_id: str, context: object) -> object:
        if url.startswith("http"):
            name = url.rpartition("/")[2]
            found = next(SCHEMAS.rglob(name), None) or (SCHEMAS / "oai-pmh" / "xml.xsd")
            return self.resolve_filename(str(found), context)
        return None


@pytest.fixture
@stored_once
def catalogue(db: None) -> None:
    shelf = Shelf()
    for number, sample in enumerate(generated_source(40).holdings.listing("dcndl", "")):
        parsed = read(sample.payloads["dcndl"], "dcndl", DEFAULT).record
        assert parsed is not None
        shelf.put("abc"[number % 3], sample.identifier, parsed)
    odd = structs.replace(record("odd", title="<&>\x00\x1f\ufffe𠮟 ]]>"), abstracts=("\x08",))
    shelf.put("a", '日本 語/%zz<>"{}|\\^`#a#b', odd)
    SourceRecord.objects.filter(identifier__contains="%zz").update(record=pack_record(odd), datestamp="昨日")
    feed = Feed.objects.create(repository=shelf.repository("a"), base_url="https://例え.example/oai?a=<b>&c")
    SourceRecord.objects.filter(repository=feed.repository).update(feed=feed, datestamp="2024-01-01T00:00:00Z")
    SourceRecord.objects.filter(identifier__contains="%zz").update(datestamp="昨日")
    Repository.objects.filter(name="a").update(licence="https://creativecommons.org/licenses/by/4.0/deed.ja")
    Repository.objects.filter(name="b").update(
        licence="<b>自由に使えます</b> & \x0b", home_page="https://b.example/?a=1&b=2"
    )
    aggregate()
    shelf.delete(SourceRecord.objects.order_by("pk").first().identifier)
    aggregate()


@given(st.text() | st.text("%#[]:/?@日a1 \\", max_size=8))
@example("//[")
@example("http://a:b")
@example("http://[::1]:80/?a#b#c%2")
def test_any_value_becomes_a_valid_uri(value: str) -> None:
    xsd = f'<xs:schema xmlns:xs="{XS}"><xs:element name="a" type="xs:anyURI"/></xs:schema>'
    element = etree.Element("a")
    element.text = uri(value)
    etree.XMLSchema(etree.fromstring(xsd)).assertValid(element)


@pytest.mark.parametrize("prefix", prefixes())
def test_lists_are_valid(client: Client, schema: etree.XMLSchema, catalogue: None, prefix: str) -> None:
    root = etree.fromstring(client.get("/oai", {"verb": "ListRecords", "metadataPrefix": prefix}).content)
    assert all(root.findall(f".//{{*}}{name}") for name in ("provenance", "rightsReference", "rightsDefinition"))
    if prefix != "oai_dc":  # other formats use elements of the same names in other ways
        for metadata in root.iter("{*}metadata"):
            del metadata[:]
            etree.SubElement(metadata, "{urn:x}nothing")
    schema.assertValid(root)


@pytest.mark.parametrize("query", ["verb=Identify", "verb=ListSets", "verb=ListMetadataFormats", *ERROR_CODES])
def test_other_responses_are_valid(client: Client, schema: etree.XMLSchema, catalogue: None, query: str) -> None:
    schema.assertValid(etree.fromstring(client.get(f"/oai?{query}").content))


@pytest.mark.parametrize(("prefix", "path"), OTHERS.items())
def test_payloads_with_a_schema_are_valid(client: Client, catalogue: None, prefix: str, path: str) -> None:
    parser = etree.XMLParser(no_network=True)
    parser.resolvers.add(FromFolder())
    schema = etree.XMLSchema(etree.parse(SCHEMAS / path, parser))
    root = etree.fromstring(client.get("/oai", {"verb": "ListRecords", "metadataPrefix": prefix}).content)
    payloads = root.findall(".//{*}metadata/*")
    assert len(payloads) > 40
    for payload in payloads:
        schema.assertValid(etree.fromstring(etree.tostring(payload)))
