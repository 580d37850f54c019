"""App configuration."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AggregatorConfig(AppConfig):
    name = "aggregator"
    verbose_name = _("aggregator")
