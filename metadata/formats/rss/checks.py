"""What only the elements of a feed item tell: a missing description, HTML, types nobody knows, news instead of books.

What reading makes of them is in rss and its readers.
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
    inside = children(root)
    if root.tag in _ITEMS:
        _check_description(inside, draft)
        if not any(child.tag.startswith(_MODULES) for child in inside):
            named = (text(each) for name in ("title", "link", "guid") for each in inside if each.tag.endswith(name))
            draft.note("rss.W014", "item", next(filter(None, named), ""))
    about = root.get(_ABOUT, "").strip()
    link = next((text(child) for child in inside if child.tag == _LINK), "")
    if about and link and about != link:
        draft.note("rss.W107", "item/@rdf:about", f"{about} ≠ {link}")
    for child in inside:
        scheme = scheme_of(child)
        if scheme not in _KNOWN_TYPES:
            draft.note("rss.W011", f"{shorten(child.tag)}[@{scheme}]", text(child))


def _check_description(inside: list[etree._Element], draft: Draft) -> None:
    """Guideline tables 2-3 and 2-4 want a description; its own figure 3-13 has dc:description alone."""
    said = [child for child in inside if child.tag in _DESCRIPTIONS and text(child)]
    if not said:
        other = next((child for child in inside if child.tag in _OTHER_DESCRIPTIONS and text(child)), None)
        if other is None:
            draft.note("rss.W005", "description")
        else:
            draft.note("rss.N005", shorten(other.tag), text(other)[:200], text(other)[:200])
    marked = next((each for each in said if has_tags(text(each))), None)
    if marked is not None:
        draft.note("rss.N012", "description", text(marked)[:200], without_tags(text(marked))[:200])
