"""Filters of the public pages: languages of texts, safe links, words for links. Knows no request."""

import re
from collections.abc import Collection, Iterable
from functools import lru_cache

from django import template
from django.conf import settings
from django.template import Context, Engine
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext, pgettext
from django.utils.translation import gettext as _

from aggregator.catalogue.books import Book, Holding
from aggregator.catalogue.editions import Edition
from aggregator.presentation.other_editions import differences
from aggregator.results.highlight import pieces
from metadata import links
from metadata.record import BibliographicRecord, File

register = template.Library()

KANA = re.compile(r"[\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f]")
HANGUL = re.compile(r"[\u1100-\u11ff\uac00-\ud7af]")
HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
LANG = {name: format_html(' lang="{}"', name) for name in ("ja", "ko")}


_frames: dict[tuple[object, ...], SafeString] = {}  # of a site there are some dozens


@register.simple_tag(takes_context=True)
def frame(context: Context, name: str, *values: str) -> SafeString:
    """A part of the frame that stands on every page: made once for each language, and for what `values` are.

    It must depend on nothing else; no reader, no address.
    """
    key = (name, get_language(), *values)
    made = _frames.get(key)
    if made is None or settings.DEBUG:
        made = _frames[key] = Engine.get_default().get_template(name).render(context)
    return made


@register.filter
def lang(text: object) -> SafeString | str:
    """A lang attribute for a harvested text, as far as its script tells (WCAG 3.1.2); Han alone is read as Japanese."""
    written = str(text)
    if KANA.search(written):
        return LANG["ja"]
    if HANGUL.search(written):
        return LANG["ko"]
    return LANG["ja"] if HAN.search(written) else ""


@register.filter
def safe_href(url: str) -> str:
    """The address if it may be linked to, else ""."""
    return links.safe_href(url)


@register.filter
def link_label(holding: Holding) -> str:
    """What the link to a holding leads to: the record's own page, a search by OpenURL, or the provider's top page."""
    return _link_label(get_language(), holding.link.kind, holding.repository.label)


@lru_cache(maxsize=1024)  # a page of results has some sixty, of few providers
def _link_label(_language: str | None, kind: str, name: str) -> str:
    names = {"name": name}
    if kind == "openurl":
        return _("Look it up at %(name)s") % names
    if kind == "top":
        return _("Go to the top page of %(name)s") % names
    return _("See it at %(name)s") % names


@register.filter
def held(book: Book) -> str:
    """How many holdings there are of a book, and of how many providers where it is not one only."""
    return _held(get_language(), len(book.holdings), len(book.providers))


@lru_cache(maxsize=1024)
def _held(_language: str | None, holdings: int, providers: int) -> str:
    counts = [ngettext("%(holdings)s holding", "%(holdings)s holdings", holdings) % {"holdings": holdings}]
    if providers > 1:
        told = ngettext("%(providers)s provider", "%(providers)s providers", providers)
        counts.append(told % {"providers": providers})
    return pgettext("between counts", ", ").join(counts)


@register.filter
def ways(holdings: Iterable[Holding]) -> list[tuple[str, str, str]]:
    """The provider of each holding by name, the address to link to or "", and what the link leads to."""
    language = get_language()
    named = [(each.link, each.repository.label) for each in holdings]
    return [(name, links.safe_href(link.url), _link_label(language, link.kind, name)) for link, name in named]


@register.filter
def link_word(holding: Holding) -> str:
    """The same in a word, beside the provider's name."""
    words = {"openurl": _("Look it up"), "top": _("Top page")}
    return words.get(holding.link.kind, _("Record page"))


@register.filter
def file_name(file: File) -> str:
    """What a file is called: its label, else the end of its address."""
    return file.label or file.uri.rstrip("/").rsplit("/", 1)[-1]


@register.filter
def edition_facts(edition: Edition, record: BibliographicRecord) -> list[str]:
    """By what an edition is told from the book that is looked at, the year first."""
    return [each for each in (edition.record.year, *differences(edition, record)) if each]


@register.filter
def grouped(number: int) -> str:
    """A count with its thousands apart: 1,234,567."""
    return f"{number:,}"


@register.filter
def marked(text: str, words: Collection[str]) -> SafeString | str:
    """A text with the words that were searched in <mark>."""
    found = pieces(text, words) if words else []
    if not any(each.found for each in found):
        return text
    return format_html(
        "".join("<mark>{}</mark>" if each.found else "{}" for each in found), *[each.text for each in found]
    )
