"""A reference as text to copy: parts with their marks, joined as styles of citation do. Pure; knows no style."""

from collections.abc import Iterable
from dataclasses import dataclass

from metadata.citations.names import Name, is_east_asian


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text in one face."""

    text: str
    italic: bool = False


def plain(runs: Iterable[Run]) -> str:
    """The reference without its faces."""
    return "".join(run.text for run in runs)


def joined(parts: Iterable[str], mark: str = ", ") -> str:
    """The parts that there are, with a mark between them."""
    return mark.join(part for part in parts if part)


def ended(text: str, stop: str = ".") -> str:
    """The text with a full stop, unless it ends with a mark of its own."""
    return text if not text or text[-1] in ".?!。？！" else text + stop


def all_japanese(names: Iterable[Name]) -> bool:
    """All are written in kanji or kana, so that neither initials nor "and" belong between them."""
    return all(is_east_asian(each) for each in names)
