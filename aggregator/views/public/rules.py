"""The public pages about the rules of the checks: all of them, and each one. Knows HTTP and words; decides nothing."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from aggregator.catalogue import providers
from aggregator.presentation.issues import severity_names
from aggregator.query.parameters import TEXT_LIMIT, BadParameter
from harvesting.models import Repository
from metadata.catalogue import RULES, family_of, general_remedy, general_sentence
from metadata.issue import Severity
from metadata.policy import Policy, Profile, is_switchable
from metadata.text.folding import fold

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

# What the first part of a code stands for, in the order of the page.
FAMILIES: "dict[str, StrOrPromise]" = {
    "dcndl": "DC-NDL (RDF)",
    "dcndl_simple": "DC-NDL (Simple)",
    "jpcoar": "JPCOAR",
    "junii2": "junii2",
    "oai_dc": "oai_dc (Dublin Core)",
    "marcxml": "MARCXML",
    "mods": "MODS",
    "rss": "RSS",
    "json": gettext_lazy("JSON and tables"),
    "chars": gettext_lazy("Characters, in every format"),
    "xml": "XML",
    "oai": gettext_lazy("The frame around a record"),
    "file": gettext_lazy("Files"),
    "xsd": gettext_lazy("Official schemas (XSD), where they are placed"),
    "rs": "ResourceSync",
    "harvest": gettext_lazy("What cannot be stored"),
}
OUTCOMES: "dict[Severity | None, StrOrPromise]" = {
    Severity.RECORD_ERROR: gettext_lazy("The record is not registered. If an earlier version is, that one stays."),
    Severity.ITEM_ERROR: gettext_lazy("The record is registered; a value at fault is left out, replaced or not used."),
    Severity.WARNING: gettext_lazy("The record is registered, and its provider is told."),
    Severity.NORMALISED: gettext_lazy("The record is registered with the value repaired, and its provider is told."),
    Severity.NORMALISED_SILENTLY: gettext_lazy(
        "The record is registered with the value repaired. It is only counted for each harvest."
    ),
    Severity.INFORMATION: gettext_lazy("The record is registered; this is only mentioned."),
    None: gettext_lazy("It is not checked."),
}
PARAMETERS = ("q", "format", "severity", "profile")


@dataclass(frozen=True, slots=True)
class Weight:
    """What a rule counts as, and by which profiles ("" = by all)."""

    severity: str
    word: str
    profiles: str
    outcome: "StrOrPromise"


@dataclass(frozen=True, slots=True)
class Row:
    """A rule in the list."""

    code: str
    sentence: str
    weights: tuple[Weight, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the list is to show; "" = any."""

    q: str = ""
    format: str = ""
    severity: str = ""
    profile: str = ""

    @property
    def profiles(self) -> tuple[Profile, ...]:
        return (Profile(self.profile),) if self.profile else tuple(Profile)


def rule_list(request: HttpRequest) -> HttpResponse:
    """Every rule, in groups by format; fewer where a format, a severity, a profile or words are given."""
    try:
        wanted = read_wanted(request)
    except BadParameter as problem:
        return render(request, "errors/parameter.html", {"problem": problem}, status=400)
    codes = sorted(filter(lambda code: is_wanted(code, wanted), RULES), key=_order)
    groups = [
        (FAMILIES.get(family, family), [_row(code, wanted.profiles) for code in each])
        for family, each in groupby(codes, family_of)
    ]
    choices = {"families": families(), "severities": severity_names().items(), "profiles": Repository.Profile.choices}
    found = {"wanted": wanted, "narrowed": wanted != Wanted(), "groups": groups, "count": len(codes)}
    return render(request, "rules/list.html", {**found, **choices})


def rule(request: HttpRequest, code: str) -> HttpResponse:
    """One rule: what it says, what it counts as, where it comes from, what to do, an example, and who has it now."""
    if code not in RULES:
        raise Http404(code)
    language = get_language() or ""
    affected = providers.affected(code)
    return render(
        request,
        "rules/rule.html",
        {
            "code": code,
            "text": RULES[code],
            "family": family_of(code),
            "family_name": FAMILIES.get(family_of(code), family_of(code)),
            "sentence": general_sentence(code, language),
            "remedy": general_remedy(code, language),
            "weights": weights(code, Profile),
            "switchable": is_switchable(code),
            "is_stored": any(each.severity != Severity.NORMALISED_SILENTLY for each in weights(code, Profile)),
            "affected": affected,
            "records": sum(count for _repository, count in affected),
        },
    )


def read_wanted(request: HttpRequest) -> Wanted:
    """The list that a query string asks for. Raises BadParameter."""
    allowed = {
        "format": {family for family, _name in families()},
        "severity": {str(each) for each in Severity},
        "profile": {str(each) for each in Profile},
    }
    for name in request.GET:
        if name not in PARAMETERS:
            raise BadParameter(name, _("Allowed are: %(names)s.") % {"names": ", ".join(PARAMETERS)})
    values = {name: request.GET.get(name, "").strip() for name in PARAMETERS}
    for name, known in allowed.items():
        if values[name] and values[name] not in known:
            raise BadParameter(name, _("Allowed are: %(names)s.") % {"names": ", ".join(sorted(known))})
    if len(values["q"]) > TEXT_LIMIT:
        raise BadParameter("q", _("At most %(limit)s characters are allowed.") % {"limit": TEXT_LIMIT})
    return Wanted(**values)


def is_wanted(code: str, wanted: Wanted) -> bool:
    """Whether a rule is of the format, counts so by one of the profiles, and contains all the words."""
    if wanted.format and family_of(code) != wanted.format:
        return False
    counts = {Policy(profile=each).severity(code) for each in wanted.profiles}
    if counts == {None} or (wanted.severity and wanted.severity not in counts):
        return False
    text = RULES[code]
    written = fold(" ".join((code, text.ja, text.en, text.remedy_ja, text.remedy_en, text.source)))
    return all(fold(word) in written for word in wanted.q.split())


def families() -> "list[tuple[str, StrOrPromise]]":
    """The families that there are rules of, with their names, in the order of the page."""
    known = sorted({family_of(code) for code in RULES}, key=_family_order)
    return [(family, FAMILIES.get(family, family)) for family in known]


def weights(code: str, profiles: Iterable[Profile]) -> tuple[Weight, ...]:
    """What a rule counts as: once where the profiles agree, else for each."""
    asked = list(profiles)
    counts = {profile: Policy(profile=profile).severity(code) for profile in asked}
    if len(set(counts.values())) == 1:
        return (_weight(counts[asked[0]], ""),)
    return tuple(_weight(severity, Repository.Profile(profile).label) for profile, severity in counts.items())


def _weight(severity: Severity | None, profiles: "StrOrPromise") -> Weight:
    word = severity_names()[severity] if severity else _("Not checked")
    return Weight(str(severity or ""), word, str(profiles), OUTCOMES[severity])


def _row(code: str, profiles: Iterable[Profile]) -> Row:
    return Row(code, general_sentence(code, get_language() or ""), weights(code, profiles))


def _order(code: str) -> tuple[int, str, str]:
    return _family_order(family_of(code)), family_of(code), code.partition(".")[2][1:]


def _family_order(family: str) -> int:
    return list(FAMILIES).index(family) if family in FAMILIES else len(FAMILIES)
