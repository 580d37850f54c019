"""The links to other searches on results pages."""

import re
from html import unescape
from urllib.parse import unquote

from msgspec.structs import replace

from metadata.record import Subject
from tests.aggregator.views.shelf import KOKORO


def test_every_link_to_a_search_on_a_results_page_works(client, shelf, library, archive):
    readable = Subject(value="日本文学", scheme="NDLSH")
    shelf.book(
        shelf.record(library, replace(KOKORO, subjects=(readable,))), libraries=[shelf.library("見本館", "2127")]
    )
    shelf.book(shelf.record(archive))
    pages, seen = ["/search?q=こころ", "/search?-online=1", "/search?online=1"], set()
    for page in pages:
        answer = client.get(page)
        assert answer.status_code == 200, unquote(page)
        if len(seen) < 40:  # links of links; more would be found for ever
            found = {unescape(link) for link in re.findall(r'href="(/search\?[^"#]*)"', answer.text)} - seen
            seen |= found
            pages += sorted(found)
    assert any("-online=1" in page for page in seen)
