"""`manage.py probe URL`: shows what a provider offers and what registering it would mean. Stores nothing."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.commands import FAILED, USAGE, AggregatorCommand, fail, locale_language
from harvesting.messages import describe, happened
from harvesting.models import Repository
from harvesting.registry.policies import policy_by_profile, usual_profile
from harvesting.runs.observations import CHECKED, NOT_CHECKED
from harvesting.transports.registry import fetched_protocols
from harvesting.trials.probe import Probe, probe
from harvesting.types import TransportError
from metadata.catalogue import sentence, severity_label
from metadata.issue import Issue, Reading
from metadata.policy import Policy, Profile

DELETION = {
    "no": gettext_lazy("Deletions are not reported: regular full harvests are needed to detect them."),
    "transient": gettext_lazy("Deletions are reported for a limited time: harvest often enough."),
    "persistent": gettext_lazy("Deletions are reported permanently: incremental harvests are enough."),
}

MOST_SETS = 20  # sets shown


class Command(AggregatorCommand):
    help = (
        "Find out which protocol and formats an address offers, check a sample of its records, and print what does not "
        "follow the standards. Stores nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("base_url", help="base URL of the interface, home page, feed or file")
        parser.add_argument(
            "--protocol", default="", choices=fetched_protocols(), help="default: the protocol is detected"
        )
        parser.add_argument(
            "--prefix", default="", help="metadataPrefix of the sample; default: the richest format offered"
        )
        parser.add_argument(
            "--profile",
            default="",
            choices=Repository.Profile.values,
            help="how strictly to check; default: the profile of the registered repository with this address, or else "
            "the profile that a new one would get",
        )
        parser.add_argument("--sample", type=int, default=20, help="number of records in the sample (default: 20)")

    def handle(self, **options: Any) -> None:
        base_url = options["base_url"]
        policy = policy_by_profile(Profile(options["profile"])) if options["profile"] else None
        choices = {"protocol": options["protocol"], "prefix": options["prefix"], "sample": max(1, options["sample"])}
        try:
            result = probe(base_url, policy=policy, **choices)
        except TransportError as error:
            text = describe(error.code, {"base_url": base_url, **error.facts})
            raise fail(text, USAGE if error.code == "net.bad_url" else FAILED) from error
        if options["json"]:
            self.print_json(summary(result))
        else:
            self._report(result)
        if not result.usable:
            raise SystemExit(FAILED)

    def _report(self, result: Probe) -> None:
        lines = [*about_provider(result), *about_oddities(result)]
        lines += about_sample(result) if result.usable else []
        for line in filter(None, lines):
            self.stdout.write(line)


def about_provider(result: Probe) -> Iterator[str]:
    """Yield lines about what the provider says of itself and what it offers."""
    yield _("Protocol: %(protocol)s") % {"protocol": _(result.kind.label)}
    if result.identity:
        yield _("Name: %(name)s") % {"name": result.identity.repository_name or "?"}
        yield _("Date stamp granularity: %(granularity)s") % {"granularity": result.identity.granularity or "?"}
        yield str(DELETION.get(result.identity.deleted_record, ""))
    yield _("Formats: %(formats)s") % {"formats": ", ".join(offered.prefix for offered in result.formats) or "–"}
    shown = [
        f"{oai_set.spec} ({oai_set.name})" if oai_set.name else oai_set.spec for oai_set in result.sets[:MOST_SETS]
    ]
    more = " …" if len(result.sets) > MOST_SETS else ""
    yield _("Sets: %(sets)s") % {"sets": (", ".join(shown) or "–") + more}


def about_oddities(result: Probe) -> Iterator[str]:
    """Yield lines about the requests that were refused, and the observations of the transport."""
    reported = set()
    for verb, error in result.errors.items():
        if error.code not in reported:  # a web page answers every verb with the same error
            reported.add(error.code)
            yield f"{verb}: {error_text(error, result)}" if result.kind.names_requests else error_text(error, result)
    for code, count in result.observations.items():
        yield f"{code} × {count}: {describe(code, result.facts[code])}"


def about_sample(result: Probe) -> Iterator[str]:
    """Yield lines about how the sample would be read, and what registering would mean."""
    yield _("Sample in %(prefix)s: %(received)d received, %(registered)d can be registered, %(deleted)d deleted") % {
        "prefix": result.prefix or "?",
        "received": result.received,
        "registered": result.registered,
        "deleted": result.deleted,
    }
    policy = result.policy or Policy()
    yield _("Validation profile: %(profile)s") % {"profile": profile_words(policy)}
    if result.readings:
        yield happened(CHECKED if policy.schemas else NOT_CHECKED, {})
    language = locale_language()
    first = {issue.code: issue for issue in reversed(result.issues)}
    for code, count in Counter(issue.code for issue in result.issues).most_common():
        severity = policy.severity(code)
        if severity is not None:
            text = sentence(first[code], language, severity)
            yield f"  {code} ({severity_label(severity, language)}) × {count}: {text}"
    size = result.received if result.complete else result.complete_list_size
    if size:
        yield _("A first harvest would fetch %(size)s records.") % {"size": size}
    if result.memory.get("hub") and result.memory.get("topic"):
        yield _("The provider sends change notifications (WebSub); they will be used.")
    more = f" --prefix {result.prefix}" if result.prefix else ""
    more += f" --profile {policy.profile}" if policy.profile != usual_profile(result.prefix) else ""
    yield _("To register: manage.py register --name … --protocol %(protocol)s --base-url %(url)s%(prefix)s") % {
        "protocol": result.protocol,
        "url": result.base_url,
        "prefix": more,
    }


def profile_words(policy: Policy) -> str:
    """The profile, and the number of rules switched off or given another severity for the registered repository."""
    label = f"{policy.profile} ({Repository.Profile(policy.profile).label})"
    if not policy.switches:
        return label
    return label + _(", rules switched off or given another severity: %(count)s") % {"count": len(policy.switches)}


def error_text(error: TransportError, result: Probe) -> str:
    """The error as a sentence."""
    return describe(error.code, {"base_url": result.base_url, "prefix": result.prefix, **error.facts})


def summary(result: Probe) -> dict[str, Any]:
    """The result of the probe as one JSON object."""
    identity = result.identity
    return {
        "base_url": result.base_url,
        "protocol": result.protocol,
        "guessed": result.guessed,
        "usable": result.usable,
        "prefix": result.prefix,
        "profile": result.policy.profile if result.policy else "",
        "identify": identity
        and {
            "repository_name": identity.repository_name,
            "base_url": identity.base_url,
            "granularity": identity.granularity,
            "deleted_record": identity.deleted_record,
            "earliest_datestamp": identity.earliest_datestamp,
            "protocol_version": identity.protocol_version,
        },
        "formats": [{"prefix": offered.prefix, "namespace": offered.namespace} for offered in result.formats],
        "sets": [{"spec": oai_set.spec, "name": oai_set.name} for oai_set in result.sets],
        "errors": {
            verb: {"code": error.code, "message": error_text(error, result)} for verb, error in result.errors.items()
        },
        "notices": [
            {"code": code, "count": count, "message": describe(code, result.facts[code])}
            for code, count in result.observations.items()
        ],
        "sample": {
            "received": result.received,
            "registered": result.registered,
            "deleted": result.deleted,
            "schemas": bool(result.policy and result.policy.schemas),
            "complete_list_size": result.complete_list_size,
            "issues": dict(result.severities),
            "records": [record_of(identifier, reading, result) for identifier, reading in result.readings],
        },
    }


def record_of(identifier: str, reading: Reading, result: Probe) -> dict[str, Any]:
    """A record of the sample as a JSON object."""
    return {
        "identifier": identifier,
        "registered": reading.record is not None,
        "title": reading.record.title if reading.record else "",
        "issues": [issue_of(issue, result.policy or Policy()) for issue in reading.issues],
    }


def issue_of(issue: Issue, policy: Policy) -> dict[str, Any]:
    """An issue of a record of the sample as a JSON object."""
    severity = policy.severity(issue.code)
    return {
        "code": issue.code,
        "severity": severity,
        "field": issue.field,
        "value": issue.value,
        "result": issue.result,
        "message": sentence(issue, locale_language(), severity),
    }
