"""Tables of interlibrary loan: who works for a library, its terms, the requests with their history, links in mails.

Columns, constraints, named queries. What a request may become next: see `aggregator.loans.states`.
"""

from collections.abc import Collection
from typing import Any

from django.conf import settings
from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from aggregator.models.libraries import Library
from core.languages import choices
from harvesting.models import Invitation
from harvesting.models.sealed import SealedField
from harvesting.validators import validate_web_address


class LibraryMember(models.Model):
    """ILL担当: a person who requests and lends for a library. It is no rank: see `harvesting.accounts.ranks`."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="library_memberships")
    library = models.ForeignKey(Library, models.CASCADE, related_name="members", verbose_name=_("holding library"))
    since = models.DateTimeField(_("since"), default=timezone.now)

    class Meta:
        verbose_name = _("interlibrary loan staff member")
        verbose_name_plural = _("interlibrary loan staff")
        constraints = [models.UniqueConstraint(fields=["user", "library"], name="library_member_once")]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.library_id}"


class LibraryInvitation(models.Model):
    """The library for which somebody is invited; the person becomes its member by accepting the invitation."""

    invitation = models.OneToOneField(Invitation, models.CASCADE, related_name="for_library")
    library = models.ForeignKey(Library, models.CASCADE, related_name="invitations")

    def __str__(self) -> str:
        return f"{self.invitation_id}: {self.library_id}"


class LoanTerms(models.Model):
    """How a library lends, and by which ways it receives requests. Whether it lends at all is `Library.lends`.

    form: the address of its own form, which is opened with an OpenURL. iso_address: where it receives ISO 18626
    messages, with iso_secret in their header; iso_digest: of the secret by which its own messages are recognised.
    """

    library = models.OneToOneField(Library, models.CASCADE, related_name="loan_terms", verbose_name=_("library"))
    copies = models.BooleanField(_("supplies copies"), null=True, blank=True)  # null: not stated
    in_house = models.BooleanField(_("only for use inside the borrowing library"), default=False)
    days = models.PositiveSmallIntegerField(_("days of a loan"), default=0)  # 0: not stated
    most = models.PositiveSmallIntegerField(_("maximum number of items at a time"), default=0)  # 0: not stated
    new_months = models.PositiveSmallIntegerField(  # 0: not stated
        _("months after publication in which nothing is lent"), default=0, validators=[MaxValueValidator(120)]
    )
    excluded = models.TextField(_("materials that are not lent"), blank=True, max_length=1000)
    payment = models.CharField(_("who pays postage and copying"), max_length=300, blank=True)
    contact = models.CharField(_("person in charge"), max_length=100, blank=True)
    email = models.EmailField(_("e-mail address for requests"), blank=True)
    language = models.CharField(_("language of the e-mails"), max_length=16, default="ja", choices=choices)
    form = models.URLField(
        _("address of the library’s own form"), max_length=500, blank=True, validators=[validate_web_address]
    )
    iso_address = models.URLField(
        _("address for ISO 18626"), max_length=500, blank=True, validators=[validate_web_address]
    )
    iso_secret = SealedField()
    iso_digest = models.BinaryField(max_length=32, default=bytes)

    class Meta:
        verbose_name = _("terms of interlibrary loan")
        verbose_name_plural = _("terms of interlibrary loan")

    def __str__(self) -> str:
        return str(self.library_id)


class Loan(models.Model):
    """相互貸借の依頼: a request of one library to another, for a loan or a copy.

    book: the id of the book when it was requested; the request itself stays readable without the book.
    request: a packed `LoanRequest`. queue: the libraries to ask next, as keys. previous: the request to another library
    that this one repeats. sent: null for a draft, which the lender does not see. due: when the item must be back.
    forgotten: when its notes were deleted. reference: the number of a request that came as a message of ISO 18626.
    """

    borrower = models.ForeignKey(
        Library, models.PROTECT, related_name="loans_made", db_index=False, verbose_name=_("borrowing library")
    )
    lender = models.ForeignKey(
        Library, models.PROTECT, related_name="loans_received", db_index=False, verbose_name=_("lending library")
    )
    previous = models.OneToOneField("self", models.PROTECT, null=True, related_name="following")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    reference = models.CharField(max_length=100, blank=True)
    book = models.CharField(_("number of the book"), max_length=300, blank=True)
    request = models.BinaryField(default=bytes)
    queue = models.JSONField(default=list)
    state = models.CharField(_("state"), max_length=20)
    due = models.DateField(_("due date"), null=True)
    sent = models.DateTimeField(_("sent"), null=True)
    forgotten = models.DateTimeField(null=True)
    created = models.DateTimeField(_("created"), default=timezone.now)
    changed = models.DateTimeField(_("changed"), default=timezone.now)

    class Meta:
        verbose_name = _("interlibrary loan")
        verbose_name_plural = _("interlibrary loans")
        constraints = [
            # a message that is repeated makes no second request
            models.UniqueConstraint(
                fields=["borrower", "reference"], condition=~Q(reference=""), name="loan_of_message_once"
            ),
        ]
        indexes = [
            # what a library has requested, and what was requested of it, newest first
            models.Index(fields=["borrower", "-id"], name="loan_of_borrower"),
            models.Index(fields=["lender", "-id"], name="loan_of_lender"),
            # requests that are old enough to lose their notes
            models.Index(fields=["changed"], condition=Q(forgotten=None), name="loan_with_notes"),
        ]

    def __str__(self) -> str:
        return self.number

    @property
    def number(self) -> str:
        """The number by which both libraries call the request."""
        return f"ILL{self.pk}"


class LoanEventQuerySet(models.QuerySet["LoanEvent"]):
    """Events are added and read; only their words, and the names of erased people, are forgotten."""

    def update(self, **_values: Any) -> int:
        raise TypeError("events of a loan are never changed")

    def delete(self) -> tuple[int, dict[str, int]]:
        raise TypeError("events of a loan are never deleted")

    def forget_words(self, loans: Collection[int]) -> int:
        """Empty the words of these requests. Return how many events had some."""
        old = self.filter(loan__in=loans).exclude(words="").order_by()
        return super(LoanEventQuerySet, old).update(words="")

    def forget_name(self, username: str) -> int:
        """Empty the name of a person whose account is erased. Return how many events had it."""
        return super(LoanEventQuerySet, self.filter(name=username).order_by()).update(name="")


class LoanEvent(models.Model):
    """What happened to a request: append-only. side: a value of `aggregator.loans.states.Side`.

    way: how it came: by an account, by the link in a mail, by an ISO 18626 message, or from the program.
    """

    class Way(models.TextChoices):
        ACCOUNT = "account", _("by account")
        LINK = "link", _("by the link in the e-mail")
        ISO = "iso", _("by ISO 18626")
        PROGRAM = "program", _("by the program")

    loan = models.ForeignKey(Loan, models.PROTECT, related_name="events")
    at = models.DateTimeField(default=timezone.now)
    side = models.CharField(max_length=10)
    way = models.CharField(max_length=8, choices=Way)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    name = models.CharField(max_length=150, blank=True)  # user name, stays when the account is deleted
    action = models.CharField(max_length=20)
    state = models.CharField(max_length=20)  # of the request, after the event
    reason = models.CharField(max_length=20, blank=True)  # of a refusal
    due = models.DateField(null=True)
    words = models.TextField(blank=True)

    objects = LoanEventQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"ILL{self.loan_id} {self.action}"

    def save(self, *arguments: Any, **options: Any) -> None:
        """Add the event. Raises TypeError if it is stored already."""
        if not self._state.adding:
            raise TypeError("events of a loan are never changed")
        super().save(*arguments, **options)

    def delete(self, *_arguments: Any, **_options: Any) -> tuple[int, dict[str, int]]:
        raise TypeError("events of a loan are never deleted")


class LoanLink(models.Model):
    """An answer that the link in a mail permits, once. The link itself is not stored, only a hash of its token."""

    loan = models.ForeignKey(Loan, models.CASCADE, related_name="links")
    digest = models.BinaryField(max_length=32)
    answer = models.CharField(max_length=20)  # an action of `aggregator.loans.states`
    expires = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    revoked = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["digest", "answer"], name="loan_link_once")]

    def __str__(self) -> str:
        return f"ILL{self.loan_id} {self.answer}"


class LoanMessage(models.Model):
    """A message of ISO 18626 to the system of a library: stored before it is sent, and updated with the result."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting to be sent")
        SENDING = "sending", _("being sent")
        SENT = "sent", _("sent")
        FAILED = "failed", _("could not be sent")

    loan = models.ForeignKey(Loan, models.CASCADE, related_name="messages")
    library = models.ForeignKey(Library, models.CASCADE, related_name="+")
    key = models.CharField(max_length=60, unique=True)
    body = models.BinaryField()
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    due = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)
    trouble = models.CharField(max_length=300, blank=True)  # what the other system said last
    created = models.DateTimeField()
    sent = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            # due messages, looked for every few seconds; small, because only unsent ones are in it
            models.Index(fields=["due"], condition=Q(state__in=["waiting", "sending"]), name="loan_message_due"),
        ]

    def __str__(self) -> str:
        return self.key
