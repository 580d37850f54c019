"""The forms with which readers report an error in a record, or say whether two records are the same book, and their
protection against robots. No HTTP.

There is no login and no CAPTCHA. A field that people do not see must stay empty, and a signed time stamp says when the
form was made: robots send a form within a second, or one that they stored long before.
"""

from typing import Any

from django import forms
from django.core import signing
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from aggregator.models import ErrorReport

SALT = "aggregator.report"
QUICKEST = 2  # seconds; nobody reads the form and writes in less
OLDEST = 12 * 60 * 60  # seconds that a form may have been open
LEAST_TEXT = 5  # characters
LONGEST_REMARK = 500  # characters
WORDS = (ErrorReport.Kind.SAME, ErrorReport.Kind.NOT_SAME)

type Pair = tuple[str, str]  # public ids, in order


def stamp(public_id: str) -> str:
    """Return the signed value that the form carries: for which record it was made, and when."""
    return signing.TimestampSigner(salt=SALT).sign(public_id)


def stamp_pair(first: str, second: str) -> str:
    """Return the signed value of a form about two records. Only a pair that a page showed can be sent."""
    return stamp(" ".join(sorted((first, second))))


def stamped_pair(value: str) -> Pair | None:
    """Return the pair for which a form was made, however long ago; None if the value is not signed by this site."""
    first, _space, second = _stamped(value).partition(" ")
    return (first, second) if second else None


def _stamped(value: str) -> str:
    try:
        return signing.TimestampSigner(salt=SALT).unsign(value)
    except signing.BadSignature:
        return ""


def _check_age(value: str) -> None:
    """Accept only a form that was made long enough ago and not too long ago. Raises ValidationError."""
    signer = signing.TimestampSigner(salt=SALT)
    try:
        signer.unsign(value, max_age=OLDEST)
    except signing.BadSignature as error:
        raise forms.ValidationError(_("This form was open for too long. Please send it again.")) from error
    try:
        signer.unsign(value, max_age=QUICKEST)
    except signing.SignatureExpired:
        return
    raise forms.ValidationError(_("The form was sent too quickly. Please send it again."))


class ReportForm(forms.ModelForm[ErrorReport]):
    """A report about one record. `is_trap`: the field that people do not see was filled in."""

    website = forms.CharField(label=gettext_lazy("Leave this empty"), required=False)
    stamp = forms.CharField(widget=forms.HiddenInput)

    class Meta:
        model = ErrorReport
        fields = ["kind", "text", "email"]
        widgets = {
            "kind": forms.RadioSelect,
            "text": forms.Textarea(attrs={"rows": 6}),
            "email": forms.EmailInput(attrs={"autocomplete": "email"}),
        }
        help_texts = {
            "text": gettext_lazy(
                "Describe what is wrong and, if possible, how you know. Please do not include personal details."
            ),
            "email": gettext_lazy(
                "Only if you would like a reply. The address is used for nothing else and is not published."
            ),
        }

    def __init__(self, public_id: str, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.public_id = public_id
        self.fields["website"].widget.attrs |= {"autocomplete": "off", "tabindex": "-1"}
        kind = self.fields["kind"]
        assert isinstance(kind, forms.ChoiceField)  # noqa: S101 for the type checker
        # without the empty choice, and without the kinds of comments on two records
        kind.choices = [(value, label) for value, label in ErrorReport.Kind.choices if value not in WORDS]

    @property
    def is_trap(self) -> bool:
        return bool(self.data.get("website"))

    def clean_text(self) -> str:
        text = str(self.cleaned_data["text"]).strip()
        if len(text) < LEAST_TEXT:
            raise forms.ValidationError(_("Please write a little more."))
        return text

    def clean_stamp(self) -> str:
        """Accept only a form that was made for this record."""
        value = str(self.cleaned_data["stamp"])
        if _stamped(value) != self.public_id:
            raise forms.ValidationError(_("This form was open for too long. Please send it again."))
        _check_age(value)
        return value


class ReadersWordForm(forms.Form):
    """A reader's comment on two records, which are named in the stamp. `is_trap`: as in `ReportForm`."""

    word = forms.ChoiceField(choices=[(kind.value, kind.label) for kind in WORDS])
    remark = forms.CharField(required=False, max_length=LONGEST_REMARK)
    stamp = forms.CharField()

    @property
    def is_trap(self) -> bool:
        return bool(self.data.get("website"))

    @property
    def pair(self) -> Pair | None:
        return stamped_pair(self.data.get("stamp", ""))

    @property
    def problem(self) -> str:
        """The first error as a sentence; "" if the form is valid."""
        return next((str(error) for errors in self.errors.values() for error in errors), "")

    def clean_stamp(self) -> str:
        value = str(self.cleaned_data["stamp"])
        if self.pair is None:
            raise forms.ValidationError(_("This form was open for too long. Please send it again."))
        _check_age(value)
        return value
