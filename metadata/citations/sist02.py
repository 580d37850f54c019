"""A record as a reference in SIST 02 (参照文献の書き方, 2007), the style of Japanese papers. Pure.

Who; what; then edition, publisher, year and pages with commas between them; where it is on the net last.
"""

from collections.abc import Iterator, Sequence

from metadata.citations import kinds
from metadata.citations.facts import Citation
from metadata.citations.names import AUTHOR, EDITOR, TRANSLATOR, Name, is_east_asian
from metadata.citations.text import all_japanese, ended, joined

_MOST_NAMES = 10
_IN_PARTS = frozenset((kinds.ARTICLE, kinds.NEWS, kinds.PAPER, kinds.CHAPTER))
_THESES = {kinds.DOCTORAL: "博士論文", kinds.MASTER: "修士論文", kinds.THESIS: "学位論文"}
_FIRST_EDITION = frozenset(("初版", "第1版", "第一版", "1st ed.", "1st ed", "First edition"))


def reference(cited: Citation, today: str = "") -> str:
    """The reference. today: the day on which what is on the net was seen, "2026-11-22"."""
    parts = _part(cited) if cited.kind in _IN_PARTS and cited.container else _whole(cited)
    return " ".join(filter(None, (*map(ended, parts), _online(cited, today))))


def _online(cited: Citation, today: str) -> str:
    """Where it can be read, and when that was seen; "" for what is on paper. No stop sticks to an address."""
    address = f"https://doi.org/{cited.doi}" if cited.doi else cited.url if cited.electronic else ""
    return f"{address}, (参照 {today})." if address and today else address


def _part(cited: Citation) -> Iterator[str]:
    """An article, a paper, a chapter: in what it stands."""
    chapter = cited.kind == kinds.CHAPTER
    yield _names(cited.those(AUTHOR))
    yield f"“{cited.title}”" if chapter else cited.title
    yield cited.container
    yield _role(cited.those(EDITOR), "編") if chapter else ""
    yield joined(
        (
            cited.publisher if chapter else "",
            cited.year,
            f"vol. {cited.volume}" if cited.volume.isdecimal() else cited.volume,
            f"no. {cited.issue}" if cited.issue.isdecimal() else cited.issue,
            f"p. {cited.pages}" if cited.pages else "",
        )
    )


def _whole(cited: Citation) -> Iterator[str]:
    authors = cited.those(AUTHOR)
    yield _names(authors) or _role(cited.those(EDITOR), "編")
    yield joined((cited.title, cited.volume if not cited.container else ""), " ")
    yield joined((_role(cited.those(EDITOR), "編") if authors else "", _role(cited.those(TRANSLATOR), "訳")), ". ")
    yield joined(
        (
            "" if cited.edition in _FIRST_EDITION else cited.edition,
            cited.school or cited.publisher,
            cited.year,
            _THESES.get(cited.kind, f"{cited.page_count}p" if cited.page_count else ""),
            _series(cited),
            f"ISBN {cited.isbn[0]}" if cited.isbn else "",
        )
    )


def _series(cited: Citation) -> str:
    return f"({joined((cited.series, cited.series_number))})" if cited.series else ""


def _names(names: Sequence[Name]) -> str:
    """夏目漱石, 芥川龍之介; those with a comma in them as "Natsume, Soseki; Akutagawa, Ryunosuke"."""
    said = list(dict.fromkeys(each.natural if is_east_asian(each) else each.inverted for each in names))
    mark = "; " if any("," in each for each in said) else ", "
    more = "" if len(said) <= _MOST_NAMES else " ほか" if all_japanese(names) else " et al."
    return mark.join(said[:_MOST_NAMES]) + more


def _role(names: Sequence[Name], role: str) -> str:
    """山田太郎, 鈴木花子訳."""
    return f"{_names(names)}{role if all_japanese(names) else f' {_LATIN_ROLES[role]}'}" if names else ""


_LATIN_ROLES = {"編": "ed.", "訳": "trans."}
