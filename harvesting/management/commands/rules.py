"""`manage.py rules`: every rule of the checks, with what to do about it."""

from typing import Any

from harvesting.command import AggregatorCommand, locale_language
from metadata.issue import Issue
from metadata.validation.catalogue import RULES, remedy, sentence


class Command(AggregatorCommand):
    help = "List every rule of the checks: code, severity, text, remedy, source."
    needs_database = False

    def handle(self, **options: Any) -> None:
        language = locale_language()
        for code, rule in sorted(RULES.items()):
            example = Issue(code=code, field="…", value="…")
            row = {
                "code": code,
                "severity": str(rule.severity),
                "text": sentence(example, language),
                "remedy": remedy(example, language),
                "source": rule.source,
            }
            if options["json"]:
                self.print_json(row)
            else:
                self.stdout.write("\t".join(row.values()))
