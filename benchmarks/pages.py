"""The cost of the pages for librarians and staff when the database is full: `python3 run.py bench pages`.

Creates its rows by SQL in SQLite, or on a temporary PostgreSQL server (`--postgresql`): 5,000 providers, a million harvests, a
million records, ten million issues, 300,000 questions of the matcher and 180,000 checked links. `--folder F` keeps the
database in that folder for the next run.

Each page is requested `--times` times. The columns: the 95th percentile, the best time, and the best elapsed time. The
first two are CPU time of this process with SQLite, which includes the work of the database, and elapsed time with
PostgreSQL. The last line is `slowest ms: X`, the largest of the 95th percentiles.
"""

import argparse
import json
import os
import shutil
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import django

from tests.durability.cluster import cluster

PARSER = argparse.ArgumentParser(description=__doc__)
PARSER.add_argument("--rows", type=int, default=1_000_000)
PARSER.add_argument("--issues", type=int, default=10_000_000)
PARSER.add_argument("--questions", type=int, default=300_000)
PARSER.add_argument("--links", type=int, default=180_000)
PARSER.add_argument("--times", type=int, default=5, help="requests of each page")
PARSER.add_argument("--pages", default="", help="only addresses that contain this")
PARSER.add_argument("--postgresql", action="store_true", help="on a temporary server, which is removed afterwards")
PARSER.add_argument("--folder", default="", help="a folder that keeps the full database between runs")
OPTIONS = PARSER.parse_args()
FOLDER = OPTIONS.folder or tempfile.mkdtemp(prefix="benchmark-pages-")
os.environ |= {"AGGREGATOR_DATA": FOLDER, "DJANGO_SETTINGS_MODULE": "aggregator.settings", "LOG_LEVEL": "ERROR"}
os.environ.pop("DATABASE_URL", None)
SERVER = ExitStack()
if OPTIONS.postgresql:
    os.environ["DATABASE_URL"] = SERVER.enter_context(cluster()).url
Path(FOLDER, "static").mkdir(parents=True, exist_ok=True)  # whitenoise warns of a missing one
django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.auth import get_user_model  # noqa: E402
from django.contrib.auth.models import Group  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402

from aggregator.models import CheckedLink, Library, LinkHost, LinkPattern, ReviewPair  # noqa: E402
from benchmarks.rows import MIDNIGHT, before, blob, fill, padded  # noqa: E402
from harvesting.accounts.roles import LIBRARIANS, STAFF, ensure_roles  # noqa: E402
from harvesting.models import (  # noqa: E402
    DailyCount,
    Feed,
    Harvest,
    HealthStatus,
    IssueCount,
    RecordIssue,
    Repository,
    ResolvedIssue,
    SourceRecord,
)
from harvesting.monitoring import verdicts  # noqa: E402

GOAL = 300  # milliseconds
PROVIDERS = 5_000
LARGE = 78  # primary key of the provider that has half of all issues
# Role and address. {number} and {harvest} are those of one provider and one of its harvests; {large}: see LARGE.
PAGES = (
    ("staff", "/manage/"),
    ("staff", "/manage/?page=90"),
    ("staff", "/manage/?q=4321"),
    ("staff", "/manage/?colour=red"),
    ("staff", "/manage/queue/"),
    ("staff", "/manage/providers/"),
    ("staff", "/manage/harvests/"),
    ("staff", "/manage/harvests/?before=1000"),
    ("staff", "/manage/harvests/?state=failed"),
    ("staff", "/manage/harvests/?state=queued"),
    ("staff", "/manage/harvests/?state=waits"),
    ("staff", "/manage/harvests/?kind=record"),
    ("staff", "/manage/harvests/?repository={number}"),
    ("staff", "/manage/harvests/?until=2025-01-02"),
    ("staff", "/manage/harvests/?since=2026-10-31&state=failed&repository={number}"),
    ("staff", "/manage/harvests/{number}/"),
    ("staff", "/manage/harvests/{number}/start"),
    ("staff", "/manage/harvests/{harvest}/"),
    ("staff", "/manage/harvests/{harvest}/progress"),
    ("staff", "/manage/issues/"),
    ("staff", "/manage/issues/?page=60"),
    ("staff", "/manage/issues/{number}/"),
    ("staff", "/manage/issues/{large}/"),
    ("staff", "/manage/issues/{large}/letter"),
    ("staff", "/manage/issues/list"),
    ("staff", "/manage/issues/list?code=dcndl.E003"),
    ("staff", "/manage/issues/list?severity=record_error"),
    ("staff", "/manage/issues/list?value=nowhere"),
    ("staff", "/manage/issues/list?repository={large}"),
    ("staff", "/manage/issues/list?repository={large}&code=dcndl.E003"),
    ("staff", "/manage/issues/list?repository={large}&code=dcndl.E003&after={large_pk}/dcndl.E003/800000"),
    ("staff", "/manage/issues/list?repository={large}&value=nowhere&field=x&since=2026-01-01"),
    ("staff", "/manage/issues/list?repository={large}&harvest=999999"),
    ("staff", "/manage/issues/list?repository={large}&state=ignored"),
    ("staff", "/manage/issues/list?repository={large}&state=resolved"),
    ("staff", "/manage/records/"),
    ("staff", "/manage/records/?q=nowhere"),
    ("staff", "/manage/records/?q=9784003101018"),
    ("staff", "/manage/records/duplicates/?repository={large}"),
    ("staff", "/manage/records/isbns/"),
    ("staff", "/manage/matches/"),
    ("staff", "/manage/matches/?kind=joined"),
    ("staff", "/manage/matches/review"),
    ("staff", "/manage/matches/review?kind=joined"),
    ("staff", "/manage/matches/review?repository={large}"),
    ("staff", "/manage/matches/review?kind=joined&pattern=year=sign_7"),
    ("staff", "/manage/links/"),
    ("staff", "/manage/links/?state=dead"),
    ("staff", "/manage/links/?repository={large}"),
    ("staff", "/manage/providers/?q=4321"),
    ("staff", "/manage/trace/"),
    ("staff", "/manage/bulk/"),
    ("staff", "/manage/people/"),
    ("staff", "/admin/harvesting/repository/"),
    ("staff", "/admin/harvesting/feed/"),
    ("staff", "/admin/harvesting/harvest/"),
    ("staff", "/admin/harvesting/harvest/?state__exact=failed"),
    ("staff", "/admin/harvesting/harvest/?repository={number}"),
    ("staff", "/admin/harvesting/sourcerecord/"),
    ("staff", "/admin/harvesting/sourcerecord/?repository={large}"),
    ("staff", "/admin/harvesting/recordissue/"),
    ("staff", "/admin/harvesting/recordissue/?repository={large}"),
    ("staff", "/admin/harvesting/recordissue/?severity__exact=warning"),
    ("staff", "/admin/aggregator/manifestation/"),
    ("staff", "/admin/aggregator/library/"),
    ("staff", "/admin/aggregator/matchalarm/"),
    ("librarian", "/admin/harvesting/harvest/"),
    ("librarian", "/admin/harvesting/recordissue/"),
    ("librarian", "/manage/issues/"),
    ("librarian", "/manage/issues/list"),
    ("librarian", "/manage/issues/list?value=nowhere"),
    ("librarian", "/manage/records/?q=nowhere"),
    ("librarian", "/manage/"),
    ("librarian", "/manage/harvests/"),
    ("librarian", "/manage/harvests/?state=failed"),
    ("librarian", "/manage/harvests/{number}/"),
)


def main() -> None:
    clients = prepare(OPTIONS.rows)
    clients["staff"].get("/manage/")  # what the first request of a process imports
    print(f"{'p95 ms':>7} {'best':>7} {'clock':>7} {'queries':>8}  page")
    slowest = max(report(clients, role, path) for role, path in PAGES if OPTIONS.pages in path)
    connection.close()
    SERVER.close()
    if not OPTIONS.folder:
        shutil.rmtree(FOLDER)
    print(f"slowest ms: {slowest:.0f} (goal: {GOAL})")


def prepare(rows: int) -> dict[str, Client]:
    """Make sure that the database is full. Return a logged-in client for each role."""
    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    settings.ALLOWED_HOSTS = ["testserver"]
    ensure_roles()
    if not Repository.objects.exists():
        fill_tables(rows)
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
    return {"staff": log_in("staff", STAFF), "librarian": log_in("librarian", LIBRARIANS)}


def fill_tables(rows: int) -> None:
    provider = f"1 + n % {PROVIDERS}"
    record = f"1 + (n - 1) % {rows}"
    when = before(f"{rows} - ({record})", "minutes")
    states = "CASE WHEN n % 97 = 0 THEN 'failed' WHEN n % 89 = 0 THEN 'cancelled' ELSE 'succeeded' END"
    fill(Repository, PROVIDERS, number=f"'R9' || {padded('n')}", name="'図書館 ' || n", state="'live'", approved="TRUE", published="TRUE",
         profile="'ndl'", created=when)  # fmt: skip
    fill(Feed, PROVIDERS, repository_id="n", base_url="'https://a' || n || '.example.jp/oai'", protocol="'oai-pmh'",
         schedule="'daily'", metadata_prefix="'dcndl'", silent_after_days="90", created=when)  # fmt: skip
    fill(Harvest, rows, feed_id=provider, kind="CASE WHEN n % 7 = 0 THEN 'full' ELSE 'incremental' END", state=states,
         queued_at=when, started_at=when, finished_at=when, received="100", created="100", worked="30",
         facts="'{\"permanent\": 0}'", code="CASE WHEN n % 97 = 0 THEN 'http.500' ELSE '' END")  # fmt: skip
    fill(SourceRecord, rows, repository_id=provider, feed_id=provider, identifier="'i' || n", changed_at=when,
         public_id=f"'R9' || {padded('1 + n % 5000')} || '-I' || n", metadata_prefix="'dcndl'", set_specs="'[]'",
         aggregated_at=when, payload=blob(420), record=blob(400), payload_hash=blob(32))  # fmt: skip
    issue = {
        "source_record_id": record,
        "harvest_id": record,
        "code": "'dcndl.E00' || (n / 3 % 9)",
        "severity": "'warning'",
    }
    # Half of all issues belong to one large provider.
    of_whom = f"CASE WHEN n % 2 = 1 THEN {LARGE} ELSE {provider} END"
    fill(RecordIssue, OPTIONS.issues, **issue, repository_id=of_whom, value="'value ' || n", found_at=when)
    fill(ResolvedIssue, rows // 2, source_record_id=record, repository_id=of_whom, code=issue["code"],
         severity=issue["severity"], how="'mended'", resolved_at=when, found_at=when)  # fmt: skip
    counts = json.dumps([[f"dcndl.E00{n}", "warning", 20, 20, 0] for n in range(9)])
    fill(IssueCount, 10 * PROVIDERS, repository_id=provider, taken_at=when, records="200", faulty="n % 200",
         counts=f"'{counts}'")  # fmt: skip
    fill(ReviewPair, OPTIONS.questions, first_core_id="n", second_core_id="n + 1", first_id=record,
         second_id=f"1 + n % {rows}", score="1.0", chance="0.3", worth="n % 1000", asked="TRUE", joined="n % 2 = 1", evidence="'[]'",
         since=when, pattern="'year=sign_' || n % 300", holdings="4", readers="n % 7")  # fmt: skip
    fill(Library, PROVIDERS, name="'図書館 ' || n", edited="'[]'", holdings="200")
    fill(LinkHost, PROVIDERS, name="'a' || n || '.example.jp'", repository_id="n", state="'answers'")
    fill(LinkPattern, PROVIDERS, text="'a' || n || '.example.jp/*'", host_id="n")
    fill(CheckedLink, OPTIONS.links, key="n", url="'https://a1.example.jp/' || n", pattern_id=provider,
         repository_id=provider, library_id=provider, book="n", checked_at=when,
         state="CASE WHEN n % 50 = 0 THEN 'dead' ELSE 'alive' END")  # fmt: skip
    day = f"date({before(f'n / {PROVIDERS}', 'days')})"
    fill(DailyCount, 60 * PROVIDERS, repository_id=provider, day=day, records="200", with_issues="n % 100",
         counted_at=MIDNIGHT)  # fmt: skip
    begun = time.perf_counter()
    while verdicts.renew_some():
        pass
    print(f"health of {HealthStatus.objects.count():,} providers judged in {time.perf_counter() - begun:.1f} s")


def log_in(name: str, group: str) -> Client:
    user, _created = get_user_model().objects.update_or_create(username=name, defaults={"is_staff": True})
    user.groups.add(Group.objects.get(name=group))
    if group == LIBRARIANS:
        Repository.objects.get(pk=77).managers.add(user)
    client = Client()
    client.force_login(user)
    return client


def report(clients: dict[str, Client], role: str, path: str) -> float:
    """Print a page's line of the table. Return its CPU milliseconds, the 95th percentile."""
    run = Harvest.objects.filter(feed=77).first()
    assert run
    large = Repository.objects.get(pk=LARGE)
    address = path.format(
        number=Repository.objects.get(pk=77).number,
        harvest=run.pk,
        large=large.number,
        large_pk=large.pk,
    )
    times, clock = [], []
    for _time in range(OPTIONS.times):
        with CaptureQueriesContext(connection) as queries:
            begun, began = time.process_time(), time.perf_counter()
            answer = clients[role].get(address)
            times.append(1000 * (time.process_time() - begun))
            clock.append(1000 * (time.perf_counter() - began))
        assert answer.status_code == 200, (address, answer.status_code, answer.headers.get("Location"))
    if connection.vendor != "sqlite":
        times = clock
    late = sorted(times)[-1 - len(times) // 20]
    print(f"{late:7.0f} {min(times):7.0f} {min(clock):7.0f} {len(queries):8}  {role} {address}", flush=True)
    return late


if __name__ == "__main__":
    main()
