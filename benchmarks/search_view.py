"""A catalogue in a folder of its own and its pages, for the search benchmark.

Set AGGREGATOR_DATA before importing this module, because the settings are read once. All books share one record and
one provider, so that SQL can fill the tables quickly; the documents in the search index are all different. Who holds
them is the same in both. One more book, which no search finds, is held by very many libraries.
"""

from collections.abc import Iterable
from itertools import batched

import django
from django.conf import settings
from django.core.management import call_command
from django.db import connection, models
from django.test import Client
from django.utils import timezone

django.setup()

from aggregator.libraries.holdings import Copy, pack_copies  # noqa: E402  after the setup
from aggregator.models import Holding, Library, Manifestation, Member  # noqa: E402
from aggregator.query.parameters import address  # noqa: E402
from aggregator.search.base import Query  # noqa: E402
from benchmarks.bibliography import LIBRARIES  # noqa: E402
from benchmarks.search_classes import OWN  # noqa: E402
from core.work.garbage import loading  # noqa: E402
from harvesting.models import Feed, Repository, SourceRecord  # noqa: E402
from harvesting.records.compression import pack_encoded, pack_payload, pack_record  # noqa: E402
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
HELD_BY_MANY = 1_500  # libraries of one book
PROVIDERS = 40  # nearly as many as the made-up documents name
NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) "


def fill(count: int, held: Iterable[tuple[int, int]]) -> None:
    """Create the books with the numbers 1 to `count`, each with one source record, and the next one, with a record of
    each of very many libraries. held: books with libraries that hold them.
    """
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    _fill_libraries()
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
    large = count + 1
    _copy(SourceRecord, count + HELD_BY_MANY, {"id": "i", "identifier": "i", "public_id": f"'{owner.number}-I' || i"})
    _copy(Manifestation, large, {"id": "i"})
    _copy(Member, count + HELD_BY_MANY, {"source_record_id": "i", "manifestation_id": f"min(i, {large})"})
    _fill_holdings(held)
    _fill_holdings((large, library) for library in range(1, HELD_BY_MANY + 1))
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {Library._meta.db_table} SET holdings = (SELECT count(*) FROM {Holding._meta.db_table} "
            f"WHERE library_id = {Library._meta.db_table}.id)"
        )


def _fill_libraries() -> None:
    """As in the index, so many more that one book has enough of them."""
    prefectures = [f"{number:02}" for number in range(1, 48)]
    Library.objects.bulk_create(
        Library(pk=number, name=f"見本市立第{number}図書館", prefecture=prefectures[number % len(prefectures)])
        for number in range(1, max(LIBRARIES, HELD_BY_MANY + 1))
    )


def _fill_holdings(held: Iterable[tuple[int, int]]) -> None:
    """One copy of each; libraries that are in the index only (the number 0) are left out."""
    copy = Copy(record="R100000000-I1", item=Item(call_number="913.6-N58", availability="貸出可"))
    packed = pack_encoded(pack_copies((copy,)))
    values = "INSERT INTO {} (manifestation_id, library_id, copies, link, link_kind, packed) VALUES (%s,%s,1,%s,%s,%s)"
    statement = values.format(Holding._meta.db_table)
    for part in batched(held, 10_000):
        rows = [
            (book, library, f"https://opac{library}.example.jp/books/{book}", "detail", packed)
            for book, library in part
            if library
        ]
        with connection.cursor() as cursor:
            cursor.executemany(statement, rows)


def _copy(model: type[models.Model], last: int, changed: dict[str, str]) -> None:
    """Copy the only row of a table to the numbers 2 to `last`."""
    table = model._meta.db_table
    columns = [str(field.column) for field in model._meta.local_concrete_fields]
    values = ", ".join(changed.get(column, f'{table}."{column}"') for column in columns)
    names = ", ".join(f'"{column}"' for column in columns)
    with connection.cursor() as cursor:
        cursor.execute(f"{NUMBERS.format(count=last)} INSERT INTO {table} ({names}) SELECT {values} FROM {table}, n")


def places(count: int) -> tuple[tuple[str, str], ...]:
    """Names and addresses of the pages about libraries and about the book that very many hold."""
    book = f"/books/M{count + 1}"
    own = "&".join(f"library={library}" for library in OWN)
    found = "&".join(f"book=M{1 + number * 7919 % count}" for number in range(20))
    return (
        (f"book of {HELD_BY_MANY:,} libraries", book),
        ("  its libraries, page 2", f"{book}/holdings?page=2"),
        ("  those of a prefecture", f"{book}/holdings?region=27"),
        ("  all as JSON", f"{book}/holders.json"),
        ("  as JSON", f"{book}.json"),
        ("own libraries of 20 books", f"/own-libraries?{own}&{found}"),
        ("all libraries", "/libraries/"),
        ("libraries of a prefecture", "/libraries/?region=27"),
        ("page of a library", "/libraries/L27"),
    )


class Reader:
    """Requests pages as a browser does, through every middleware but without a socket."""

    def __init__(self) -> None:
        settings.ALLOWED_HOSTS = ["testserver"]
        self._client = Client(headers={"Accept": "text/html", "Accept-Language": "ja"})
        with loading():
            self.get("/")  # loads all views

    def results(self, query: Query) -> int:
        return self.get(address(query, "/search"))

    def anew(self, path: str) -> int:
        """Get a page that is made anew: requests with a session cookie bypass the caches of pages."""
        self._client.cookies[settings.SESSION_COOKIE_NAME] = "none"
        try:
            return self.get(path)
        finally:
            self._client.cookies.clear()

    def get(self, path: str) -> int:
        answer = self._client.get(path)
        if answer.status_code not in (200, 302):  # a query of blanks only is redirected
            raise RuntimeError(f"{path}: {answer.status_code}")
        return len(answer.content)
