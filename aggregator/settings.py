"""All settings, read from the environment. Misused ones are reported by the system checks in `aggregator.checks`."""

import math
import os
import secrets
from pathlib import Path

import dj_database_url
import django_stubs_ext
from django.utils.csp import CSP

from aggregator.deployment import embedded_valkey
from core.files.place import storage_of_files
from core.languages import installed

django_stubs_ext.monkeypatch()  # before any model or form: allows generic classes such as ModelAdmin[Repository]

BASE_DIR = Path(__file__).resolve().parent.parent


def env_flag(name: str, default: bool = False) -> bool:
    return os.environ.get(name, str(default)).lower() in {"1", "true", "yes", "on"}


def env_list(name: str, default: str = "") -> list[str]:
    return [part.strip() for part in os.environ.get(name, default).split(",") if part.strip()]


def env_number(name: str, default: str) -> float:
    """Return a number. Anything else becomes NaN, which the checks aggregator.E005 and E010 report."""
    try:
        return float(os.environ.get(name, default))
    except ValueError:
        return math.nan


def env_milliseconds(seconds: float) -> int:
    """Return milliseconds for PostgreSQL; 0 = no limit. Negative values and NaN give 0, and a check reports them."""
    return round(min(seconds, 2_000_000) * 1000) if seconds > 0 else 0


def demo_secret(folder: Path) -> str:
    """Return a secret key that is created once, for trying the site on this machine. Public sites set SECRET_KEY."""
    path = folder / "secret_key"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(50), encoding="utf-8")
    return path.read_text(encoding="utf-8")


DATA_DIR = Path(os.environ.get("AGGREGATOR_DATA", BASE_DIR / "var")).resolve()
DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)  # private: accounts, encrypted passwords
DEBUG = env_flag("DEBUG")
SECRET_KEY = os.environ.get("SECRET_KEY") or demo_secret(DATA_DIR)
ALLOWED_HOSTS = env_list("ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]")
PUBLIC_URL = os.environ.get("PUBLIC_URL", "http://127.0.0.1:8000").rstrip("/")
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]
# The operator of the site, and how readers can reach them (an e-mail or web address); shown on /about and /contact.
SITE_OPERATOR = os.environ.get("SITE_OPERATOR", "")
SITE_CONTACT = os.environ.get("SITE_CONTACT", "")

INSTALLED_APPS = [
    "aggregator",
    "harvesting",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "corsheaders",
]
MIDDLEWARE = [
    "aggregator.observability.request_log.RequestLogMiddleware",  # first, because it times all others
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "aggregator.middleware.compression.CompressionMiddleware",  # outside of all that read the content of responses
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "aggregator.middleware.field_limit.limit_fields",
    "aggregator.middleware.cors.CorsMiddleware",
    "aggregator.middleware.deprecation.announce_deprecation",
    "aggregator.middleware.api_problems.ApiProblemMiddleware",
    "aggregator.middleware.api_key_holder.ApiKeyMiddleware",
    "aggregator.middleware.conditional_get.ConditionalGetMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "aggregator.middleware.language_prefix.language_prefix",
    "django.middleware.common.CommonMiddleware",
    "aggregator.middleware.facet_guard.FacetGuardMiddleware",
    # After everything that cached pages need as well: headers, language, cookies.
    "aggregator.middleware.result_page_cache.ResultPageCacheMiddleware",
    "aggregator.middleware.rate_limit.RateLimitMiddleware",  # before everything that is costly
    "aggregator.middleware.statement_timeout.StatementTimeoutMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "aggregator.access.middleware.PermissionMiddleware",
    "aggregator.middleware.field_limit.StorableTextMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
ROOT_URLCONF = "aggregator.urls"
WSGI_APPLICATION = "aggregator.wsgi.application"
_CONTEXT_PROCESSORS = [
    "django.template.context_processors.i18n",
    "django.contrib.auth.context_processors.auth",
    "django.contrib.messages.context_processors.messages",
]
TEMPLATES = [
    {
        "NAME": "jinja2",
        "BACKEND": "aggregator.templating.backend.Pages",  # our own pages
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "environment": "aggregator.templating.environment.environment",
            "context_processors": [*_CONTEXT_PROCESSORS, "aggregator.views.site_context.site"],
        },
    },
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",  # those of Django's admin
        "DIRS": [BASE_DIR / "aggregator" / "admin" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": ["django.template.context_processors.request", *_CONTEXT_PROCESSORS]},
    },
]

# A file, so that the password is neither in the environment of every process nor in the address.
DATABASE_PASSWORD_FILE = os.environ.get("DATABASE_PASSWORD_FILE", "")
# Health checks: after a restart of PostgreSQL the first request of each connection opens a new one instead of failing.
DATABASES = {
    "default": dj_database_url.config(
        default=f"sqlite:///{DATA_DIR / 'aggregator.sqlite3'}", conn_max_age=60, conn_health_checks=True
    )
}
if DATABASE_PASSWORD_FILE:
    DATABASES["default"]["PASSWORD"] = Path(DATABASE_PASSWORD_FILE).read_text(encoding="utf-8").strip()
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["ENGINE"] = "core.database.sqlite"  # Django's engine with a queue for writers
    # IMMEDIATE: a deferred transaction fails at once when it starts to write after another connection has written,
    # without waiting for the timeout.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 30,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-24000; "
        # 24 MB per connection for the page cache, and as memory of a sort; checkpoints every 32 MB, so that a page that
        # several batches write is copied into the database only once. Readers have the file mapped, as that of the
        # search index, instead of copying each page of it: 2 GiB, the most that SQLite allows.
        "PRAGMA wal_autocheckpoint=8000; PRAGMA mmap_size=2147418112;",
    }
# How long a statement waits for a lock, and how long a transaction may be idle: the transaction of a process that hangs
# is ended, so that others can continue. Code that waits for a lock by design sets its own limits
# (aggregator.grouping.aggregate).
DATABASE_LOCK_SECONDS = env_number("DATABASE_LOCK_SECONDS", "10")
DATABASE_IDLE_SECONDS = env_number("DATABASE_IDLE_SECONDS", "60")
if DATABASES["default"]["ENGINE"].endswith("postgresql"):
    _OPTIONS = DATABASES["default"].setdefault("OPTIONS", {})
    _OPTIONS["options"] = " ".join(
        [
            f"-c lock_timeout={env_milliseconds(DATABASE_LOCK_SECONDS)}",
            f"-c idle_in_transaction_session_timeout={env_milliseconds(DATABASE_IDLE_SECONDS)}",
            _OPTIONS.pop("options", ""),  # last, so that DATABASE_URL takes precedence
        ]
    ).strip()
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Regular backups: where `run.py serve` makes them, and the command that copies a backup to a second place.
BACKUP_FOLDER = os.environ.get("BACKUP_FOLDER", "")
BACKUP_COPY = os.environ.get("BACKUP_COPY", "")
# Days between two dumps of all redistributable data; 0 = no regular dumps, only “manage.py dump”.
DUMP_DAYS = env_number("DUMP_DAYS", "7")

# The WebSub hub that notifies subscribers of changes; "" = the hub of this site.
WEBSUB_HUB = os.environ.get("WEBSUB_HUB", "")

REDIS_URL = os.environ.get("REDIS_URL", "")
_QUEUE = {"URL": REDIS_URL or embedded_valkey.url(DATA_DIR), "SERIALIZER": "rq.serializers.JSONSerializer"}
# aggregation: so that harvests from slow providers do not hold it up. quick: jobs that a person waits for.
RQ_QUEUES = dict.fromkeys(("default", "aggregation", "quick"), _QUEUE)

# A search engine that several machines share; "" = an index in SEARCH_DIR. See `aggregator.search`.
SEARCH_URL = os.environ.get("SEARCH_URL", "")
SEARCH_DIR = DATA_DIR / "search"

# Where pictures of books come from that no record names: an address with {isbn}; "" = nowhere.
COVER_SOURCE = os.environ.get("COVER_SOURCE", "")

# Limits of the web pages, see `aggregator.middleware`. Searches are counted in Redis for all processes together;
# without REDIS_URL, in every process separately.
RATE_LIMIT_URL = REDIS_URL
TRUSTED_PROXIES = env_list("TRUSTED_PROXIES")
# Interlibrary loan: requests that one library may make within a day.
LOANS_PER_DAY = env_number("LOANS_PER_DAY", "100")
SEARCH_SLOTS = env_number("SEARCH_SLOTS", "1")
SEARCH_RATE = env_number("SEARCH_RATE", "10")
SEARCH_BURST = env_number("SEARCH_BURST", "600")
RESULTS_SECONDS = env_number("RESULTS_SECONDS", "15")
DATABASE_SECONDS = env_number("DATABASE_SECONDS", "10")
# How long a library's answer about what can be borrowed now is kept; 0 = libraries are never asked.
AVAILABILITY_MINUTES = env_number("AVAILABILITY_MINUTES", "3")
# Live search (横断検索): minutes for which an answer of a live source is kept; 0 = live search is off. Always:
# whether they are asked for every search that a reader with a script makes, once our own results are shown.
LIVE_MINUTES = env_number("LIVE_MINUTES", "5")
LIVE_ALWAYS = env_flag("LIVE_ALWAYS")
# See docs/explanation/decisions/0020. Each cache has a limit of its own, so that none displaces the entries of another.
_MEMORY, _DISK = "core.caches.memory.MemoryCache", "core.caches.disk.DiskCache"
CACHES = {
    "default": {"BACKEND": _MEMORY, "LOCATION": "default"},
    "results": {"BACKEND": _MEMORY, "LOCATION": "results", "OPTIONS": {"MAX_ENTRIES": 300}},  # at most 75 MiB
    "facets": {"BACKEND": _MEMORY, "LOCATION": "facets", "OPTIONS": {"MAX_ENTRIES": 512}},
    "availability": {"BACKEND": _MEMORY, "LOCATION": "availability", "OPTIONS": {"MAX_ENTRIES": 5000}},
    "links": {"BACKEND": _MEMORY, "LOCATION": "links", "OPTIONS": {"MAX_ENTRIES": 1}},
    "keys": {"BACKEND": _MEMORY, "LOCATION": "keys", "OPTIONS": {"MAX_ENTRIES": 10_000}},
    "pages": {"BACKEND": _DISK, "LOCATION": DATA_DIR / "pages", "OPTIONS": {"MAX_BYTES": 4 * 1024**3}},
    "written": {"BACKEND": _DISK, "LOCATION": DATA_DIR / "written", "OPTIONS": {"MAX_BYTES": 4 * 1024**3}},
    "live": {"BACKEND": _DISK, "LOCATION": DATA_DIR / "live", "OPTIONS": {"MAX_BYTES": 64 * 1024**2}},
    "pictures": {"BACKEND": _DISK, "LOCATION": DATA_DIR / "pictures", "OPTIONS": {"MAX_BYTES": 2 * 1024**3}},
    "suggestions": {"BACKEND": _DISK, "LOCATION": DATA_DIR / "suggestions", "OPTIONS": {"MAX_BYTES": 256 * 1024**2}},
}

# Fernet keys for the providers' credentials. The first one encrypts, all of them decrypt. Without any, a key is created
# in a file in DATA_DIR.
CREDENTIALS_KEYS = env_list("CREDENTIALS_KEYS")

# On a disk: /tmp is often in memory.
TEMPORARY_FOLDER = os.environ.get("TEMPORARY_FOLDER") or str(DATA_DIR / "tmp")
HARVEST_CONTACT = os.environ.get("HARVEST_CONTACT", "")
HARVEST_ALLOWED_NETWORKS = env_list("HARVEST_ALLOWED_NETWORKS")
HARVEST_MIN_PAUSE = env_number("HARVEST_MIN_PAUSE", "1")
HARVEST_DEADLINE = env_number("HARVEST_DEADLINE", "120")
HARVEST_RETRY_WAIT = env_number("HARVEST_RETRY_WAIT", "300")
# Links of records to libraries: how many requests a day check them (0 = none), how many of these one host gets, and on
# how many days in a row a page must be missing before its link is dead.
LINK_CHECKS_PER_DAY = env_number("LINK_CHECKS_PER_DAY", "2000")
LINK_CHECKS_PER_HOST = env_number("LINK_CHECKS_PER_HOST", "50")
LINK_DEAD_DAYS = env_number("LINK_DEAD_DAYS", "3")
# Where DOIs are handed over for providers that want it.
JALC_URL = os.environ.get("JALC_URL", "https://japanlinkcenter.org")

# Access to /metrics: with the token; if no token is set, from these networks.
METRICS_TOKEN = os.environ.get("METRICS_TOKEN", "")
METRICS_NETWORKS = env_list("METRICS_NETWORKS", "127.0.0.0/8,::1")

# Where errors are reported; "" = nowhere. Needs the packages in requirements-sentry.txt.
SENTRY_DSN = os.environ.get("SENTRY_DSN", "")

# The domain name in the OAI-PMH identifiers of this site's own records; "" = the host of PUBLIC_URL.
OAI_NAMESPACE = os.environ.get("OAI_NAMESPACE", "")

# Folder of the official XSDs: by default those that are shipped; “manage.py fetch_schemas” downloads all others too.
# "" = records are not checked against them.
SHIPPED_SCHEMAS = str(BASE_DIR / "metadata" / "validation" / "xsd" / "shipped")
AGGREGATOR_SCHEMAS = os.environ.get("AGGREGATOR_SCHEMAS", SHIPPED_SCHEMAS)

LANGUAGE_CODE = "ja"
# A catalogue in DATA_DIR/locale adds a language: docs/how-to/add-a-language.md.
LOCALE_PATHS = [DATA_DIR / "locale", BASE_DIR / "locale"]
LANGUAGES = list(installed(LOCALE_PATHS).items())
TIME_ZONE = "Asia/Tokyo"
USE_TZ = True
FORMAT_MODULE_PATH = "core.date_formats"

# Where the files are that all machines have in common: "" = in DATA_DIR; s3://BUCKET/PREFIX. See `core.files`.
FILES_URL = os.environ.get("FILES_URL", "")

# Folder with a folder for each provider that pushes its records as files, for example by SFTP; "" = none.
PUSH_FOLDER = os.environ.get("PUSH_FOLDER", "")

STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "files": storage_of_files(FILES_URL),
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

SECURE_CSP = {
    "default-src": [CSP.NONE],
    "script-src": [CSP.SELF],
    "style-src": [CSP.SELF],
    "font-src": [CSP.SELF],
    "img-src": [CSP.SELF, "data:"],
    "connect-src": [CSP.SELF],
    "form-action": [CSP.SELF],
    "frame-ancestors": [CSP.NONE],
    "base-uri": [CSP.NONE],
    "manifest-src": [CSP.SELF],
}
# For pages of other sites that read the data interfaces; which addresses these are, see `aggregator.middleware.cors`.
CORS_ALLOW_ALL_ORIGINS = True
CORS_ALLOW_METHODS = ("GET", "HEAD", "POST", "OPTIONS")
CORS_ALLOW_HEADERS = (
    *("Accept", "Accept-Language", "Authorization", "Content-Type"),
    *("If-Modified-Since", "If-None-Match"),
)
CORS_EXPOSE_HEADERS = (
    *("Content-Disposition", "Deprecation", "ETag", "Link", "Retry-After", "Sunset"),
    *("RateLimit", "RateLimit-Policy", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"),
)
CORS_PREFLIGHT_MAX_AGE = 24 * 60 * 60  # seconds; browsers shorten it, some to two hours
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = PUBLIC_URL.startswith("https:")
if SESSION_COOKIE_SECURE:
    SECURE_HSTS_SECONDS = 365 * 24 * 60 * 60
    # Accepted from trusted proxies only: `aggregator.observability.request_log` removes it from other requests.
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
# W008: the web server in front redirects http to https (deploy/nginx.conf); a redirect here would loop behind a proxy
# that does not send X-Forwarded-Proto. W005, W021: whether HSTS covers subdomains, and whether the domain is on the
# browsers' preload lists, is not for this program to decide.
SILENCED_SYSTEM_CHECKS = ["security.W008", "security.W005", "security.W021"]
SESSION_COOKIE_AGE = 12 * 60 * 60
LOGIN_URL = "login"
# Single sign-on, by proxy header or OpenID Connect; both are off unless set. Accounts still need an invitation.
REMOTE_USER_HEADER = os.environ.get("REMOTE_USER_HEADER", "")
REMOTE_USER_SECRET = os.environ.get("REMOTE_USER_SECRET", "")  # shared with the proxy
OIDC_ISSUER = os.environ.get("OIDC_ISSUER", "")
OIDC_CLIENT_ID = os.environ.get("OIDC_CLIENT_ID", "")
OIDC_CLIENT_SECRET = os.environ.get("OIDC_CLIENT_SECRET", "")
OIDC_LABEL = os.environ.get("OIDC_LABEL", "")
AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]
if REMOTE_USER_HEADER:
    AUTHENTICATION_BACKENDS.append("aggregator.access.remote_user.InvitedOnly")
    MIDDLEWARE.insert(
        MIDDLEWARE.index("aggregator.access.middleware.PermissionMiddleware"),
        "aggregator.access.remote_user.ProxyLogin",
    )
LOGIN_REDIRECT_URL = "manage"
LOGOUT_REDIRECT_URL = "home"
PASSWORD_RESET_TIMEOUT = 60 * 60  # seconds for which the link of “I forgot my password” is valid
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}", "OPTIONS": options}
    for name, options in {
        "UserAttributeSimilarityValidator": {},
        "MinimumLengthValidator": {"min_length": 10},
        "CommonPasswordValidator": {},
        "NumericPasswordValidator": {},
    }.items()
]

# Mail: without EMAIL_HOST no mail is sent; mails are written to a folder in AGGREGATOR_DATA.
MAIL_SECURITY = os.environ.get("EMAIL_SECURITY", "")  # "", "starttls" or "tls"
MAIL_SERVER = {
    "host": os.environ.get("EMAIL_HOST", ""),
    "port": os.environ.get("EMAIL_PORT") or {"starttls": "587", "tls": "465"}.get(MAIL_SECURITY, "25"),
    "username": os.environ.get("EMAIL_HOST_USER", ""),
    "password": os.environ.get("EMAIL_HOST_PASSWORD", ""),
    "use_tls": MAIL_SECURITY == "starttls",
    "use_ssl": MAIL_SECURITY == "tls",
    "timeout": 15,
}
MAILERS = {
    "default": {
        "BACKEND": f"django.core.mail.backends.{'smtp' if MAIL_SERVER['host'] else 'filebased'}.EmailBackend",
        "OPTIONS": MAIL_SERVER if MAIL_SERVER["host"] else {"file_path": str(DATA_DIR / "mails")},
    }
}
DEFAULT_FROM_EMAIL = SERVER_EMAIL = os.environ.get("EMAIL_FROM", "") or "aggregator@localhost"

# Whether readers may have new books of a search mailed to them. Needs EMAIL_HOST.
ALERTS = env_flag("ALERTS", True)

LOG_FORMAT = os.environ.get("LOG_FORMAT", "")  # "" or "line": for people; "json": for programs
ACCESS_LOG = env_flag("ACCESS_LOG")  # whether to log every request
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": "core.log_lines.formatter"}},
    "filters": {"links": {"()": "aggregator.observability.routes.HideLinks"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["links"]}},
    "root": {"handlers": ["console"], "level": os.environ.get("LOG_LEVEL", "WARNING")},
    "loggers": {
        # Handled by the root logger. By default Django mails errors, and in development writes lines in another format.
        "django": {"handlers": [], "level": "NOTSET", "propagate": True},
        "django.server": {"handlers": [], "level": "NOTSET", "propagate": True},
        "aggregator.access": {"level": "INFO" if ACCESS_LOG else "WARNING"},
    },
}
