"""Finds the libraries that a search names: one query for all numbers, one for all codes, one for all whole names."""

from collections.abc import Collection, Iterable

from django.db.models import Q
from django.utils.translation import gettext as _

from aggregator.libraries.identify import NAME, NDL, PROVIDER, code_of, one_line, scheme_rank
from aggregator.libraries.numbers import library_number, library_pk
from aggregator.libraries.successors import present_keys
from aggregator.models import Library, LibraryCode
from aggregator.query.values import BadParameter

_NAMES = ("name", "short_name", "name_en")
_MOST_NAMESAKES = 5  # libraries of the same name that an error message lists


def library_numbers(name: str, texts: Iterable[str]) -> tuple[str, ...]:
    """Return the numbers of these libraries, without repetitions. Raises BadParameter for one that is not known.

    name: of the parameter. texts: numbers ("L12"), codes ("2127", "JP-1000001") or whole names. A library that was
    merged into another stands for that one.
    """
    given = list(texts)
    libraries = _find(given)
    for text in given:
        found = libraries.get(text, [])
        if not found:
            raise BadParameter(name, _("No library has the number, code or name %(text)s.") % {"text": text})
        if len(found) > 1:
            words = {"text": text, "numbers": ", ".join(map(library_number, found[:_MOST_NAMESAKES]))}
            raise BadParameter(
                name, _("Several libraries are called %(text)s; give the number of one: %(numbers)s.") % words
            )
    return tuple(dict.fromkeys(library_number(libraries[text][0]) for text in given))


def numbers_by_text(texts: Iterable[str]) -> dict[str, str]:
    """Return text -> number of the library, for the texts that name one library, in their order."""
    given = list(texts)
    libraries = _find(given)
    return {text: library_number(libraries[text][0]) for text in given if len(libraries.get(text, ())) == 1}


def known_libraries(numbers: Iterable[str]) -> list[int]:
    """Return the libraries that these numbers stand for now, without those that do not exist."""
    return list(dict.fromkeys(present_keys({number: library_pk(number) for number in numbers}).values()))


def _find(given: Collection[str]) -> dict[str, list[int]]:
    """Return text -> primary keys of libraries. Only a name can have several."""
    libraries = _libraries_of_codes([text for text in given if not library_pk(text)])
    libraries |= present_keys({text: pk for text in given if (pk := library_pk(text))})
    found = {text: [pk] for text, pk in libraries.items()}
    return found | _libraries_of_names([text for text in given if text not in found and not library_pk(text)])


def _libraries_of_names(texts: Collection[str]) -> dict[str, list[int]]:
    """Return text -> the libraries of this name, for whole names. Reads the table of libraries, which is small."""
    spelled = {text: one_line(text) for text in texts}
    wanted = set(spelled.values()) - {""}
    if not wanted:
        return {}
    condition = Q(name__in=wanted) | Q(short_name__in=wanted) | Q(name_en__in=wanted)
    by_name: dict[str, list[int]] = {}
    for pk, *names in Library.objects.current().filter(condition).order_by("pk").values_list("pk", *_NAMES):
        for name in wanted & set(names):
            by_name.setdefault(name, []).append(pk)
    return {text: by_name[name] for text, name in spelled.items() if name in by_name}


def _libraries_of_codes(texts: Collection[str]) -> dict[str, int]:
    """Return text -> library, for the texts that are codes."""
    forms = {text: {one_line(text), code.value} for text in texts if (code := code_of(NDL, text))}
    values = {form for own in forms.values() for form in own}
    rows = LibraryCode.objects.filter(value__in=values).exclude(scheme__in=(NAME, PROVIDER)) if values else ()
    by_value: dict[str, int] = {}
    for row in sorted(rows, key=_rank):
        by_value.setdefault(row.value, row.library_id)
    return {text: by_value[form] for text, own in forms.items() for form in sorted(own) if form in by_value}


def _rank(row: LibraryCode) -> tuple[int, str]:
    return scheme_rank(row.scheme), row.scheme
