"""OAI-PMH: lists, tokens, deletions, and all errors of the protocol."""

import pytest
from lxml import etree

from sampleprovider.protocols.oai import answer
from sampleprovider.source import DAY, SampleRecord, SampleSource
from tests.sampleprovider.conftest import OAI, Ask, error, identifiers, sample, token

DC = "oai_dc"


def test_identify_describes_the_provider(ask: Ask) -> None:
    element = ask("Identify").find(f"{OAI}Identify")
    texts = [child.text for child in element]
    assert texts[0] == "見本 <&> 館"
    assert texts[4:] == ["2024-01-01T10:00:00Z", "persistent", "YYYY-MM-DDThh:mm:ssZ"]


def test_a_list_has_pages_and_ends_with_an_empty_token(ask: Ask) -> None:
    first = ask("ListRecords", metadataPrefix=DC)
    second = ask("ListRecords", resumptionToken=token(first))
    third = ask("ListRecords", resumptionToken=token(second))
    assert [identifiers(page) for page in (first, second, third)] == [["1", "2"], ["3", "4"], ["5"]]
    ends = [page.find(f".//{OAI}resumptionToken") for page in (first, second, third)]
    assert [end.get("cursor") for end in ends] == ["0", "2", "4"]
    assert {end.get("completeListSize") for end in ends} == {"5"}
    assert ends[2].text is None


def test_a_list_of_one_page_has_no_token(ask: Ask, source: SampleSource) -> None:
    source.page_size = 5
    assert ask("ListIdentifiers", metadataPrefix=DC).find(f".//{OAI}resumptionToken") is None


def test_a_record_that_changes_during_the_list_comes_again_and_none_is_lost(ask: Ask, source: SampleSource) -> None:
    first = ask("ListRecords", metadataPrefix=DC)
    source.update([sample(1, "2024-02-01T00:00:00Z")])
    second = ask("ListRecords", resumptionToken=token(first))
    third = ask("ListRecords", resumptionToken=token(second))
    assert identifiers(second) + identifiers(third) == ["3", "4", "5", "1"]


def test_a_token_without_remaining_records_is_refused(ask: Ask, source: SampleSource) -> None:
    first = ask("ListRecords", metadataPrefix=DC)
    source.replace([sample(1, "2024-01-01T10:00:00Z")])
    assert error(ask("ListRecords", resumptionToken=token(first))) == "badResumptionToken"


@pytest.mark.parametrize(
    ("from_", "until", "expected"),
    [
        ("2024-01-02", "2024-01-03", ["2", "3", "4"]),
        ("2024-01-04", "", ["5"]),
        ("", "2024-01-02T10:00:00Z", ["1", "2"]),
        ("2024-01-02T10:00:01Z", "2024-01-03T10:00:00Z", ["3"]),
        ("2024-01-04", "2024-01-04", ["5"]),
    ],
)
def test_from_and_until_are_inclusive(
    ask: Ask, source: SampleSource, from_: str, until: str, expected: list[str]
) -> None:
    source.page_size = 9
    window = {"from": from_, "until": until}
    page = ask("ListIdentifiers", metadataPrefix=DC, **{name: value for name, value in window.items() if value})
    assert identifiers(page) == expected


def test_a_set_includes_its_subsets_but_not_sets_with_the_same_prefix(ask: Ask, source: SampleSource) -> None:
    source.page_size = 9
    assert identifiers(ask("ListIdentifiers", metadataPrefix=DC, set="a")) == ["1", "2", "4"]


def test_tokens_keep_the_selection(ask: Ask) -> None:
    first = ask("ListIdentifiers", metadataPrefix=DC, set="a", until="2024-01-03")
    assert identifiers(ask("ListIdentifiers", resumptionToken=token(first))) == ["4"]


def test_a_deleted_record_has_only_a_header(ask: Ask) -> None:
    record = ask("GetRecord", identifier="oai:x.example:4", metadataPrefix=DC).find(f".//{OAI}record")
    assert record.find(f"{OAI}header").get("status") == "deleted"
    assert [etree.QName(child).localname for child in record] == ["header"]


def test_a_provider_that_does_not_track_deletions_does_not_list_them() -> None:
    source = SampleSource(name="x", records=[sample(1, "2024-01-01", deleted=True)], deleted_record="no")
    assert len(source.holdings) == 0


def test_day_granularity_shortens_datestamps_and_refuses_seconds() -> None:
    source = SampleSource(name="x", records=[sample(1, "2024-01-01T10:00:00Z")], granularity=DAY)
    params = [("verb", "ListIdentifiers"), ("metadataPrefix", DC)]
    assert b"<datestamp>2024-01-01</datestamp>" in answer(source, params)
    assert error(etree.fromstring(answer(source, [*params, ("from", "2024-01-01T00:00:00Z")]))) == "badArgument"


def test_only_the_xml_declaration_of_a_payload_is_removed() -> None:
    payload = b"\xef\xbb\xbf<?xml version='1.0' encoding='UTF-8'?>\n<a xmlns='urn:a'><?xml-not?>\xe6\x9c\xac</a>"
    record = SampleRecord(identifier="i", datestamp="2024-01-01", payloads={"p": payload})
    params = [("verb", "GetRecord"), ("identifier", "i"), ("metadataPrefix", "p")]
    body = answer(SampleSource(name="x", records=[record], prefixes=("p",)), params)
    assert "<metadata><a xmlns='urn:a'><?xml-not?>本</a></metadata>".encode() in body
    etree.fromstring(body)


@pytest.mark.parametrize(
    ("code", "query"),
    [
        ("badVerb", {}),
        ("badVerb", {"verb": "listRecords"}),
        ("badArgument", {"verb": "Identify", "set": "a"}),
        ("badArgument", {"verb": "ListRecords"}),
        ("badArgument", {"verb": "GetRecord", "metadataPrefix": DC}),
        ("badArgument", {"verb": "ListRecords", "metadataPrefix": DC, "resumptionToken": "x"}),
        ("badArgument", {"verb": "ListRecords", "metadataPrefix": "a b"}),
        ("badArgument", {"verb": "ListRecords", "metadataPrefix": DC, "set": "a::b"}),
        ("badArgument", {"verb": "ListRecords", "metadataPrefix": DC, "from": "2024-02-30"}),
        ("badArgument", {"verb": "ListRecords", "metadataPrefix": DC, "from": "2024-W01-1"}),
        ("badArgument", {"verb": "ListRecords", "metadataPrefix": DC, "from": "2024-01-01T00:00:00+09:00"}),
        ("badArgument", {"verb": "ListRecords", "metadataPrefix": DC, "from": "2024-01-02", "until": "2024-01-01"}),
        (
            "badArgument",
            {"verb": "ListRecords", "metadataPrefix": DC, "from": "2024-01-01", "until": "2024-01-02T00:00:00Z"},
        ),
        ("badResumptionToken", {"verb": "ListRecords", "resumptionToken": "x"}),
        ("badResumptionToken", {"verb": "ListRecords", "resumptionToken": "ぬ"}),
        ("badResumptionToken", {"verb": "ListSets", "resumptionToken": "x"}),
        ("cannotDisseminateFormat", {"verb": "ListRecords", "metadataPrefix": "mods"}),
        ("cannotDisseminateFormat", {"verb": "GetRecord", "metadataPrefix": "mods", "identifier": "oai:x.example:1"}),
        ("idDoesNotExist", {"verb": "GetRecord", "metadataPrefix": DC, "identifier": "1"}),
        ("idDoesNotExist", {"verb": "ListMetadataFormats", "identifier": "oai:x.example:9"}),
        ("noMetadataFormats", {"verb": "ListMetadataFormats", "identifier": "oai:x.example:4"}),
        ("noRecordsMatch", {"verb": "ListRecords", "metadataPrefix": DC, "from": "2030-01-01"}),
        ("noRecordsMatch", {"verb": "ListRecords", "metadataPrefix": DC, "set": "zz"}),
    ],
)
def test_errors(ask: Ask, source: SampleSource, code: str, query: dict[str, str]) -> None:
    root = etree.fromstring(answer(source, list(query.items())))
    assert error(root) == code
    echoed = dict(root.find(f"{OAI}request").attrib)
    assert echoed == ({} if code in {"badVerb", "badArgument"} else query)


def test_a_repeated_argument_is_an_error(source: SampleSource) -> None:
    prefix = ("metadataPrefix", DC)
    assert error(etree.fromstring(answer(source, [("verb", "ListRecords"), prefix, prefix]))) == "badArgument"
    assert error(etree.fromstring(answer(source, [("verb", "Identify"), ("verb", "Identify")]))) == "badVerb"


def test_without_sets_there_is_no_set_hierarchy(ask: Ask, source: SampleSource) -> None:
    source.sets = ()
    assert error(ask("ListSets")) == "noSetHierarchy"
    assert error(ask("ListRecords", metadataPrefix=DC, set="a")) == "noSetHierarchy"


def test_a_token_of_one_verb_is_refused_by_another(ask: Ask) -> None:
    assert error(ask("ListIdentifiers", resumptionToken=token(ask("ListRecords", metadataPrefix=DC)))) == (
        "badResumptionToken"
    )


def test_characters_that_xml_does_not_allow_are_not_echoed(source: SampleSource) -> None:
    params = [("verb", "GetRecord"), ("metadataPrefix", DC), ("identifier", 'x\x00\ufffe"<&')]
    assert error(etree.fromstring(answer(source, params))) == "idDoesNotExist"
