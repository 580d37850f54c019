"""Tables of how providers are doing: the verdict as it was last found, and figures day by day. Decides nothing."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from harvesting.models.harvests import Harvest
from harvesting.models.registration import Repository


class HealthStatus(models.Model):
    """How a repository is doing: what `harvesting.monitoring.health` said of it. Can be computed again at any time.

    Kept so that a list of thousands is sorted by urgency, and filtered, by the database.
    """

    class Colour(models.TextChoices):
        RED = "red", _("broken")
        AMBER = "amber", _("to be looked at")
        GREEN = "green", _("all is well")
        GREY = "grey", _("not harvested")

    repository = models.OneToOneField(Repository, models.CASCADE, primary_key=True, related_name="standing")
    colour = models.CharField(max_length=5, choices=Colour, default=Colour.GREY)
    urgency = models.PositiveSmallIntegerField(default=0)  # 0 = most urgent, see harvesting.monitoring.health.URGENCY
    reasons = models.JSONField(default=list)  # [[code, facts], …], the gravest first
    decisions = models.PositiveIntegerField(default=0)  # runs that wait for a person
    last_run = models.ForeignKey(Harvest, models.SET_NULL, null=True, related_name="+")
    next_at = models.DateTimeField(null=True)  # the next regular run; None = nobody knows
    records = models.PositiveIntegerField(null=True)  # None = not counted yet
    with_issues = models.PositiveIntegerField(null=True)  # of these, with a warning or worse
    uncounted = models.BooleanField(default=False)  # something was stored since it was last counted
    since = models.DateTimeField()  # when it took this colour
    checked_at = models.DateTimeField(null=True)  # None = something has changed since

    class Meta:
        db_table = "harvesting_standing"
        indexes = [
            # The dashboard, worst first.
            models.Index(fields=["urgency", "repository"], name="standing_urgency"),
            # What is to be looked at again, longest ago first.
            models.Index(fields=["checked_at"], name="standing_checked"),
            # What is to be counted: few at any time.
            models.Index(fields=["repository"], condition=models.Q(uncounted=True), name="standing_uncounted"),
        ]

    def __str__(self) -> str:
        return f"{self.repository_id} {self.colour}"


class DailyCount(models.Model):
    """One day of a repository in numbers: what is stored at its end, and what its runs brought."""

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="days")
    day = models.DateField()  # in settings.TIME_ZONE
    records = models.PositiveIntegerField(default=0)  # registered and not deleted
    with_issues = models.PositiveIntegerField(default=0)  # of these, with a warning or worse
    with_errors = models.PositiveIntegerField(default=0)  # of these, with an item error or worse
    received = models.PositiveIntegerField(default=0)  # by the runs that ended on this day, as all that follow
    created = models.PositiveIntegerField(default=0)
    updated = models.PositiveIntegerField(default=0)
    deleted = models.PositiveIntegerField(default=0)
    rejected = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)  # runs
    counted_at = models.DateTimeField()

    class Meta:
        db_table = "harvesting_dayfigures"
        ordering = ["day"]
        constraints = [models.UniqueConstraint(fields=["repository", "day"], name="day_once")]

    def __str__(self) -> str:
        return f"{self.repository_id} {self.day}"
