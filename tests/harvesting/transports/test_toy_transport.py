"""A transport is one folder and one line of registration: from there on everything works, without a migration."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.utils import translation

from aggregator.tasks import aggregate
from harvesting.accounts.roles import LIBRARIANS, STAFF
from harvesting.harvest.recheck import queue_recheck
from harvesting.harvest.run import create_harvest, harvest
from harvesting.joining import application as joining
from harvesting.messages import describe
from harvesting.models import Draft, Feed, Harvest, Repository, SelfTest, SourceRecord
from harvesting.transports.registry import TRANSPORTS
from harvesting.trials import self_test as validating
from harvesting.trials.probe import probe
from tests.aggregator.views.manage.test_join import person
from tests.books import book
from tests.harvesting.fakeserver import Answer, FakeServer, serving
from tests.harvesting.transports import toy

pytestmark = pytest.mark.django_db
NEWER = "2099-01-01T00:00:00Z"


@pytest.fixture(autouse=True)
def registered(monkeypatch, settings, tmp_path):
    settings.HARVEST_ALLOWED_NETWORKS = ["127.0.0.0/8"]
    settings.HARVEST_MIN_PAUSE = 0
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(validating, "enqueue", lambda made: None)
    monkeypatch.setitem(TRANSPORTS, "toy", toy.TRANSPORT)


class ToyBox:
    """A provider of toys, in pages of two. records: identifier -> (date stamp, payload or b"")."""

    def __init__(self, server: FakeServer) -> None:
        self.url = f"{server.url}/toys"
        self.records: dict[str, tuple[str, bytes]] = {}
        self._server = server
        server.answer = self._answer

    def put(self, name: str, stamp: str = "2026-01-10T00:00:00Z", payload: bytes | None = None) -> None:
        payload = book(name, title=f"玩具の本{name}") if payload is None else payload
        self.records[name] = (stamp, payload.replace(b"\n", b" "))

    def asked(self, name: str) -> list[str]:
        """The values of this argument in all requests."""
        return [request.arguments[name] for request in self._server.requests if name in request.arguments]

    def _answer(self, request) -> Answer:
        given = request.arguments
        wanted = [
            b"\t".join([name.encode(), stamp.encode(), payload])
            for name, (stamp, payload) in self.records.items()
            if stamp >= given.get("since", "") and given.get("id", name) == name
        ]
        start = int(given.get("from", 0))
        lines = [b"TOY/1 Toys", *wanted[start : start + 2]]
        if len(wanted) > start + 2:
            lines.append(f"NEXT {start + 2}".encode())
        return Answer(body=b"\n".join(lines), headers={"Content-Type": "text/plain"})


@pytest.fixture
def box():
    with serving() as server:
        box = ToyBox(server)
        for name in ("b1", "b2", "b3"):
            box.put(name)
        yield box


@pytest.fixture
def feed(box):
    call_command("register", name="玩具図書館", protocol="toy", base_url=box.url, stdout=StringIO(), stderr=StringIO())
    Repository.objects.update(state="live")
    return Feed.objects.get()


def run(feed: Feed, **scope: object) -> Harvest:
    made = create_harvest(Feed.objects.get(pk=feed.pk), **scope)
    harvest(made)
    made.refresh_from_db()
    assert made.state == "succeeded", describe(made.code, made.facts)
    return made


def live() -> list[str]:
    return sorted(SourceRecord.objects.filter(deleted=False).values_list("identifier", flat=True))


def test_the_command_registers_it_and_finds_out_the_format(feed):
    assert (feed.protocol, feed.metadata_prefix, feed.get_protocol_display()) == ("toy", "dcndl", "Toy")
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


def test_it_is_detected_and_tried_out(box):
    found = probe(box.url, sample=5)
    assert (found.protocol, found.prefix, found.received, found.registered) == ("toy", "dcndl", 3, 3)
    told = StringIO()
    call_command("probe", box.url, stdout=told)
    assert "Toy" in told.getvalue()


def test_it_is_harvested_in_full_then_only_its_changes_with_their_deletions(box, feed):
    assert (run(feed).created, live(), box.asked("from")[-1]) == (3, ["b1", "b2", "b3"], "2")
    box.put("b2", NEWER, book("b2", title="新しい題名"))
    box.put("b3", NEWER, b"")
    changes = run(feed)
    assert (changes.kind, changes.updated, changes.deleted, live()) == ("incremental", 1, 1, ["b1", "b2"])
    assert box.asked("since")
    assert Feed.objects.get().deleted_record == "transient"  # its identify was asked


def test_a_full_run_deletes_what_is_absent_and_an_empty_one_is_noticed(box, feed):
    run(feed)
    del box.records["b3"]
    run(feed, full=True)
    assert live() == ["b1", "b2"]
    box.records.clear()
    with translation.override("en"):
        assert run(feed).observations["toy.empty"]["count"] == 1
        assert describe("toy.empty", {}) == "The toy box is empty. Fill it."


def test_single_records_are_fetched_and_missing_ones_noticed(box, feed):
    run(feed)
    rows = list(SourceRecord.objects.order_by("identifier").values_list("pk", flat=True))
    del box.records["b2"]
    [again] = queue_recheck(feed.repository, rows, "taro")
    harvest(again)
    again.refresh_from_db()
    assert (again.state, again.observations["toy.no_record"]["count"]) == ("succeeded", 1)
    assert box.asked("id")[-3:] == ["b1", "b2", "b3"]


def test_a_librarian_registers_it_page_by_page(box):
    librarian = person("hanako", LIBRARIANS)
    librarian.post("/manage/join/")
    page = f"/manage/join/{Draft.objects.get().pk}"
    shown = librarian.get(f"{page}/address").content.decode()
    assert '<option value="toy">Toy</option>' in shown
    assert "Toy: where the toys are." in shown
    assert librarian.post(f"{page}/address", {"base_url": box.url, "protocol": ""}).status_code == 302
    for made in SelfTest.objects.filter(state="queued"):
        validating.run(made)
    assert "Toy" in librarian.get(f"{page}/offer").content.decode()
    draft = Draft.objects.get()
    assert (joining.feed_so_far(draft).protocol, joining.report_of(draft.looked).prefix) == ("toy", "dcndl")


def test_pages_of_the_console_and_of_readers_know_it(box, feed, client):
    made = run(feed)
    staff = person("taro", STAFF)
    provider = f"/manage/providers/{feed.repository.number}/"
    for language in ("ja", "en"):
        headers = {"accept-language": language}
        assert staff.get(provider, headers=headers).status_code == 200
        assert "Toy" in staff.get(f"{provider}feeds/{feed.pk}", headers=headers).content.decode()
        assert staff.get(f"/manage/harvests/{made.pk}/", headers=headers).status_code == 200
        assert "Toy" in client.get(f"/repositories/{feed.repository.number}", headers=headers).content.decode()
        assert "For children." in client.get("/guide", headers=headers).content.decode()
        assert "ResourceSync, RSS, Toy" in client.get("/contact", headers=headers).content.decode().replace("、", ", ")
        assert "of a toy box" in client.get("/validate/", headers=headers).content.decode()


def test_its_records_reach_other_services(feed, client):
    run(feed)
    aggregate()
    answer = client.get("/oai", {"verb": "ListRecords", "metadataPrefix": "oai_dc"}).content.decode()
    assert "玩具の本b1" in answer


def test_a_feed_whose_transport_is_gone_is_shown_and_says_so(box, feed, monkeypatch):
    monkeypatch.delitem(TRANSPORTS, "toy")
    made = create_harvest(Feed.objects.get())
    harvest(made)
    made.refresh_from_db()
    assert (made.state, made.code) == ("failed", "run.unknown_protocol")
    assert person("taro", STAFF).get(f"/manage/providers/{feed.repository.number}/").status_code == 200
