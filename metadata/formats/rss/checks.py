"""Checks of the elements of a feed item: missing descriptions, HTML, unknown types, news instead of books.

Only the elements show these issues, not the record that `read` makes of them.
"""

from lxml import etree

from metadata.formats.common.base import Draft
from metadata.formats.dcndl_simple.literals import has_tags, scheme_of, without_tags
from metadata.formats.dcndl_simple.settle import SUBJECT_SCHEMES
from metadata.vocabularies.dcndl import DECLARED_WRONG, IDENTIFIER_SCHEMES
from metadata.vocabularies.namespaces import DC, DCNDL, DCTERMS, PRISM, RDF, RSS, expand, shorten
from metadata.xml.parsing import children, text

_ITEMS = frozenset({"item", f"{{{RSS}}}item"})
_DESCRIPTIONS = frozenset({"description", f"{{{RSS}}}description"})
_OTHER_DESCRIPTIONS = frozenset(map(expand, ("dc:description", "dcterms:description", "dcterms:abstract")))
_LINK, _ABOUT = f"{{{RSS}}}link", f"{{{RDF}}}about"
_MODULES = tuple(f"{{{namespace}}}" for namespace in (DC, DCTERMS, DCNDL, PRISM))
_KNOWN_TYPES = (
    frozenset({"", "W3CDTF", "ISO639-2", "ISO3166", "ISBN10", "ISBN13", "setISBN", "NCID", "URI", "IMT", "Period"})
    | IDENTIFIER_SCHEMES
    | SUBJECT_SCHEMES
    | DECLARED_WRONG.keys()
)


def check_item(root: etree._Element, draft: Draft) -> None:
    elements = children(root)
    if root.tag in _ITEMS:
        _check_description(elements, draft)
        if not any(child.tag.startswith(_MODULES) for child in elements):
            named = (
                text(child) for name in ("title", "link", "guid") for child in elements if child.tag.endswith(name)
            )
            draft.note("rss.W014", "item", next(filter(None, named), ""))
    about = root.get(_ABOUT, "").strip()
    link = next((text(child) for child in elements if child.tag == _LINK), "")
    if about and link and about != link:
        draft.note("rss.W107", "item/@rdf:about", f"{about} ≠ {link}")
    for child in elements:
        scheme = scheme_of(child)
        if scheme not in _KNOWN_TYPES:
            draft.note("rss.W011", f"{shorten(child.tag)}[{scheme}]", text(child))


def _check_description(elements: list[etree._Element], draft: Draft) -> None:
    """Check the description that guideline tables 2-3 and 2-4 require; its figure 3-13 has only dc:description."""
    descriptions = [child for child in elements if child.tag in _DESCRIPTIONS and text(child)]
    if not descriptions:
        other = next((child for child in elements if child.tag in _OTHER_DESCRIPTIONS and text(child)), None)
        if other is None:
            draft.note("rss.W005", "description")
        else:
            draft.note("rss.N005", shorten(other.tag), text(other)[:200], text(other)[:200])
    with_tags = next((description for description in descriptions if has_tags(text(description))), None)
    if with_tags is not None:
        draft.note("rss.N012", "description", text(with_tags)[:200], without_tags(text(with_tags))[:200])
