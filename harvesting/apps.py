"""The configuration of the Django app "harvesting"."""

from pathlib import Path

from django.apps import AppConfig
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from core import temporary_files


class HarvestingConfig(AppConfig):
    name = "harvesting"
    verbose_name = _("harvesting")

    def ready(self) -> None:
        temporary_files.use(Path(settings.TEMPORARY_FOLDER))
