"""Files with everything: what is in them, how they are told, and how they are sent."""

import base64
import gzip
import hashlib
import json
from datetime import timedelta
from pathlib import Path

import pytest
import time_machine
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from lxml import etree

from aggregator.provision import dumps
from aggregator.tasks import aggregate, write_dump
from core.http.ranges import asked
from harvesting.models import Repository
from metadata.policy import DEFAULT
from metadata.reading import read
from tests.aggregator.provision.giving import taken
from tests.aggregator.shelves import Shelf
from tests.books import record

pytestmark = pytest.mark.django_db
ISBN = "9784003101018"


@pytest.fixture
def dump(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings) -> dumps.Dump:
    settings.DATA_DIR = tmp_path
    shelf = Shelf()
    for number in range(5):
        shelf.put(
            "ab"[number % 2], f"n{number}", record(f"n{number}", title=f"{number}冊目の本", creator=f"著者{number}")
        )
    shelf.put("a", "one", record("1", isbn=ISBN))
    shelf.put("b", "two", record("2", isbn=ISBN))
    shelf.put("c", "secret", record("3", isbn=ISBN, title="見本の本 秘密"))
    Repository.objects.filter(name="c").update(give_on=False)
    Repository.objects.filter(name="a").update(licence="CC0")
    aggregate()
    shelf.delete("n0")
    aggregate()
    call_command("dump")
    return dumps.kept()[0]


def lines(dump: dumps.Dump, name: str) -> list[dict]:
    return [json.loads(line) for line in gzip.decompress((dump.folder / name).read_bytes()).splitlines()]


def test_a_dump_is_what_there_is(dump: dumps.Dump) -> None:
    live = {name for name, state in taken().items() if state == "live"}
    merged, records = lines(dump, "merged.jsonl.gz"), lines(dump, "records.jsonl.gz")
    assert {each["id"] for each in merged} | {each["id"] for each in records} == live
    assert {each["record"]["titles"][0]["value"] for each in merged} == {f"{n}冊目の本" for n in range(1, 5)} | {
        "見本の本"
    }
    together = next(each for each in merged if len(each["members"]) == 2)
    assert together["licences"] == ["CC0"] and together["types"] == ["Book"]
    assert {each["url"] for each in records} == {f"http://127.0.0.1:8000/books/{each['id']}" for each in records}


def test_the_rdf_is_one_document(dump: dumps.Dump) -> None:
    root = etree.fromstring(gzip.decompress((dump.folder / "records.rdf.gz").read_bytes()))
    assert len(root.findall("{*}BibAdminResource")) == 6
    titles = {str(each.text) for each in root.iter("{http://purl.org/dc/terms/}title")}
    assert titles == {f"{number}冊目の本" for number in range(1, 5)} | {"見本の本"}


def test_the_manifest_is_true(dump: dumps.Dump, client: Client) -> None:
    told = client.get("/dumps/manifest.json").json()["dumps"]
    assert [each["name"] for each in told] == [dump.name] and told[0]["began"] <= told[0]["made"]
    assert {each["name"]: each["records"] for each in told[0]["files"]} == {
        "merged.jsonl.gz": 5,
        "merged.rdf.gz": 5,
        "records.jsonl.gz": 6,
        "records.rdf.gz": 6,
    }
    for each in told[0]["files"]:
        answer = client.get(each["url"].removeprefix("http://127.0.0.1:8000"))
        body = answer.getvalue()
        assert (len(body), hashlib.sha256(body).hexdigest()) == (each["bytes"], each["sha256"])
        assert answer["Content-Type"] == "application/gzip" and "Content-Encoding" not in answer
        digest = base64.b64encode(bytes.fromhex(each["sha256"])).decode()
        assert answer["Repr-Digest"] == f"sha-256=:{digest}:"


def test_a_part_can_be_asked_for(dump: dumps.Dump, client: Client) -> None:
    path = f"/dumps/{dump.name}/merged.jsonl.gz"
    whole = client.get(path)
    body, size = whole.getvalue(), int(whole["Content-Length"])
    part = client.get(path, headers={"Range": "bytes=10-19", "If-Range": whole["ETag"]})
    assert (part.status_code, part.getvalue(), part["Content-Range"]) == (206, body[10:20], f"bytes 10-19/{size}")
    assert client.get(path, headers={"Range": f"bytes={size}-"}).status_code == 416
    assert client.get(path, headers={"Range": "bytes=0-1", "If-Range": '"other"'}).status_code == 200
    assert client.get(path, headers={"If-None-Match": whole["ETag"]}).status_code == 304
    assert client.head(path)["Content-Length"] == str(size)
    assert client.get("/dumps/20000101T000000Z/merged.jsonl.gz").status_code == 404


@pytest.mark.parametrize(
    ("header", "part"),
    [
        ("bytes=0-0", (0, 0)),
        ("bytes=5-", (5, 9)),
        ("bytes=-3", (7, 9)),
        ("bytes=-30", (0, 9)),
        ("bytes=2-99", (2, 9)),
        ("bytes=3-2", None),
        ("bytes=0-1,3-4", None),
        ("lines=0-1", None),
        ("bytes=-", None),
        ("", None),
    ],
)
def test_ranges(header: str, part: tuple[int, int] | None) -> None:
    assert asked(header, 10) == part


@pytest.mark.parametrize("header", ["bytes=10-", "bytes=10-12", "bytes=-0"])
def test_ranges_outside(header: str) -> None:
    with pytest.raises(ValueError, match="bytes"):
        asked(header, 10)


def test_only_the_newest_stay(dump: dumps.Dump, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("20200101T000000Z", "20200102T000000Z", "20200103T000000Z"):
        (dumps.folder() / name).mkdir()
        text = (dump.folder / dumps.MANIFEST).read_text(encoding="utf-8").replace(dump.name, name)
        (dumps.folder() / name / dumps.MANIFEST).write_text(text, encoding="utf-8")
    call_command("dump", keep=2, format=["jsonl"])
    names = [each.name for each in dumps.kept()]
    assert len(names) == 2 and not any(each.startswith("20200101") for each in names)


def test_a_dump_that_breaks_leaves_nothing(dump: dumps.Dump, monkeypatch: pytest.MonkeyPatch) -> None:
    before = sorted(dumps.folder().iterdir())
    monkeypatch.setattr(dumps, "_described", lambda *_arguments: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        call_command("dump")
    assert sorted(dumps.folder().iterdir()) == before


def test_the_page_names_the_files(dump: dumps.Dump, client: Client) -> None:
    text = client.get("/en/dumps/").content.decode()
    assert "records.rdf.gz" in text and dump.files[0].sha256 in text
    assert f"from={dump.began}" in text


def test_without_dumps_the_page_leads_elsewhere(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dumps, "folder", lambda: tmp_path)
    assert b"/oai?verb=Identify" in client.get("/dumps/").content
    assert client.get("/dumps/manifest.json").json() == {"dumps": []}


def test_a_line_of_rdf_can_be_read_again(dump: dumps.Dump) -> None:
    text = gzip.decompress((dump.folder / "records.rdf.gz").read_bytes()).splitlines()
    one = read(text[0] + text[1] + text[2] + b"</rdf:RDF>", "dcndl", DEFAULT)
    assert one.record is not None and one.record.title


def test_a_dump_is_due_after_some_days(dump: dumps.Dump, settings) -> None:
    assert not dumps.is_due()
    assert write_dump() > 0
    with time_machine.travel(timezone.now() + timedelta(days=8)):
        assert dumps.is_due()
        settings.DUMP_DAYS = 0
        assert not dumps.is_due()
