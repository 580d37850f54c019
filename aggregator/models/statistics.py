"""Tables of the public statistics: what the catalogue holds, and what readers use. Columns and constraints."""

from django.db import models


class ContentFigures(models.Model):
    """What the catalogue, one provider or one library holds, as last counted (see `aggregator.statistics.contents`).

    number: the primary key of the provider or library; 0 for the whole catalogue; of CROSSED see `statistics.crossed`.
    Not a foreign key, because the row is written with thousands of others; the next count deletes the rows of those
    that are gone.
    """

    class Kind(models.TextChoices):
        ALL = "all"
        PROVIDER = "provider"
        LIBRARY = "library"
        CROSSED = "crossed"  # by five properties at once

    kind = models.CharField(max_length=8, choices=Kind)
    number = models.PositiveBigIntegerField(default=0)
    books = models.PositiveBigIntegerField(default=0)
    counts = models.JSONField(default=dict)  # see `statistics.tallies` and `statistics.crossed`
    counted_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "number"], name="content_figures_once")]
        indexes = [
            # the largest providers and libraries
            models.Index(fields=["kind", "-books", "number"], name="content_figures_largest"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.number}: {self.books}"


class UseCount(models.Model):
    """How often readers opened pages and followed links out on one day, or from some time on in one month (its first
    day; see `aggregator.statistics.use_days`).

    number: of a book (kept for its day only), or the primary key of a provider or library; 0 for the whole site.
    """

    class Kind(models.TextChoices):
        ALL = "all"
        BOOK = "book"
        PROVIDER = "provider"
        LIBRARY = "library"

    kind = models.CharField(max_length=8, choices=Kind)
    number = models.PositiveBigIntegerField(default=0)
    day = models.DateField()
    opened = models.PositiveBigIntegerField(default=0)
    followed = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "number", "day"], name="use_count_once")]
        indexes = [
            # the days to attribute, to sum up as months and to delete
            models.Index(fields=["kind", "day"], name="use_count_day"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.number} {self.day}: {self.opened}, {self.followed}"
