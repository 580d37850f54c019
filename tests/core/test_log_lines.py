"""Log lines cannot be forged, carry the fields of their context, and contain no secret."""

import json
import logging
import os
import subprocess
import sys

import pytest

from core.log_context import log_fields
from core.log_lines import JsonLines, PlainLines, secrets_of
from harvesting.http.authorization import Credentials
from harvesting.registry.credentials import open_credentials, seal_credentials
from tests.paths import ROOT

HOSTILE = [
    "a title\n2026-11-22T00:00:00.000Z ERROR django.security forged",
    "a\r\nb",
    "\x1b[2J\x1b[31mred\x07",
    "\u202egnihsihp",  # reversed
    "\u2066\u200b\u2028\u0085\x9b31m",
    "half \ud800 a character",
    "tags \U000e0041",
    "\x00",
]
UNSAFE = {
    "\n",
    "\r",
    "\x1b",
    "\x07",
    "\u202e",
    "\u2066",
    "\u200b",
    "\u2028",
    "\x85",
    "\x9b",
    "\ud800",
    "\U000e0041",
    "\x00",
}


def line(formatter: logging.Formatter, message: str, *arguments: object, error: Exception | None = None) -> str:
    info = (type(error), error, error.__traceback__) if error else None
    return formatter.format(
        logging.LogRecord("harvesting.http.fetch", logging.WARNING, "", 1, message, arguments, info)
    )


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("formatter", [PlainLines(), JsonLines()])
def test_foreign_text_cannot_start_a_line_or_move_the_cursor(formatter, text):
    assert not UNSAFE & set(line(formatter, "said %s", text))


@pytest.mark.parametrize("text", HOSTILE)
def test_json_preserves_the_text(text):
    assert json.loads(line(JsonLines(), "said %s", text))["message"] == f"said {text}"


def test_a_line_carries_the_fields_of_its_context():
    with log_fields(request="abc"), log_fields(harvest=7, repository="R900000001"):
        entry = json.loads(line(JsonLines(), "page %d", 3))
        plain = line(PlainLines(), "page %d", 3)
    assert entry.items() >= {"level": "WARNING", "logger": "harvesting.http.fetch", "message": "page 3"}.items()
    assert entry.items() >= {"request": "abc", "harvest": 7, "repository": "R900000001"}.items()
    assert plain.endswith("WARNING harvesting.http.fetch page 3 [request=abc harvest=7 repository=R900000001]")
    assert "harvest" not in json.loads(line(JsonLines(), "afterwards"))


def raised(text: str) -> Exception:
    try:
        raise ValueError(text)
    except ValueError as error:
        return error


def test_an_error_message_cannot_forge_a_line():
    error = raised("bad page\n2026-11-22T00:00:00.000Z ERROR root forged")
    first, *more = line(PlainLines(), "broke", error=error).split("\n")
    assert first.endswith("broke")
    assert all(text.startswith("  | ") for text in more)
    assert "\n" not in line(JsonLines(), "broke", error=error)


@pytest.mark.parametrize("formatter", [PlainLines(), JsonLines()])
def test_credentials_that_were_decrypted_are_in_no_line(db, formatter):
    secrets = [f"canary-{number}-päss/wörd+" for number in range(20)]
    for secret in secrets:
        opened = open_credentials(seal_credentials(Credentials(kind="basic", username="library", secret=secret)))
        error = raised(f"{opened.headers()} sent to https://library:{secret}@a.example.jp/")
        text = line(formatter, "said %s %r", f"echo {secret}", opened.headers(), error=error)
        assert secret not in text
        assert opened.headers()["Authorization"].split()[1] not in text
        assert "canary" not in text


def test_secrets_of_the_configuration_are_known():
    environment = {
        "SECRET_KEY": "one-secret",
        "CREDENTIALS_KEYS": "two, three",
        "DATABASE_URL": "postgres://library:four@db/books",
        "REDIS_URL": "redis://:five@queue/0",
        "SENTRY_DSN": "https://six@sentry.example.jp/1",
    }
    assert {"one-secret", "two", "three", "four", "five", "six"} <= set(secrets_of(environment))


@pytest.mark.parametrize("arguments", [("%d", "no number"), ("%s %s", "one"), ("%(name)s", {"other": 1})])
def test_a_call_with_the_wrong_arguments_is_still_logged(arguments):
    assert "WARNING" in line(PlainLines(), *arguments)


def test_log_format_applies_to_all_loggers(tmp_path):
    code = (
        "import django, logging; django.setup();"
        "logging.getLogger('django.request').error('no such\\npage %s', 'token=canary-99887766')"
    )
    changed = {"LOG_FORMAT": "json", "DJANGO_SETTINGS_MODULE": "aggregator.settings", "AGGREGATOR_DATA": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env={**os.environ, **changed}, capture_output=True, text=True
    )
    (entry,) = [json.loads(line) for line in done.stderr.splitlines()]
    assert entry["logger"] == "django.request"
    assert "\n" in entry["message"]
    assert "canary" not in entry["message"]
