"""The public pages about the validation rules: the list, and one page for each rule."""

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
from metadata.catalogue import RULES, family_of, general_remedy, general_sentence, source, successors
from metadata.formats import FORMATS
from metadata.issue import Severity
from metadata.policy import Policy, Profile, is_switchable
from metadata.text.folding import fold

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

# First part of a code of the rules that are not those of one format -> its name, in the order of the page.
OTHER_FAMILIES: "dict[str, StrOrPromise]" = {
    "chars": gettext_lazy("Characters, in every format"),
    "doi": gettext_lazy("DOIs to be registered, in every format"),
    "thesis": gettext_lazy("Doctoral theses to be handed over to the NDL"),
    "xml": "XML",
    "oai": gettext_lazy("OAI-PMH: the header and structure of a record"),
    "file": gettext_lazy("Files"),
    "xsd": gettext_lazy("Official schemas (XSD), where installed"),
    "rs": "ResourceSync",
    "harvest": gettext_lazy("What cannot be stored"),
}
OUTCOMES: "dict[Severity | None, StrOrPromise]" = {
    Severity.RECORD_ERROR: gettext_lazy(
        "The record is not registered. An earlier registered version, if any, is kept."
    ),
    Severity.ITEM_ERROR: gettext_lazy("The record is registered; an incorrect value is omitted, replaced or not used."),
    Severity.WARNING: gettext_lazy("The record is registered, and its provider is notified."),
    Severity.NORMALISED: gettext_lazy(
        "The record is registered with the value repaired, and its provider is notified."
    ),
    Severity.NORMALISED_SILENTLY: gettext_lazy(
        "The record is registered with the value repaired. Only the number of such repairs is recorded "
        "for each harvest."
    ),
    Severity.INFORMATION: gettext_lazy("The record is registered; this is for information only."),
    None: gettext_lazy("The rule is not applied."),
}
PARAMETERS = ("q", "format", "severity", "profile")


@dataclass(frozen=True, slots=True)
class Weight:
    """The severity of a rule, with its name and what follows for a record. profiles: where it applies ("" = in all)."""

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
class RuleFilter:
    """The conditions on the list of rules; "" = any."""

    q: str = ""
    format: str = ""
    severity: str = ""
    profile: str = ""

    @property
    def profiles(self) -> tuple[Profile, ...]:
        return (Profile(self.profile),) if self.profile else tuple(Profile)


def rule_list(request: HttpRequest) -> HttpResponse:
    """List every rule by format, or only those of a format, a severity, a profile, or with certain words."""
    try:
        wanted = read_filter(request)
    except BadParameter as error:
        return render(request, "errors/parameter.html", {"problem": error}, status=400)
    codes = sorted(filter(lambda code: matches_filter(code, wanted), RULES), key=_order)
    groups = [
        (family_name(family), [_row(code, wanted.profiles) for code in of_family])
        for family, of_family in groupby(codes, family_of)
    ]
    choices = {"families": families(), "severities": severity_names().items(), "profiles": Repository.Profile.choices}
    shown = {"wanted": wanted, "narrowed": wanted != RuleFilter(), "groups": groups, "count": len(codes)}
    return render(request, "rules/list.html", {**shown, **choices})


def rule(request: HttpRequest, code: str) -> HttpResponse:
    """Show one rule: its text, severity and source, what to do, an example, and the providers that it concerns now."""
    if code not in RULES:
        return _replaced(request, code)
    language = get_language() or ""
    affected = providers.affected(code)
    return render(
        request,
        "rules/rule.html",
        {
            "code": code,
            "text": RULES[code],
            "family": family_of(code),
            "family_name": family_name(family_of(code)),
            "sentence": general_sentence(code, language),
            "remedy": general_remedy(code, language),
            "source": source(code, language),
            "weights": weights(code, Profile),
            "switchable": is_switchable(code),
            "is_stored": any(weight.severity != Severity.NORMALISED_SILENTLY for weight in weights(code, Profile)),
            "affected": affected,
            "records": sum(count for _repository, count in affected),
        },
    )


def _replaced(request: HttpRequest, code: str) -> HttpResponse:
    """Lead from a rule of an earlier version, which lists and letters may still name, to those that replace it."""
    rows = [_row(successor, Profile) for successor in sorted(successors(code), key=_order)]
    if not rows:
        raise Http404(code)
    return render(request, "rules/replaced.html", {"code": code, "rows": rows})


def read_filter(request: HttpRequest) -> RuleFilter:
    """Return the conditions of a query string. Raises BadParameter."""
    allowed = {
        "format": {family for family, _name in families()},
        "severity": {str(severity) for severity in Severity},
        "profile": {str(profile) for profile in Profile},
    }
    for name in request.GET:
        if name not in PARAMETERS:
            raise BadParameter(name, _("Allowed: %(names)s.") % {"names": ", ".join(PARAMETERS)})
    values = {name: request.GET.get(name, "").strip() for name in PARAMETERS}
    for name, known in allowed.items():
        if values[name] and values[name] not in known:
            raise BadParameter(name, _("Allowed: %(names)s.") % {"names": ", ".join(sorted(known))})
    if len(values["q"]) > TEXT_LIMIT:
        raise BadParameter("q", _("At most %(limit)s characters are allowed.") % {"limit": TEXT_LIMIT})
    return RuleFilter(**values)


def matches_filter(code: str, wanted: RuleFilter) -> bool:
    """Return whether a rule is of the format, has the severity in one of the profiles, and contains all the words."""
    if wanted.format and family_of(code) != wanted.format:
        return False
    severities = {Policy(profile=profile).severity(code) for profile in wanted.profiles}
    if severities == {None} or (wanted.severity and wanted.severity not in severities):
        return False
    text = RULES[code]
    written = fold(" ".join((code, text.ja, text.en, text.remedy_ja, text.remedy_en, text.source, source(code, "ja"))))
    return all(fold(word) in written for word in wanted.q.split())


def families() -> "list[tuple[str, StrOrPromise]]":
    """Return the families that have rules, with their names, in the order of the page."""
    known = sorted({family_of(code) for code in RULES}, key=_family_order)
    return [(family, family_name(family)) for family in known]


def family_name(family: str) -> "StrOrPromise":
    """Return the name of a family: of a format, or of other rules."""
    known = FORMATS.get(family)
    return known.label.in_language(get_language()) if known else OTHER_FAMILIES.get(family, family)


def weights(code: str, profiles: Iterable[Profile]) -> tuple[Weight, ...]:
    """Return the severity of a rule: one entry if the profiles agree, else one for each profile."""
    chosen = list(profiles)
    severities = {profile: Policy(profile=profile).severity(code) for profile in chosen}
    if len(set(severities.values())) == 1:
        return (_weight(severities[chosen[0]], ""),)
    return tuple(_weight(severity, Repository.Profile(profile).label) for profile, severity in severities.items())


def _weight(severity: Severity | None, profiles: "StrOrPromise") -> Weight:
    word = severity_names()[severity] if severity else _("Not checked")
    return Weight(str(severity or ""), word, str(profiles), OUTCOMES[severity])


def _row(code: str, profiles: Iterable[Profile]) -> Row:
    return Row(code, general_sentence(code, get_language() or ""), weights(code, profiles))


def _order(code: str) -> tuple[int, str, str]:
    return _family_order(family_of(code)), family_of(code), code.partition(".")[2][1:]


def _family_order(family: str) -> int:
    order = [*FORMATS, *OTHER_FAMILIES]
    return order.index(family) if family in order else len(order)
