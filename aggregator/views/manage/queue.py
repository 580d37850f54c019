"""Staff's page about the queue: what runs, waits and failed, the workers, and how far the work is behind."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe
from redis.exceptions import RedisError

from aggregator.indexing.state import index_state
from aggregator.jobs import JOBS
from aggregator.observability.backlog import backlogs
from core.work import queues
from core.work.queues import NEVER, JobLine
from harvesting.accounts.access import for_administrators, for_staff, role_of
from harvesting.accounts.ranks import Role
from harvesting.audit.trail import note
from harvesting.jobs import HARVESTS
from harvesting.monitoring.progress import duration

SHOWN = 20  # jobs of each queue and kind
MOST_WORKERS = 100
LONGEST_ID = 200  # characters
LABELS = {job.function: job.label for job in JOBS}
NAMES = {
    "default": gettext_lazy("harvests and other work"),
    "aggregation": gettext_lazy("matching, merging and indexing"),
    "quick": gettext_lazy("trials that a person waits for"),
}


@dataclass(frozen=True, slots=True)
class ShownJob:
    """A job as it is shown. url: the page of what it works on, "" if there is none. since: seconds, None = unknown."""

    line: JobLine
    label: str
    url: str
    since: str


@require_safe
@for_staff
def queue(request: HttpRequest) -> HttpResponse:
    """Show the queues. Without a queue server, show why, and how far the work is behind."""
    return render(
        request,
        "manage/queue.html",
        {
            "backlogs": [
                (line, duration(line.waiting.seconds) if line.waiting.count else "")
                for line in backlogs(timezone.now(), index_state())
            ],
            "may_act": role_of(request.user) is Role.ADMINISTRATOR,
            "shown": SHOWN,
            **_queues(),
        },
    )


def _queues() -> dict[str, Any]:
    try:
        return {
            "states": [
                (state, NAMES.get(state.name, state.name), _since(state.since)) for state in queues.queue_states()
            ],
            "running": [_shown(line) for line in queues.running_jobs(SHOWN)],
            "waiting": [_shown(line) for line in queues.waiting_jobs(SHOWN)],
            "failed": [_shown(line) for line in queues.failed_jobs(SHOWN)],
            "workers": [(line, _since(line.heartbeat)) for line in queues.workers(MOST_WORKERS)],
        }
    except RedisError as error:
        return {"missing": type(error).__name__}


def _shown(line: JobLine) -> ShownJob:
    label = str(LABELS.get(line.function, line.function or _("unreadable")))
    url = ""
    if line.function == HARVESTS.function and line.arguments and isinstance(line.arguments[0], int):
        label, url = f"{label} #{line.arguments[0]}", reverse("harvest", args=[line.arguments[0]])
    return ShownJob(line, label, url, _since(line.moment))


def _since(moment: Any) -> str:
    return "" if moment == NEVER else duration((timezone.now() - moment).total_seconds())


@require_POST
@for_administrators
def act(request: HttpRequest) -> HttpResponse:
    """Queue failed jobs of a queue again or remove them: one, or all of them if no job is named."""
    name, number = request.POST.get("queue", ""), request.POST.get("job", "")[:LONGEST_ID]
    action = {"retry": ("queue.retried", queues.retry), "remove": ("queue.removed", queues.remove)}.get(
        request.POST.get("do", "")
    )
    if action is None:
        raise Http404
    code, change = action
    try:
        count = change(name, number)
    except KeyError as error:
        raise Http404(name) from error
    except RedisError:
        messages.error(request, _("The queue server does not answer. Nothing was changed."))
        return redirect("queue")
    if not count:
        messages.warning(request, _("The job is no longer in the list of failed jobs."))
        return redirect("queue")
    note(request.user, code, number or name, details={"count": count})
    done = (
        ngettext("%(count)s job was queued again.", "%(count)s jobs were queued again.", count)
        if code == "queue.retried"
        else ngettext("%(count)s job was removed.", "%(count)s jobs were removed.", count)
    )
    messages.success(request, done % {"count": f"{count:,}"})
    return redirect("queue")
