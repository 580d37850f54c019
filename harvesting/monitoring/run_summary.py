"""The counters and observations of a run in words, for every page that shows a harvest, and its log. Read-only."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from django.utils import timezone
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from harvesting.completion.deletion_decisions import awaits_decision
from harvesting.messages import describe, happened
from harvesting.models import DateWindow, Harvest, RecordIssue
from harvesting.runs.observations import is_complete, observations_for_report
from harvesting.runs.results import LABELS, is_mostly_good, result_of

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise
LOG_HEADER = ("when", "what", "code", "count", "text")
MOST = 10_000  # rows of each kind in the log
COUNTS = ("received", "created", "updated", "unchanged", "deleted", "rejected", "held", "swept")
OUTCOMES = COUNTS[1:6]

# What each state means to the person who reads it.
STATES: "dict[str, StrOrPromise]" = {
    Harvest.State.QUEUED: gettext_lazy("The harvest starts as soon as a worker is free."),
    Harvest.State.RUNNING: gettext_lazy("The harvest is running."),
    Harvest.State.PAUSED: gettext_lazy("The harvest is paused. Stored records are kept."),
    Harvest.State.INTERRUPTED: gettext_lazy("The worker stopped; another worker continues after the last stored page."),
    Harvest.State.SUCCEEDED: gettext_lazy("The harvest is finished."),
    Harvest.State.FAILED: gettext_lazy(
        "The harvest ended early. Stored records are kept; the next harvest fetches the rest."
    ),
    Harvest.State.CANCELLED: gettext_lazy("The harvest was cancelled. Stored records are kept."),
}


def outcome(run: Harvest) -> str:
    """The state or the end of a run as a sentence. A success with rejected records is not called a plain success."""
    if run.code:
        return describe(run.code, run.facts)
    if run.state != Harvest.State.SUCCEEDED:
        return str(STATES[Harvest.State(run.state)])
    if not run.received:
        return _("The harvest is finished: the provider had nothing new.")
    if run.rejected:
        text = ngettext(
            (
                "The harvest is finished, but %(count)s record could not be registered. The earlier version of the "
                "record, if any, stays in use."
            ),
            (
                "The harvest is finished, but %(count)s records could not be registered. The earlier versions of these "
                "records, if any, stay in use."
            ),
            run.rejected,
        )
        return text % {"count": f"{run.rejected:,}"}
    if not is_complete(run.observations):
        return _("The harvest is finished, but part of the data could not be read. The observations say why.")
    text = ngettext(
        "The harvest is finished: the one record received has been stored.",
        "The harvest is finished: all %(count)s records received have been stored.",
        run.received,
    )
    return text % {"count": f"{run.received:,}"}


def tone(run: Harvest) -> str:
    """The colour of a run: amber, green, red, grey or blue. Pages always show it together with words."""
    if result_of(run) in LABELS:
        return "amber" if is_mostly_good(run) else "red"
    if awaits_decision(run):
        return "amber"
    tones = {Harvest.State.SUCCEEDED: "green", Harvest.State.FAILED: "red", Harvest.State.CANCELLED: "grey"}
    return tones.get(Harvest.State(run.state), "blue")


def observations_of(run: Harvest) -> list[tuple[str, str]]:
    """The observations of the run as sentences, each with its number of occurrences in words ("" for one)."""
    sentences = []
    for code, observation in observations_for_report(run).items():
        count = int(observation.get("count", 1))
        times = ngettext("(%(count)s time)", "(%(count)s times)", count) % {"count": count} if count > 1 else ""
        sentences.append((describe(code, observation.get("facts", {})), times))
    return sentences


def issues_of(run: Harvest) -> str:
    """The number of issues by severity, in words; "" for none."""
    names = dict(RecordIssue.SEVERITIES)
    return ", ".join(f"{names.get(severity, severity)}: {count}" for severity, count in run.issue_counts.items())


def what_happened(code: str, facts: Mapping[str, str | int], most: int = 0) -> str:
    """What happened, without the remedy, for pages that offer the remedy themselves. most: characters, 0 = all."""
    text = happened(code, facts)
    return Truncator(text).chars(most) if most else text


def log_rows(run: Harvest) -> Iterator[tuple[object, ...]]:
    """Yield the log of a run as table rows, as named by LOG_HEADER: the changes of state in order, then observations,
    date windows, unreadable pages and counters.
    """
    for event in run.events.all()[:MOST].iterator(chunk_size=500):
        yield _when(event.at), event.get_state_display(), event.code, "", describe(event.code, event.facts)
    for code, observation in observations_for_report(run).items():
        yield "", "notice", code, observation.get("count", 1), describe(code, observation.get("facts", {}))
    for window in run.windows.order_by("pk")[:MOST]:
        period = f"{window.from_date or '…'} – {window.until_date or '…'}"
        yield _when(window.noted_at), _kind(window), window.code, period, describe(window.code, window.facts)
    for page in run.broken_pages.defer("body").order_by("pk"):
        yield _when(page.stored_at), "broken page", page.code, page.url, page.reason
    for name in (*COUNTS, "pages", "requests", "repeats"):
        yield "", "count", name, getattr(run, name), ""
    yield _when(run.finished_at), "outcome", run.code, "", outcome(run)


def _kind(window: DateWindow) -> str:
    return "gap" if window.state == DateWindow.State.GAP else "covered"


def _when(moment: datetime | None) -> str:
    return timezone.localtime(moment).isoformat(timespec="seconds") if moment else ""
