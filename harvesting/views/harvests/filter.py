"""The form that filters the list of harvests by provider, state, kind and days, and applies the filter to a query."""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta

from django import forms
from django.db.models import Q, QuerySet
from django.utils.timezone import make_aware
from django.utils.translation import gettext_lazy as _

from core.day_field import DayField
from harvesting.completion.deletion_decisions import runs_awaiting_decision
from harvesting.models import REPOSITORY_NUMBER, Feed, Harvest, Repository
from harvesting.monitoring.verdicts import with_pending_decisions

WAITS = "waits"
NONE = Q(pk=0)
STATES = [("", _("any")), (WAITS, _("waiting for a decision")), *Harvest.State.choices]


class HarvestFilter(forms.Form):
    """Every field is optional. Dates are days in the site's time zone; both ends are included."""

    repository = forms.RegexField(
        rf"^{REPOSITORY_NUMBER}\Z",
        label=_("Provider (number)"),
        required=False,
        error_messages={"invalid": _("A repository number is R followed by nine digits, for example R900000001.")},
    )
    state = forms.ChoiceField(label=_("State"), choices=STATES, required=False)
    kind = forms.ChoiceField(label=_("Kind"), choices=[("", _("any")), *Harvest.Kind.choices], required=False)
    since = DayField(label=_("From"))
    until = DayField(label=_("Until"))

    def narrow(self, runs: QuerySet[Harvest]) -> QuerySet[Harvest]:
        """Return the runs that match the form, which must be valid.

        Conditions on other tables are resolved to primary keys first, so that the query uses an index of one table.
        """
        values = self.cleaned_data
        filters = {name: values[name] for name in ("state", "kind") if values[name]}
        if values["state"] == WAITS:
            waiting = runs_awaiting_decision().filter(
                feed__repository__in=with_pending_decisions(Repository.objects.all())
            )
            filters = {**filters, "pk__in": list(waiting.values_list("pk", flat=True))}
            del filters["state"]
        if values["repository"]:
            feeds = Feed.objects.filter(repository__number=values["repository"])
            filters["feed__in"] = list(feeds.values_list("pk", flat=True))
        return runs.filter(*_days(values["since"], values["until"]), **filters)


def _days(since: date | None, until: date | None) -> Iterator[Q]:
    """Conditions for the days, as primary keys of runs, which grow with time."""
    if since:
        first = Harvest.objects.filter(queued_at__gte=make_aware(datetime.combine(since, time.min)))
        pk = first.order_by("queued_at", "pk").values_list("pk", flat=True).first()
        yield Q(pk__gte=pk) if pk else NONE
    if until:
        end = make_aware(datetime.combine(until + timedelta(days=1), time.min))
        last = Harvest.objects.filter(queued_at__lt=end).order_by("-queued_at", "-pk")
        pk = last.values_list("pk", flat=True).first()
        yield Q(pk__lte=pk) if pk else NONE
