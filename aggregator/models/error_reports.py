"""Readers' error reports about books."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class ErrorReport(models.Model):
    """A reader's report of an error in a book. Keyed on the public id, which outlives every regrouping."""

    class Kind(models.TextChoices):
        DESCRIPTION = "description", _("Something in the description is wrong")
        TOGETHER = "together", _("Different books are combined here, or this book is listed twice")
        LINK = "link", _("A link does not lead to the book")
        HOLDING = "holding", _("Information about a holding is wrong")
        OTHER = "other", _("Something else")

    public_id = models.CharField(_("record"), max_length=120)
    # as the page showed it, in case the record is deleted
    title = models.CharField(_("title"), max_length=200, blank=True)
    kind = models.CharField(_("kind of error"), max_length=12, choices=Kind)
    text = models.TextField(_("what is wrong"), max_length=2000)
    email = models.EmailField(_("e-mail address"), blank=True)
    created = models.DateTimeField(_("sent at"), auto_now_add=True)
    handled = models.DateTimeField(_("handled at"), null=True, blank=True)
    handled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("handled by")
    )

    class Meta:
        db_table = "aggregator_bookreport"
        verbose_name = _("error report")
        verbose_name_plural = _("error reports")
        ordering = ["-created"]
        indexes = [
            # the number of reports in the last hour (rate limit of the report form)
            models.Index(fields=["created"], name="book_report_created"),
        ]

    def __str__(self) -> str:
        return f"#{self.pk} {self.get_kind_display()}"
