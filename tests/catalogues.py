"""Writes the catalogue of a language that does not exist: every text of the program between brackets."""

import ast
import gettext
import struct
from collections.abc import Iterator
from pathlib import Path

from harvesting.management.commands.makemessages import BESIDE_JAPANESE
from tests.paths import ROOT
from tests.sources import modules_with, nodes_in

OPEN, CLOSE = "［", "］"
HEADER = "Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=1; plural=0;\n"
PACKAGES = ("metadata", "harvesting", "aggregator")


def bracketed(text: str) -> str:
    return f"{OPEN}{text}{CLOSE}"


def write_catalogue(folder: Path, code: str) -> None:
    """Write the catalogue of a language below a folder of catalogues."""
    path = folder / code / "LC_MESSAGES" / "django.mo"
    path.parent.mkdir(parents=True)
    path.write_bytes(_mo({"": HEADER, **{key: bracketed(text) for key, text in _texts()}}))


def _texts() -> Iterator[tuple[str, str]]:
    """Yield the keys of all texts with the English text: those that the Japanese catalogue has, and those in two
    languages beside each other.
    """
    with (ROOT / "locale" / "ja" / "LC_MESSAGES" / "django.mo").open("rb") as file:
        known = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    for key in known:
        text = key[0] if isinstance(key, tuple) else key
        if text:
            yield (f"{text}\0{text}" if isinstance(key, tuple) else text), text.rpartition("\x04")[2]
    for english in _in_two_languages():
        yield english, english


def _in_two_languages() -> Iterator[str]:
    for package in PACKAGES:
        for suffix, texts in BESIDE_JAPANESE.items():
            for path in (ROOT / package).rglob(f"*{suffix}"):
                yield from texts(path)
        for path in modules_with(package, "Label(", "Place("):
            for node in nodes_in(path):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Name)
                    and node.func.id in {"Label", "Place"}
                ):
                    yield from (part.value for part in node.args[-1:] if isinstance(part, ast.Constant))


def _mo(messages: dict[str, str]) -> bytes:
    """Return the binary form of a catalogue (GNU gettext, "The Format of GNU MO Files")."""
    rows = sorted((key.encode(), text.encode()) for key, text in messages.items())
    keys, texts, start = b"", b"", 28 + 16 * len(rows)
    of_keys, of_texts = [], []
    for key, text in rows:
        of_keys.append((len(key), len(keys)))
        of_texts.append((len(text), len(texts)))
        keys, texts = keys + key + b"\0", texts + text + b"\0"
    tables = [struct.pack("<II", size, start + place) for size, place in of_keys]
    tables += [struct.pack("<II", size, start + len(keys) + place) for size, place in of_texts]
    head = struct.pack("<7I", 0x950412DE, 0, len(rows), 28, 28 + 8 * len(rows), 0, 0)
    return head + b"".join(tables) + keys + texts
