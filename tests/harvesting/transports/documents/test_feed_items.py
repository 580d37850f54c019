"""Items of feeds as records."""

import pytest

from harvesting.transports.documents.feed_items import read_item
from metadata.about import NOTHING, About
from metadata.xml.parsing import parse

BY = "https://creativecommons.org/licenses/by/4.0/"
RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'


@pytest.mark.parametrize(
    "item",
    [
        '<item><link>http://a.example/1</link><license xmlns="http://backend.userland.com/creativeCommonsRssModule">'
        f"{BY}</license></item>",
        f'<item {RDF}><link>http://a.example/1</link><license xmlns="http://web.resource.org/cc/" rdf:resource="{BY}"/>'
        "</item>",
        '<entry xmlns="http://www.w3.org/2005/Atom"><link href="http://a.example/1"/>'
        f'<link rel="license" href="{BY}"/></entry>',
    ],
)
def test_the_licence_of_an_item_is_kept(item):
    record = read_item(parse(item.encode()), "http://a.example/")
    assert (record.identifier, record.about) == ("http://a.example/1", About(rights=(BY,)))


@pytest.mark.parametrize("address", ["javascript:alert(1)", "", "http://a.example/" + "x" * 600])
def test_an_unusable_licence_is_left_out(address):
    link = f'<license xmlns="http://creativecommons.org/ns#">{address}</license>'
    item = parse(f"<item><link>http://a.example/1</link>{link}</item>".encode())
    assert read_item(item, "http://a.example/").about is NOTHING
