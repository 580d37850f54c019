"""Explain records are read: of our own kind, packed as text, from other versions; hostile names are not taken over."""

import pytest

from harvesting.live.explain import prefix_of_schema, read_explain
from harvesting.live.types import LiveError

INFO = (
    '<indexInfo><set name="dc" identifier="info:srw/cql-context-set/1/dc-v1.1"/>'
    '<index><title>Titel</title><map><name set="dc">title</name></map>'
    '<configInfo><supports type="relation">=</supports><supports type="relation">or 1</supports></configInfo></index>'
    '<index><map><name set="bath">title</name></map></index>'
    '<index search="false"><map><name set="dc">creator</name></map></index>'
    '<index><map><name set="x y">subject</name></map></index>'
    '<index><map><name>isbn" or "1</name></map></index></indexInfo>'
    '<schemaInfo><schema identifier="info:srw/schema/1/marcxml-v1.1" name="marcxml"/>'
    '<schema identifier="info:srw/schema/1/dc-v1.1" name="dc"/><schema identifier="x" name="own"/></schemaInfo>'
    '<configInfo><setting type="maximumRecords">20</setting></configInfo>'
)
EXPLAIN = f'<explain xmlns="http://explain.z3950.org/dtd/2.0/"><databaseInfo><title>見本</title></databaseInfo>{INFO}</explain>'
SRW, OASIS = "http://www.loc.gov/zing/srw/", "http://docs.oasis-open.org/ns/search-ws/sruResponse"


def response(namespace, version, data):
    text = (
        f'<explainResponse xmlns="{namespace}"><version>{version}</version><record>'
        f"<recordData>{data}</recordData></record></explainResponse>"
    )
    return text.encode()


@pytest.mark.parametrize(
    ("namespace", "stated", "version"),
    [(SRW, "1.1", "1.1"), (SRW, "1.2", "1.2"), (OASIS, "2.0", "2.0"), (SRW, "9", "1.1")],
)
def test_a_description_is_read(namespace, stated, version):
    options = read_explain(response(namespace, stated, EXPLAIN))
    assert (options.version, options.name, options.page_size) == (version, "見本", 20)
    assert options.schemas == {"marcxml": "marcxml", "oai_dc": "dc"}
    assert options.indexes == {"any": "", "title": "dc.title"}
    assert options.relations == {"title": ["="]}


def test_a_description_packed_as_text_is_read():
    packed = EXPLAIN.replace("&", "&amp;").replace("<", "&lt;")
    assert read_explain(response(SRW, "1.2", packed)).schemas == {"marcxml": "marcxml", "oai_dc": "dc"}


def test_a_response_without_a_description_shows_that_it_is_sru():
    assert read_explain(response(SRW, "1.2", "")) is None


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"<html><body>Not found</body></html>", "live.not_sru"),
        (b"<explain", "live.xml"),
        (b'<!DOCTYPE e [<!ENTITY a "b">]><explain>&a;</explain>', "live.xml"),
        (b" " * 2_000_001, "live.too_large"),
    ],
)
def test_other_documents_are_refused(body, code):
    with pytest.raises(LiveError) as raised:
        read_explain(body)
    assert raised.value.code == code


@pytest.mark.parametrize(
    ("name", "identifier", "prefix"),
    [
        ("MARCXML", "", "marcxml"),
        ("x", "info:srw/schema/1/mods-v3.7", "mods"),
        ("x", "info:srw/schema/1/mods-v3.3", "mods"),
        ("dcndl", "http://ndl.go.jp/dcndl/terms/", "dcndl"),
        ("dcndl_simple", "", "dcndl_simple"),
        ("", "http://www.loc.gov/MARC21/slim", "marcxml"),
        ("dc", "", "oai_dc"),
        ("picaxml", "http://www.loc.gov/zing/srw/dcschema/v1.0/pica", ""),
        ("", "", ""),
    ],
)
def test_the_format_of_a_schema_is_known_by_name_or_identifier(name, identifier, prefix):
    assert prefix_of_schema(name, identifier) == prefix
