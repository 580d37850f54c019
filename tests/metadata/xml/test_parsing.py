"""Strict and safe parsing."""

import pytest

from metadata.xml.parsing import XmlError, legal, parse


def test_a_well_formed_document_is_parsed_without_comments_and_instructions():
    root = parse(b"<a><!-- c --><?p i?><b/></a>")
    assert [child.tag for child in root] == ["b"]


def test_a_fault_names_its_place_and_reason():
    with pytest.raises(XmlError) as caught:
        parse(b"<a>\n<b></a>")
    assert (caught.value.code, caught.value.line) == ("xml.E001", 2)
    assert "mismatch" in caught.value.reason


@pytest.mark.parametrize(
    "data",
    [
        b'<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
        b'<!DOCTYPE a [<!ENTITY % x SYSTEM "file:///etc/passwd"> %x;]><a/>',
        b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
        b"<!DOCTYPE a [<!ELEMENT a ANY>]><a/>",
    ],
)
def test_a_doctype_with_declarations_is_refused(data):
    with pytest.raises(XmlError) as caught:
        parse(data)
    assert caught.value.code == "xml.E002"


@pytest.mark.parametrize(
    "data",
    [
        b"<!DOCTYPE a><a/>",
        b'<!DOCTYPE a SYSTEM "http://127.0.0.1:9/a.dtd"><a/>',
        b"<!DOCTYPE a []><a/>",
    ],
)
def test_a_bare_doctype_is_harmless(data):
    assert parse(data).tag == "a"


@pytest.mark.parametrize(
    "data", [b"", b"   ", b"\xff\xfe", b"<a>\x00</a>", b"<a>&nbsp;</a>", b"not xml", b"<a>\xe3\x81"]
)
def test_what_is_no_xml_is_an_error_and_nothing_else(data):
    with pytest.raises(XmlError):
        parse(data)


def test_the_encoding_can_be_named():
    data = '<?xml version="1.0" encoding="UTF-8"?><a>本</a>'.encode("shift_jis")
    assert parse(data, "Shift_JIS").text == "本"
    with pytest.raises(XmlError):
        parse(data)
    with pytest.raises(XmlError):
        parse(data, "no such")


@pytest.mark.parametrize("data", [b"<a>" * 300 + b"</a>" * 300, b"<a>" + b"x" * 10_000_001 + b"</a>"])
def test_too_deep_and_too_long_are_told_from_badly_written(data):
    with pytest.raises(XmlError) as caught:
        parse(data)
    assert caught.value.code == "xml.E003"


def test_characters_that_xml_forbids_are_left_out():
    assert legal("a\x00\x0b\ud800\ufffeb\tc𠮷") == "ab\tc𠮷"


def test_an_entity_that_a_foreign_dtd_would_declare_is_an_error_and_no_lost_text():
    with pytest.raises(XmlError) as caught:
        parse(b'<!DOCTYPE r SYSTEM "http://x.example/x.dtd"><r>caf&eacute;</r>')
    assert caught.value.code == "xml.E001"
    assert "eacute" in caught.value.reason


@pytest.mark.parametrize(
    "declaration", [b'<!ATTLIST header status CDATA "deleted">', b'<!NOTATION gif SYSTEM "viewer">']
)
def test_an_internal_subset_is_refused_whatever_it_declares(declaration):
    with pytest.raises(XmlError) as caught:
        parse(b"<!DOCTYPE r [" + declaration + b"]><r><header/></r>")
    assert caught.value.code == "xml.E002"


def test_a_doctype_under_another_name_is_refused():
    with pytest.raises(XmlError) as caught:
        parse(b'<!DOCTYPE other [<!ATTLIST header status CDATA "deleted">]><r><header/></r>')
    assert caught.value.code == "xml.E002"


def test_a_public_name_with_brackets_declares_nothing():
    assert parse(b"<!DOCTYPE r SYSTEM 'a[b].dtd'><r/>").tag == "r"
