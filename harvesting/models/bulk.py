"""Tables of bulk actions: what a person asked for all rows of a filter, and what was changed, for undoing it."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from harvesting.models.registration import Repository


class BulkActionQuerySet(models.QuerySet["BulkAction"]):
    def waiting(self) -> "BulkActionQuerySet":
        """Those with work to do now, first those that were looked at longest ago."""
        now = timezone.now()
        due = Q(resume_at=None) | Q(resume_at__lte=now)
        return self.filter(due, state__in=BulkAction.AT_WORK).order_by("touched_at", "pk")


class BulkAction(models.Model):
    """An action on all rows that match a filter, carried out by the queue in portions.

    action: a key of the table of actions. query: the filter, as the query string of the page that shows it. chosen:
    ids of single rows, if they were selected one by one. parameters: what the form of the action asks for.
    position: id of the last row that was looked at; while undoing, of the last change. last: the highest id when the
    action was asked for; later rows are left alone. matched: rows of the filter; applicable: those that the action
    changes. done, skipped: of these, so far. undone, left: of the changes, so far.
    """

    class State(models.TextChoices):
        COUNTING = "counting", _("being counted")
        READY = "ready", _("waiting for confirmation")
        RUNNING = "running", _("in progress")
        DONE = "done", _("done")
        STOPPED = "stopped", _("stopped")
        FAILED = "failed", _("failed")
        UNDOING = "undoing", _("being undone")
        UNDONE = "undone", _("undone")

    AT_WORK = (State.COUNTING, State.RUNNING, State.UNDOING)
    ENDED = (State.DONE, State.STOPPED, State.FAILED)  # what was changed until then can be undone

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    name = models.CharField(_("who"), max_length=150)  # user name, stays when the account is deleted
    undoer = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")  # who undoes it
    action = models.CharField(_("action"), max_length=40)
    query = models.TextField(blank=True)
    chosen = models.JSONField(default=list)
    parameters = models.JSONField(default=dict)
    # the provider whose rows are concerned, if it is one
    repository = models.ForeignKey(Repository, models.SET_NULL, null=True, related_name="+")
    state = models.CharField(_("state"), max_length=8, choices=State, default=State.COUNTING)
    position = models.PositiveBigIntegerField(default=0)
    last = models.PositiveBigIntegerField(default=0)
    matched = models.PositiveBigIntegerField(default=0)
    applicable = models.PositiveBigIntegerField(default=0)
    done = models.PositiveBigIntegerField(default=0)
    skipped = models.PositiveBigIntegerField(default=0)
    undone = models.PositiveBigIntegerField(default=0)
    left = models.PositiveBigIntegerField(default=0)
    runs = models.JSONField(default=list)  # ids of harvests that the action has queued
    problem = models.CharField(max_length=200, blank=True)
    created = models.DateTimeField(default=timezone.now)
    touched_at = models.DateTimeField(default=timezone.now)  # when the last portion was finished
    resume_at = models.DateTimeField(null=True)  # waits until then, because something is busy
    ended_at = models.DateTimeField(null=True)

    objects = BulkActionQuerySet.as_manager()

    class Meta:
        verbose_name = _("bulk action")
        verbose_name_plural = _("bulk actions")
        ordering = ["-pk"]
        indexes = [
            # BulkAction.objects.waiting(): small, because only those with work to do are in it.
            models.Index(
                fields=["touched_at", "id"],
                condition=Q(state__in=("counting", "running", "undoing")),
                name="bulk_action_waiting",
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.pk} {self.action}"


class BulkChange(models.Model):
    """One row that a bulk action has changed, and what it was before. Kept for as long as it can be undone.

    number: the id of the row. before: what undoing needs, by the action.
    """

    class State(models.TextChoices):
        DONE = "done", _("changed")
        UNDONE = "undone", _("undone")
        LEFT = "left", _("changed by others since, left as it is")

    bulk = models.ForeignKey(BulkAction, models.CASCADE, related_name="changes", db_index=False)
    number = models.PositiveBigIntegerField()
    repository = models.ForeignKey(Repository, models.CASCADE, null=True, related_name="+")
    before = models.JSONField(default=dict)
    state = models.CharField(max_length=6, choices=State, default=State.DONE)

    class Meta:
        indexes = [
            # The changes of an action in the order of undoing.
            models.Index(fields=["bulk", "id"], name="bulk_change_place"),
        ]

    def __str__(self) -> str:
        return f"{self.bulk_id} {self.number}"
