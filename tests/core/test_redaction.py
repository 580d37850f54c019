"""Secrets are removed from texts in whatever form they occur; other text stays readable."""

import pytest

from core.redaction import redact, remember

CANARY = "kanaria-Secret/42+x"


@pytest.mark.parametrize(
    "text",
    [
        f"could not connect to postgres://library:{CANARY.replace('/', '%2F')}@db.example.jp:5432/books",
        f"redis://:{CANARY.replace('/', '%2F')}@10.0.0.5/0 is away",
        f"Authorization: Basic {CANARY}",
        f"{{'Authorization': 'Bearer {CANARY}'}}",
        f"Cookie: sessionid={CANARY}; csrftoken={CANARY}",
        f"GET /oai?verb=Identify&api_key={CANARY}&x=1",
        f'{{"password": "{CANARY}"}}',
        f"client_secret={CANARY}",
        f"X-API-Key: {CANARY}",
        f"sent with bearer {CANARY}",
    ],
)
def test_what_looks_like_a_secret_is_hidden(text):
    assert CANARY not in redact(text)
    assert "kanaria" not in redact(text)


def test_a_remembered_secret_is_hidden_everywhere():
    remember(["ひみつ no password", "plain-canary-4711"])
    text = redact("the server said: plain-canary-4711, and %E3%81%B2%E3%81%BF%E3%81%A4%20no%20password")
    assert "4711" not in text
    assert "%E3%81%B2" not in text


def test_short_values_are_not_hidden():
    remember(["ja"])
    assert redact("ja.example.jp") == "ja.example.jp"


@pytest.mark.parametrize(
    "text",
    [
        "https://oai.example.jp/oai?verb=ListRecords&resumptionToken=abc%3A100",
        "harvest 12 of R900000001 failed: http.503",
        "広辞苑 第七版 / 新村出編",
        "contact admin@library.example.jp",
    ],
)
def test_text_without_secrets_is_unchanged(text):
    assert redact(text) == text
