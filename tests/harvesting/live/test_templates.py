"""Address templates: what may be one, and how a question fills it."""

import pytest

from harvesting.live.options import Options
from harvesting.live.templates import Filler, check
from harvesting.live.types import AllOf, AnyOf, Not, Refused, Word, Years

BASE = "https://catalog.example.jp/search"


@pytest.mark.parametrize(
    ("template", "code"),
    [
        (f"{BASE}?q={{searchTerms}}&n={{count?}}&x={{agg:library?}}", ""),
        (f"{BASE}?q={{words}}", ""),
        (f"{BASE}?t={{dcterms:title?}}", ""),
        (f"{BASE}?q={{words}}&k={{apiKey}}", "template.place"),
        (f"{BASE}?q={{time:start}}", "template.place"),
        (f"{BASE}?q={{words", "template.braces"),
        (f"{BASE}?q=a", "template.no_words"),
        ("https://{words}.example.jp/?q={words}", "template.host"),
        ("https://user@example.jp/?q={words}", "template.address"),
        ("javascript:alert({words})", "template.address"),
        (f"{BASE}?q={{words}} x", "template.character"),
    ],
)
def test_templates_are_checked(template, code):
    assert check(template) == code


def filled(template, question, start=1, limit=50, **options):
    filler = Filler(template, Options(**options))
    filler.take(question)
    return filler.url(start, limit), filler.refused


def test_words_are_encoded_and_empty_parameters_left_out():
    template = (
        f"{BASE}?q={{searchTerms}}&title={{title?}}&first={{startIndex?}}&p={{startPage?}}&n={{count?}}&l={{language?}}"
    )
    url, refused = filled(template, AllOf((Word("any", "a&b=c/é"), Word("any", "図書"))), start=51)
    assert url == f"{BASE}?q=a%26b%3Dc%2F%C3%A9%20%E5%9B%B3%E6%9B%B8&first=51&p=2&n=50&l=%2A"
    assert refused == []


def test_offsets_of_the_description_count():
    url, _refused = filled(
        f"{BASE}?q={{words}}&s={{start}}&p={{page}}", Word("any", "a"), index_offset=0, page_offset=0
    )
    assert url == f"{BASE}?q=a&s=0&p=0"


def test_an_old_catalogue_gets_its_own_encoding():
    template = f"{BASE}?q={{words}}"
    assert filled(template, Word("any", "本"), encoding="euc-jp") == (f"{BASE}?q=%CB%DC", [])
    assert filled(template, Word("any", "한"), encoding="shift_jis") == ("", [Refused("characters", "any")])


@pytest.mark.parametrize(
    ("question", "query", "refused"),
    [
        (Word("title", "a"), "q=a", [Refused("anywhere", "title")]),
        (Word("ndc", "9"), "", [Refused("field", "ndc")]),
        (AllOf((Word("any", "a"), Years(1990, 2000))), "q=a", [Refused("range", "year")]),
        (AllOf((Word("any", "a"), Not(Word("any", "b")))), "q=a", [Refused("not")]),
        (AnyOf((Word("any", "a"), Word("any", "b"))), "", [Refused("or")]),
        (Word("any", "a b", phrase=True), "q=a%20b", [Refused("phrase", "any")]),
    ],
)
def test_what_a_template_has_no_place_for_is_refused(question, query, refused):
    assert filled(f"{BASE}?q={{words}}", question) == (f"{BASE}?{query}" if query else "", refused)


def test_years_fill_their_places():
    question = AllOf((Word("any", "a"), Years(1990, None)))
    assert filled(f"{BASE}?q={{words}}&f={{first_year?}}&l={{last_year?}}", question) == (f"{BASE}?q=a&f=1990", [])
