"""A response as HTML for people who come with a browser. Pure but for its stylesheet; no HTTP.

Browsers cease to apply XSLT, so it is applied here. What stands in records stays text.
"""

from functools import cache
from pathlib import Path

from django.utils.safestring import SafeString, mark_safe
from lxml import etree

from metadata.xml.parsing import PARSER_OPTIONS

_NOTHING = etree.XSLTAccessControl.DENY_ALL  # type: ignore[attr-defined]  # the stubs lack it


def as_html(response: bytes, following: str) -> SafeString:
    """The response as a piece of a page. following: what the link to the next part of a list is called."""
    root = etree.fromstring(response, etree.XMLParser(**PARSER_OPTIONS))
    page = _stylesheet()(root, next=etree.XSLT.strparam(following))
    return mark_safe(str(page))  # noqa: S308 written by the stylesheet, which escapes


@cache
def _stylesheet() -> etree.XSLT:
    return etree.XSLT(etree.parse(Path(__file__).with_name("page.xsl")), access_control=_NOTHING)
