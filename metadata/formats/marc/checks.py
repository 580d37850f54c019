"""Checks that need the source tree of MARCXML: leader and control fields, repeated titles, links to other scripts.

Positions and tags are those of MARC 21, as NDL and the Library of Congress write it.
"""

import re
from collections import Counter

from lxml import etree

from metadata.formats.common.base import Draft
from metadata.xml.parsing import children

_LINK = re.compile(r"(?P<tag>[0-9]{3})-(?P<number>[0-9]{2})(?:/(?P<script>[^/]*)(?:/r)?)?\Z")
# MARC 21, appendix A: Arabic, Latin, CJK, Cyrillic, Greek, Hebrew; and ISO 15924 in newer records.
_SCRIPT = re.compile(r"\(3|\(B|\$1|\(N|\(Q|\(S|\(2|[A-Z][a-z]{3}|")
_LEADER, _FIXED = 24, 40  # lengths in characters
_TYPES = frozenset("acdefgijkmoprt")  # leader/06 of bibliographic records; z is for authority records
_UNLINKED = "00"


def check_marc(root: etree._Element, draft: Draft) -> None:
    """Note all issues that the source tree of one record shows, before it is converted."""
    if not root.tag.startswith("{"):
        draft.note("marcxml.N001", root.tag)
    control: dict[str, str] = {}
    leader: str | None = None
    fields: list[etree._Element] = []
    for child in children(root):
        name = child.tag.rpartition("}")[2]
        if name == "datafield":
            fields.append(child)
        elif name == "controlfield":
            control.setdefault(child.get("tag", "").strip(), child.text or "")
        elif name == "leader":
            leader = child.text or ""
    _check_control_fields(leader or "", control, draft)
    titles = [field for field in fields if field.get("tag") == "245"]
    if len(titles) > 1:
        draft.note("marcxml.E103", "245", _subfield(titles[1], "a"))
    _check_links(fields, draft)


def _check_control_fields(leader: str, control: dict[str, str], draft: Draft) -> None:
    if len(leader) != _LEADER:
        draft.note("marcxml.W002", "leader", leader)
    else:
        if leader[5] == "d":
            draft.note("marcxml.I007", "leader/05", leader[5])
        if leader[6] not in _TYPES:
            draft.note("marcxml.W302", "leader/06", leader[6])
    if not control.get("001", "").strip():
        draft.note("marcxml.W102", "001")
    if len(control.get("008", "")) != _FIXED:
        draft.note("marcxml.W202", "008", control.get("008", ""))


def _check_links(fields: list[etree._Element], draft: Draft) -> None:
    """Check that each 880 and the field that it writes in another script name each other in $6."""
    expected: Counter[tuple[str, str]] = Counter()
    linked: Counter[tuple[str, str]] = Counter()
    for field in fields:
        tag, link = field.get("tag", ""), _subfield(field, "6")
        if tag == "880":
            match = _LINK.match(link)
            if match is None:
                draft.note("marcxml.W006", "880$6", link)
                continue
            if not _SCRIPT.fullmatch(match["script"] or ""):
                draft.note("marcxml.W106", "880$6", link)
            linked[match["tag"], match["number"]] += 1
        elif link.startswith("880-"):
            expected[tag, link[4:6]] += 1
    unlinked = [key for key in linked if key not in expected and key[1] != _UNLINKED]
    for tag, number in unlinked:
        draft.note("marcxml.W006", "880$6", f"{tag}-{number}")
    for tag, number in [key for key in expected if key not in linked]:
        draft.note("marcxml.W006", f"{tag}$6", f"880-{number}")


def _subfield(field: etree._Element, code: str) -> str:
    return next(((child.text or "").strip() for child in children(field) if child.get("code") == code), "")
