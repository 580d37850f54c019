"""What the list of harvests can be narrowed to: a provider, a state, a kind, some days. A form and its query."""

from datetime import datetime, time, timedelta
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.timezone import make_aware
from django.utils.translation import gettext_lazy as _

from harvesting.day_field import DayField
from harvesting.deletions import waiting
from harvesting.models import REPOSITORY_NUMBER, Harvest

WAITS = "waits"
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
        """The runs that fit a valid form."""
        wanted = self.cleaned_data
        filters: dict[str, Any] = {"feed__repository__number": wanted["repository"], "kind": wanted["kind"]}
        if wanted["state"] == WAITS:
            runs = runs.filter(pk__in=waiting().values("pk"))
        else:
            filters["state"] = wanted["state"]
        if wanted["since"]:
            filters["queued_at__gte"] = make_aware(datetime.combine(wanted["since"], time.min))
        if wanted["until"]:
            filters["queued_at__lt"] = make_aware(datetime.combine(wanted["until"] + timedelta(days=1), time.min))
        return runs.filter(**{name: value for name, value in filters.items() if value})
