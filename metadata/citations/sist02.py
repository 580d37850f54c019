"""References in SIST 02 (参照文献の書き方, 2007), the style of Japanese papers. Pure.

Authors; title; then edition, publisher, year and pages separated by commas; the web address last.
"""

from collections.abc import Iterator, Sequence

from metadata.citations import kinds
from metadata.citations.facts import Citation
from metadata.citations.names import AUTHOR, EDITOR, TRANSLATOR, Name, is_east_asian
from metadata.citations.text import all_japanese, join_parts, with_full_stop

_MAX_NAMES = 10
_IN_PARTS = frozenset((kinds.ARTICLE, kinds.NEWS, kinds.PAPER, kinds.CHAPTER))
_THESES = {kinds.DOCTORAL: "博士論文", kinds.MASTER: "修士論文", kinds.THESIS: "学位論文"}
_FIRST_EDITION = frozenset(("初版", "第1版", "第一版", "1st ed.", "1st ed", "First edition"))


def reference(citation: Citation, today: str = "") -> str:
    """Return the reference. today: the date of access of a web address, "2026-11-22"."""
    parts = _part(citation) if citation.kind in _IN_PARTS and citation.container else _whole(citation)
    return " ".join(filter(None, (*map(with_full_stop, parts), _online(citation, today))))


def _online(citation: Citation, today: str) -> str:
    """The web address and the date of access; "" for a resource on paper. No full stop follows a bare address."""
    address = f"https://doi.org/{citation.doi}" if citation.doi else citation.url if citation.electronic else ""
    return f"{address}, (参照 {today})." if address and today else address


def _part(citation: Citation) -> Iterator[str]:
    """The elements for an article, a paper or a chapter, with the publication that contains it."""
    chapter = citation.kind == kinds.CHAPTER
    yield _names(citation.with_role(AUTHOR))
    yield f"“{citation.title}”" if chapter else citation.title
    yield citation.container
    yield _role(citation.with_role(EDITOR), "編") if chapter else ""
    yield join_parts(
        (
            citation.publisher if chapter else "",
            citation.year,
            f"vol. {citation.volume}" if citation.volume.isdecimal() else citation.volume,
            f"no. {citation.issue}" if citation.issue.isdecimal() else citation.issue,
            f"p. {citation.pages}" if citation.pages else "",
        )
    )


def _whole(citation: Citation) -> Iterator[str]:
    authors = citation.with_role(AUTHOR)
    yield _names(authors) or _role(citation.with_role(EDITOR), "編")
    yield join_parts((citation.title, citation.volume if not citation.container else ""), " ")
    yield join_parts(
        (_role(citation.with_role(EDITOR), "編") if authors else "", _role(citation.with_role(TRANSLATOR), "訳")), ". "
    )
    yield join_parts(
        (
            "" if citation.edition in _FIRST_EDITION else citation.edition,
            citation.school or citation.publisher,
            citation.year,
            _THESES.get(citation.kind, f"{citation.page_count}p" if citation.page_count else ""),
            _series(citation),
            f"ISBN {citation.isbn[0]}" if citation.isbn else "",
        )
    )


def _series(citation: Citation) -> str:
    return f"({join_parts((citation.series, citation.series_number))})" if citation.series else ""


def _names(names: Sequence[Name]) -> str:
    """Names joined by commas; by semicolons if they contain commas ("Natsume, Soseki; Akutagawa, Ryunosuke")."""
    forms = list(dict.fromkeys(name.natural if is_east_asian(name) else name.inverted for name in names))
    mark = "; " if any("," in form for form in forms) else ", "
    more = "" if len(forms) <= _MAX_NAMES else " ほか" if all_japanese(names) else " et al."
    return mark.join(forms[:_MAX_NAMES]) + more


def _role(names: Sequence[Name], role: str) -> str:
    """Names followed by their role: 山田太郎, 鈴木花子訳."""
    return f"{_names(names)}{role if all_japanese(names) else f' {_LATIN_ROLES[role]}'}" if names else ""


_LATIN_ROLES = {"編": "ed.", "訳": "trans."}
