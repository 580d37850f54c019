"""Bulk import and export of providers as rows: shows what the rows would change, then changes it. No HTTP, no file
format.

A row is a feed with its repository (a repository without feeds has one row). Repositories are identified by their
number, feeds by KEY; what the rows do not mention stays as it is. Rows never contain logins or paths on this server.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import time
from operator import attrgetter
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.utils.translation import gettext as _

from harvesting.audit.trail import note
from harvesting.live.options import read_options, stored_form
from harvesting.models import Feed, Repository
from harvesting.registry.registration import RegistrationError, check_feed, check_number, register, reset_harvest_state

REPOSITORY = (
    *("name", "name_yomi", "name_en", "kind", "state", "state_reason", "contact_email", "home_page"),
    *("link_template", "link_encoding", "licence", "profile", "trust"),
)
KEY = ("base_url", "metadata_prefix", "set_spec")  # identifies a feed of a repository
FEED = (
    *("protocol", "full_url", "method", "encoding", "columns", "schedule", "cron", "quiet_from", "quiet_until"),
    *("full_every_days", "silent_after_days", "live_options"),
)
COLUMNS = ("number", *REPOSITORY, *KEY, *FEED)
MOST_ROWS = 5000
NEW, CHANGED, SAME, ERROR = "new", "changed", "same", "error"

type Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Difference:
    """A field whose value a row would change."""

    field: str
    before: str
    after: str


@dataclass(slots=True)
class Change:
    """What one row would change. line: its number in the file, from 1.

    starts_anew: the records of the feed would come from another source, so everything must be harvested again.
    """

    line: int
    repository: Repository
    feed: Feed | None
    differences: list[Difference] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    starts_anew: bool = False

    @property
    def outcome(self) -> str:
        """NEW, CHANGED, SAME or ERROR."""
        if self.errors:
            return ERROR
        if self.repository.pk is None or (self.feed is not None and self.feed.pk is None):
            return NEW
        return CHANGED if self.differences else SAME


def rows_of(repositories: models.QuerySet[Repository]) -> Iterator[dict[str, object]]:
    """The providers as rows. Importing these rows changes nothing."""
    for repository in repositories.prefetch_related("feeds").order_by("number"):
        feeds = [feed for feed in repository.feeds.all() if not feed.is_on_this_server]
        repository_cells = {"number": repository.number} | {name: _cell(repository, name) for name in REPOSITORY}
        exported: Sequence[Feed | None] = sorted(feeds, key=attrgetter("pk")) or [None]
        for feed in exported:
            yield repository_cells | {name: _cell(feed, name) if feed else "" for name in (*KEY, *FEED)}


def plan(rows: Sequence[Row]) -> list[Change]:
    """What every row would change, at most MOST_ROWS of them; nothing is written. Two queries."""
    numbers = {row.get("number", "").strip() for row in rows}
    repositories = Repository.objects.filter(number__in=numbers).prefetch_related("feeds")
    stored = {repository.number: repository for repository in repositories}
    new: dict[str, Repository] = {}
    return [_change(line, row, stored, new) for line, row in enumerate(rows[:MOST_ROWS], 1)]


@transaction.atomic
def carry_out(changes: Sequence[Change], person: Any) -> int:
    """Carry out all planned changes or none; return how many rows changed something. Raises RegistrationError."""
    carried_out = 0
    for change in changes:
        if change.outcome == ERROR:
            raise RegistrationError("; ".join(change.errors))
        if change.outcome == SAME:
            continue
        _store(change, person)
        carried_out += 1
    return carried_out


def _store(change: Change, person: Any) -> None:
    repository, feed = change.repository, change.feed
    if repository.pk is None:
        register(repository, [])
        note(person, "provider.registered", repository)
    else:
        repository.save(update_fields=REPOSITORY)
        details = {difference.field: f"{difference.before} → {difference.after}" for difference in change.differences}
        note(person, "provider.imported", repository, details=details)
    if feed is None:
        return
    feed.repository = repository
    if change.starts_anew:
        reset_harvest_state(feed)
    feed.save()


def _change(line: int, row: Row, stored: dict[str, Repository], new: dict[str, Repository]) -> Change:
    """What a row would change. stored: repositories by number; new: those of earlier rows, by number or name."""
    number = row.get("number", "").strip()
    # Rows without a number but with the same name are feeds of the same new repository.
    key = number or f"name {row.get('name', '').strip()}"
    repository = stored.get(number) or new.get(key) or Repository(number=number)
    if repository.pk is None:
        new[key] = repository
    change = Change(line, repository, None)
    _fill(change, repository, row, REPOSITORY)
    _check(change, repository, exclude=["number"])
    if number and repository.pk is None:
        _check_number(change, number)  # says more than the validator of the field
    if row.get("base_url", "").strip():
        change.feed = _feed(change, row)
    return change


def _feed(change: Change, row: Row) -> Feed:
    """The stored or new feed of a row, with the values of the row filled in."""
    key = {name: row.get(name, "").strip() for name in KEY}
    repository = change.repository
    stored = repository.feeds.all() if repository.pk else ()
    feed = next((candidate for candidate in stored if all(getattr(candidate, name) == key[name] for name in KEY)), None)
    feed = feed or Feed(**key)
    source = (feed.protocol, feed.full_url)
    _fill(change, feed, row, FEED)
    change.starts_anew = bool(feed.pk) and source != (feed.protocol, feed.full_url)
    _check(change, feed, exclude=["repository", *([] if feed.metadata_prefix else ["metadata_prefix"])])
    if feed.is_on_this_server:
        change.errors.append(_("base_url: Enter an address that begins with http:// or https://."))
        return feed
    try:
        check_feed(feed)
    except ValidationError as error:
        change.errors += _texts(error)
    return feed


def _fill(change: Change, instance: models.Model, row: Row, names: Sequence[str]) -> None:
    """Set the fields that the row contains, and note the differences. An empty cell means the default value."""
    for name in names:
        if name not in row:
            continue
        column = instance._meta.get_field(name)
        before = _cell(instance, name)
        try:
            setattr(instance, name, _value(column, row[name]))
        except (ValidationError, ValueError) as error:
            texts = _texts(error) if isinstance(error, ValidationError) else [str(error)]
            change.errors += [f"{name}: {text}" for text in texts]
            continue
        after = _cell(instance, name)
        if before != after and instance.pk is not None:
            change.differences.append(Difference(name, str(before), str(after)))


def _value(column: Any, text: str) -> Any:
    """The text of a cell converted for its column. Raises ValidationError or ValueError."""
    if isinstance(column, models.JSONField):
        value = json.loads(text) if text.strip() else {}
        if column.name == "live_options":
            return stored_form(read_options(value))
        if not isinstance(value, dict) or not all(isinstance(part, str) for pair in value.items() for part in pair):
            raise ValueError(_("Write headings and fields as a JSON object that contains only strings."))
        return value
    if text == "":
        return None if column.null else column.get_default()
    return column.to_python(text)


def _cell(instance: models.Model, name: str) -> object:
    """The value of a field as a cell: a text or an integer."""
    value = getattr(instance, name)
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, sort_keys=True) if value else ""
    if isinstance(value, time):
        return value.isoformat()
    return "" if value is None else value if isinstance(value, int) else str(value)


def _check(change: Change, instance: models.Model, exclude: list[str]) -> None:
    try:
        instance.clean_fields(exclude=exclude)
        instance.clean()
    except ValidationError as error:
        change.errors += [text for text in _texts(error) if text not in change.errors]


def _check_number(change: Change, number: str) -> None:
    try:
        check_number(number)
    except RegistrationError as error:
        change.errors.append(str(error))


def _texts(error: ValidationError) -> list[str]:
    if hasattr(error, "error_dict"):
        return [f"{name}: {' '.join(texts)}" for name, texts in error.message_dict.items()]
    return list(error.messages)
