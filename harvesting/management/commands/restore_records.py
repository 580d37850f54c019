"""`manage.py restore_records R…`: restores deleted records of the last 90 days."""

from typing import Any

from django.core.management.base import CommandParser
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.commands import USAGE, AggregatorCommand, fail
from harvesting.models import Repository, SourceRecord
from harvesting.records.tombstones import KEPT_FOR, restorable, restore


class Command(AggregatorCommand):
    help = (
        "Restore records that were deleted in the last 90 days: the named ones, or all since a day. Without a "
        "running dispatcher, run “aggregate” afterwards."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("repository", help="repository number, for example R900000001")
        parser.add_argument(
            "identifiers", nargs="*", metavar="IDENTIFIER", help="the provider's identifier, or the public id"
        )
        parser.add_argument(
            "--since", default="", metavar="DAY", help="restore all records that were deleted on this day or later"
        )

    def handle(self, **options: Any) -> None:
        number = options["repository"]
        if not Repository.objects.filter(number=number).exists():
            raise fail(_("There is no provider %(number)s.") % {"number": number}, USAGE)
        deleted = SourceRecord.objects.filter(repository__number=number, deleted=True)
        records = _wanted(deleted, options["identifiers"], options["since"])
        lost = records.exclude(pk__in=restorable(timezone.now()).values("pk")).count()
        restored = restore(records)
        if options["json"]:
            self.print_json({"restored": restored, "not_restored": lost})
            return
        text = ngettext("%(count)d record restored.", "%(count)d records restored.", restored) % {"count": restored}
        self.stdout.write(text)
        if lost:
            text = _("%(count)d records were deleted more than %(days)d days ago and cannot be restored.")
            self.stdout.write(text % {"count": lost, "days": KEPT_FOR.days})


def _wanted(deleted: QuerySet[SourceRecord], identifiers: list[str], since: str) -> QuerySet[SourceRecord]:
    """The deleted records that the arguments name. Exits with a usage error if one of them is unknown."""
    if bool(identifiers) == bool(since):
        raise fail(_("Give either the identifiers of records or --since with a date."), USAGE)
    if since:
        try:
            day = parse_date(since)
        except ValueError:
            day = None
        if day is None:
            raise fail(_("“%(value)s” is not a date. Write it as 2026-01-31.") % {"value": since}, USAGE)
        return deleted.filter(deleted_at__date__gte=day)
    named = deleted.filter(identifier__in=identifiers) | deleted.filter(public_id__in=identifiers)
    names = set(named.values_list("identifier", flat=True)) | set(named.values_list("public_id", flat=True))
    for identifier in identifiers:
        if identifier not in names:
            raise fail(_("There is no deleted record “%(identifier)s”.") % {"identifier": identifier}, USAGE)
    return named
