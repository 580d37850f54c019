"""Every code that can end a run has its own sentence, in both languages."""

import re

import pytest
from django.utils import translation
from django.utils.translation import gettext

from harvesting.messages import describe, message_for, messages
from tests.paths import ROOT

CODE = re.compile(r'"((?:net|oai|xml|run)\.[a-zA-Z_]+)"')


def codes_in_the_code() -> set[str]:
    modules = [path for path in ROOT.glob("harvesting/**/*.py") if "migrations" not in path.parts]
    found = {code for path in modules for code in CODE.findall(path.read_text(encoding="utf-8"))}
    assert found
    return {code for code in found if not re.match(r"(oai|xml)\.[A-Z][0-9]", code)}  # those are issues of records


@pytest.mark.parametrize("code", sorted(codes_in_the_code() - {"oai.noRecordsMatch"}))
def test_a_code_has_a_sentence_of_its_own_family(code):
    assert message_for(code) is not messages()["run.internal"] or code == "run.internal"


@pytest.mark.parametrize("code", sorted(messages()))
def test_a_sentence_can_be_written_without_any_fact(code):
    assert describe(code, {})


@pytest.mark.parametrize("code", sorted(messages()))
def test_a_sentence_has_its_japanese(code):
    with translation.override("ja"):
        assert re.search("[ぁ-ん]", gettext(message_for(code).what))
        assert re.search("[ぁ-ん]", gettext(message_for(code).remedy))


def test_an_unlisted_status_falls_back_to_its_family():
    assert "418" in describe("http.418", {"url": "http://a.example", "status": 418})


def test_an_empty_code_has_no_sentence():
    assert describe("", {}) == ""


@pytest.mark.parametrize("language", ["ja", "en"])
def test_no_sentence_names_a_shell_command_or_an_error_number(language):
    refused = {"url": "http://a.example", "reason": "[Errno 111] Connection refused", "prefix": "dcndl"}
    with translation.override(language):
        for code in messages():
            told = describe(code, refused)
            assert "manage.py" not in told
            assert "[Errno" not in told


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("[Errno 111] Connection refused", "connection refused"),
        ("No such file or directory", "there is no such file"),
        ("[Errno 9999] Something new", "system error 9999"),
        ("gateway is on holiday", "gateway is on holiday"),
    ],
)
@translation.override("en")
def test_errors_of_the_system_are_put_into_words(reason, said):
    assert f"({said})" in describe("net.connect", {"url": "http://a.example", "reason": reason})


@pytest.mark.parametrize(
    ("code", "facts", "ja", "en"),
    [
        ("rs.list_missing", {"reason": "http.404"}, "（HTTP 404）", "(HTTP 404)"),
        ("rs.list_missing", {"reason": "net.tls"}, "（接続に失敗しました）", "(the connection failed)"),
        (
            "oai.windows",
            {"why": "oai.list_short"},
            "（一覧が予告された件数より少ない）",
            "(the list was shorter than announced)",
        ),
        ("oai.windows", {"why": "oai.badArgument"}, "（badArgument）", "(badArgument)"),
        ("oai.junk", {"place": "before", "text": "?"}, "（前）", "(before it)"),
        ("file.cut", {"place": "line 5", "file": "a.csv"}, "5行目", "at line 5."),
    ],
)
def test_codes_and_places_are_put_into_words(code, facts, ja, en):
    with translation.override("ja"):
        assert ja in describe(code, {"url": "http://a.example", **facts})
    with translation.override("en"):
        assert en in describe(code, {"url": "http://a.example", **facts})


@translation.override("en")
def test_kinds_of_files_are_put_into_words():
    assert "Content found: an image." in describe("file.not_readable", {"file": "a.csv", "found": "picture"})
