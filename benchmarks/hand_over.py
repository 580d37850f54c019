"""The cost of knowing what is to be handed over: `python3 -m benchmarks.hand_over --records N`.

Three of ten records ask for a DOI, one is a doctoral thesis, as in a large repository. A look through all records, the
check of all that it finds, and the pages are measured in SQLite; the first column is the CPU time of this process. The
last lines are `CPU s for 1,000,000 records: X` and `slowest page ms: Y`.
"""

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import batched
from pathlib import Path

import django

PARSER = argparse.ArgumentParser(description=__doc__)
PARSER.add_argument("--records", type=int, default=1_000_000)
OPTIONS = PARSER.parse_args()
FOLDER = tempfile.mkdtemp(prefix="benchmark-hand-over-")
os.environ |= {"AGGREGATOR_DATA": FOLDER, "DJANGO_SETTINGS_MODULE": "aggregator.settings", "LOG_LEVEL": "ERROR"}
os.environ.pop("DATABASE_URL", None)
Path(FOLDER, "static").mkdir(parents=True, exist_ok=True)  # whitenoise warns of a missing one
django.setup()

import msgspec  # noqa: E402
from django.conf import settings  # noqa: E402
from django.contrib.auth import get_user_model  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.test import Client  # noqa: E402
from django.utils import timezone  # noqa: E402

from core.database.batches import as_json, as_timestamp, insert  # noqa: E402
from harvesting.accounts.roles import ensure_roles  # noqa: E402
from harvesting.doi import states  # noqa: E402
from harvesting.models import DoctoralThesis, DoiAgreement, Feed, Repository, RequestedDoi, SourceRecord  # noqa: E402
from harvesting.records.compression import pack_record  # noqa: E402
from harvesting.registry.registration import register  # noqa: E402
from harvesting.theses import states as theses  # noqa: E402
from harvesting.theses.states import look_through  # noqa: E402
from metadata.record import BibliographicRecord, Identifier  # noqa: E402
from tests.metadata.deposits.test_jalc import PAPER  # noqa: E402
from tests.metadata.deposits.test_theses import THESIS  # noqa: E402

GOALS = {"seconds": 600, "ms": 300}
COLUMNS = ("repository_id", "identifier", "public_id", "metadata_prefix", "datestamp", "deleted", "deletion",
           "set_specs", "payload", "payload_hash", "record", "rejected_payload", "refused", "changed_at",
           "last_harvest")  # fmt: skip
PAGES = ("doi/", "doi/list", "doi/list?state=ready", "doi/{number}/", "doi/list?repository={number}&after=150000",
         "theses/", "theses/list", "theses/list?state=ready", "theses/list?repository={number}")  # fmt: skip


def record(number: int) -> BibliographicRecord:
    """A paper with a DOI, a thesis (every second one without its number), or a paper without a DOI."""
    place = number % 10
    page = (f"https://a.example.jp/records/{number}",)
    if place < 3:
        asked = (Identifier(scheme="JaLC", value=f"10.14977/{number}"),)
        return msgspec.structs.replace(PAPER, registrations=asked, identifiers=(), see_also=page)
    if place == 3:
        numbers = (f"甲第{number}号",) if number % 20 == 3 else ()
        return msgspec.structs.replace(THESIS, dissertation_numbers=numbers, see_also=page)
    return msgspec.structs.replace(PAPER, registrations=(), see_also=page)


def rows(repository: Repository, moment: object) -> Iterator[tuple[object, ...]]:
    for number in range(1, OPTIONS.records + 1):
        name = f"{repository.number}-I{number}"
        yield (repository.pk, f"oai:x:{number}", name, "jpcoar", "2026-01-10", False, "", as_json([]), b"", b"x",
               pack_record(record(number)), b"", False, moment, 0)  # fmt: skip


def measured(name: str, work: Callable[[], object]) -> float:
    begun, began = time.process_time(), time.perf_counter()
    found = work()
    seconds = time.process_time() - begun
    print(f"{seconds:8.1f} s CPU {time.perf_counter() - began:8.1f} s  {name}: {found}", flush=True)
    return seconds


def slowest_page(client: Client, number: str) -> float:
    slowest = 0.0
    for page in PAGES:
        address, times = f"/manage/{page.format(number=number)}", []
        for _attempt in range(3):
            begun = time.process_time()
            assert client.get(address).status_code == 200, address
            times.append(1000 * (time.process_time() - begun))
        print(f"{min(times):8.0f} ms  {address}", flush=True)
        slowest = max(slowest, min(times))
    return slowest


def main() -> None:
    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    ensure_roles()
    repository = Repository(name="大学")
    register(repository, [Feed(base_url="https://a.example.jp/oai", metadata_prefix="jpcoar")])
    DoiAgreement.objects.create(repository=repository, jalc_prefixes="10.14977", site_id="SI/0000.0001")
    moment = as_timestamp(timezone.now())
    for part in batched(rows(repository, moment), 5_000):
        insert(SourceRecord, COLUMNS, part)
    every = OPTIONS.records + 1
    seconds = sum(
        (
            measured("records looked through", lambda: sum(look_through(repository.pk))),
            measured("DOIs checked", lambda: states.check_changed(every)),
            measured("theses checked", lambda: theses.check_changed(every)),
        )
    )
    RequestedDoi.objects.update(checked_at=None)
    DoctoralThesis.objects.update(checked_at=None)
    measured("DOIs checked again", lambda: states.check_changed(every))
    measured("theses checked again", lambda: theses.check_changed(every))
    settings.ALLOWED_HOSTS = ["testserver"]
    client = Client()
    client.force_login(get_user_model().objects.create_superuser("chief"))
    slowest = slowest_page(client, repository.number)
    shutil.rmtree(FOLDER)
    print(f"CPU s for 1,000,000 records: {seconds * 1_000_000 / OPTIONS.records:.0f} ({GOALS['seconds']} wanted)")
    print(f"slowest page ms: {slowest:.0f} ({GOALS['ms']} wanted)")


if __name__ == "__main__":
    main()
