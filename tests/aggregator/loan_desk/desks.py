"""Two libraries with one member each, and requests between them."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.utils import timezone

from aggregator.loan_desk.acting import Actor, Step, act
from aggregator.loan_desk.asking import Order, ask
from aggregator.loans.request import LoanRequest
from aggregator.loans.states import Action, Kind, Need, Side, need
from aggregator.models import Library, LibraryCode, LibraryMember, Loan, LoanEvent, LoanTerms

NOW = timezone.now()
DUE = timezone.localdate() + timedelta(days=30)
BOOK = LoanRequest(title="こころ", author="夏目漱石", isbns=("9784003101117",), note="急ぎません。")
COPY = LoanRequest(kind=Kind.COPY, title="図書館雑誌", article="貸借の歴史", pages="1-9", copyright_declared=True)


@dataclass(frozen=True)
class Desks:
    """borrower, lender: the libraries; hana, ken: their members."""

    borrower: Library
    lender: Library
    hana: Any
    ken: Any

    def ask(self, request: LoanRequest = BOOK, **order: Any) -> Loan:
        return ask(Order(self.borrower, self.lender, request, **order), self.hana, NOW, send=True)

    def actor(self, side: Side) -> Actor:
        return Actor(side, LoanEvent.Way.ACCOUNT, self.hana if side is Side.BORROWER else self.ken)

    def act(self, loan: Loan, side: Side, action: Action, **step: Any) -> Loan:
        """Carry out an action, with the words, the reason or the date due that it needs."""
        given = {Need.WORDS: {"words": "?"}, Need.REASON: {"reason": "new"}, Need.DUE: {"due": DUE}}
        needed = need(action, Kind.LOAN)
        return act(loan.pk, self.actor(side), Step(action, **{**(given[needed] if needed else {}), **step}), NOW)


def library(name: str, code: str, **values: Any) -> Library:
    made = Library.objects.create(name=name, **values)
    LibraryCode.objects.create(scheme="NDLLibCode", value=code, library=made)
    return made


def member(username: str, *libraries: Library, **values: Any) -> Any:
    user = get_user_model().objects.create_user(username, **values)
    LibraryMember.objects.bulk_create(LibraryMember(user=user, library=library) for library in libraries)
    return user


def desks(**terms: Any) -> Desks:
    """Return two libraries. terms: the lender's terms of interlibrary loan."""
    borrower = library("堺市立図書館", "2132", name_en="Sakai City Library", telephone="072-000-0000")
    lender = library("大阪府立図書館", "2127", name_en="Osaka Library", lends=True)
    if terms:
        LoanTerms.objects.create(library=lender, **terms)
    hana = member("hana", borrower, email="hana@sakai.example.jp")
    return Desks(borrower, lender, hana, member("ken", lender))
