"""The page “use our data”: every enabled interface, with examples that work."""

import html
import re

import pytest


@pytest.mark.parametrize("language", ["ja", "en"])
def test_every_example_works(client, shelf, library, language):
    source = shelf.record(library)
    shelf.book(source)
    page = client.get("/data", headers={"accept-language": language})
    examples = [html.unescape(path) for path in re.findall(r'<a href="([^"]+)" rel="nofollow"><code>', page.text)]
    assert len(examples) > 20
    for path in examples:
        answer = client.get(path)
        assert answer.status_code in (200, 303), path
        if path.startswith("/sru"):
            assert b"<diagnostics>" not in answer.content, path
    assert source.public_id in page.text


def test_examples_of_an_empty_catalogue_have_no_record(client, shelf):
    page = client.get("/data")
    assert (page.status_code, "{record}" in page.text, "/books/." in page.text) == (200, False, False)


def test_licences_are_linked_if_they_are_addresses(client, library, archive):
    library.licence = "https://creativecommons.org/publicdomain/zero/1.0/"
    library.save()
    archive.licence = "javascript:alert(1)"
    archive.save()
    page = client.get("/data").text
    assert f'<a href="{library.licence}" rel="license">' in page
    assert 'href="javascript:' not in page


def test_the_page_takes_few_queries(client, shelf, library, django_assert_max_num_queries):
    shelf.book(shelf.record(library))
    with django_assert_max_num_queries(4):
        client.get("/data")


def test_every_page_links_to_it(client, shelf):
    assert 'href="/data"' in client.get("/").text
    assert 'href="/data"' in client.get("/help").text
