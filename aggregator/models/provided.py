"""What is redistributed to other services. Columns and constraints."""

from django.db import models
from django.db.models import Q


class Provided(models.Model):
    """A record that is redistributed (a provider's or a merged one), and when its redistributed form last changed.

    Rows are never deleted, so that services that took a record learn that it is gone. id: twice the number of the
    source record; for a manifestation twice its number plus one. stamp: whole seconds since 1970, UTC (see
    `provision.stamping`); null: not redistributed so far.
    """

    id = models.PositiveBigIntegerField(primary_key=True)
    origin = models.PositiveBigIntegerField()  # number of its repository's row; 0 = merged
    public_id = models.CharField(max_length=120, blank=True)  # of a provider's record; stays when the record is deleted
    stamp = models.BigIntegerField(null=True)
    waiting = models.BooleanField(default=True)  # its redistributed form may have changed
    deleted = models.BooleanField(default=False)
    types = models.TextField(blank=True)  # its types, separated by spaces; after deletion the last ones
    digest = models.BinaryField(default=bytes)  # of the redistributed form

    class Meta:
        indexes = [
            # provision.listing: everything, or one origin, in the order of stamps
            models.Index(fields=["stamp", "id"], name="provided_order"),
            models.Index(fields=["origin", "stamp", "id"], name="provided_of_origin"),
            # provision.stamping
            models.Index(fields=["id"], condition=Q(waiting=True), name="provided_waiting"),
            # provision.listing.find(): a record whose row is gone
            models.Index(fields=["public_id"], condition=Q(deleted=True), name="provided_gone"),
        ]

    def __str__(self) -> str:
        return self.public_id or f"M{self.pk // 2}"


class ProvidedType(models.Model):
    """A type that a redistributed record has or had: services that take one type only must learn when a record loses
    it.

    stamp: while the record has the type, the record's stamp; afterwards, when it lost the type. No foreign key: see
    `Provided.id`.
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


class ProvidedCopy(models.Model):
    """A copy of a book that is or was redistributed as a record of its own (see `provision.copies`).

    item: of its book, as in `Provided`. library: the key of its row. number: of the copy among those that the library
    has of the book. digest: of the redistributed form. Like those of `Provided`, rows are never deleted.
    """

    item = models.PositiveBigIntegerField()
    library = models.PositiveBigIntegerField()
    number = models.PositiveIntegerField()
    stamp = models.BigIntegerField()
    gone = models.BooleanField(default=False)
    digest = models.BinaryField(default=bytes)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "library", "number"], name="provided_copy_once")]
        indexes = [
            # provision.listing: all copies in the order of stamps
            models.Index(fields=["stamp", "id"], name="provided_copy_order"),
        ]

    def __str__(self) -> str:
        return f"M{self.item // 2}-L{self.library}-{self.number}"


class ProvidedTerms(models.Model):
    """The terms on which a repository's records were last redistributed: when they change, all are stamped again.

    form: in which they are redistributed (`provision.restamping.FORM`); while it is an earlier one, they are stamped
    again in portions. done: the last source record of which this is done.
    """

    # the repository's primary key; not a foreign key, because the repository may have been deleted
    repository = models.PositiveBigIntegerField(primary_key=True)
    give_on = models.BooleanField()
    licence = models.CharField(max_length=200, blank=True)
    form = models.PositiveSmallIntegerField(default=0)
    done = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.repository}: {self.give_on} {self.licence}"
