"""Tables of people beside their accounts: invitations, logins of other houses, brakes against guessing."""

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from harvesting.models.registration import Repository


def new_nonce() -> str:
    """What makes a signed link work once: it is in the link and in the row."""
    return secrets.token_urlsafe(16)


class Invitation(models.Model):
    """Staff ask somebody by mail to look after providers here. The link in the mail is signed and works once."""

    class Role(models.TextChoices):
        LIBRARIAN = "librarian", _("librarian")
        STAFF = "staff", _("staff")
        ADMINISTRATOR = "administrator", _("administrator")

    email = models.EmailField(_("e-mail address"))
    role = models.CharField(_("role"), max_length=13, choices=Role, default=Role.LIBRARIAN)
    repositories = models.ManyToManyField(Repository, verbose_name=_("providers"), blank=True)
    language = models.CharField(_("language of the mail"), max_length=5)
    nonce = models.CharField(max_length=30, default=new_nonce)
    invited_by = models.CharField(max_length=150)  # a name, which outlives the account
    created = models.DateTimeField(auto_now_add=True)
    expires = models.DateTimeField()
    accepted = models.DateTimeField(null=True)
    revoked = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["email"], condition=Q(accepted=None, revoked=None), name="invited_once_at_a_time"
            )
        ]

    def __str__(self) -> str:
        return self.email


class ExternalLogin(models.Model):
    """Whom another house's login means: an account that was invited, bound at the first login."""

    issuer = models.CharField(max_length=300)
    subject = models.CharField(max_length=300)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    bound = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["issuer", "subject"], name="external_login_once")]

    def __str__(self) -> str:
        return f"{self.subject} @ {self.issuer}"


class LoginThrottle(models.Model):
    """How often logging in failed for an account, a network, or both. The key is a keyed hash: it tells nobody whom."""

    key = models.CharField(max_length=64, primary_key=True)
    failures = models.PositiveIntegerField(default=0)
    last = models.DateTimeField()
    until = models.DateTimeField(null=True)  # no password is looked at before

    class Meta:
        db_table = "harvesting_loginbrake"
