"""What the checks say about the links of providers: for the page of librarians, its file and the overview. No HTTP."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, OuterRef, QuerySet
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from aggregator.libraries.numbers import library_number
from aggregator.models import CheckedLink, LinkHost, LinkPattern
from core.spreadsheet import csv_lines
from harvesting.models import Repository

PAGE = 50
MOST = 100_000  # rows of a file
MOST_SHOWN = 50  # hosts and patterns on a page
COLUMNS = ("provider", "library", "book", "link", "kind", "state", "result", "days", "checked", "moved to")
SILENT = (LinkHost.State.UNREACHABLE, LinkHost.State.GONE)
_RESULTS = {
    "robots": gettext_noop("The host asks programs not to request it (robots.txt)."),
    "http.404": gettext_noop("The page was not found."),
    "http.410": gettext_noop("The page was removed."),
    "http.bot_wall": gettext_noop("A protection against programs answered."),
    "net.refused_address": gettext_noop("The address is in a network that is not asked."),
    "net.bad_url": gettext_noop("The address cannot be asked."),
    "net.redirects": gettext_noop("The redirects lead nowhere."),
    "net.dns": gettext_noop("The name of the host was not found."),
    "net.connect": gettext_noop("The host accepts no connection."),
    "net.timeout": gettext_noop("The host did not answer in time."),
    "net.tls": gettext_noop("The secure connection failed."),
}


type Owners = QuerySet[Repository] | None  # the providers of links; None = all, for which no condition is needed


@dataclass(frozen=True, slots=True)
class Wanted:
    """The conditions of a list. state: "" = any."""

    repositories: Owners
    state: str = ""

    def rows(self) -> QuerySet[CheckedLink]:
        """Return the links, those that were checked last first."""
        found = _checked(self.repositories)
        found = found.filter(state=self.state) if self.state else found
        return found.select_related("repository", "library").order_by("-checked_at", "-pk")

    def page(self, counted: Counter[str], number: str | None) -> Page[CheckedLink]:
        """Return a page of the links. counted: as `counts` returns it."""
        return _Counted(self.rows(), counted[self.state] if self.state else counted.total()).get_page(number)


class _Counted(Paginator[CheckedLink]):
    """The pages of rows that have been counted: counting 180,000 of them once more takes a tenth of a second."""

    def __init__(self, rows: QuerySet[CheckedLink], number: int) -> None:
        super().__init__(rows, PAGE)
        self._number = number

    @cached_property
    def count(self) -> int:
        return self._number


def _checked(repositories: Owners) -> QuerySet[CheckedLink]:
    found = CheckedLink.objects.filter(checked_at__isnull=False)
    return found if repositories is None else found.filter(repository__in=repositories)


def counts(repositories: Owners) -> Counter[str]:
    """Return state -> number of links."""
    rows = _checked(repositories).order_by()
    return Counter(dict(rows.values_list("state").annotate(number=Count("*"))))


def failing_hosts(repositories: Owners) -> list[LinkHost]:
    """Return the hosts that do not answer, or not without errors, those that fail for the longest time first."""
    rows = LinkHost.objects.filter(failed_days__gt=0)
    rows = rows if repositories is None else rows.filter(repository__in=repositories)
    return list(rows.order_by("failed_since", "name")[:MOST_SHOWN])


def dead_patterns(repositories: Owners) -> list[LinkPattern]:
    """Return the patterns of which all links that were checked lately are dead."""
    rows = LinkPattern.objects.filter(dead=True)
    if repositories is not None:
        own = CheckedLink.objects.filter(pattern=OuterRef("pk"), repository__in=repositories)
        rows = rows.filter(Exists(own))
    return list(rows.order_by("text")[:MOST_SHOWN])


def broken(repositories: QuerySet[Repository], most: int) -> tuple[int, int]:
    """Return how many links are dead (at most so many are counted), and how many hosts are unreachable."""
    dead = CheckedLink.objects.filter(repository__in=repositories, state=CheckedLink.State.DEAD)
    silent = LinkHost.objects.filter(repository__in=repositories, state__in=SILENT)
    return dead[:most].count(), silent[:most].count()


def result_of(code: str) -> str:
    """Return in words what a check found, in the active language; "" for a page that was there."""
    if not code or code.startswith("http.2"):
        return ""
    status = code.removeprefix("http.")
    if code not in _RESULTS and status.isdecimal():
        return _("The server answered with status %(status)s.") % {"status": status}
    return _(_RESULTS.get(code, gettext_noop("The answer could not be read.")))


def as_csv(rows: Iterable[CheckedLink]) -> Iterator[bytes]:
    """Yield the lines of a CSV file."""
    return csv_lines(COLUMNS, map(_cells, rows))


def _cells(row: CheckedLink) -> list[object]:
    return [
        row.repository.number,
        library_number(row.library_id),
        f"M{row.book}",
        row.url,
        row.kind,
        row.state,
        row.code,
        row.failed_days,
        row.checked_at.isoformat(timespec="seconds") if row.checked_at else "",
        row.location,
    ]
