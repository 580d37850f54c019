"""Registering repositories: numbers that are never used twice, their feeds, and what a feed needs by its protocol."""

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from harvesting.models import REPOSITORY_NUMBER, Feed, IssuedNumber, Repository
from harvesting.scheduling.schedule import cron_fault
from harvesting.validators import validate_certificates, validate_web_address
from metadata.links import split_url

FIRST_ALLOCATED = 900000001  # R9… is ours to give; NDL's own numbers begin with R0 to R1

# What is asked for where nobody says. "" = whatever comes: the records themselves say what they are.
DEFAULT_PREFIX: dict[str, str] = {
    Feed.Protocol.OAI_PMH: "dcndl",
    Feed.Protocol.RSS: "rss",
    Feed.Protocol.RESOURCESYNC: "",
    Feed.Protocol.FILE: "",
}

# The columns that say where a feed's records come from. After a change of one nothing is known any more
# about what has been harvested, so the next run asks for everything.
PLACE = ("protocol", "base_url", "full_url", "metadata_prefix", "set_spec")


class RegistrationError(ValueError):
    """What a person asked for cannot be registered; the text says why and what to do."""


@transaction.atomic
def register(repository: Repository, feeds: list[Feed]) -> Repository:
    """Store a new repository with its feeds; its number is claimed. Raises RegistrationError."""
    repository.number = claim_number(repository.number)
    repository.save(force_insert=True)
    for feed in feeds:
        feed.repository = repository
        feed.save(force_insert=True)
    return repository


def claim_number(number: str) -> str:
    """Take a number for good: the given one, or with "" the next free one. Raises RegistrationError."""
    number = number or allocate_number()
    check_number(number)
    IssuedNumber.objects.create(number=number)
    return number


def allocate_number() -> str:
    """The next free repository number. To be called inside the transaction that uses it."""
    floor = f"R{FIRST_ALLOCATED - 1}"
    last = IssuedNumber.objects.filter(number__gt=floor).order_by("-number").first()
    return f"R{int(last.number[1:]) + 1 if last else FIRST_ALLOCATED}"


def check_number(number: str) -> None:
    """Raises RegistrationError unless this number has the right form and was never given out."""
    if not re.fullmatch(REPOSITORY_NUMBER, number):
        raise RegistrationError(
            _("“%(number)s” is not a repository number. It is R and nine digits, for example R900000001.")
            % {"number": number}
        )
    if IssuedNumber.objects.filter(number=number).exists():
        raise RegistrationError(
            _(
                "The repository number %(number)s has been used already and is never used again. "
                "Give another one, or none to have one allocated."
            )
            % {"number": number}
        )


def check_feed(feed: Feed) -> None:
    """Raises ValidationError by field for what a feed of its protocol must not have or lacks. Asks nobody."""
    faults: dict[str, ValidationError] = {}
    checks: dict[str, tuple[Callable[[], object], object]] = {
        "base_url": (lambda: validate_web_address(feed.base_url), feed.protocol != Feed.Protocol.FILE),
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
            faults[field] = error
    if faults:
        raise ValidationError({field: error.messages for field, error in faults.items()})


def validate_cron(value: str) -> None:
    """Refuse what is no cron expression, or asks too often."""
    fault = cron_fault(value)
    if fault:
        raise ValidationError(fault, code="cron")


def validate_encoding(value: str) -> None:
    """Refuse a name that is no character encoding. Python's own codecs for other things (zip, rot13) are none."""
    try:
        "a".encode(value)
    except (LookupError, ValueError) as error:
        raise ValidationError(
            _("“%(value)s” is not the name of a character encoding. For example Shift_JIS, EUC-JP, UTF-16."),
            code="encoding",
            params={"value": value},
        ) from error


def validate_quiet_hours(feed: Feed) -> None:
    """Both ends or none, and not the same: that would be never, or always."""
    if (feed.quiet_from is None) != (feed.quiet_until is None):
        raise ValidationError(_("Give both times or none."), code="quiet")
    if feed.quiet_from is not None and feed.quiet_from == feed.quiet_until:
        raise ValidationError(_("The two times are the same."), code="quiet")


def readable_file(path: str) -> str:
    """The absolute path of a regular file that can be read. Raises RegistrationError. For the operator only."""
    if path.lower().startswith("file://"):
        path = unquote(path[len("file://") :].removeprefix("localhost"))
    found = Path(path).expanduser().absolute()
    try:
        if not found.is_file():
            raise RegistrationError(_("There is no file %(path)s.") % {"path": found})
        with found.open("rb"):
            return str(found)
    except OSError as error:
        raise RegistrationError(_("The file %(path)s cannot be read.") % {"path": found}) from error


def is_web_address(place: str) -> bool:
    """Whether a feed's base URL is asked over the network, and is not a file of this machine."""
    return split_url(place) is not None


def origin(place: str) -> tuple[str, str, int | None]:
    """What a login belongs to: scheme, host and port of an address."""
    parts = urlsplit(place)
    return parts.scheme, parts.hostname or "", parts.port


def place_of(feed: Feed) -> tuple[str, ...]:
    """Where the feed's records come from, to notice when that changes."""
    return tuple(str(getattr(feed, name)) for name in PLACE)


def start_anew(feed: Feed) -> None:
    """Forget what was harvested so far, so that the next run asks for everything. Does not save."""
    feed.watermark, feed.memory, feed.failures, feed.rest_until = None, {}, 0, None
