"""Takes what a provider pushes: limits, a first look at the body, and its row. Handles no HTTP; starts no run.

All refusals are TransportErrors, "push.…" or those of unreadable files, so that they are worded like everything else.
"""

import errno
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, BinaryIO, Protocol, cast

from django.db import IntegrityError, transaction
from django.db.models import Count, Sum
from django.utils import timezone

from core import temporary_files
from core.checkpoints import checkpoint
from harvesting.http.archives import MIB
from harvesting.models import Feed, Push, Repository
from harvesting.models.states import HARVESTED
from harvesting.registry import uploads
from harvesting.transports.registry import for_pushes
from harvesting.types import TransportError

MAX_BYTES = uploads.MAX_UPLOAD
MAX_REMOVAL_BYTES = 8 * MIB  # of a list of identifiers
MAX_RECORD_BYTES = 8 * MIB  # of one record
LONGEST_IDENTIFIER = 1000  # characters
LONGEST_KEY = 200
CHUNK = 64 * 1024
DAY = timedelta(hours=24)
MOST_WAITING = 200  # pushes of a feed
DAY_BYTES = 4 * MAX_BYTES  # of a feed in a day
DAY_PUSHES = 5000  # of a feed in a day
WAIT = 60  # seconds after which a client may try again when too much waits
# Places at which tests kill the process
BEFORE_FILE, AFTER_FILE, AFTER_ROW = "pushes.before_file", "pushes.after_file", "pushes.after_row"
MOST_BYTES = {Push.Content.REMOVAL: MAX_REMOVAL_BYTES, Push.Content.RECORD: MAX_RECORD_BYTES}


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """What came with a body. name: of the file; key: see `Push.key`; sender: see `Push.sender`."""

    content: Push.Content
    identifier: str = ""
    name: str = ""
    key: str = ""
    sender: str = ""


@dataclass(frozen=True, slots=True)
class Body:
    """A body on the disk of this machine. It is deleted at the end of `spooled` unless it was stored."""

    path: Path
    size: int
    digest: bytes


def push_feed(repository: Repository) -> Feed:
    """The provider's feed for pushed records. Raises TransportError "push.no_feed"."""
    feed = repository.feeds.filter(protocol=for_pushes().name).select_related("repository").order_by("pk").first()
    if feed is None:
        raise TransportError("no feed", "push.no_feed", permanent=True)
    return feed


def check_state(repository: Repository) -> None:
    """Raise TransportError "push.state" unless records of the provider are taken at present."""
    if not repository.approved or repository.state not in HARVESTED:
        raise TransportError("not harvested", "push.state", permanent=True)


def check_quota(feed: Feed, key: str = "") -> None:
    """Raise TransportError "push.too_many" if too much waits, or the feed has received too much in a day.

    A request with a known key is only answered once more (see `earlier_push`).
    """
    if key and feed.pushes.filter(key=key).exists():
        return
    if feed.pushes.filter(state=Push.State.WAITING)[:MOST_WAITING].count() >= MOST_WAITING:
        raise _too_many(WAIT)
    recent = feed.pushes.filter(received_at__gt=timezone.now() - DAY)
    sums = recent.aggregate(size=Sum("size"), number=Count("pk"))
    if (sums["size"] or 0) >= DAY_BYTES or sums["number"] >= DAY_PUSHES:
        oldest = recent.order_by("pk").values_list("received_at", flat=True)[0]
        raise _too_many(max(WAIT, round((oldest + DAY - timezone.now()).total_seconds())))


def _too_many(seconds: int) -> TransportError:
    return TransportError("too much", "push.too_many", permanent=False, retry_after=seconds, seconds=seconds)


@contextmanager
def spooled(stream: Readable, announced: int | None, most: int) -> Iterator[Body]:
    """Write a body to the disk, piece by piece. announced: its length as the sender says, None = unknown.

    Raises TransportError "push.empty", "push.too_large", "push.short" or "push.no_space".
    """
    if announced is not None and announced > most:
        raise _too_large(most)
    digest, size = hashlib.sha256(), 0
    file = NamedTemporaryFile(dir=temporary_files.folder(), delete=False)  # noqa: SIM115  closed below
    path = Path(file.name)
    try:
        with file:
            while chunk := stream.read(CHUNK):
                size += len(chunk)
                if size > most:
                    raise _too_large(most)
                digest.update(chunk)
                file.write(chunk)
        if announced is not None and size < announced:
            facts = {"received": size, "announced": announced}
            raise TransportError("cut off", "push.short", permanent=False, **facts)
        if not size:
            raise TransportError("empty", "push.empty", permanent=True)
        yield Body(path, size, digest.digest())
    except OSError as error:
        if error.errno not in {errno.ENOSPC, errno.EDQUOT}:
            raise
        raise TransportError("disk full", "push.no_space", permanent=False) from error
    finally:
        path.unlink(missing_ok=True)


def _too_large(most: int) -> TransportError:
    return TransportError("too large", "push.too_large", permanent=True, most=most // MIB)


def earlier_push(feed: Feed, key: str, body: Body, sent: Sent) -> Push | None:
    """The push that the same request made before, None if there is none.

    Raises TransportError "push.key_reused" if the key came with another request.
    """
    earlier = feed.pushes.filter(key=key).first() if key else None
    if earlier is None:
        return None
    same = (bytes(earlier.digest), earlier.content, earlier.identifier) == (body.digest, sent.content, sent.identifier)
    if not same:
        raise TransportError("another request", "push.key_reused", permanent=True)
    return earlier


def receive(feed: Feed, body: Body, sent: Sent) -> tuple[Push, bool]:
    """Store what was pushed, in the order of arrival. Return its row, and whether it is new.

    Raises TransportError if the body cannot be what it should be, or as `earlier_push`.
    """
    if earlier := earlier_push(feed, sent.key, body, sent):
        return earlier, False
    check_body(body, sent)
    checkpoint(BEFORE_FILE)
    file = uploads.store_file(body.path, sent.name)
    checkpoint(AFTER_FILE)
    try:
        with transaction.atomic():
            push = Push.objects.create(
                feed=feed,
                content=sent.content,
                identifier=sent.identifier,
                name=uploads.stored_name(sent.name) if sent.name else "",
                file=file,
                size=body.size,
                digest=body.digest,
                sender=sent.sender,
                key=sent.key,
            )
    except IntegrityError:  # the same request arrived twice at the same moment
        uploads.discard(file)
        if earlier := earlier_push(feed, sent.key, body, sent):
            return earlier, False
        raise
    except BaseException:
        uploads.discard(file)
        raise
    checkpoint(AFTER_ROW)
    return push, True


def receive_removal(feed: Feed, sent: Sent) -> tuple[Push, bool]:
    """Like `receive`, for the deletion of the one record that `sent` names."""
    line = f"{sent.identifier}\n".encode()
    with spooled(BytesIO(line), len(line), len(line)) as body:
        return receive(feed, body, sent)


def check_body(body: Body, sent: Sent) -> None:
    """Look at the beginning of a body: what cannot contain records is refused before it is stored."""
    with body.path.open("rb") as file:
        if sent.content == Push.Content.REMOVAL:
            _check_list(file)
        else:
            uploads.check(cast("BinaryIO", file), sent.name or "body")


def _check_list(file: IO[bytes]) -> None:
    """A list of identifiers is short enough to be read at once (MAX_REMOVAL_BYTES)."""
    try:
        text = file.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TransportError("no text", "push.list", permanent=True) from error
    lines = text.splitlines()
    is_markup = text.lstrip()[:1] in {"<", "{", "["}
    if is_markup or not all(line.isprintable() and len(line) <= LONGEST_IDENTIFIER for line in lines):
        raise TransportError("no list", "push.list", permanent=True)
    if not text.strip():
        raise TransportError("empty", "push.empty", permanent=True)


def check_identifier(identifier: str) -> None:
    """Raise TransportError "push.identifier" for what cannot be the identifier of a record."""
    if not identifier.strip() or len(identifier) > LONGEST_IDENTIFIER or not identifier.isprintable():
        raise TransportError("no identifier", "push.identifier", permanent=True, most=LONGEST_IDENTIFIER)


def check_key(key: str) -> None:
    """Raise TransportError "push.key" for a key that cannot be stored."""
    if len(key) > LONGEST_KEY or not (key.isascii() and key.isprintable()):
        raise TransportError("no key", "push.key", permanent=True, most=LONGEST_KEY)
