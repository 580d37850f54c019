"""Errors to Sentry, or to what speaks like it. Imported only where SENTRY_DSN is set; knows sentry_sdk.

What is sent is where and what: the traceback without the values of variables, the words of the error without secrets,
the pattern of the address, the numbers of request and harvest. Nothing of who asked, and nothing of what for.
"""

import os
from typing import Any

import sentry_sdk
from sentry_sdk.integrations.django import DjangoIntegration
from sentry_sdk.integrations.logging import LoggingIntegration
from sentry_sdk.integrations.rq import RqIntegration

from core.log_context import facts
from core.redaction import redact

DROPPED = ("request", "user", "extra", "breadcrumbs", "modules", "server_name")


def start(dsn: str, **options: Any) -> None:
    """From now on errors of this process, and of those that it forks, are reported. options: for tests."""
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
        before_send=scrubbed,  # type: ignore[arg-type]
        **options,
    )


def scrubbed(event: dict[str, Any], _hint: dict[str, Any]) -> dict[str, Any]:
    """The event without persons and secrets."""
    for name in DROPPED:
        event.pop(name, None)
    contexts = event.get("contexts", {})
    event["contexts"] = {name: contexts[name] for name in ("trace", "runtime") if name in contexts}
    event["tags"] = {name: str(value) for name, value in facts().items()}
    cleaned: dict[str, Any] = _cleaned(event)
    return cleaned


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {name: _cleaned(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(each) for each in value]
    return value
