"""Reading payloads: what is refused before any crosswalk, and that no exception is raised."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metadata.formats import CROSSWALKS, WRITERS
from metadata.reading import read, read_all, read_element
from metadata.record import encode_record
from metadata.xml.parsing import parse
from tests.books import record
from tests.metadata.documents import codes, dcndl, oai_dc

METADATA = b'<metadata xmlns="http://www.openarchives.org/OAI/2.0/">%s</metadata>'


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        (b"", "oai.E002"),
        (b" \n ", "oai.E002"),
        (METADATA % b"", "oai.E002"),
        (METADATA % b"<a/><b/>", "oai.E003"),
        (b"<html/>", "oai.E004"),
        (b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><x/></rdf:RDF>', "oai.E004"),
        (b"<a", "xml.E001"),
        (b'<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', "xml.E002"),
    ],
)
def test_a_payload_without_a_record_is_rejected_with_a_reason(payload, code):
    reading = read(payload, "dcndl")
    assert reading.record is None
    assert codes(reading) == [code]


def test_a_payload_in_a_metadata_element_is_read():
    assert read(METADATA % dcndl(), "dcndl").record.title == "坊っちゃん"


def test_the_payload_decides_the_format_not_the_requested_prefix():
    reading = read(oai_dc(), "dcndl")
    assert reading.record.title == "坊っちゃん"
    assert [(issue.code, issue.field, issue.value) for issue in reading.issues] == [("oai.W004", "dcndl", "oai_dc")]


def test_another_prefix_of_a_known_format_gives_no_warning():
    assert codes(read(dcndl(), "dcndl_v1")) == []


def test_a_parsed_element_gives_the_same_reading_as_its_bytes():
    payload = dcndl("<dcndl:edition>改版</dcndl:edition>")
    assert read_element(parse(payload), "dcndl") == read(payload, "dcndl")


def test_reading_twice_gives_the_same_result():
    root = parse(dcndl())
    assert read_element(root, "dcndl") == read_element(root, "dcndl")


@pytest.mark.parametrize(("payload", "prefix"), [(dcndl(), "dcndl"), (oai_dc(), "oai_dc")])
def test_absent_fields_take_no_space_in_the_encoded_record(payload, prefix):
    assert b"host" not in encode_record(read(payload, prefix).record)


TAGS = sorted({tag for crosswalk in CROSSWALKS.values() for table in crosswalk.readers.values() for tag in table}) + [
    "x"
]
ROOTS = sorted({tag for crosswalk in CROSSWALKS.values() for tag in (*crosswalk.roots, *crosswalk.readers)})
ATTRIBUTES = ("about", "resource", "datatype", "parseType")


def _element(tag: str, attributes: dict[str, str], text: str, inner: list[str]) -> str:
    space, _, local = tag.removeprefix("{").rpartition("}")
    written = "".join(f' r:{key}="{value}"' for key, value in attributes.items())
    rdf = 'xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
    return f'<{local} xmlns="{space}" {rdf}{written}>{text}{"".join(inner)}</{local}>'


WORDS = st.sampled_from(
    [
        "",
        " ",
        "猫",
        "978-4-10-101001-4",
        "http://iss.ndl.go.jp/isbn/",
        "a:b",
        "2005.3",
        "http://x/ y",
        "urn:isbn:",
        "10.",
        "\ue000",
    ]
)
TREES = st.recursive(
    st.builds(_element, st.sampled_from(TAGS), st.dictionaries(st.sampled_from(ATTRIBUTES), WORDS), WORDS, st.just([])),
    lambda inner: st.builds(
        _element,
        st.sampled_from(TAGS + ROOTS),
        st.dictionaries(st.sampled_from(ATTRIBUTES), WORDS),
        WORDS,
        st.lists(inner, max_size=4),
    ),
    max_leaves=12,
)


@given(st.sampled_from(ROOTS), st.lists(TREES, max_size=6))
def test_no_tree_of_known_elements_raises(root, inner):
    reading = read(_element(root, {}, "", inner).encode(), "dcndl")
    assert reading.record is not None or reading.issues


@given(st.binary(max_size=200))
def test_no_bytes_raise(data):
    assert read(data, "oai_dc").record is None


@pytest.mark.parametrize("prefix", [name for name, known in CROSSWALKS.items() if name in WRITERS])
def test_a_language_code_that_was_made_up_is_reported_in_every_format(prefix):
    payload = WRITERS[prefix].write(record("1")).replace(b"jpn", b"xxq")
    reading = read(payload, prefix)
    assert "xxq" in [issue.value for issue in reading.issues]
    assert reading.record.languages == ("xxq",)


def test_the_readings_of_many_payloads_are_in_their_order():
    payloads = [b"", oai_dc("<dc:title>a</dc:title>"), b"<a", dcndl(title=""), b"<a/>", b'{"titles": [{"value": "a"}]}']
    single = [read(payload, "oai_dc") for payload in payloads]
    assert all(single.count(reading) == 1 for reading in single)
    assert read_all([*payloads, parse(payloads[1]), *payloads], "oai_dc") == [*single, single[1], *single]
    assert read_all([], "oai_dc") == []
