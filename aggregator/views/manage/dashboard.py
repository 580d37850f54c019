"""The first page of librarians and staff, with what waits in the catalogue beside what waits among the harvests."""

from datetime import timedelta

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from aggregator.backups import last_backup
from aggregator.indexing.state import index_state
from aggregator.indexing.wording import problems
from aggregator.models import ErrorReport
from aggregator.review.queue import waiting
from harvesting.accounts.access import for_librarians, repositories_of, role_of
from harvesting.accounts.ranks import Role
from harvesting.models import Application
from harvesting.views.dashboard import Waits, show

MOST_NAMED = 20
OLD_BACKUP = timedelta(days=2)
MOST = 1000  # counted; beyond it is enough to know that there are many


@require_safe
@for_librarians
def dashboard(request: HttpRequest) -> HttpResponse:
    """What waits for this person, and how her providers are doing."""
    role = role_of(request.user)
    if role is Role.ADMINISTRATOR:
        return show(request, [*_of_administrator(), *_of_staff()])
    return show(request, _of_staff() if role is Role.STAFF else _sent_back(request))


def _sent_back(request: HttpRequest) -> list[Waits]:
    """Registrations that staff sent back to their librarian."""
    own = repositories_of(request.user).filter(approved=False)
    answered = own.exclude(applications__state=Application.State.OPEN).order_by("number")[:MOST_NAMED]
    text = _("%(name)s was sent back by staff: see why, mend it, and ask again.")
    return [Waits(text % {"name": each.label}, reverse("provider", args=[each.number])) for each in answered]


def _of_administrator() -> list[Waits]:
    """Where backups are made, that they go on."""
    last = last_backup()
    if last is None or last.age < OLD_BACKUP.total_seconds():
        return []
    text = _("The last backup holds the state of %(moment)s") % {
        "moment": date_format(localtime(last.began), "DATETIME_FORMAT")
    }
    return [Waits(text, reverse("admin:aggregator_backup_changelist"))]


def _of_staff() -> list[Waits]:
    """What only staff are asked: the search index, pairs in doubt, and what readers report."""
    index = reverse("admin:aggregator_indexledger_changelist")
    found = [Waits(each, index) for each in problems(index_state())]
    asked = Application.objects.filter(state=Application.State.OPEN)[:MOST].count()
    if asked:
        text = ngettext("%(count)s provider waits for your answer", "%(count)s providers wait for your answer", asked)
        found.append(Waits(text % {"count": f"{asked:,}"}, reverse("providers")))
    pairs = sum(waiting().values())
    if pairs:
        text = ngettext("%(count)s pair of records to review", "%(count)s pairs of records to review", pairs)
        found.append(Waits(text % {"count": f"{pairs:,}"}, reverse("matches")))
    reports = ErrorReport.objects.filter(handled=None)[:MOST].count()
    if reports:
        text = ngettext("%(count)s report by a reader", "%(count)s reports by readers", reports)
        url = reverse("admin:aggregator_errorreport_changelist")
        found.append(Waits(text % {"count": f"{reports:,}"}, url))
    return found
