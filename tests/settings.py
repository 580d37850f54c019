"""Settings of the test suite: those of the site, with a temporary data folder.

DATABASE_URL and REDIS_URL are kept, so that the same suite runs on PostgreSQL and Redis (.ci/run).
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

data_folder = tempfile.mkdtemp(prefix="aggregator-tests-")
atexit.register(shutil.rmtree, data_folder, ignore_errors=True)
Path(data_folder, "static").mkdir()  # without it whitenoise warns for every test client
for name in ("ALLOWED_HOSTS", "DEBUG", "PUBLIC_URL", "SEARCH_URL", "SECRET_KEY"):
    os.environ.pop(name, None)
for name in [name for name in os.environ if name.startswith("HARVEST_")]:
    del os.environ[name]
os.environ["AGGREGATOR_DATA"] = data_folder
if os.environ.get("REDIS_URL") and os.environ.get("PYTEST_XDIST_WORKER"):  # one Redis database per process
    server, _, number = os.environ["REDIS_URL"].rpartition("/")
    own = (int(number or 0) + int(os.environ["PYTEST_XDIST_WORKER"].removeprefix("gw"))) % 16
    os.environ["REDIS_URL"] = f"{server}/{own}"
os.environ["AGGREGATOR_SCHEMAS"] = ""  # tests count the issues of our own rules; those of schemas set a folder
os.environ["HARVEST_ALLOWED_NETWORKS"] = "127.0.0.0/8"
os.environ["HARVEST_MIN_PAUSE"] = "0"
os.environ["LINK_CHECKS_PER_DAY"] = "0"  # only the tests of links ask hosts
os.environ["RESULTS_SECONDS"] = "0"  # no cached results: a test searches for what it has just written
os.environ["DATABASE_IDLE_SECONDS"] = "0"  # a test is one transaction, and may wait for processes that it started

from aggregator.settings import *  # noqa: E402, F403  (after the environment is set)

if DATABASES["default"]["ENGINE"] == "core.database.sqlite":  # noqa: F405
    # One database per process, in memory. pytest-django does that only for Django's own engine, which it knows by name.
    DATABASES["default"]["TEST"] = {"NAME": ":memory:"}  # noqa: F405
RATE_LIMIT_URL = ""  # in Redis the counts of one test would limit the next
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # fast; strength does not matter in tests
STORAGES = {
    "files": {"BACKEND": "core.files.folder.DataFolder"},
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
