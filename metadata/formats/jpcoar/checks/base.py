"""What the checks of JPCOAR share: the type of a check, the path of an element for messages, terms by version."""

from collections.abc import Callable
from functools import lru_cache

from lxml import etree

from metadata.formats.common.base import Draft
from metadata.formats.jpcoar.names import local_name
from metadata.vocabularies.namespaces import shorten

# Arguments: the element; the version of the record ("1.0", "2.0" or "2.1"); the Draft to which issues are added.
Check = Callable[[etree._Element, str, Draft], None]

short_name = lru_cache(maxsize=4096)(shorten)  # "jpcoar:creator" in all versions


def path(element: etree._Element) -> str:
    """Return the name of an element, with its parent unless that is the root: "jpcoar:creator/jpcoar:creatorName"."""
    parent = element.getparent()
    return short_name(element.tag) if parent is None else _path(parent.tag, element.tag)


@lru_cache(maxsize=4096)
def _path(parent: str, tag: str) -> str:
    return short_name(tag) if local_name(parent) == "jpcoar" else f"{short_name(parent)}/{short_name(tag)}"


def parent_name(element: etree._Element) -> str:
    """Return the local name of the parent, "" at the root."""
    parent = element.getparent()
    return "" if parent is None else local_name(parent.tag)


def check_term(code: str, field: str, sent: str, since: dict[str, str], version: str, draft: Draft) -> bool:
    """Return whether a term is in the vocabulary of any version.

    since: term → the version that introduced it. code: the issue for a term in no version, "" for none. A term that
    is newer than the version of the record gets W145.
    """
    introduced = since.get(sent)
    if introduced is None:
        if code:
            draft.note(code, field, sent)
        return False
    if introduced > version:
        draft.note("jpcoar.W145", field, sent)
    return True
