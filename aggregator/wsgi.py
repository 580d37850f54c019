"""The WSGI entry point for granian. Raises ImproperlyConfigured if the system checks find an error."""

import os
import sys
from pathlib import Path

import django
from django.conf import settings
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

from core.work.garbage import loading

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aggregator.settings")
with loading():
    django.setup()

from aggregator.early_refusals import EarlyRefusals

if not (Path(settings.STATIC_ROOT) / "staticfiles.json").exists():
    raise ImproperlyConfigured("The static files are not collected yet. Run: python3 run.py manage prepare")
errors = [
    str(message)
    for message in run_checks(tags=["site", "services"], include_deployment_checks=True)
    if message.is_serious()
]
if errors:
    raise ImproperlyConfigured("\n".join(errors))

application = EarlyRefusals(get_wsgi_application())

# Seconds between two switches of the threads of a process, so that a book page need not wait for a search. With
# Python's default of 5 ms the p95 of record pages is 10 to 50 % longer (benchmarks/RESULTS.md).
sys.setswitchinterval(0.001)

# So that a garbage collection in the middle of a request takes 1 ms instead of 90.
with loading():
    get_resolver().url_patterns  # noqa: B018  loads every view
