"""How far a run is: share, pace, time left, and what it is doing, in words. Reads the row of the run, asks nobody."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from harvesting.completion.deletion_decisions import CONFIRMING, waits
from harvesting.models import Harvest
from harvesting.monitoring.alarms import shown, shown_state
from harvesting.monitoring.run_summary import OUTCOMES, STATES, tone

NO_ANSWER = timedelta(seconds=30)  # without a page; then it is said that the provider has not answered yet
FEW_SECONDS = 3.0  # of work, before a pace means something
LONGEST_WAIT = 7 * 24 * 3600  # seconds left; beyond this no figure is believable


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """total: records expected, 0 = nobody knows. guessed: as many as last time, the provider does not say.

    share: 0 to 1, None = not to be told. pace: records a second, 0 = not yet known. left: seconds, None = unknown.
    """

    done: int = 0
    total: int = 0
    guessed: bool = False
    share: float | None = None
    pace: float = 0.0
    left: int | None = None
    doing: str = ""


def usual_total(run: Harvest) -> int:
    """How many records the last full run of the feed brought, for a full run whose provider does not say; else 0."""
    if run.kind != Harvest.Kind.FULL or run.complete_list_size:
        return 0
    done = run.feed.harvests.filter(kind=Harvest.Kind.FULL, state=Harvest.State.SUCCEEDED)
    return done.values_list("received", flat=True).first() or 0


def progress_of(run: Harvest, usual: int, now: datetime) -> Progress:
    """usual: as `usual_total` says."""
    confirmed = run.observations.get(CONFIRMING, {}).get("facts")
    if confirmed:
        done, total = int(confirmed["done"]), int(confirmed["count"])
    else:
        done, total = run.received, run.complete_list_size or usual
    pace = run.received / run.worked if run.worked >= FEW_SECONDS else 0.0
    ahead = max(0, total - done)
    left = round(ahead / pace) if pace and total and ahead and not confirmed else None
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
    """What happens at this moment, as a sentence."""
    if waits(run):
        return _("It goes on when a person has decided.")
    if run.stop_request:
        return _("It is about to stop: the page under way is stored first.")
    if run.state == Harvest.State.PAUSED and run.resume_at:
        return _("It waits and goes on by itself at %(time)s.") % {"time": shown(run.resume_at)}
    if run.state != Harvest.State.RUNNING:
        return str(STATES[Harvest.State(run.state)])
    return _working(run, now)


def _working(run: Harvest, now: datetime) -> str:
    if CONFIRMING in run.observations:
        return _("The deletions that were confirmed are carried out.")
    if run.phase == Harvest.Phase.SWEEP:
        return _("The list is read; now it is looked for what it leaves out.")
    if run.progressed_at and now - run.progressed_at > NO_ANSWER:
        silence = {"time": duration((now - run.progressed_at).total_seconds())}
        return _("It waits for the provider: nothing new has come for %(time)s.") % silence
    return _("It asks for page %(page)s.") % {"page": f"{run.pages + 1:,}"}


def as_json(run: Harvest, found: Progress) -> dict[str, object]:
    """What the page of a running harvest asks for every few seconds; texts in the language in force."""
    return {
        "state": f"{run.state}{'!' if waits(run) else ''}{run.stop_request}",
        "label": shown_state(run),
        "tone": tone(run),
        "ended": run.state not in Harvest.ACTIVE,
        "share": found.share,
        "doing": found.doing,
        "figures": figures(run, found),
        "counts": {name: f"{getattr(run, name):,}" for name in ("received", *OUTCOMES, "pages", "requests", "repeats")},
    }


def figures(run: Harvest, found: Progress) -> str:
    """Done, expected, pace and time left, as one line."""
    parts = [_done(found)]
    if found.pace and run.state == Harvest.State.RUNNING:
        parts.append(pace_of(found))
        if found.left is not None:
            parts.append(_("about %(time)s left") % {"time": duration(found.left)})
    return " · ".join(parts)


def pace_of(found: Progress) -> str:
    """Records a second, in words; "" where that is not known."""
    pace = f"{found.pace:,.0f}" if found.pace >= 1 else "<1"
    return _("%(pace)s records/s") % {"pace": pace} if found.pace else ""


def _done(found: Progress) -> str:
    facts = {"done": f"{found.done:,}", "total": f"{found.total:,}"}
    if not found.total:
        return ngettext("%(done)s record", "%(done)s records", found.done) % facts
    if found.guessed:
        return _("%(done)s records; last time there were %(total)s") % facts
    return _("%(done)s of %(total)s records") % facts


def duration(seconds: float) -> str:
    """A length of time as people say it: its greatest unit, and half hours matter below a day."""
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
