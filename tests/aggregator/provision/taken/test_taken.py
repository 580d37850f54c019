"""Which harvesters took a record: only whole lists count, only the current form, and no address is stored."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import DatabaseError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from lxml import etree

from aggregator.access.api_keys import create_key
from aggregator.models import ResourcePackage, TakenList
from aggregator.provision.oai import lists
from aggregator.provision.resourcesync import packages
from aggregator.provision.taken.harvesters import harvesters_of
from aggregator.provision.taken.recording import KEPT, MOST_A_DAY, TAKEN, forget
from aggregator.tasks import aggregate
from aggregator.views.public.oai_pmh import oai
from harvesting.models import Repository, SourceRecord
from tests.aggregator.provision.list_helpers import aggregate_a_second_later, name_of_book
from tests.aggregator.shelves import Shelf
from tests.books import record

pytestmark = pytest.mark.django_db
TOKEN = "{http://www.openarchives.org/OAI/2.0/}resumptionToken"
ROBOT = {"User-Agent": "robot/1.0", "X-Forwarded-For": "203.0.113.77"}


@pytest.fixture
def shelf(settings, tmp_path) -> Shelf:
    """Four records of two providers. Requests come through a proxy."""
    settings.DATA_DIR = tmp_path
    settings.TRUSTED_PROXIES = ("127.0.0.1",)
    TAKEN._counts.clear()  # of lists in tests before
    shelf = Shelf()
    for number in range(4):
        shelf.put("ab"[number % 2], f"oai:p:{number}", record(str(number), title=f"{number}冊目の本"))
    aggregate()
    return shelf


def read(
    client: Client, headers: dict[str, str] = ROBOT, pages: int = 99, path: str = "/oai", **arguments: str
) -> None:
    """Read a list, or only its first pages."""
    arguments = {"verb": "ListRecords", "metadataPrefix": "oai_dc", **arguments}
    for _page in range(pages):
        answer = etree.fromstring(client.get(path, arguments, headers=headers).content)
        token = answer.findtext(f".//{TOKEN}")
        if not token:
            return
        arguments = {"verb": arguments["verb"], "resumptionToken": token}


def name_of(number: int) -> str:
    return SourceRecord.objects.get(identifier=f"oai:p:{number}").public_id


def clients_of(name: str) -> list[tuple[str, str]]:
    return [(harvester.client, harvester.network) for harvester in harvesters_of(name)]


def test_a_list_that_was_read_to_its_end_says_who_has_its_records(client, shelf, monkeypatch):
    monkeypatch.setitem(lists.PAGE_SIZES, "ListRecords", 3)
    read(client, pages=1)
    assert clients_of(name_of(0)) == []
    read(client)
    read(client)
    assert clients_of(name_of(0)) == clients_of(name_of_book("oai:p:0")) == [("robot/1.0", "203.0.113.0/24")]
    TAKEN.write()
    assert TakenList.objects.count() == 2
    assert "203.0.113.77" not in str(list(TakenList.objects.values()))


def test_a_changed_record_is_taken_when_it_is_read_again(client, shelf):
    read(client)
    shelf.put("a", "oai:p:0", record("0", title="改題"))
    second = aggregate_a_second_later()
    assert clients_of(name_of(0)) == []
    assert clients_of(name_of(1)) == [("robot/1.0", "203.0.113.0/24")]
    read(client, **{"from": datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")})
    assert clients_of(name_of(0)) == [("robot/1.0", "203.0.113.0/24")]


def test_a_set_has_only_its_records(client, shelf):
    number = Repository.objects.get(name="a").number
    read(client, set=f"repository:{number}")
    assert clients_of(name_of(0))
    assert not clients_of(name_of(1))
    assert not clients_of(name_of_book("oai:p:0"))
    read(client, {"User-Agent": "merger"}, set="merged")
    assert [name for name, _network in clients_of(name_of_book("oai:p:0"))] == ["merger"]
    assert not clients_of(name_of(1))


def test_the_face_of_ndl_search_counts_too(client, shelf):
    yesterday = datetime.now(UTC) - timedelta(days=1)
    read(client, path="/api/oaipmh", **{"from": yesterday.strftime("%Y-%m-%d")})
    [harvester] = harvesters_of(name_of(0))
    assert harvester.door == TakenList.Door.NDL


def test_headers_heads_single_records_errors_and_people_do_not_count(client, shelf):
    read(client, verb="ListIdentifiers")
    client.head("/oai", {"verb": "ListRecords", "metadataPrefix": "oai_dc"})
    client.get("/oai", {"verb": "ListRecords", "metadataPrefix": "oai_dc"}, headers={"Sec-Fetch-Dest": "document"})
    read(client, set="no-such-set")
    identifier = f"oai:aggregator.localhost:{name_of(0)}"
    client.get("/oai", {"verb": "GetRecord", "metadataPrefix": "oai_dc", "identifier": identifier})
    TAKEN.write()
    assert not TakenList.objects.exists()


def test_the_holder_of_a_key_is_known_by_the_name_of_the_key(client, shelf, django_user_model):
    person = django_user_model.objects.create_user("staff")
    _key, token = create_key({"name": "CiNii"}, person)
    read(client, {**ROBOT, "Authorization": f"Bearer {token}"})
    assert clients_of(name_of(0)) == [("CiNii", "")]


def test_packages_and_lists_of_resourcesync_count(client, shelf):
    number = Repository.objects.get(name="a").number
    list(packages.pack())
    package = ResourcePackage.objects.filter(name__contains=number).first()
    client.get(f"/resourcesync/{number}/{package.name}", headers=ROBOT)
    assert [harvester.door for harvester in harvesters_of(name_of(0))] == [TakenList.Door.RESOURCESYNC]
    assert not harvesters_of(name_of(1))
    client.get(f"/resourcesync/{Repository.objects.get(name='b').number}/changelist.xml", headers=ROBOT)
    assert harvesters_of(name_of(1))


def test_old_rows_are_forgotten_and_a_flood_is_left_out(client, shelf):
    read(client)
    TAKEN.write()
    TakenList.objects.update(taken_at=timezone.now() - KEPT - timedelta(days=1))
    assert forget(timezone.now()) == 1
    row = {"door": "oai", "first": 0, "last": 1, "first_item": 0, "last_item": 1, "taken_at": timezone.now()}
    TakenList.objects.bulk_create(TakenList(**row) for _number in range(MOST_A_DAY))
    read(client)
    TAKEN.write()
    assert TakenList.objects.count() == MOST_A_DAY


def test_no_harvester_waits_for_its_row(client, rf, shelf, monkeypatch):
    monkeypatch.setattr(TAKEN, "_next", 0.0)  # a row could be written at once
    with CaptureQueriesContext(connection) as queries:
        assert oai(rf.get("/oai", {"verb": "ListRecords", "metadataPrefix": "oai_dc"})).status_code == 200
    assert not [query["sql"] for query in queries if TakenList._meta.db_table in query["sql"]]
    client.get("/oai", {"verb": "Identify"})  # whose end is the next one
    assert TakenList.objects.count() == 1


def test_a_list_is_answered_while_rows_cannot_be_written(client, shelf, monkeypatch):
    def fail(_counts: object) -> None:
        raise DatabaseError

    monkeypatch.setattr(TAKEN, "_store", fail)
    monkeypatch.setattr(TAKEN, "_next", 0.0)
    assert client.get("/oai", {"verb": "ListRecords", "metadataPrefix": "oai_dc"}, headers=ROBOT).status_code == 200
    TAKEN._counts.clear()
