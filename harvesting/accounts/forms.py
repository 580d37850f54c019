"""Forms about accounts: invite somebody, change a role, accept an invitation."""

from typing import Any

from django import forms
from django.contrib.auth import get_user_model, password_validation
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.languages import choices
from harvesting.accounts.access import LABELS, repositories_of, role_of
from harvesting.accounts.invitations import role_of_account
from harvesting.accounts.ranks import Role
from harvesting.models import Invitation, Repository

REASON = gettext_lazy("Reason (kept in the audit trail)")


def assignable_roles(actor: Any) -> list[tuple[str, Any]]:
    """The roles that a user may give to others, as form choices: librarian for staff, every role for administrators."""
    highest = Role.ADMINISTRATOR if role_of(actor) is Role.ADMINISTRATOR else Role.LIBRARIAN
    return [(role.name.lower(), LABELS[role]) for role in Role if Role.PUBLIC < role <= highest]


def provider_field(actor: Any) -> forms.ModelMultipleChoiceField[Any]:
    """A field of check boxes for the repositories that a user may act for."""
    return forms.ModelMultipleChoiceField(
        queryset=repositories_of(actor).order_by("number"),
        label=gettext_lazy("Providers"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )


class InvitationForm(forms.ModelForm[Invitation]):
    """Whom to invite, in which role, for which providers."""

    class Meta:
        model = Invitation
        fields = ["email", "role", "language"]

    def __init__(self, actor: Any, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.fields["role"] = forms.ChoiceField(label=gettext_lazy("Role"), choices=assignable_roles(actor))
        language = forms.ChoiceField(label=gettext_lazy("Language of the e-mail"), choices=choices())
        self.fields["language"] = language
        self.fields["repositories"] = provider_field(actor)

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"].lower()
        if get_user_model().objects.filter(email__iexact=email).exists():
            raise ValidationError(_("An account with this address already exists. Look for it in the list."))
        return email

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        if values.get("role") == Invitation.Role.LIBRARIAN and not values.get("repositories"):
            self.add_error("repositories", _("Choose at least one provider for this person to look after."))
        return values

    def _post_clean(self) -> None:
        """Set the values on the instance without Django's check for a second open invitation to the same address.

        `accounts.invitations.invite` revokes the earlier invitation first, so that the database constraint holds.
        """
        for name in ("email", "role", "language"):
            setattr(self.instance, name, self.cleaned_data.get(name, ""))


class PersonForm(forms.Form):
    """What an account may do, and the reason for the change."""

    role = forms.ChoiceField(label=gettext_lazy("Role"))
    active = forms.BooleanField(label=gettext_lazy("May log in"), required=False)
    reason = forms.CharField(label=REASON, max_length=500)

    def __init__(self, actor: Any, person: Any, *arguments: Any, **options: Any) -> None:
        managed = Repository.objects.filter(managers=person)
        initial = {"role": role_of_account(person).name.lower(), "active": person.is_active, "repositories": managed}
        super().__init__(*arguments, **{**options, "initial": initial})
        role = self.fields["role"]
        if isinstance(role, forms.ChoiceField):
            role.choices = [("public", LABELS[Role.PUBLIC]), *assignable_roles(actor)]
        self.fields["repositories"] = provider_field(actor)
        self.order_fields(["role", "repositories", "active", "reason"])


class AcceptForm(forms.Form):
    """The login name and password that an invited person chooses."""

    username = forms.CharField(
        label=gettext_lazy("Login name"),
        max_length=150,
        validators=[UnicodeUsernameValidator()],
        widget=forms.TextInput(attrs={"autocomplete": "username", "spellcheck": "false"}),
    )
    password = forms.CharField(
        label=gettext_lazy("Password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=gettext_lazy("At least ten characters; several words are easy to remember and hard to guess."),
    )
    again = forms.CharField(
        label=gettext_lazy("Repeat the password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def clean_username(self) -> str:
        name: str = get_user_model().normalize_username(self.cleaned_data["username"])
        if get_user_model().objects.filter(username__iexact=name).exists():
            raise ValidationError(_("This login name is already in use. Please choose another."))
        return name

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        first, second = values.get("password"), values.get("again")
        if first and second and first != second:
            self.add_error("again", _("The two passwords do not match."))
        elif first:
            try:
                password_validation.validate_password(first)
            except ValidationError as error:
                self.add_error("password", error)
        return values
