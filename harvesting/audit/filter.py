"""The form that filters the audit trail by person, action, provider and days, and applies the filter to a query."""

from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any

from django import forms
from django.db.models import QuerySet
from django.utils.timezone import make_aware
from django.utils.translation import gettext_lazy as _

from core.day_field import DayField
from harvesting.audit.trail import ACTIONS
from harvesting.models import REPOSITORY_NUMBER, AuditEntry

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

# The groups in the list of actions: label, and the first words of the codes. The last group has all other actions.
GROUPS: "tuple[tuple[StrOrPromise, tuple[str, ...]], ...]" = (
    (_("People"), ("login", "password", "person", "invitation")),
    (_("Harvests"), ("harvest",)),
    (_("Providers"), ("provider", "feed", "notices")),
    (_("Issues and records"), ("rule", "issue", "ignoring", "records", "record")),
    (_("Pairs to review"), ("match",)),
    (_("Libraries"), ("libraries", "library", "loan")),
    (_("Others"), ()),
)


class AuditFilterForm(forms.Form):
    """Every field is optional. Dates are days in the site's time zone; both ends are included."""

    who = forms.CharField(label=_("User (login name)"), max_length=150, required=False)
    action = forms.ChoiceField(label=_("Action"), required=False)
    repository = forms.RegexField(
        rf"^{REPOSITORY_NUMBER}\Z",
        label=_("Provider (number)"),
        required=False,
        error_messages={"invalid": _("A repository number is R followed by nine digits, for example R900000001.")},
    )
    since = DayField(label=_("From"))
    until = DayField(label=_("Until"))

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        action = self.fields["action"]
        if isinstance(action, forms.ChoiceField):
            action.choices = [("", _("everything")), *_grouped_actions()]

    def narrow(self, entries: QuerySet[AuditEntry]) -> QuerySet[AuditEntry]:
        """Return the entries that match the form, which must be valid."""
        values = self.cleaned_data
        filters: dict[str, Any] = {"name": values["who"], "action": values["action"]}
        filters["repository__number"] = values["repository"]
        if values["since"]:
            filters["pk__gte"] = first_entry_of_day(values["since"])
        if values["until"]:
            filters["pk__lt"] = first_entry_of_day(values["until"] + timedelta(days=1))
        return entries.filter(**{name: value for name, value in filters.items() if value})


def _grouped_actions() -> "list[tuple[StrOrPromise, list[tuple[str, StrOrPromise]]]]":
    """The groups with their actions: code and label."""
    place_of = {word: place for place, (_label, words) in enumerate(GROUPS) for word in words}
    grouped: list[list[tuple[str, StrOrPromise]]] = [[] for _group in GROUPS]
    for code, label in ACTIONS.items():
        grouped[place_of.get(code.partition(".")[0], -1)].append((code, label))
    return [(label, actions) for (label, _words), actions in zip(GROUPS, grouped, strict=True)]


def first_entry_of_day(day: date) -> int:
    """Return the primary key of the first entry on or after this day; a key above all others if there is none.

    Primary keys grow with time. Filtering by the time itself would make the database sort a million rows.
    """
    begin = make_aware(datetime.combine(day, time.min))
    first = AuditEntry.objects.filter(at__gte=begin).order_by("at", "pk").values_list("pk", flat=True).first()
    return first or 2**62
