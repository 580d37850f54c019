"""The pages and exports of a book that very many libraries hold: `python3 run.py bench holders --libraries 1500`.

One book of --libraries libraries, each with a record of its own from one union catalogue (one in five has two copies),
and a book of three libraries beside it. Milliseconds of CPU of this process, with the work of SQLite: the median and the
95th percentile of the repetitions. "made": the page is made afresh; "cached": from the cache of pages. The last line is
`p95 of the page: X ms`, of the worse of the two.
"""

import argparse
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

FOLDER = tempfile.mkdtemp(prefix="holders-benchmark-")
os.environ |= {"AGGREGATOR_DATA": FOLDER, "LOG_LEVEL": "ERROR"}
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aggregator.settings")
os.environ.setdefault("DEBUG", "0")
Path(FOLDER, "static").mkdir()

import django  # noqa: E402

django.setup()  # the modules below need Django's apps

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402

from aggregator.models import Library, Manifestation  # noqa: E402
from aggregator.tasks import aggregate  # noqa: E402
from benchmarks.stored import providers, store  # noqa: E402
from core.work.garbage import loading  # noqa: E402
from metadata.record import Agent, BibliographicRecord, Identifier, Item, MaterialType, Title  # noqa: E402

BOOK = MaterialType(uri="http://ndl.go.jp/ndltype/Book", label="図書")
SHARES = 5  # one in this many libraries has two copies
EXPORTS = (".rdf", ".json", ".xml?format=marcxml", "/holdings?page=2", "/holdings?region=27")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--libraries", type=int, default=1500)
    parser.add_argument("--repeat", type=int, default=40)
    options = parser.parse_args()
    try:
        call_command("migrate", verbosity=0)
        call_command("collectstatic", verbosity=0, interactive=False)
        settings.ALLOWED_HOSTS = ["testserver"]
        report(filled(options.libraries), options.repeat)
    finally:
        connection.close()
        shutil.rmtree(FOLDER, ignore_errors=True)


def filled(libraries: int) -> dict[int, int]:
    """Store, match and merge the records. Return libraries -> number of the book."""
    numbers: dict[int, int] = {}
    union, stored = providers()[:1], 0
    for count, isbn, title in ((3, "9784101010014", "三四郎"), (libraries, "9784003101018", "坊っちゃん")):
        copies = [place for place in range(count) for _copy in range(1 + (place % SHARES == 0))]
        store([described(place, isbn, title) for place in copies], union, stored)
        stored += len(copies)
        begun = time.process_time()
        aggregate()
        seconds = time.process_time() - begun
        numbers[count] = Manifestation.objects.exclude(record=b"").exclude(pk__in=numbers.values()).latest("pk").pk
        print(f"{count} libraries, {len(copies)} records: all matched and merged in {seconds:.1f} s of CPU")
    libraries_made = list(Library.objects.all())
    for library in libraries_made:
        library.prefecture = f"{library.pk % 47 + 1:02}"
    Library.objects.bulk_update(libraries_made, ["prefecture"])
    return numbers


def described(place: int, isbn: str, title: str) -> BibliographicRecord:
    """The record of one copy, as a union catalogue gives it; every tenth library describes the book in its own way."""
    uri = f"https://opac{place}.example.jp/books/{isbn}"
    item = Item(
        uri=f"{uri}#item",
        library_code=str(100_000 + place),
        holding_agent=f"見本市立図書館第{place}館",
        call_number=f"913.6/{place}",
        see_also=(uri,),
    )
    own = ("寄贈本",) if place % 10 == 0 else ()
    return BibliographicRecord(
        uri=uri,
        titles=(Title(value=title),),
        creators=(Agent(name="夏目, 漱石", transcription="ナツメ, ソウセキ"),),
        publishers=(Agent(name="岩波書店", location="東京"),),
        issued="1989",
        identifiers=(Identifier(scheme="ISBN", value=isbn),),
        extents=(f"{200 + place % 3}p",),
        material_types=(BOOK,),
        notes=own,
        see_also=(uri,),
        items=(item,),
    )


def report(numbers: dict[int, int], repeat: int) -> None:
    client, worst = Client(), 0.0
    print("libraries   median     p95       kB  what")
    for libraries, number in numbers.items():
        page = f"/books/M{number}"
        with loading():
            fresh(client, page)  # compiles the templates
        made = line(libraries, "page, made", lambda page=page: fresh(client, page), repeat)
        client.get(page)
        cached = line(libraries, "page, cached", lambda page=page: client.get(page), repeat)
        worst = max(made, cached)
        for ending in EXPORTS:
            if client.get(page + ending).status_code == 200:
                line(libraries, ending, lambda page=page, ending=ending: client.get(page + ending), repeat)
        query = "/oai?verb=ListRecords&metadataPrefix=dcndl&set=merged"
        line(libraries, "/oai, both books", lambda query=query: client.get(query), repeat)
    print(f"p95 of the page: {worst:.0f} ms")


def fresh(client: Client, page: str) -> object:
    """Get a page that is made afresh: requests with a session cookie bypass the cache."""
    client.cookies[settings.SESSION_COOKIE_NAME] = "none"
    try:
        return client.get(page)
    finally:
        client.cookies.clear()


def line(libraries: int, what: str, act: Callable[[], object], repeat: int) -> float:
    """Print one line. Return the 95th percentile in milliseconds."""
    times = []
    for _nth in range(repeat):
        begun = time.process_time()
        answer = act()
        times.append((time.process_time() - begun) * 1000)
    p95 = statistics.quantiles(times, n=20)[-1]
    size = len(getattr(answer, "content", b"")) / 1000
    print(f"{libraries:9}  {statistics.median(times):7.1f} {p95:7.1f} {size:8.1f}  {what}")
    return p95


if __name__ == "__main__":
    main()
