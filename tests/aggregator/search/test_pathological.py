"""Queries designed to cause trouble: each is answered, or refused with a reason; none is run as engine syntax."""

import pytest

from aggregator.search.base import MAX_CHARACTERS, Document, Query, QueryError, SearchIndex
from tests.aggregator.search.conftest import ENGINES

COMMON = "の日本人学史論文書国大会社東京都市新年月研究"
QUERIES = [
    "の" * 200,
    " ".join("の" * 64),
    " OR ".join("の日本人学"),
    "|".join(COMMON),
    "|".join(COMMON * 4),
    "|".join("の" * 100),
    " OR ".join(f"a{number}" for number in range(28)),
    "-の",
    " ".join(f"-{char}" for char in COMMON),
    "NOT " * 40 + "の",
    "-(の|日|本) -(人|学|史)",
    "NOT (NOT (NOT (の)))",
    '"' + "の" * 190 + '"',
    '"' + "日本" * 95 + '"',
    '"' + "a " * 90 + '"',
    '"の" ' * 40,
    "の本 " * 50,
    "日本 " * 60,
    "(" * 200,
    ")" * 200,
    "()" * 100,
    "(" * 10 + "の" + ")" * 10,
    "(の|" * 9 + "日" + ")" * 9,
    "((の 日)|(本 人)|(学 史)|(論 文))" * 5,
    "title:" * 33,
    "title:の creator:の publisher:の subject:の",
    "title:(" + "|".join(COMMON) + ")",
    "ndc:" + "9" * 190,
    "ndc:.*",
    "ndc:[0-9]+|(a+)+$",
    "year:0-9999",
    "year:1-9999 の",
    "|".join(f"year:{year}" for year in range(1980, 1996)),
    "1000..2000 OR 2000..3000",
    "isbn:" + "9" * 190,
    " ".join(["978-4-00-310101-8"] * 11),
    "1" * 200,
    "1 " * 100,
    "第一巻 " * 40,
    "第1巻|" * 40,
    "ディジタルフォーティシエ " * 12,
    "ァ" * 200,
    "ー" * 200,
    "・" * 200,
    "a" * 200,
    "a-" * 100,
    "a/" * 100,
    "の、" * 100,
    "*" * 200,
    "_" * 200,
    "\\" * 200,
    '~!@#$%^&*()_+{}|:"<>?' * 9,
    "𠮷" * 100,
    "e\u0301" * 100,
    "\u3099" * 200,
    "\ufdfa" * 200,
    "ﾊﾞ" * 100,
    "か\u3099" * 100,
    "\u202e\u200b" * 100,
    "가각갂" * 66,
    "ก็" * 100,
    "x" * 201,
    "の" * 10_000,
]


@pytest.fixture(scope="module", params=ENGINES)
def filled(tmp_path_factory, request) -> SearchIndex:
    index = ENGINES[request.param](tmp_path_factory.mktemp("filled"))
    index.update(
        Document(
            id=number,
            titles=(f"日本の{COMMON[number % 20]}{COMMON[number % 7]}の本 {number}",),
            year=1900 + number % 120,
        )
        for number in range(1, 600)
    )
    return index


def test_there_are_at_least_fifty_queries() -> None:
    assert len(QUERIES) >= 50


@pytest.mark.parametrize("field", ["q", "title"])
@pytest.mark.parametrize("typed", QUERIES)
def test_a_query_is_answered_or_refused_with_a_reason(filled: SearchIndex, typed: str, field: str) -> None:
    try:
        assert filled.search(Query(**{field: typed})).total >= 0
    except QueryError as refusal:
        assert refusal.facts
        assert len(typed) > MAX_CHARACTERS or refusal.code != "too_long"


@pytest.mark.parametrize("typed", ["の" * 200, "|".join("の" * 20), "-の", '"' + "日本" * 95 + '"', "a " * 64])
def test_a_query_that_is_only_long_is_answered(filled: SearchIndex, typed: str) -> None:
    filled.search(Query(q=typed))
