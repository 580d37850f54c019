"""Log formatters: lines for people, or one JSON object per line. No Django; the fields come from `core.log_context`.

Text that a provider or a reader sent cannot start a new line, move the cursor or change the writing direction: such
characters are escaped. Secrets are removed (`core.redaction`).
"""

import json
import logging
import os
import re
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from core.log_context import current_fields
from core.redaction import redact, remember

# Control characters, line separators, characters that reverse or hide text, lone surrogates, invisible tags.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
# Environment variables that hold secrets, and those that hold a URL with a secret inside.
SECRETS = (
    *("SECRET_KEY", "CREDENTIALS_KEYS", "EMAIL_HOST_PASSWORD", "OIDC_CLIENT_SECRET", "METRICS_TOKEN"),
    *("PGPASSWORD", "REMOTE_USER_SECRET"),
)
ADDRESSES = ("DATABASE_URL", "REDIS_URL", "SENTRY_DSN", "SEARCH_URL")
_FORMATS = {"": "line", "line": "line", "json": "json"}  # values of LOG_FORMAT


def formatter() -> logging.Formatter:
    """Return the formatter that LOG_FORMAT names; lines for people if the name is unknown."""
    remember(secrets_of(dict(os.environ)))
    return JsonLines() if _FORMATS.get(os.environ.get("LOG_FORMAT", "")) == "json" else PlainLines()


def is_log_format(name: str) -> bool:
    """Whether this is a valid value of LOG_FORMAT."""
    return name in _FORMATS


def secrets_of(environment: dict[str, str]) -> list[str]:
    """The secrets in the configuration, which no log line may contain. Entries may be empty."""
    values = [part.strip() for name in SECRETS for part in environment.get(name, "").split(",")]
    for name in ADDRESSES:
        try:
            parts = urlsplit(environment.get(name, ""))
        except ValueError:
            continue
        values += [parts.password or "", parts.username or "" if name == "SENTRY_DSN" else ""]
    return values


class PlainLines(logging.Formatter):
    """Lines of the form: time LEVEL logger message [field=value ...].

    Each line of a traceback is indented with "  | ", so that none can pass for a log line of its own.
    """

    def format(self, record: logging.LogRecord) -> str:
        fields = " ".join(f"{name}={value}" for name, value in _fields(record).items())
        text = f"{_time(record)} {record.levelname} {record.name} {_message(record)}{f' [{fields}]' if fields else ''}"
        error = _error(record)
        lines = [redact(text), *(f"  | {line}" for line in redact(error).splitlines())] if error else [redact(text)]
        return "\n".join(_UNSAFE.sub(_shown, line) for line in lines)


class JsonLines(logging.Formatter):
    """One JSON object per line: time, level, logger, message, the fields (request, harvest, ...), error."""

    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": _time(record),
            "level": record.levelname,
            "logger": record.name,
            "message": redact(_message(record)),
            **{name: redact(value) if isinstance(value, str) else value for name, value in _fields(record).items()},
        }
        error = _error(record)
        if error:
            entry["error"] = redact(error)
        # Characters that JSON permits but a terminal acts upon are escaped; a JSON parser reads the same text.
        return _UNSAFE.sub(_escaped, json.dumps(entry, ensure_ascii=False, default=str))


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _message(record: logging.LogRecord) -> str:
    """The message. Arguments that do not fit the format must not raise in the caller; granian passes a dictionary."""
    try:
        return record.getMessage()
    except (TypeError, ValueError, KeyError):
        return f"{record.msg!r} {record.args!r}"


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    """The fields of the context, and those that the call passed as `extra={"about": {...}}`."""
    return {**current_fields(), **getattr(record, "about", {})}


def _error(record: logging.LogRecord) -> str:
    if record.exc_info:
        return logging.Formatter().formatException(record.exc_info)
    return record.stack_info or ""


def _shown(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode()


def _escaped(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[index]:02x}{units[index + 1]:02x}" for index in range(0, len(units), 2))
