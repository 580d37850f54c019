"""The live sources as staff see them: their state, availability, latency and errors, in figures and plots."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from aggregator.live.asking import State
from aggregator.live.known_item import ALARM
from aggregator.live.measuring import BOUNDS, NO_FACTS, Facts, quantile
from aggregator.live.sentences import STATES
from aggregator.live.sources import Catalogue
from aggregator.models import LiveDay, LiveState
from core.plots.columns import Datum
from core.plots.figure import Plot, Series, plot
from harvesting.messages import happened, remedy
from harvesting.models import Repository

DAYS = 30
GREEN, AMBER, RED, GREY = "green", "amber", "red", ""
WORDS = {
    "answers": (GREEN, pgettext_lazy("catalogue", "answers")),
    "fails": (AMBER, pgettext_lazy("catalogue", "fails")),
    "paused": (RED, gettext_lazy("paused after failures")),
    "silent": (RED, gettext_lazy("known-item search fails")),
    "untried": (GREY, gettext_lazy("not asked so far")),
    "link": (GREY, gettext_lazy("link only")),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One live source. health: key of WORDS. share: percentage of the requests that were answered, -1 without requests.

    median, slowest: milliseconds in which half and 95 % of the requests had ended; 0 = unknown. errors: what happened
    and how often, the most frequent first. failure, check: sentences, "" for none.
    """

    catalogue: Catalogue
    health: str
    colour: str
    word: str
    calls: int = 0
    share: int = -1
    median: int = 0
    slowest: int = 0
    errors: tuple[tuple[str, int], ...] = ()
    failure: str = ""
    check: str = ""
    by_day: Plot | None = None
    by_latency: Plot | None = None


def reports(catalogues: Collection[Catalogue], now: datetime) -> list[Report]:
    """Return a report for each live source, over the last DAYS. One query."""
    today = timezone.localdate(now)
    keys = [catalogue.repository.pk for catalogue in catalogues]
    rows: dict[int, list[LiveDay]] = {}
    for row in LiveDay.objects.filter(repository__in=keys, day__gt=today - timedelta(days=DAYS)).order_by("day"):
        rows.setdefault(row.repository_id, []).append(row)
    return [_report(catalogue, rows.get(catalogue.repository.pk, []), now, today) for catalogue in catalogues]


def health_of(catalogue: Catalogue, now: datetime) -> str:
    """Return the state of a live source as a key of WORDS."""
    state = catalogue.state
    if catalogue.is_link:
        return "link"
    if state is None:
        return "untried"
    if catalogue.is_paused(now):
        return "paused"
    if state.checks_failed >= ALARM:
        return "silent"
    if state.failures or state.checks_failed:
        return "fails"
    return "answers" if state.answered_at else "untried"


@dataclass(frozen=True, slots=True)
class PublicState:
    """What everybody may know about a live source. answered_at: None if it has never answered."""

    colour: str
    word: str
    answered_at: datetime | None


def public_states(repositories: Collection[Repository], now: datetime) -> dict[str, PublicState]:
    """Return number of the provider -> state, for live sources that have been asked. One query."""
    found = {}
    for state in LiveState.objects.filter(repository__in=repositories).select_related("repository"):
        is_out = state.checks_failed >= ALARM or (state.paused_until is not None and state.paused_until > now)
        colour, word = (RED, STATES[State.PAUSED]) if is_out else WORDS["answers" if state.answered_at else "untried"]
        found[state.repository.number] = PublicState(colour, str(word), state.answered_at)
    return found


def failing(now: datetime, catalogues: Collection[Catalogue]) -> int:
    """Return how many live sources are paused or fail their known-item search every day."""
    return sum(health_of(catalogue, now) in ("paused", "silent") for catalogue in catalogues)


def _report(catalogue: Catalogue, days: Sequence[LiveDay], now: datetime, today: date) -> Report:
    health = health_of(catalogue, now)
    calls, answers = sum(row.calls for row in days), sum(row.answered for row in days)
    latency = [sum(counts) for counts in zip(*[row.latency for row in days if row.latency], strict=False)]
    errors: Counter[str] = Counter()
    for row in days:
        errors.update(row.errors)
    colour, word = WORDS[health]
    return Report(
        catalogue=catalogue,
        health=health,
        colour=colour,
        word=str(word),
        calls=calls,
        share=round(100 * answers / calls) if calls else -1,
        median=quantile(latency, 0.5),
        slowest=quantile(latency, 0.95),
        errors=tuple((_in_words(code, catalogue), count) for code, count in errors.most_common()),
        failure=_last_failure(catalogue),
        check=_in_words(catalogue.state.check_failure, catalogue) if catalogue.state else "",
        by_day=_by_day(days, today),
        by_latency=_by_latency(latency),
    )


def _in_words(code: str, catalogue: Catalogue, facts: Facts = NO_FACTS) -> str:
    """Return what a code means, with what is known of the failure; "" for no code."""
    known = {"url": catalogue.source.address, "detail": "", "status": code.removeprefix("http.")}
    return happened(code, {**known, **facts}) or code


def _last_failure(catalogue: Catalogue) -> str:
    state = catalogue.state
    if state is None or not state.failures:
        return ""
    return " ".join(filter(None, (_in_words(state.failure, catalogue, state.facts), remedy(state.failure))))


def _by_day(rows: Sequence[LiveDay], today: date) -> Plot | None:
    of_day = {row.day: row for row in rows}
    days = [today - timedelta(days=DAYS - 1 - place) for place in range(DAYS)]
    data = []
    for day in days:
        row = of_day.get(day)
        counts = (row.answered, row.calls - row.answered) if row else (0, 0)
        text = _("%(answers)s answers, %(failures)s failures") % {"answers": counts[0], "failures": counts[1]}
        data.append(Datum(label=date_format(day, "MONTH_DAY_FORMAT"), counts=counts, text=text))
    return plot(_("Requests by day"), _("Day"), _("requests"), _series(), data)


def _series() -> tuple[Series, Series]:
    return Series("series-0", _("Answers")), Series("series-4", _("Failures"))


def _by_latency(latency: Sequence[int]) -> Plot | None:
    labels = [_("up to %(time)s s") % {"time": f"{bound / 1000:g}"} for bound in BOUNDS] + [_("longer")]
    data = [
        Datum(label=label, counts=(count,), text=f"{count:,}") for label, count in zip(labels, latency, strict=False)
    ]
    return plot(_("Requests by response time"), _("Time"), _("requests"), (Series("series-0", _("requests")),), data)
