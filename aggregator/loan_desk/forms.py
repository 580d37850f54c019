"""The form of a request, filled in from the book; and that of a library's terms. No reader's name is asked for."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import get_language, gettext_lazy, pgettext_lazy
from django.utils.translation import gettext as _
from msgspec import structs

from aggregator.loans.request import MOST_ISBNS, NOTE, NUMBER, TITLE, LoanRequest
from aggregator.loans.states import KINDS, Kind
from aggregator.models import LoanTerms

_TEXTS = (
    ("title", gettext_lazy("Title"), TITLE),
    ("reading", pgettext_lazy("of a title", "Reading"), TITLE),
    ("volume", gettext_lazy("Volume"), TITLE),
    ("edition", gettext_lazy("Edition"), TITLE),
    ("series", gettext_lazy("Series"), TITLE),
    ("author", gettext_lazy("Creator"), TITLE),
    ("publisher", gettext_lazy("Publisher"), TITLE),
    ("year", gettext_lazy("Year"), NUMBER),
    ("issn", "ISSN", NUMBER),
    ("jpno", gettext_lazy("JP number"), NUMBER),
    ("ncid", "NCID", NUMBER),
    ("call_number", gettext_lazy("Call number"), TITLE),
    ("location", gettext_lazy("Location"), TITLE),
    ("article", gettext_lazy("Article"), TITLE),
    ("article_author", gettext_lazy("Author of the article"), TITLE),
    ("article_volume", gettext_lazy("Volume of the journal"), TITLE),
    ("issue", pgettext_lazy("of a journal", "Issue"), TITLE),
    ("pages", gettext_lazy("Pages"), TITLE),
    ("number", gettext_lazy("Own number"), NUMBER),
)
_MARKS = (
    ("any_edition", gettext_lazy("Another edition is acceptable")),
    ("in_house_only", gettext_lazy("It is used only inside our library")),
    ("copying_allowed", gettext_lazy("We ask for permission to copy from it")),
    ("copyright_declared", gettext_lazy("The copy is within Article 31 of the Copyright Act")),
    ("fee_agreed", gettext_lazy("We pay the costs of copying and postage")),
)
BOOK = (
    "title",
    "reading",
    "volume",
    "edition",
    "series",
    "author",
    "publisher",
    "year",
    "isbns",
    "issn",
    "jpno",
    "ncid",
)
PLACE = ("call_number", "location")
ARTICLE = ("article", "article_author", "article_volume", "issue", "pages", "copyright_declared")
CONDITIONS = ("any_edition", "in_house_only", "copying_allowed", "fee_agreed")
OWN = ("needed_by", "number", "note")


class RequestForm(forms.Form):
    """What is requested. initial: from a `LoanRequest`, see `initial_of`."""

    kind = forms.ChoiceField(label=gettext_lazy("Request"), widget=forms.RadioSelect)
    isbns = forms.CharField(label="ISBN", required=False, max_length=NUMBER * 3)
    needed_by = forms.DateField(
        label=gettext_lazy("Needed by"), required=False, widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d")
    )
    note = forms.CharField(
        label=gettext_lazy("Note"),
        required=False,
        max_length=NOTE,
        widget=forms.Textarea({"rows": 3}),
        help_text=gettext_lazy("Do not write a reader’s name here: the lending library sees this text."),
    )

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{**options, "label_suffix": ""})
        language = get_language() or "ja"
        kind = self.fields["kind"]
        if isinstance(kind, forms.ChoiceField):
            kind.choices = [(one.value, words.name(language)) for one, words in KINDS.items()]
        for name, label, most in _TEXTS:
            self.fields[name] = forms.CharField(label=label, max_length=most, required=name == "title")
        for name, label in _MARKS:
            self.fields[name] = forms.BooleanField(label=label, required=False)
        self.fields["number"].help_text = gettext_lazy("Your library’s own number for this request, not a reader’s.")

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        day = values.get("needed_by")
        if day and day < timezone.localdate():
            self.add_error("needed_by", _("This day has passed."))
        if values.get("kind") == Kind.COPY:
            if not values.get("pages") and not values.get("article"):
                self.add_error("pages", _("Say which pages or which article to copy."))
            if not values.get("copyright_declared"):
                self.add_error("copyright_declared", _("A copy can be requested only within the limits of Article 31."))
        return values

    def request(self, base: LoanRequest) -> LoanRequest:
        """Return the request as the form says. base: what the form does not ask for."""
        values = dict(self.cleaned_data)
        day = values.pop("needed_by")
        isbns = tuple(values.pop("isbns").replace(",", " ").split())[:MOST_ISBNS]
        known = {name: values[name] for name in (*(row[0] for row in _TEXTS), *(row[0] for row in _MARKS), "note")}
        kind = Kind(values["kind"])
        return structs.replace(base, kind=kind, needed_by=day.isoformat() if day else "", isbns=isbns, **known)

    def group(self, names: Sequence[str]) -> list[forms.BoundField]:
        """The fields with these names."""
        return [self[name] for name in names]

    @property
    def book_fields(self) -> list[forms.BoundField]:
        return self.group(BOOK)

    @property
    def place_fields(self) -> list[forms.BoundField]:
        return self.group(PLACE)

    @property
    def article_fields(self) -> list[forms.BoundField]:
        return self.group(ARTICLE[:-1])

    @property
    def condition_fields(self) -> list[forms.BoundField]:
        return self.group(CONDITIONS)


def initial_of(request: LoanRequest) -> dict[str, Any]:
    """Return the values with which the form opens."""
    values = structs.asdict(request)
    return {**values, "isbns": " ".join(request.isbns), "needed_by": request.needed_by_date}


class YesOrNo(forms.NullBooleanSelect):
    """Yes, no or not stated, in words that fit terms. It is a select, because other widgets
    for such values do not show the stored one."""

    def __init__(self) -> None:
        super().__init__()
        self.choices = [
            ("unknown", gettext_lazy("not stated")),
            ("true", gettext_lazy("yes")),
            ("false", gettext_lazy("no")),
        ]


class TermsForm(forms.ModelForm[LoanTerms]):
    """How a library lends, and how it receives requests."""

    lends = forms.NullBooleanField(
        label=gettext_lazy("Lends to other libraries"),
        required=False,
        widget=YesOrNo,
    )

    class Meta:
        model = LoanTerms
        fields = [
            "copies",
            "in_house",
            "days",
            "most",
            "new_months",
            "excluded",
            "payment",
            "contact",
            "email",
            "language",
            "form",
            "iso_address",
        ]
        widgets = {"copies": YesOrNo}
        help_texts = {
            "days": gettext_lazy("0: not stated"),
            "most": gettext_lazy("0: not stated"),
            "new_months": gettext_lazy("0: not stated"),
            "email": gettext_lazy(
                "Requests are sent here, with a link by which your library can answer without logging in."
            ),
            "form": gettext_lazy("Borrowing libraries open it with an OpenURL that fills it in."),
            "iso_address": gettext_lazy("Requests and messages are also sent to your library’s system."),
        }

    iso_key = forms.CharField(
        label=gettext_lazy("Secret that we send to this address"),
        required=False,
        max_length=200,
        widget=forms.PasswordInput({"autocomplete": "off"}),
        help_text=gettext_lazy("Sent as “Authorization: Bearer …”. Empty: unchanged."),
    )

    field_order = (
        "lends",
        "copies",
        "in_house",
        "days",
        "most",
        "new_months",
        "excluded",
        "payment",
        "contact",
        "email",
    )

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{**options, "label_suffix": ""})
        self.fields["excluded"].widget.attrs["rows"] = 3

    def clean_days(self) -> int:
        days: int = self.cleaned_data["days"] or 0
        if days > 366:
            raise ValidationError(_("At most 366 days."))
        return days
