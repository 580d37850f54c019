"""Whom a resource is meant for, as records say it in free words. Pure."""

import re

from metadata.record import BibliographicRecord

_CHILDREN = re.compile(r"児童|こども|子ども|子供|幼児|小学生|children|juvenile", re.IGNORECASE).search


def is_for_children(record: BibliographicRecord) -> bool:
    """Whether the record says that the resource is meant for children."""
    return any(map(_CHILDREN, record.audiences))
