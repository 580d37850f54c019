"""Stores what checks of links found: the links, their patterns, and what is to be checked next. Asks nobody."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone

from aggregator.links.addresses import host_of, key_of, pattern_of
from aggregator.links.dead import read_dead_links
from aggregator.links.instead import Holder, living
from aggregator.links.report import broken
from aggregator.links.rotation import Candidate
from aggregator.links.verdicts import Answer, Condition, after
from aggregator.models import CheckedLink, LinkHost, LinkPattern
from harvesting.models import Repository
from harvesting.notifications.composing import Weight, notify

RECENT = 5  # links of a pattern that must be dead before it is
KEPT = timedelta(days=90)  # links that are not dead, after their last check
AT_A_TIME = 5000  # rows that are removed at a time
MOST_COUNTED = 10_000  # dead links in a message
_WORK = (CheckedLink.State.ALIVE, CheckedLink.State.MOVED)
_COLUMNS = ("state", "failed_days", "failed_on", "code", "location", "next_at")


class Findings:
    """What one portion found: the patterns that it concerns, and the holdings whose link proved to be dead. count: of
    the links that were checked.
    """

    def __init__(self) -> None:
        self.count = 0
        self._patterns: set[int] = set()
        self._died: dict[Holder, int] = {}

    def store(self, candidate: Candidate, host: LinkHost, answer: Answer, now: datetime) -> None:
        """Store the answer to the check of a link."""
        pattern = _pattern(candidate.url, host)
        known = CheckedLink.objects.filter(key=key_of(candidate.url)).values_list(*_COLUMNS).first()
        before = Condition(*known) if known else Condition()
        condition = after(before, answer, now, timezone.localdate(now), settings.LINK_DEAD_DAYS)
        CheckedLink.objects.update_or_create(
            key=key_of(candidate.url),
            defaults={
                **_columns(candidate, pattern),
                **{name: getattr(condition, name) for name in _COLUMNS},
                "code": condition.code[:60],
                "checked_at": now,
            },
        )
        self.count += 1
        self._patterns.add(pattern)
        if condition.state == CheckedLink.State.DEAD != before.state:
            self._died[candidate.book, candidate.library] = candidate.repository

    def settle(self, now: datetime) -> None:
        """Note which patterns are dead, and have the links checked to which readers are led from now on."""
        for pattern in self._patterns:
            _settle(pattern)
        if not self._died:
            return
        _tell_providers(set(self._died.values()), now)
        for holder, link in living(self._died, read_dead_links()).items():
            if link.url and not CheckedLink.objects.filter(key=key_of(link.url)).exists():
                book, library = holder
                candidate = Candidate(link.url, link.kind, self._died[holder], library, book)
                provider = {"repository_id": candidate.repository}
                host = LinkHost.objects.get_or_create(name=host_of(link.url), defaults=provider)[0]
                columns = _columns(candidate, _pattern(link.url, host))
                CheckedLink.objects.create(key=key_of(link.url), next_at=now, **columns)


def _tell_providers(repositories: Collection[int], now: datetime) -> None:
    """Record for people that links of these providers are dead: once a week for each provider."""
    year, week, _day = timezone.localdate(now).isocalendar()
    for repository in Repository.objects.filter(pk__in=repositories):
        dead, hosts = broken(Repository.objects.filter(pk=repository.pk), MOST_COUNTED)
        facts = {"dead": dead, "hosts": hosts, "repository": repository.number}
        notify(f"links-dead-{repository.pk}-{year}-{week}", "links.dead", repository, Weight.IMPORTANT, facts)


def forget(now: datetime) -> None:
    """Remove what was found long ago, and patterns and hosts of which nothing is known any more."""
    old = CheckedLink.objects.filter(checked_at__lt=now - KEPT).exclude(state=CheckedLink.State.DEAD)
    CheckedLink.objects.filter(pk__in=list(old.values_list("pk", flat=True)[:AT_A_TIME])).delete()
    LinkPattern.objects.filter(links=None).delete()
    LinkHost.objects.filter(patterns=None, read_at__lt=now - KEPT).delete()


def _pattern(url: str, host: LinkHost) -> int:
    return LinkPattern.objects.get_or_create(text=pattern_of(url), defaults={"host": host})[0].pk


def _columns(candidate: Candidate, pattern: int) -> dict[str, Any]:
    return {
        "url": candidate.url,
        "kind": candidate.kind,
        "pattern_id": pattern,
        "repository_id": candidate.repository,
        "library_id": candidate.library,
        "book": candidate.book,
    }


def _settle(pattern: int) -> None:
    """Note whether a pattern is dead: several of its links are, and none that was checked lately works."""
    links = CheckedLink.objects.filter(pattern=pattern)
    dead = links.filter(state=CheckedLink.State.DEAD)[:RECENT].count()
    checked = links.exclude(state=CheckedLink.State.UNCHECKED).order_by("-checked_at")
    lately = checked.values_list("state", flat=True)[:RECENT]
    is_dead = dead == RECENT and not set(lately).intersection(_WORK)
    LinkPattern.objects.filter(pk=pattern).exclude(dead=is_dead).update(dead=is_dead)
