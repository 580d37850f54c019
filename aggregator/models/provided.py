"""What is redistributed to other services. Columns and constraints."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy


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
    types = models.TextField(blank=True)  # see `provision.sets.names_of`, with spaces between; deleted: the last ones
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
    """A type or another name (`provision.sets.names_of`) that a redistributed record has or had: services that take
    only records with one of these must learn when a record loses it.

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


class ListSize(models.Model):
    """How many rows `Provided`, `ProvidedType` and `ProvidedCopy` have that were ever redistributed: of an origin, with
    a type, or of all copies (list: see `provision.counts.list_sizes`).
    """

    list = models.CharField(max_length=80, primary_key=True)
    count = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.list}: {self.count}"


class ListCounting(models.Model):
    """How far `ListSize` is right; one row.

    counted_to: items up to this number are counted, now and whenever one is redistributed for the first time. stamp:
    the last one that was given by a release that counts; a higher one in `Provided` was given by an older release.
    """

    counted_to = models.BigIntegerField(default=0)
    stamp = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return str(self.counted_to)


class TakenList(models.Model):
    """A list that a harvester has read to its end (see `provision.taken`): items of a set by their stamps and numbers.

    client: the name of its API key, or its user agent. network: its /24 or /48; "" for a key. set_spec: as OAI-PMH
    names sets, "" for everything. first, last: stamps, both included.
    """

    class Door(models.TextChoices):
        OAI_PMH = "oai", "OAI-PMH"
        NDL = "ndl", gettext_lazy("OAI-PMH as NDL Search has it")
        RESOURCESYNC = "resourcesync", "ResourceSync"

    door = models.CharField(max_length=12, choices=Door)
    client = models.CharField(max_length=100, blank=True)
    network = models.CharField(max_length=43, blank=True)
    set_spec = models.CharField(max_length=100, blank=True)
    first = models.BigIntegerField()
    last = models.BigIntegerField()
    first_item = models.PositiveBigIntegerField()
    last_item = models.PositiveBigIntegerField()
    taken_at = models.DateTimeField()

    class Meta:
        indexes = [
            # provision.taken.harvesters: lists that reach to a stamp
            models.Index(fields=["last", "first"], name="taken_list_span"),
            # provision.taken.recording: old ones, and those of a day
            models.Index(fields=["taken_at"], name="taken_list_age"),
        ]

    def __str__(self) -> str:
        return f"{self.door} {self.client} {self.set_spec}"


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
