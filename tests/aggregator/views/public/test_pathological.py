"""Searches that only programs and attackers send: every one gets an answer or a clear refusal, never a failure."""

from urllib.parse import quote

import pytest

TEXTS = [
    " ".join(["の"] * 100),
    " OR ".join(["日本"] * 60),
    " OR ".join(f"語{number}" for number in range(40)),
    "あ" * 200,
    "あ" * 201,
    "a" * 100_000,
    "a " * 100,
    "*",
    "*" * 200,
    "?*?*?*",
    "本*",
    "*本",
    '"',
    '"' * 200,
    '"' + "の " * 90 + '"',
    "(" * 200,
    ")" * 200,
    "(" * 100 + "本" + ")" * 100,
    "((((((((((a OR b) OR c) OR d) OR e) OR f) OR g) OR h) OR i) OR j)",
    "-" * 200,
    "-本",
    "NOT",
    "NOT NOT NOT NOT 本",
    "AND",
    "AND OR NOT",
    "OR OR OR",
    "title:" * 30,
    "title:title:title:本",
    "year:9999-0001",
    "year:0-99999999999",
    "1900..2000..2100",
    "ndc:" + "9" * 150,
    "isbn:" + "9" * 150,
    "978" + "0" * 190,
    "/.*.*.*.*.*=.*/",
    "(a+)+$",
    "{!lucene}*:*",
    "[* TO *]",
    "本~9999",
    "本^99999999",
    "'; DROP TABLE aggregator_manifestation; --",
    "<script>alert(1)</script>",
    "${jndi:ldap://127.0.0.1/a}",
    "%00",
    "\x00",
    "\x1b[2J",
    "\ud800",
    "\u202e\u2066本\u2069",
    "e" + "\u0301" * 190,
    "ﷺ" * 60,
    "👨‍👩‍👧‍👦" * 25,
    "\U000e0100" * 100,
    "ｶﾞ" * 100,
    "゙" * 100,
    "ー" * 200,
    "　" * 200,
    "\n\r\t\v\f",
]
QUERIES = [
    "page=0",
    "page=-1",
    "page=99999999999999999999",
    "page=501",
    "page=1e3",
    "q=a&q=b&q=c",
    "from=2000&until=1000",
    "from=-1",
    "from=２０００",
    "sort=random",
    "&".join(f"repository=R{number:09d}" for number in range(300)),
    "&".join(f"type=T{number}" for number in range(300)),
    "&".join(f"-ndc={number}" for number in range(300)),
    "&".join(f"x{number}=1" for number in range(900)),
    "&".join(f"x{number}=1" for number in range(2000)),
    "isbn=" + "9" * 5000,
    "q=%ff%fe%fd",
    "q[]=a",
    "=",
    "&&&&&",
    "%",
]
EXPECTED_STATUSES = {200, 302, 303, 400}


@pytest.mark.parametrize("path", ["/search", "/api/search", "/suggest", "/feeds/search.atom"])
def test_every_text_is_answered_or_refused(client, book, path):
    assert len(TEXTS) >= 50
    client.get("/search?q=x")
    texts = {text: quote(text.encode("utf-8", "surrogatepass")) for text in TEXTS}
    answers = {text[:40]: client.get(f"{path}?q={quoted}").status_code for text, quoted in texts.items()}
    assert not {text: status for text, status in answers.items() if status not in EXPECTED_STATUSES}


@pytest.mark.parametrize("path", ["/search", "/api/search", "/search/advanced", "/search/continue"])
def test_every_query_string_is_answered_or_refused(client, book, path):
    answers = {query[:40]: client.get(f"{path}?{query}").status_code for query in QUERIES}
    assert not {query: status for query, status in answers.items() if status not in EXPECTED_STATUSES}


def test_a_refusal_has_its_reason_in_the_readers_language(client, book):
    answer = client.get("/search?q=" + "a" * 5000, headers={"Accept-Language": "en"})
    assert answer.status_code == 400
    assert "At most 200 characters" in answer.text
