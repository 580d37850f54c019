"""A book for programs: every address with its media type, content negotiation, and JSON-LD inside the page."""

import json
import re

import pytest
from lxml import etree
from msgspec.structs import replace

from metadata.record import Agent, Title
from tests.aggregator.shelves import book_id
from tests.aggregator.views.shelf import KOKORO

pytestmark = pytest.mark.django_db
BLOCK = re.compile(r'<script type="application/ld\+json">(.*?)</script>', re.DOTALL)


@pytest.fixture
def book(shelf, library):
    """Store a record as a book and return the address of its page."""

    def put(record=KOKORO) -> str:
        source = shelf.record(library, record)
        shelf.book(source, record=record)
        return f"/books/{book_id(source)}"

    return put


@pytest.mark.parametrize(
    ("ending", "media_type", "start"),
    [
        ("ris", "application/x-research-info-systems; charset=utf-8", "TY  - BOOK\r\n"),
        ("bib", "application/x-bibtex; charset=utf-8", "@book{natsume1989-"),
        ("csl.json", "application/vnd.citationstyles.csl+json", '[{"id":"'),
        ("jsonld", "application/ld+json", '{"@context":"https://schema.org","@type":"Book"'),
    ],
)
def test_citations_have_their_own_addresses(client, book, ending, media_type, start):
    answer = client.get(f"{book()}.{ending}")
    assert (answer.status_code, answer["Content-Type"]) == (200, media_type)
    text = answer.content.decode()
    assert text.startswith(start)
    assert "こころ" in text


@pytest.mark.parametrize(
    ("name", "root"),
    [
        ("oai_dc", "dc"),
        ("dcndl", "RDF"),
        ("dcndl_simple", "dc"),
        ("jpcoar", "jpcoar"),
        ("marcxml", "record"),
        ("mods", "mods"),
    ],
)
def test_the_record_is_available_in_every_xml_format(client, book, name, root):
    answer = client.get(f"{book()}.xml", {"format": name})
    assert etree.QName(etree.fromstring(answer.content)).localname == root
    assert "こころ" in answer.content.decode()


@pytest.mark.parametrize("ending", ["ris", "bib", "csl.json"])
def test_formats_for_reference_managers_are_downloaded(client, book, ending):
    address = book()
    saved = client.get(f"{address}.{ending}")["Content-Disposition"]
    assert saved == f'attachment; filename="{address.removeprefix("/books/")}.{ending}"'


@pytest.mark.parametrize("ending", ["ris", "bib", "csl.json", "jsonld"])
def test_citations_link_to_the_page_of_the_book(client, book, settings, ending):
    settings.PUBLIC_URL = "https://books.example.jp"
    address = book()
    assert f"https://books.example.jp{address}" in client.get(f"{address}.{ending}").content.decode()


def test_the_records_own_address_is_given_as_same_as(client, book, settings):
    settings.PUBLIC_URL = "https://books.example.jp"
    address = book(replace(KOKORO, uri="https://library.example.jp/books/7"))
    found = json.loads(client.get(f"{address}.jsonld").content)
    assert (found["@id"], found["sameAs"]) == (
        f"https://books.example.jp{address}",
        "https://library.example.jp/books/7",
    )


@pytest.mark.parametrize(
    ("accept", "ending"),
    [
        ("application/ld+json", "jsonld"),
        ("application/x-research-info-systems", "ris"),
        ("application/x-bibtex", "bib"),
        ("text/x-bibtex", "bib"),
        ("application/vnd.citationstyles.csl+json", "csl.json"),
        ("application/marcxml+xml", "xml?format=marcxml"),
        ("application/mods+xml", "xml?format=mods"),
        ("text/html;q=0.5, application/x-bibtex", "bib"),
    ],
)
def test_programs_are_redirected_to_their_format(client, book, accept, ending):
    address = book()
    answer = client.get(address, headers={"accept": accept})
    assert (answer.status_code, answer["Location"]) == (302, f"{address}.{ending}")
    assert client.get(answer["Location"]).status_code == 200


@pytest.mark.parametrize(
    ("accept", "ending"),
    [
        ("application/x-bibtex;q=0.4, application/ld+json;q=0.9", "jsonld"),
        ("text/html;q=0.2, application/json;q=0.1", ""),
        ("text/html, application/json;q=0.9", ""),
        ("application/json;q=0, */*", ""),
        ("*/*", ""),
        ("application/xml", "xml"),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8", ""),
        ("application/rdf+xml;q=0.9, application/ld+json;q=0.8, text/html;q=0.1", "rdf"),
    ],
)
def test_the_preferred_format_wins_and_the_page_is_the_default(client, book, accept, ending):
    address = book()
    answer = client.get(address, headers={"accept": accept})
    assert answer.get("Location", "") == (f"{address}.{ending}" if ending else "")


@pytest.mark.parametrize("accept", ["image/png", "text/turtle, application/n-triples;q=0.5", "text/html;q=0"])
def test_a_406_lists_the_available_formats(client, book, accept):
    answer = client.get(book(), headers={"accept": accept})
    assert (answer.status_code, "application/rdf+xml" in answer.text) == (406, True)
    assert "Accept" in answer["Vary"]


def test_answers_vary_by_accept(client, book):
    address = book()
    for accept in ("text/html", "application/json", "application/x-bibtex"):
        assert "Accept" in client.get(address, headers={"accept": accept})["Vary"].split(", ")


@pytest.mark.parametrize("ending", [".ris?x=1", ".bib?format=oai_dc", ".csl.json?x=", ".jsonld?source=1"])
def test_unknown_parameters_get_400(client, book, ending):
    assert client.get(f"{book()}{ending}").status_code == 400


@pytest.mark.parametrize("ending", [".csl", ".csljson", ".bibtex", ".ris.json"])
def test_other_endings_are_not_found(client, book, ending):
    assert client.get(f"{book()}{ending}").status_code == 404


def test_the_page_links_to_every_format(client, book):
    address = book()
    page = client.get(address).text
    for ending in ("rdf", "json", "jsonld", "ris", "bib", "csl.json"):
        assert page.count(f'href="{address}.{ending}"') == 2  # in the head for programs, in the list for people
    for name in ("oai_dc", "dcndl_simple", "jpcoar", "marcxml", "mods"):
        assert f'href="{address}.xml?format={name}"' in page


def test_the_page_contains_its_json_ld(client, book):
    address = book()
    [block] = BLOCK.findall(client.get(address).text)
    assert json.loads(block) == json.loads(client.get(f"{address}.jsonld").content)


@pytest.mark.parametrize("text", ["</script><script>alert(1)</script>", "<!--<script>", "a\u2028b\u2029c & <b>"])
def test_no_text_of_a_record_ends_the_script_block(client, book, text):
    hostile = replace(KOKORO, titles=(Title(value=text, transcription="x"),), creators=(Agent(name=text),))
    page = client.get(book(hostile)).text
    [block] = BLOCK.findall(page)
    assert not set("<>&\u2028\u2029") & set(block)
    assert json.loads(block)["author"]["name"] == " ".join(text.split())
    assert "<script>" not in page
