"""Every code that can end a run has its own sentence, in both languages."""

import re
from pathlib import Path

import pytest
from django.utils import translation

from harvesting.messages import MESSAGES, describe, message_for

ROOT = Path(__file__).resolve().parents[2]
CODE = re.compile(r'"((?:net|oai|xml|run)\.[a-zA-Z_]+)"')


def codes_in_the_code() -> set[str]:
    modules = [*ROOT.glob("harvesting/*.py"), *ROOT.glob("harvesting/transports/*.py")]
    found = {code for path in modules for code in CODE.findall(path.read_text(encoding="utf-8"))}
    return {code for code in found if not re.match(r"(oai|xml)\.[A-Z][0-9]", code)}  # those are issues of records


@pytest.mark.parametrize("code", sorted(codes_in_the_code() - {"oai.noRecordsMatch"}))
def test_a_code_has_a_sentence_of_its_own_family(code):
    assert message_for(code) is not MESSAGES["run.internal"] or code == "run.internal"


@pytest.mark.parametrize("code", sorted(MESSAGES))
def test_a_sentence_can_be_written_without_any_fact(code):
    assert describe(code, {})


@pytest.mark.parametrize("code", sorted(MESSAGES))
def test_a_sentence_has_its_japanese(code):
    with translation.override("ja"):
        assert re.search("[ぁ-ん]", str(message_for(code).what))
        assert re.search("[ぁ-ん]", str(message_for(code).remedy))


def test_an_unlisted_status_falls_back_to_its_family():
    assert "418" in describe("http.418", {"url": "http://a.example", "status": 418})


def test_no_code_is_no_sentence():
    assert describe("", {}) == ""
