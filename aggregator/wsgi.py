"""The WSGI entry point for granian. Raises ImproperlyConfigured if the system checks find an error."""

import gc
import os
import sys
from pathlib import Path

import django
from django.conf import settings
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aggregator.settings")
django.setup()

from aggregator.early_refusals import EarlyRefusals  # noqa: E402  it needs Django's settings

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

# Everything loaded so far lives as long as the process. Freezing it keeps the garbage collector from scanning it again
# and again in the middle of a request (1 ms instead of 90 ms).
get_resolver().url_patterns  # noqa: B018  loads every view
gc.collect()
gc.freeze()
