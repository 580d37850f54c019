"""What the checks of JPCOAR share: where an element stands, as people name it, and the shape of a check."""

from collections.abc import Callable
from functools import lru_cache

from lxml import etree

from metadata.formats.common.base import Draft
from metadata.formats.jpcoar.names import local
from metadata.vocabularies.namespaces import shorten

# (element, version of the record: "1.0", "2.0" or "2.1", where findings go)
Check = Callable[[etree._Element, str, Draft], None]

named = lru_cache(maxsize=4096)(shorten)  # in all versions "jpcoar:creator"


def path(element: etree._Element) -> str:
    """ "dc:title", or with its parent inside anything but the record itself: "jpcoar:creator/jpcoar:creatorName"."""
    parent = element.getparent()
    return named(element.tag) if parent is None else _path(parent.tag, element.tag)


@lru_cache(maxsize=4096)
def _path(parent: str, tag: str) -> str:
    return named(tag) if local(parent) == "jpcoar" else f"{named(parent)}/{named(tag)}"


def parent_name(element: etree._Element) -> str:
    """The local name of the parent, "" at the root."""
    parent = element.getparent()
    return "" if parent is None else local(parent.tag)


def check_term(code: str, field: str, sent: str, since: dict[str, str], version: str, draft: Draft) -> bool:
    """Whether a term is in the vocabulary at all; W145 where it came only after the version of the record.

    since: the terms and the version that brought them; code: for what is in none, "" to say nothing.
    """
    born = since.get(sent)
    if born is None:
        if code:
            draft.note(code, field, sent)
        return False
    if born > version:
        draft.note("jpcoar.W145", field, sent)
    return True
