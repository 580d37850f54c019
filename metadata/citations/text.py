"""Helpers to assemble the text of a reference from its parts. Pure; independent of the citation styles."""

from collections.abc import Iterable

import msgspec

from metadata.citations.names import Name, is_east_asian


class Run(msgspec.Struct, frozen=True, gc=False):
    """A piece of text in roman or italic type."""

    text: str
    italic: bool = False


def plain_text(runs: Iterable[Run]) -> str:
    """Return the reference without type styles."""
    return "".join(run.text for run in runs)


def join_parts(parts: Iterable[str], mark: str = ", ") -> str:
    """Join the parts that are not empty, with a mark between them."""
    return mark.join(part for part in parts if part)


def with_full_stop(text: str) -> str:
    """Return the text with a full stop, unless it is empty or ends with a mark of its own."""
    return text if not text or text[-1] in ".?!。？！" else f"{text}."


def all_japanese(names: Iterable[Name]) -> bool:
    """Whether all names are in East Asian script, so that neither initials nor "and" are used."""
    return all(is_east_asian(name) for name in names)
