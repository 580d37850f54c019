"""The first page of librarians and staff: adds the catalogue's tasks to the page that `harvesting` renders."""

from datetime import timedelta

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from aggregator.availability.health import paused
from aggregator.backups import last_backup
from aggregator.indexing.state import IndexState, index_state
from aggregator.indexing.wording import problems
from aggregator.libraries.editing.questions import count_questions
from aggregator.links.report import broken
from aggregator.live.report import failing
from aggregator.live.sources import EVERY, catalogues
from aggregator.models import ErrorReport
from aggregator.observability.backlog import Backlog, backlogs
from aggregator.review.patterns import waiting
from aggregator.review.queue import READERS
from aggregator.review.readers_words import reported_pairs
from harvesting.accounts.access import for_librarians, repositories_of, role_of
from harvesting.accounts.ranks import Role
from harvesting.models import Application
from harvesting.monitoring.progress import duration
from harvesting.views.dashboard import WaitingTask, show

MOST_NAMED = 20
OLD_BACKUP = timedelta(days=2)
MOST = 1000  # counting stops here: it is enough to know that there are many


@require_safe
@for_librarians
def dashboard(request: HttpRequest) -> HttpResponse:
    """Show the tasks that wait for this user, and the state of the user's providers."""
    role = role_of(request.user)
    if role < Role.STAFF:
        return show(request, [*_sent_back(request), *_link_tasks(request)])
    state = index_state()
    tasks = [*(_administrator_tasks() if role is Role.ADMINISTRATOR else []), *_staff_tasks(state)]
    tasks += _link_tasks(request)
    return show(request, tasks, [_in_words(line) for line in backlogs(timezone.now(), state) if line.waiting.count])


def _in_words(line: Backlog) -> tuple[str, str]:
    """What waits, in words: how much of it, and for how long."""
    waits = line.waiting
    count = f"{waits.count:,}{'+' if line.more else ''}"
    return str(line.label), _("%(count)s, the first for %(time)s") % {"count": count, "time": duration(waits.seconds)}


def _sent_back(request: HttpRequest) -> list[WaitingTask]:
    """Return the registrations that staff sent back to this librarian."""
    own = repositories_of(request.user).filter(approved=False)
    refused = own.filter(applications__state=Application.State.REFUSED).distinct()
    answered = refused.exclude(applications__state=Application.State.OPEN).order_by("number")[:MOST_NAMED]
    text = _("Staff sent back the registration of %(name)s. Read the reason, correct it, and request approval again.")
    return [
        WaitingTask(text % {"name": repository.label}, reverse("provider", args=[repository.number]))
        for repository in answered
    ]


def _link_tasks(request: HttpRequest) -> list[WaitingTask]:
    """Return one task if links of this user's providers are dead, or hosts to which they lead unreachable."""
    dead, silent = broken(repositories_of(request.user), MOST)
    parts = []
    if dead:
        shown = f"{dead:,}{'+' if dead == MOST else ''}"
        parts.append(ngettext("%(count)s link is dead", "%(count)s links are dead", dead) % {"count": shown})
    if silent:
        text = ngettext("%(count)s host is unreachable", "%(count)s hosts are unreachable", silent)
        parts.append(text % {"count": f"{silent:,}"})
    state = "?state=dead" if dead else ""
    return [WaitingTask(" · ".join(parts), f"{reverse('links')}{state}")] if parts else []


def _administrator_tasks() -> list[WaitingTask]:
    """Return a task if backups are made here but the last one is old."""
    last = last_backup()
    if last is None or last.age < OLD_BACKUP.total_seconds():
        return []
    text = _("The last backup is from %(moment)s") % {"moment": date_format(localtime(last.began), "DATETIME_FORMAT")}
    return [WaitingTask(text, reverse("admin:aggregator_backup_changelist"))]


def _staff_tasks(state: IndexState) -> list[WaitingTask]:
    """Return the tasks that only staff have: the search index, pairs to review, applications, and readers' reports.

    Applications of providers that are not approved yet are left out: to approve these is a task already.
    """
    index = reverse("admin:aggregator_indexledger_changelist")
    tasks = [WaitingTask(problem, index) for problem in problems(state)]
    asked = Application.objects.filter(state=Application.State.OPEN, repository__approved=True)[:MOST].count()
    if asked:
        text = ngettext(
            "%(count)s provider is waiting for your answer", "%(count)s providers are waiting for your answer", asked
        )
        tasks.append(WaitingTask(text % {"count": f"{asked:,}"}, reverse("providers")))
    pairs = sum(waiting().values())
    if pairs:
        text = ngettext("%(count)s question about matches", "%(count)s questions about matches", pairs)
        tasks.append(WaitingTask(text % {"count": f"{pairs:,}"}, reverse("matches")))
    return tasks + _library_tasks() + _live_tasks() + _reader_tasks()


def _library_tasks() -> list[WaitingTask]:
    """Return the tasks about libraries: questions (one code under two names, probable duplicates), and those that keep
    failing when they are asked for availability.
    """
    asked, failing = count_questions(), paused(timezone.now())
    questions = ngettext("%(count)s question about libraries", "%(count)s questions about libraries", asked)
    failures = ngettext(
        "%(count)s library keeps failing when asked for availability",
        "%(count)s libraries keep failing when asked for availability",
        failing,
    )
    tasks = ((asked, questions, "manage_libraries_questions"), (failing, failures, "manage_availability"))
    return [WaitingTask(text % {"count": f"{count:,}"}, reverse(page)) for count, text, page in tasks if count]


def _live_tasks() -> list[WaitingTask]:
    """Return one task if live sources keep failing."""
    broken_catalogues = failing(timezone.now(), catalogues(most=EVERY))
    text = ngettext(
        "%(count)s live source keeps failing",
        "%(count)s live sources keep failing",
        broken_catalogues,
    )
    if not broken_catalogues:
        return []
    return [WaitingTask(text % {"count": f"{broken_catalogues:,}"}, reverse("manage_live"))]


def _reader_tasks() -> list[WaitingTask]:
    """Return the tasks that come from readers: what they say about two records, and their reports of errors."""
    tasks = []
    reported = len(reported_pairs())
    if reported:
        text = ngettext(
            "%(count)s pair of records on which readers commented",
            "%(count)s pairs of records on which readers commented",
            reported,
        )
        tasks.append(WaitingTask(text % {"count": f"{reported:,}"}, f"{reverse('match_review')}?kind={READERS}"))
    reports = ErrorReport.objects.open_reports()[:MOST].count()
    if reports:
        text = ngettext("%(count)s error report from a reader", "%(count)s error reports from readers", reports)
        url = reverse("admin:aggregator_errorreport_changelist")
        tasks.append(WaitingTask(text % {"count": f"{reports:,}"}, url))
    return tasks
