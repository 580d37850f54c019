"""Reads texts for people from TOML files, which cataloguers can edit. Refuses what does not fit.

A file is read when the module that needs it is imported. A mistake in a file stops the program with a ValueError that
names the file, the entry and the key.
"""

import tomllib
from pathlib import Path
from string import Formatter
from typing import Annotated, Any

import msgspec

from metadata.text.languages import in_language

Text = Annotated[str, msgspec.Meta(min_length=1)]


class Words(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A text in Japanese and English, with the same placeholders."""

    ja: Text
    en: Text

    def __post_init__(self) -> None:
        check_pair("", self.ja, self.en)

    def in_language(self, language: str) -> str:
        return in_language(language, self.ja, self.en)


def read_table(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def read_entries[Entry](path: Path, entry: type[Entry]) -> dict[str, Entry]:
    """Return the entries of a TOML file by their names, each checked against the type."""
    return entries_of(read_table(path), entry, f"{path}: ")


def read_families[Entry](path: Path, entry: type[Entry]) -> dict[tuple[str, str], Entry]:
    """Return the entries of a TOML file that has a table for each family of entries, by family and name."""
    return {
        (family, name): value
        for family, table in read_table(path).items()
        for name, value in entries_of(table, entry, f"{path}: {family}.").items()
    }


def entries_of[Entry](table: object, entry: type[Entry], place: str) -> dict[str, Entry]:
    """Return the entries of a table by their names, each checked against the type. place: of the table, for errors."""
    if not isinstance(table, dict):
        raise ValueError(f"{place.rstrip('.')} is not a table")
    return {name: _entry(value, entry, f"{place}{name}") for name, value in table.items()}


def check_pair(prefix: str, ja: str, en: str) -> set[str]:
    """Return the placeholders of a text. prefix: of its keys. ValueError: they differ, or one language is missing."""
    if bool(ja) != bool(en):
        raise ValueError(f"{prefix}{'en' if ja else 'ja'} is missing")
    in_ja, in_en = _placeholders(f"{prefix}ja", ja), _placeholders(f"{prefix}en", en)
    if in_ja != in_en:
        only = ", ".join(f"{{{name}}}" for name in sorted(in_ja ^ in_en))
        raise ValueError(f"only one of {prefix}ja and {prefix}en has {only}")
    return in_ja


def _placeholders(key: str, text: str) -> set[str]:
    try:
        return {field for _literal, field, _form, _conversion in Formatter().parse(text) if field is not None}
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from error


def _entry[Entry](value: object, entry: type[Entry], place: str) -> Entry:
    try:
        return msgspec.convert(value, entry)
    except msgspec.ValidationError as error:
        raise ValueError(f"{place}: {error}") from error
