"""Watches the folders into which providers put files, for example by SFTP: PUSH_FOLDER/NUMBER of the provider.

No name from outside leads out of a folder: everything is opened relative to it, and symbolic links are not followed. A
file stays where it is until its run has ended, then it is moved to done/ or failed/ with its report beside it. So a
dispatcher that is killed at any time takes no file twice: the row of its push has the version of the file as its key.
"""

import hashlib
import json
import logging
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from django.conf import settings

from harvesting.messages import describe
from harvesting.models import Feed, Push
from harvesting.models.states import HARVESTED
from harvesting.pushes import receiving, reports
from harvesting.pushes.receiving import Body, Sent
from harvesting.transports.registry import for_pushes
from harvesting.types import TransportError

logger = logging.getLogger(__name__)
STABLE = 30  # seconds without a change after which a file counts as completely transferred
UNFINISHED = (".part", ".partial", ".filepart", ".tmp", ".crdownload")  # ends of the names of files in transfer
REMOVALS = ".deletions.txt"  # end of the names of lists of identifiers
DONE, FAILED = "done", "failed"
MOST_ENTRIES = 10_000  # of a folder that are looked at
MOST_TAKEN = 20  # files of a folder that are read in one round
LONGEST_NAME = 200  # bytes; a file with a longer name gets the number of its push as its name
GOOD = frozenset({"succeeded", "partly"})
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_said: set[str] = set()  # what the log of this process says already


class FolderState(StrEnum):
    """Whether files in the folder of a provider are taken."""

    OFF = "off"  # the operator has named no folder
    LOST = "lost"  # the folder that the operator has named cannot be read
    NONE = "none"  # there is no folder for this provider
    WATCHED = "watched"


@dataclass(frozen=True, slots=True)
class Found:
    """A completely transferred file in the folder of a provider."""

    name: str
    state: os.stat_result

    @property
    def key(self) -> str:
        """The version of the file: another one is another push."""
        name = hashlib.sha256(os.fsencode(self.name)).hexdigest()[:32]
        return f"folder:{name}:{self.state.st_ino}:{self.state.st_mtime_ns}:{self.state.st_size}"


def collect() -> int:
    """Take the new files of all providers, and move those whose runs have ended; return how many were taken."""
    if not settings.PUSH_FOLDER:
        return 0
    feeds = Feed.objects.filter(
        protocol=for_pushes().name, repository__state__in=HARVESTED, repository__approved=True
    ).select_related("repository")
    taken = 0
    try:
        with _opened_folder(settings.PUSH_FOLDER, follow=True) as base:
            _said.discard(settings.PUSH_FOLDER)
            for feed in feeds:
                taken += _look_into(base, feed)
    except OSError as error:
        _say(settings.PUSH_FOLDER, "PUSH_FOLDER cannot be read; nothing is taken and nothing is deleted: %s", error)
    return taken


def state_of(number: str) -> FolderState:
    """Whether files in the folder of this provider are taken."""
    if not settings.PUSH_FOLDER:
        return FolderState.OFF
    try:
        with _opened_folder(settings.PUSH_FOLDER, follow=True) as base:
            try:
                with _opened_folder(number, base):
                    return FolderState.WATCHED
            except OSError:
                return FolderState.NONE
    except OSError:
        return FolderState.LOST


def _look_into(base: int, feed: Feed) -> int:
    """Take the new files of one provider. A folder that cannot be read keeps no other provider waiting."""
    number = feed.repository.number
    try:
        with _opened_folder(number, base) as folder:
            taken = 0
            for found in _complete_files(folder):
                taken += _handle(folder, feed, found)
                if taken >= MOST_TAKEN:
                    break
    except FileNotFoundError:
        return 0
    except OSError as error:
        _say(number, "the folder %s of pushed files cannot be used: %s", number, error)
        return 0
    _said.discard(number)
    return taken


@contextmanager
def _opened_folder(name: str, base: int | None = None, *, follow: bool = False) -> Iterator[int]:
    handle = os.open(name, _DIRECTORY & ~os.O_NOFOLLOW if follow else _DIRECTORY, dir_fd=base)
    try:
        yield handle
    finally:
        os.close(handle)


def _complete_files(folder: int) -> list[Found]:
    """The regular files that have not changed for STABLE seconds, the oldest first.

    The time of the last change of the file's status counts: senders cannot set it, as they can that of its content.
    """
    now = time.time()
    with os.scandir(folder) as entries:
        names = [entry.name for entry in islice(entries, MOST_ENTRIES) if _is_wanted(entry.name)]
    found = []
    for name in names:
        with suppress(FileNotFoundError):
            state = os.stat(name, dir_fd=folder, follow_symlinks=False)
            # A second link could lead to a file that its owner must not read.
            if stat.S_ISREG(state.st_mode) and state.st_nlink == 1 and abs(now - state.st_ctime) >= STABLE:
                found.append(Found(name, state))
    return sorted(found, key=lambda file: (file.state.st_mtime_ns, file.name))


def _is_wanted(name: str) -> bool:
    return not name.startswith(".") and not name.lower().endswith(UNFINISHED)


def _handle(folder: int, feed: Feed, found: Found) -> bool:
    """Take a file, or move it if its run has ended. Return whether it was taken."""
    push = feed.pushes.filter(key=found.key).select_related("feed__repository", "harvest").first()
    if push is not None:
        if push.state == Push.State.ENDED:
            report = reports.report_of(push)
            _put_away(folder, found, DONE if report["state"] in GOOD else FAILED, str(push.pk), report)
        return False
    try:
        receiving.check_quota(feed)
        return _take(folder, feed, found)
    except TransportError as error:
        if error.permanent:
            refused = {"state": "refused", "code": error.code, "message": _message(error)}
            _put_away(folder, found, FAILED, f"refused-{int(time.time())}", refused)
        return False


def _take(folder: int, feed: Feed, found: Found) -> bool:
    """Store a copy of a file. False if it changed meanwhile: then it is looked at again later."""
    handle = os.open(found.name, _FILE, dir_fd=folder)
    with os.fdopen(handle, "rb") as file:
        is_list = found.name.lower().endswith(REMOVALS)
        content = Push.Content.REMOVAL if is_list else content_of(feed)
        most = receiving.MOST_BYTES.get(content, receiving.MAX_BYTES)
        with receiving.spooled(file, None, most) as body:
            if not _is_same(os.fstat(file.fileno()), found.state):
                return False
            return _store(feed, body, Sent(content=content, name=found.name, key=found.key))


def _store(feed: Feed, body: Body, sent: Sent) -> bool:
    return receiving.receive(feed, body, sent)[1]


def content_of(feed: Feed) -> Push.Content:
    """What a file that is pushed to a feed contains, as its provider has declared."""
    return Push.Content.WHOLE if feed.push_whole else Push.Content.CHANGES


def _put_away(folder: int, found: Found, target: str, prefix: str, report: reports.Report) -> None:
    """Move a file that is done with to a folder beside it, with its report."""
    with suppress(FileExistsError):
        os.mkdir(target, 0o770, dir_fd=folder)
    name = f"{prefix}-{found.name}" if len(os.fsencode(found.name)) <= LONGEST_NAME else prefix
    with _opened_folder(target, folder) as archive:
        _write_report(archive, f"{name}.report.json", report)
        os.rename(found.name, name, src_dir_fd=folder, dst_dir_fd=archive)
        if not _is_same(os.stat(name, dir_fd=archive, follow_symlinks=False), found.state):
            os.rename(name, found.name, src_dir_fd=archive, dst_dir_fd=folder)  # a new version came that moment


def _write_report(archive: int, name: str, report: reports.Report) -> None:
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=archive)
    handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o640, dir_fd=archive)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(report, file, ensure_ascii=False, indent=2)


def _is_same(state: os.stat_result, before: os.stat_result) -> bool:
    return (state.st_ino, state.st_mtime_ns, state.st_size) == (before.st_ino, before.st_mtime_ns, before.st_size)


def _message(error: TransportError) -> dict[str, str]:
    return reports.in_languages(lambda: describe(error.code, error.facts))


def _say(subject: str, text: str, *values: object) -> None:
    """Write a line to the log, once until it is well again."""
    if subject not in _said:
        _said.add(subject)
        logger.error(text, *values)
