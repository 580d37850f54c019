"""The WSGI entry point for granian. An unsafe configuration does not start."""

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

if not (Path(settings.STATIC_ROOT) / "staticfiles.json").exists():
    raise ImproperlyConfigured("The static files are not collected yet. Run: python3 run.py manage prepare")
serious = [
    str(each) for each in run_checks(tags=["site", "services"], include_deployment_checks=True) if each.is_serious()
]
if serious:
    raise ImproperlyConfigured("\n".join(serious))

application = get_wsgi_application()

# Threads of one process take turns this often (s): a page of a book need not wait while a search is worked on. With the
# five milliseconds of Python the p95 of record pages is a tenth to a half longer (benchmarks/RESULTS.md).
sys.setswitchinterval(0.001)

# What was loaded by now stays as long as the process: the collector need not go through it again and again, each time
# in the middle of somebody's page (90 ms against 1 ms).
get_resolver().url_patterns  # noqa: B018  loads every view
gc.collect()
gc.freeze()
