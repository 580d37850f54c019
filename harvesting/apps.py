"""The configuration of the Django app "harvesting"."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class HarvestingConfig(AppConfig):
    name = "harvesting"
    verbose_name = _("harvesting")
