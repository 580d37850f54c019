"""Tables of what staff decide about libraries: which two are in fact one, and answers to questions. Columns only."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from aggregator.models.libraries import Library


class LibraryMergeQuerySet(models.QuerySet["LibraryMerge"]):
    def in_force(self) -> "LibraryMergeQuerySet":
        """The merges that were not undone."""
        return self.filter(undone_at=None)

    def unsettled(self) -> "LibraryMergeQuerySet":
        """The merges of libraries whose books still have to be marked for merging, the oldest first."""
        return self.filter(settled=False).order_by("pk")


class LibraryMerge(models.Model):
    """A library was merged into another; with what is needed to undo that.

    replaced: the fields of the other library that changed, as {name: {"before", "after", "marks"}}; marks: those in
    `Library.edited` before. branches: the keys of the libraries that got another parent. last_name: the newest
    `LibraryName` at that time. settled: the books of both have been marked for merging since the last change.
    """

    library = models.ForeignKey(
        Library, models.CASCADE, related_name="merges", verbose_name=_("library that was merged")
    )
    into = models.ForeignKey(Library, models.CASCADE, related_name="taken_in", verbose_name=_("merged into"))
    at = models.DateTimeField(_("when"), auto_now_add=True)
    person = models.CharField(_("who"), max_length=150, blank=True)
    undone_at = models.DateTimeField(_("undone at"), null=True, blank=True)
    undone_by = models.CharField(_("undone by"), max_length=150, blank=True)
    replaced = models.JSONField(default=dict, blank=True)
    branches = models.JSONField(default=list, blank=True)
    last_name = models.PositiveBigIntegerField(default=0)
    settled = models.BooleanField(default=False)

    objects = LibraryMergeQuerySet.as_manager()

    class Meta:
        verbose_name = _("merging of libraries")
        verbose_name_plural = _("mergings of libraries")
        constraints = [
            models.UniqueConstraint(fields=["library"], condition=Q(undone_at=None), name="library_merged_once"),
        ]
        indexes = [
            # LibraryMerge.objects.unsettled()
            models.Index(fields=["id"], condition=Q(settled=False), name="library_merge_unsettled"),
        ]

    def __str__(self) -> str:
        return f"{self.library_id} → {self.into_id}"


class LibraryAnswer(models.Model):
    """What staff answered to a question about a library: about its names, or whether it and `other` are one.

    other: null for a question about names. names: the folded names that the answer is about.
    """

    class Verdict(models.TextChoices):
        ONE = "one", _("one library under several names")
        TWO = "two", _("two libraries")

    library = models.ForeignKey(Library, models.CASCADE, related_name="answers", verbose_name=_("holding library"))
    other = models.ForeignKey(
        Library, models.CASCADE, null=True, blank=True, related_name="+", verbose_name=_("other library")
    )
    names = models.JSONField(default=list, blank=True)
    verdict = models.CharField(_("answer"), max_length=3, choices=Verdict)
    at = models.DateTimeField(_("when"), auto_now=True)
    person = models.CharField(_("who"), max_length=150, blank=True)

    class Meta:
        verbose_name = _("answer about libraries")
        verbose_name_plural = _("answers about libraries")
        constraints = [
            models.UniqueConstraint(fields=["library"], condition=Q(other=None), name="library_answer_names"),
            models.UniqueConstraint(
                fields=["library", "other"], condition=Q(other__isnull=False), name="library_answer_pair"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.library_id}: {self.verdict}"
