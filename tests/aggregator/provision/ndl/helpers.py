"""Books for the tests of the face of NDL Search, and how their clients read its responses."""

from lxml import etree

from metadata.record import Agent, Identifier, MaterialType, Subject, Title
from metadata.vocabularies.namespaces import DC, DCNDL, DCTERMS, XSI

SRW = "{http://www.loc.gov/zing/srw/}"
NAMES = {
    "dc": DC,
    "dcndl": DCNDL,
    "dcterms": DCTERMS,
    "xsi": XSI,
    "o": "http://a9.com/-/spec/opensearchrss/1.0/",
    "s": "http://www.loc.gov/zing/srw/",
    "d": "http://www.loc.gov/zing/srw/diagnostic/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "foaf": "http://xmlns.com/foaf/0.1/",
}
FIELDS = {
    "volumes": (Title(value="上", transcription="ジョウ"),),
    "subjects": (Subject(value="913.6", scheme="NDC10"), Subject(value="KH426", scheme="NDLC")),
    "publication_places": ("JP",),
    "languages": ("jpn",),
    "extents": ("349p ; 19cm",),
    "prices": ("850円",),
    "responsibility": ("夏目漱石 著",),
    "identifiers": (
        Identifier(scheme="ISBN", value="9784003101117"),
        Identifier(scheme="JPNO", value="23164695"),
    ),
    "digitized_publishers": (Agent(name="国立国会図書館"),),
    "notes": ("初版本の複製",),
    "creators": (Agent(name="夏目, 漱石, 1867-1916", transcription="ナツメ, ソウセキ"),),
}
ARTICLE = MaterialType(uri="http://ndl.go.jp/ndltype/Article", label="記事・論文")


def rss(client, **parameters):
    """Ask OpenSearch and return the channel."""
    answer = client.get("/api/opensearch", parameters)
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/xml; charset=utf-8")
    return etree.fromstring(answer.content)[0]


def total(channel):
    return int(channel.findtext("o:totalResults", namespaces=NAMES))


def srw(client, query="", **parameters):
    """Ask SRU and return the root element."""
    sent = {"operation": "searchRetrieve", **({"query": query} if query else {}), **parameters}
    answer = client.get("/api/sru", sent)
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/xml; charset=utf-8")
    return etree.fromstring(answer.content)


def count(root):
    return int(root.findtext("s:numberOfRecords", namespaces=NAMES))


def message(root):
    return root.findtext("s:diagnostics/d:diagnostic/d:message", default="", namespaces=NAMES)
