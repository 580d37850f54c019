"""The parameters of NDL Search's OpenURL as an address of the results page. No search.

All conditions must hold. Keys may have the prefix "rft.".
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from aggregator.provision.contents import all_terms
from aggregator.provision.ndl.conditions import ACCESS_RIGHTS, institutional, provider_numbers
from aggregator.query.parameters import address
from aggregator.query.values import BadParameter, refuse_controls
from aggregator.search.base import CHOICES, Query
from aggregator.search.materials import ARTICLE, COLLECTION, REPOSITORY
from aggregator.search.query.words import SHORTEST_BEGINNING
from aggregator.search.tree import Choice, Either, Node, combine
from metadata.identifiers import normalise
from metadata.vocabularies.media_types import MEDIA_TYPES

_KEYS = ("aulast", "aufirst", "au", "title", "atitle", "btitle", "jtitle", "pub", "issn", "isbn")
_OWN = ("genre", "any", "ndl_jpno", "ndl_dpid", "mediatype")
Given = dict[str, str]
JPNO_DIGITS = 8


def results(parameters: Mapping[str, Sequence[str]]) -> str:
    """Return the address of the results. Raises BadParameter for requests without or with contradictory conditions."""
    given = _given(parameters)
    genre = "" if "ndl_dpid" in given else given.pop("genre", "").lower()
    given.pop("genre", None)
    if genre:
        _refuse_contradiction(genre, given)
    if not given:
        names = ", ".join((*_KEYS, *_OWN[1:]))
        raise BadParameter(
            "openurl", _("The link contains nothing to search for. Give at least one of: %(names)s.") % {"names": names}
        )
    fields: dict[str, Any] = {**_words(given), **_numbers(given), **_choices(given, genre)}
    return address(Query(**fields), reverse("search"))


def _given(parameters: Mapping[str, Sequence[str]]) -> Given:
    given: Given = {}
    for name in (*_KEYS, *_OWN):
        texts = [*parameters.get(name, ()), *parameters.get(f"rft.{name}", ())]
        text = " ".join(texts).strip()
        if text:
            refuse_controls(name, text)
            given[name] = text
    return given


def _refuse_contradiction(genre: str, given: Given) -> None:
    wrong = "btitle" if genre == "article" else "atitle"
    if wrong in given:
        raise BadParameter(
            "genre", _("The genre %(genre)s does not go together with %(name)s.") % {"genre": genre, "name": wrong}
        )


def _words(given: Given) -> dict[str, str]:
    """Return the text conditions."""
    fields = {
        "title": ("title", "atitle", "btitle"),
        "creator": ("au", "aulast", "aufirst"),
        "publisher": ("pub",),
        "journal": ("jtitle",),
        "q": ("any",),
    }
    return {
        field: text
        for field, names in fields.items()
        if (text := " ".join(given[name] for name in names if name in given))
    }


def _numbers(given: Given) -> dict[str, str]:
    """Return the conditions on numbers; a part of an ISBN or ISSN is the beginning of one, with a star."""
    fields: dict[str, str] = {}
    words = _words(given).get("q", "")
    for scheme in ("ISBN", "ISSN"):
        text = given.get(scheme.lower(), "")
        if text and normalise(scheme, text):
            fields[scheme.lower()] = text
        elif text:
            fields[scheme.lower()] = _beginning(scheme, text)
    if "ndl_jpno" in given:
        words = f"{words} jpno:{_bibliography_number(given['ndl_jpno'])}".strip()
    return {**fields, **({"q": words} if words else {})}


def _beginning(scheme: str, text: str) -> str:
    """Return the beginning of a number; that of an ISBN is completed with the 978 of the 13 digits it has here."""
    compact = re.sub(r"[\s\-‐–−]", "", unicodedata.normalize("NFKC", text))
    if not compact.isdecimal() or len(compact) >= {"ISBN": 10, "ISSN": 8}[scheme]:
        return text  # a wrong number, which is searched as typed
    return f"978{compact}*" if scheme == "ISBN" and not "978979".startswith(compact[:3]) else f"{compact}*"


def _bibliography_number(text: str) -> str:
    """Return a JPNO in quotes, or the beginning of one with a star; fewer than four digits are searched as typed."""
    number = normalise("JPNO", text)
    if number.isdecimal() and SHORTEST_BEGINNING <= len(number) < JPNO_DIGITS:
        return f"{number}*"
    return '"{}"'.format(text.replace('"', ""))


def _choices(given: Given, genre: str) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if genre == "article":
        fields["types"] = (ARTICLE,)
    elif genre:
        fields["excluded"] = (("type", ARTICLE),)
    if "mediatype" in given:
        fields |= _media_types(given["mediatype"].split())
    if "ndl_dpid" in given:
        fields |= _providers(given["ndl_dpid"].split())
    return fields


def _media_types(names: Sequence[str]) -> dict[str, Any]:
    """Return the condition of the results page for any of these mediatypes. Raises BadParameter."""
    if not MEDIA_TYPES.keys() >= set(names):
        raise BadParameter("mediatype", _("Allowed: %(names)s.") % {"names": ", ".join(MEDIA_TYPES)})
    if REPOSITORY not in names:
        return {"media_types": tuple(dict.fromkeys(names))}
    numbers = institutional()
    if set(names) != {REPOSITORY} or not numbers:
        raise BadParameter(
            "mediatype",
            _("The mediatype repository stands alone, and needs a provider that is an institutional repository."),
        )
    return {"repositories": tuple(numbers)}


def _providers(names: Sequence[str]) -> dict[str, Any]:
    """Return the condition for any of these data providers, collections, or access rights. Raises BadParameter."""
    terms = list(all_terms().values())
    numbers = [number for name in names for number in provider_numbers(name, terms)]
    rights = [ACCESS_RIGHTS[name] for name in names if name in ACCESS_RIGHTS]
    collections = [Choice("collection", name) for name in names if COLLECTION.fullmatch(name)]
    fields = _one_choice([*rights, *collections, *(Choice("repository", number) for number in numbers)])
    if not fields:
        raise BadParameter("ndl_dpid", _("No provider of this site has this name."))
    return fields


def _one_choice(nodes: Sequence[Node]) -> dict[str, Any]:
    """Return these alternatives as one condition of the results page; {} if they are none, or of several kinds."""
    given = combine(list(nodes), Either)
    choices = [node for node in (given.of if isinstance(given, Either) else (given,)) if isinstance(node, Choice)]
    names = {choice.name for choice in choices}
    if len(names) != 1:
        return {}
    return {CHOICES[names.pop()]: tuple(dict.fromkeys(choice.value for choice in choices))}
