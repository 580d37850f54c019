"""The form that starts a harvest of changes, everything, a period or one record. No network access."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from core.day_field import DayField
from harvesting.models import Feed, Repository
from harvesting.registry.protocol_texts import labels
from harvesting.transports.registry import live_protocols

CHANGES, EVERYTHING, PERIOD, RECORD = "changes", "everything", "period", "record"
SCOPES = (
    (CHANGES, _("Changes since the last harvest (incremental harvest)")),
    (EVERYTHING, _("All records (full harvest)")),
    (PERIOD, _("Changes within a period")),
    (RECORD, _("One record")),
)
LONGEST = 1000  # characters of an identifier


class StartForm(forms.Form):
    """The form for one repository. Once it is valid, `feed` and `scope()` return what was chosen."""

    chosen_feed = forms.ModelChoiceField(label=_("Feed"), queryset=Feed.objects.none(), empty_label=None)
    what = forms.ChoiceField(label=_("What to harvest"), choices=SCOPES, initial=CHANGES, widget=forms.RadioSelect)
    since = DayField(label=_("From"))
    until = DayField(label=_("Until"), help_text=_("Leave empty for today. Both days are included."))
    identifier = forms.CharField(
        label=_("Identifier of the record"),
        max_length=LONGEST,
        required=False,
        help_text=_("As written by the provider, for example oai:library.example.jp:12345."),
    )

    def __init__(self, repository: Repository, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        harvested = repository.feeds.exclude(protocol__in=live_protocols()).select_related("repository").order_by("pk")
        self.feeds = list(harvested)
        field: Any = self.fields["chosen_feed"]
        field.queryset = harvested
        if self.feeds:
            field.initial = self.feeds[0].pk
        if len(self.feeds) < 2:
            field.widget = forms.HiddenInput()

    @property
    def feed(self) -> Feed:
        chosen: Feed = self.cleaned_data["chosen_feed"]
        return chosen

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        what, feed = values.get("what"), values.get("chosen_feed")
        if what in {PERIOD, RECORD} and feed and not feed.transport_kind.has_periods:
            text = _("This is possible only with %(protocols)s. Choose “All records (full harvest)” instead.")
            protocols = labels(lambda kind: kind.has_periods)
            self.add_error("what", ValidationError(text, params={"protocols": protocols}))
        if what == PERIOD:
            self._clean_period(values)
        if what == RECORD and not values.get("identifier") and "identifier" not in self.errors:
            self.add_error("identifier", ValidationError(_("Enter the identifier of the record.")))
        return values

    def _clean_period(self, values: dict[str, Any]) -> None:
        since, until = values.get("since"), values.get("until")
        if not since and "since" not in self.errors:
            self.add_error("since", ValidationError(_("Choose the first day of the period.")))
        if since and until and since > until:
            self.add_error("until", ValidationError(_("The last day is before the first one.")))

    def scope(self) -> dict[str, Any]:
        """Return the chosen scope as keyword arguments of `create_harvest`."""
        values = self.cleaned_data
        scopes: dict[str, dict[str, Any]] = {
            CHANGES: {},
            EVERYTHING: {"full": True},
            PERIOD: {
                "from_date": values["since"].isoformat() if values["since"] else "",
                "until_date": values["until"].isoformat() if values["until"] else "",
            },
            RECORD: {"identifier": values["identifier"]},
        }
        return scopes[values["what"]]
