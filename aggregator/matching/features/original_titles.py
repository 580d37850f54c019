"""Titles of originals and uniform titles, which bring the translations and editions of one work together.

They identify works, not books, so records are not compared by them. See `groups.works`.
"""

import re

from metadata.record import BibliographicRecord

_NOTE = re.compile(
    r"(?:原タイトル|原書名|原書タイトル|原題|original title|translation of)\s*[::]\s*(?P<title>.+)",
    re.IGNORECASE | re.DOTALL,
)
# What cataloguers write behind the title in the same note.
_BEHIND = re.compile(
    r"\s*(?:[((]?原(?:著|書)(?:第|新|改|\s|$).*|の(?:全訳|抄訳|翻訳|部分訳).*|\.\s.*|\s--\s.*)\Z", re.DOTALL
)
_KINDS = frozenset(("uniform", "translation"))
_LONGEST_NOTE = 300  # characters
AT_MOST = 3


def original_titles(record: BibliographicRecord) -> tuple[str, ...]:
    """The titles as printed, each once; at most AT_MOST."""
    found = [title.value for title in record.alternatives if title.kind in _KINDS]
    for note in record.notes:
        match = _NOTE.match(note) if len(note) <= _LONGEST_NOTE else None
        if match:
            found.append(_BEHIND.sub("", match["title"]))
    titles = (title.strip(" .。/") for title in found)
    return tuple(dict.fromkeys([title for title in titles if title]))[:AT_MOST]
