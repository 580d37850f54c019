"""The languages of pages and messages: Japanese, English, and every language that has a catalogue of texts."""

from collections.abc import Iterable
from pathlib import Path

from django.conf import settings
from django.conf.locale import LANG_INFO
from django.utils.translation import gettext, override, to_language

OWN = ("ja", "en")  # the texts themselves are in English, so that English needs no catalogue


def installed(folders: Iterable[Path]) -> dict[str, str]:
    """Return the languages of the catalogues below these folders: code -> name in the language itself."""
    catalogues = [path for folder in folders for path in folder.glob("*/LC_MESSAGES/django.mo")]
    codes = dict.fromkeys((*OWN, *sorted(to_language(path.parent.parent.name) for path in catalogues)))
    return {code: str(LANG_INFO.get(code, {}).get("name_local", code)) for code in codes}


def languages() -> dict[str, str]:
    """Return the languages of this site: code -> name in the language itself, which its readers look for."""
    return dict(settings.LANGUAGES)


def choices() -> list[tuple[str, str]]:
    """Return the languages as choices of a field."""
    return list(settings.LANGUAGES)


def without_prefix(path: str) -> tuple[str, str]:
    """Return the language with which a path begins ("" for none), and the path without it: /en/about is /about."""
    first, slash, rest = path[1:].partition("/")
    if path.startswith("/") and any(first == code for code, _name in settings.LANGUAGES):
        return first, f"/{rest}" if slash else "/"
    return "", path


def translated(language: str, english: str) -> str:
    """Return an English text in a language of this site, as far as its catalogue has the text; else unchanged."""
    if language not in languages():
        return english
    with override(language):
        return gettext(english)
