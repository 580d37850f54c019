"""Distributes two hundred hostile texts over all places where others can enter text.

In every round a place gets four other texts, joined if they fit, so that it has had them all after ROUNDS rounds. They
end with a tag of the place's own, so that a page that uses the text as markup shows where it came from.
"""

import dataclasses
import re
import typing
from collections.abc import Callable
from functools import cache
from types import UnionType
from typing import Any

import msgspec
from django.apps import apps
from django.contrib.auth.models import User
from django.db import models

from metadata.record import BibliographicRecord
from tests.aggregator.views.payloads import PAYLOADS

ROUNDS = len(PAYLOADS) // 4
SHORT = 250  # characters; a shorter column gets a single text, truncated
STRIDE = 7  # so that neighbouring places get different texts
PLACE = "☠"  # marks the places for texts in JSON
UNSTORABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
ADDRESSES = re.compile(
    r"uri|url|see_also|home_page|hub|topic|callback|link_template|address|back|next|schema|namespace"
)

# Text columns with values that others cannot choose freely: generated, from a fixed list, or fully validated.
OURS = {
    "IndexLedger": {"place"},
    "IndexChange": {"place"},
    "Repository": {"number", "profile", "link_encoding"},
    "IssuedNumber": {"number"},
    "Feed": {"method", "encoding", "granularity", "deleted_record", "cron"},
    "Subscription": {"callback", "state"},
    "RuleSwitch": {"code", "outcome"},
    "AuditEntry": {"action", "kind", "number"},
    "Harvest": {"from_date", "until_date", "owner", "code", "facts", "issue_counts", "partial", "memory"},
    "HarvestEvent": {"code", "state"},
    "DateWindow": {"code", "from_date", "until_date"},
    "BrokenPage": {"code"},
    "BulkAction": {"action", "chosen", "runs", "problem"},
    "BulkChange": {"before"},
    "EnrichmentRules": {"rules"},
    "DoiAgreement": {"jalc_prefixes", "crossref_prefixes", "hosts"},
    "DoiDelivery": {"contents"},
    "RequestedDoi": {"codes", "digest", "sent_digest"},
    "DoiEvent": {"digest"},
    "DoctoralThesis": {"codes", "digest", "sent_digest"},
    "ThesisEvent": {"digest"},
    "SourceRecord": {"public_id", "deletion", "metadata_prefix"},
    "RecordVersion": {"metadata_prefix"},
    "RecordIssue": {"code", "severity"},
    "ResolvedIssue": {"code", "severity", "how"},
    "IgnoredIssue": {"code"},
    "IssueCount": {"counts"},
    "IssuePatterns": {"patterns"},
    "HeldDeletion": {"deletion"},
    "SelfTest": {"token", "code", "asker", "options"},
    "NotificationEvent": {"key", "kind"},
    "NotificationMark": {"table"},
    "Recipient": {"language", "stopped_why"},
    "OutgoingMessage": {"key", "kind"},
    "Invitation": {"role", "language", "nonce"},
    "LoginThrottle": {"key"},
    "PasswordRequest": {"key", "language"},
    "HealthStatus": {"colour"},
    "Reread": {"repositories", "counts"},
    "Recheck": {"records"},
    "Push": {"content", "file", "state"},
    "PushToken": {"start"},
    "ApiKey": {"start"},
    "MatchAlarm": {"reason"},
    "MatchRuling": {"verdict", "first", "second", "records", "isbn", "snapshot", "with_copies", "pattern"},
    "Core": {"evidence"},
    "ReviewPair": {"evidence", "pattern"},
    "Provided": {"public_id", "types"},
    "ProvidedType": {"type"},
    "TakenList": {"door", "network", "set_spec"},
    "Resource": {"page", "licences"},
    "ResourceSet": {"name"},
    "ResourceChange": {"kind"},
    "ResourcePackage": {"name"},
    "ResourceClock": {"code"},
    "ListSize": {"list"},
    "HeadingRun": {"letters"},
    "Heading": {"kind", "code", "letter", "main"},
    "HeadingLink": {"code", "value"},
    "HubSubscription": {"asked"},
    "ErrorReport": {"public_id", "other", "sender"},
    "User": {"password"},
    "Draft": {"upload"},
    "Erasure": {"phase"},
    "AvailabilityAdapter": {"failure"},
    "LinkHost": {"failure", "rules"},
    "LiveState": {"failure", "check_failure"},
    "LiveDay": {"errors", "latency"},
    "CheckedLink": {"code"},
    "Loan": {"book", "state"},
    "LoanEvent": {"side", "action", "state", "reason"},
    "LoanLink": {"answer"},
    "LoanMessage": {"key"},
    "SearchAlert": {"address", "language", "nonce"},
}


class Texts:
    """The texts of one round."""

    def __init__(self, number: int) -> None:
        self.round = number
        self.places: list[str] = []

    def __call__(self, place: str, longest: int | None = None) -> str:
        """Return the text for the place. longest: number of characters that fit."""
        if place not in self.places:
            self.places.append(place)
        number = self.places.index(place)
        tag = f"\"'><xq-{number} xq>"
        start = number * STRIDE + self.round * 4
        some = [PAYLOADS[(start + offset) % len(PAYLOADS)] for offset in range(4)]
        if ADDRESSES.search(place.rpartition(".")[2]) and (number + self.round) % 2:
            some.insert(0, "https://evil.example/?isbn={isbn}&")
        text = "".join(some) + tag if longest is None or longest >= SHORT else (some[self.round % 4] + tag)
        text = UNSTORABLE.sub("\ufffd", text)
        return text if longest is None else text[:longest]

    def sources_of(self, fault: str) -> str:
        """Return the places whose tags appear in a fault."""
        return " ".join(self.places[int(number)] for number in re.findall(r"xq-(\d+)", fault))


def poison_tables(texts: Texts) -> None:
    """Put hostile texts into every text column that others can fill, in every row."""
    for model in tables():
        for column in columns(model):
            for row in model._base_manager.only("pk", column.name):
                value = text_for(texts, column, row)
                model._base_manager.filter(pk=row.pk).update(**{column.name: value})


def tables() -> list[type[models.Model]]:
    """Return all tables of the project, and that of the accounts."""
    labels = {"harvesting", "aggregator"}
    return [model for model in apps.get_models() if model._meta.app_label in labels or model is User]


def columns(model: type[models.Model]) -> list[models.Field]:
    """Return the columns to poison: JSON, and texts without fixed choices."""
    ours = OURS.get(model.__name__, set())
    kinds = (models.CharField, models.TextField, models.JSONField)
    return [column for column in model._meta.concrete_fields
            if isinstance(column, kinds) and not column.choices and column.name not in ours]  # fmt: skip


def text_for(texts: Texts, column: models.Field, row: models.Model) -> Any:
    place = f"{type(row).__name__}.{column.name}"
    if isinstance(column, models.JSONField):
        return poisoned(texts, place, getattr(row, column.name))
    text = texts(place, getattr(column, "max_length", None))
    if column.unique or any(
        column.name in constraint.fields for constraint in row._meta.constraints if hasattr(constraint, "fields")
    ):
        text = f"{row.pk!s}{text}"[: getattr(column, "max_length", None)]
    return text


def poisoned(texts: Texts, place: str, value: Any) -> Any:
    """Replace every marker PLACE in a JSON value by a hostile text. place: the name of the place, as in `Texts`."""
    if isinstance(value, dict):
        return {name: poisoned(texts, f"{place}.{name}", part) for name, part in value.items()}
    if isinstance(value, list):
        return [poisoned(texts, place, part) for part in value]
    return texts(place) if value == PLACE else value


def hostile_record(texts: Texts, **kept: Any) -> BibliographicRecord:
    """Return a record with a text in every field except those given."""
    fields = _fields(BibliographicRecord)
    made = {name: _value(texts, f"record.{name}", kind, 0) for name, kind in fields.items()}
    return BibliographicRecord(**{**made, **kept})


DEEP = 3


def hostile(texts: Texts, kind: type, place: str, **kept: Any) -> Any:
    """Return a struct or dataclass with a text in every field except those given."""
    made = {
        name: _value(texts, f"{place}.{name}", field_type, 0)
        for name, field_type in _fields(kind).items()
        if name not in kept
    }
    return kind(**made, **kept)


@cache
def _fields(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _value(texts: Texts, place: str, kind: Any, depth: int) -> Any:
    if kind is str:
        return texts(place)
    if typing.get_origin(kind) in (typing.Union, UnionType):
        return _value(texts, place, typing.get_args(kind)[0], depth)
    if typing.get_origin(kind) is tuple:
        return () if depth >= DEEP else (_value(texts, place, typing.get_args(kind)[0], depth + 1),)
    if typing.get_origin(kind) is dict:
        return {"name": texts(place)}
    if isinstance(kind, type) and (issubclass(kind, msgspec.Struct) or dataclasses.is_dataclass(kind)):
        return kind(
            **{
                name: _value(texts, f"{place}.{name}", field_type, depth + 1)
                for name, field_type in _fields(kind).items()
            }
        )
    return PLAIN[kind]() if kind in PLAIN else None


PLAIN: dict[Any, Callable[[], Any]] = {int: int, bool: bool, float: float, dict: dict}
