"""The licence and the origins that came with a record are redistributed; a licence without changes is obeyed."""

import gzip
import json

import pytest
from django.test import Client
from lxml import etree
from msgspec import structs

from aggregator.models import Member
from aggregator.provision import permitted_books
from aggregator.provision.dumps import Dump, make_dump
from aggregator.provision.licences import mergeable
from aggregator.tasks import aggregate
from core.files import shared
from harvesting.models import Feed, RecordAbout, Repository, SourceRecord
from metadata.about import About, Origin, encode_about
from tests.aggregator.provision.list_helpers import aggregate_a_second_later, name_of_book
from tests.aggregator.shelves import Shelf
from tests.books import record
from tests.stored_once import stored_once

pytestmark = pytest.mark.django_db
BY = "https://creativecommons.org/licenses/by/4.0/"
BY_NC, BY_SA, BY_NC_SA = (
    f"https://creativecommons.org/licenses/{kind}/4.0/" for kind in ("by-nc", "by-sa", "by-nc-sa")
)
BY_ND = "https://creativecommons.org/licenses/by-nd/4.0/"
ORIGINS = tuple(
    Origin(
        base_url=f"https://origin{number}.example/oai",
        identifier=f"oai:origin{number}.example:1",
        datestamp="2024-01-01",
        namespace="http://purl.org/ns",
        harvested="2024-02-01T00:00:00Z",
        altered=number == 1,
    )
    for number in (1, 2)
)
NS = {"o": "http://www.openarchives.org/OAI/2.0/", "p": "http://www.openarchives.org/OAI/2.0/provenance"}


@pytest.fixture
@stored_once
def shelf(db: None) -> Shelf:
    """Two descriptions of one book, of a provider whose licence is BY; the older one came under BY-ND."""
    shelf = Shelf()
    for provider in "ab":
        Repository.objects.filter(pk=shelf.repository(provider).pk).update(licence=BY)
    first = structs.replace(record("1"), notes=("no changes",))
    own = shelf.put("a", "first", first)
    shelf.put("b", "second", record("1"))
    feed = Feed.objects.create(repository=shelf.repository("a"), base_url="https://a.example/oai")
    SourceRecord.objects.filter(pk=own.pk).update(feed=feed, datestamp="2024-03-01")
    say(own, About(rights=(BY_ND,), origins=ORIGINS))
    aggregate()
    return shelf


def say(source: SourceRecord, about: About) -> None:
    RecordAbout.objects.update_or_create(record=source, defaults={"packed": encode_about(about)})
    SourceRecord.objects.filter(pk=source.pk).update(aggregated_at=None)


def oai(client: Client, set_spec: str) -> list[etree._Element]:
    root = etree.fromstring(
        client.get("/oai", {"verb": "ListRecords", "metadataPrefix": "dcndl", "set": set_spec}).content
    )
    return root.findall(".//o:record", NS)


def licences(record: etree._Element) -> list[str]:
    return [str(ref) for ref in record.xpath("o:about//@ref", namespaces=NS)]


def test_the_licence_of_a_record_stands_above_that_of_its_provider(client: Client, shelf: Shelf) -> None:
    assert [licences(record) for record in oai(client, "repository")] == [[BY_ND], [BY]]


def test_the_origins_nest_in_the_provenance(client: Client, shelf: Shelf) -> None:
    [first, second] = oai(client, "repository")
    found = first.xpath("o:about/p:provenance//p:baseURL/text()", namespaces=NS)
    assert found == ["https://a.example/oai", *(origin.base_url for origin in ORIGINS)]
    nested = first.find(".//p:originDescription/p:originDescription/p:originDescription", NS)
    assert (nested.get("harvestDate"), nested.get("altered")) == ("2024-02-01T00:00:00Z", "false")
    assert not second.findall(".//p:originDescription", NS)


@pytest.mark.parametrize("value", ["", "yesterday", "2024-02-31", '"><x/>'])
def test_an_origin_with_a_wrong_date_is_left_out(client: Client, shelf: Shelf, value: str) -> None:
    wrong = structs.replace(ORIGINS[0], harvested=value)
    say(SourceRecord.objects.get(identifier="first"), About(origins=(wrong, ORIGINS[1])))
    aggregate_a_second_later()
    found = oai(client, "repository")[-1].xpath("o:about/p:provenance//p:baseURL/text()", namespaces=NS)
    assert found == ["https://a.example/oai"]


def test_a_description_that_must_not_be_changed_is_not_merged(client: Client, shelf: Shelf) -> None:
    [merged] = oai(client, "merged")
    assert licences(merged) == [BY]
    assert b"no changes" not in etree.tostring(merged)
    assert b"no changes" in etree.tostring(oai(client, "repository")[0])
    [book] = permitted_books.books([Member.objects.first().manifestation_id]).values()
    assert (book.record.notes, [member.public_id[:10] for member in book.members]) == ((), ["R000000002"])


def test_a_book_of_which_nothing_may_be_changed_is_given_as_its_oldest_description(
    client: Client, shelf: Shelf
) -> None:
    say(SourceRecord.objects.get(identifier="second"), About(rights=(BY_ND,)))
    aggregate_a_second_later()
    [merged] = oai(client, "merged")
    assert licences(merged) == [BY_ND]
    assert b"no changes" in etree.tostring(merged)


def test_descriptions_are_merged_as_far_as_their_licences_go_together() -> None:
    """The names of the members are their licences."""
    for stated, merged_from in (
        ([BY, BY_NC], [BY, BY_NC]),
        ([BY_NC_SA, BY_NC, ""], [BY_NC_SA, BY_NC, ""]),
        ([BY_SA, "CC0"], [BY_SA, "CC0"]),
        ([BY_NC, BY_SA, BY], [BY_SA, BY]),
        ([BY_SA, BY_NC_SA], [BY_SA]),
        ([BY_ND, BY_NC, "CC BY-NC-ND"], [BY_NC]),
        (["CC BY-NC-ND", BY_ND], ["CC BY-NC-ND"]),
        ([], []),
    ):
        members = [(licence, (licence,) if licence else ()) for licence in stated]
        assert list(mergeable(members)) == merged_from


def test_a_merged_record_under_sharealike_has_nothing_for_noncommercial_use_only(client: Client, shelf: Shelf) -> None:
    say(SourceRecord.objects.get(identifier="first"), About(rights=(BY_NC,)))
    say(SourceRecord.objects.get(identifier="second"), About(rights=(BY_SA,)))
    aggregate_a_second_later()
    [merged] = oai(client, "merged")
    assert licences(merged) == [BY_SA]
    assert b"no changes" not in etree.tostring(merged)
    assert [licences(record) for record in oai(client, "repository")] == [[BY_NC], [BY_SA]]


def test_dumps_give_the_licence_of_each_record(shelf: Shelf) -> None:
    *_steps, dump = make_dump(["jsonl"])
    assert isinstance(dump, Dump)
    lines = {part: lines_of(dump, part) for part in ("merged", "records")}
    assert [line["licences"] for line in lines["records"]] == [[BY]]
    assert [line["licences"] for line in lines_of(dump, "records-unchanged")] == [[BY_ND]]
    assert [line["licences"] for line in lines["merged"]] == [[BY]]
    assert [len(line["members"]) for line in lines["merged"]] == [1]


def lines_of(dump: Dump, part: str) -> list[dict[str, list[str]]]:
    with gzip.open(shared.local(f"{dump.folder}/{part}.jsonl.gz")) as file:
        return [json.loads(line) for line in file]


def test_records_under_conditions_are_in_files_of_their_own(client: Client, shelf: Shelf) -> None:
    shelf.put("b", "alike", record("2", title="継承の本"))
    shelf.put("b", "without", record("3", title="自由な本"))
    say(SourceRecord.objects.get(identifier="first"), About(rights=("CC BY-NC-ND 4.0",)))
    say(SourceRecord.objects.get(identifier="second"), About(rights=(BY_NC_SA,)))
    say(SourceRecord.objects.get(identifier="alike"), About(rights=(BY_SA,)))
    aggregate_a_second_later()
    *_steps, dump = make_dump(["jsonl", "rdf"])
    assert isinstance(dump, Dump)
    assert {file.name: (file.records, file.conditions) for file in dump.files if ".jsonl" in file.name} == {
        "merged.jsonl.gz": (1, ()),
        "merged-noncommercial-sharealike.jsonl.gz": (1, ("nc", "sa")),
        "merged-sharealike.jsonl.gz": (1, ("sa",)),
        "records.jsonl.gz": (1, ()),
        "records-noncommercial-unchanged.jsonl.gz": (1, ("nc", "nd")),
        "records-noncommercial-sharealike.jsonl.gz": (1, ("nc", "sa")),
        "records-sharealike.jsonl.gz": (1, ("sa",)),
    }
    for file in client.get("/dumps/manifest.json").json()["dumps"][0]["files"]:
        body = client.get(file["url"].removeprefix("http://127.0.0.1:8000")).getvalue()
        assert len(body) == file["bytes"]
        if ".rdf" in file["name"]:
            root = etree.fromstring(gzip.decompress(body))
            assert len(root.findall("{*}BibAdminResource")) == file["records"]


def test_readers_see_the_licence_of_each_description(client: Client, shelf: Shelf) -> None:
    name = SourceRecord.objects.get(identifier="first").public_id
    page = client.get(f"/books/{name}", follow=True).text
    assert f'<a class="tag" href="{BY_ND}" rel="license noopener noreferrer nofollow">CC BY-ND 4.0</a>' in page
    assert f'href="{BY}" rel="license noopener noreferrer nofollow">CC BY 4.0</a>' in page
    own = client.get(f"/books/{name}?source=1", headers={"Accept-Language": "ja"}).text
    assert "改変が認められていない" in own
    assert "https://origin1.example/oai" in own


def test_every_door_states_the_licences_of_what_it_gives(client: Client, shelf: Shelf) -> None:
    words = "ask <us> first"
    say(SourceRecord.objects.get(identifier="second"), About(rights=(BY_NC, words)))
    aggregate_a_second_later()
    book, own = name_of_book("first"), SourceRecord.objects.get(identifier="first").public_id
    assert client.get(f"/api/records/{own}?source=1").json()["licences"] == [BY_ND]
    stated = sorted((BY_NC, words))
    assert client.get(f"/api/records/{book}").json()["licences"] == stated
    assert client.get(f"/books/{book}.json").json()["licences"] == stated
    for ending in ("rdf", "json", "jsonld", "xml?format=oai_dc"):
        assert client.get(f"/books/{book}.{ending}")["Link"] == f'<{BY_NC}>; rel="license"', ending
    [hit] = client.get("/api/search", {"q": "見本"}).json()["items"]
    assert hit["licences"] == stated
    sru = client.get("/sru", {"operation": "searchRetrieve", "version": "1.2", "query": "見本"}).content
    found = etree.fromstring(sru).findall(".//{*}record/{*}extraRecordData/{*}licence")
    assert [element.text for element in found] == stated
    for name in ("rss", "atom"):
        feed = etree.fromstring(client.get("/opensearch", {"q": "見本", "format": name}).content)
        [item] = feed.iter("item", "{http://www.w3.org/2005/Atom}entry")
        links = item.findall("{http://www.w3.org/2005/Atom}link[@rel='license']")
        assert [link.get("href") for link in links] == [BY_NC], name


def test_no_door_gives_a_record_that_forbids_it(client: Client, shelf: Shelf) -> None:
    for identifier in ("first", "second"):
        say(SourceRecord.objects.get(identifier=identifier), About(rights=("All rights reserved.",)))
    aggregate_a_second_later()
    book, own = name_of_book("first"), SourceRecord.objects.get(identifier="first").public_id
    assert client.get(f"/api/records/{own}?source=1").status_code == 403
    assert client.get(f"/api/records/{book}").status_code == 403
    assert client.get(f"/books/{book}.rdf").status_code == 403
    assert client.get(f"/books/{book}.ris").status_code == 200  # what a reader notes about a book
    assert client.get(f"/books/{book}").status_code == 200
    for answer in (client.get("/api/search", {"q": "見本"}), client.get("/opensearch", {"q": "見本"})):
        assert b"no changes" not in answer.content and book.encode() not in answer.content


def test_words_of_a_provider_are_no_markup(client: Client, shelf: Shelf) -> None:
    source = SourceRecord.objects.get(identifier="first")
    say(source, About(rights=("<b>x</b>", "javascript:alert(1)"), origins=(Origin(base_url="<i>y</i>"),)))
    pages = [client.get(f"/books/{source.public_id}{query}", follow=True).text for query in ("", "?source=1")]
    for page in pages:
        assert "<b>x" not in page and "<i>y" not in page and 'href="javascript' not in page
        assert "&lt;b&gt;x" in page


NOT_TO_BE_GIVEN = (
    "All rights reserved.",
    "No redistribution without permission",
    "無断転載を禁じます",
    "本データの再配布は禁止",
)


@pytest.mark.parametrize("words", NOT_TO_BE_GIVEN)
def test_a_record_that_forbids_it_is_not_given_on(client: Client, shelf: Shelf, words: str) -> None:
    say(SourceRecord.objects.get(identifier="second"), About(rights=(words,)))
    aggregate_a_second_later()
    [merged] = oai(client, "merged")
    assert licences(merged) == [BY_ND]
    given = {record.findtext("o:header/o:identifier", "", NS): record for record in oai(client, "repository")}
    deleted = [record.find("o:header", NS).get("status") for record in given.values()]
    assert sorted(deleted, key=str) == [None, "deleted"]
    [book] = permitted_books.books([Member.objects.first().manifestation_id]).values()
    assert [member.public_id[:10] for member in book.members] == ["R000000001"]
    name = SourceRecord.objects.get(identifier="second").public_id
    page = client.get(f"/books/{name}?source=1", headers={"Accept-Language": "en"}).text
    assert "Redistribution is not allowed" in page


def test_a_licence_beside_reserved_rights_allows_to_give_on(client: Client, shelf: Shelf) -> None:
    say(SourceRecord.objects.get(identifier="second"), About(rights=("All rights reserved", BY)))
    aggregate_a_second_later()
    assert [record.find("o:header", NS).get("status") for record in oai(client, "repository")] == [None, None]


def test_a_dump_says_which_licences_are_in_it(shelf: Shelf) -> None:
    by_nc = "https://creativecommons.org/licenses/by-nc/4.0/"
    say(SourceRecord.objects.get(identifier="second"), About(rights=(by_nc, "ask <us> first")))
    aggregate_a_second_later()
    *_steps, dump = make_dump(["rdf"])
    assert isinstance(dump, Dump)
    assert dump.licences["records"] == {BY_ND: 1, by_nc: 1, "ask <us> first": 1}
    root = etree.Element("all")
    for kind in ("unchanged", "noncommercial"):
        root.extend(etree.fromstring(gzip.decompress(shared.read(f"{dump.folder}/records-{kind}.rdf.gz"))))
    names = {"d": "http://purl.org/dc/terms/", "r": "http://www.w3.org/1999/02/22-rdf-syntax-ns#"}
    assert sorted(root.xpath("r:Description/d:license/@r:resource", namespaces=names)) == sorted([BY_ND, by_nc])
    assert root.xpath("r:Description/d:rights/text()", namespaces=names) == ["ask <us> first"]
