"""What is given on to other services. Columns, constraints."""

from django.db import models
from django.db.models import Q


class Provided(models.Model):
    """What is given on to other services: a provider's record or a merged one, and when what we give last changed.

    Kept for ever, also of what is gone: whoever took it learns that. id: twice the number of the source record; of a
    manifestation one more. stamp: seconds since 1970, UTC, whole (see `provision.stamping`); null: not given on so far.
    """

    id = models.PositiveBigIntegerField(primary_key=True)
    origin = models.PositiveBigIntegerField()  # number of its repository's row; 0 = merged
    public_id = models.CharField(max_length=120, blank=True)  # of a provider's record; outlives it
    stamp = models.BigIntegerField(null=True)
    waiting = models.BooleanField(default=True)  # perhaps it is another one now
    deleted = models.BooleanField(default=False)
    types = models.TextField(blank=True)  # its types, separated by spaces; of what is gone the last ones
    digest = models.BinaryField(default=bytes)  # of what is given

    class Meta:
        indexes = [
            # provision.listing: everything, and one origin, in the order of stamps
            models.Index(fields=["stamp", "id"], name="provided_order"),
            models.Index(fields=["origin", "stamp", "id"], name="provided_of_origin"),
            # provision.stamping
            models.Index(fields=["id"], condition=Q(waiting=True), name="provided_waiting"),
            # provision.listing.find(), of a record whose row is gone
            models.Index(fields=["public_id"], condition=Q(deleted=True), name="provided_gone"),
        ]

    def __str__(self) -> str:
        return self.public_id or f"M{self.pk // 2}"


class ProvidedType(models.Model):
    """That something given on is of a type, or was: who takes one type only has to learn that it left. No FK: see id.

    stamp: that of the item while it is of the type; once it is not, when that began.
    """

    item = models.PositiveBigIntegerField()
    type = models.CharField(max_length=60)
    stamp = models.BigIntegerField()
    gone = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "type"], name="provided_type_once")]
        indexes = [
            # provision.listing: one type in the order of stamps
            models.Index(fields=["type", "stamp", "item"], name="provided_of_type"),
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.item}"


class ProvidedTerms(models.Model):
    """On which terms a repository's records were given on last: after a change all of them wait."""

    repository = models.PositiveBigIntegerField(primary_key=True)  # number of its row; no key: it may be gone
    give_on = models.BooleanField()
    licence = models.CharField(max_length=200, blank=True)

    def __str__(self) -> str:
        return f"{self.repository}: {self.give_on} {self.licence}"
