"""Tables of registration, harvests, source records and error reports. Columns, constraints, named queries."""

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from harvesting.validators import validate_link_template, validate_web_address
from metadata.issue import Severity

REPOSITORY_NUMBER = r"R[0-9]{9}"


class RepositoryQuerySet(models.QuerySet):
    def for_user(self, user) -> "RepositoryQuerySet":
        """The repositories that this user may act for: staff all, librarians their own."""
        if user.is_superuser or user.groups.filter(name="staff").exists():
            return self
        return self.filter(managers=user)

    def listed(self) -> "RepositoryQuerySet":
        """What the public list shows, in the order of the numbers."""
        return self.filter(state__in=[Repository.State.LIVE, Repository.State.TRIAL]).order_by("number")


class IssuedNumber(models.Model):
    """Every repository number ever given out, so that none is used again after its repository is gone."""

    number = models.CharField(max_length=10, primary_key=True)
    issued_at = models.DateTimeField(auto_now_add=True)


class Repository(models.Model):
    """リポジトリ: a provider database (guideline 4.1, rows 3 and 4)."""

    class State(models.TextChoices):
        TRIAL = "trial", _("trial")
        LIVE = "live", _("live")
        PAUSED = "paused", _("paused")
        STOPPED = "stopped", _("stopped")

    class Kind(models.TextChoices):
        LIBRARY = "library", _("library")
        INSTITUTIONAL = "institutional", _("institutional repository")
        MUSEUM = "museum", _("museum or archives")
        OTHER = "other", _("other")

    number = models.CharField(
        _("repository number"),
        max_length=10,
        unique=True,
        validators=[RegexValidator(rf"^{REPOSITORY_NUMBER}\Z")],
        help_text=_("R and nine digits, for example R900000001. Leave empty to have one allocated."),
        blank=True,
    )
    name = models.CharField(_("name"), max_length=200)
    name_yomi = models.CharField(_("reading of the name"), max_length=200, blank=True)
    name_en = models.CharField(_("English name"), max_length=200, blank=True)
    kind = models.CharField(_("kind"), max_length=20, choices=Kind, default=Kind.LIBRARY)
    contact_email = models.EmailField(_("contact e-mail"), blank=True)
    home_page = models.URLField(_("home page"), max_length=500, blank=True, validators=[validate_web_address])
    link_template = models.CharField(
        _("OpenURL link template"),
        max_length=500,
        blank=True,
        validators=[validate_link_template],
        help_text=_(
            "For example https://opac.example.jp/openurl?rft.isbn={isbn}. "
            "Places: {isbn} {isbn10} {issn} {title} {creator} {identifier}."
        ),
    )
    licence = models.CharField(_("licence of the metadata"), max_length=200, blank=True)
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.TRIAL)
    state_reason = models.CharField(_("reason for the state"), max_length=200, blank=True)
    managers = models.ManyToManyField(settings.AUTH_USER_MODEL, verbose_name=_("librarians"), blank=True)
    created = models.DateTimeField(auto_now_add=True)

    objects = RepositoryQuerySet.as_manager()

    class Meta:
        verbose_name = _("repository")
        verbose_name_plural = _("repositories")
        ordering = ["number"]

    def __str__(self) -> str:
        return f"{self.number} {self.label}"

    @property
    def label(self) -> str:
        """The name in the language of the page."""
        return self.name_en if get_language() == "en" and self.name_en else self.name


class Feed(models.Model):
    """One thing that is harvested from a repository: a base URL with a prefix and perhaps a set."""

    class Protocol(models.TextChoices):
        OAI_PMH = "oai-pmh", "OAI-PMH"

    class DeletedRecord(models.TextChoices):
        NO = "no", "no"
        TRANSIENT = "transient", "transient"
        PERSISTENT = "persistent", "persistent"

    repository = models.ForeignKey(Repository, models.PROTECT, related_name="feeds", verbose_name=_("repository"))
    protocol = models.CharField(_("protocol"), max_length=20, choices=Protocol, default=Protocol.OAI_PMH)
    base_url = models.URLField("baseURL", max_length=500, validators=[validate_web_address])
    metadata_prefix = models.CharField("metadataPrefix", max_length=100, default="dcndl")
    set_spec = models.CharField("setSpec", max_length=200, blank=True)
    granularity = models.CharField(max_length=25, blank=True, help_text=_("As Identify said: day or seconds."))
    deleted_record = models.CharField(max_length=12, choices=DeletedRecord, blank=True)
    watermark = models.DateTimeField(
        _("harvested up to"),
        null=True,
        blank=True,
        help_text=_("The provider's clock at the start of the last finished harvest. Empty: harvest everything."),
    )
    overlap = models.DurationField(
        _("overlap"), null=True, blank=True, help_text=_("Empty: one day for day granularity, else one minute.")
    )
    every_hours = models.PositiveIntegerField(_("harvest every … hours"), default=24, help_text=_("0: only by hand."))
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("feed")
        verbose_name_plural = _("feeds")
        constraints = [
            models.UniqueConstraint(fields=["repository", "base_url", "metadata_prefix", "set_spec"], name="feed_once")
        ]

    def __str__(self) -> str:
        parts = [self.repository.number, self.metadata_prefix, self.set_spec]
        return " ".join(part for part in parts if part)


class HarvestQuerySet(models.QuerySet):
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

    ACTIVE = [State.QUEUED, State.RUNNING, State.PAUSED, State.INTERRUPTED]

    feed = models.ForeignKey(Feed, models.CASCADE, related_name="harvests", verbose_name=_("feed"))
    kind = models.CharField(_("kind"), max_length=12, choices=Kind)
    state = models.CharField(_("state"), max_length=12, choices=State, default=State.QUEUED)
    from_date = models.CharField("from", max_length=20, blank=True)
    until_date = models.CharField("until", max_length=20, blank=True)
    identifier = models.TextField(blank=True)
    resumption_token = models.TextField(blank=True)
    first_response_date = models.DateTimeField(null=True, blank=True)
    complete_list_size = models.PositiveIntegerField(null=True, blank=True)
    pages = models.PositiveIntegerField(default=0)
    received = models.PositiveIntegerField(_("received"), default=0)
    created = models.PositiveIntegerField(_("created"), default=0)
    updated = models.PositiveIntegerField(_("updated"), default=0)
    unchanged = models.PositiveIntegerField(_("unchanged"), default=0)
    deleted = models.PositiveIntegerField(_("deleted"), default=0)
    rejected = models.PositiveIntegerField(_("rejected"), default=0)
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


class SourceRecordQuerySet(models.QuerySet):
    def pending(self) -> "SourceRecordQuerySet":
        """Changed since they were last aggregated, oldest first."""
        return self.filter(aggregated_at=None).order_by("pk")

    def registered(self) -> "SourceRecordQuerySet":
        """What is stored and can be shown: accepted at least once (deleted ones included)."""
        return self.filter(~Q(payload_hash=b"") | Q(deleted=True))


class SourceRecord(models.Model):
    """One provider's own record: what was sent, compressed, and the canonical record read from it."""

    repository = models.ForeignKey(Repository, models.PROTECT, related_name="records", verbose_name=_("repository"))
    feed = models.ForeignKey(Feed, models.SET_NULL, null=True, related_name="records")
    identifier = models.TextField(_("identifier"))
    public_id = models.CharField(_("public id"), max_length=120, unique=True)  # R123456789-I…, never changes
    metadata_prefix = models.CharField("metadataPrefix", max_length=100)
    datestamp = models.CharField(_("date stamp"), max_length=40, blank=True)  # as sent
    deleted = models.BooleanField(_("deleted"), default=False)
    set_specs = models.JSONField("setSpec", default=list)
    payload = models.BinaryField(default=bytes)  # last accepted payload, see harvesting.compression
    payload_hash = models.BinaryField(default=bytes)  # SHA-256 of the accepted payload; b"" = never accepted
    record = models.BinaryField(default=bytes)  # canonical record, compressed MessagePack
    rejected_payload = models.BinaryField(default=bytes)  # last payload that was refused, b"" when none is
    refused = models.BooleanField(_("last version refused"), default=False)
    changed_at = models.DateTimeField(_("changed"))
    last_harvest = models.PositiveBigIntegerField(default=0)  # id of the run that last saw it
    aggregated_at = models.DateTimeField(null=True)

    objects = SourceRecordQuerySet.as_manager()

    class Meta:
        verbose_name = _("source record")
        verbose_name_plural = _("source records")
        constraints = [models.UniqueConstraint(fields=["repository", "identifier"], name="record_once")]
        indexes = [
            # SourceRecord.objects.pending(): small, because only what waits is in it.
            models.Index(fields=["id"], condition=Q(aggregated_at=None), name="record_pending"),
        ]

    def __str__(self) -> str:
        return self.public_id


class RecordIssue(models.Model):
    """A finding about a record. Replaced whenever that record is read again."""

    SEVERITIES = [
        (Severity.RECORD_ERROR.value, _("record error")),
        (Severity.ITEM_ERROR.value, _("item error")),
        (Severity.WARNING.value, _("warning")),
        (Severity.NORMALISED.value, _("normalised")),
        (Severity.NORMALISED_SILENTLY.value, _("normalised silently")),
        (Severity.INFORMATION.value, _("information")),
    ]

    source_record = models.ForeignKey(
        SourceRecord, models.CASCADE, related_name="issues", verbose_name=_("source record")
    )
    harvest = models.ForeignKey(Harvest, models.SET_NULL, null=True, related_name="issues", verbose_name=_("harvest"))
    code = models.CharField(_("rule"), max_length=40)
    severity = models.CharField(_("severity"), max_length=20, choices=SEVERITIES)
    field = models.CharField(_("place in the record"), max_length=100, blank=True)
    value = models.TextField(blank=True)

    class Meta:
        verbose_name = _("issue")
        verbose_name_plural = _("issues")
        indexes = [
            # Issues of one rule, and their counts by rule and severity.
            models.Index(fields=["code", "severity"], name="issue_code"),
        ]

    def __str__(self) -> str:
        return f"{self.code} {self.field}"
