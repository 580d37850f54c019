"""Whether what a library holds can be requested: not if it is online or too new, nor if no copy may leave the library.
Pure.

Libraries write the terms of a copy freely ("帯出可", "閲可/個否/協可", "禁帯出"). What is not recognised counts as
available: the lender decides.
"""

import re
from collections.abc import Iterable
from datetime import date

from metadata.citations.kinds import is_electronic
from metadata.record import BibliographicRecord, Item
from metadata.text.dates import read_date

# "協可": lent to other libraries, even where readers may not take it home.
_LENT_TO_LIBRARIES = re.compile(r"協可|協力貸出可|相互貸借可|館間貸出可")
_NOT_LENT = re.compile(
    r"禁帯出|帯出(?:不可|禁止|禁)|帯禁|貸出?(?:不可|禁止|否|禁)|貸禁|持(?:ち)?出(?:し)?(?:不可|禁止|禁)|協否|貴重(?:書|資料|図書)"
    r"|館内(?:閲覧|利用|使用|限定|のみ|限り)|閲覧のみ|参考図書|library use only|in[- ]library use|not for loan"
    r"|non[- ]?circulating|reference only|does not circulate",
    re.IGNORECASE,
)
_PHYSICAL = re.compile(r"[0-9] ?(?:cm|㎝|センチ|mm|冊|枚|巻|disc|reel|sheet|v\.)", re.IGNORECASE)


def may_leave(item: Item) -> bool:
    """Return whether a copy may leave its library, as far as its record says."""
    words = " ".join((item.availability, item.location, *item.notes))
    return bool(_LENT_TO_LIBRARIES.search(words)) or not _NOT_LENT.search(words)


def excluded(items: Iterable[Item]) -> bool:
    """Return whether the library has copies, but none that may leave it."""
    found = list(items)
    return bool(found) and not any(map(may_leave, found))


def is_new(issued: str, months: int, today: date) -> bool:
    """Return whether a book was certainly published less than so many months ago. issued: as its record has it.

    "2026" may be January: where the month is not known, the earliest day counts.
    """
    known = read_date(issued)
    if not months or not known:
        return False
    year, month, day = [*map(int, known[:10].split("-")), 1, 1][:3]
    later, month = divmod(month - 1 + months, 12)
    return (today.year, today.month, today.day) < (year + later, month + 1, day)


def is_online(record: BibliographicRecord, items: Iterable[Item]) -> bool:
    """Return whether a holding is only a link: the record is electronic, and nothing stands on a shelf."""
    if not is_electronic(record) or any(map(_PHYSICAL.search, record.extents)):
        return False
    return not any(item.call_number or item.local_call_number or item.location for item in items)
