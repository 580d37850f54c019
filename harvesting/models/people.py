"""Tables about people besides their accounts: invitations, single sign-on, the throttle against password guessing."""

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from harvesting.models.registration import Repository


def new_nonce() -> str:
    """A random value that is stored in the row and in the signed link, so that the link works only once."""
    return secrets.token_urlsafe(16)


class Invitation(models.Model):
    """An invitation by e-mail to an account with a role and providers. The link in it is signed and works once."""

    class Role(models.TextChoices):
        LIBRARIAN = "librarian", _("librarian")
        STAFF = "staff", _("staff")
        ADMINISTRATOR = "administrator", _("administrator")

    email = models.EmailField(_("e-mail address"))
    role = models.CharField(_("role"), max_length=13, choices=Role, default=Role.LIBRARIAN)
    repositories = models.ManyToManyField(Repository, verbose_name=_("providers"), blank=True)
    language = models.CharField(_("language of the e-mails"), max_length=16)
    nonce = models.CharField(max_length=30, default=new_nonce)
    invited_by = models.CharField(max_length=150)  # user name, stays when the account is deleted
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
    """Connects a login at another institution (issuer, subject) with the account that was invited. Stored at the first
    login.
    """

    issuer = models.CharField(_("identity provider"), max_length=300)
    subject = models.CharField(_("identity there"), max_length=300)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, verbose_name=_("account"), related_name="+")
    bound = models.DateTimeField(_("linked"), auto_now_add=True)

    class Meta:
        verbose_name = _("single sign-on link")
        verbose_name_plural = _("single sign-on links")
        constraints = [models.UniqueConstraint(fields=["issuer", "subject"], name="external_login_once")]

    def __str__(self) -> str:
        return f"{self.subject} @ {self.issuer}"


class LoginThrottle(models.Model):
    """How often logins failed for an account, a network, or both. The key is a keyed hash that reveals neither."""

    key = models.CharField(max_length=64, primary_key=True)
    failures = models.PositiveIntegerField(default=0)
    last = models.DateTimeField()
    until = models.DateTimeField(null=True)  # no password is checked before this time

    class Meta:
        db_table = "harvesting_loginbrake"


class PasswordRequest(models.Model):
    """A request for a new password for an e-mail address, whether an account has this address or not.

    The key is a keyed hash of the address. The address itself is deleted as soon as the message is written.
    """

    key = models.CharField(max_length=64, primary_key=True)
    address = models.CharField(max_length=254, blank=True)
    language = models.CharField(max_length=16)
    asked = models.DateTimeField()

    class Meta:
        indexes = [
            # Requests without an answer, looked for every few seconds; only they are in the index.
            models.Index(fields=["asked"], condition=~Q(address=""), name="password_request_open"),
        ]
