"""Filters of the pages: language of texts, safe links, words for links. No request needed."""

import re
from collections.abc import Collection, Iterable
from functools import lru_cache

import msgspec
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext, pgettext
from django.utils.translation import gettext as _

from aggregator.catalogue.books import Book
from aggregator.catalogue.editions import Edition
from aggregator.catalogue.shelves import Shelf
from aggregator.libraries.addresses import library_path
from aggregator.libraries.numbers import library_number
from aggregator.presentation.field_labels import accessible_label, identifier_scheme
from aggregator.presentation.licences import ShownLicence, shown_licences
from aggregator.presentation.other_editions import differences
from aggregator.results.highlight import pieces
from metadata import links
from metadata.formats import format_named
from metadata.record import BibliographicRecord, File

KANA = re.compile(r"[\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f]")
HANGUL = re.compile(r"[\u1100-\u11ff\uac00-\ud7af]")
HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
LANG = {name: format_html(' lang="{}"', name) for name in ("ja", "ko")}


def accessible_format(form: str) -> str:
    """Return the name of an accessible format, given by its key."""
    return accessible_label(form)


def format_name(prefix: str) -> str:
    """Return the name of the format of a metadataPrefix."""
    known = format_named(prefix)
    return known.label.in_language(get_language()) if known else prefix


def stated_licences(statement: str) -> tuple[ShownLicence, ...]:
    """Return the licence that a provider states for its metadata, with its name where it has one."""
    return shown_licences(filter(None, [statement]))


def scheme_name(scheme: str) -> str:
    """Return the name of a scheme of numbers; a general word for one that has no name."""
    return identifier_scheme(scheme) or _("Identifier")


def lang(text: object) -> SafeString | str:
    """Return a lang attribute for a harvested text, "" if its script does not show the language (WCAG 3.1.2).

    A text in kanji alone counts as Japanese.
    """
    written = str(text)
    if KANA.search(written):
        return LANG["ja"]
    if HANGUL.search(written):
        return LANG["ko"]
    return LANG["ja"] if HAN.search(written) else ""


def safe_href(url: str) -> str:
    """Return the address if it may be linked to, else ""."""
    return links.safe_href(url)


def link_label(shelf: Shelf) -> str:
    """Return the text of a library's link, which says where it leads: to the record's own page, to a search by OpenURL,
    or to a home page.
    """
    return _link_label(get_language(), shelf.link.kind, shelf.label)


@lru_cache(maxsize=1024)  # a results page has about sixty links to a few libraries
def _link_label(_language: str | None, kind: str, name: str) -> str:
    names = {"name": name}
    if kind == "openurl":
        return _("Look it up at %(name)s") % names
    if kind == "top":
        return _("Go to the top page of %(name)s") % names
    return _("See it at %(name)s") % names


def held(book: Book) -> str:
    """Return the number of libraries that hold a book, and that of their copies if there are more."""
    return _held(get_language(), book.holders.libraries, book.holders.copies)


@lru_cache(maxsize=1024)
def _held(_language: str | None, libraries: int, copies: int) -> str:
    counts = [ngettext("%(libraries)s library", "%(libraries)s libraries", libraries) % {"libraries": libraries}]
    if copies > libraries:
        counts.append(copy_count(copies))
    return pgettext("between counts", ", ").join(counts)


def copy_count(copies: int) -> str:
    """Return a number of copies in words."""
    return ngettext("%(copies)s copy", "%(copies)s copies", copies) % {"copies": copies}


class Way(msgspec.Struct, frozen=True, gc=False):
    """How a result leads to a library: page is its page on this site, href the book in its own catalogue; "" = none.
    target: see `link_target`.
    """

    name: str
    page: str
    href: str
    word: str
    label: str
    target: str


def ways(shelves: Iterable[Shelf]) -> list[Way]:
    """Return for each library its page and the link to its own catalogue."""
    language = get_language()
    return [
        Way(
            shelf.label,
            library_path(shelf.library.pk),
            links.safe_href(shelf.link.url),
            link_word(shelf),
            _link_label(language, shelf.link.kind, shelf.label),
            link_target(shelf),
        )
        for shelf in shelves
    ]


def link_target(shelf: Shelf) -> str:
    """Return the number of the library, or else of the provider, that a link leads to."""
    if shelf.library.pk:
        return library_number(shelf.library.pk)
    return shelf.repositories[0].number if shelf.repositories else ""


def link_word(shelf: Shelf) -> str:
    """Return a short text for a library's link, for use beside its name."""
    words = {"openurl": _("Look it up"), "top": _("Top page")}
    return words.get(shelf.link.kind, _("Record page"))


def file_name(file: File) -> str:
    """Return the label of a file, else the end of its address."""
    return file.label or file.uri.rstrip("/").rsplit("/", 1)[-1]


def edition_facts(edition: Edition, record: BibliographicRecord) -> list[str]:
    """Return what distinguishes an edition from the book of the page, the year first."""
    return [fact for fact in (edition.record.year, *differences(edition, record)) if fact]


def grouped(number: int) -> str:
    """Return a count with separators between thousands: 1,234,567."""
    return f"{number:,}"


def marked(text: str, words: Collection[str]) -> SafeString | str:
    """Return a text with the words of the search in <mark>."""
    found = pieces(text, words) if words else []
    if not any(piece.found for piece in found):
        return text
    return format_html(
        "".join("<mark>{}</mark>" if piece.found else "{}" for piece in found), *[piece.text for piece in found]
    )
