"""OAI-PMH as NDL Search has it: sets of providers, spans of a year, Japanese time."""

from datetime import UTC, datetime, timedelta

import pytest
from lxml import etree
from msgspec import structs

from aggregator.provision.ndl import harvesting
from aggregator.tasks import aggregate
from harvesting.models import Repository, SourceRecord
from metadata.record import MaterialType
from tests.aggregator.shelves import Shelf
from tests.books import record
from tests.stored_once import stored_once

pytestmark = pytest.mark.django_db
NS = {"o": "http://www.openarchives.org/OAI/2.0/"}
JAPAN = timedelta(hours=9)


@pytest.fixture
@stored_once
def catalogue():
    shelf = Shelf()
    for number in range(5):
        shelf.put("ab"[number % 2], f"oai:p:{number}", record(str(number), title=f"{number}冊目の本"))
    aggregate()
    return shelf


def ask(client, **arguments):
    named = {name.rstrip("_"): value for name, value in arguments.items()}
    answer = client.get("/api/oaipmh", named)
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/xml; charset=utf-8")
    return etree.fromstring(answer.content)


def texts(root, path):
    return [element.text for element in root.iterfind(path, NS)]


def yesterday():
    return (datetime.now(UTC) + JAPAN - timedelta(days=1)).strftime("%Y-%m-%d")


def test_a_list_has_the_providers_records_with_the_provider_as_set(client, catalogue):
    root = ask(client, verb="ListRecords", metadataPrefix="dcndl", from_=yesterday())
    identifiers, sets = texts(root, ".//o:identifier"), set(texts(root, ".//o:setSpec"))
    assert len(identifiers) == 5
    assert all("-I" in identifier for identifier in identifiers)
    numbers = set(texts(ask(client, verb="ListSets"), ".//o:setSpec"))
    assert sets == numbers - {"book"}
    assert len(sets) == 2


def test_a_set_is_the_number_of_a_provider(client, catalogue):
    number = texts(ask(client, verb="ListSets"), ".//o:setSpec")[0]
    root = ask(client, verb="ListIdentifiers", metadataPrefix="oai_dc", from_=yesterday(), set=number)
    assert set(texts(root, ".//o:setSpec")) == {number}
    none = ask(client, verb="ListIdentifiers", metadataPrefix="oai_dc", from_=yesterday(), set="aozora")
    assert none.find("o:error", NS).get("code") == "noRecordsMatch"


def test_a_name_of_ndl_may_stand_for_several_providers(client, catalogue):
    names = dict(SourceRecord.objects.values_list("public_id", "repository__name"))
    for name, number in (("a", "R000000004"), ("b", "R100000039")):
        Repository.objects.filter(name=name).update(number=number)
    assert members(client, "ndl-article-online") == names.keys()
    assert members(client, "ndl-dl") == {record for record, provider in names.items() if provider == "b"}


@pytest.fixture
@stored_once
def groups(catalogue):
    """The catalogue with a journal that is a newspaper too, an issue of a journal that says that it is a unit of use,
    and an article; provider a's records are public domain.
    """
    kinds = {"oai:p:journal": "Journal Newspaper", "oai:p:article": "Article", "oai:p:issue": "Journal"}
    for name, types in kinds.items():
        of_types = tuple(MaterialType(uri=f"http://ndl.go.jp/ndltype/{key}") for key in types.split())
        described = structs.replace(record(name, title=f"{name}の本"), material_types=of_types)
        catalogue.put("b", name, structs.replace(described, level="book" if name == "oai:p:issue" else ""))
    Repository.objects.filter(name="a").update(licence="https://creativecommons.org/publicdomain/zero/1.0/")
    aggregate()
    return catalogue


def members(client, name):
    """Return what a set has, read page by page."""
    root = ask(client, verb="ListIdentifiers", metadataPrefix="dcndl", from_=yesterday(), set=name)
    seen = texts(root, ".//o:identifier")
    while token := root.findtext(".//o:resumptionToken", namespaces=NS):
        root = ask(client, verb="ListIdentifiers", resumptionToken=token)
        seen += texts(root, ".//o:identifier")
    assert len(seen) == len(set(seen))
    return {identifier.rpartition(":")[2] for identifier in seen}


def test_a_set_is_a_data_group(client, groups, monkeypatch):
    monkeypatch.setattr(harvesting, "PAGE_SIZE", 2)
    names = dict(SourceRecord.objects.values_list("identifier", "public_id"))
    of = dict(SourceRecord.objects.values_list("public_id", "repository__name"))
    assert members(client, "title") == {names["oai:p:journal"]}
    assert members(client, "article") == {names["oai:p:article"]}
    assert members(client, "book") == {*names.values()} - {names["oai:p:journal"], names["oai:p:article"]}
    assert members(client, "open") == {name for name, provider in of.items() if provider == "a"}


def test_a_record_that_leaves_a_data_group_is_deleted_there(client, groups):
    groups.put("b", "oai:p:article", record("oai:p:article", title="本になった記事"))
    aggregate()
    root = ask(client, verb="ListIdentifiers", metadataPrefix="dcndl", from_=yesterday(), set="article")
    assert [header.get("status") for header in root.iterfind(".//o:header", NS)] == ["deleted"]


@pytest.fixture
@stored_once
def collections(catalogue):
    """The catalogue with two digitised records of NDL: one that anyone can read, and one for its building only."""
    stated = {"open": ("A00002 A00000", "インターネット公開"), "closed": ("A00001 A00000", "国立国会図書館内限定公開")}
    for name, (codes, access) in stated.items():
        described = record(name, title=f"{name}の本")
        catalogue.put("b", name, structs.replace(described, sub_category=codes, access_rights=(access,)))
    aggregate()
    return catalogue


def test_a_set_is_a_collection_code_or_an_access_right(client, collections):
    names = dict(SourceRecord.objects.values_list("identifier", "public_id"))
    both = {names["open"], names["closed"]}
    assert (members(client, "A00000"), members(client, "A00002")) == (both, {names["open"]})
    assert (members(client, "ARinternet"), members(client, "ARkannai")) == ({names["open"]}, {names["closed"]})
    listed = texts(ask(client, verb="ListSets"), ".//o:setSpec")
    assert {"A00000", "A00001", "A00002", "ARinternet", "ARkannai"} <= {*listed}
    assert not {"A00003", "ARrekion", "Book"} & {*listed}


def test_a_record_that_is_no_longer_open_is_deleted_in_the_set_of_open_ones(client, collections):
    closed = structs.replace(record("open"), sub_category="A00000", access_rights=("国立国会図書館内限定公開",))
    collections.put("b", "open", closed)
    aggregate()
    root = ask(client, verb="ListIdentifiers", metadataPrefix="dcndl", from_=yesterday(), set="ARinternet")
    assert [header.get("status") for header in root.iterfind(".//o:header", NS)] == ["deleted"]
    assert len(members(client, "ARkannai")) == 2


def test_collections_are_no_sets_of_our_own_door(client, collections):
    body = client.get("/oai", {"verb": "ListIdentifiers", "metadataPrefix": "dcndl"}).content.decode()
    assert "type:Book" in body and "A00000" not in body and "ARinternet" not in body


def test_a_set_that_the_site_does_not_have_has_no_records(client, groups):
    for name in ("A00001", "ARinternet", "ndl-group:other"):
        root = ask(client, verb="ListIdentifiers", metadataPrefix="dcndl", from_=yesterday(), set=name)
        assert root.find("o:error", NS).get("code") == "noRecordsMatch"


def test_the_data_groups_that_have_records_are_listed(client, groups):
    assert set(texts(ask(client, verb="ListSets"), ".//o:setSpec")) >= {"open", "title", "article", "book"}
    Repository.objects.update(licence="")
    assert "open" not in texts(ask(client, verb="ListSets"), ".//o:setSpec")


def test_times_are_those_of_japan(client, catalogue):
    header = ask(client, verb="ListIdentifiers", metadataPrefix="oai_dc", from_=yesterday()).find(".//o:header", NS)
    identifier = header.findtext("o:identifier", namespaces=NS)
    own = etree.fromstring(
        client.get("/oai", {"verb": "GetRecord", "metadataPrefix": "oai_dc", "identifier": identifier}).content
    )
    stamps = [root.findtext(".//o:datestamp", namespaces=NS) for root in (header, own)]
    japanese, universal = map(datetime.fromisoformat, stamps)
    assert japanese - universal == JAPAN
    found = ask(client, verb="ListIdentifiers", metadataPrefix="oai_dc", from_=stamps[0], until=stamps[0])
    assert identifier in texts(found, ".//o:identifier")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"verb": "ListRecords", "metadataPrefix": "dcndl"}, "badArgument"),
        (
            {"verb": "ListRecords", "metadataPrefix": "dcndl", "from_": "2020-01-01", "until": "2021-06-01"},
            "badArgument",
        ),
        ({"verb": "ListRecords", "metadataPrefix": "dcndl", "from_": "2020-01-01"}, "noRecordsMatch"),
        ({"verb": "ListRecords", "metadataPrefix": "dcndl_v4", "from_": "2026-01-01"}, "cannotDisseminateFormat"),
        ({"verb": "ListRecords", "resumptionToken": "x"}, "badResumptionToken"),
        ({"verb": "GetRecord", "metadataPrefix": "dcndl", "identifier": "oai:x:1"}, "idDoesNotExist"),
        ({"verb": "Nothing"}, "badVerb"),
    ],
)
def test_errors_are_those_of_the_protocol(client, catalogue, arguments, code):
    assert ask(client, **arguments).find("o:error", NS).get("code") == code


def test_lists_are_given_in_portions(client, catalogue, monkeypatch):
    monkeypatch.setattr(harvesting, "PAGE_SIZE", 2)
    root = ask(client, verb="ListIdentifiers", metadataPrefix="dcndl", from_=yesterday())
    seen = texts(root, ".//o:identifier")
    while token := root.findtext(".//o:resumptionToken", namespaces=NS):
        root = ask(client, verb="ListIdentifiers", resumptionToken=token)
        seen += texts(root, ".//o:identifier")
    assert len(seen) == len(set(seen)) == 5


def test_an_identifier_may_have_ndls_domain(client, catalogue):
    identifier = texts(
        ask(client, verb="ListIdentifiers", metadataPrefix="dcndl", from_=yesterday()), ".//o:identifier"
    )
    ndl = f"oai:ndlsearch.ndl.go.jp:{identifier[0].rpartition(':')[2]}"
    root = ask(client, verb="GetRecord", metadataPrefix="dcndl", identifier=ndl)
    assert texts(root, ".//o:header/o:identifier") == identifier[:1]


def test_identify_and_formats_describe_this_face(client, catalogue):
    identify = ask(client, verb="Identify").find("o:Identify", NS)
    assert identify.findtext("o:baseURL", namespaces=NS) == "http://127.0.0.1:8000/api/oaipmh"
    assert identify.findtext("o:deletedRecord", namespaces=NS) == "persistent"
    assert texts(ask(client, verb="ListMetadataFormats"), ".//o:metadataPrefix") == [
        "oai_dc",
        "dcndl",
        "dcndl_v3",
        "dcndl_v1",
    ]
