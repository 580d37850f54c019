"""Tables about the search index: which one knows what, and the one being built. Columns only."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class IndexLedger(models.Model):
    """One row: the index that `Manifestation.index_pending` speaks of, and the one that is being built.

    generation: see `search.base.Facts`. incomplete: it took its place without having been built from the catalogue.
    building_since: null when none is built; after a kill the row stays as it was, `building_seen` says since when.
    """

    generation = models.CharField(max_length=100, blank=True)
    incomplete = models.BooleanField(default=False)
    switched_at = models.DateTimeField(null=True)
    building_since = models.DateTimeField(null=True)
    building_seen = models.DateTimeField(null=True)
    built = models.PositiveBigIntegerField(default=0)
    to_build = models.PositiveBigIntegerField(default=0)

    class Meta:
        verbose_name = verbose_name_plural = _("search index")

    def __str__(self) -> str:
        return self.generation


class IndexedMeanwhile(models.Model):
    """A manifestation that was written to the live index while another was being built: the new one may not know it."""

    manifestation = models.PositiveBigIntegerField(primary_key=True)

    def __str__(self) -> str:
        return f"M{self.manifestation}"
