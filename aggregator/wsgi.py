"""The WSGI entry point for granian. An unsafe configuration does not start."""

import os
from pathlib import Path

import django
from django.conf import settings
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aggregator.settings")
django.setup()

if not (Path(settings.STATIC_ROOT) / "staticfiles.json").exists():
    raise ImproperlyConfigured("The static files are not collected yet. Run: python3 run.py manage prepare")
serious = [str(each) for each in run_checks(tags=["site"]) if each.is_serious()]
if serious:
    raise ImproperlyConfigured("\n".join(serious))

application = get_wsgi_application()
