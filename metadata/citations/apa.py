"""A record as a reference in the style of the American Psychological Association, 7th edition. Pure.

Who; when; what, with the edition and volume in brackets; where from. Names in kanji stay whole: they have no initials.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from metadata.citations import kinds
from metadata.citations.facts import Citation
from metadata.citations.names import AUTHOR, EDITOR, TRANSLATOR, Name, is_east_asian
from metadata.citations.text import Run, all_japanese, ended, joined

_MOST_NAMES = 20  # of more: the first nineteen, an ellipsis, the last
_IN_PARTS = frozenset((kinds.CHAPTER, kinds.PAPER))
_DESCRIBED = {
    kinds.DOCTORAL: "Doctoral dissertation",
    kinds.MASTER: "Master’s thesis",
    kinds.THESIS: "Thesis",
    kinds.DATASET: "Data set",
    kinds.SOFTWARE: "Computer software",
    kinds.MAP: "Map",
    kinds.VIDEO: "Film",
    kinds.LECTURE: "Conference presentation",
}


def reference(cited: Citation) -> tuple[Run, ...]:
    """The reference; titles of books and journals in italics. Without a maker the title comes first."""
    makers, date = [Run(_makers(cited))], [Run(f"({_date(cited)})")]
    if _is_part(cited):
        title, source = [Run(_title(cited))], list(_book(cited))
    elif _is_article(cited):
        title, source = [Run(_title(cited))], list(_journal(cited))
    else:
        title, source = [Run(_title(cited), italic=True), Run(_stated(cited))], []
    lead = [makers, date, title] if makers[0].text else [title, date]
    publisher = "" if _is_article(cited) or cited.kind in kinds.THESES else cited.publisher
    address = f"https://doi.org/{cited.doi}" if cited.doi else cited.url if cited.electronic else ""
    return tuple(_sentences([*lead, source, [Run(publisher)]], address))


def _sentences(parts: Iterable[Sequence[Run]], address: str) -> Iterator[Run]:
    """Each part with a full stop, and a blank between two; no stop sticks to an address."""
    blank = ""
    for runs in [[run for run in runs if run.text] for runs in parts]:
        if runs:
            stop = ended(runs[-1].text)[len(runs[-1].text) :]
            yield from (Run(blank), *runs, Run(stop))
            blank = " "
    yield Run(f"{blank}{address}" if address else "")


def _is_article(cited: Citation) -> bool:
    return bool(cited.container) and cited.kind in (kinds.ARTICLE, kinds.NEWS)


def _is_part(cited: Citation) -> bool:
    return bool(cited.container) and cited.kind in _IN_PARTS


def _title(cited: Citation) -> str:
    """With the colon of English, not that of ISBD."""
    return cited.title.replace(" : ", ": ").removesuffix(".")


def _journal(cited: Citation) -> Iterator[Run]:
    """*Journal*, *12*(3), 45–67."""
    yield Run(joined((cited.container, cited.volume)), italic=True)
    issue = f"({cited.issue})" if cited.issue else ""
    yield Run(f"{issue}{', ' if cited.pages else ''}{_dashed(cited.pages)}")


def _book(cited: Citation) -> Iterator[Run]:
    """In E. Editor (Ed.), *Book* (Vol. 2, pp. 45–67)."""
    editors = cited.those(EDITOR)
    yield Run(f"In {_spoken(editors)} ({_editors(editors)}), " if editors else "In ")
    yield Run(cited.container, italic=True)
    pages = f"{'pp.' if cited.last_page else 'p.'} {_dashed(cited.pages)}" if cited.pages else ""
    yield Run(_bracketed(_volume(cited.volume), pages))


def _stated(cited: Citation) -> str:
    """(E. McClellan, Trans., 2nd ed., Vol. 3) [Doctoral dissertation, 見本大学]"""
    translators = cited.those(TRANSLATOR)
    edition = _EDITION.sub("ed.", cited.edition)
    by = f"{_spoken(translators)}, Trans." if translators else ""
    described = joined((_DESCRIBED.get(cited.kind, ""), cited.school))
    return _bracketed(by, edition, _volume(cited.volume)) + (f" [{described}]" if described else "")


def _bracketed(*parts: str) -> str:
    text = joined(parts)
    return f" ({text})" if text else ""


def _volume(volume: str) -> str:
    return f"Vol. {volume}" if volume.isdecimal() else volume


def _dashed(pages: str) -> str:
    return pages.replace("-", "–")


def _date(cited: Citation) -> str:
    """The year; of a newspaper's article the day."""
    if cited.kind == kinds.NEWS and len(cited.date) == len("2001-02-03"):
        return f"{cited.year}, {_MONTHS[int(cited.date[5:7]) - 1]} {int(cited.date[8:])}"
    return cited.year or "n.d."


def _makers(cited: Citation) -> str:
    """The authors; of a book without any, the editors."""
    authors, editors = cited.those(AUTHOR), cited.those(EDITOR)
    named = authors or (editors if not _is_part(cited) else ())
    text = _listed([_entered(each) for each in named], all_japanese(named))
    return f"{text} ({_editors(editors)})" if named and not authors else text


def _editors(editors: Sequence[Name]) -> str:
    return "Eds." if len(editors) > 1 else "Ed."


def _listed(names: Sequence[str], japanese: bool) -> str:
    """Author, A. A., & Author, B. B.; 夏目漱石・芥川龍之介."""
    names = list(dict.fromkeys(names))
    if len(names) > _MOST_NAMES:
        return f"{', '.join(names[: _MOST_NAMES - 1])}, … {names[-1]}"
    if len(names) < 2:
        return "".join(names)
    return "・".join(names) if japanese else f"{', '.join(names[:-1])}, & {names[-1]}"


def _entered(name: Name) -> str:
    """Natsume, S.; what is in kanji or has no parts stays whole."""
    if not name.family or is_east_asian(name):
        return name.natural
    return joined((name.family, _initials(name.given), name.suffix))


def _spoken(names: Sequence[Name]) -> str:
    """S. Natsume & E. McClellan, as editors and translators are named inside a reference."""
    said = [
        name.natural
        if not name.family or is_east_asian(name)
        else joined((_initials(name.given), name.family, name.suffix), " ")
        for name in names
    ]
    return _listed(said, all_japanese(names)) if len(said) != 2 or all_japanese(names) else " & ".join(said)


def _initials(given: str) -> str:
    """ "Martin Luther" is "M. L.", "Jean-Paul" is "J.-P."; "van" and the like stay."""
    return " ".join(
        word if word.islower() else "-".join(f"{part[0]}." for part in word.split("-") if part)
        for word in _WORDS.findall(given)
    )


_WORDS = re.compile(r"[^\s.]+")
_EDITION = re.compile(r"\bed(?:ition)?\.?\Z", re.IGNORECASE)
_MONTHS = "January February March April May June July August September October November December".split()
