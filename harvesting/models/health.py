"""Tables of the health of providers: the last verdict, and daily counts."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from harvesting.models.harvests import Harvest
from harvesting.models.registration import Repository


class HealthStatus(models.Model):
    """The health of a repository as last computed by `harvesting.monitoring.health`. Can be computed again at any time.

    Stored so that the database can sort and filter thousands of repositories by urgency.
    """

    class Colour(models.TextChoices):
        RED = "red", _("broken")
        AMBER = "amber", _("needs attention")
        GREEN = "green", _("all is well")
        GREY = "grey", _("not harvested")

    repository = models.OneToOneField(Repository, models.CASCADE, primary_key=True, related_name="health")
    colour = models.CharField(max_length=5, choices=Colour, default=Colour.GREY)
    urgency = models.PositiveSmallIntegerField(default=0)  # 0 = most urgent, see harvesting.monitoring.health.URGENCY
    reasons = models.JSONField(default=list)  # [[code, facts], …], the most serious first
    decisions = models.PositiveIntegerField(default=0)  # runs that wait for a person's decision
    last_run = models.ForeignKey(Harvest, models.SET_NULL, null=True, related_name="+")
    next_at = models.DateTimeField(null=True)  # the next regular run; None = unknown
    records = models.PositiveIntegerField(null=True)  # None = not counted yet
    unregistered = models.PositiveIntegerField(default=0, db_default=0)  # received, but could not be registered
    with_issues = models.PositiveIntegerField(null=True)  # of both, with a warning or worse
    uncounted = models.BooleanField(default=False)  # records were stored since the last count
    since = models.DateTimeField()  # when the colour last changed
    checked_at = models.DateTimeField(null=True)  # time of the computation; None = something has changed since

    class Meta:
        db_table = "harvesting_standing"
        indexes = [
            # The dashboard, most urgent first.
            models.Index(fields=["urgency", "repository"], name="standing_urgency"),
            # The rows to compute again, the oldest first.
            models.Index(fields=["checked_at"], name="standing_checked"),
            # The repositories to be counted; only they are in the index, few at any time.
            models.Index(fields=["repository"], condition=models.Q(uncounted=True), name="standing_uncounted"),
        ]

    def __str__(self) -> str:
        return f"{self.repository_id} {self.colour}"

    @property
    def share(self) -> float | None:
        """The records with issues as a part of all that were checked, 0 to 1; None if it is unknown."""
        checked = (self.records or 0) + self.unregistered
        return (self.with_issues or 0) / checked if checked else None


class DailyCount(models.Model):
    """The counts of one day of a repository: the records stored at its end, and what the runs of the day brought."""

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="days")
    day = models.DateField()  # in settings.TIME_ZONE
    records = models.PositiveIntegerField(default=0)  # registered and not deleted
    unregistered = models.PositiveIntegerField(default=0, db_default=0)  # received, but could not be registered
    with_issues = models.PositiveIntegerField(default=0)  # of both, with a warning or worse
    with_errors = models.PositiveIntegerField(default=0)  # of both, with an item error or worse
    received = models.PositiveIntegerField(default=0)  # by runs that ended on this day, like the counts below
    created = models.PositiveIntegerField(default=0)
    updated = models.PositiveIntegerField(default=0)
    deleted = models.PositiveIntegerField(default=0)
    rejected = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)  # runs that failed
    opened = models.PositiveIntegerField(default=0)  # issues found for the first time on this day
    mended = models.PositiveIntegerField(default=0)  # issues resolved on this day
    counted_at = models.DateTimeField()

    class Meta:
        db_table = "harvesting_dayfigures"
        ordering = ["day"]
        constraints = [models.UniqueConstraint(fields=["repository", "day"], name="day_once")]
        indexes = [models.Index(fields=["day"], name="day_of_all")]  # `monitoring.site_days`, and forgetting old days

    def __str__(self) -> str:
        return f"{self.repository_id} {self.day}"

    @property
    def checked(self) -> int:
        """How many records were checked. Shares of issues are shares of these."""
        return self.records + self.unregistered

    @property
    def share(self) -> float | None:
        """The records with issues as a part of all that were checked, 0 to 1; None if there are none."""
        return self.with_issues / self.checked if self.checked else None


class SiteDay(models.Model):
    """The counts of one day of all repositories together, so that no page has to sum them."""

    day = models.DateField(primary_key=True)  # in settings.TIME_ZONE
    records = models.PositiveBigIntegerField(default=0)  # registered and not deleted
    unregistered = models.PositiveBigIntegerField(default=0)  # received, but could not be registered
    with_issues = models.PositiveBigIntegerField(default=0)  # of both, with a warning or worse
    opened = models.PositiveBigIntegerField(default=0)  # issues found for the first time on this day
    mended = models.PositiveBigIntegerField(default=0)  # issues resolved on this day

    class Meta:
        ordering = ["day"]

    def __str__(self) -> str:
        return f"{self.day}"
