"""What a results page prints of a book."""

from msgspec.structs import replace

from metadata.record import Agent
from tests.aggregator.views.shelf import KOKORO


def test_results_print_names_without_the_dates_of_headings(client, shelf, library):
    heading = replace(KOKORO, creators=(Agent(name="夏目, 漱石, 1867-1916"),))
    shelf.book(shelf.record(library, heading), record=heading)
    page = client.get("/search?q=こころ").text
    assert ">夏目漱石<" in page
    assert "1867" not in page
