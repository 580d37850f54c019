"""What the trace can be narrowed to: a person, an action, a provider, some days. A form and the query it means."""

from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.timezone import make_aware
from django.utils.translation import gettext_lazy as _

from core.day_field import DayField
from harvesting.audit.trail import ACTIONS
from harvesting.models import REPOSITORY_NUMBER, AuditEntry


class AuditFilterForm(forms.Form):
    """Every field may stay empty. Dates are days of the site's time zone, both included."""

    who = forms.CharField(label=_("Who (login name)"), max_length=150, required=False)
    action = forms.ChoiceField(label=_("What"), required=False)
    repository = forms.RegexField(
        rf"^{REPOSITORY_NUMBER}\Z",
        label=_("Provider (number)"),
        required=False,
        error_messages={"invalid": _("A repository number is R and nine digits, for example R900000001.")},
    )
    since = DayField(label=_("From"))
    until = DayField(label=_("Until"))

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        action = self.fields["action"]
        if isinstance(action, forms.ChoiceField):
            action.choices = [("", _("everything")), *ACTIONS.items()]

    def narrow(self, entries: QuerySet[AuditEntry]) -> QuerySet[AuditEntry]:
        """The entries that fit a valid form."""
        wanted = self.cleaned_data
        filters: dict[str, Any] = {"name": wanted["who"], "action": wanted["action"]}
        filters["repository__number"] = wanted["repository"]
        if wanted["since"]:
            filters["pk__gte"] = first_of(wanted["since"])
        if wanted["until"]:
            filters["pk__lt"] = first_of(wanted["until"] + timedelta(days=1))
        return entries.filter(**{name: value for name, value in filters.items() if value})


def first_of(day: date) -> int:
    """The number of the first entry from this day on, one that none has yet if there is none.

    Numbers grow with time. A condition on the time itself would make the database sort a million rows.
    """
    begin = make_aware(datetime.combine(day, time.min))
    first = AuditEntry.objects.filter(at__gte=begin).order_by("at", "pk").values_list("pk", flat=True).first()
    return first or 2**62
