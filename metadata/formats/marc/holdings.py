"""Reads the libraries and copies of a MARC record: 850 (holding institutions), 852 (library and place of a copy) and
866 (issues held), https://www.loc.gov/marc/holdings/. Writing is in `metadata.formats.marc.write.record`.
"""

import re
from collections.abc import Iterator

from metadata.formats.common.base import Draft
from metadata.formats.marc.fields import Field, MarcRecord
from metadata.record import Identifier, Item

ISIL = "ISIL"
_WEB = ("http://", "https://")
_ISIL = re.compile(r"[A-Z]{2}-[A-Za-z0-9/:-]{1,11}").fullmatch  # ISO 15511, with the code of a country


def read_items(marc: MarcRecord, draft: Draft) -> None:
    items: list[Item] = draft.fields["items"]
    fields = list(marc.fields("852"))
    named = {text for field in fields for text in field.all("a")}
    institutions = dict.fromkeys(text for field in marc.fields("850") for text in field.all("a") if text not in named)
    holder = _only_holder(list(institutions), fields)
    issues = _issues(marc, len(fields))
    for position, field in enumerate(fields):
        item = _item(field, holder, issues.get(position, ()))
        if item != Item():
            items.append(item)
    if not holder:
        items += [_named(text) for text in institutions]
    numbers = [text for field in marc.fields("090") for text in field.all("a") if text[0] != "("]
    if numbers and not items:
        items.append(Item(call_number=" ; ".join(numbers)))


def _only_holder(institutions: list[str], fields: list[Field]) -> str:
    """Return the institution of 850 to which all 852 belong, "" if that is not certain.

    It is certain if 850 names only one institution, and either no 852 has a name, or all have the same name while 850
    has a code.
    """
    names = {field.first("a") for field in fields}
    if len(institutions) != 1 or len(names) != 1:
        return ""
    (name,) = names
    is_code = _ISIL(institutions[0]) and not _ISIL(name)
    return institutions[0] if is_code or not name else ""


def _item(field: Field, holder: str, issues: tuple[str, ...]) -> Item:
    """Read one 852. holder: the institution that 850 names for it, "" for none."""
    texts = [*field.all("a"), *filter(None, (holder,))]
    codes = [text for text in texts if _ISIL(text)]
    names = [text for text in texts if not _ISIL(text)]
    return Item(
        holding_agent=next(iter(names or codes), ""),
        holding_agent_identifiers=tuple(Identifier(scheme=ISIL, value=code) for code in codes),
        location=field.join("bc"),
        call_number=field.join("khijm"),
        notes=tuple(field.all("z")),
        see_also=tuple(text for text in field.all("u") if text.startswith(_WEB)),
        holding_issues=" ; ".join(issues),
    )


def _named(text: str) -> Item:
    code = (Identifier(scheme=ISIL, value=text),) if _ISIL(text) else ()
    return Item(holding_agent=text, holding_agent_identifiers=code)


def _issues(marc: MarcRecord, places: int) -> dict[int, tuple[str, ...]]:
    """Return the issues held (866), by the position of the 852 that they belong to.

    That is the only 852, or the one with the same link number ($8), or, where 866 stand between 852, the 852 before.
    All other 866 are left out, because their library would be a guess.
    """
    found: dict[int, tuple[str, ...]] = {}
    for place, field in _placed(marc):
        if texts := tuple(field.all("a")):
            position = 0 if places == 1 else place
            found[position] = found.get(position, ()) + texts
    found.pop(-1, None)
    return found


def _placed(marc: MarcRecord) -> Iterator[tuple[int, Field]]:
    """Yield each 866 with the position of its 852, -1 if unknown."""
    fields = list(marc.fields("852", "866"))
    tags = [field.tag for field in fields]
    between = "866" in tags and "852" in tags[tags.index("866") :]
    links: dict[str, int] = {}
    position = -1
    for field in fields:
        link = _link(field)
        if field.tag == "852":
            position += 1
            links.setdefault(link, position)
        elif link and link in links:
            yield links[link], field
        else:
            yield (position if between else -1), field


def _link(field: Field) -> str:
    """The link number in $8: "1" of "1.2" and of "1"."""
    return field.first("8").partition(".")[0]
