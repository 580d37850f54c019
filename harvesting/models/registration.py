"""Tables of registration: repositories, their feeds and subscriptions, issued numbers, switched rules."""

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from harvesting.models.sealed import SealedField
from harvesting.models.states import LISTED, NOT_PUBLISHED, STATES, ProviderState, StateRow
from harvesting.transports.kind import TransportKind
from harvesting.transports.registry import DEFAULT, TRANSPORTS, UNKNOWN
from harvesting.validators import validate_link_template, validate_web_address
from metadata.formats import TARGET
from metadata.text.languages import name_for

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

REPOSITORY_NUMBER = r"R[0-9]{9}"


def groups_of(user: Any) -> frozenset[str]:
    """Return the names of the groups of a user. They are read once, and kept with this object as long as it lives (for
    a request, as Django keeps permissions).
    """
    names: frozenset[str] | None = getattr(user, "_group_names", None)
    if names is None:
        names = user._group_names = frozenset(user.groups.values_list("name", flat=True))
    return names


def forget_groups(user: Any) -> None:
    """Have `groups_of` read the groups of this user again, because they have changed."""
    user._group_names = None


class RepositoryQuerySet(models.QuerySet["Repository"]):
    def for_user(self, user: Any) -> "RepositoryQuerySet":
        """The repositories that this user may manage: all for staff, their own for librarians."""
        if user.is_superuser or "staff" in groups_of(user):
            return self
        return self.filter(managers=user)

    def listed(self) -> "RepositoryQuerySet":
        """The repositories in the public list, by number."""
        return self.public().filter(state__in=LISTED).order_by("number")

    def public(self) -> "RepositoryQuerySet":
        """The repositories whose page readers may see: those that have been live, and were not erased."""
        return self.filter(approved=True, published=True)


class IssuedNumber(models.Model):
    """A repository number that was issued. The row outlives the repository, so that no number is used twice."""

    number = models.CharField(max_length=10, primary_key=True)
    issued_at = models.DateTimeField(auto_now_add=True)


class Repository(models.Model):
    """A provider's database (リポジトリ; NDL guideline 4.1, rows 3 and 4)."""

    State = ProviderState

    class Profile(models.TextChoices):
        NDL = "ndl", _("NDL Search guideline")
        IRDB = "irdb", _("IRDB practice")
        LAX = "lax", _("lenient, for providers that follow neither")

    class Kind(models.TextChoices):
        LIBRARY = "library", _("library")
        INSTITUTIONAL = "institutional", _("institutional repository")
        MUSEUM = "museum", _("museum or archives")
        OTHER = "other", _("other")

    class LinkEncoding(models.TextChoices):
        UTF_8 = "utf-8", "UTF-8"
        EUC_JP = "euc-jp", "EUC-JP"
        SHIFT_JIS = "shift_jis", "Shift_JIS"

    number = models.CharField(
        _("repository number"),
        max_length=10,
        unique=True,
        validators=[RegexValidator(rf"^{REPOSITORY_NUMBER}\Z")],
        help_text=_("R followed by nine digits, for example R900000001. Leave it empty to have a number assigned."),
        blank=True,
    )
    name = models.CharField(_("name"), max_length=200)
    name_yomi = models.CharField(_("reading of the name"), max_length=200, blank=True)
    name_en = models.CharField(_("English name"), max_length=200, blank=True)
    kind = models.CharField(_("kind"), max_length=20, choices=Kind, default=Kind.LIBRARY)
    contact_email = models.EmailField(_("contact e-mail"), blank=True)
    home_page = models.URLField(_("home page"), max_length=500, blank=True, validators=[validate_web_address])
    link_template = models.CharField(
        _("OpenURL link template"),
        max_length=500,
        blank=True,
        validators=[validate_link_template],
        help_text=_(
            "For example https://opac.example.jp/openurl?rft.isbn={isbn}. “Try the links” shows the "
            "other placeholders and where a link would lead."
        ),
    )
    link_encoding = models.CharField(
        _("character encoding of links to the provider"),
        max_length=10,
        choices=LinkEncoding,
        default=LinkEncoding.UTF_8,
        help_text=_(
            "The character encoding that the provider expects for titles and names in a link. Older "
            "systems may need EUC-JP or Shift_JIS."
        ),
    )
    licence = models.CharField(
        _("licence of the metadata"),
        max_length=200,
        blank=True,
        help_text=_(
            "The URL of the licence, for example https://creativecommons.org/publicdomain/zero/1.0/, "
            "or its terms in words. It is supplied with every record that others fetch from here."
        ),
    )
    give_on = models.BooleanField(
        _("redistribute its records"),
        default=True,
        help_text=_(
            "Other services may fetch the records from here: OAI-PMH, ResourceSync, dumps. Otherwise "
            "the records can only be searched and viewed on this site, and services that fetched "
            "them earlier are told that they have been deleted."
        ),
    )
    show_pictures = models.BooleanField(
        _("show the pictures that its records name"),
        default=True,
        help_text=_(
            "Small copies of the pictures (thumbnails, first pages) are shown beside its books. Otherwise a drawn "
            "cover is shown."
        ),
    )
    state = models.CharField(_("state"), max_length=10, choices=ProviderState, default=ProviderState.LIVE)
    state_reason = models.CharField(_("reason for the state"), max_length=200, blank=True)
    # What a librarian registers is neither harvested nor listed until staff approve it.
    approved = models.BooleanField(_("approved by staff"), default=True)
    # False until it is live for the first time: until then its records are not matched, and readers do not see them.
    published = models.BooleanField(default=True, editable=False)
    profile = models.CharField(
        _("validation profile"),
        max_length=4,
        choices=Profile,
        default=Profile.NDL,
        help_text=_("Sets how severe the issues found are. A change takes effect with the next harvest or reread."),
    )
    trust = models.SmallIntegerField(
        _("trust in its descriptions"),
        default=0,
        validators=[MinValueValidator(-9), MaxValueValidator(9)],
        help_text=_(
            "From -9 to 9. Where providers describe a book differently, the description of the "
            "provider with the higher number is used; among equal numbers, the most frequent "
            "description. Takes effect when a book is next merged; for all books at once: manage.py "
            "rematch"
        ),
    )
    managers = models.ManyToManyField(settings.AUTH_USER_MODEL, verbose_name=_("librarians"), blank=True)
    created = models.DateTimeField(auto_now_add=True)

    objects = RepositoryQuerySet.as_manager()

    class Meta:
        verbose_name = _("repository")
        verbose_name_plural = _("repositories")
        ordering = ["number"]

    def __str__(self) -> str:
        return f"{self.number} {self.label}"

    def save(self, *arguments: Any, **named: Any) -> None:
        if self._state.adding:
            self.published = self.state not in NOT_PUBLISHED
        elif self.state == ProviderState.LIVE:
            self.published = True
        super().save(*arguments, **named)

    def clean(self) -> None:
        if not self._state.adding and self.published and self.state in NOT_PUBLISHED:
            text = _("Readers see the records of this provider already. Pause or stop it instead.")
            raise ValidationError({"state": text})

    @property
    def label(self) -> str:
        """The name in the language of the page."""
        return name_for(get_language(), self.name, self.name_en)

    @property
    def state_row(self) -> StateRow:
        """What its state means."""
        return STATES[ProviderState(self.state)]


class RuleSwitch(models.Model):
    """A rule switched off or given another severity for one repository, and who decided that, when and why."""

    class Outcome(models.TextChoices):
        OFF = "off", _("not checked")
        RECORD_ERROR = "record_error", _("record error")
        ITEM_ERROR = "item_error", _("item error")
        WARNING = "warning", _("warning")
        INFORMATION = "information", _("information")

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="switches", verbose_name=_("repository"))
    code = models.CharField(_("rule"), max_length=40)
    outcome = models.CharField(_("counts as"), max_length=20, choices=Outcome)
    reason = models.CharField(_("reason"), max_length=500)
    decided_by = models.CharField(_("decided by"), max_length=150)  # user name, stays when the account is deleted
    decided_at = models.DateTimeField(_("decided at"), default=timezone.now)

    class Meta:
        verbose_name = _("switched rule")
        verbose_name_plural = _("switched rules")
        ordering = ["code"]
        constraints = [models.UniqueConstraint(fields=["repository", "code"], name="rule_switched_once")]

    def __str__(self) -> str:
        return f"{self.code}: {self.get_outcome_display()}"


def protocol_choices() -> "list[tuple[str, StrOrPromise]]":
    """The protocols that a feed may have. A function, so that a further transport needs no migration."""
    return [(kind.name, _(kind.label)) for kind in TRANSPORTS.values()]


class Feed(models.Model):
    """One source of records of a repository: a base URL with a metadataPrefix and perhaps a set."""

    class DeletedRecord(models.TextChoices):
        NO = "no", "no"
        TRANSIENT = "transient", "transient"
        PERSISTENT = "persistent", "persistent"

    class Method(models.TextChoices):
        GET = "GET", "GET"
        POST = "POST", "POST"

    class Schedule(models.TextChoices):
        MANUAL = "manual", _("manually only")
        HOURLY = "hourly", _("every hour")
        DAILY = "daily", _("every day")
        WEEKLY = "weekly", _("every week")
        MONTHLY = "monthly", _("every month")
        CRON = "cron", _("by a cron expression")

    repository = models.ForeignKey(Repository, models.PROTECT, related_name="feeds", verbose_name=_("repository"))
    protocol = models.CharField(_("protocol"), max_length=20, choices=protocol_choices, default=DEFAULT.name)
    base_url = models.CharField("baseURL", max_length=500)  # validated in `clean`, by protocol
    full_url = models.URLField(
        _("address of the full feed"),
        max_length=500,
        blank=True,
        validators=[validate_web_address],
    )
    method = models.CharField(_("HTTP method"), max_length=4, choices=Method, default=Method.GET)
    encoding = models.CharField(
        _("character encoding"),
        max_length=20,
        blank=True,
        help_text=_(
            "Only if the provider declares the wrong encoding; for example Shift_JIS. Leave it empty "
            "to use the declared encoding."
        ),
    )
    columns = models.JSONField(_("columns"), default=dict, blank=True)  # CSV, TSV: heading -> record field
    # Only for live sources: see harvesting.live.options. db_default: earlier versions of the program do not set it.
    live_options = models.JSONField(
        default=dict, db_default=models.Value({}, models.JSONField()), blank=True, editable=False
    )
    ca_certificate = models.TextField(
        _("certificate authority"),
        blank=True,
        help_text=_(
            "PEM. For a provider whose certificate is not signed by a public authority. It is used "
            "in addition to the public authorities."
        ),
    )
    credentials = SealedField()
    push_whole = models.BooleanField(
        _("each upload contains all records"),
        default=False,
        db_default=False,
        help_text=_(
            "Only for records that you push: what an upload lacks is deleted. Otherwise an upload contains only new, "
            "changed and deleted records."
        ),
    )
    metadata_prefix = models.CharField("metadataPrefix", max_length=100, default=TARGET.prefix)
    set_spec = models.CharField("setSpec", max_length=200, blank=True)
    granularity = models.CharField(max_length=25, blank=True, help_text=_("As reported by Identify: days or seconds."))
    deleted_record = models.CharField(max_length=12, choices=DeletedRecord, blank=True)
    watermark = models.DateTimeField(
        _("harvested up to"),
        null=True,
        blank=True,
        help_text=_("The provider's time at the start of the last completed harvest. Empty: harvest everything."),
    )
    overlap = models.DurationField(
        _("overlap"),
        null=True,
        blank=True,
        help_text=_("Empty: one day if the granularity is days, otherwise one minute."),
    )
    schedule = models.CharField(_("schedule"), max_length=10, choices=Schedule, default=Schedule.DAILY)
    cron = models.CharField(
        _("cron expression"),
        max_length=100,
        blank=True,
        help_text=_("Minute, hour, day, month, weekday; for example 30 3 * * 1-5. Used with “by a cron expression”."),
    )
    quiet_from = models.TimeField(_("no harvest from"), null=True, blank=True)
    quiet_until = models.TimeField(_("no harvest until"), null=True, blank=True)
    full_every_days = models.PositiveSmallIntegerField(
        _("full harvest every … days"),
        null=True,
        blank=True,
        help_text=_(
            "Empty: every 7 days if the provider does not report deletions permanently, otherwise never. 0: never."
        ),
    )
    silent_after_days = models.PositiveSmallIntegerField(
        _("alarm after … days without a new record"), default=90, help_text=_("0: no alarm.")
    )
    failures = models.PositiveIntegerField(_("failed harvests in a row"), default=0)
    rest_until = models.DateTimeField(_("suspended until"), null=True, blank=True)  # after too many failures
    memory = models.JSONField(default=dict, blank=True)  # see harvesting.types.Batch.memory
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("feed")
        verbose_name_plural = _("feeds")
        constraints = [
            models.UniqueConstraint(fields=["repository", "base_url", "metadata_prefix", "set_spec"], name="feed_once")
        ]

    def __str__(self) -> str:
        parts = [self.repository.number, self.metadata_prefix, self.set_spec]
        return " ".join(part for part in parts if part)

    @property
    def is_on_this_server(self) -> bool:
        """Whether the base URL is a path on this server. Such paths are shown to the operator only."""
        return self.transport_kind.reads_files and not self.base_url.startswith(("http://", "https://"))

    @property
    def transport_kind(self) -> TransportKind:
        """What the transport of its protocol can: nothing if the protocol is unknown."""
        return TRANSPORTS.get(self.protocol, UNKNOWN)

    @property
    def has_full_list(self) -> bool:
        """Whether there is a list of all records."""
        return not self.transport_kind.full_list_apart or bool(self.full_url)

    def clean(self) -> None:
        """Validate the base URL where there must be one."""
        if self.transport_kind.needs_address:
            try:
                validate_web_address(self.base_url)
            except ValidationError as error:
                raise ValidationError({"base_url": error}) from error


class Subscription(models.Model):
    """A WebSub subscription of a feed. A notification from the hub only makes the next harvest start sooner."""

    class State(models.TextChoices):
        ASKED = "asked", _("requested")
        ACTIVE = "active", _("active")
        REFUSED = "refused", _("refused")
        ENDED = "ended", _("ended")

    feed = models.OneToOneField(Feed, models.CASCADE, related_name="subscription", verbose_name=_("feed"))
    hub = models.URLField("hub", max_length=500)
    topic = models.URLField("topic", max_length=500)
    callback = models.CharField(max_length=64, unique=True)  # the unguessable part of the callback URL
    secret = SealedField()
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.ASKED)
    asked_at = models.DateTimeField(null=True)
    lease_until = models.DateTimeField(null=True)
    notified_at = models.DateTimeField(null=True)  # when a notification last had an effect

    def __str__(self) -> str:
        return f"{self.feed} ← {self.hub}"
