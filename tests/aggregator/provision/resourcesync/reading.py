"""Reads the ResourceSync documents of this site as a client does."""

from urllib.parse import urlsplit

from django.test import Client
from lxml import etree

from aggregator.provision.resourcesync import naming

NS = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9", "rs": "http://www.openarchives.org/rs/terms/"}


def path_of(url: str) -> str:
    return urlsplit(url).path


def get_xml(client: Client, url: str) -> etree._Element:
    response = client.get(path_of(url))
    assert response.status_code == 200, url
    assert response["Content-Type"] == "application/xml"
    return etree.fromstring(response.content)


def texts(root: etree._Element, path: str) -> list[str]:
    return [str(getattr(element, "text", element)) for element in root.xpath(path, namespaces=NS)]


def capability(client: Client, set_name: str, name: str) -> str:
    root = get_xml(client, naming.capability_list_url(set_name))
    return texts(root, f"//s:url[rs:md/@capability='{name}']/s:loc")[0]


def entries(client: Client, set_name: str, name: str) -> list[etree._Element]:
    """Return all entries of a list, from all its parts."""
    index = get_xml(client, capability(client, set_name, name))
    if index.tag.endswith("urlset"):
        return list(index.xpath("//s:url", namespaces=NS))
    return [
        element for url in texts(index, "//s:loc") for element in get_xml(client, url).xpath("//s:url", namespaces=NS)
    ]


def locs(elements: list[etree._Element]) -> list[str]:
    return [texts(element, "s:loc")[0] for element in elements]
