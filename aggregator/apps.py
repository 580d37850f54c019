"""App configuration: registers the system checks, and starts error reports if they are configured."""

from importlib.util import find_spec

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import register
from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy as _

from aggregator.checks.machine import check_machine, check_services
from aggregator.checks.public import check_public
from aggregator.checks.settings import check_harvesting, check_site
from core.languages import translated
from metadata.text.languages import CATALOGUE


class AggregatorConfig(AppConfig):
    name = "aggregator"
    verbose_name = _("aggregator")

    def ready(self) -> None:
        CATALOGUE.translate = translated
        for check in (check_site, check_public, check_machine):
            register(check, "site")
        register(check_services, "services", deploy=True)  # run by processes that start, not by every command
        # Asks the running site, so no process runs it when it starts. It needs models, so it is imported late.
        register(import_string("aggregator.checks.proxy.check_proxy"), "proxy", deploy=True)
        register(check_harvesting, "harvesting")
        if settings.SENTRY_DSN and find_spec("sentry_sdk"):  # imported only here: slow, and may be missing
            import_string("aggregator.observability.sentry.start")(settings.SENTRY_DSN)
