"""Dumps: their content, their manifest and page, and their download."""

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
from core import temporary_files
from core.files import shared
from core.http.ranges import byte_range
from harvesting.models import Repository
from metadata.policy import DEFAULT
from metadata.reading import read
from tests.aggregator.provision.list_helpers import list_all
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
    return dumps.finished_dumps()[0]


def lines(dump: dumps.Dump, name: str) -> list[dict]:
    return [json.loads(line) for line in gzip.decompress(shared.read(f"{dump.folder}/{name}")).splitlines()]


def test_a_dump_contains_all_redistributable_records(dump: dumps.Dump) -> None:
    live = {name for name, state in list_all().items() if state == "live"}
    merged, records = lines(dump, "merged.jsonl.gz"), lines(dump, "records.jsonl.gz")
    assert {line["id"] for line in merged} | {line["id"] for line in records} == live
    assert {line["record"]["titles"][0]["value"] for line in merged} == {f"{n}冊目の本" for n in range(1, 5)} | {
        "見本の本"
    }
    shared = next(line for line in merged if len(line["members"]) == 2)
    assert shared["licences"] == ["CC0"] and shared["types"] == ["Book"]
    assert {line["url"] for line in records} == {f"http://127.0.0.1:8000/books/{line['id']}" for line in records}


def test_the_rdf_is_one_document(dump: dumps.Dump) -> None:
    root = etree.fromstring(gzip.decompress(shared.read(f"{dump.folder}/records.rdf.gz")))
    assert len(root.findall("{*}BibAdminResource")) == 6
    titles = {str(element.text) for element in root.iter("{http://purl.org/dc/terms/}title")}
    assert titles == {f"{number}冊目の本" for number in range(1, 5)} | {"見本の本"}


def test_the_manifest_matches_the_files(dump: dumps.Dump, client: Client) -> None:
    listed = client.get("/dumps/manifest.json").json()["dumps"]
    assert [file["name"] for file in listed] == [dump.name] and listed[0]["began"] <= listed[0]["made"]
    assert {file["name"]: file["records"] for file in listed[0]["files"]} == {
        "merged.jsonl.gz": 5,
        "merged.rdf.gz": 5,
        "records.jsonl.gz": 6,
        "records.rdf.gz": 6,
    }
    for file in listed[0]["files"]:
        answer = client.get(file["url"].removeprefix("http://127.0.0.1:8000"))
        body = answer.getvalue()
        assert (len(body), hashlib.sha256(body).hexdigest()) == (file["bytes"], file["sha256"])
        assert answer["Content-Type"] == "application/gzip" and "Content-Encoding" not in answer
        digest = base64.b64encode(bytes.fromhex(file["sha256"])).decode()
        assert answer["Repr-Digest"] == f"sha-256=:{digest}:"


def test_a_byte_range_can_be_requested(dump: dumps.Dump, client: Client) -> None:
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
def test_range_headers_are_parsed(header: str, part: tuple[int, int] | None) -> None:
    assert byte_range(header, 10) == part


@pytest.mark.parametrize("header", ["bytes=10-", "bytes=10-12", "bytes=-0"])
def test_ranges_outside_the_file_are_refused(header: str) -> None:
    with pytest.raises(ValueError, match="bytes"):
        byte_range(header, 10)


def test_only_the_newest_dumps_are_kept(dump: dumps.Dump, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("20200101T000000Z", "20200102T000000Z", "20200103T000000Z"):
        text = shared.read(f"{dump.folder}/{dumps.MANIFEST}").replace(dump.name.encode(), name.encode())
        shared.put_bytes(text, f"dumps/{name}/{dumps.MANIFEST}")
    call_command("dump", keep=2, format=["jsonl"])
    names = [dump_.name for dump_ in dumps.finished_dumps()]
    assert len(names) == 2 and not any(name.startswith("20200101") for name in names)


def test_a_failed_dump_leaves_no_files(dump: dumps.Dump, monkeypatch: pytest.MonkeyPatch) -> None:
    before = shared.folders("dumps")
    monkeypatch.setattr(dumps, "_describe_file", lambda *_arguments: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        call_command("dump")
    assert shared.folders("dumps") == before
    assert not list(temporary_files.folder().glob("dump-*"))


def test_the_page_lists_the_files(dump: dumps.Dump, client: Client) -> None:
    text = client.get("/en/dumps/").content.decode()
    assert "records.rdf.gz" in text and dump.files[0].sha256 in text
    assert f"from={dump.began}" in text


def test_without_dumps_the_page_points_to_oai_pmh(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dumps, "FOLDER", "nowhere")
    assert b"/oai?verb=Identify" in client.get("/dumps/").content
    assert client.get("/dumps/manifest.json").json() == {"dumps": []}


def test_a_record_of_the_rdf_file_can_be_read_again(dump: dumps.Dump) -> None:
    text = gzip.decompress(shared.read(f"{dump.folder}/records.rdf.gz")).splitlines()
    reading_ = read(text[0] + text[1] + text[2] + b"</rdf:RDF>", "dcndl", DEFAULT)
    assert reading_.record is not None and reading_.record.title


def test_a_dump_is_due_after_some_days(dump: dumps.Dump, settings) -> None:
    assert not dumps.is_due()
    assert write_dump() > 0
    with time_machine.travel(timezone.now() + timedelta(days=8)):
        assert dumps.is_due()
        settings.DUMP_DAYS = 0
        assert not dumps.is_due()
