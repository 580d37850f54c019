"""The form with which readers tell what is wrong with a book, and what keeps robots out of it. Knows no request.

No login and no picture puzzle: a field that people do not see stays empty, and the form says, signed, when it was
made; a robot fills in everything at once, or sends a form that it kept for long.
"""

from typing import Any

from django import forms
from django.core import signing
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from aggregator.models import ErrorReport

SALT = "aggregator.report"
QUICKEST = 2  # seconds that nobody reads and writes in
OLDEST = 12 * 60 * 60  # seconds
LEAST_TEXT = 5  # characters


def stamp(public_id: str) -> str:
    """What the form carries: for which record it was made, and when."""
    return signing.TimestampSigner(salt=SALT).sign(public_id)


class ReportForm(forms.ModelForm[ErrorReport]):
    """A report on one record. `is_trap`: the field that people do not see was filled in."""

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
            "text": gettext_lazy("What is wrong, and how you know it if you do. Please no personal details."),
            "email": gettext_lazy("Only if you would like an answer. It is used for nothing else and shown to nobody."),
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
            raise forms.ValidationError(_("Please write a few words more."))
        return text

    def clean_stamp(self) -> str:
        """Made for this record, long enough ago and not too long."""
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
        raise forms.ValidationError(_("That was very quick. Please send it again."))
