"""The pages of persons and bodies by their identifiers."""

import pytest

from aggregator.browse.counting import count_headings
from aggregator.indexing.searching import search
from aggregator.query.parameters import BadParameter
from aggregator.query.values import identity
from aggregator.search.base import Query
from metadata.record import Agent, BibliographicRecord, Identifier, Title

ORCID = Identifier(scheme="ORCID", value="0000-0002-1825-0097")
PAGE = "/people/ORCID/0000-0002-1825-0097"


def get(client, path: str):
    return client.get(path, headers={"Accept-Language": "en"})


@pytest.fixture
def works(shelf, library):
    """Two works with one identifier under two names, one of a namesake without it, one of another person."""
    agents = (
        Agent(name="例, 太郎", identifiers=(ORCID, Identifier(scheme="e-Rad_Researcher", value="90050426"))),
        Agent(name="Rei, Taro", uri="https://orcid.org/0000-0002-1825-0097"),
        Agent(name="例, 太郎"),
        Agent(name="例, 太郎", identifiers=(Identifier(scheme="ORCID", value="0000-0002-1694-233X"),)),
    )
    for number, agent in enumerate(agents):
        record = BibliographicRecord(titles=(Title(value=f"猫{number}"),), creators=(agent,), issued=f"201{number}")
        shelf.book(shelf.record(library, record), record=record)
    list(count_headings())


def test_the_page_lists_the_works_with_the_identifier_and_not_those_of_namesakes(client, works):
    page = get(client, PAGE)
    assert page.context["total"] == 2
    assert [hit.book.record.title for hit in page.context["hits"]] == ["猫1", "猫0"]
    assert "Rei, Taro" in page.text
    assert 'href="https://orcid.org/0000-0002-1825-0097"' in page.text
    assert 'href="/people/NRID/1000090050426"' in page.text
    assert [link.books for link in page.context["providers"]] == [2]
    assert "2010–2011" in page.text


def test_other_spellings_lead_to_one_address_and_wrong_ones_nowhere(client, works):
    assert get(client, "/people/ORCID/0000000218250097")["Location"] == PAGE
    assert get(client, "/people/e-Rad/90050426")["Location"] == "/people/NRID/1000090050426"
    for wrong in ("ORCID/0000-0002-1825-0098", "ORCID/0000-0003-1415-9269", "VIAF/98268072", "x/y"):
        assert get(client, f"/people/{wrong}").status_code == 404


def test_the_list_of_persons_leads_to_their_pages(client, works):
    assert f'href="{PAGE}"' in get(client, "/browse/people/").text
    assert (
        f'href="{PAGE}"' in get(client, "/browse/people/?letter=例").text
        or f'href="{PAGE}"' in get(client, "/browse/").text
    )
    assert get(client, "/browse/people/例, 太郎").status_code == 404


def test_a_heading_leads_to_the_works_with_each_identifier(client, works):
    assert f'href="{PAGE}"' in get(client, "/browse/authors/Rei,%20Taro").text


def test_the_facet_names_the_persons(client, works):
    text = get(client, "/search/values/identity").text
    assert "(ORCID 0000-0002-1825-0097)" in text
    assert "(ORCID 0000-0002-1694-233X)" in text


def test_a_search_takes_an_identifier_or_its_address(client, works):
    for written in ("ORCID 0000-0002-1825-0097", "https://orcid.org/0000-0002-1825-0097", "e-Rad 90050426"):
        assert search(Query(identities=(identity("identity_is", written),)), ()).total == (1 if "Rad" in written else 2)
    for wrong in ("ORCID 0000-0002-1825-0098", "例, 太郎", "VIAF 98268072"):
        with pytest.raises(BadParameter):
            identity("identity_is", wrong)
