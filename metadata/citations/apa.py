"""References in APA style (American Psychological Association, 7th edition). Pure.

Authors; date; title, with edition and volume in brackets; source. Names in kanji are written in full: they have no
initials.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from metadata.citations import kinds
from metadata.citations.facts import Citation
from metadata.citations.names import AUTHOR, EDITOR, TRANSLATOR, Name, is_east_asian
from metadata.citations.text import Run, all_japanese, join_parts, with_full_stop

_MAX_NAMES = 20  # if there are more: the first nineteen, an ellipsis, the last
_IN_PARTS = frozenset((kinds.CHAPTER, kinds.PAPER))
_DESCRIPTIONS = {
    kinds.DOCTORAL: "Doctoral dissertation",
    kinds.MASTER: "Master’s thesis",
    kinds.THESIS: "Thesis",
    kinds.DATASET: "Data set",
    kinds.SOFTWARE: "Computer software",
    kinds.MAP: "Map",
    kinds.VIDEO: "Film",
    kinds.LECTURE: "Conference presentation",
}


def reference(citation: Citation) -> tuple[Run, ...]:
    """Return the reference; titles of books and journals in italics. Without an author the title comes first."""
    authors, date = [Run(_authors(citation))], [Run(f"({_date(citation)})")]
    if _is_part(citation):
        title, source = [Run(_title(citation))], list(_book(citation))
    elif _is_article(citation):
        title, source = [Run(_title(citation))], list(_journal(citation))
    else:
        title, source = [Run(_title(citation), italic=True), Run(_statement(citation))], []
    lead = [authors, date, title] if authors[0].text else [title, date]
    publisher = "" if _is_article(citation) or citation.kind in kinds.THESES else citation.publisher
    address = f"https://doi.org/{citation.doi}" if citation.doi else citation.url if citation.electronic else ""
    return tuple(_sentences([*lead, source, [Run(publisher)]], address))


def _sentences(parts: Iterable[Sequence[Run]], address: str) -> Iterator[Run]:
    """Yield the parts, separated by blanks and ended with full stops. The address gets no stop, to keep it usable."""
    blank = ""
    for runs in [[run for run in runs if run.text] for runs in parts]:
        if runs:
            stop = with_full_stop(runs[-1].text)[len(runs[-1].text) :]
            yield from (Run(blank), *runs, Run(stop))
            blank = " "
    yield Run(f"{blank}{address}" if address else "")


def _is_article(citation: Citation) -> bool:
    return bool(citation.container) and citation.kind in (kinds.ARTICLE, kinds.NEWS)


def _is_part(citation: Citation) -> bool:
    return bool(citation.container) and citation.kind in _IN_PARTS


def _title(citation: Citation) -> str:
    """The title with an English colon in place of ISBD's, which has a blank on both sides."""
    return citation.title.replace(" : ", ": ").removesuffix(".")


def _journal(citation: Citation) -> Iterator[Run]:
    """The source of an article: *Journal*, *12*(3), 45–67."""
    yield Run(join_parts((citation.container, citation.volume)), italic=True)
    issue = f"({citation.issue})" if citation.issue else ""
    yield Run(f"{issue}{', ' if citation.pages else ''}{_dashed(citation.pages)}")


def _book(citation: Citation) -> Iterator[Run]:
    """The source of a chapter: In E. Editor (Ed.), *Book* (Vol. 2, pp. 45–67)."""
    editors = citation.with_role(EDITOR)
    yield Run(f"In {_natural_list(editors)} ({_editors(editors)}), " if editors else "In ")
    yield Run(citation.container, italic=True)
    pages = f"{'pp.' if citation.last_page else 'p.'} {_dashed(citation.pages)}" if citation.pages else ""
    yield Run(_bracketed(_volume(citation.volume), pages))


def _statement(citation: Citation) -> str:
    """Additions to the title: (E. McClellan, Trans., 2nd ed., Vol. 3) [Doctoral dissertation, 見本大学]."""
    translators = citation.with_role(TRANSLATOR)
    edition = _EDITION.sub("ed.", citation.edition)
    by = f"{_natural_list(translators)}, Trans." if translators else ""
    description = join_parts((_DESCRIPTIONS.get(citation.kind, ""), citation.school))
    return _bracketed(by, edition, _volume(citation.volume)) + (f" [{description}]" if description else "")


def _bracketed(*parts: str) -> str:
    text = join_parts(parts)
    return f" ({text})" if text else ""


def _volume(volume: str) -> str:
    return f"Vol. {volume}" if volume.isdecimal() else volume


def _dashed(pages: str) -> str:
    return pages.replace("-", "–")


def _date(citation: Citation) -> str:
    """The year; for a newspaper article the day."""
    if citation.kind == kinds.NEWS and len(citation.date) == len("2001-02-03"):
        return f"{citation.year}, {_MONTHS[int(citation.date[5:7]) - 1]} {int(citation.date[8:])}"
    return citation.year or "n.d."


def _authors(citation: Citation) -> str:
    """The authors; for a book without any, the editors."""
    authors, editors = citation.with_role(AUTHOR), citation.with_role(EDITOR)
    named = authors or (editors if not _is_part(citation) else ())
    text = _listed([_inverted(name) for name in named], all_japanese(named))
    return f"{text} ({_editors(editors)})" if named and not authors else text


def _editors(editors: Sequence[Name]) -> str:
    return "Eds." if len(editors) > 1 else "Ed."


def _listed(names: Sequence[str], japanese: bool) -> str:
    """Names joined as "Author, A. A., & Author, B. B."; Japanese ones as 夏目漱石・芥川龍之介."""
    names = list(dict.fromkeys(names))
    if len(names) > _MAX_NAMES:
        return f"{', '.join(names[: _MAX_NAMES - 1])}, … {names[-1]}"
    if len(names) < 2:
        return "".join(names)
    return "・".join(names) if japanese else f"{', '.join(names[:-1])}, & {names[-1]}"


def _inverted(name: Name) -> str:
    """A name as "Natsume, S."; in full if it is in kanji or has no parts."""
    if not name.family or is_east_asian(name):
        return name.natural
    return join_parts((name.family, _initials(name.given), name.suffix))


def _natural_list(names: Sequence[Name]) -> str:
    """Editors and translators inside a reference: S. Natsume & E. McClellan."""
    forms = [
        name.natural
        if not name.family or is_east_asian(name)
        else join_parts((_initials(name.given), name.family, name.suffix), " ")
        for name in names
    ]
    return _listed(forms, all_japanese(names)) if len(forms) != 2 or all_japanese(names) else " & ".join(forms)


def _initials(given: str) -> str:
    """ "Martin Luther" becomes "M. L.", "Jean-Paul" "J.-P."; particles such as "van" are kept."""
    return " ".join(
        word if word.islower() else "-".join(f"{part[0]}." for part in word.split("-") if part)
        for word in _WORDS.findall(given)
    )


_WORDS = re.compile(r"[^\s.]+")
_EDITION = re.compile(r"\bed(?:ition)?\.?\Z", re.IGNORECASE)
_MONTHS = "January February March April May June July August September October November December".split()
