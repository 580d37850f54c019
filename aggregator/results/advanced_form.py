"""The advanced search form, filled with what was typed, right or wrong. Works on parameters, not on a `Query`.

Every field is named as the search parameter that it sets, so the form needs nothing but HTML. Conditions without a
field of their own (a subject chosen from a facet, an excluded provider) become ticked boxes.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from aggregator.catalogue import books
from aggregator.query.parameters import EXCLUDING, LABELS, MOST_CHOICES, PARAMETERS
from aggregator.query.values import TEXT_LIMIT, BadParameter
from aggregator.results import place_fields
from aggregator.results.paging import SIZES, SORT_WORDS
from aggregator.results.place_fields import Box, ChosenLibraries, Offer, RegionBoxes
from aggregator.results.value_labels import READERS
from aggregator.search.base import CHOICES, FLAGS, SORTS, TEXTS
from metadata.accessible import FORMATS
from metadata.vocabularies.access import ACCESS

EXAMPLES: dict[str, str | Promise] = {
    "q": gettext_lazy("any words, for example 図書館 情報"),
    "title": gettext_lazy("words of the title or of its reading"),
    "creator": gettext_lazy("for example 夏目漱石, ナツメソウセキ"),
    "publisher": gettext_lazy("for example 岩波書店"),
    "subject": gettext_lazy("for example 電子図書館"),
    "journal": gettext_lazy("of an article, for example 図書館雑誌"),
    "isbn": gettext_lazy("10 or 13 digits, with or without hyphens"),
    "issn": gettext_lazy("for example 0028-0836"),
}
# Conditions without a field here, which stay: on whole values, chosen from facets, and those of programs.
WHOLE = tuple(name for name in CHOICES if name.endswith("_is") or name in ("mediatype", "collection"))
WITHOUT_EXCLUSION = ("isbn", "issn")  # excluding a single number is of no use
COMMON_TYPES = (
    *("Book", "Article", "Journal", "Newspaper", "ElectronicResource", "DoctoralDissertation"),
    *("Sound", "MovingImage", "Map", "MusicScore", "JapaneseClassicalBook", "TechnicalReport"),
)
COMMON_KINDS = (
    *("journal article", "departmental bulletin paper", "conference paper", "doctoral thesis", "master thesis"),
    *("thesis", "research report", "conference presentation", "dataset", "software", "learning object"),
)
COMMON_LICENCES = ("cc0", "pdm", "cc-by", "cc-by-sa", "cc-by-nd", "cc-by-nc", "cc-by-nc-sa", "cc-by-nc-nd")
COMMON_LANGUAGES = ("jpn", "eng", "chi", "kor", "ger", "fre", "rus", "spa")
LONGEST_LIST = 400  # providers that get a box of their own


@dataclass(frozen=True, slots=True, kw_only=True)
class TextField:
    """A text field, and beside it the field for words that must not occur."""

    name: str
    label: str
    value: str
    example: str
    without: str = ""
    excludes: bool = True
    error: str = ""
    error_without: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Boxes:
    """A group of alternatives to tick."""

    name: str
    title: str
    boxes: tuple[Box, ...]
    error: str = ""


class AdvancedForm:
    """The form as the template prints it. data: the query string as sent. problem: what is wrong with it, or None."""

    def __init__(self, data: QueryDict, problem: BadParameter | None = None) -> None:
        self.data = data
        self.problem = problem

    @cached_property
    def texts(self) -> list[TextField]:
        return [self._text(name) for name in TEXTS]

    @cached_property
    def groups(self) -> list[Boxes]:
        """Types, classes, access, languages, providers: the common values, and all that are ticked."""
        names = books.listed_repository_names(LONGEST_LIST)
        return [
            self._boxes("type", COMMON_TYPES, READERS["type"]),
            self._boxes("accessible", tuple(FORMATS), READERS["accessible"]),
            self._boxes("ndc", tuple("0123456789"), READERS["ndc"]),
            self._boxes("kind", COMMON_KINDS, READERS["kind"]),
            self._boxes("access", tuple(ACCESS), READERS["access"]),
            self._boxes("licence", COMMON_LICENCES, READERS["licence"]),
            self._boxes("language", COMMON_LANGUAGES, READERS["language"]),
            self._boxes("repository", tuple(names), lambda number: names.get(number, number)),
        ]

    @cached_property
    def regions(self) -> tuple[RegionBoxes, ...]:
        return place_fields.region_boxes([value for name, value in self._values() if name == "region"])

    @property
    def regions_error(self) -> str:
        return self._error("region")

    @cached_property
    def library(self) -> TextField:
        """The field in which a library is typed, empty but for what could not be understood."""
        return TextField(
            name="library",
            label=str(LABELS["library"]),
            value=self._libraries["library"].typed,
            example=_("name or code, for example 2127 or JP-1000001"),
            without=self._libraries["-library"].typed,
            error=self._error("library"),
            error_without=self._error("-library"),
        )

    @property
    def library_offers(self) -> list[Offer]:
        return place_fields.offers()

    @cached_property
    def others(self) -> list[Box]:
        """Conditions without a field of their own."""
        found = [
            Box(name=name, value=value, label=self._words(name, value), ticked=True)
            for name, value in self._values()
            if name in WHOLE
            or (name in EXCLUDING and name[1:] not in self._excluded_in_fields)
            or (name in EXCLUDING and name != "-library" and value != self._first(name))
        ]
        libraries = [box for chosen in self._libraries.values() for box in chosen.boxes]
        return found + [replace(box, label=_condition(box.name, box.label)) for box in libraries]

    @property
    def flags(self) -> list[Box]:
        labels = {"online": _("Only items readable online"), "fulltext": _("Only items with full text")}
        return [Box(name=name, value="1", label=labels[name], ticked=self._first(name) == "1") for name in FLAGS]

    @property
    def first_year(self) -> str:
        return self._first("from")

    @property
    def last_year(self) -> str:
        return self._first("until")

    @property
    def years_error(self) -> str:
        return self._error("from") or self._error("until")

    @property
    def sorts(self) -> list[Box]:
        wanted = self._first("sort") or SORTS[0]
        return [Box(name="sort", value=name, label=str(SORT_WORDS[name]), ticked=name == wanted) for name in SORTS]

    @property
    def sizes(self) -> list[Box]:
        wanted = self._first("size") or str(SIZES[0])
        return [Box(name="size", value=str(size), label=str(size), ticked=str(size) == wanted) for size in SIZES]

    @property
    def problem_name(self) -> str:
        """The condition that is wrong, as the form names it; an unknown one as it was typed."""
        name = self.problem.name if self.problem else ""
        return str(LABELS.get(name.removeprefix("-"), name))

    @property
    def error_elsewhere(self) -> bool:
        """Whether the error is in a parameter that has no field in the form."""
        return (
            bool(self.problem)
            and not any(
                (
                    *(field.error or field.error_without for field in (*self.texts, self.library)),
                    self.years_error,
                    self.regions_error,
                ),
            )
            and not any(group.error for group in self.groups)
        )

    def _text(self, name: str) -> TextField:
        return TextField(
            name=name,
            label=str(LABELS[name]),
            value=self._first(name),
            example=str(EXAMPLES[name]),
            without=self._first(f"-{name}"),
            excludes=name not in WITHOUT_EXCLUSION,
            error=self._error(name),
            error_without=self._error(f"-{name}"),
        )

    def _boxes(self, name: str, common: tuple[str, ...], name_of: Callable[[str], str]) -> Boxes:
        ticked = [value for key, value in self._values() if key == name]
        return Boxes(
            name=name,
            title=str(LABELS[name]),
            boxes=tuple(
                Box(name=name, value=value, label=name_of(value) or value, ticked=value in ticked)
                for value in dict.fromkeys((*common, *ticked))
            ),
            error=self._error(name),
        )

    @property
    def _excluded_in_fields(self) -> set[str]:
        return {"library", *(field.name for field in self.texts if field.excludes)}

    @cached_property
    def _libraries(self) -> dict[str, ChosenLibraries]:
        values = list(self._values())
        return {
            name: place_fields.chosen_libraries(name, [text for key, text in values if key == name])
            for name in ("library", "-library")
        }

    def _values(self) -> Iterator[tuple[str, str]]:
        """Yield the known parameters with their values, as (name, text)."""
        for name in self.data:
            if name in PARAMETERS or name in EXCLUDING:
                yield from (
                    (name, text[:TEXT_LIMIT]) for text in self.data.getlist(name)[:MOST_CHOICES] if text.strip()
                )

    def _first(self, name: str) -> str:
        return next((value for key, value in self._values() if key == name), "")

    def _error(self, name: str) -> str:
        return self.problem.for_readers if self.problem and self.problem.name == name else ""

    def _words(self, name: str, value: str) -> str:
        read = READERS.get(name.removeprefix("-"))
        return _condition(name, (read(value) if read else "") or value)


def _condition(name: str, words: str) -> str:
    labelled = {"label": LABELS[name.removeprefix("-")], "value": words}
    return _("excluding %(label)s: %(value)s") % labelled if name in EXCLUDING else _("%(label)s: %(value)s") % labelled
