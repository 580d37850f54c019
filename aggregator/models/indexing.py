"""Tables about the search index: what the live index contains, and the index being built. Columns only."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class IndexLedger(models.Model):
    """The live index of a place (see `indexing.place`), and the one that is being built there.

    generation: see `search.base.Facts`. incomplete: the live index was not built from the catalogue (it began empty),
    or has lost books. missing: books that it lacked when they were last counted, if more than usually wait for it.
    building_since: null when none is being built. After a kill the row stays as it was; `building_seen` tells how
    long ago the build was last active.
    """

    place = models.CharField(_("machine"), max_length=40, default="", db_default="", unique=True, editable=False)
    followed_at = models.DateTimeField(_("followed the catalogue at"), null=True)
    generation = models.CharField(_("generation"), max_length=100, blank=True)
    incomplete = models.BooleanField(_("incomplete"), default=False)
    missing = models.PositiveBigIntegerField(_("books not in the index"), default=0)
    switched_at = models.DateTimeField(_("in use since"), null=True)
    building_since = models.DateTimeField(_("being built since"), null=True)
    building_seen = models.DateTimeField(_("build last active"), null=True)
    built = models.PositiveBigIntegerField(_("books built"), default=0)
    to_build = models.PositiveBigIntegerField(_("books to build"), default=0)

    class Meta:
        verbose_name = verbose_name_plural = _("search index")

    def __str__(self) -> str:
        return self.generation


class IndexChange(models.Model):
    """A book that has changed, and that the index at this place lacks although it no longer waits: others have it."""

    place = models.CharField(max_length=40)
    manifestation = models.PositiveBigIntegerField()
    noted_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["place", "id"], name="index_change_of_place")]

    def __str__(self) -> str:
        return f"M{self.manifestation}"


class IndexedMeanwhile(models.Model):
    """A manifestation written to the live index while another index was being built, which may therefore lack the
    change.
    """

    manifestation = models.PositiveBigIntegerField(primary_key=True)

    def __str__(self) -> str:
        return f"M{self.manifestation}"
