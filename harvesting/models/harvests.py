"""Tables of runs: harvests, the ledger of date windows, pages that could not be read. No decisions."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from harvesting.models.registration import Feed


class HarvestQuerySet(models.QuerySet["Harvest"]):
    def active(self) -> "HarvestQuerySet":
        return self.filter(state__in=Harvest.ACTIVE)


class Harvest(models.Model):
    """One run. This row is the truth; the queue only carries its id (design §3, lesson 3)."""

    class State(models.TextChoices):
        QUEUED = "queued", _("queued")
        RUNNING = "running", _("running")
        PAUSED = "paused", _("paused")
        INTERRUPTED = "interrupted", _("interrupted")
        SUCCEEDED = "succeeded", _("succeeded")
        FAILED = "failed", _("failed")
        CANCELLED = "cancelled", _("cancelled")

    class Kind(models.TextChoices):
        FULL = "full", _("full")
        INCREMENTAL = "incremental", _("incremental")
        WINDOW = "window", _("date window")
        RECORD = "record", _("one record")
        AUDIT = "audit", _("audit")

    class Phase(models.TextChoices):
        LIST = "list", _("reads the list")
        SWEEP = "sweep", _("looks for deletions")

    class StopRequest(models.TextChoices):
        NONE = "", ""
        PAUSE = "pause", _("to be paused")
        CANCEL = "cancel", _("to be cancelled")

    ACTIVE = [State.QUEUED, State.RUNNING, State.PAUSED, State.INTERRUPTED]

    feed = models.ForeignKey(  # its index is harvest_of_feed
        Feed, models.CASCADE, related_name="harvests", db_index=False, verbose_name=_("feed")
    )
    kind = models.CharField(_("kind"), max_length=12, choices=Kind)
    state = models.CharField(_("state"), max_length=12, choices=State, default=State.QUEUED)
    from_date = models.CharField("from", max_length=20, blank=True)
    until_date = models.CharField("until", max_length=20, blank=True)
    identifier = models.TextField(blank=True)
    resumption_token = models.TextField(blank=True)
    first_response_date = models.DateTimeField(null=True, blank=True)
    complete_list_size = models.PositiveIntegerField(null=True, blank=True)
    phase = models.CharField(_("phase"), max_length=8, choices=Phase, default=Phase.LIST)
    exhaustive = models.BooleanField(default=False)  # the list was complete: absence means deletion
    observations = models.JSONField(
        _("notices"), db_column="notices", default=dict
    )  # code -> {"count", "facts", "incomplete"}
    memory = models.JSONField(default=dict)  # becomes the feed's when the run succeeds
    partial = models.JSONField(
        default=dict
    )  # counters of the page that is stored in parts, taken back if it is asked again
    stop_request = models.CharField(
        _("asked for"), db_column="wish", max_length=8, choices=StopRequest, default=StopRequest.NONE, blank=True
    )
    owner = models.CharField(max_length=100, blank=True)  # host:process that holds the lease
    retries = models.PositiveIntegerField(default=0)  # pauses and repetitions so far, out of a budget
    live_before = models.PositiveIntegerField(null=True, blank=True)  # records of the feed when the run began
    asked_by = models.CharField(_("asked for by"), max_length=150, blank=True)  # a name; "" = the schedule
    pages = models.PositiveIntegerField(default=0)
    requests = models.PositiveIntegerField(default=0)  # to the provider, redirects and repetitions included
    repeats = models.PositiveIntegerField(default=0)  # requests made again at once, because the first one failed
    worked = models.FloatField(default=0)  # seconds between a claim and the last batch stored; pauses are not in it
    progressed_at = models.DateTimeField(null=True, blank=True)  # the last batch, or the claim
    received = models.PositiveIntegerField(_("received"), default=0)
    created = models.PositiveIntegerField(_("created"), default=0)
    updated = models.PositiveIntegerField(_("updated"), default=0)
    unchanged = models.PositiveIntegerField(_("unchanged"), default=0)
    deleted = models.PositiveIntegerField(_("deleted"), default=0)
    rejected = models.PositiveIntegerField(_("rejected"), default=0)
    held = models.PositiveIntegerField(_("deletions held back"), default=0)
    swept = models.PositiveIntegerField(_("deleted because absent"), default=0)
    issue_counts = models.JSONField(default=dict)  # {severity: n}
    code = models.CharField(max_length=60, blank=True)  # key of harvesting.messages, "" = fine
    facts = models.JSONField(default=dict)  # what the sentence of `code` names
    lease_until = models.DateTimeField(null=True, blank=True)
    fence = models.PositiveIntegerField(default=0)  # grows with each claim; a stale worker's writes are refused
    attempts = models.PositiveIntegerField(default=0)
    resume_at = models.DateTimeField(null=True, blank=True)
    queued_at = models.DateTimeField(_("queued at"), auto_now_add=True)
    started_at = models.DateTimeField(_("started at"), null=True, blank=True)
    finished_at = models.DateTimeField(_("finished at"), null=True, blank=True)

    objects = HarvestQuerySet.as_manager()

    class Meta:
        verbose_name = _("harvest")
        verbose_name_plural = _("harvests")
        ordering = ["-pk"]
        indexes = [
            # The newest runs of a feed, in a state, of a kind: the dashboard and the list of all harvests.
            models.Index(fields=["feed", "id"], name="harvest_of_feed"),
            models.Index(fields=["state", "id"], name="harvest_in_state"),
            models.Index(fields=["kind", "id"], name="harvest_of_kind"),
            # The list of all harvests from a day on.
            models.Index(fields=["queued_at"], name="harvest_queued"),
            # What has ended since the last look for notices.
            models.Index(fields=["finished_at"], name="harvest_finished"),
        ]
        constraints = [
            # One active run per feed; makes a second schedule or click harmless.
            models.UniqueConstraint(
                fields=["feed"],
                condition=Q(state__in=["queued", "running", "paused", "interrupted"]),
                name="one_active_harvest_per_feed",
            ),
            # `received` equals the sum of the outcomes, or the row cannot be written (design §6).
            models.CheckConstraint(
                condition=Q(received=F("created") + F("updated") + F("unchanged") + F("deleted") + F("rejected")),
                name="every_outcome_counted",
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.pk} {self.feed}"


class HarvestEvent(models.Model):
    """A change of the state of a run: its course, as people read it. Goes with its run."""

    harvest = models.ForeignKey(Harvest, models.CASCADE, related_name="events")
    at = models.DateTimeField()
    state = models.CharField(max_length=12, choices=Harvest.State)
    code = models.CharField(max_length=60, blank=True)  # why, key of harvesting.messages
    facts = models.JSONField(default=dict)

    class Meta:
        verbose_name = _("event of a harvest")
        verbose_name_plural = _("events of harvests")
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"#{self.harvest_id} {self.state} {self.code}"


class DateWindow(models.Model):
    """The ledger of date windows: what is covered, and the gaps that must be asked again."""

    class State(models.TextChoices):
        COVERED = "covered", _("covered")
        GAP = "gap", _("gap")

    feed = models.ForeignKey(Feed, models.CASCADE, related_name="windows", verbose_name=_("feed"))
    harvest = models.ForeignKey(Harvest, models.SET_NULL, null=True, related_name="windows")
    state = models.CharField(_("state"), max_length=8, choices=State)
    from_date = models.CharField("from", max_length=20, blank=True)  # "" = open
    until_date = models.CharField("until", max_length=20, blank=True)
    code = models.CharField(max_length=60, blank=True)  # of a gap: why, key of harvesting.messages
    facts = models.JSONField(default=dict)
    noted_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True, blank=True)  # of a gap: when it was covered after all

    class Meta:
        db_table = "harvesting_window"
        verbose_name = _("date window")
        verbose_name_plural = _("date windows")
        indexes = [
            # The open gaps of a feed.
            models.Index(fields=["feed"], condition=Q(state="gap", closed_at=None), name="window_open_gaps"),
        ]

    def __str__(self) -> str:
        return f"{self.feed} {self.from_date or '…'}–{self.until_date or '…'}"


class BrokenPage(models.Model):
    """A page that could not be read whole, as it came. The newest of each feed are kept."""

    harvest = models.ForeignKey(Harvest, models.CASCADE, related_name="broken_pages")
    url = models.TextField()
    code = models.CharField(max_length=60)
    reason = models.TextField(blank=True)
    body = models.BinaryField(default=bytes)  # see harvesting.records.compression
    stored_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("broken page")
        verbose_name_plural = _("broken pages")
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"#{self.harvest_id} {self.url}"
