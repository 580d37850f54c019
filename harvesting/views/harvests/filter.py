"""What the list of harvests can be narrowed to: a provider, a state, a kind, some days. A form and its query."""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta

from django import forms
from django.db.models import Q, QuerySet
from django.utils.timezone import make_aware
from django.utils.translation import gettext_lazy as _

from core.day_field import DayField
from harvesting.completion.deletion_decisions import waiting
from harvesting.models import REPOSITORY_NUMBER, Feed, Harvest, Repository
from harvesting.monitoring.verdicts import asking

WAITS = "waits"
NONE = Q(pk=0)
STATES = [("", _("any")), (WAITS, _("waiting for a decision")), *Harvest.State.choices]


class HarvestFilter(forms.Form):
    """Every field may stay empty. Dates are days of the site's time zone, both included."""

    repository = forms.RegexField(
        rf"^{REPOSITORY_NUMBER}\Z",
        label=_("Provider (number)"),
        required=False,
        error_messages={"invalid": _("A repository number is R and nine digits, for example R900000001.")},
    )
    state = forms.ChoiceField(label=_("State"), choices=STATES, required=False)
    kind = forms.ChoiceField(label=_("Kind"), choices=[("", _("any")), *Harvest.Kind.choices], required=False)
    since = DayField(label=_("From"))
    until = DayField(label=_("Until"))

    def narrow(self, runs: QuerySet[Harvest]) -> QuerySet[Harvest]:
        """The runs that fit a valid form. What is looked for stands in one table, so that an index leads to it."""
        wanted = self.cleaned_data
        filters = {name: wanted[name] for name in ("state", "kind") if wanted[name]}
        if wanted["state"] == WAITS:
            asked = waiting().filter(feed__repository__in=asking(Repository.objects.all()))
            filters = {**filters, "pk__in": list(asked.values_list("pk", flat=True))}
            del filters["state"]
        if wanted["repository"]:
            feeds = Feed.objects.filter(repository__number=wanted["repository"])
            filters["feed__in"] = list(feeds.values_list("pk", flat=True))
        return runs.filter(*_days(wanted["since"], wanted["until"]), **filters)


def _days(since: date | None, until: date | None) -> Iterator[Q]:
    """Days as numbers of runs, which grow with the time."""
    if since:
        first = Harvest.objects.filter(queued_at__gte=make_aware(datetime.combine(since, time.min)))
        pk = first.order_by("queued_at", "pk").values_list("pk", flat=True).first()
        yield Q(pk__gte=pk) if pk else NONE
    if until:
        end = make_aware(datetime.combine(until + timedelta(days=1), time.min))
        last = Harvest.objects.filter(queued_at__lt=end).order_by("-queued_at", "-pk")
        pk = last.values_list("pk", flat=True).first()
        yield Q(pk__lte=pk) if pk else NONE
