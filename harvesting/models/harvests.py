"""Tables of runs: harvests and their history, the ledger of date windows, pages that could not be read."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from core.database.pk_set import PkSet
from harvesting.models.registration import Feed


class HarvestQuerySet(models.QuerySet["Harvest"]):
    def active(self) -> "HarvestQuerySet":
        return self.filter(state__in=Harvest.ACTIVE)


class Harvest(models.Model):
    """One run. This row is the only authority on its state; the job queue merely carries its id and may be lost."""

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
        LIST = "list", _("reading the list")
        SWEEP = "sweep", _("checking for deletions")

    class StopRequest(models.TextChoices):
        NONE = "", ""
        PAUSE = "pause", _("to be paused")
        CANCEL = "cancel", _("to be cancelled")

    ACTIVE = [State.QUEUED, State.RUNNING, State.PAUSED, State.INTERRUPTED]

    feed = models.ForeignKey(  # needs no index: harvest_of_feed is used
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
    exhaustive = models.BooleanField(default=False)  # the list was complete, so that absence can mean deletion
    # Code -> {"count", "facts", "incomplete"}, see harvesting.runs.observations.
    observations = models.JSONField(_("observations"), db_column="notices", default=dict)
    memory = models.JSONField(default=dict)  # copied to the feed when the run succeeds
    # Counters of a page that is stored in parts; they are subtracted if the page must be requested again.
    partial = models.JSONField(default=dict)
    stop_request = models.CharField(
        _("stop request"), db_column="wish", max_length=8, choices=StopRequest, default=StopRequest.NONE, blank=True
    )
    owner = models.CharField(max_length=100, blank=True)  # host:process id of the worker that holds the lease
    # The last retry that was announced: {"code", "facts", "attempt", "of", "at"}, see harvesting.harvest.watchdog.
    coming_retry = models.JSONField(default=dict)
    retries = models.PositiveIntegerField(default=0)  # pauses since the last stored page: see transports.retries
    live_before = models.PositiveIntegerField(null=True, blank=True)  # live records of the feed when the run began
    asked_by = models.CharField(_("requested by"), max_length=150, blank=True)  # user name; "" = the schedule
    pages = models.PositiveIntegerField(default=0)
    requests = models.PositiveIntegerField(default=0)  # to the provider, including redirects and repeats
    repeats = models.PositiveIntegerField(default=0)  # requests repeated without a pause of the run, after a failure
    worked = models.FloatField(default=0)  # seconds from each claim to the last stored batch, without pauses
    progressed_at = models.DateTimeField(null=True, blank=True)  # time of the last batch, or of the claim
    received = models.PositiveIntegerField(_("received"), default=0)
    created = models.PositiveIntegerField(_("created"), default=0)
    updated = models.PositiveIntegerField(_("updated"), default=0)
    unchanged = models.PositiveIntegerField(_("unchanged"), default=0)
    deleted = models.PositiveIntegerField(_("deleted"), default=0)
    rejected = models.PositiveIntegerField(_("not registered"), default=0)
    held = models.PositiveIntegerField(_("held deletions"), default=0)
    swept = models.PositiveIntegerField(_("deleted because absent"), default=0)
    issue_counts = models.JSONField(default=dict)  # {severity: n}
    code = models.CharField(max_length=60, blank=True)  # reason for the state, key of harvesting.messages; "" = none
    facts = models.JSONField(default=dict)  # placeholder values of the message `code`
    lease_until = models.DateTimeField(null=True, blank=True)
    fence = models.PositiveIntegerField(
        default=0
    )  # incremented by every claim, so that the writes of an earlier worker are refused
    attempts = models.PositiveIntegerField(default=0)
    resume_at = models.DateTimeField(null=True, blank=True)
    queued_at = models.DateTimeField(_("queued at"), auto_now_add=True)
    started_at = models.DateTimeField(_("started at"), null=True, blank=True)
    finished_at = models.DateTimeField(_("finished at"), null=True, blank=True)

    # Not a column: what the worker that holds the run keeps in memory of it, see harvesting.records.seen.
    seen: PkSet | None = None

    objects = HarvestQuerySet.as_manager()

    class Meta:
        verbose_name = _("harvest")
        verbose_name_plural = _("harvests")
        ordering = ["-pk"]
        indexes = [
            # The newest runs of a feed, in a state, of a kind: dashboard and list of all harvests.
            models.Index(fields=["feed", "id"], name="harvest_of_feed"),
            models.Index(fields=["state", "id"], name="harvest_in_state"),
            models.Index(fields=["kind", "id"], name="harvest_of_kind"),
            # The list of all harvests since a day.
            models.Index(fields=["queued_at"], name="harvest_queued"),
            # Runs that have ended since events were last searched for (harvesting.monitoring.events).
            models.Index(fields=["finished_at"], name="harvest_finished"),
        ]
        constraints = [
            # At most one active run per feed, even if two dispatchers or two people start one at the same time.
            models.UniqueConstraint(
                fields=["feed"],
                condition=Q(state__in=["queued", "running", "paused", "interrupted"]),
                name="one_active_harvest_per_feed",
            ),
            # Every received record is counted under exactly one outcome; otherwise the row cannot be written.
            models.CheckConstraint(
                condition=Q(received=F("created") + F("updated") + F("unchanged") + F("deleted") + F("rejected")),
                name="every_outcome_counted",
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.pk} {self.feed}"


class HarvestEvent(models.Model):
    """A change of the state of a run, for the history on its page. Deleted with the run."""

    harvest = models.ForeignKey(Harvest, models.CASCADE, related_name="events")
    at = models.DateTimeField()
    state = models.CharField(max_length=12, choices=Harvest.State)
    code = models.CharField(max_length=60, blank=True)  # reason, key of harvesting.messages
    facts = models.JSONField(default=dict)

    class Meta:
        verbose_name = _("harvest event")
        verbose_name_plural = _("harvest events")
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"#{self.harvest_id} {self.state} {self.code}"


class DateWindow(models.Model):
    """An entry in the ledger of date windows: a covered window, or a gap that must be harvested again."""

    class State(models.TextChoices):
        COVERED = "covered", _("covered")
        GAP = "gap", _("gap")

    feed = models.ForeignKey(Feed, models.CASCADE, related_name="windows", verbose_name=_("feed"))
    harvest = models.ForeignKey(Harvest, models.SET_NULL, null=True, related_name="windows")
    state = models.CharField(_("state"), max_length=8, choices=State)
    from_date = models.CharField("from", max_length=20, blank=True)  # "" = open
    until_date = models.CharField("until", max_length=20, blank=True)
    code = models.CharField(max_length=60, blank=True)  # of a gap: the reason, key of harvesting.messages
    facts = models.JSONField(default=dict)
    noted_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True, blank=True)  # of a gap: when it was covered

    class Meta:
        db_table = "harvesting_window"
        verbose_name = _("date window")
        verbose_name_plural = _("date windows")
        indexes = [
            # The open gaps of a feed. Only they are in the index.
            models.Index(fields=["feed"], condition=Q(state="gap", closed_at=None), name="window_open_gaps"),
        ]

    def __str__(self) -> str:
        return f"{self.feed} {self.from_date or '…'}–{self.until_date or '…'}"


class BrokenPage(models.Model):
    """A page that could not be parsed completely, as it was received. Only the newest ones of a feed are kept."""

    harvest = models.ForeignKey(Harvest, models.CASCADE, related_name="broken_pages")
    url = models.TextField()
    code = models.CharField(max_length=60)
    reason = models.TextField(blank=True)
    body = models.BinaryField(default=bytes)  # compressed, see harvesting.records.compression
    stored_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("broken page")
        verbose_name_plural = _("unreadable pages")
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"#{self.harvest_id} {self.url}"
