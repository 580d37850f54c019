"""The page that teaches searching, with examples to click in the search language. Makes no search."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language, gettext_lazy

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True, slots=True)
class Example:
    """A text to type, and what it finds. english: what readers of English would type, if that differs."""

    japanese: str
    meaning: "StrOrPromise"
    english: str = ""

    def typed(self, language: str) -> str:
        return self.english if language == "en" and self.english else self.japanese


WORDS = (
    Example("こころ 漱石", gettext_lazy("Both words must occur, wherever they stand, in any order.")),
    Example("ココロ", gettext_lazy("Readings are found, in hiragana or katakana, of full or half width.")),
    Example("広辞苑", gettext_lazy("Old and new forms of kanji find each other: 広辞苑 and 廣辭苑.")),
    Example("natsume soseki", gettext_lazy("Japanese names and titles may be typed in Latin letters.")),
    Example("978-4-00-431016-7", gettext_lazy("An ISBN has 10 or 13 digits, with or without hyphens.")),
)
OPERATORS = (
    Example('"吾輩は猫である"', gettext_lazy("Between quotation marks: exactly these words, one after the other.")),
    Example("猫 OR 犬", gettext_lazy("One of the two is enough. OR is written in capitals; | does the same.")),
    Example("猫 -漫画", gettext_lazy("Without this word; NOT in capitals does the same.")),
    Example("(猫 OR 犬) 写真", gettext_lazy("What stands in brackets is looked at first.")),
)
FIELDS = (
    Example("書名:こころ", gettext_lazy("Only in the title."), "title:こころ"),
    Example("著者:漱石", gettext_lazy("Only in the names of authors, editors and translators."), "author:漱石"),
    Example("出版者:岩波", gettext_lazy("Only in the publisher."), "publisher:岩波"),
    Example("件名:図書館", gettext_lazy("Only in the subjects."), "subject:図書館"),
    Example("分類:913", gettext_lazy("The class of the Nippon Decimal Classification begins so."), "ndc:913"),
    Example("出版年:1990-2000", gettext_lazy("Published in these years."), "year:1990-2000"),
    Example("出版年:2010-", gettext_lazy("Published in this year or later."), "year:2010-"),
    Example(
        '-出版者:"岩波書店"', gettext_lazy("Signs can be combined: not of this publisher."), '-publisher:"岩波書店"'
    ),
)


def search_help(request: HttpRequest) -> HttpResponse:
    """Show how to search, with examples in the language of the page."""
    language = get_language() or ""
    groups = {"words": WORDS, "operators": OPERATORS, "fields": FIELDS}
    rows = {
        name: [(example.typed(language), example.meaning) for example in examples] for name, examples in groups.items()
    }
    return render(request, "pages/help.html", rows)
