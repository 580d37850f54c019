"""What ResourceSync tells of what is given on: resources, their changes in lists, packages. Columns, constraints."""

from django.db import models
from django.db.models import Q

from harvesting.models.sealed import SealedField


class ResourceSet(models.Model):
    """A set of resources with a capability list of its own: one provider's records, or the merged ones.

    Kept for ever, as what is in it. origin: number of the repository's row; 0 = merged. name: as addresses have it.
    """

    origin = models.PositiveBigIntegerField(primary_key=True)
    name = models.CharField(max_length=20, unique=True)

    def __str__(self) -> str:
        return self.name


class Resource(models.Model):
    """What is said of the bytes given on under an item (id: see `Provided`) since its last change.

    stamp: of that change, seconds since 1970. page: the page that is described, "" if there is none.
    """

    id = models.PositiveBigIntegerField(primary_key=True)
    origin = models.PositiveBigIntegerField()
    stamp = models.BigIntegerField()
    deleted = models.BooleanField(default=False)
    length = models.PositiveIntegerField(default=0)
    sha256 = models.BinaryField(default=bytes)
    page = models.TextField(blank=True)

    class Meta:
        indexes = [
            # resourcesync.listing: what one set has, by spans of numbers, and when each span changed last
            models.Index(fields=["origin", "id", "stamp", "deleted"], name="resource_of_origin"),
        ]

    def __str__(self) -> str:
        return str(self.pk)


class ChangeList(models.Model):
    """A list of changes of a set, in the order in which they were seen; until null: more may come into it.

    since, until: seconds since 1970. count: of its changes.
    """

    origin = models.PositiveBigIntegerField()
    since = models.BigIntegerField()
    until = models.BigIntegerField(null=True)
    count = models.PositiveIntegerField(default=0)

    class Meta:
        indexes = [models.Index(fields=["origin", "id"], name="changelist_of_origin")]  # the lists of one set
        constraints = [
            models.UniqueConstraint(fields=["origin"], condition=Q(until=None), name="changelist_one_open"),
        ]

    def __str__(self) -> str:
        return str(self.pk)


class ResourceChange(models.Model):
    """One change: what the bytes were after it. packed: the record they were written from; b"" once it is dropped."""

    class Kind(models.TextChoices):
        CREATED = "created"
        UPDATED = "updated"
        DELETED = "deleted"

    change_list = models.ForeignKey(ChangeList, models.CASCADE, related_name="changes")
    item = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=7, choices=Kind)
    stamp = models.BigIntegerField()
    length = models.PositiveIntegerField(default=0)
    sha256 = models.BinaryField(default=bytes)
    packed = models.BinaryField(default=bytes)

    def __str__(self) -> str:
        return f"{self.kind} {self.item}"


class ResourcePackage(models.Model):
    """A ZIP file of a resource dump (block: a span of numbers) or of a change dump (change_list).

    at, completed: seconds since 1970. count: of its resources. name: of the file.
    """

    origin = models.PositiveBigIntegerField()
    block = models.PositiveBigIntegerField(null=True)
    change_list = models.OneToOneField(ChangeList, models.CASCADE, null=True, related_name="package")
    name = models.CharField(max_length=80)
    at = models.BigIntegerField()
    completed = models.BigIntegerField()
    count = models.PositiveIntegerField()
    length = models.PositiveBigIntegerField()
    sha256 = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["origin", "block"], name="package_of_block_once")]

    def __str__(self) -> str:
        return self.name


class ResourceClock(models.Model):
    """How far the changes were taken over, one row.

    at: all up to this second is in the lists; seen: the last second looked at; code: see `provision.written`.
    packed: the second in which packages were made last.
    """

    at = models.BigIntegerField(default=0)
    seen = models.BigIntegerField(default=0)
    code = models.CharField(max_length=16, blank=True)
    packed = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return str(self.at)


class HubSubscription(models.Model):
    """Somebody who is called when a set changes (WebSub). told: the last change that they were told of.

    callback: their address; of a hub that somebody else runs its own (then lease_until is null).
    asked: what is to be verified, "subscribe" or "unsubscribe", with the lease and the secret that it would bring.
    """

    origin = models.PositiveBigIntegerField()
    callback = models.CharField(max_length=500)
    active = models.BooleanField(default=False)
    secret = SealedField()
    lease_until = models.DateTimeField(null=True)
    told = models.PositiveBigIntegerField(default=0)
    asked = models.CharField(max_length=11, blank=True)
    asked_at = models.DateTimeField()
    asked_secret = SealedField()
    asked_seconds = models.PositiveIntegerField(default=0)
    due = models.DateTimeField()  # of the next attempt to reach them
    failures = models.PositiveSmallIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["origin", "callback"], name="hub_subscription_once")]
        indexes = [models.Index(fields=["due"], name="hub_subscription_due")]  # hub.attend()

    def __str__(self) -> str:
        return self.callback
