"""A search and its address are two forms of the same: nothing changes on the way."""

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from aggregator.libraries.regions import PREFECTURES
from aggregator.query.parameters import PARAMETERS, address, address_of, pairs, read_query
from aggregator.search.base import CONDITIONS, FLAGS, SORTS, Query
from aggregator.search.materials import COLLECTION, STATED, TYPES
from metadata.accessible import FORMATS
from metadata.vocabularies.access import ACCESS
from metadata.vocabularies.licences import LICENCES
from metadata.vocabularies.resource_types import LABELS

TEXT = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=20).filter(
    lambda text: text.strip() == text
)
YEAR = st.integers(0, 9999)
VALUES = {
    **dict.fromkeys(("q", "title", "creator", "publisher", "subject", "journal"), TEXT),
    **dict.fromkeys(("subject_is", "creator_is", "publisher_is", "funder_is", "degree_is"), TEXT),
    **dict.fromkeys(("place_is", "series_is"), TEXT),
    "identity_is": st.sampled_from(("ORCID 0000-0002-1825-0097", "ROR 057zh3y96")),
    "mediatype": st.sampled_from(STATED),
    "collection": st.from_regex(COLLECTION, fullmatch=True),
    "isbn": st.just("9784003101117"),
    "issn": st.just("0028-0836"),
    "repository": st.integers(0, 999_999_999).map("R{:09d}".format),
    "region": st.sampled_from(sorted(PREFECTURES)),
    "type": st.sampled_from(TYPES),
    "language": st.sampled_from(("jpn", "eng", "chi")),
    "ndc": st.sampled_from(("9", "91", "913", "913.6")),
    "accessible": st.sampled_from(sorted(FORMATS)),
    "kind": st.sampled_from(sorted(LABELS)),
    "access": st.sampled_from(sorted(ACCESS)),
    "licence": st.sampled_from(sorted(LICENCES)),
    **dict.fromkeys(FLAGS, st.just("1")),
}


def several(name: str) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(VALUES[name], max_size=3, unique=True).map(tuple)


PAIRS = st.sampled_from(sorted(VALUES)).flatmap(lambda name: st.tuples(st.just(name), VALUES[name]))
EXCLUDED = st.lists(PAIRS, max_size=3, unique=True).map(lambda found: tuple(sorted(found, key=lambda pair: pair[0])))
QUERIES = st.builds(
    Query,
    **{name: st.just("") | VALUES[name] for name in ("q", "title", "creator", "publisher", "subject", "isbn", "issn")},
    repositories=several("repository"),
    regions=several("region"),
    types=several("type"),
    languages=several("language"),
    ndcs=several("ndc"),
    accessible=several("accessible"),
    kinds=several("kind"),
    access=several("access"),
    licences=several("licence"),
    funders=several("funder_is"),
    degrees=several("degree_is"),
    identities=several("identity_is"),
    subjects=several("subject_is"),
    creators=several("creator_is"),
    publishers=several("publisher_is"),
    places=several("place_is"),
    series=several("series_is"),
    media_types=several("mediatype"),
    collections=several("collection"),
    online=st.booleans(),
    fulltext=st.booleans(),
    sort=st.sampled_from(SORTS),
    page=st.integers(1, 500),
    page_size=st.integers(1, 100),
    from_year=YEAR,
    excluded=EXCLUDED,
)  # fmt: skip


@given(QUERIES)
def test_a_search_is_read_from_its_address_as_it_was_written(query):
    data = QueryDict(mutable=True)
    for name, value in pairs(query):
        data.appendlist(name, value)
    assert read_query(data) == query


@pytest.mark.parametrize("name", ["q", "creator", "publisher", "subject", "journal", "isbn", "ndc", "accessible"])
def test_the_address_of_a_search_with_one_condition_is_written_as_that_of_any_search(name):
    for text in ("夏目 漱石", "a&b=c+d", ""):
        conditions = {PARAMETERS[name].field: (text,) if PARAMETERS[name].several else text} if text else {}
        assert address_of(name, text) == address(Query(**conditions), "")


def test_every_condition_but_the_library_is_tried():
    assert {*VALUES, "library"} == {*CONDITIONS}


def test_excluding_what_can_be_read_online_is_written_as_it_is_read():
    assert pairs(read_query(QueryDict("-online=1"))) == [("-online", "1")]
