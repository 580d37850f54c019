"""Error reports to Sentry or a compatible service. Imported only if SENTRY_DSN is set.

A report contains the traceback without values of variables, the error message without secrets, the URL pattern, and
the ids of request and harvest. It contains nothing about the user, and no search terms.
"""

import os
from typing import Any

import sentry_sdk
from sentry_sdk.integrations.django import DjangoIntegration
from sentry_sdk.integrations.logging import LoggingIntegration
from sentry_sdk.integrations.rq import RqIntegration

from core.log_context import current_fields
from core.redaction import redact

DROPPED = ("request", "user", "extra", "breadcrumbs", "modules", "server_name")


def start(dsn: str, **options: Any) -> None:
    """Start reporting errors of this process and of the processes that it forks. options: for tests."""
    sentry_sdk.init(
        dsn=dsn,
        release=os.environ.get("SENTRY_RELEASE") or None,
        include_local_variables=False,
        include_source_context=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        auto_session_tracking=False,
        default_integrations=False,
        auto_enabling_integrations=False,
        integrations=[DjangoIntegration(), RqIntegration(), LoggingIntegration(level=None)],
        before_send=scrub,  # type: ignore[arg-type]
        **options,
    )


def scrub(event: dict[str, Any], _hint: dict[str, Any]) -> dict[str, Any]:
    """Return the event without personal data and secrets."""
    for name in DROPPED:
        event.pop(name, None)
    contexts = event.get("contexts", {})
    event["contexts"] = {name: contexts[name] for name in ("trace", "runtime") if name in contexts}
    event["tags"] = {name: str(value) for name, value in current_fields().items()}
    cleaned: dict[str, Any] = _redacted(event)
    return cleaned


def _redacted(value: Any) -> Any:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {name: _redacted(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_redacted(entry) for entry in value]
    return value
