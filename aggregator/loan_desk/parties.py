"""A library as a request names it: its codes, address and way to be reached."""

from collections.abc import Collection
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from aggregator.libraries.identify import NAME, PROVIDER
from aggregator.loans.request import Party
from aggregator.models import Library, LibraryCode, LoanTerms


def party_of(library: Library) -> Party:
    """Return a library as a party of a request. Two queries."""
    terms = terms_of(library)
    codes = LibraryCode.objects.filter(library=library).exclude(scheme__in=(NAME, PROVIDER)).order_by("pk")
    return Party(
        name=library.name,
        name_en=library.name_en,
        codes=tuple(codes.values_list("scheme", "value")[:10]),
        address=library.address,
        telephone=library.telephone,
        mail=terms.email,
        contact=terms.contact,
    )


def terms_of(library: Library) -> LoanTerms:
    """Return the terms of a library; empty ones, which are not stored, if it has stated none."""
    return LoanTerms.objects.filter(library=library).first() or LoanTerms(library=library)


@dataclass(frozen=True, slots=True)
class Condition:
    """One of the terms on which a library lends, in the language of the page."""

    label: str
    text: str


def conditions_of(libraries: Collection[int]) -> dict[int, list[Condition]]:
    """Return what these libraries have said about how they lend. One query."""
    found = LoanTerms.objects.filter(library__in=libraries).select_related("library")
    return {terms.library_id: _conditions(terms) for terms in found}


def _conditions(terms: LoanTerms) -> list[Condition]:
    stated = (
        (_("Use"), _("only inside the borrowing library") if terms.in_house else ""),
        (_("Loan period"), _days(terms.days) if terms.days else ""),
        (_("Maximum number of items at a time"), str(terms.most or "")),
        (_("Not lent"), "\n".join(filter(None, (_new(terms.new_months), terms.excluded)))),
        (_("Postage and copying costs"), terms.payment),
        (_("Further terms"), terms.library.ill_terms),
    )
    return [Condition(label, text.strip()) for label, text in stated if text.strip()]


def _new(months: int) -> str:
    text = ngettext("within %(months)s month of publication", "within %(months)s months of publication", months)
    return text % {"months": months} if months else ""


def _days(days: int) -> str:
    return ngettext("%(days)s day", "%(days)s days", days) % {"days": days}
