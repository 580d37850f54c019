"""Validation of the OAI-PMH envelope of a record."""

import pytest

from metadata.validation.envelope import check_envelope, parts_of
from metadata.xml.parsing import parse

HEADER = "<header><identifier>oai:opac.example.jp:1</identifier><setSpec>books:new</setSpec></header>"
PROVENANCE = (
    "<about><provenance><originDescription><baseURL>https://a.example.jp/oai</baseURL><identifier>oai:a:1</identifier>"
    "<datestamp>2026-01-31</datestamp><metadataNamespace>urn:x</metadataNamespace></originDescription></provenance></about>"
)


def found(inner: str) -> list[str]:
    document = f'<record xmlns="http://www.openarchives.org/OAI/2.0/">{inner}</record>'
    return [issue.code for issue in check_envelope(parts_of(parse(document.encode())))]


def test_a_valid_envelope_has_no_issues():
    assert found(f"{HEADER}<metadata/>{PROVENANCE}") == []


@pytest.mark.parametrize(
    ("inner", "code"),
    [
        (HEADER.replace("oai:opac.example.jp:1", "bib 0012"), "oai.W013"),
        (HEADER.replace("oai:opac.example.jp:1", "oai:0012"), "oai.I013"),
        (HEADER.replace("books:new", "Audio (Music)"), "oai.W016"),
        (HEADER.replace("<header>", '<header status="active">'), "oai.W017"),
        (HEADER.replace("<header>", '<header status="deleted">') + "<metadata/>", "oai.W117"),
        (HEADER + PROVENANCE.replace("<datestamp>2026-01-31</datestamp>", ""), "oai.I027"),
    ],
)
def test_an_invalid_envelope_has_an_issue(inner, code):
    assert found(inner) == [code]


@pytest.mark.parametrize("identifier", ["https://opac.example.jp/bib/1", "urn:isbn:9784101010014", "hdl:2433/1"])
def test_any_uri_is_a_valid_identifier(identifier):
    assert found(HEADER.replace("oai:opac.example.jp:1", identifier)) == []


def test_a_deleted_record_without_metadata_has_no_issues():
    assert found(HEADER.replace("<header>", '<header status="deleted">')) == []
