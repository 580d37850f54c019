"""The page that teaches searching, with examples to click in the search language. Makes no search."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language, gettext_lazy

from metadata.text.languages import name_for

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True, slots=True)
class Example:
    """A text to type, and what it finds. english: what readers of English would type, if that differs."""

    japanese: str
    meaning: "StrOrPromise"
    english: str = ""

    def typed(self, language: str) -> str:
        return name_for(language, self.japanese, self.english)


WORDS = (
    Example("こころ 漱石", gettext_lazy("Both words must occur, anywhere and in any order.")),
    Example("ココロ", gettext_lazy("Readings can be searched in hiragana or katakana, full-width or half-width.")),
    Example("広辞苑", gettext_lazy("Old and new forms of kanji are treated as the same: 広辞苑 and 廣辭苑.")),
    Example("natsume soseki", gettext_lazy("Japanese names and titles may be typed in Latin letters.")),
    Example("978-4-00-431016-7", gettext_lazy("An ISBN may be typed with 10 or 13 digits, with or without hyphens.")),
)
OPERATORS = (
    Example('"吾輩は猫である"', gettext_lazy("Quotation marks find exactly this phrase.")),
    Example(
        "猫 OR 犬", gettext_lazy("At least one of the two words must occur. Write OR in capitals; | does the same.")
    ),
    Example("猫 -漫画", gettext_lazy("Excludes this word; NOT in capitals does the same.")),
    Example("(猫 OR 犬) 写真", gettext_lazy("The part in parentheses is evaluated first.")),
)
FIELDS = (
    Example("書名:こころ", gettext_lazy("Only in the title."), "title:こころ"),
    Example("著者:漱石", gettext_lazy("Only in the names of authors, editors and translators."), "author:漱石"),
    Example("出版者:岩波", gettext_lazy("Only in the publisher."), "publisher:岩波"),
    Example("件名:図書館", gettext_lazy("Only in the subjects."), "subject:図書館"),
    Example(
        "分類:913",
        gettext_lazy("The class number in the Nippon Decimal Classification (NDC) begins with this."),
        "ndc:913",
    ),
    Example("出版年:1990-2000", gettext_lazy("Published in these years."), "year:1990-2000"),
    Example("出版年:2010-", gettext_lazy("Published in this year or later."), "year:2010-"),
    Example(
        '-出版者:"岩波書店"', gettext_lazy("Operators can be combined: not by this publisher."), '-publisher:"岩波書店"'
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
