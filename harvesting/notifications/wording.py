"""The text of a notification event in the active language: a few sentences and a link to a page. No queries."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.conf import settings
from django.db.models import TextChoices
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import get_language, gettext_lazy, ngettext
from django.utils.translation import gettext as _

from harvesting.messages import describe
from harvesting.models import DoctoralThesis, Harvest, NotificationEvent, RequestedDoi
from metadata.catalogue import RULES, general_sentence

KINDS = {
    "harvest.ended": gettext_lazy("a harvest has ended"),
    "harvest.waits": gettext_lazy("a harvest awaits a decision"),
    "provider.silent": gettext_lazy("no new data"),
    "issues.new": gettext_lazy("new kinds of issues"),
    "links.dead": gettext_lazy("links are dead"),
    "live.failing": gettext_lazy("the live search fails"),
    "matches.alarms": gettext_lazy("new matching alarms"),
    "application.asked": gettext_lazy("a provider awaits approval"),
    "application.answered": gettext_lazy("an answer to your application"),
}
COUNTS = ("received", "created", "updated", "unchanged", "deleted", "rejected")
ENDS = {
    Harvest.State.SUCCEEDED: gettext_lazy("The harvest has succeeded."),
    Harvest.State.FAILED: gettext_lazy("The harvest has failed."),
    Harvest.State.CANCELLED: gettext_lazy("The harvest was cancelled."),
}
MOST_RULES = 5


def subject(events: Sequence[NotificationEvent]) -> str:
    """The subject of a message: the provider and kind of a single event, or the number of events."""
    if len(events) > 1:
        return ngettext("%(count)d notification", "%(count)d notifications", len(events)) % {"count": len(events)}
    event = events[0]
    kind = str(KINDS.get(event.kind, event.kind))
    if event.kind == "harvest.ended":
        kind = str(ENDS.get(event.facts.get("state"), kind)).rstrip("。.")
    return f"{event.repository.label}: {kind}" if event.repository else kind


def sentence(event: NotificationEvent) -> str:
    """The text of an event in lines: provider and time, what happened, a link."""
    provider = event.repository.label if event.repository else ""
    head = " · ".join(filter(None, (provider, date_format(localtime(event.at), "DATETIME_FORMAT"))))
    text = SENTENCES[event.kind](event.facts) if event.kind in SENTENCES else event.kind
    return "\n".join(filter(None, (head, text, link(event))))


def link(event: NotificationEvent) -> str:
    """The URL of the page about an event."""
    harvest = event.facts.get("harvest")
    if harvest:
        return f"{settings.PUBLIC_URL}{reverse('harvest', args=[harvest])}"
    if event.kind == "links.dead":
        return f"{settings.PUBLIC_URL}{reverse('links')}?repository={event.facts['repository']}&state=dead"
    if event.kind == "live.failing":
        return f"{settings.PUBLIC_URL}{reverse('manage_live')}"
    if event.kind == "matches.alarms":
        return f"{settings.PUBLIC_URL}{reverse('admin:aggregator_matchalarm_changelist')}"
    return f"{settings.PUBLIC_URL}{reverse('manage')}"


def _ended(facts: Mapping[str, Any]) -> str:
    counters = facts["counts"]
    counts = " · ".join(f"{label(name)} {counters[name]:,}" for name in COUNTS if name in counters)
    why = describe(facts.get("code", ""), facts.get("facts", {}))
    dois = _states(_("DOIs"), RequestedDoi.State, facts.get("dois", {}))
    theses = _states(_("Doctoral theses for the NDL"), DoctoralThesis.State, facts.get("theses", {}))
    rules = _rules(facts.get("rules", ()))
    return "\n".join(filter(None, (str(ENDS.get(facts["state"], "")), why, counts, dois, theses, rules)))


def _states(name: str, states: type[TextChoices], numbers: Mapping[str, int]) -> str:
    """What the provider has of something that is handed over, by state; "" if it has none."""
    found = [f"{state.label} {numbers[state]:,}" for state in states if numbers.get(state)]
    return f"{name}: {' · '.join(found)}" if found else ""


def _rules(rules: Sequence[Sequence[Any]]) -> str:
    """The first rules of the list: code, count and text of each."""
    if not rules:
        return ""
    lines = [f"- {code} ({count:,}): {_text(code)}" for code, count in rules[:MOST_RULES]]
    return "\n".join([_("Main issues:"), *lines])


def label(name: str) -> str:
    """The label of a counter of a run."""
    return str(Harvest._meta.get_field(name).verbose_name)  # type: ignore[union-attr]


def _text(code: str) -> str:
    """The general sentence of a rule; the code alone for a rule that no longer exists."""
    return general_sentence(code, get_language() or "ja") if code in RULES else code


def _waits(facts: Mapping[str, Any]) -> str:
    return "\n".join((_("The harvest awaits your decision."), describe(facts["code"], facts.get("facts", {}))))


def _silent(facts: Mapping[str, Any]) -> str:
    return describe(facts["code"], {"since": facts["since"]})


def _new_rules(facts: Mapping[str, Any]) -> str:
    return "\n".join((_("The records have issues of a new kind."), _rules(facts["rules"])))


def _dead_links(facts: Mapping[str, Any]) -> str:
    text = ngettext("%(count)d link is dead.", "%(count)d links are dead.", facts["dead"]) % {"count": facts["dead"]}
    return "\n".join((text, _("Readers are led to the next kind of link until they work again.")))


def _live_fails(facts: Mapping[str, Any]) -> str:
    text = ngettext(
        "The daily search for a known item has failed on %(days)d day in a row.",
        "The daily search for a known item has failed on %(days)d days in a row.",
        facts["days"],
    )
    return "\n".join((text % {"days": facts["days"]}, describe(facts["code"], facts.get("facts", {}))))


def _alarms(facts: Mapping[str, Any]) -> str:
    count = facts["count"]
    text = ngettext(
        "Matching has raised %(count)d alarm since yesterday.",
        "Matching has raised %(count)d alarms since yesterday.",
        count,
    )
    return text % {"count": count}


def _asked(facts: Mapping[str, Any]) -> str:
    return "\n".join(
        filter(None, (_("%(name)s has sent an application to staff.") % {"name": facts["by"]}, facts["text"]))
    )


def _answered(facts: Mapping[str, Any]) -> str:
    granted = facts["state"] == "granted"
    text = _("Staff have approved the application.") if granted else _("Staff have returned the application.")
    return "\n".join(filter(None, (text, facts["text"])))


SENTENCES: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "harvest.ended": _ended,
    "harvest.waits": _waits,
    "provider.silent": _silent,
    "issues.new": _new_rules,
    "links.dead": _dead_links,
    "live.failing": _live_fails,
    "matches.alarms": _alarms,
    "application.asked": _asked,
    "application.answered": _answered,
}
