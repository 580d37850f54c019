"""Log lines: for people, or one JSON object each. No Django; what they are about stands in `core.log_context`.

A line is a line: whatever a provider or a reader sent cannot begin another one, move the cursor, or turn the direction
of writing. Nothing that is a secret leaves through here (`core.redaction`).
"""

import json
import logging
import os
import re
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from core.log_context import facts
from core.redaction import redact, remember

# Control characters, what separates lines, what turns or hides text, halves of characters, tags nobody sees.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
# Variables whose values are secrets, and those with an address that has one inside.
SECRETS = (
    *("SECRET_KEY", "CREDENTIALS_KEYS", "EMAIL_HOST_PASSWORD", "OIDC_CLIENT_SECRET", "METRICS_TOKEN"),
    "PGPASSWORD",
)
ADDRESSES = ("DATABASE_URL", "REDIS_URL", "SENTRY_DSN", "SEARCH_URL")
_SHAPES = {"": "line", "line": "line", "json": "json"}  # values of LOG_FORMAT


def formatter() -> logging.Formatter:
    """The one that LOG_FORMAT names; lines for people where it names none that there is."""
    remember(secrets_of(dict(os.environ)))
    return JsonLines() if _SHAPES.get(os.environ.get("LOG_FORMAT", "")) == "json" else PlainLines()


def is_known(name: str) -> bool:
    """Whether LOG_FORMAT may be that."""
    return name in _SHAPES


def secrets_of(environment: dict[str, str]) -> list[str]:
    """What must not be told of the configuration."""
    values = [part.strip() for name in SECRETS for part in environment.get(name, "").split(",")]
    for name in ADDRESSES:
        try:
            parts = urlsplit(environment.get(name, ""))
        except ValueError:
            continue
        values += [parts.password or "", parts.username or "" if name == "SENTRY_DSN" else ""]
    return values


class PlainLines(logging.Formatter):
    """time LEVEL logger message [what it is about]; what follows an error is set in, so that it can pretend nothing."""

    def format(self, record: logging.LogRecord) -> str:
        told = " ".join(f"{name}={value}" for name, value in _about(record).items())
        words = f"{_moment(record)} {record.levelname} {record.name} {_message(record)}{f' [{told}]' if told else ''}"
        more = _error(record)
        lines = [redact(words), *(f"  | {line}" for line in redact(more).splitlines())] if more else [redact(words)]
        return "\n".join(_UNSAFE.sub(_shown, line) for line in lines)


class JsonLines(logging.Formatter):
    """One object: time, level, logger, message, then request, harvest, repository and what else is known, error."""

    def format(self, record: logging.LogRecord) -> str:
        told = {
            "time": _moment(record),
            "level": record.levelname,
            "logger": record.name,
            "message": redact(_message(record)),
            **{name: redact(value) if isinstance(value, str) else value for name, value in _about(record).items()},
        }
        more = _error(record)
        if more:
            told["error"] = redact(more)
        # What JSON leaves as it is and a terminal does not: as an escape, which is the same to who reads JSON.
        return _UNSAFE.sub(_escaped, json.dumps(told, ensure_ascii=False, default=str))


def _moment(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _message(record: logging.LogRecord) -> str:
    """The words; a call with arguments that do not fit must not break who logs. granian gives a dictionary."""
    try:
        return record.getMessage()
    except (TypeError, ValueError, KeyError):
        return f"{record.msg!r} {record.args!r}"


def _about(record: logging.LogRecord) -> dict[str, Any]:
    """What is being worked on, and the `about` that the line brings along."""
    return {**facts(), **getattr(record, "about", {})}


def _error(record: logging.LogRecord) -> str:
    if record.exc_info:
        return logging.Formatter().formatException(record.exc_info)
    return record.stack_info or ""


def _shown(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[place]:02x}{units[place + 1]:02x}" for place in range(0, len(units), 2))
