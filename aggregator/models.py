"""Tables of the merged catalogue. Columns, constraints, named queries."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from harvesting.models import SourceRecord


class ManifestationQuerySet(models.QuerySet):
    def to_index(self) -> "ManifestationQuerySet":
        """What the search index does not know yet, oldest first."""
        return self.filter(index_pending=True).order_by("pk")


class Manifestation(models.Model):
    """体現形: a group of descriptions of the same book. Screens say 書誌.

    Its number is the smallest source-record number among its members: an older group survives a join,
    a split leaves the number with the oldest member, and the result does not depend on any order of work.
    A number without members keeps its row and points to where its members went.
    """

    id = models.PositiveBigIntegerField(primary_key=True)
    record = models.BinaryField(default=bytes)  # merged record, compressed MessagePack; b"" = no members left
    successor = models.ForeignKey("self", models.SET_NULL, null=True, related_name="predecessors")
    index_pending = models.BooleanField(default=True)
    changed_at = models.DateTimeField()

    objects = ManifestationQuerySet.as_manager()

    class Meta:
        verbose_name = _("bibliographic record")
        verbose_name_plural = _("bibliographic records")
        indexes = [
            # Manifestation.objects.to_index()
            models.Index(fields=["id"], condition=Q(index_pending=True), name="manifestation_to_index"),
        ]

    def __str__(self) -> str:
        return f"M{self.pk}"


class Member(models.Model):
    """A source record's place in a manifestation, with the features compared, its keys and the evidence."""

    source_record = models.OneToOneField(SourceRecord, models.CASCADE, primary_key=True, related_name="member")
    manifestation = models.ForeignKey(Manifestation, models.CASCADE, related_name="members")
    features = models.BinaryField(default=bytes)
    keys = models.BinaryField(default=bytes)  # its MatchKey numbers, eight bytes each
    linked_to = models.ForeignKey(SourceRecord, models.SET_NULL, null=True, related_name="+")
    score = models.FloatField(default=0)
    evidence = models.JSONField(default=list)  # [{rule, outcome, weight}] of the strongest link


class MatchKey(models.Model):
    """Blocking keys of a member, hashed to 64 bits: records that share one are compared.

    Asked by key only; what keys a record has stands in its Member, so one index is enough.
    """

    key = models.BigIntegerField()
    source_record = models.ForeignKey(SourceRecord, models.CASCADE, related_name="+", db_index=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["key", "source_record"], name="match_key_once")]


class MatchDecision(models.Model):
    """What staff decided about two records: the same, or not the same. Survives every rebuild.

    Keyed on public ids, not on rows, so that it outlives deletion and return of a record.
    """

    class Verdict(models.TextChoices):
        SAME = "same", _("the same")
        NOT_SAME = "not_same", _("not the same")

    first = models.CharField(max_length=120)
    second = models.CharField(max_length=120)
    verdict = models.CharField(max_length=10, choices=Verdict)
    reason = models.TextField(blank=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    undone = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["first", "second"], condition=Q(undone=None), name="one_active_decision_per_pair"
            ),
            models.CheckConstraint(condition=Q(first__lt=models.F("second")), name="decision_pair_in_order"),
        ]

    def clean(self) -> None:
        """One order for a pair, so that it cannot be ruled about twice."""
        self.first, self.second = sorted([self.first, self.second])
