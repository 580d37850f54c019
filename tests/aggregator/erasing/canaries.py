"""Erases a provider whose data contains a canary word everywhere; then searches all files for the word.

Runs in its own process with its own database (SQLite, or on the server that DATABASE_URL names):
`python -m tests.aggregator.erasing.canaries` prints what was found before and after.
"""

import gzip
import io
import json
import os
import re
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from django.core.management import call_command
from django.db import connection

from tests.database import migrate
from tests.durability.stage import own_database

CANARY = "Kanarienvogel"
ISBN = "9784003101018"
FIRST = "R900000001"
TOMBSTONE = re.compile(r'<header status="deleted"><identifier>[^<]*:(R[^<:]*)<')


def sources() -> list[Any]:
    from sampleprovider.source import SampleRecord, SampleSource  # noqa: PLC0415
    from tests.books import book  # noqa: PLC0415

    def sample(name: str, number: int, **fields: str) -> SampleRecord:
        identifier, stamp = f"oai:{name}:b{number}", "2026-01-10T00:00:00Z"
        return SampleRecord(identifier=identifier, datestamp=stamp, payloads={"dcndl": book(f"b{number}", **fields)})

    both = {"title": "坊っちゃん", "isbn": ISBN}
    others = [sample(CANARY, number, title=f"{CANARY}の本{number}") for number in range(1, 8)]
    first = [sample(CANARY, 0, **{**both, "base": f"https://library.example.jp/{CANARY}"}), *others]
    second = [sample("other", 0, **both), sample("other", 1, title="三四郎")]
    return [SampleSource(name=name, prefixes=("dcndl",), records=records, page_size=3)
            for name, records in ((CANARY, first), ("other", second))]  # fmt: skip


def fill(address: str) -> None:
    """Create two providers that share a book, and data of the first one in every place."""
    from aggregator.models import ErrorReport, MatchRuling  # noqa: PLC0415
    from aggregator.tasks import aggregate, pack_resources, write_dump  # noqa: PLC0415
    from harvesting.harvest.run import create_harvest  # noqa: PLC0415
    from harvesting.models import Feed, Repository, SourceRecord  # noqa: PLC0415
    from harvesting.registry.registration import register  # noqa: PLC0415
    from harvesting.tasks import run_harvest  # noqa: PLC0415

    for name in (CANARY, "other"):
        feed = Feed(base_url=f"{address}/{name}/oai", metadata_prefix="dcndl")
        register(Repository(name=f"{name}図書館", contact_email=f"{name}@example.jp", licence=f"of {name}"), [feed])
        run_harvest(create_harvest(feed).pk)
    aggregate()
    SourceRecord.objects.filter(identifier__endswith=f"{CANARY}:b3").update(aggregated_at=None)
    aggregate()
    write_dump()
    pack_resources()
    first, second = SourceRecord.objects.filter(identifier__endswith=":b0").values_list("public_id", flat=True)
    snapshot = {first: {"title": CANARY}, second: {"title": "坊っちゃん"}}
    MatchRuling.objects.create(
        verdict="same", first=min(first, second), second=max(first, second), snapshot=snapshot, reason=CANARY
    )
    ErrorReport.objects.create(public_id=first, kind="other", title=CANARY, text="?")
    ErrorReport.objects.create(public_id=second, other=first, kind="same", title="坊っちゃん", text=CANARY)
    people(Repository.objects.get(number=FIRST))


def people(repository: Any) -> None:
    from django.contrib.auth import get_user_model  # noqa: PLC0415
    from django.core.files.uploadedfile import SimpleUploadedFile  # noqa: PLC0415

    from harvesting.accounts.invitations import give_role  # noqa: PLC0415
    from harvesting.accounts.ranks import Role  # noqa: PLC0415
    from harvesting.audit.trail import note  # noqa: PLC0415
    from harvesting.http.authorization import Credentials  # noqa: PLC0415
    from harvesting.models import (  # noqa: PLC0415  # noqa: PLC0415
        Application,
        BulkAction,
        BulkChange,
        Feed,
        OutgoingMessage,
        Recipient,
        RuleSwitch,
        SelfTest,
    )
    from harvesting.registry import uploads  # noqa: PLC0415
    from harvesting.registry.credentials import seal_credentials  # noqa: PLC0415

    person = get_user_model().objects.create_user(CANARY, f"{CANARY}@example.jp", "x")
    give_role(person, Role.LIBRARIAN)
    repository.managers.add(person)
    note(person, "login", CANARY)
    note(person, "provider.changed", repository, CANARY, {"name": CANARY})
    bulk = BulkAction.objects.create(repository=repository, action="x", parameters={"reason": CANARY}, query=CANARY)
    BulkChange.objects.create(bulk=bulk, number=1, repository=repository, before={"reason": CANARY})
    path = uploads.store(SimpleUploadedFile(f"{CANARY}.csv", CANARY.encode()))
    login = seal_credentials(Credentials(kind="basic", username=CANARY, secret=CANARY))
    Feed.objects.create(repository=repository, protocol="file", base_url=path, credentials=login)
    trial = SelfTest.objects.create(options={"base_url": CANARY}, host="127.0.0.1")
    Application.objects.create(repository=repository, kind="delete", asked_by=CANARY, text=CANARY, trial=trial)
    Recipient.objects.create(repository=repository, address=f"{CANARY}@example.jp")
    RuleSwitch.objects.create(repository=repository, code="dcndl.E003", outcome="off", reason=CANARY, decided_by="x")
    OutgoingMessage.objects.create(key="1", kind="x", repository=repository, address="a@example.jp", text=CANARY)
    OutgoingMessage.objects.create(
        key="2", kind="x", address="a@example.jp", subject="together", text=f"{CANARY}図書館: 3"
    )


def request_pages() -> None:
    """Request pages, so that they are stored in the disk caches."""
    from django.test import Client  # noqa: PLC0415

    from harvesting.models import SourceRecord  # noqa: PLC0415

    client = Client(HTTP_HOST="localhost")
    for name in SourceRecord.objects.values_list("public_id", flat=True):
        assert client.get(f"/books/{name}").status_code == 200
    assert client.get("/oai?verb=ListRecords&metadataPrefix=dcndl").status_code == 200


def packed_samples() -> list[bytes]:
    """Return pieces of the first provider's compressed data, by which copies of compressed data can be found."""
    from harvesting.models import SourceRecord  # noqa: PLC0415

    rows = SourceRecord.objects.filter(repository__number=FIRST).values_list("payload", "record")
    return [bytes(value)[20:60] for row in rows for value in row if len(bytes(value)) > 100]


def stored_bytes() -> Iterator[tuple[str, bytes]]:
    """Yield (name, content) of all files, of files inside archives, of a dump of PostgreSQL, and of packed columns."""
    for path in Path(settings.DATA_DIR).rglob("*"):
        if not path.is_file():
            continue
        yield str(path), path.read_bytes()
        if path.suffix == ".gz":
            yield f"{path}!", gzip.decompress(path.read_bytes())
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as package:
                yield from ((f"{path}!{name}", package.read(name)) for name in package.namelist())
    if connection.vendor == "postgresql":
        url = os.environ["DATABASE_URL"]
        yield "postgresql", subprocess.run(["pg_dump", f"--dbname={url}"], capture_output=True, check=True).stdout
    yield "rows", b"\n".join(unpacked_columns())


def unpacked_columns() -> Iterator[bytes]:
    """Yield the decompressed values of all tables."""
    from aggregator.transfer.tables import columns, tables  # noqa: PLC0415
    from harvesting.records.compression import unpack_payload  # noqa: PLC0415

    for table in tables():
        names = [column.attname for column in columns(table) if column.get_internal_type() == "BinaryField"]
        for row in table._base_manager.values_list(*names) if names else ():
            for value in row:
                if bytes(value or b"")[:4] == b"\x28\xb5\x2f\xfd":
                    yield unpack_payload(value)


def canary_places(packed: list[bytes]) -> list[str]:
    """Return the names of the places that contain a canary."""
    hexadecimal = [sample.hex().encode() for sample in packed]
    wanted = (CANARY.encode(), *packed, *hexadecimal)
    places = {name for name, text in stored_bytes() if any(canary in text for canary in wanted)}
    return sorted(place.replace(str(settings.DATA_DIR), "") for place in places)


def erase_and_search(address: str) -> dict[str, Any]:
    from django.test import Client  # noqa: PLC0415

    from aggregator.models import Provided  # noqa: PLC0415
    from harvesting.models import AuditEntry, IssuedNumber, SourceRecord  # noqa: PLC0415

    fill(address)
    request_pages()
    packed = packed_samples()
    before = canary_places(packed)
    ids = list(SourceRecord.objects.filter(repository__number=FIRST).values_list("public_id", flat=True))
    call_command("erase", FIRST, reason="wish", yes=True, json=True, stdout=io.StringIO())
    client = Client(HTTP_HOST="localhost")
    oai = client.get("/oai?verb=ListRecords&metadataPrefix=dcndl").text
    return {
        "database": connection.vendor,
        "before": before,
        "after": canary_places(packed),
        "pages": sorted({client.get(f"/books/{public_id}").status_code for public_id in ids}),
        "deleted": len(set(TOMBSTONE.findall(oai)).intersection(ids)),
        "ids": len(ids),
        "left": SourceRecord.objects.count(),
        "hits": [client.get("/api/search", {"q": word}).json()["total"] for word in (CANARY, "坊っちゃん", "三四郎")],
        "number": IssuedNumber.objects.filter(number=FIRST).exists(),
        "trace": list(AuditEntry.objects.filter(repository__number=FIRST).values_list("action", "reason")),
        "stamped": Provided.objects.filter(public_id__startswith=FIRST, deleted=True).count(),
    }


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"  # with a temporary data folder
    os.environ.pop("REDIS_URL", None)
    with own_database():
        django.setup()
        migrate()
        from sampleprovider.server import running

        with running(sources()) as address:
            print(json.dumps(erase_and_search(address), ensure_ascii=False))
        connection.close()
