"""What staff read about a failed question: what, where, and what to do, in both languages."""

import re

import pytest
from django.utils.translation import override

from aggregator.availability import daia, declared, json_values
from aggregator.availability.failures import explain
from tests.paths import ROOT

URL = "https://opac.example.jp/daia?id=1"
CODES = {
    code
    for module in (daia, declared, json_values)
    for code in re.findall(
        r'"(availability\.\w+)"', (ROOT / f"{module.__name__.replace('.', '/')}.py").read_text("utf-8")
    )
}


@pytest.mark.parametrize("code", sorted(CODES))
@pytest.mark.parametrize("language", ["ja", "en"])
def test_every_code_of_a_reader_is_explained_with_its_address(code, language):
    with override(language):
        text = explain(code, {"url": URL, "detail": "boo"})
    assert URL in text
    assert text.endswith("。" if language == "ja" else ".")
    assert "%(" not in text


@pytest.mark.parametrize(
    ("code", "facts", "words"),
    [
        ("", {}, ""),
        ("http.500", {}, "asked again later"),
        ("http.403", {}, "Check the address template"),
        ("http.bot_wall", {"wall": "x", "us": "y"}, "Check the address template"),
        ("net.timeout", {"reason": "deadline"}, "asked again later"),
        ("net.refused_address", {"reason": "address", "address": "10.0.0.1"}, "HARVEST_ALLOWED_NETWORKS"),
    ],
)
def test_failures_on_the_way_say_what_to_do(code, facts, words):
    with override("en"):
        text = explain(code, {"url": URL, **facts})
    assert words in text
    assert "harvest resumes" not in text
