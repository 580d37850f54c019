"""Questions become CQL: quoting and parentheses are correct, and unsupported parts are reported, never dropped."""

import pytest

from aggregator.provision.sru.cql import parse
from harvesting.live.cql import CqlWriter
from harvesting.live.types import AllOf, AnyOf, Not, Refused, Word, Years

INDEXES = {"any": "", "title": "dc.title", "creator": "dc.creator", "year": "dc.date"}


def written(question, relations=None, indexes=INDEXES):
    writer = CqlWriter(indexes, relations or {})
    query = writer.write(question)
    if query:
        parse(query)  # an independent parser accepts it
    return query, writer.refused


@pytest.mark.parametrize(
    ("question", "query"),
    [
        (Word("any", "図書館"), '"図書館"'),
        (Word("title", "こころ"), 'dc.title = "こころ"'),
        (AllOf((Word("any", "a"), Word("title", "b"))), '"a" and dc.title = "b"'),
        (AllOf((Word("any", "a"), AnyOf((Word("any", "b"), Word("any", "c"))))), '"a" and ("b" or "c")'),
        (AllOf((Word("any", "a"), Not(Word("title", "b")))), '"a" not dc.title = "b"'),
        (AllOf((Not(Word("any", "c")), Word("any", "a"), Word("any", "b"))), '("a" and "b") not "c"'),
        (Years(1990, 2000), 'dc.date >= "1990" and dc.date <= "2000"'),
        (Years(None, 2000), 'dc.date <= "2000"'),
        (Years(2000, 2000), 'dc.date = "2000"'),
        (AllOf((Word("any", "a"), Years(1990, None))), '"a" and dc.date >= "1990"'),
        (AllOf((Word("any", "a and b"),)), '"a and b"'),
    ],
)
def test_a_question_is_written(question, query):
    assert written(question) == (query, [])


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ('a"b', '"a\\"b"'),
        ("back\\slash", '"back\\\\slash"'),
        ("mask* and ? and ^", '"mask\\* and \\? and \\^"'),
        ('" or cql.allRecords=1 or "', '"\\" or cql.allRecords=1 or \\""'),
        ("line\nbreak\x00", '"line break"'),
    ],
)
def test_words_of_a_reader_stay_words(text, quoted):
    assert written(Word("any", text)) == (quoted, [])


@pytest.mark.parametrize(
    ("question", "query", "refused"),
    [
        (Word("publisher", "岩波書店"), '"岩波書店"', [Refused("anywhere", "publisher")]),
        (Word("ndc", "913.6"), "", [Refused("field", "ndc")]),
        (AllOf((Word("any", "a"), Word("language", "jpn"))), '"a"', [Refused("field", "language")]),
        (Not(Word("any", "a")), "", [Refused("not")]),
        (AllOf((Not(Word("any", "a")),)), "", [Refused("not")]),
    ],
)
def test_what_an_index_cannot_take_is_refused(question, query, refused):
    assert written(question) == (query, refused)


def test_an_exclusion_that_cannot_be_written_whole_is_left_out():
    question = AllOf((Word("any", "a"), Not(AllOf((Word("title", "b"), Word("ndc", "9"))))))
    assert written(question) == ('"a"', [Refused("field", "ndc")])


def test_without_an_index_for_all_fields_nothing_is_searched_anywhere():
    assert written(Word("creator", "a"), indexes={"title": "t"}) == ("", [Refused("field", "creator")])


@pytest.mark.parametrize(
    ("declared", "query"),
    [
        ([], 'dc.title = "a b"'),
        (["=", "adj"], 'dc.title adj "a b"'),
        (["all", "any"], 'dc.title all "a b"'),
    ],
)
def test_the_best_declared_relation_is_used_for_a_phrase(declared, query):
    found, refused = written(Word("title", "a b", phrase=True), {"title": declared})
    assert (found, refused) == (query, [Refused("phrase", "title")] if "all" in query else [])


@pytest.mark.parametrize(
    ("declared", "query", "refused"),
    [
        (["="], "", [Refused("range", "year")]),
        (["within"], 'dc.date within "1990 2000"', []),
        ([">=", "<="], 'dc.date >= "1990" and dc.date <= "2000"', []),
    ],
)
def test_years_are_written_with_declared_relations_only(declared, query, refused):
    assert written(Years(1990, 2000), {"year": declared}) == (query, refused)
