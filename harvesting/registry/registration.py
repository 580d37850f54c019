"""Registers repositories and their feeds: claims numbers that are never used twice, validates feeds by protocol."""

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from harvesting.live import asking
from harvesting.models import REPOSITORY_NUMBER, Feed, IssuedNumber, Repository
from harvesting.registry.live_texts import option_fault
from harvesting.scheduling.schedule import cron_error
from harvesting.validators import validate_certificates, validate_web_address
from metadata.links import split_url

FIRST_ALLOCATED = 900000001  # numbers from R9 on are free to be allocated here; those of the NDL begin with R0 or R1

# The columns that determine where a feed's records come from. If one changes, it is unknown what has been harvested, so
# the next run must request everything.
SOURCE_FIELDS = ("protocol", "base_url", "full_url", "metadata_prefix", "set_spec")


class RegistrationError(ValueError):
    """Something cannot be registered. The message is for people: it says why, and what to do."""


@transaction.atomic
def register(repository: Repository, feeds: list[Feed]) -> Repository:
    """Store a new repository with its feeds, and claim its number. Raises RegistrationError."""
    repository.number = claim_number(repository.number)
    repository.save(force_insert=True)
    for feed in feeds:
        feed.repository = repository
        feed.save(force_insert=True)
    return repository


def claim_number(number: str) -> str:
    """Claim a number permanently and return it. number: "" = the next free one. Raises RegistrationError."""
    number = number or allocate_number()
    check_number(number)
    IssuedNumber.objects.create(number=number)
    return number


def allocate_number() -> str:
    """The next free repository number. Call it inside the transaction that claims the number."""
    floor = f"R{FIRST_ALLOCATED - 1}"
    last = IssuedNumber.objects.filter(number__gt=floor).order_by("-number").first()
    return f"R{int(last.number[1:]) + 1 if last else FIRST_ALLOCATED}"


def check_number(number: str) -> None:
    """Raise RegistrationError unless the number has the right form and was never issued."""
    if not re.fullmatch(REPOSITORY_NUMBER, number):
        raise RegistrationError(
            _(
                "“%(number)s” is not a repository number. A repository number is R followed by nine "
                "digits, for example R900000001."
            )
            % {"number": number}
        )
    if IssuedNumber.objects.filter(number=number).exists():
        raise RegistrationError(
            _(
                "The repository number %(number)s has already been used and cannot be used again. Enter "
                "another one, or leave it out to have one assigned."
            )
            % {"number": number}
        )


def check_feed(feed: Feed) -> None:
    """Raise ValidationError by field if values of the feed are invalid for its protocol. No network access."""
    errors: dict[str, ValidationError] = {}
    checks: dict[str, tuple[Callable[[], object], object]] = {
        "base_url": (lambda: validate_address(feed), feed.transport_kind.needs_address),
        "live_options": (lambda: validate_live_options(feed), feed.transport_kind.is_live and feed.live_options),
        "cron": (lambda: validate_cron(feed.cron), feed.schedule == Feed.Schedule.CRON or feed.cron),
        "ca_certificate": (lambda: validate_certificates(feed.ca_certificate), feed.ca_certificate),
        "encoding": (lambda: validate_encoding(feed.encoding), feed.encoding),
        "quiet_until": (lambda: validate_quiet_hours(feed), True),
    }
    for field, (check, needed) in checks.items():
        try:
            if needed:
                check()
        except ValidationError as error:
            errors[field] = error
    if errors:
        raise ValidationError({field: error.messages for field, error in errors.items()})


def validate_address(feed: Feed) -> None:
    """Require a web address; of live sources one that their kind can use."""
    validate_web_address(feed.base_url)
    code = asking.check_address(feed.protocol, feed.base_url) if feed.transport_kind.is_live else ""
    if code:
        raise ValidationError(option_fault(code), code=code)


def validate_live_options(feed: Feed) -> None:
    """Require options with which a live source can be asked."""
    code = asking.check(feed.protocol, feed.live_options)
    if code:
        raise ValidationError(option_fault(code), code=code)


def validate_cron(value: str) -> None:
    """Refuse invalid cron expressions and those with too short intervals."""
    error = cron_error(value)
    if error:
        raise ValidationError(error, code="cron")


def validate_encoding(value: str) -> None:
    """Refuse what is not the name of a character encoding, including Python's other codecs (zip, rot13)."""
    try:
        "a".encode(value)
    except (LookupError, ValueError) as error:
        raise ValidationError(
            _("“%(value)s” is not the name of a character encoding. For example Shift_JIS, EUC-JP, UTF-16."),
            code="encoding",
            params={"value": value},
        ) from error


def validate_quiet_hours(feed: Feed) -> None:
    """Require both times or none. They must differ, because equal times could mean never or always."""
    if (feed.quiet_from is None) != (feed.quiet_until is None):
        raise ValidationError(_("Enter both times or neither."), code="quiet")
    if feed.quiet_from is not None and feed.quiet_from == feed.quiet_until:
        raise ValidationError(_("The two times are the same."), code="quiet")


def readable_file(path: str) -> str:
    """The absolute path of a readable regular file, from a path or a file: URL. Raises RegistrationError.

    Only for the operator: the messages would reveal to others which files exist.
    """
    if path.lower().startswith("file://"):
        path = unquote(path[len("file://") :].removeprefix("localhost"))
    file = Path(path).expanduser().absolute()
    try:
        if not file.is_file():
            raise RegistrationError(_("There is no file %(path)s.") % {"path": file})
        with file.open("rb"):
            return str(file)
    except OSError as error:
        raise RegistrationError(_("The file %(path)s cannot be read.") % {"path": file}) from error


def is_web_address(address: str) -> bool:
    """Whether a feed's address is a URL that is fetched over the network, not a file on this server."""
    return split_url(address) is not None


def origin(url: str) -> tuple[str, str, int | None]:
    """Scheme, host and port of a URL. A login is only valid for one origin."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port


def source_key(feed: Feed) -> tuple[str, ...]:
    """The values of SOURCE_FIELDS, to be compared before and after a change."""
    return tuple(str(getattr(feed, name)) for name in SOURCE_FIELDS)


def reset_harvest_state(feed: Feed) -> None:
    """Reset the harvesting state of a feed, so that the next run requests everything. Does not save the feed."""
    feed.watermark, feed.memory, feed.failures, feed.rest_until = None, {}, 0, None


def providers_at(address: str) -> list[Repository]:
    """The providers registered with this address; scheme, case of the host and a final slash do not matter."""
    normalised = _normalised(address)
    if not normalised[0]:
        return []
    feeds = Feed.objects.filter(base_url__icontains=normalised[0]).select_related("repository")
    providers = {feed.repository_id: feed.repository for feed in feeds if _normalised(feed.base_url) == normalised}
    return list(providers.values())


def _normalised(address: str) -> tuple[str, str, str]:
    """Host, path and query of an address, comparable; three empty texts if it is no URL."""
    try:
        parts = urlsplit(address.strip())
        return (parts.hostname or "").lower(), parts.path.rstrip("/"), parts.query
    except ValueError:
        return "", "", ""
