"""Readers' error reports about books, and what readers say about two records."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class ErrorReportQuerySet(models.QuerySet["ErrorReport"]):
    def open_words(self) -> "ErrorReportQuerySet":
        """Comments on two records that staff have not dealt with."""
        return self.filter(handled=None).exclude(other="")

    def open_reports(self) -> "ErrorReportQuerySet":
        """Reports about one record that staff have not dealt with."""
        return self.filter(handled=None, other="")


class ErrorReport(models.Model):
    """A reader's report of an error in a book. Keyed on the public id, which outlives every regrouping.

    A comment on two records (`other` is not empty) says whether they are the same book; public_id is the smaller of the
    two ids. sender: a digest by which a later comment of the same browser on the same pair is recognised, and nothing
    else (see `review.readers_words`); emptied when the report is closed.
    """

    class Kind(models.TextChoices):
        DESCRIPTION = "description", _("Something in the description is wrong")
        TOGETHER = "together", _("Different books are combined here, or this book is listed twice")
        LINK = "link", _("A link does not lead to the book")
        HOLDING = "holding", _("Information about a holding is wrong")
        OTHER = "other", _("Something else")
        SAME = "same", _("The same book")
        NOT_SAME = "not_same", _("Different books")

    public_id = models.CharField(_("record"), max_length=120)
    other = models.CharField(_("other record"), max_length=120, blank=True, default="", db_default="")
    # as the page showed it, in case the record is deleted
    title = models.CharField(_("title"), max_length=200, blank=True)
    kind = models.CharField(_("kind of error"), max_length=12, choices=Kind)
    text = models.TextField(_("what is wrong"), max_length=2000)
    email = models.EmailField(_("e-mail address"), blank=True)
    sender = models.CharField(max_length=32, blank=True, default="", db_default="", editable=False)
    created = models.DateTimeField(_("sent at"), auto_now_add=True)
    handled = models.DateTimeField(_("handled at"), null=True, blank=True)
    handled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("handled by")
    )

    objects = ErrorReportQuerySet.as_manager()

    class Meta:
        db_table = "aggregator_bookreport"
        verbose_name = _("error report")
        verbose_name_plural = _("error reports")
        ordering = ["-created"]
        indexes = [
            # the number of reports in the last hour (rate limit of the report form)
            models.Index(fields=["created"], name="book_report_created"),
            # the comments on a pair, and all open ones (aggregator.review.readers_words); few reports are comments
            models.Index(
                fields=["public_id", "other"], condition=Q(handled=None) & ~Q(other=""), name="open_readers_words"
            ),
        ]
        constraints = [
            # a reader's second comment on the same pair replaces the first
            models.UniqueConstraint(
                fields=["public_id", "other", "sender"],
                condition=Q(handled=None) & ~Q(sender=""),
                name="one_word_of_a_reader",
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.pk} {self.get_kind_display()}"
