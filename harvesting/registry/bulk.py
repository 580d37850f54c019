"""Many providers at once: what a file of them would change, row by row, and changing it. No HTTP, no file format.

A row is one feed with its repository (a repository without feeds has a row of its own). A repository is known by its
number, a feed by its place; what a file does not name stays as it is. Logins and files of this server are never in it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import time
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.utils.translation import gettext as _

from harvesting.audit.trail import note
from harvesting.models import Feed, Repository
from harvesting.registry.registration import RegistrationError, check_feed, check_number, register, start_anew

REPOSITORY = (
    *("name", "name_yomi", "name_en", "kind", "state", "state_reason", "contact_email", "home_page"),
    *("link_template", "link_encoding", "licence", "profile", "trust"),
)
KEY = ("base_url", "metadata_prefix", "set_spec")  # of a feed
FEED = (
    *("protocol", "full_url", "method", "encoding", "columns", "schedule", "cron", "quiet_from", "quiet_until"),
    *("full_every_days", "silent_after_days"),
)
COLUMNS = ("number", *REPOSITORY, *KEY, *FEED)
MOST_ROWS = 5000
NEW, CHANGED, SAME, ERROR = "new", "changed", "same", "error"

type Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Difference:
    """A value that would be another one."""

    field: str
    before: str
    after: str


@dataclass(slots=True)
class Change:
    """What one row would do. line: its place in the file, from 1. outcome: NEW, CHANGED, SAME or ERROR."""

    line: int
    repository: Repository
    feed: Feed | None
    differences: list[Difference] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    starts_anew: bool = False

    @property
    def outcome(self) -> str:
        if self.errors:
            return ERROR
        if self.repository.pk is None or (self.feed is not None and self.feed.pk is None):
            return NEW
        return CHANGED if self.differences else SAME


def rows_of(repositories: models.QuerySet[Repository]) -> Iterator[dict[str, object]]:
    """The providers as rows; reading them back changes nothing."""
    for repository in repositories.prefetch_related("feeds").order_by("number"):
        feeds = sorted(
            (each for each in repository.feeds.all() if not each.is_on_this_server), key=lambda each: each.pk
        )
        about = {"number": repository.number} | {name: _written(repository, name) for name in REPOSITORY}
        shown: list[Feed | None] = [each for each in feeds if not each.is_on_this_server]
        for feed in shown or [None]:
            yield about | {name: _written(feed, name) if feed else "" for name in (*KEY, *FEED)}


def plan(rows: Sequence[Row]) -> list[Change]:
    """What these rows would change, each for itself; nothing is written. Two queries."""
    numbers = {row.get("number", "").strip() for row in rows}
    stored = Repository.objects.filter(number__in=numbers).prefetch_related("feeds")
    known = {each.number: each for each in stored}
    made: dict[str, Repository] = {}
    return [_change(line, row, known, made) for line, row in enumerate(rows[:MOST_ROWS], 1)]


@transaction.atomic
def carry_out(changes: Sequence[Change], person: Any) -> int:
    """Do what was planned, all of it or nothing; returns how many rows changed something. Raises RegistrationError."""
    done = 0
    for change in changes:
        if change.outcome == ERROR:
            raise RegistrationError("; ".join(change.errors))
        if change.outcome == SAME:
            continue
        _store(change, person)
        done += 1
    return done


def _store(change: Change, person: Any) -> None:
    repository, feed = change.repository, change.feed
    if repository.pk is None:
        register(repository, [])
        note(person, "provider.registered", repository)
    else:
        repository.save(update_fields=REPOSITORY)
        told = {each.field: f"{each.before} → {each.after}" for each in change.differences}
        note(person, "provider.imported", repository, details=told)
    if feed is None:
        return
    feed.repository = repository
    if change.starts_anew:
        start_anew(feed)
    feed.save()


def _change(line: int, row: Row, known: dict[str, Repository], made: dict[str, Repository]) -> Change:
    number = row.get("number", "").strip()
    # Without a number, rows of one name are feeds of one new repository.
    name = number or f"name {row.get('name', '').strip()}"
    repository = known.get(number) or made.get(name) or Repository(number=number)
    if repository.pk is None:
        made[name] = repository
    change = Change(line, repository, None)
    _fill(change, repository, row, REPOSITORY)
    _check(change, repository, exclude=[] if number else ["number"])
    if number and repository.pk is None and name not in change.errors:
        _check_number(change, number)
    if row.get("base_url", "").strip():
        change.feed = _feed(change, row)
    return change


def _feed(change: Change, row: Row) -> Feed:
    key = {name: row.get(name, "").strip() for name in KEY}
    repository = change.repository
    stored = repository.feeds.all() if repository.pk else ()
    feed = next((each for each in stored if all(getattr(each, name) == key[name] for name in KEY)), None)
    feed = feed or Feed(**key)
    place = (feed.protocol, feed.full_url)
    _fill(change, feed, row, FEED)
    change.starts_anew = bool(feed.pk) and place != (feed.protocol, feed.full_url)
    _check(change, feed, exclude=["repository", *([] if feed.metadata_prefix else ["metadata_prefix"])])
    if feed.is_on_this_server:
        change.errors.append(_("base_url: Give an address that begins with http:// or https://."))
        return feed
    try:
        check_feed(feed)
    except ValidationError as error:
        change.errors += _texts(error)
    return feed


def _fill(change: Change, row: models.Model, given: Row, names: Sequence[str]) -> None:
    """Put what is given into the row, and note what differs. An empty cell is the usual value."""
    for name in names:
        if name not in given:
            continue
        column = row._meta.get_field(name)
        before = _written(row, name)
        try:
            setattr(row, name, _value(column, given[name]))
        except (ValidationError, ValueError) as error:
            texts = _texts(error) if isinstance(error, ValidationError) else [str(error)]
            change.errors += [f"{name}: {text}" for text in texts]
            continue
        after = _written(row, name)
        if before != after and row.pk is not None:
            change.differences.append(Difference(name, str(before), str(after)))


def _value(column: Any, text: str) -> Any:
    """A cell as the column holds it. Raises ValidationError or ValueError."""
    if isinstance(column, models.JSONField):
        found = json.loads(text) if text.strip() else {}
        if not isinstance(found, dict) or not all(isinstance(each, str) for pair in found.items() for each in pair):
            raise ValueError(_("Write headings and fields as a JSON object of texts."))
        return found
    if text == "":
        return None if column.null else column.get_default()
    return column.to_python(text)


def _written(row: models.Model, name: str) -> object:
    """A value as a cell: texts and whole numbers."""
    value = getattr(row, name)
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, sort_keys=True) if value else ""
    if isinstance(value, time):
        return value.isoformat()
    return "" if value is None else value if isinstance(value, int) else str(value)


def _check(change: Change, row: models.Model, exclude: list[str]) -> None:
    try:
        row.clean_fields(exclude=exclude)
        row.clean()
    except ValidationError as error:
        change.errors += [each for each in _texts(error) if each not in change.errors]


def _check_number(change: Change, number: str) -> None:
    try:
        check_number(number)
    except RegistrationError as error:
        change.errors.append(str(error))


def _texts(error: ValidationError) -> list[str]:
    if hasattr(error, "error_dict"):
        return [f"{name}: {' '.join(texts)}" for name, texts in error.message_dict.items()]
    return list(error.messages)
