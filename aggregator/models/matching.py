"""Tables of the merged catalogue: manifestations, their members and keys, alarms, rulings, rematches.

Columns, constraints, named queries.
"""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from harvesting.models import SourceRecord

BOOK_ID = r"M[1-9][0-9]{0,17}"  # the permanent id of a book: M and its number


class ManifestationQuerySet(models.QuerySet["Manifestation"]):
    def to_merge(self) -> "ManifestationQuerySet":
        """The manifestations whose records have to be merged again, those that have waited longest first."""
        return self.filter(merge_since__isnull=False).order_by("merge_since", "pk")

    def to_index(self) -> "ManifestationQuerySet":
        """The merged manifestations that the search index does not yet contain as they are now, oldest change first."""
        return self.filter(index_pending=True, merge_since=None).order_by("changed_at", "pk")


class Manifestation(models.Model):
    """体現形: a group of descriptions of the same book. Pages call it 書誌.

    Its number is given once and never again to another book: see `aggregator.numbers`. A number that is out of use
    keeps its row and leads to a successor, the book that has most of its last members now; to none if all members left
    the catalogue.

    work: the smallest number among the manifestations of its work; null where it is the only one. Derived.
    """

    id = models.PositiveBigIntegerField(_("number"), primary_key=True)
    # merged record, compressed MessagePack; b"" = no members left, or (with merge_since) not merged so far
    record = models.BinaryField(default=bytes)
    successor = models.ForeignKey(
        "self", models.SET_NULL, null=True, related_name="predecessors", verbose_name=_("replaced by")
    )
    # when it was last marked for merging; null: its record is merged (see aggregator.merging.stage)
    merge_since = models.DateTimeField(_("waiting for merging since"), null=True)
    index_pending = models.BooleanField(_("waiting for the search index"), default=True)
    changed_at = models.DateTimeField(_("changed at"))
    work = models.PositiveBigIntegerField(null=True)
    work_keys = models.BinaryField(default=bytes)  # its form and its WorkKey numbers, eight bytes each
    scores = models.BinaryField(default=bytes)  # of the pairs of its cores; b"" where they are not stored

    objects = ManifestationQuerySet.as_manager()

    class Meta:
        verbose_name = _("bibliographic record")
        verbose_name_plural = _("bibliographic records")
        indexes = [
            # Manifestation.objects.to_merge()
            models.Index(
                fields=["merge_since", "id"], condition=Q(merge_since__isnull=False), name="manifestation_unmerged"
            ),
            # Manifestation.objects.to_index()
            models.Index(
                fields=["changed_at", "id"],
                condition=Q(index_pending=True, merge_since=None),
                name="manifestation_to_index",
            ),
            # aggregator.catalogue.editions; most books are the only one of their work
            models.Index(fields=["work"], condition=Q(work__isnull=False), name="manifestation_of_work"),
        ]

    def __str__(self) -> str:
        return f"M{self.pk}"


class Core(models.Model):
    """A set of kinds that agree in everything that tells books apart: what is compared (see `matching.groups.cores`).

    id: a hash of what they agree in. Derived, and always up to date with the kinds. isbns: the ISBNs that it bears (as
    ISBN or set ISBN), as numbers; negative: those that staff chose to ignore. matcher: see `rows.MATCHER`. example: one
    of its records, for people to see. linked_to, score, evidence: its strongest link to another core of its book.
    """

    id = models.BigIntegerField(primary_key=True)
    manifestation = models.ForeignKey(Manifestation, models.CASCADE, related_name="cores")
    features = models.BinaryField(default=bytes)  # encoded: its profile (see `matching.groups.cores`)
    fullness = models.PositiveSmallIntegerField(default=0)  # how many fields of the profile have a value
    keys = models.BinaryField(default=bytes)  # its MatchKey numbers, eight bytes each
    isbns = models.BinaryField(default=bytes)  # its ISBNs, stored in the same way
    matcher = models.PositiveBigIntegerField(default=0)
    kinds = models.PositiveBigIntegerField(default=0)
    records = models.PositiveBigIntegerField(default=0)
    example = models.ForeignKey(SourceRecord, models.CASCADE, related_name="+")
    linked_to = models.BigIntegerField(null=True)
    score = models.FloatField(default=0)
    evidence = models.JSONField(default=list)  # [{rule, outcome, weight}], of the strongest link

    def __str__(self) -> str:
        return f"{self.pk:x}"


class Kind(models.Model):
    """A set of records with equal features. id: a hash of them. core: the id of its core. Derived.

    The kinds of a core are found by the members of its book. Hashes are at random places of an index, so that one by
    core would cost every new record a page.
    """

    id = models.BigIntegerField(primary_key=True)
    core = models.ForeignKey(Core, models.CASCADE, related_name="kinds_of", db_index=False, db_constraint=False)
    features = models.BinaryField(default=bytes)
    records = models.PositiveBigIntegerField(default=0)
    version = models.PositiveSmallIntegerField(default=0)  # version of the rules that made the features

    def __str__(self) -> str:
        return f"{self.pk:x}"


class MemberQuerySet(models.QuerySet["Member"]):
    def of_cores(self, cores: models.QuerySet[Any, Any] | Sequence[int]) -> "MemberQuerySet":
        """The records of these cores, given by number: those of their books whose kind belongs to one of the cores."""
        books = Core.objects.filter(pk__in=cores).values("manifestation")
        return self.filter(manifestation__in=books, kind__core__in=cores)


class Member(models.Model):
    """A source record's membership in a manifestation. kind: null if an older release, without kinds, matched it."""

    source_record = models.OneToOneField(SourceRecord, models.CASCADE, primary_key=True, related_name="member")
    manifestation = models.ForeignKey(Manifestation, models.CASCADE, related_name="members", db_index=False)
    kind = models.ForeignKey(
        Kind, models.DO_NOTHING, null=True, related_name="members", db_index=False, db_constraint=False
    )

    objects = MemberQuerySet.as_manager()

    class Meta:
        indexes = [
            # the records of a book, also those of one of its kinds
            models.Index(fields=["manifestation", "kind"], name="member_of_manifestation"),
        ]


class FormerMember(models.Model):
    """A record that was in a book when the book's number went out of use, or that left the catalogue from this book.

    Tells where a number leads that is out of use, and which number a record gets back that returns. See
    `aggregator.numbers`.
    """

    pk = models.CompositePrimaryKey("source_record", "manifestation")
    source_record = models.ForeignKey(  # no index of its own: that of the primary key serves
        SourceRecord, models.CASCADE, related_name="+", db_index=False
    )
    manifestation = models.ForeignKey(Manifestation, models.CASCADE, related_name="former_members")


class NumberCounter(models.Model):
    """One row: the last number that was given to a book."""

    id = models.PositiveSmallIntegerField(primary_key=True)
    last = models.PositiveBigIntegerField()

    def __str__(self) -> str:
        return f"M{self.last}"


class MatchKey(models.Model):
    """The blocking keys of a core, hashed to 64 bits (cores that share one are compared), and its ISBNs as numbers.

    ISBNs (see Core.isbns) are here because whether one is suspect depends on all records that bear it. Queried by key
    only; the keys of a core are in its row, so one index is enough. Derived data: no foreign-key constraint, which
    would make the database look up the core for every row.
    """

    pk = models.CompositePrimaryKey("key", "core")
    key = models.BigIntegerField()
    core = models.ForeignKey(Core, models.CASCADE, related_name="+", db_index=False, db_constraint=False)


class WorkKey(models.Model):
    """A title with a person of a manifestation, hashed to 64 bits: manifestations that share one belong to the same
    work. form: a hash of the manifestation's full title; a key with too many different forms makes no work.

    Queried by key only; the keys of a manifestation are in its row.
    """

    pk = models.CompositePrimaryKey("key", "manifestation")
    key = models.BigIntegerField()
    manifestation = models.ForeignKey(
        Manifestation, models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    form = models.BigIntegerField(default=0)


class MatchAlarm(models.Model):
    """Something the matcher could not treat as usual, for staff to see. Derived, and always up to date with the
    groups.

    number: the key, the ISBN, or the smallest core of the component. records: how many different descriptions (cores)
    share the key, bear the ISBN or form the component; of a suspect ISBN, how many records of those that decide;
    of a work key (title and person), how many books. reason: of a suspect ISBN, see `matching.suspect_isbns`. fullest:
    the ranks, packed, of the cores that lead: of a crowded key, those that are compared with all others (see
    `matching.groups.candidates`), of a crowded ISBN, those that decide (see `matching.groups.suspects`).
    """

    class Kind(models.IntegerChoices):
        CROWDED_KEY = 1, _("very many descriptions share a blocking key: only the fullest are compared with all others")
        CROWDED_ISBN = 2, _("very many descriptions share an ISBN: those that most records have decide about it")
        SUSPECT_ISBN = 3, _("an ISBN is used for different books: it hardly counts in matching")
        LARGE_COMPONENT = 4, _("very many linked descriptions: only the most linked are compared with all others")
        CROWDED_WORK = 5, _("too many different titles begin alike and share a person: they do not form a work")
        MISTAKEN_ISBN = 6, _("a few records bear the ISBN of another volume: it does not count for them")

    kind = models.PositiveSmallIntegerField(_("kind"), choices=Kind)
    number = models.BigIntegerField(_("number"))
    records = models.PositiveBigIntegerField(_("records"))
    reason = models.CharField(_("reason"), max_length=20, blank=True)
    fullest = models.BinaryField(default=bytes)
    since = models.DateTimeField(_("since"))

    class Meta:
        verbose_name = _("matching alarm")
        verbose_name_plural = _("matching alarms")
        constraints = [models.UniqueConstraint(fields=["kind", "number"], name="match_alarm_once")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.records}"


class ReviewPair(models.Model):
    """Two descriptions (cores) about which the matcher is not certain: see `matching.groups.doubts`. Derived, as
    MatchAlarm.

    Stored for every pair that is apart although it reaches the review threshold, and for the least likely pair of every
    group that is not certain. chance: of the question about their group or groups, for the one pair that stands for it;
    0 for all others. first, second: one record of each core, for staff to judge; first_core is the smaller number.
    """

    first_core = models.ForeignKey(
        Core, models.CASCADE, related_name="+", db_index=False, db_constraint=False, verbose_name=_("description")
    )
    second_core = models.ForeignKey(
        Core, models.CASCADE, related_name="+", db_constraint=False, verbose_name=_("other description")
    )
    first = models.ForeignKey(SourceRecord, models.CASCADE, related_name="+", verbose_name=_("record"))
    second = models.ForeignKey(SourceRecord, models.CASCADE, related_name="+", verbose_name=_("other record"))
    score = models.FloatField(_("score"))
    chance = models.FloatField(_("probability of error"))  # 0 to 1
    # of a question: pairs of records that are expected to be wrongly together or apart; the order of the questions
    worth = models.FloatField(_("pairs of records concerned"), default=0)
    joined = models.BooleanField(_("joined"))
    asked = models.BooleanField(_("waiting for review"))
    evidence = models.JSONField(default=list)  # [{rule, outcome, weight}]
    since = models.DateTimeField(_("since"))  # when the matcher became uncertain about the pair
    # see `matching.patterns`; "" if a release without patterns wrote the row (`grouping.missing_patterns` fills it)
    pattern = models.CharField(_("pattern"), max_length=1000, blank=True, default="", db_default="")
    # of a question: records of the group or groups; null if such a release wrote the row
    holdings = models.PositiveBigIntegerField(_("holdings concerned"), null=True)
    # how often readers opened the pages of its books on the last day that was counted
    readers = models.PositiveBigIntegerField(_("readers concerned"), default=0, db_default=0)

    class Meta:
        verbose_name = _("pair to review")
        verbose_name_plural = _("pairs to review")
        constraints = [models.UniqueConstraint(fields=["first_core", "second_core"], name="review_pair_once")]
        indexes = [
            # the queue of pairs to review (aggregator.review.queue)
            models.Index(fields=["-worth", "id"], condition=Q(asked=True), name="review_queue"),
            # the patterns and their sums, read from the index alone, and the pairs of one in their order
            # (aggregator.review.patterns); without `asked` SQLite would read the rows to check the condition
            models.Index(
                fields=["joined", "pattern", "-worth", "id", "chance", "holdings", "readers", "asked"],
                condition=Q(asked=True),
                name="review_pattern",
            ),
            # rows of an older release (aggregator.grouping.missing_patterns)
            models.Index(fields=["id"], condition=Q(pattern=""), name="review_without_pattern"),
        ]

    def __str__(self) -> str:
        return f"{self.first_id} - {self.second_id}: {self.score:+.1f}"


class MatchRuling(models.Model):
    """A decision of staff about records. Survives every rebuild of derived data.

    Keyed on public ids, which are made from repository number and provider's identifier, not on rows: it outlives
    deletion and return of a record. The fields that a verdict needs: see `grouping.rulings.meaning.Ruling`.
    """

    class Verdict(models.TextChoices):
        SAME = "same", _("the same")
        NOT_SAME = "not_same", _("not the same")
        LOCK = "lock", _("keep this group as it is")
        FREEZE = "freeze", _("keep this record on its own")
        IGNORE = "ignore", _("ignore this ISBN")
        PRINTINGS = "printings", _("the dates of this provider are those of printings")

    verdict = models.CharField(_("ruling"), max_length=10, choices=Verdict)
    first = models.CharField(
        _("record"), max_length=120, blank=True
    )  # IGNORE: a record, a repository number or "" (everywhere); PRINTINGS: a repository number
    second = models.CharField(_("other record"), max_length=120, blank=True)
    records = models.JSONField(_("records of the group"), default=list, blank=True)  # public ids of a locked group
    # those of `first` and `second` that stand for all records with the same description
    with_copies = models.JSONField(_("also for records with the same description"), default=list, blank=True)
    isbn = models.CharField(_("ISBN"), max_length=13, blank=True)  # the ignored ISBN
    reason = models.TextField(_("reason"), blank=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("by")
    )
    # of a ruling on two records about which staff were asked: the kind and the pattern of that question
    pattern = models.CharField(_("pattern"), max_length=1020, blank=True, default="", db_default="", editable=False)
    # made for all pairs of a pattern: it ends when a person rules otherwise on a single pair
    by_pattern = models.BooleanField(_("made for a pattern"), default=False, db_default=False, editable=False)
    created = models.DateTimeField(_("date of ruling"), auto_now_add=True)
    # public id -> what it was judged by, see `grouping.rulings.meaning.evidence_snapshot`
    snapshot = models.JSONField(default=dict)
    recheck = models.DateTimeField(_("evidence changed at"), null=True, blank=True)
    undone = models.DateTimeField(_("undone at"), null=True, blank=True)
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("undone by")
    )

    class Meta:
        db_table = "aggregator_matchdecision"
        verbose_name = _("matching ruling")
        verbose_name_plural = _("matching rulings")
        indexes = [
            # the answers that staff gave about a pattern (aggregator.review.offers)
            models.Index(fields=["pattern"], condition=Q(undone=None) & ~Q(pattern=""), name="ruling_pattern"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["first", "second", "isbn"],
                condition=Q(undone=None) & ~Q(verdict="lock"),
                name="one_active_ruling",
            ),
            models.CheckConstraint(
                condition=~Q(verdict__in=["same", "not_same"]) | Q(first__lt=models.F("second")),
                name="ruled_pair_in_order",
            ),
        ]

    def __str__(self) -> str:
        about = [self.isbn, self.first, self.second, *self.records]
        return f"#{self.pk} {self.get_verdict_display()}: {' '.join(filter(None, about))}"

    def clean(self) -> None:
        """Sort a pair, so that it cannot be ruled about twice."""
        if self.second:
            self.first, self.second = sorted([self.first, self.second])
        self.records = sorted(set(self.records))
        self.with_copies = sorted(set(self.with_copies) & {self.first, self.second})


class Rematch(models.Model):
    """One pass that matches members again. Its position advances with each batch that is marked for aggregation.

    before: only members whose features were made by rules below this version; 0 = all.
    """

    class State(models.TextChoices):
        OPEN = "open", _("not finished")
        FINISHED = "finished", _("finished")
        GIVEN_UP = "given_up", _("abandoned for a new run")

    before = models.PositiveSmallIntegerField(_("version before"), default=0)
    state = models.CharField(_("state"), max_length=8, choices=State, default=State.OPEN)
    position = models.PositiveBigIntegerField(_("last record marked"), default=0)  # primary key
    last = models.PositiveBigIntegerField(_("newest record at the start"))  # primary key
    records = models.PositiveBigIntegerField(_("records marked so far"), default=0)
    started_at = models.DateTimeField(_("started at"), auto_now_add=True)
    finished_at = models.DateTimeField(_("finished at"), null=True)

    class Meta:
        verbose_name = _("rematch")
        verbose_name_plural = _("rematches")

    def __str__(self) -> str:
        return f"#{self.pk} {self.position}/{self.last}"
