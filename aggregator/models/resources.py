"""What ResourceSync publishes about redistributed records: resources, changes and packages. Columns and constraints."""

from django.db import models
from django.db.models import Q

from harvesting.models.sealed import SealedField


class ResourceSet(models.Model):
    """A set of resources with its own capability list: one provider's records, or the merged ones.

    Never deleted, as `Provided`. origin: primary key of the repository; 0 = merged. name: as used in URLs.
    """

    origin = models.PositiveBigIntegerField(primary_key=True)
    name = models.CharField(max_length=20, unique=True)

    def __str__(self) -> str:
        return self.name


class Resource(models.Model):
    """A redistributed record as ResourceSync offers it since its last change (id: see `Provided`).

    stamp: of that change, seconds since 1970. length, sha256: of the bytes that are served. page: the web page that the
    record describes; "" if there is none. licences: addresses of its licences, with blanks between them.
    """

    id = models.PositiveBigIntegerField(primary_key=True)
    origin = models.PositiveBigIntegerField()
    stamp = models.BigIntegerField()
    deleted = models.BooleanField(default=False)
    length = models.PositiveIntegerField(default=0)
    sha256 = models.BinaryField(default=bytes)
    page = models.TextField(blank=True)
    licences = models.TextField(blank=True)

    class Meta:
        indexes = [
            # resourcesync.listing: the resources of a set by ranges of numbers, and when each range last changed
            models.Index(fields=["origin", "id", "stamp", "deleted"], name="resource_of_origin"),
        ]

    def __str__(self) -> str:
        return str(self.pk)


class ResourceBlock(models.Model):
    """A block of item numbers (see `resourcesync.naming.PART`) in which a set has or had resources.

    live: the resources that are not deleted. stamp: of the last change of any.
    """

    pk = models.CompositePrimaryKey("origin", "block")
    origin = models.PositiveBigIntegerField()
    block = models.PositiveBigIntegerField()
    live = models.BigIntegerField()
    stamp = models.BigIntegerField()


class ChangeList(models.Model):
    """A list of changes of a set, in the order in which they were noticed. until null: the list is still open.

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
    """One change of a resource. item: `Provided.id`. length, sha256: of the bytes after the change. packed: the record
    from which these were written; b"" once it is dropped.
    """

    class Kind(models.TextChoices):
        CREATED = "created"
        UPDATED = "updated"
        DELETED = "deleted"

    change_list = models.ForeignKey(  # needs no index: change_of_list is used
        ChangeList, models.CASCADE, related_name="changes", db_index=False
    )
    item = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=7, choices=Kind)
    stamp = models.BigIntegerField()
    length = models.PositiveIntegerField(default=0)
    sha256 = models.BinaryField(default=bytes)
    packed = models.BinaryField(default=bytes)

    class Meta:
        indexes = [
            # the changes of a list in their order; whether it has any after a change (hub_calls, listing)
            models.Index(fields=["change_list", "id"], name="change_of_list"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.item}"


class ResourcePackage(models.Model):
    """A ZIP file of a resource dump (block: a range of numbers) or of a change dump (change_list).

    at, completed: when its writing began and ended, seconds since 1970. count: of its resources. name: of the file.
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
    """The progress of taking changes into the lists; one row.

    at: everything up to this second is in the lists. seen: the last second examined. code: see
    `provision.written_records`. packed: the second in which packages were last made. blocks: as `seen`, but of releases
    that write `ResourceBlock`; another value means that an older one has taken over changes, null that no block exists.
    last_stamp, last_item: the last entry of a run that was stopped; item null: its second is to be read again. If
    last_stamp is not `seen`, no run was stopped, or an older release has gone on, which writes neither.
    """

    at = models.BigIntegerField(default=0)
    seen = models.BigIntegerField(default=0)
    code = models.CharField(max_length=16, blank=True)
    packed = models.BigIntegerField(default=0)
    blocks = models.BigIntegerField(null=True)
    last_stamp = models.BigIntegerField(null=True)
    last_item = models.BigIntegerField(null=True)

    def __str__(self) -> str:
        return str(self.at)


class HubSubscription(models.Model):
    """A subscriber that is notified when a set changes (WebSub). last_notified: the last change it was notified of.

    callback: the subscriber's address, or that of an external hub (then lease_until is null). asked: the request to
    be verified, "subscribe" or "unsubscribe", with the lease and the secret that it would set.
    """

    origin = models.PositiveBigIntegerField()
    callback = models.CharField(max_length=500)
    active = models.BooleanField(default=False)
    secret = SealedField()
    lease_until = models.DateTimeField(null=True)
    last_notified = models.PositiveBigIntegerField(db_column="told", default=0)
    asked = models.CharField(max_length=11, blank=True)
    asked_at = models.DateTimeField()
    asked_secret = SealedField()
    asked_seconds = models.PositiveIntegerField(default=0)
    due = models.DateTimeField()  # earliest time of the next call, which verifies or notifies the subscriber
    failures = models.PositiveSmallIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["origin", "callback"], name="hub_subscription_once")]
        indexes = [models.Index(fields=["due"], name="hub_subscription_due")]  # hub.process_subscriptions()

    def __str__(self) -> str:
        return self.callback
