"""A catalogue in a folder of its own and its pages, for the search benchmark.

Set AGGREGATOR_DATA before importing this module, because the settings are read once. All books share one record and
one holder, so that SQL can fill the tables quickly; the documents in the search index are all different.
"""

import django
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

django.setup()

from aggregator.models import Library, Manifestation, Member  # noqa: E402  after the setup
from aggregator.query.parameters import address  # noqa: E402
from aggregator.search.base import Query  # noqa: E402
from benchmarks.bibliography import LIBRARIES  # noqa: E402
from harvesting.models import Feed, Repository, SourceRecord  # noqa: E402
from harvesting.records.compression import pack_payload, pack_record  # noqa: E402
from metadata.record import Agent, BibliographicRecord, Identifier, Item, MaterialType, Subject, Title  # noqa: E402

RECORD = BibliographicRecord(
    titles=(Title(value="図書館における情報の研究", transcription="トショカン ニ オケル ジョウホウ ノ ケンキュウ"),),
    creators=(Agent(name="夏目, 漱石", transcription="ナツメ, ソウセキ"), Agent(name="樋口, 一葉")),
    publishers=(Agent(name="岩波書店", location="東京"),),
    identifiers=(Identifier(scheme="ISBN", value="9784003101117"),),
    subjects=(Subject(value="図書館学", scheme="NDLSH"), Subject(value="010", scheme="NDC10")),
    issued="1989",
    material_types=(MaterialType(uri="http://ndl.go.jp/ndltype/Book", label="図書"),),
    items=(Item(holding_agent="中央図書館", call_number="913.6-N58", availability="貸出可"),),
)
PROVIDERS = 40  # nearly as many as the made-up documents name
NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) "


def fill(count: int) -> None:
    """Create the books with the numbers 1 to `count`, each with one source record."""
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    Library.objects.bulk_create(Library(pk=number, name=f"見本市立第{number}図書館") for number in range(1, LIBRARIES))
    for number in range(PROVIDERS):
        Repository.objects.create(number=f"R{100_000_000 + number}", name=f"見本図書館{number}", state="live")
    owner, now = Repository.objects.order_by("pk")[0], timezone.now()
    Feed.objects.create(repository=owner, base_url="https://library.example.jp/oai")
    source = SourceRecord.objects.create(
        pk=1, repository=owner, identifier="1", public_id=f"{owner.number}-I1", metadata_prefix="dcndl", changed_at=now,
        payload=pack_payload(b"<dc/>"), payload_hash=b"x", record=pack_record(RECORD), aggregated_at=now,
    )  # fmt: skip
    made = Manifestation.objects.create(pk=1, record=pack_record(RECORD), changed_at=now, index_pending=False)
    Member.objects.create(source_record=source, manifestation=made)
    _copy(SourceRecord, count, {"id": "i", "identifier": "i", "public_id": f"'{owner.number}-I' || i"})
    _copy(Manifestation, count, {"id": "i"})
    _copy(Member, count, {"source_record_id": "i", "manifestation_id": "i"})


def _copy(model: type, count: int, changed: dict[str, str]) -> None:
    table = model._meta.db_table
    columns = [field.column for field in model._meta.local_concrete_fields]
    values = ", ".join(changed.get(column, f'{table}."{column}"') for column in columns)
    names = ", ".join(f'"{column}"' for column in columns)
    with connection.cursor() as cursor:
        cursor.execute(f"{NUMBERS.format(count=count)} INSERT INTO {table} ({names}) SELECT {values} FROM {table}, n")


class Reader:
    """Requests pages as a browser does, through every middleware but without a socket."""

    def __init__(self) -> None:
        settings.ALLOWED_HOSTS = ["testserver"]
        self._client = Client(headers={"Accept": "text/html", "Accept-Language": "ja"})

    def results(self, query: Query) -> int:
        return self.get(address(query, "/search"))

    def get(self, path: str) -> int:
        answer = self._client.get(path)
        if answer.status_code not in (200, 302):  # a query of blanks only is redirected
            raise RuntimeError(f"{path}: {answer.status_code}")
        return len(answer.content)
