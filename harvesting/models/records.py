"""Tables of harvested data: source records, their issues, the feeds that list them, held deletions, earlier versions.
No XML.
"""

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from harvesting.models.harvests import Harvest
from harvesting.models.registration import Feed, Repository
from metadata.issue import Issue, Severity

PUBLIC_ID = r"R[0-9]{9}-I[A-Za-z0-9_-]{1,108}"  # at most the 120 characters of its column
# Large columns, which most queries defer: few pages show a payload, and lists do not show records either.
PAYLOAD_COLUMNS = ("payload", "rejected_payload")
LARGE_COLUMNS = (*PAYLOAD_COLUMNS, "record")


_NOT_LIVE = Q(deleted=True) | Q(payload_hash=b"")  # deleted, or never accepted


class SourceRecordQuerySet(models.QuerySet["SourceRecord"]):
    def pending(self) -> "SourceRecordQuerySet":
        """The records that have changed since they were last aggregated, by id."""
        return self.public().filter(aggregated_at=None).order_by("pk")

    def public(self) -> "SourceRecordQuerySet":
        """The records that readers may know of: those of providers that have been live, and all deleted ones, of which
        nothing is left to see.
        """
        return self.exclude(deleted=False, repository__in=Repository.objects.filter(published=False))

    def registered(self) -> "SourceRecordQuerySet":
        """The records that were accepted at least once, and all deleted ones."""
        return self.filter(~Q(payload_hash=b"") | Q(deleted=True))


class SourceRecord(models.Model):
    """A provider's own record: the payload as received, and the canonical record that was read from it.

    successor: the record that replaced this one when the provider gave its records new identifiers.
    """

    class Deletion(models.TextChoices):
        REPORTED = "reported", _("reported by the provider")
        ABSENT = "absent", _("missing from the full list")
        PERSON = "person", _("manually")

    repository = models.ForeignKey(  # needs no index: the one of record_once is used
        Repository, models.PROTECT, related_name="records", db_index=False, verbose_name=_("repository")
    )
    feed = models.ForeignKey(Feed, models.SET_NULL, null=True, related_name="records")
    identifier = models.TextField(_("identifier"))
    public_id = models.CharField(_("public id"), max_length=120, unique=True)  # R123456789-I…, never changes
    metadata_prefix = models.CharField("metadataPrefix", max_length=100)
    datestamp = models.CharField(_("date stamp"), max_length=40, blank=True)  # as sent
    deleted = models.BooleanField(_("deleted"), default=False)
    deleted_at = models.DateTimeField(_("deleted at"), null=True, blank=True)
    deleted_by = models.PositiveBigIntegerField(null=True)  # id of the run that deleted it
    deletion = models.CharField(_("reason for deletion"), max_length=8, choices=Deletion, blank=True)
    successor = models.ForeignKey(
        "self", models.SET_NULL, null=True, blank=True, related_name="predecessors", verbose_name=_("replaced by")
    )
    set_specs = models.JSONField("setSpec", default=list)
    payload = models.BinaryField(default=bytes)  # last accepted payload, compressed (harvesting.records.compression)
    payload_hash = models.BinaryField(default=bytes)  # SHA-256 of the accepted payload; b"" = never accepted
    record = models.BinaryField(default=bytes)  # canonical record as MessagePack, compressed
    rejected_payload = models.BinaryField(default=bytes)  # last version if it was refused, compressed; else b""
    refused = models.BooleanField(_("latest version not registered"), default=False)
    changed_at = models.DateTimeField(_("changed"))
    last_harvest = models.PositiveBigIntegerField(default=0)  # id of the run that last saw it
    brought_by = models.PositiveBigIntegerField(null=True)  # id of the run that brought the current version
    suppressed_at = models.DateTimeField(_("withheld at"), null=True, blank=True)  # the reason is in Suppression
    aggregated_at = models.DateTimeField(null=True)
    fingerprint = models.BinaryField(null=True)  # of the record as received: harvesting.records.fingerprints

    objects = SourceRecordQuerySet.as_manager()
    NOT_LIVE = _NOT_LIVE

    class Meta:
        verbose_name = _("source record")
        verbose_name_plural = _("source records")
        constraints = [models.UniqueConstraint(fields=["repository", "identifier"], name="record_once")]
        indexes = [
            # SourceRecord.objects.pending(): small, because only pending records are in it.
            models.Index(fields=["id"], condition=Q(aggregated_at=None), name="record_pending"),
            # records.tombstones.forget(), every hour: few records are deleted, and no others are in it.
            models.Index(fields=["id"], condition=Q(deleted=True), name="record_deleted"),
            # issues.counts.count_records(), after every run: no registered record is in it.
            models.Index(fields=["repository", "deleted"], condition=_NOT_LIVE, name="record_not_live"),
        ]

    def __str__(self) -> str:
        return self.public_id


class RecordAbout(models.Model):
    """What a provider says of one of its descriptions beside the metadata. Only records that have it have a row.

    packed: licence and origins, see metadata.about.
    """

    record = models.OneToOneField(SourceRecord, models.CASCADE, primary_key=True, related_name="about")
    packed = models.BinaryField(default=bytes)

    def __str__(self) -> str:
        return str(self.record_id)


class RecordIssue(models.Model):
    """An issue of a record as it is now. If it is found again, it keeps its row; see harvesting.issues.storage.

    repository: that of the record, repeated here so that lists need not join a million records.
    """

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
    value = models.TextField(_("value"), blank=True)
    result = models.TextField(_("value registered"), blank=True)  # "" = the value was kept or dropped
    repository = models.ForeignKey(
        Repository, models.CASCADE, null=True, related_name="issues", db_index=False, verbose_name=_("repository")
    )
    found_at = models.DateTimeField(_("first found"), null=True)
    ignored = models.ForeignKey("IgnoredIssue", models.SET_NULL, null=True, related_name="issues", db_index=False)

    class Meta:
        verbose_name = _("issue")
        verbose_name_plural = _("issues")
        indexes = [
            # The lists of issues (harvesting.issues.lists), and the repositories with issues of a rule; with the
            # further columns also the counts after every run (harvesting.issues.counts), which so read no rows.
            models.Index(
                fields=["repository", "code", "id", "severity", "source_record", "ignored"], name="issue_place_counted"
            ),
            # monitoring.daily_counts: the issues found today. All issues of a page have the same time, so PostgreSQL
            # stores the two values once.
            models.Index(fields=["repository", "found_at"], name="issue_found"),
            # The issues that are ignored one by one; only they are in the index, usually few.
            models.Index(fields=["ignored"], condition=Q(ignored__isnull=False), name="issue_ignored"),
        ]

    def __str__(self) -> str:
        return f"{self.code} {self.field}"

    @property
    def issue(self) -> Issue:
        """The issue as a value, as the checks return it."""
        return Issue(code=self.code, field=self.field, value=self.value, result=self.result)


class Membership(models.Model):
    """States that a feed lists a record. Written only for repositories with several feeds; see `records.membership`."""

    record = models.ForeignKey(  # needs no index: the one of membership_once is used
        SourceRecord, models.CASCADE, related_name="memberships", db_index=False
    )
    feed = models.ForeignKey(Feed, models.CASCADE, related_name="memberships")
    last_harvest = models.PositiveBigIntegerField(default=0)  # id of the run that last saw the record in the feed

    class Meta:
        constraints = [models.UniqueConstraint(fields=["record", "feed"], name="membership_once")]

    def __str__(self) -> str:
        return f"{self.feed} ∋ {self.record}"


class SeenRecords(models.Model):
    """Records that a run has received unchanged, of one page or a part of one. Deleted when a later run has succeeded.

    packed: ids of the records, 8 bytes each; see harvesting.records.seen.
    """

    harvest = models.ForeignKey(Harvest, models.CASCADE, related_name="seen_records")
    packed = models.BinaryField()

    def __str__(self) -> str:
        return f"#{self.harvest_id}"


class HeldDeletion(models.Model):
    """A deletion that waits for a person's decision, because a run would have deleted too many records at once."""

    harvest = models.ForeignKey(  # needs no index: the one of held_once is used
        Harvest, models.CASCADE, related_name="held_deletions", db_index=False
    )
    record = models.ForeignKey(SourceRecord, models.CASCADE, related_name="held_deletions")
    deletion = models.CharField(max_length=8, choices=SourceRecord.Deletion)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["harvest", "record"], name="held_once")]

    def __str__(self) -> str:
        return f"#{self.harvest_id} {self.record}"


class RecordVersion(models.Model):
    """An earlier payload of a record. Written when another payload replaces it; only the newest few are kept."""

    record = models.ForeignKey(SourceRecord, models.CASCADE, related_name="versions")
    payload = models.BinaryField(default=bytes)  # compressed, see harvesting.records.compression
    payload_hash = models.BinaryField(default=bytes)
    metadata_prefix = models.CharField("metadataPrefix", max_length=100)
    datestamp = models.CharField(max_length=40, blank=True)
    brought_by = models.PositiveBigIntegerField(null=True)  # id of the run that brought it
    came_at = models.DateTimeField()
    replaced_at = models.DateTimeField()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.record_id} {self.came_at:%Y-%m-%d}"


class Suppression(models.Model):
    """Why a record is withheld from the catalogue and from redistribution, and who decided it.

    Whether it is withheld is decided by the record's `suppressed_at`, not by this row.
    """

    record = models.OneToOneField(SourceRecord, models.CASCADE, primary_key=True, related_name="suppression")
    reason = models.CharField(_("reason"), max_length=500)
    decided_by = models.CharField(_("decided by"), max_length=150)
    decided_at = models.DateTimeField(_("decided at"), default=timezone.now)

    def __str__(self) -> str:
        return str(self.record)
