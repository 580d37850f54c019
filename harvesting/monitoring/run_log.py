"""The log of a run as table rows: changes of state, observations, date windows, unreadable pages and counters."""

from collections.abc import Iterator
from datetime import datetime

from django.utils import timezone

from harvesting.messages import describe
from harvesting.models import DateWindow, Harvest
from harvesting.monitoring.run_summary import COUNTS, outcome
from harvesting.runs.observations import observations_for_report

LOG_HEADER = ("when", "what", "code", "count", "text")
MOST = 10_000  # rows of each kind


def log_rows(run: Harvest) -> Iterator[tuple[object, ...]]:
    """Yield the rows of the log, as named by LOG_HEADER: first the changes of state in order, then everything else."""
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
