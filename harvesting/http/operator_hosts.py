"""The services that the operator names in the settings: the exceptions of the guarded fetch. No Django, no network.

The guarded fetch (`harvesting.http.fetch`) refuses addresses that are not public, because a provider, a record or a
reader may have named them. The operator's own services are often internal, so this list says for each of them how it is
reached. No provider, record or reader can set one of these settings. `tests/test_network_calls.py` holds that no module
outside this list opens connections.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OperatorService:
    """setting: names the service. modules: those that reach it by a client of its own.

    Without modules, it is reached by the guarded fetch, which then lets the host and port of this address be internal;
    redirects elsewhere are checked as ever.
    """

    setting: str
    purpose: str
    modules: tuple[str, ...] = ()


OPERATOR_SERVICES = (
    OperatorService(
        "DATABASE_URL",
        "the database, by psycopg",
        ("aggregator/backups/postgresql.py", "core/database/postgresql_arrays.py"),
    ),
    OperatorService(
        "REDIS_URL",
        "the queue, the pauses between requests and the counts of rate limits, by redis-py and RQ",
        (
            "aggregator/management/commands/dispatch.py",
            "aggregator/observability/figures.py",
            "aggregator/observability/readiness.py",
            "core/http/rate_limit.py",
            "core/work/jobs.py",
            "core/work/worker.py",
            "core/work/queues.py",
            "aggregator/views/manage/queue.py",
            "aggregator/views/pushing/interface.py",
            "harvesting/registry/transport.py",
            "harvesting/trials/self_test.py",
            "aggregator/checks/machine.py",
        ),
    ),
    OperatorService("EMAIL_HOST", "the mail server, by Django's mail", ("harvesting/mail/delivery.py",)),
    OperatorService("SENTRY_DSN", "reports of errors, by sentry-sdk", ("aggregator/observability/sentry.py",)),
    OperatorService(
        "BACKUP_COPY",
        "the second place of backups (rsync, S3 …), by the operator's own command",
        ("aggregator/backups/programs.py",),
    ),
    OperatorService("FILES_URL", "an S3 bucket, by boto3 and django-storages", ("core/files/bucket.py",)),
    OperatorService("SEARCH_URL", "OpenSearch, by requests", ("aggregator/search/opensearch/client.py",)),
    OperatorService("OIDC_ISSUER", "the identity provider"),
    OperatorService("PUBLIC_URL", "this site itself, asked by check --deploy through the web server in front"),
)
GUARDED = frozenset(service.setting for service in OPERATOR_SERVICES if not service.modules)
