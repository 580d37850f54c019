"""The progress of a run, computed from its row: share done, speed, time left, current activity. No network access."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from harvesting.completion.deletion_decisions import CONFIRMING, awaits_decision
from harvesting.messages import happened
from harvesting.models import Harvest
from harvesting.monitoring.run_summary import OUTCOMES, STATES, tone
from harvesting.monitoring.wording import format_moment, shown_state

NO_ANSWER = timedelta(seconds=30)  # without new records; then `doing` says that the provider is being waited for
FEW_SECONDS = 3.0  # of work; before that, the speed means nothing
LONGEST_WAIT = 7 * 24 * 3600  # seconds left; longer estimates are not credible and not shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The progress of a run. done, total: records; total 0 = unknown. guessed: the total is that of the last run.

    share: 0 to 1, None = unknown. pace: records per second, 0 = not yet known. left: seconds, None = unknown.
    doing: the current activity as a sentence.
    """

    done: int = 0
    total: int = 0
    guessed: bool = False
    share: float | None = None
    pace: float = 0.0
    left: int | None = None
    doing: str = ""


def usual_total(run: Harvest) -> int:
    """The number of records of the feed's last full run, for a full run whose provider announces no size; else 0."""
    if run.kind != Harvest.Kind.FULL or run.complete_list_size:
        return 0
    done = run.feed.harvests.filter(kind=Harvest.Kind.FULL, state=Harvest.State.SUCCEEDED)
    return done.values_list("received", flat=True).first() or 0


def progress_of(run: Harvest, usual: int, now: datetime) -> Progress:
    """Return the progress of a run. usual: the result of `usual_total`."""
    confirmed = run.observations.get(CONFIRMING, {}).get("facts")
    if confirmed:
        done, total = int(confirmed["done"]), int(confirmed["count"])
    else:
        done, total = run.received, run.complete_list_size or usual
    pace = run.received / run.worked if run.worked >= FEW_SECONDS else 0.0
    remaining = max(0, total - done)
    left = round(remaining / pace) if pace and total and remaining and not confirmed else None
    return Progress(
        done=done,
        total=total,
        guessed=bool(total and not run.complete_list_size and not confirmed),
        share=min(1.0, done / total) if total else None,
        pace=pace,
        left=left if left is None or left < LONGEST_WAIT else None,
        doing=doing(run, now),
    )


def doing(run: Harvest, now: datetime) -> str:
    """What the run is doing now, as a sentence."""
    if awaits_decision(run):
        return _("The harvest continues once a person has decided.")
    if run.stop_request:
        return _("The harvest is about to stop: the current page is stored first.")
    if run.state == Harvest.State.PAUSED and run.resume_at:
        text = _("The harvest is paused and resumes automatically at %(time)s.")
        return text % {"time": format_moment(run.resume_at)}
    if run.state != Harvest.State.RUNNING:
        return str(STATES[Harvest.State(run.state)])
    return _working(run, now)


def _working(run: Harvest, now: datetime) -> str:
    if CONFIRMING in run.observations:
        return _("The confirmed deletions are being carried out.")
    if run.phase == Harvest.Phase.SWEEP:
        return _("The list has been read. Checking for records it no longer contains.")
    if retry := _coming_retry(run, now):
        return retry
    if run.progressed_at and now - run.progressed_at > NO_ANSWER:
        silence = {"time": duration((now - run.progressed_at).total_seconds())}
        return _("Waiting for the provider: no new data for %(time)s.") % silence
    return _("Fetching page %(page)s.") % {"page": f"{run.pages + 1:,}"}


def _coming_retry(run: Harvest, now: datetime) -> str:
    """That a request failed and how soon it is repeated, as a sentence; "" if no retry is coming."""
    retry = run.coming_retry
    left = (datetime.fromisoformat(retry["at"]) - now).total_seconds() if retry else 0
    if left <= 0:
        return ""
    text = _("%(what)s Attempt %(attempt)s of %(of)s follows in %(time)s.")
    values = {"attempt": retry["attempt"], "of": retry["of"], "time": duration(max(1, left))}
    return text % {"what": happened(retry["code"], retry["facts"]), **values}


def as_json(run: Harvest, progress: Progress) -> dict[str, object]:
    """The data that the page of a running harvest requests every few seconds; texts in the active language."""
    return {
        "state": f"{run.state}{'!' if awaits_decision(run) else ''}{run.stop_request}",
        "label": shown_state(run),
        "tone": tone(run),
        "ended": run.state not in Harvest.ACTIVE,
        "share": progress.share,
        "doing": progress.doing,
        "figures": figures(run, progress),
        "counts": {name: f"{getattr(run, name):,}" for name in ("received", *OUTCOMES, "pages", "requests", "repeats")},
    }


def figures(run: Harvest, progress: Progress) -> str:
    """Records done and expected, speed and time left, as one line."""
    parts = [_records_text(progress)]
    if progress.pace and run.state == Harvest.State.RUNNING:
        parts.append(pace_of(progress))
        if progress.left is not None:
            parts.append(_("about %(time)s left") % {"time": duration(progress.left)})
    return " · ".join(parts)


def pace_of(progress: Progress) -> str:
    """The speed in words; "" if it is not known."""
    pace = f"{progress.pace:,.0f}" if progress.pace >= 1 else "<1"
    return _("%(pace)s records/s") % {"pace": pace} if progress.pace else ""


def _records_text(progress: Progress) -> str:
    facts = {"done": f"{progress.done:,}", "total": f"{progress.total:,}"}
    if not progress.total:
        return ngettext("%(done)s record", "%(done)s records", progress.done) % facts
    if progress.guessed:
        return _("%(done)s records; last time there were %(total)s") % facts
    return _("%(done)s of %(total)s records") % facts


def duration(seconds: float) -> str:
    """A length of time in words, rounded to one unit; hours with one decimal below 36 hours."""
    whole = max(0, round(seconds))
    if whole < 90:
        return ngettext("%(n)s second", "%(n)s seconds", whole) % {"n": whole}
    minutes = round(whole / 60)
    if minutes < 90:
        return ngettext("%(n)s minute", "%(n)s minutes", minutes) % {"n": minutes}
    hours = round(minutes / 60, 1)
    if hours < 36:
        return ngettext("%(n)s hour", "%(n)s hours", round(hours)) % {"n": f"{hours:g}"}
    days = round(hours / 24)
    return ngettext("%(n)s day", "%(n)s days", days) % {"n": days}
