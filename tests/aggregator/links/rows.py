"""What checks of links found, as rows for tests of pages."""

from django.core.cache import caches
from django.utils import timezone

from aggregator.links.dead import CACHE
from aggregator.models import CheckedLink, Library, LinkHost, LinkPattern
from harvesting.models import Repository


def checked_links(repository: Repository) -> None:
    """Give a provider a link in every state, and a host that does not answer."""
    library = Library.objects.create(name="町立図書館")
    host = LinkHost.objects.create(name="opac.example.jp", repository=repository)
    pattern = LinkPattern.objects.create(text="opac.example.jp/r/*", host=host, dead=True)
    for number, state in enumerate(CheckedLink.State.values):
        CheckedLink.objects.create(
            key=number,
            url=f"https://opac.example.jp/r/{state}",
            kind="detail",
            pattern=pattern,
            repository=repository,
            library=library,
            book=1,
            state=state,
            code="http.404" if state == "dead" else "http.200",
            checked_at=timezone.now(),
        )
    today = timezone.localdate()
    LinkHost.objects.create(
        name="down.example.jp",
        repository=repository,
        state="unreachable",
        failed_days=2,
        failed_since=today,
        failed_on=today,
        failure="net.connect",
    )
    caches[CACHE].clear()
