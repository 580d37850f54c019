"""Texts that exist in Japanese and English, and the language in which people read them.

Readers of any further language get the English text, translated by the catalogue of that language where it has it. This
package knows no catalogues, so the program that has some names the function that looks texts up.
"""

from collections.abc import Callable
from dataclasses import dataclass

JAPANESE, ENGLISH = "ja", "en"


def _untranslated(_language: str, english: str) -> str:
    return english


@dataclass(slots=True)
class Catalogue:
    """translate: returns an English text in a further language, or as it is."""

    translate: Callable[[str, str], str] = _untranslated


CATALOGUE = Catalogue()


def is_japanese(language: str | None) -> bool:
    """Whether a tag such as "ja" or "ja-JP" names Japanese; no language counts as Japanese."""
    return not language or language.startswith(JAPANESE)


def in_language(language: str | None, japanese: str, english: str) -> str:
    """Return the text of the two that readers of a language get."""
    if is_japanese(language):
        return japanese
    if not english or (language or "").startswith(ENGLISH):
        return english
    return CATALOGUE.translate(language or "", english)


def name_for(language: str | None, name: str, english: str) -> str:
    """Return the name of something, of which only some have an English form, for readers of a language."""
    return english if english and not is_japanese(language) else name
