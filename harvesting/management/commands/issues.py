"""`manage.py issues`: lists the issues of stored records as sentences or JSON Lines."""

from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from core.commands import USAGE, AggregatorCommand, fail, locale_language
from harvesting.models import Harvest, RecordIssue, Repository
from metadata.catalogue import sentence
from metadata.issue import Issue, Severity


class Command(AggregatorCommand):
    help = "List the issues of the stored records: all, or those of one repository or one harvest."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("repository", nargs="?", default="", help="repository number")
        parser.add_argument("--harvest", type=int, help="only the issues that this harvest found")

    def handle(self, **options: Any) -> None:
        issues = RecordIssue.objects.order_by("pk")
        if options["repository"]:
            if not Repository.objects.filter(number=options["repository"]).exists():
                raise fail(_("There is no provider %(number)s.") % {"number": options["repository"]}, USAGE)
            issues = issues.filter(source_record__repository__number=options["repository"])
        if options["harvest"]:
            if not Harvest.objects.filter(pk=options["harvest"]).exists():
                raise fail(_("There is no harvest %(number)s.") % {"number": options["harvest"]}, USAGE)
            issues = issues.filter(harvest=options["harvest"])
        columns = ("source_record__identifier", "severity", "harvest", "code", "field", "value", "result")
        for identifier, severity, harvest, *parts in issues.values_list(*columns).iterator(chunk_size=2000):
            code, field, value, result = parts
            issue = Issue(code=code, field=field, value=value, result=result)
            text = sentence(issue, locale_language(), Severity(severity))
            if options["json"]:
                self.print_json(
                    {
                        "identifier": identifier,
                        "code": code,
                        "severity": severity,
                        "field": field,
                        "value": value,
                        "result": result,
                        "message": text,
                        "harvest": harvest,
                    }
                )
            else:
                line = " ".join(text.split())
                self.stdout.write(f"{identifier}\t{code}\t{severity}\t{line}")
