"""Tables of libraries: what they are, the codes and names they are known by, and what they hold.

Columns, constraints, named queries. Which library an item belongs to: see `aggregator.libraries.identify`.
"""

from datetime import date

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from aggregator.models.matching import Manifestation
from harvesting.models import Repository
from harvesting.validators import validate_link_template, validate_web_address
from metadata.text.languages import name_for


class LibraryQuerySet(models.QuerySet["Library"]):
    def current(self) -> "LibraryQuerySet":
        """The libraries that were not merged into another."""
        return self.filter(merged_into=None)


class Library(models.Model):
    """所蔵館: a library that holds books, whichever providers report for it.

    Made from what records say, completed by people. edited: the names of the fields that people or an imported list
    have filled in, which records no longer change; how the two are told apart: see `aggregator.libraries.edits`.
    holdings: the number of books that the library holds; derived.
    merged_into: the library that it proved to be; its codes then belong to that library (see `LibraryCode.own`).
    """

    class Kind(models.TextChoices):
        NATIONAL = "national", _("national library")
        PREFECTURAL = "prefectural", _("prefectural library")
        MUNICIPAL = "municipal", _("municipal library")
        UNIVERSITY = "university", _("university library")
        SCHOOL = "school", _("school library")
        SPECIAL = "special", _("special library")
        OTHER = "other", _("other library")

    name = models.CharField(_("name"), max_length=200)
    reading = models.CharField(_("reading of the name"), max_length=200, blank=True)
    name_en = models.CharField(_("English name"), max_length=200, blank=True)
    short_name = models.CharField(_("short name"), max_length=60, blank=True)
    kind = models.CharField(_("kind of library"), max_length=12, choices=Kind, blank=True)
    prefecture = models.CharField(_("prefecture"), max_length=2, blank=True)  # JIS X 0401: see libraries.regions
    municipality = models.CharField(_("municipality"), max_length=5, blank=True)  # JIS X 0402
    address = models.CharField(_("postal address"), max_length=300, blank=True)
    latitude = models.FloatField(
        _("latitude"), null=True, blank=True, validators=[MinValueValidator(-90), MaxValueValidator(90)]
    )
    longitude = models.FloatField(
        _("longitude"), null=True, blank=True, validators=[MinValueValidator(-180), MaxValueValidator(180)]
    )
    telephone = models.CharField(_("telephone"), max_length=60, blank=True)
    hours = models.CharField(_("opening hours"), max_length=500, blank=True)
    closed_days = models.CharField(_("closed days"), max_length=500, blank=True)
    page = models.URLField(_("home page"), max_length=500, blank=True, validators=[validate_web_address])
    link_template = models.CharField(
        _("OpenURL link template"), max_length=500, blank=True, validators=[validate_link_template]
    )
    remarks = models.TextField(_("remarks"), blank=True)
    lends = models.BooleanField(_("lends to other libraries"), null=True, blank=True)  # null: not known
    ill_terms = models.TextField(_("terms of interlibrary loan"), blank=True)
    closed_on = models.DateField(_("closed for good on"), null=True, blank=True)
    parent = models.ForeignKey(
        "self", models.SET_NULL, null=True, blank=True, related_name="branches", verbose_name=_("branch of")
    )
    merged_into = models.ForeignKey(
        "self", models.SET_NULL, null=True, blank=True, related_name="merged", verbose_name=_("merged into")
    )
    edited = models.JSONField(_("fields filled in by people"), default=list, blank=True)
    holdings = models.PositiveBigIntegerField(_("books held"), default=0)

    objects = LibraryQuerySet.as_manager()

    class Meta:
        verbose_name = _("holding library")
        verbose_name_plural = _("holding libraries")
        indexes = [
            # the libraries of a region, and those of its municipalities
            models.Index(
                fields=["prefecture", "municipality"], condition=Q(merged_into=None), name="library_of_region"
            ),
        ]

    def __str__(self) -> str:
        return self.label

    @property
    def label(self) -> str:
        """The name in the language of the page."""
        return name_for(get_language(), self.name, self.name_en)

    def is_closed(self, day: date) -> bool:
        """Whether the library had closed for good by that day."""
        return self.closed_on is not None and self.closed_on <= day


class LibraryCode(models.Model):
    """A code by which records name a library. scheme: "NDLLibCode", "ISIL", "FA", …, as received. Two are ours:

    "provider": the number of a repository that is a library itself. "name": a name that one provider uses without a
    code, as "<repository number>:<folded name>". own: the library that the code belonged to before it was merged into
    the present one; null where that is the same.
    """

    scheme = models.CharField(_("scheme"), max_length=60)
    value = models.CharField(_("code"), max_length=200)
    library = models.ForeignKey(Library, models.CASCADE, related_name="codes", verbose_name=_("holding library"))
    own = models.ForeignKey(
        Library, models.CASCADE, null=True, blank=True, related_name="former_codes", verbose_name=_("before merging")
    )

    class Meta:
        verbose_name = _("code of a library")
        verbose_name_plural = _("codes of libraries")
        constraints = [models.UniqueConstraint(fields=["scheme", "value"], name="library_code_once")]
        indexes = [
            # /libraries/CODE, whatever the scheme
            models.Index(fields=["value"], name="library_code_value"),
        ]

    def __str__(self) -> str:
        return f"{self.scheme} {self.value}"


class LibraryName(models.Model):
    """A name that the records of a provider give a library."""

    library = models.ForeignKey(
        Library, models.CASCADE, related_name="names", db_index=False, verbose_name=_("holding library")
    )
    repository = models.ForeignKey(Repository, models.CASCADE, related_name="+", verbose_name=_("repository"))
    name = models.CharField(_("name"), max_length=200)

    class Meta:
        verbose_name = _("name of a library")
        verbose_name_plural = _("names of libraries")
        constraints = [models.UniqueConstraint(fields=["library", "repository", "name"], name="library_name_once")]

    def __str__(self) -> str:
        return self.name


class ProviderLinks(models.Model):
    """How links to a provider were made when its books were last merged (see `libraries.remerging`). done: the last
    record whose book was marked for merging; null: all were.
    """

    # the repository's primary key; not a foreign key, because the repository may have been deleted
    repository = models.PositiveBigIntegerField(primary_key=True)
    digest = models.CharField(max_length=32, blank=True)
    done = models.PositiveBigIntegerField(null=True)

    def __str__(self) -> str:
        return f"{self.repository}: {self.digest}"


class Holding(models.Model):
    """所蔵: what one library has of one book. Derived from the records of the book's members when it is merged.

    copies: how many. link: the best address for the book at the library; link_kind: "openurl", "detail", "top" or "".
    packed: the copies, as `aggregator.libraries.holdings` packs them; of very many only the first.
    """

    manifestation = models.ForeignKey(
        Manifestation, models.CASCADE, related_name="holdings", db_index=False, verbose_name=_("bibliographic record")
    )
    library = models.ForeignKey(
        Library, models.CASCADE, related_name="holds", db_index=False, verbose_name=_("holding library")
    )
    copies = models.PositiveIntegerField(_("copies"), default=0)
    link = models.CharField(_("link"), max_length=2000, blank=True)
    link_kind = models.CharField(_("kind of link"), max_length=10, blank=True)
    packed = models.BinaryField(default=bytes)

    class Meta:
        verbose_name = _("holding")
        verbose_name_plural = _("holdings")
        constraints = [models.UniqueConstraint(fields=["manifestation", "library"], name="holding_once")]
        indexes = [
            # the books of a library, the newest first
            models.Index(fields=["library", "-manifestation"], name="holding_of_library"),
        ]

    def __str__(self) -> str:
        return f"M{self.manifestation_id}: {self.library_id}"
