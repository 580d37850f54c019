"""Forms: the filter of a list of issues, and the reason that a person gives for an action. No queries."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from harvesting.issues.lists import IGNORED, OPEN, RESOLVED, IssueQuery, Position
from harvesting.issues.shapes import MOST
from harvesting.issues.wording import SEVERITY_WORDS
from harvesting.models import REPOSITORY_NUMBER

STATES = {OPEN: _("open"), IGNORED: _("ignored"), RESOLVED: _("resolved")}
CODE = r"^[a-z][a-z0-9_]{0,30}\.[A-Z][0-9]{3}\Z"
LONGEST_REASON = 500


def _day() -> forms.DateInput:
    return forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")


class IssueFilterForm(forms.Form):
    """The filter of a list of issues; every field may be empty. Days are in settings.TIME_ZONE, both included."""

    repository = forms.RegexField(
        rf"^{REPOSITORY_NUMBER}\Z",
        label=_("Provider (number)"),
        required=False,
        error_messages={"invalid": _("A repository number is R followed by nine digits, for example R900000001.")},
    )
    state = forms.ChoiceField(label=_("State"), required=False, choices=list(STATES.items()))
    severity = forms.ChoiceField(label=_("Severity"), required=False)
    code = forms.RegexField(
        CODE,
        label=_("Rule"),
        required=False,
        error_messages={"invalid": _("The code of a rule looks like dcndl.E003.")},
    )
    field = forms.CharField(label=_("Place in the record"), max_length=100, required=False)
    value = forms.CharField(label=_("Value contains"), max_length=200, required=False)
    shape = forms.CharField(
        label=_("Shape of the value"),
        max_length=MOST + 1,
        required=False,
        strip=False,
        help_text=_(
            "9 a digit, A and a letters, 漢 あ ア Japanese characters, ␣ a space; other signs stand for themselves."
        ),
    )
    harvest = forms.IntegerField(label=_("Harvest (number)"), min_value=1, max_value=2**31 - 1, required=False)
    since = forms.DateField(label=_("First found on or after"), required=False, widget=_day())
    until = forms.DateField(label=_("First found on or before"), required=False, widget=_day())
    after = forms.RegexField(
        r"^[0-9]{1,18}/[A-Za-z0-9_.]{0,40}/[0-9]{1,18}\Z", required=False, widget=forms.HiddenInput
    )

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"label_suffix": "", **options})
        severity = self.fields["severity"]
        if isinstance(severity, forms.ChoiceField):
            severity.choices = [("", _("all")), *((str(name), word) for name, word in SEVERITY_WORDS.items())]

    def clean(self) -> dict[str, Any]:
        """Check that the first day is not after the last."""
        data = super().clean() or self.cleaned_data
        since, until = data.get("since"), data.get("until")
        if since and until and since > until:
            self.add_error("until", _("The last day is before the first."))
        return data

    def issue_query(self, repositories: list[int]) -> IssueQuery:
        """The query that a valid form describes.

        repositories: ids of those that the person may see, already narrowed by the field `repository`.
        """
        data = self.cleaned_data
        return IssueQuery(
            repositories=repositories,
            state=data["state"] or OPEN,
            **{
                name: data[name]
                for name in ("code", "severity", "field", "value", "shape", "harvest", "since", "until")
            },
        )

    @property
    def place(self) -> Position | None:
        """The position after which the page begins, None for the first page."""
        text = self.cleaned_data.get("after")
        if not text:
            return None
        repository, code, number = text.split("/")
        return int(repository), code, int(number)


class ReasonForm(forms.Form):
    """The reason for an action."""

    reason = forms.CharField(
        label=_("Reason (recorded for people who look at this later)"),
        max_length=LONGEST_REASON,
        error_messages={"required": _("Give a short reason, for people who look at this later.")},
    )
