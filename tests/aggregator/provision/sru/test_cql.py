"""CQL: the grammar, the indexes, and the diagnostics of refused queries."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregator.provision.sru import indexes
from aggregator.provision.sru.cql import Clause, Joined, parse
from aggregator.provision.sru.diagnostics import MESSAGES, Diagnostic
from aggregator.provision.sru.indexes import ORDER_BY_NAME, ORDERS, PRINTED_NAMES, TABLE
from aggregator.provision.sru.reading import read
from aggregator.search.base import ADDED, CHANGED
from aggregator.search.tree import NOTHING, All, Changed, Choice, Either, Masked, Not, Phrase, Whole, Word, Years

DAY = 24 * 60 * 60
APRIL = 1_775_001_600  # 2026-04-01 00:00 UTC


@pytest.mark.parametrize(
    ("query", "tree"),
    [
        ("こころ", Word("こころ")),
        ('"andy"', Word("andy")),
        ("title=andy", Word("andy", "title")),
        ('dc.title = "こころ 漱石"', All((Word("こころ", "title"), Word("漱石", "title")))),
        ('DC.Title ANY "a b"', Either((Word("a", "title"), Word("b", "title")))),
        ('creator adj "夏目 漱石"', Phrase("夏目 漱石", "creator")),
        ('title == "こころ"', Whole("こころ")),
        ('title =/string "こころ"', Whole("こころ")),
        ('publisher exact "岩波書店"', Choice("publisher_is", "岩波書店")),
        ("title <> こころ", Not(Word("こころ", "title"))),
        ("a and b and c", All((Word("a"), Word("b"), Word("c")))),
        ("a or b and c", All((Either((Word("a"), Word("b"))), Word("c")))),
        ("a or (b and c)", Either((Word("a"), All((Word("b"), Word("c")))))),
        ("a NOT b", All((Word("a"), Not(Word("b"))))),
        ("and", Word("and")),
        ('"a \\"b\\""', All((Word("a"), Word('"b"')))),
        ("learn*", Masked("learn*")),
        ("title = colo?r", Masked("colo?r", "title")),
        ("title = what\\?", Word("what?", "title")),
        ("猫*", Word("猫")),
        ("isbn = 4-00-310111-1", Word("9784003101117", "isbn")),
        ("dc.identifier = 10.1234/abc", None),
        ('dc.identifier = "10.1234/abc"', Word("10.1234/abc", "identifier")),
        ("ndc = 913*", Choice("ndc", "913")),
        ("dc.type = book", Choice("type", "Book")),
        ('language any "ja en"', Either((Choice("language", "jpn"), Choice("language", "eng")))),
        ('date within "1990 2000-04"', Years(1990, 2000)),
        ("date > 1990", Years(1991, 0)),
        ("date < 1990", Years(0, 1989)),
        ("from = 1990 and until = 2000", All((Years(1990, 0), Years(0, 2000)))),
        ("changed >= 2026-04-01", Changed(APRIL)),
        ("changed = 2026-04-01", Changed(APRIL, APRIL + DAY - 1)),
        ("changed > 2026-04-01", Changed(APRIL + DAY)),
        ('changed < "2026-04-01T09:00:00+09:00"', Changed(0, APRIL - 1)),
        ("cql.allRecords = 1", NOTHING),
        ("cql.allRecords = 1 or a", Either((Changed(), Word("a")))),
        ('> x = "info:srw/context-set/1/dc-v1.1" x.title = a', Word("a", "title")),
        ('> "http://purl.org/dc/terms/" title = a', Word("a", "title")),
    ],
)
def test_a_query_becomes_a_search_tree(query, tree):
    if tree is None:
        with pytest.raises(Diagnostic):
            read(query)
    else:
        assert read(query).tree == tree


@pytest.mark.parametrize(
    ("query", "code"),
    [
        *[("", 10), ("a and", 10), ("a b", 10), ("title ==", 10), ("> a = b", 10), ("a sortby", 10), ("a/b", 10)],
        *[("x" * 5000, 12), ("(a", 13), ("a)", 13), ("(" * 40 + "a" + ")" * 40, 13), ('title = "', 14)],
        *[("zz.title = a", 15), ('> dc = "urn:else" dc.title = a', 15), ("colour = red", 16), ("dc.rights = a", 16)],
        *[("a b c", 16), ("title resembles a", 19), ("title =/stem a", 20), ("title < a", 22), ("title within a", 22)],
        *[("a" * 201, 23), ("a\\q", 26), ("a\\", 26), ('title = ""', 27), ("title == learn*", 28), ("猫*犬", 28)],
        *[("le*", 29), ("*ing", 29), ("lear?ing*a*b*c*", 30), ("^a", 31), ("title adj learn*", 33), ("title = !!", 35)],
        *[("isbn = 123", 36), ("type = red", 36), ("date = soon", 36), ('date within "1990"', 36), ("changed = 1", 36)],
        *[(" and ".join("a" * 101), 38), ("a prox b", 39), ("a and/rel.sum b", 46), ("cql.resultSetId = a", 50)],
        *[("a sortby title creator", 84), ("a sortby colour", 88), ("a sortby title/sort.descending", 90)],
        *[("a sortby title/sort.respectCase", 91), ("a sortby title/sort.missingLow", 92)],
    ],
)
def test_unsupported_queries_raise_the_right_diagnostic(query, code):
    with pytest.raises(Diagnostic) as error:
        read(query)
    assert (error.value.code, code in MESSAGES) == (code, True)
    assert error.value.message


@pytest.mark.parametrize(
    ("query", "sort"),
    [
        ("a", "relevance"),
        ("a sortby title", "title"),
        ("a sortBy dc.date", "oldest"),
        ("a sortby dc.date/sort.descending", "newest"),
        ("a sortby holdings", "holdings"),
        ("a sortby created_date", ADDED),
        ("a and b sortby rec.lastModificationDate/sort.descending", CHANGED),
    ],
)
def test_sortby_selects_the_order(query, sort):
    assert read(query).sort == sort


def test_a_prefix_is_valid_inside_its_parentheses_only():
    with pytest.raises(Diagnostic):
        read('(> x = "http://purl.org/dc/terms/" x.title = a) and x.title = b')


def test_booleans_bind_from_the_left():
    tree = parse("a or b and c").root
    assert isinstance(tree, Joined) and isinstance(tree.left, Joined) and isinstance(tree.right, Clause)
    assert (tree.boolean, tree.left.boolean) == ("and", "or")


def test_a_syntax_error_says_where():
    with pytest.raises(Diagnostic) as error:
        read("title = a and")
    assert error.value.details == "character 14"


@pytest.mark.parametrize("index", TABLE, ids=lambda index: index.names[0])
def test_the_example_of_every_index_is_valid(index, monkeypatch):
    monkeypatch.setattr(indexes, "library_numbers", lambda _name, texts: tuple(texts))
    assert read(index.example).sort == "relevance"


def test_names_of_indexes_are_unique():
    names = [name for index in TABLE for name in index.names]
    assert len(names) == len(set(names))
    assert len(ORDER_BY_NAME) == sum(len(order.names) for order in ORDERS)
    assert all(name == printed.lower() for name, printed in PRINTED_NAMES.items())


@given(st.text(alphabet=st.sampled_from("ab 漱石()=\"<>/\\*?^.'and or sortby title any within 19-0")))
def test_any_text_is_read_or_refused(text):
    try:
        read(text)
    except Diagnostic as error:
        assert error.code in MESSAGES


@given(st.text())
def test_any_characters_are_read_or_refused(text):
    try:
        read(text)
    except Diagnostic as error:
        assert error.code in MESSAGES
