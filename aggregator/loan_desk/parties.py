"""A library as a request names it: its codes, address and way to be reached."""

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
