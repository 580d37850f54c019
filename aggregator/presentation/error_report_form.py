"""The form with which readers report an error in a record, and its protection against robots. No request needed.

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


def stamp(public_id: str) -> str:
    """Return the signed value that the form carries: for which record it was made, and when."""
    return signing.TimestampSigner(salt=SALT).sign(public_id)


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
        kind.choices = ErrorReport.Kind.choices  # without the empty choice

    @property
    def is_trap(self) -> bool:
        return bool(self.data.get("website"))

    def clean_text(self) -> str:
        text = str(self.cleaned_data["text"]).strip()
        if len(text) < LEAST_TEXT:
            raise forms.ValidationError(_("Please write a little more."))
        return text

    def clean_stamp(self) -> str:
        """Accept only a form that was made for this record, long enough ago and not too long ago."""
        signer = signing.TimestampSigner(salt=SALT)
        value = self.cleaned_data["stamp"]
        try:
            if signer.unsign(value, max_age=OLDEST) != self.public_id:
                raise signing.BadSignature
        except signing.BadSignature as error:
            raise forms.ValidationError(_("This form was open for too long. Please send it again.")) from error
        try:
            signer.unsign(value, max_age=QUICKEST)
        except signing.SignatureExpired:
            return str(value)
        raise forms.ValidationError(_("The form was sent too quickly. Please send it again."))
