"""Headings by which readers browse, and what imported lists of subjects say. Columns and indexes.

Headings are counted from all merged records in the background (`aggregator.browse.counting`), never when a page is
opened. A run writes its own rows, so the pages show those of the last finished run until the next one is complete.
"""

from django.db import models


class HeadingRun(models.Model):
    """One counting of all headings. position: the last manifestation that is counted. seconds: of work so far.

    letters: kind -> first letter -> number of its headings, once the run is finished.
    """

    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    position = models.PositiveBigIntegerField(default=0)
    books = models.PositiveBigIntegerField(default=0)
    seconds = models.FloatField(default=0)
    letters = models.JSONField(default=dict)

    def __str__(self) -> str:
        return str(self.pk)


class Heading(models.Model):
    """A name, subject, publisher, place, series or class, with the number of its books.

    kind: see `aggregator.browse.kinds`. code: the kind and the folded label. key: what it is sorted by. letter: its
    first one, see `aggregator.browse.letters`. main: the code of the heading that it is another name of; "" otherwise.
    The main heading's numbers include those of its other names.
    """

    run = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=1)
    code = models.CharField(max_length=250)
    label = models.CharField(max_length=200)
    reading = models.CharField(max_length=200, blank=True)
    letter = models.CharField(max_length=2)
    key = models.CharField(max_length=60)
    books = models.PositiveIntegerField(default=0)
    first_year = models.PositiveSmallIntegerField(default=0)  # 0 = no year is known
    last_year = models.PositiveSmallIntegerField(default=0)
    main = models.CharField(max_length=250, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "code"], name="heading_once_a_run")]
        indexes = [
            # browse.lists.page: the headings of a letter in their order
            models.Index(fields=["run", "kind", "letter", "key", "id"], name="heading_by_letter"),
            # browse.lists.largest: those with most books
            models.Index(fields=["run", "kind", "-books", "id"], name="heading_by_books"),
            # browse.heading: the other names of a heading
            models.Index(fields=["run", "main"], name="heading_of_main"),
        ]

    def __str__(self) -> str:
        return self.label


class HeadingLink(models.Model):
    """What records say about a heading: another name of the person, or the wider subject (value: its code, text: its
    form), or an identifier (value: scheme and number, "VIAF 98268072").
    """

    run = models.PositiveBigIntegerField()
    code = models.CharField(max_length=250)
    is_name = models.BooleanField()
    value = models.CharField(max_length=250)
    text = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "code", "value"], name="heading_link_once_a_run")]
        # browse.joining: the headings with the same identifier
        indexes = [models.Index(fields=["run", "value"], name="heading_link_by_value")]

    def __str__(self) -> str:
        return self.value


class SubjectRelation(models.Model):
    """A relation between two subjects that an imported list states. source, target: labels; keys: their folded forms.

    kind: "broader" (the target is wider), "narrower", "related", or "use" (the target is used instead of the source).
    """

    class Kind(models.TextChoices):
        BROADER = "broader"
        NARROWER = "narrower"
        RELATED = "related"
        USE = "use"

    list_name = models.CharField(max_length=40)
    kind = models.CharField(max_length=8, choices=Kind)
    source = models.CharField(max_length=200)
    source_key = models.CharField(max_length=200)
    target = models.CharField(max_length=200)
    target_key = models.CharField(max_length=200)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["list_name", "kind", "source_key", "target_key"], name="subject_relation_once"
            )
        ]
        indexes = [
            # browse.subjects: what a list says about a subject, in both directions
            models.Index(fields=["source_key"], name="subject_relation_source"),
            models.Index(fields=["target_key"], name="subject_relation_target"),
        ]

    def __str__(self) -> str:
        return f"{self.source} {self.kind} {self.target}"
