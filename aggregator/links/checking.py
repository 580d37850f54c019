"""Checks the links that are due and those that have their turn, a portion at a time.

Never called while a reader waits. One process works at a time, so a host gets one request at a time; how many a day is
limited for each host and for all together.
"""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from time import monotonic

from django.conf import settings
from django.utils import timezone

from aggregator.links import robots
from aggregator.links.addresses import host_of, key_of
from aggregator.links.asking import ask_page, ask_rules, fetcher
from aggregator.links.findings import Findings, forget
from aggregator.links.instead import links_of
from aggregator.links.rotation import Candidate, libraries_after, links_of_turn
from aggregator.links.verdicts import ROBOTS, Answer, HostCondition, host_after
from aggregator.models import CheckedLink, Holding, LinkHost, LinkRound
from harvesting.models import Harvest
from harvesting.types import Tally

AT_A_TIME = 40  # links that are due, in one portion
LOOKED_AT = 400  # libraries that have their turn in one portion, if their links need no check
SECONDS = 120.0  # after which a portion ends, so that other work of the queue goes on
REST = timedelta(minutes=30)  # after a portion in which no link could be checked
FRESH = timedelta(days=30)  # a link that was checked since then is not checked in its turn
POSTPONED = timedelta(hours=23)  # a link whose host cannot be asked now
LATELY = timedelta(days=2)
RULES_KEPT = timedelta(hours=23)


def is_due() -> bool:
    """Whether links are to be checked now. One or two queries."""
    if settings.LINK_CHECKS_PER_DAY <= 0:
        return False
    row, now = LinkRound.objects.first(), timezone.now()
    if row is None:
        return Holding.objects.exists()
    return (row.next_at is None or row.next_at <= now) and _left(row, timezone.localdate(now)) > 0


def check_portion() -> int:
    """Check a portion of links; return the number of requests."""
    if settings.LINK_CHECKS_PER_DAY <= 0:
        return 0
    now = timezone.now()
    row, _is_new = LinkRound.objects.get_or_create(pk=1)
    today = timezone.localdate(now)
    if row.day != today:
        forget(now)
    portion = _Portion(now, _left(row, today))
    portion.recheck()
    portion.take_turns(row)
    portion.findings.settle(now)
    row.asked = portion.tally.requests + (row.asked if row.day == today else 0)
    row.day, row.next_at = today, None if portion.findings.count else now + REST
    row.save()
    return portion.tally.requests


def _left(row: LinkRound, today: date) -> int:
    """How many requests are left today."""
    return int(settings.LINK_CHECKS_PER_DAY) - (row.asked if row.day == today else 0)


class _Portion:
    """What is checked in one go. left: how many requests may be made."""

    def __init__(self, now: datetime, left: int) -> None:
        self.now, self.today, self.left = now, timezone.localdate(now), left
        self.tally, self.findings = Tally(), Findings()
        self._end = monotonic() + SECONDS
        self._hosts: dict[str, LinkHost] = {}
        self._silent: set[str] = set()

    @property
    def is_over(self) -> bool:
        return self.tally.requests >= self.left or monotonic() > self._end

    def recheck(self) -> None:
        """Check the links that are due; forget those that no record gives any more."""
        for row in CheckedLink.objects.due(self.now)[:AT_A_TIME]:
            if self.is_over:
                return
            if row.url not in links_of(row.book, row.library_id):
                row.delete()
            elif not self._check(Candidate(row.url, row.kind, row.repository_id, row.library_id, row.book)):
                CheckedLink.objects.filter(pk=row.pk).update(next_at=self.now + POSTPONED)

    def take_turns(self, row: LinkRound) -> None:
        """Check the links that have their turn. row: where the rotation is; it is moved on, not saved."""
        for candidate in self._turns(row):
            if not self._is_fresh(candidate):
                self._check(candidate)

    def _turns(self, row: LinkRound) -> Iterator[Candidate]:
        libraries = libraries_after(row.library, LOOKED_AT)
        for library in libraries:
            for candidate in links_of_turn(library, row.number):
                if self.is_over:
                    return
                yield candidate
            row.library = library
        if len(libraries) < LOOKED_AT:
            row.number, row.library = row.number + 1, 0

    def _is_fresh(self, candidate: Candidate) -> bool:
        """Whether a link was checked lately, or will be checked again soon."""
        known = CheckedLink.objects.filter(key=key_of(candidate.url)).values_list("checked_at", "next_at").first()
        return bool(known and (known[1] or (known[0] and known[0] > self.now - FRESH)))

    def _check(self, candidate: Candidate) -> bool:
        """Check a link; return False if its host cannot be asked now."""
        name = host_of(candidate.url)
        provider = {"repository_id": candidate.repository}
        host = self._hosts.get(name) or LinkHost.objects.get_or_create(name=name, defaults=provider)[0]
        self._hosts[name] = host
        before = self.tally.requests
        try:
            answer = self._answer(host, candidate.url)
        finally:
            self._count(host, self.tally.requests - before)
        if answer is not None:
            self.findings.store(candidate, host, answer, self.now)
        return answer is not None

    def _answer(self, host: LinkHost, url: str) -> Answer | None:
        """Ask for a page, if its host answers, has requests left today and does not forbid it."""
        is_spent = host.day == self.today and host.asked >= settings.LINK_CHECKS_PER_HOST
        if is_spent or host.name in self._silent:
            return None
        with fetcher(self.tally) as by:
            if host.read_at is None or host.read_at <= self.now - RULES_KEPT:
                answer, rules = ask_rules(url, by)
                if answer.is_not_asked:  # an address that must not be asked: says nothing about the host
                    return answer
                self._greet(host, answer, rules)
            if host.state != LinkHost.State.ANSWERS or host.name in self._silent:
                return None
            if not robots.allows(robots.parse(host.rules.encode()), url):
                return Answer(ROBOTS)
            answer = ask_page(url, by)
            return None if self._note_silence(host, answer) else answer

    def _note_silence(self, host: LinkHost, answer: Answer) -> bool:
        """Whether the host did not answer at all. It is then left alone in this portion and greeted in the next."""
        if answer.is_silence:
            self._silent.add(host.name)
            host.read_at = None
            host.save(update_fields=["read_at"])
        return answer.is_silence

    def _greet(self, host: LinkHost, answer: Answer, rules: tuple[robots.Rule, ...]) -> None:
        """Store how a host answered, and what it asks of us."""
        host.rules = robots.as_text(rules) if rules else ""
        if answer.is_silence and self._is_offline(host):
            self._silent.add(host.name)
        else:
            before = HostCondition(host.state, host.failed_days, host.failed_on, host.failed_since, host.failure)
            condition = host_after(before, answer, self.today, settings.LINK_DEAD_DAYS)
            host.state, host.failed_days, host.failure = condition.state, condition.failed_days, condition.failure
            host.failed_on, host.failed_since = condition.failed_on, condition.failed_since
            host.read_at = self.now
        host.save()

    def _is_offline(self, host: LinkHost) -> bool:
        """Whether no other host has answered lately: then it is probably this machine that reaches nobody."""
        answering = LinkHost.objects.filter(failed_days=0, read_at__gt=self.now - LATELY).exclude(pk=host.pk)
        harvested = Harvest.objects.filter(state=Harvest.State.SUCCEEDED, finished_at__gt=self.now - LATELY)
        return not (answering.exists() or harvested.exists())

    def _count(self, host: LinkHost, requests: int) -> None:
        if requests:
            host.asked = requests + (host.asked if host.day == self.today else 0)
            host.day = self.today
            host.save(update_fields=["asked", "day"])
