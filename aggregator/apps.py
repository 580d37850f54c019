"""App configuration."""

from django.apps import AppConfig
from django.core.checks import register
from django.utils.translation import gettext_lazy as _

from aggregator.checks import check_harvesting, check_site
from aggregator.checks_machine import check_machine, check_services
from aggregator.checks_public import check_public


class AggregatorConfig(AppConfig):
    name = "aggregator"
    verbose_name = _("aggregator")

    def ready(self) -> None:
        for check in (check_site, check_public, check_machine):
            register(check, "site")
        register(check_services, "services", deploy=True)  # asked by what is started, not by every command
        register(check_harvesting, "harvesting")
