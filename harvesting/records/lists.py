"""Lists of records: the filter, and the rows that it describes. No HTTP."""

from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.timezone import make_aware
from django.utils.translation import gettext_lazy as _

from harvesting.issues.filters import CODE
from harvesting.models import PAYLOAD_COLUMNS, REPOSITORY_NUMBER, RecordIssue, SourceRecord

LIVE, DELETED, WITHHELD, UNREGISTERED = "live", "deleted", "withheld", "unregistered"
PAGE = 50
SCAN_LIMIT = 20_000
STATES = {
    LIVE: _("in the catalogue"),
    WITHHELD: _("withheld"),
    DELETED: _("deleted"),
    UNREGISTERED: _("latest version not registered"),
}
CONDITIONS: dict[str, Q] = {
    "": Q(),
    LIVE: Q(deleted=False, suppressed_at=None) & ~Q(payload_hash=b""),
    WITHHELD: Q(suppressed_at__isnull=False),
    DELETED: Q(deleted=True),
    UNREGISTERED: Q(refused=True),
}


def _day() -> forms.DateInput:
    return forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")


class RecordFilterForm(forms.Form):
    """The filter of a list of records; every field may be empty. Days are in settings.TIME_ZONE, both included."""

    repository = forms.RegexField(
        rf"^{REPOSITORY_NUMBER}\Z",
        label=_("Provider (number)"),
        required=False,
        error_messages={"invalid": _("A repository number is R followed by nine digits, for example R900000001.")},
    )
    state = forms.ChoiceField(label=_("State"), required=False, choices=[("", _("all")), *STATES.items()])
    identifier = forms.CharField(label=_("Identifier contains"), max_length=200, required=False)
    code = forms.RegexField(
        CODE,
        label=_("With an issue of the rule"),
        required=False,
        error_messages={"invalid": _("The code of a rule looks like dcndl.E003.")},
    )
    harvest = forms.IntegerField(
        label=_("Brought by harvest (number)"), min_value=1, max_value=2**31 - 1, required=False
    )
    since = forms.DateField(label=_("Changed on or after"), required=False, widget=_day())
    until = forms.DateField(label=_("Changed on or before"), required=False, widget=_day())

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"label_suffix": "", **options})

    def matching(self, repositories: QuerySet[Any]) -> QuerySet[SourceRecord]:
        """The records of these providers that a valid form describes, in no order."""
        data = self.cleaned_data
        own = repositories.filter(number=data["repository"]) if data["repository"] else repositories
        # As a list, because a subquery would make the planner read all records of a provider for every page.
        rows = SourceRecord.objects.filter(
            CONDITIONS[data["state"]], repository__in=list(own.values_list("pk", flat=True))
        )
        filters: dict[str, Any] = {
            "identifier__icontains": data["identifier"],
            "brought_by": data["harvest"],
            "changed_at__gte": data["since"] and _midnight(data["since"]),
            "changed_at__lt": data["until"] and _midnight(data["until"] + timedelta(days=1)),
        }
        rows = rows.filter(**{name: value for name, value in filters.items() if value})
        if data["code"]:
            rows = rows.filter(Exists(RecordIssue.objects.filter(source_record=OuterRef("pk"), code=data["code"])))
        return rows


def records_after(rows: QuerySet[SourceRecord], after: int) -> tuple[list[SourceRecord], int]:
    """The next records of a list after an id, and the id after which the next page begins; 0 at the end.

    A page looks at SCAN_LIMIT records at most, so it may be short or empty although further pages have rows.
    """
    last = (
        SourceRecord.objects.filter(pk__gt=after)
        .order_by("pk")
        .values_list("pk", flat=True)[SCAN_LIMIT - 1 : SCAN_LIMIT]
    )
    bound = last.first()
    rows = rows.filter(pk__gt=after, pk__lte=bound) if bound else rows.filter(pk__gt=after)
    found = list(rows.select_related("repository").defer(*PAYLOAD_COLUMNS).order_by("pk")[: PAGE + 1])
    if len(found) > PAGE:
        return found[:PAGE], found[PAGE - 1].pk
    return found, bound or 0


def _midnight(day: date) -> datetime:
    return make_aware(datetime.combine(day, time.min))
