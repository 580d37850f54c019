"""The table of the interface for pushing records, for its OpenAPI description: methods, bodies, reports, refusals.

No HTTP, no database access. The limits are those that the views apply.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import msgspec
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from aggregator.provision.api import problems
from aggregator.provision.api.parameters import NUMBER, Json, Parameter
from aggregator.provision.api.shapes import Shape
from harvesting.http.archives import MIB
from harvesting.pushes import receiving

PER_HOUR = 1200  # requests with one token
LONGEST_WAIT = 20  # seconds that a sender may wait for the report
_LIMITS = {
    "file": receiving.MAX_BYTES // MIB,
    "record": receiving.MAX_RECORD_BYTES // MIB,
    "removal": receiving.MAX_REMOVAL_BYTES // MIB,
    "day": receiving.DAY_BYTES // MIB,
    "pushes": receiving.DAY_PUSHES,
    "waiting": receiving.MOST_WAITING,
    "requests": PER_HOUR,
    "wait": LONGEST_WAIT,
}


class PushIssue(Shape, frozen=True):
    """An issue of a pushed record. rule: its code. place: the field. message, remedy: sentences by language."""

    rule: str
    severity: str
    identifier: str
    record: str
    place: str
    value: str
    message: dict[str, str]
    remedy: dict[str, str]


class PushReport(Shape, frozen=True):
    """The report about a push. over: whether it is final. message: what happened and what to do, by language.

    size: bytes. accepted, rejected, counts: numbers of records. harvest and what follows it are absent as long as the
    push waits; issues (at most 100) are there when it is over.
    """

    push: int
    provider: str
    content: str
    identifier: str
    file: str
    size: int
    sha256: str
    received_at: datetime
    over: bool
    state: str
    message: dict[str, str]
    counts: dict[str, int]
    url: str
    harvest: int | msgspec.UnsetType = msgspec.UNSET
    accepted: int | msgspec.UnsetType = msgspec.UNSET
    rejected: int | msgspec.UnsetType = msgspec.UNSET
    issue_counts: dict[str, int] | msgspec.UnsetType = msgspec.UNSET
    issues: tuple[PushIssue, ...] | msgspec.UnsetType = msgspec.UNSET


class PushOverview(Shape, frozen=True):
    """What a provider may push. upload: what a file contains, “changes” or “whole”. pushes: the last ones."""

    provider: str
    upload: str
    limits: dict[str, int]
    pushes: tuple[PushReport, ...]


ANSWERS = (PushReport, PushOverview)
_END = re.compile(r"[:;。]|\.(?:\s|\Z)")  # of the first part of a description: its summary
_ALWAYS = ("push.token", "push.no_feed", "push.too_many")
_SENT = (*_ALWAYS, "push.state", "push.key", "push.key_reused")
_BODY = (*_SENT, "push.length", "push.too_large", "push.form", "push.coding", "push.empty", "push.short")
_FILE = (*_BODY, "push.no_space", "file.not_readable", "archive.damaged")
_IDENTIFIER = Parameter(
    "identifier",
    _("Identifier of the record at the provider, percent-encoded."),
    {"type": "string", "minLength": 1, "maxLength": receiving.LONGEST_IDENTIFIER},
    in_path=True,
)
_PUSH = Parameter("push", _("Number of the push."), {"type": "integer", "minimum": 1}, in_path=True)
_KEY = Parameter(
    "Idempotency-Key",
    _("The same key with the same body gives the same answer, with another body 422. Remembered for 14 days."),
    {"type": "string", "maxLength": receiving.LONGEST_KEY},
)
_PREFER = Parameter(
    "Prefer",
    _("wait=10: the answer comes when the report is ready, after %(wait)s seconds at most."),
    example="wait=10",
)
_LATER = _("The push waits or is being read. Request its report after the time in Retry-After.")


@dataclass(frozen=True, slots=True)
class Sending:
    """A method of an address. codes: of its refusals. media_type: of the body, "" = none. named: the parameters of
    its path after the provider's number. sends: whether it is a push, so that it takes a key and gives an address.
    """

    method: str
    path: str
    name: str
    about: str | Promise
    answer: type
    codes: tuple[str, ...]
    media_type: str = ""
    named: tuple[Parameter, ...] = ()
    sends: bool = True

    @property
    def described(self) -> str:
        """`about` with the limits, in the active language."""
        return str(self.about) % _LIMITS

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters of the path, then the headers."""
        headers = (_KEY, _PREFER) if self.sends else (_PREFER,) if self.answer is PushReport else ()
        return (NUMBER, *self.named, *headers)


SENDINGS = (
    Sending(
        "get",
        "/api/push/{number}",
        "push_overview",
        _(
            "What an upload contains, the limits, and the last pushes. Limits: %(requests)s requests an hour with a "
            "token; %(pushes)s pushes and %(day)s MB a day, and %(waiting)s waiting pushes of a provider."
        ),
        PushOverview,
        _ALWAYS,
        sends=False,
    ),
    Sending(
        "post",
        "/api/push/{number}",
        "push_file",
        _("Pushes a file: XML, MARC, JSON Lines, CSV or TSV, or a ZIP or gzip of these; at most %(file)s MB."),
        PushReport,
        _FILE,
        "*/*",
    ),
    Sending(
        "get",
        "/api/push/{number}/{push}",
        "push_report",
        _("The report about a push."),
        PushReport,
        (*_ALWAYS, "push.unknown"),
        named=(_PUSH,),
        sends=False,
    ),
    Sending(
        "post",
        "/api/push/{number}/deletions",
        "push_deletions",
        _("Deletes the records with these identifiers: one a line, in UTF-8; at most %(removal)s MB."),
        PushReport,
        (*_BODY, "push.no_space", "push.list"),
        "text/plain",
    ),
    Sending(
        "put",
        "/api/push/{number}/records/{identifier}",
        "push_one_record",
        _("Pushes one record under this identifier; at most %(record)s MB."),
        PushReport,
        (*_FILE, "push.identifier"),
        "*/*",
        (_IDENTIFIER,),
    ),
    Sending(
        "delete",
        "/api/push/{number}/records/{identifier}",
        "push_removal",
        _("Deletes the record with this identifier."),
        PushReport,
        (*_SENT, "push.identifier"),
        named=(_IDENTIFIER,),
    ),
)


def meaning_of(parameter: Parameter) -> str:
    """Return the meaning of a parameter with the limits, in the active language."""
    return str(parameter.meaning) % _LIMITS


def paths(ref: str) -> dict[str, Json]:
    """Return the paths of the OpenAPI document. ref: a pattern of the addresses of schemas, with {name}."""
    found: dict[str, Json] = {}
    for sending in SENDINGS:
        found.setdefault(sending.path, {})[sending.method] = _operation(sending, ref)
    return found


def _operation(sending: Sending, ref: str) -> Json:
    about = sending.described
    operation: Json = {
        "operationId": sending.name,
        "summary": _END.split(about)[0],
        "description": about,
        "parameters": list(_parameters(sending)),
        "responses": dict(_responses(sending, ref, about)),
        "security": [{"pushToken": []}],
    }
    if sending.media_type:
        schema: Json = {"type": "string"} if sending.media_type == "text/plain" else {}
        operation["requestBody"] = {"required": True, "content": {sending.media_type: {"schema": schema}}}
    return operation


def _parameters(sending: Sending) -> Iterator[Json]:
    for parameter in sending.parameters:
        yield {
            "name": parameter.name,
            "in": "path" if parameter.in_path else "header",
            "description": meaning_of(parameter),
            "required": parameter.in_path,
            "schema": parameter.schema,
        }


def _responses(sending: Sending, ref: str, about: str) -> Iterator[tuple[str, Json]]:
    content = {"application/json": {"schema": {"$ref": ref.format(name=sending.answer.__name__)}}}
    location: Json = {"Location": {"schema": {"type": "string"}}} if sending.sends else {}
    wait: Json = {"Retry-After": {"schema": {"type": "integer"}}}
    yield "200", {"description": about, "headers": location, "content": content}
    if sending.answer is PushReport:
        yield "202", {"description": str(_LATER), "headers": {**location, **wait}, "content": content}
    refused: dict[str, list[str]] = {}
    for code in sending.codes:
        refused.setdefault(problems.PUSHES.get(code, "unusable"), []).append(code)
    for kind, codes in refused.items():
        status, title = problems.TITLES[kind]
        problem = {problems.MEDIA_TYPE: {"schema": {"$ref": ref.format(name="Problem")}}}
        yield str(status), {"description": f"{title}: {', '.join(codes)}", "content": problem, "x-codes": codes}
