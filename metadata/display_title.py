"""The title of a book as one line, for formats and lists with room for one title only. Pure.

In the punctuation of ISBD: "Title. Volume, title of the volume. — Edition". So volumes and editions of one work can be
told apart. Formats that have elements of their own for volume and edition do not use it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from metadata.record import BibliographicRecord, Title

_BEFORE_EDITION = ". — "
_LONGEST = 1000  # characters of a title that is taken apart
# "ノルウェイの森. 上, 春": a number or a part, then the end or the title of the volume.
_COUNTER = "(?:巻|冊|集|部|編|篇|号|回|分冊)"
_DESIGNATION = re.compile(
    rf"""(?P<title>.*?\S)\.\ (?P<volume>
        第?[0-9〇一二三四五六七八九十百]{{1,4}}{_COUNTER}?
        |[上中下前後]{_COUNTER}?
        |(?i:vol(?:ume)?|v|no|pt|part|bd|band|t|tome)\.?\ ?[0-9]{{1,4}}
        )(?:,\ (?P<volume_title>.+))?""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Parts:
    """A line taken apart; "" for what it does not have."""

    title: str
    volume: str = ""
    volume_title: str = ""
    edition: str = ""


def display_title(record: BibliographicRecord) -> str:
    """Return the main title with volume, title of the volume, and edition; "" for a record without a title."""
    return _with_edition(title_and_volume(record), _one_line(record.edition))


def title_and_volume(record: BibliographicRecord) -> str:
    """Return the main title with volume and title of the volume, for formats that have an element for the edition."""
    return _with_parts(record.title or record.display_title, _texts((*record.volumes, *record.volume_titles)))


def take_apart(line: str) -> Parts:
    """Return the parts of a line that `display_title` may have made, so that our own records can be read again.

    Only a volume that is a number or a part (上) is recognised. A line without one is a title as a whole.
    """
    if len(line) > _LONGEST:
        return Parts(line)
    beginning, _mark, edition = line.rpartition(_BEFORE_EDITION)
    rest, edition = (beginning, edition) if beginning and edition else (line, "")
    match = _DESIGNATION.fullmatch(rest)
    parts = Parts(match["title"], match["volume"], match["volume_title"] or "", edition) if match else Parts(rest)
    again = _with_parts(parts.title, filter(None, (parts.volume, parts.volume_title)))
    return replace(parts, edition=edition) if _with_edition(again, edition) == line else Parts(line)


def _with_parts(title: str, parts: Iterable[str]) -> str:
    added = [part for part in parts if _is_new(part, title)]
    return f"{title.rstrip().removesuffix('.')}. {', '.join(added)}" if title and added else title


def _with_edition(line: str, edition: str) -> str:
    return f"{line.removesuffix('.')}{_BEFORE_EDITION}{edition}" if line and _is_new(edition, line) else line


def _texts(titles: Iterable[Title]) -> list[str]:
    return list(filter(None, (_one_line(title.value) for title in titles)))


def _is_new(part: str, line: str) -> bool:
    """Whether a part is to be added: it has a text, and the line does not end with it ("草枕 上" has 上 already)."""
    if not part or part == line:
        return False
    if not line.rstrip(")]）］").endswith(part):
        return True
    before = line.rstrip(")]）］").removesuffix(part)[-1:]
    return before.isalnum() or not before


def _one_line(text: str) -> str:
    return " ".join(text.split())
