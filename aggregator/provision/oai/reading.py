"""A response as HTML, for people with a browser. No HTTP, no database access.

The XSLT is applied here, since browsers are removing their support for it. Text in records is escaped.
"""

from functools import cache
from pathlib import Path

from django.utils.safestring import SafeString, mark_safe
from lxml import etree

from metadata.xml.parsing import PARSER_OPTIONS

_NOTHING = etree.XSLTAccessControl.DENY_ALL  # type: ignore[attr-defined]  # the stubs lack it


def as_html(response: bytes, following: str) -> SafeString:
    """Return the response as an HTML fragment. following: the label of the link to the next part of a list."""
    root = etree.fromstring(response, etree.XMLParser(**PARSER_OPTIONS))
    page = _stylesheet()(root, next=etree.XSLT.strparam(following))
    return mark_safe(str(page))  # noqa: S308 written by the stylesheet, which escapes


@cache
def _stylesheet() -> etree.XSLT:
    return etree.XSLT(etree.parse(Path(__file__).with_name("page.xsl")), access_control=_NOTHING)
