"""Asking for alerts, and the mails that follow, for the tests of alerts."""

from datetime import timedelta

import time_machine
from django.core import mail

from aggregator.alerts import sending
from aggregator.models import SearchAlert
from aggregator.tasks import write_alerts
from harvesting.notifications import outbox

ADDRESS, SEARCH = "reader@example.jp", "q=%E3%81%93%E3%81%93%E3%82%8D"


def ask(client, search: str = SEARCH, how: str = "daily", email: str = ADDRESS, **options):
    return client.post(f"/en/alerts/new?{search}", {"email": email, "how": how}, **options)


def path(link: str) -> str:
    return link.removeprefix("http://127.0.0.1:8000")


def links(number: int = -1) -> list[str]:
    return [
        path(line) for line in mail.outbox[number].body.splitlines() if line.startswith("http") and "/alerts/" in line
    ]


def deliver() -> None:
    outbox.send_due()
    sending.settle()


def next_mail() -> int:
    """Let a day pass; return how many mails are sent."""
    mail.outbox.clear()
    with time_machine.travel(SearchAlert.objects.get().due + timedelta(minutes=1)):
        write_alerts()
        deliver()
    return len(mail.outbox)
