"""The forms of the registration pages. Those about a provider are also used for later changes. No network access."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from harvesting.live.options import Options
from harvesting.models import Feed, Repository, protocol_choices
from harvesting.registry.feed_form import FeedForm
from harvesting.registry.live_form import add_faults, live_fields, options_from, options_or_none
from harvesting.registry.protocol_texts import full_list_label
from harvesting.registry.registration import check_feed
from harvesting.transports.registry import DEFAULT, for_files, for_pushes
from harvesting.trials.explanation import choices_of
from harvesting.trials.report import Report
from metadata.formats import READABLE

MOST_CHOSEN = 100  # sets, because each becomes a feed of its own
WEB = {"inputmode": "url", "autocapitalize": "off", "spellcheck": "false"}
CLOCK = {"type": "time"}


class AddressForm(FeedForm):
    """Where the records are: an address or a file, and a login if needed."""

    metadata_prefix = None  # type: ignore[assignment]  # drops the inherited field: the format is chosen on a later page

    known_item = forms.CharField(
        label=gettext_lazy("Words of a test search"),
        max_length=200,
        required=False,
        help_text=gettext_lazy("Only for live sources: words for which the catalogue certainly has hits."),
    )

    class Meta(FeedForm.Meta):
        fields = ("protocol", "base_url", "full_url", "encoding", "columns")  # type: ignore[assignment]  # fewer fields

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"label_suffix": "", **options})
        protocol = self.fields["protocol"]
        protocol.required = False
        protocol.choices = [("", gettext_lazy("detected automatically")), *protocol_choices()]  # type: ignore[attr-defined]

        text = _("If you will push records, choose the protocol “%(protocol)s” and upload a first file.")
        help_text = f"{self.fields['upload'].help_text} {text % {'protocol': _(for_pushes().label)}}"
        self.fields["upload"].help_text = help_text.replace("。 ", "。")

    @property
    def full_list_label(self) -> str:
        """The protocols that need the address of a full list."""
        return full_list_label()

    def clean_protocol(self) -> str:
        """Return the protocol of an uploaded or already stored file, else the chosen one ("" to detect it).

        Who will push records uploads a first file here, which is tried like any other.
        """
        stored = self.stored_file and not self.data.get("base_url")
        chosen: str = self.cleaned_data["protocol"]
        if self.files.get("upload") or stored:
            return for_files().name
        if not chosen and "{" in self.data.get("base_url", ""):
            raise ValidationError(_("The protocol cannot be detected from an address with placeholders. Choose one."))
        if chosen == for_pushes().name:
            raise ValidationError(_("Upload a first file of records below: it shows what you will send."))
        return chosen

    def _clean_live(self, protocol: str, data: dict[str, Any]) -> None:
        """What is special about a live source is declared on a later page."""

    def _post_clean(self) -> None:
        """Check an address without a protocol by the rules of the default; its protocol is detected later."""
        self.cleaned_data["protocol"] = self.cleaned_data.get("protocol") or DEFAULT.name
        super()._post_clean()


class OfferForm(forms.Form):
    """The format, the sets and the strictness of the checks. report: what the address offers."""

    format = forms.ChoiceField(label=gettext_lazy("Format"), widget=forms.RadioSelect, required=False)
    sets = forms.MultipleChoiceField(label=gettext_lazy("Sets"), required=False, widget=forms.CheckboxSelectMultiple)
    profile = forms.ChoiceField(
        label=gettext_lazy("Strictness of the checks"),
        required=False,
        choices=[("", gettext_lazy("default for the format")), *Repository.Profile.choices],
        help_text=gettext_lazy("Decides how severe an issue is. If you are unsure, leave it as it is."),
    )

    def __init__(self, report: Report, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"label_suffix": "", **options})
        self.offered = [choice for choice in choices_of(report) if choice.readable]
        prefixes = [choice.prefix for choice in self.offered] or ([report.prefix] if report.prefix else [])
        if report.kind.needs_prefix and not prefixes:
            prefixes = list(READABLE)
        self.fields["format"].choices = [(prefix, prefix) for prefix in prefixes]  # type: ignore[attr-defined]
        self.fields["format"].initial = prefixes[0] if prefixes else ""
        if not prefixes:
            del self.fields["format"]
        choices = [
            (oai_set.spec, f"{oai_set.name} ({oai_set.spec})" if oai_set.name else oai_set.spec)
            for oai_set in report.sets
        ]
        self.fields["sets"].choices = choices  # type: ignore[attr-defined]
        if not choices:
            del self.fields["sets"]
        self.kind = report.kind
        self.described = options_or_none(report.identity.live) if report.identity else Options()
        self.fields.update(live_fields(report.kind, self.described))

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if self.kind.is_live and not self.errors:
            add_faults(self, self.kind, options_from(self.kind, self.described, data))
        return data

    @property
    def live(self) -> list[forms.BoundField]:
        """The fields about a live source."""
        return [self[name] for name in self.kind.live_options]

    def clean_format(self) -> str:
        prefix: str = self.cleaned_data["format"]
        if not prefix:
            raise ValidationError(_("Choose a format."))
        return prefix

    def clean_sets(self) -> list[str]:
        chosen: list[str] = self.cleaned_data["sets"]
        if len(chosen) > MOST_CHOSEN:
            raise ValidationError(_("Choose at most %(count)s sets.") % {"count": MOST_CHOSEN})
        return chosen


class LinksForm(forms.ModelForm[Repository]):
    """How links lead from a book to the provider."""

    class Meta:
        model = Repository
        fields = ("link_template", "link_encoding", "home_page")
        help_texts = {
            "link_template": gettext_lazy(
                "The address for searching your catalogue, with placeholders in braces, for example "
                "https://opac.example.jp/openurl?rft.isbn={isbn}&rft.btitle={title}. Leave it empty if "
                "your records contain the address of their own page."
            ),
            "home_page": gettext_lazy(
                "Used as the link if neither the template nor the record gives an address for the book."
            ),
        }
        widgets = {"link_template": forms.TextInput(attrs=WEB), "home_page": forms.TextInput(attrs=WEB)}

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"label_suffix": "", **options})
        self.fields["link_encoding"].required = False

    def clean_link_encoding(self) -> str:
        return self.cleaned_data["link_encoding"] or Repository.LinkEncoding.UTF_8


class ScheduleForm(forms.ModelForm[Feed]):
    """When the feed is harvested, and the hours in which the provider's server gets no requests."""

    class Meta:
        model = Feed
        fields = ("schedule", "cron", "quiet_from", "quiet_until", "full_every_days", "silent_after_days")
        help_texts = {
            "schedule": gettext_lazy(
                "Daily is right for most; the hour is chosen so that not all providers are harvested at once."
            ),
            "quiet_until": gettext_lazy("Hours in which your server is not accessed. Both empty: none."),
            "silent_after_days": gettext_lazy(
                "You are notified when no new records have arrived for this many days. 0: never."
            ),
        }
        widgets = {"quiet_from": forms.TimeInput(attrs=CLOCK), "quiet_until": forms.TimeInput(attrs=CLOCK)}

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"label_suffix": "", **options})
        self.fields["silent_after_days"].required = False

    def clean_silent_after_days(self) -> int:
        days = self.cleaned_data["silent_after_days"]
        return Feed().silent_after_days if days is None else days

    def _post_clean(self) -> None:
        """Run the checks that need the whole feed, and report their errors on the fields of this form."""
        super()._post_clean()  # type: ignore[misc]  # Django's own hook; the stubs do not know it
        if self.errors:
            return
        try:
            check_feed(self.instance)
        except ValidationError as error:
            for field, texts in error.message_dict.items():
                self.add_error(field if field in self.fields else None, texts)


class ContactForm(forms.ModelForm[Repository]):
    """The names, kind and licence of the provider, and its contact address."""

    class Meta:
        model = Repository
        fields = ("name", "name_yomi", "name_en", "kind", "contact_email", "licence")
        help_texts = {
            "name": gettext_lazy("The name that readers see with every book, for example 見本市立図書館."),
            "name_yomi": gettext_lazy("In kana. Used for the order of lists."),
            "contact_email": gettext_lazy("Not shown to readers. Used to contact you when something goes wrong."),
            "licence": gettext_lazy("The terms of use of the records, for example CC0 1.0 or CC BY 4.0."),
        }

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"label_suffix": "", **options})
        self.fields["contact_email"].required = True


class ReasonForm(forms.Form):
    """A reason, which other users will read."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=200,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"label_suffix": "", **options})
