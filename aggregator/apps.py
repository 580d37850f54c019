"""App configuration."""

from django.apps import AppConfig
from django.core.checks import register
from django.utils.translation import gettext_lazy as _

from aggregator.checks import check_harvesting, check_site


class AggregatorConfig(AppConfig):
    name = "aggregator"
    verbose_name = _("aggregator")

    def ready(self) -> None:
        register(check_site, "site")
        register(check_harvesting, "harvesting")
