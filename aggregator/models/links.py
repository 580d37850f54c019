"""What was found when links to libraries and providers were checked. Columns, constraints, named queries."""

from datetime import datetime

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from aggregator.models.libraries import Library
from harvesting.models import Repository


class LinkHost(models.Model):
    """A host to which links lead, and how asking it goes. repository: the provider whose link was the first.

    failed_days: different days in a row on which it did not answer, or not without errors; failed_on: the last of them,
    failed_since: the first; failure: why.
    day, asked: how many requests it got on which day. rules: what its robots.txt asks of us, as written by
    `aggregator.links.robots`; read_at: when that was read.
    """

    class State(models.TextChoices):
        ANSWERS = "answers", pgettext_lazy("host", "answers")
        TROUBLED = "troubled", pgettext_lazy("host", "answers with errors")
        UNREACHABLE = "unreachable", pgettext_lazy("host", "unreachable")
        GONE = "gone", pgettext_lazy("host", "unreachable for long")  # readers are led elsewhere

    name = models.CharField(_("host"), max_length=260, unique=True)
    repository = models.ForeignKey(Repository, models.CASCADE, related_name="+", verbose_name=_("repository"))
    state = models.CharField(_("state"), max_length=12, choices=State, default=State.ANSWERS)
    failed_days = models.PositiveSmallIntegerField(default=0)
    failed_on = models.DateField(null=True)
    failed_since = models.DateField(_("silent since"), null=True)
    failure = models.CharField(max_length=60, blank=True)
    day = models.DateField(null=True)
    asked = models.PositiveIntegerField(default=0)
    rules = models.TextField(blank=True)
    read_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("host of links")
        verbose_name_plural = _("hosts of links")
        indexes = [
            # the hosts that do not answer
            models.Index(fields=["state"], name="link_host_state"),
        ]

    def __str__(self) -> str:
        return self.name


class LinkPattern(models.Model):
    """Addresses that are made in the same way (`aggregator.links.addresses.pattern_of`). dead: all that were checked
    lately are dead, so readers are led elsewhere from those that were not checked, too.
    """

    text = models.CharField(_("pattern"), max_length=300, unique=True)
    host = models.ForeignKey(LinkHost, models.CASCADE, related_name="patterns", verbose_name=_("host of links"))
    dead = models.BooleanField(pgettext_lazy("link", "dead"), default=False)

    class Meta:
        verbose_name = _("pattern of links")
        verbose_name_plural = _("patterns of links")

    def __str__(self) -> str:
        return self.text


class CheckedLinkQuerySet(models.QuerySet["CheckedLink"]):
    def due(self, now: datetime) -> "CheckedLinkQuerySet":
        """The links that are to be checked again, the longest due first."""
        return self.filter(next_at__lte=now).order_by("next_at")


class CheckedLink(models.Model):
    """A link of a record that was checked. repository: the provider whose record gives it. book: not a foreign key,
    because books are merged and parted in bulk.

    key: a number made from the address. failed_days: different days in a row on which the page was not there;
    failed_on: the last of them. code: what the last check found ("http.404"). location: where the page has moved
    for good. next_at: when it is checked again; null: when its turn comes.
    """

    class State(models.TextChoices):
        ALIVE = "alive", pgettext_lazy("link", "works")
        MOVED = "moved", pgettext_lazy("link", "moved")
        DOUBTFUL = "doubtful", pgettext_lazy("link", "doubtful")
        DEAD = "dead", pgettext_lazy("link", "dead")
        UNCHECKED = "unchecked", pgettext_lazy("link", "not checked")

    key = models.BigIntegerField(unique=True)
    url = models.CharField(_("link"), max_length=2000)
    kind = models.CharField(_("kind of link"), max_length=10, blank=True)
    pattern = models.ForeignKey(LinkPattern, models.CASCADE, related_name="links", verbose_name=_("pattern of links"))
    repository = models.ForeignKey(Repository, models.CASCADE, related_name="+", verbose_name=_("repository"))
    library = models.ForeignKey(Library, models.CASCADE, related_name="+", verbose_name=_("holding library"))
    book = models.PositiveBigIntegerField(_("number of the book"))
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.UNCHECKED)
    failed_days = models.PositiveSmallIntegerField(_("days without the page"), default=0)
    failed_on = models.DateField(null=True)
    code = models.CharField(_("result"), max_length=60, blank=True)
    location = models.CharField(_("new address"), max_length=2000, blank=True)
    checked_at = models.DateTimeField(_("checked"), null=True)
    next_at = models.DateTimeField(_("checked again"), null=True)

    objects = CheckedLinkQuerySet.as_manager()

    class Meta:
        verbose_name = _("checked link")
        verbose_name_plural = _("checked links")
        indexes = [
            # the links of a provider in one state
            models.Index(fields=["repository", "state", "-checked_at"], name="link_of_provider"),
            # the links of all providers in one state
            models.Index(fields=["state", "-checked_at"], name="link_of_state"),
            # which links are due
            models.Index(fields=["next_at"], condition=Q(next_at__isnull=False), name="link_due"),
            # the dead ones, which pages leave out
            models.Index(fields=["key"], condition=Q(state="dead"), name="link_dead"),
            # the last links of a pattern
            models.Index(fields=["pattern", "-checked_at"], name="link_of_pattern"),
            # all links, the last checked first; old ones that are removed
            models.Index(fields=["checked_at"], name="link_checked"),
        ]

    def __str__(self) -> str:
        return self.url


class LinkRound(models.Model):
    """Where the rotation through all links is: one row. number: of the round, in which each library has one turn;
    library: the last one that had its turn. day, asked: requests of the day. next_at: when work goes on.
    """

    number = models.PositiveBigIntegerField(default=0)
    library = models.PositiveBigIntegerField(default=0)
    day = models.DateField(null=True)
    asked = models.PositiveIntegerField(default=0)
    next_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.number}: {self.library}"
