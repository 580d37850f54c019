"""`manage.py rules`: lists every validation rule with its severity and what to do about it. No database access."""

from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from core.commands import USAGE, AggregatorCommand, fail, locale_language
from core.languages import languages
from metadata.catalogue import RULES, family_of, general_remedy, general_sentence, severity_label, source
from metadata.formats import READABLE
from metadata.issue import Severity
from metadata.policy import Policy, Profile, is_switchable


class Command(AggregatorCommand):
    help = "List all validation rules: code, text, severity in each profile, source, remedy, example."
    needs_database = False

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--prefix", default="", help="only the rules of this format, e.g. dcndl, jpcoar_2.0, chars")
        parser.add_argument(
            "--profile",
            default="",
            choices=[profile.value for profile in Profile],
            help="only the rules that this profile checks, with their severity in it",
        )

    def handle(self, **options: Any) -> None:
        profile = Profile(options["profile"]) if options["profile"] else None
        codes = codes_of(options["prefix"])
        if not codes:
            families = ", ".join(sorted({family_of(code) for code in RULES}))
            raise fail(
                _("There are no rules for %(prefix)s. There are rules for: %(families)s.")
                % {"prefix": options["prefix"], "families": families},
                USAGE,
            )
        for code in codes:
            if profile and Policy(profile=profile).severity(code) is None:
                continue
            if options["json"]:
                self.print_json(row(code, profile))
            else:
                self.stdout.write(paragraph(code, profile))


def codes_of(prefix: str) -> list[str]:
    """The rule codes of one format, named by its metadataPrefix or family; all codes for ""."""
    if not prefix:
        return sorted(RULES)
    family = max((name for name in families() if prefix.startswith(name)), key=len, default="")
    known = prefix == family or prefix in READABLE
    return sorted(code for code in RULES if known and family_of(code) == family)


def families() -> set[str]:
    """The families of formats that have rules."""
    return {family_of(code) for code in RULES}


def row(code: str, profile: Profile | None) -> dict[str, Any]:
    """A rule as a JSON object. severity is null for a profile that does not check the rule."""
    rule, language = RULES[code], locale_language()
    by_profile = {choice.value: Policy(profile=choice).severity(code) for choice in Profile}
    return {
        "code": code,
        "severity": by_profile,
        **({"counts_as": by_profile[profile]} if profile else {}),
        "text": general_sentence(code, language),
        **{f"text_{name}": general_sentence(code, name) for name in languages()},
        "remedy": general_remedy(code, language),
        **{f"remedy_{name}": general_remedy(code, name) for name in languages()},
        "source": rule.source,
        "example": rule.example,
        "switchable": is_switchable(code),
    }


def paragraph(code: str, profile: Profile | None) -> str:
    """A rule as text for people: code and severity, then the sentence, the remedy and the source."""
    language = locale_language()
    lines = [general_sentence(code, language), general_remedy(code, language), source(code, language)]
    return "\n".join([f"{code}  {severities(code, profile)}", *(f"    {line}" for line in lines if line), ""])


def severities(code: str, profile: Profile | None) -> str:
    """The severity of a rule by profile; a single word where all profiles agree."""
    profiles = [profile] if profile else list(Profile)
    words = {name: severity_words(Policy(profile=name).severity(code)) for name in profiles}
    if len(set(words.values())) == 1:
        return words[profiles[0]]
    return ", ".join(f"{name}: {text}" for name, text in words.items())


def severity_words(severity: Severity | None) -> str:
    return severity_label(severity, locale_language()) if severity else _("not checked")
