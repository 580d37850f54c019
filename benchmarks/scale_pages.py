"""Pages, interfaces and the regular work of a site with the database of `bench scale`: what takes over its limit?

    DATABASE_URL=postgres://…/scale python3 run.py bench scale_pages --folder FOLDER

FOLDER is the one given to `bench scale`. An index of `bench search_growth` linked there as `search` serves the results
pages: its books have other titles than those of the database with their numbers. Each line has the number of
statements, the best time on the clock of three, and the slowest statement of the first time. Answers from caches are
avoided. Lines over their limit begin with "!"; so do answers other than 200.
"""

import argparse
import os
import time
from collections.abc import Callable
from typing import Any

import django

PARSER = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
PARSER.add_argument("--folder", default="", help="data folder of the site; must be given")
PARSER.add_argument("--only", default="", help="only lines whose name contains this")
PARSER.add_argument("--times", type=int, default=3)
OPTIONS = PARSER.parse_args()
os.environ |= {"AGGREGATOR_DATA": OPTIONS.folder, "DJANGO_SETTINGS_MODULE": "aggregator.settings", "LOG_LEVEL": "ERROR"}
os.environ.setdefault("METRICS_NETWORKS", "127.0.0.1")
django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.auth import get_user_model  # noqa: E402
from django.contrib.auth.models import Group  # noqa: E402
from django.core.cache import caches  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.http import StreamingHttpResponse  # noqa: E402
from django.test import Client  # noqa: E402

from aggregator.jobs import JOBS  # noqa: E402
from aggregator.management.commands.dispatch import turn_due_into_rows  # noqa: E402
from aggregator.models import Manifestation, Provided, Resource, ResourceSet  # noqa: E402
from benchmarks.scale_template import LARGE  # noqa: E402
from harvesting.accounts.roles import STAFF, ensure_roles  # noqa: E402
from harvesting.dispatcher import upkeep  # noqa: E402
from harvesting.issues.counts import count_issues, count_records, recount_rule  # noqa: E402
from harvesting.models import Repository, SourceRecord  # noqa: E402
from harvesting.monitoring import verdicts  # noqa: E402

PUBLIC_LIMIT, STAFF_LIMIT, WORK_LIMIT = 300, 300, 1000  # milliseconds on the clock
PUBLIC = (
    "/",
    "/search?q=図書館",
    "/search?q=図",
    "/search?library=L1",
    "/search?q=図書館&repository={large}",
    "/books/{book}",
    "/books/{record}",
    "/books/{book}.json",
    "/books/{book}.xml?format=dcndl",
    "/books/{book}/why",
    "/books/{book}/holdings",
    "/libraries/",
    "/libraries/L1",
    "/repositories/",
    "/repositories/{large}",
    "/rules/dcndl.W110",
    "/browse/",
    "/browse/new",
    "/statistics/",
    "/sitemap.xml",
    "/sitemaps/books-0.xml",
    "/sitemaps/books-{last_sitemap}.xml",
    "/resourcesync/merged/capabilitylist.xml",
    "/resourcesync/merged/resourcelist.xml",
    "/resourcesync/merged/resourcelist-{last_list}.xml",
    "/resourcesync/merged/changelist.xml",
    "/resourcesync/merged/changes",
    "/resourcesync/{small}/changes",
    "/oai?verb=ListSets",
    "/oai?verb=ListRecords&metadataPrefix=oai_dc",
    "/oai?verb=ListRecords&metadataPrefix=dcndl",
    "/oai?verb=ListIdentifiers&metadataPrefix=oai_dc",
    "/oai?verb=ListIdentifiers&metadataPrefix=oai_dc&set=merged",
    "/oai?verb=ListIdentifiers&metadataPrefix=oai_dc&set=repository:{large}",
    "/oai?verb=ListIdentifiers&metadataPrefix=oai_dc&set=repository:{small}",
    "/oai?verb=ListIdentifiers&metadataPrefix=oai_dc&set=type:Book",
    "/oai?verb=ListIdentifiers&metadataPrefix=oai_dc&until=2001-01-01",
    "/oai?verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:testserver:{book}",
    "/sru?operation=searchRetrieve&version=1.2&query=isbn=9784003101018",
    "/feeds/search.atom?q=図書館",
    "/healthz",
    "/metrics",
)
OF_STAFF = (
    "/manage/",
    "/manage/queue/",
    "/manage/providers/",
    "/manage/providers/{large}/",
    "/manage/harvests/",
    "/manage/issues/",
    "/manage/issues/{large}/",
    "/manage/issues/list",
    "/manage/issues/list?repository={large}",
    "/manage/issues/list?value=nowhere",
    "/manage/issues/list?repository={large}&value=nowhere",
    "/manage/issues/list?severity=warning",
    "/manage/records/",
    "/manage/records/?q=nowhere",
    "/manage/records/?q={record}",
    "/manage/records/{record}/",
    "/manage/records/duplicates/?repository={large}",
    "/manage/records/isbns/",
    "/manage/records/duplicates/",
    "/manage/matches/",
    "/manage/matches/review",
    "/manage/links/",
    "/manage/trace/",
    "/manage/bulk/",
    "/admin/harvesting/sourcerecord/",
    "/admin/harvesting/sourcerecord/?q=nowhere",
    "/admin/harvesting/sourcerecord/?repository={large}",
    "/admin/harvesting/recordissue/",
    "/admin/harvesting/recordissue/?repository={large}",
    "/admin/aggregator/manifestation/",
    "/admin/aggregator/library/",
)


class Statements:
    """Collects the statements of a block with their milliseconds."""

    def __init__(self) -> None:
        self.taken: list[tuple[float, str]] = []

    def __call__(self, execute: Callable[..., Any], sql: str, parameters: Any, many: bool, context: Any) -> Any:
        begun = time.perf_counter()
        try:
            return execute(sql, parameters, many, context)
        finally:
            self.taken.append((1000 * (time.perf_counter() - begun), sql))

    def slowest(self) -> str:
        """The slowest statement, shortened: columns are left out."""
        took, sql = max(self.taken, default=(0.0, ""))
        head, _from, rest = sql.partition(" FROM ")
        return f"{took:8.0f} ms {head[:60]} FROM {rest[:300]}" if rest else f"{took:8.0f} ms {sql[:300]}"


def main() -> None:
    if not OPTIONS.folder:
        PARSER.error("--folder: name the data folder of the site")
    call_command("collectstatic", verbosity=0, interactive=False)
    settings.ALLOWED_HOSTS = ["testserver"]
    names = facts()
    count_providers()
    staff, reader = client_of_staff(), Client(headers={"Accept-Language": "ja"})
    reader.cookies[settings.SESSION_COOKIE_NAME] = "none"  # pages are made anew
    reader.get("/")  # what the first request of a process imports
    staff.get("/manage/")
    print(f"{SourceRecord.objects.order_by().values('pk').count():,} records, load {os.getloadavg()[0]:.1f}")
    print(f"  {'clock ms':>8} {'statements':>10}  what; the slowest statement")
    for client, limit, paths in ((reader, PUBLIC_LIMIT, PUBLIC), (staff, STAFF_LIMIT, OF_STAFF)):
        for path in paths:
            report(path, limit, lambda client=client, path=path: requested(client, path.format(**names)))
    connection.close()  # with the time limit of pages
    for name, work in regular_work().items():
        report(name, WORK_LIMIT, lambda work=work: called(work))


def facts() -> dict[str, Any]:
    """What stands for the names in braces."""
    last = SourceRecord.objects.order_by("-pk").values_list("pk", flat=True)[0]
    book = Manifestation.objects.filter(pk__gte=last // 2).order_by("pk").values_list("pk", flat=True)[0]
    last_book = Manifestation.objects.order_by("-pk").values_list("pk", flat=True)[0]
    last_resource = Resource.objects.filter(origin=0).order_by("-pk").values_list("pk", flat=True)[:1]
    return {
        "record": SourceRecord.objects.filter(pk__gte=last // 2).order_by("pk")[0].public_id,
        "book": f"M{book}",
        "large": Repository.objects.get(pk=LARGE).number,
        "small": Repository.objects.get(pk=LARGE + 2).number,
        "last_sitemap": last_book // 50_000,
        "last_list": next((pk // 20_000 for pk in last_resource), 0),
    }


def count_providers() -> None:
    """Count what is counted after every harvest, for the providers without a harvest; and offer their lists."""
    for repository in Repository.objects.filter(issue_stocks=None):
        count_issues(repository)
    known = ResourceSet.objects.values("origin")
    missing = Repository.objects.exclude(pk__in=known)
    ResourceSet.objects.bulk_create(ResourceSet(origin=row.pk, name=row.number) for row in missing)


def client_of_staff() -> Client:
    ensure_roles()
    user, _created = get_user_model().objects.update_or_create(username="staff", defaults={"is_staff": True})
    user.groups.add(Group.objects.get(name=STAFF))
    client = Client(headers={"Accept-Language": "ja"})
    client.force_login(user)
    return client


def regular_work() -> dict[str, Callable[[], Any]]:
    """What the dispatcher does in every round, and what it looks for."""
    looked = {f"waiting: {job.kind}": lambda job=job: list(job.waiting()) for job in JOBS}
    return {
        "dispatcher: due rows": turn_due_into_rows,
        "dispatcher: upkeep": upkeep,
        "health of providers judged": verdicts.renew_some,
        "the large provider's issues, counted after a harvest": lambda: count_issues(Repository.objects.get(pk=LARGE)),
        "the large provider's records, counted": lambda: count_records(LARGE),
        "an issue of the large provider ignored": lambda: recount_rule(Repository.objects.get(pk=LARGE), "dcndl.W110"),
        "redistributed records, counted": Provided.objects.filter(stamp__isnull=False, deleted=False).count,
        **looked,
    }


def report(name: str, limit: int, ask: Callable[[], int]) -> None:
    if OPTIONS.only not in name:
        return
    statements, times = Statements(), []
    status = 0
    for nth in range(OPTIONS.times):
        for cache in set(settings.CACHES) - {"suggestions"}:
            caches[cache].clear()
        begun = time.perf_counter()
        with connection.execute_wrapper(statements if nth == 0 else Statements()):
            status = ask()
        times.append(1000 * (time.perf_counter() - begun))
        if times[-1] > 5_000:
            break
    mark = "!" if min(times) > limit or status != 200 else " "
    unusual = "" if status == 200 else f" {status}"
    print(f"{mark} {min(times):8.0f} {len(statements.taken):10}  {name}{unusual}; {statements.slowest()}", flush=True)


def requested(client: Client, path: str) -> int:
    answer = client.get(path)
    if isinstance(answer, StreamingHttpResponse):
        for _part in answer:
            pass
    return int(answer.status_code)


def called(work: Callable[[], Any]) -> int:
    work()
    return 200


if __name__ == "__main__":
    main()
