"""The hosts of a cluster that have no program of ours: PostgreSQL and Redis, and a provider to be harvested."""

import shutil
import sys
import time
from collections.abc import Callable

import psycopg

from benchmarks.cluster.hosts import Host
from benchmarks.cluster.search_nodes import ROOT, nginx
from tests.durability.cluster import NOBODYS, programs

DATABASE, QUEUE = "postgresql", "redis"  # programs of the host "data"
STARTING = 120.0  # seconds
_POSTGRES, _REDIS, _PROVIDER = 5432, 6379, 8400  # ports
_AS_NOBODY = ("setpriv", f"--reuid={NOBODYS}", f"--regid={NOBODYS}", "--clear-groups")
_DOOR = """
daemon off; pid {folder}/nginx.pid; error_log stderr error; user root; events {{}}
http {{
    access_log off; proxy_temp_path {folder}/proxy; client_body_temp_path {folder}/body;
    fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    server {{ listen {address}:{port}; location / {{ proxy_pass http://127.0.0.1:{port}; proxy_read_timeout 120s; }} }}
}}
"""


def make_database(host: Host, network: str) -> str:
    """Start PostgreSQL on this host; return DATABASE_URL. network: whose hosts need no password."""
    found = programs()
    if found is None:
        raise RuntimeError("PostgreSQL is not installed")
    data = host.folder / "postgresql"
    data.mkdir()
    shutil.chown(data, NOBODYS)
    options = ("-A", "trust", "-U", NOBODYS, "--locale", "C.UTF-8", "-E", "UTF8")
    host.run([*_AS_NOBODY, str(found / "initdb"), "-D", str(data), *options])
    with (data / "pg_hba.conf").open("a") as rules:
        rules.write(f"host all all {network} trust\n")
    start_database(host)
    url = f"postgres://{NOBODYS}@{host.address}:{_POSTGRES}/postgres"
    wait_until(lambda: _accepts(url), "PostgreSQL")
    return url


def start_database(host: Host) -> None:
    data = host.folder / "postgresql"
    program = str((programs() or data) / "postgres")
    settings = ("-c", f"listen_addresses={host.address}", "-c", "max_connections=300", "-k", str(data))
    host.start(DATABASE, [*_AS_NOBODY, program, "-D", str(data), *settings])


def start_queue(host: Host) -> str:
    """Start Redis on this host; return REDIS_URL."""
    volatile = ("--save", "", "--appendonly", "no", "--maxmemory-policy", "noeviction", "--protected-mode", "no")
    host.start(QUEUE, ["redis-server", "--bind", host.address, "--port", str(_REDIS), *volatile])
    wait_until(lambda: "PONG" in host.run(["redis-cli", "-h", host.address, "ping"]), "Redis")
    return f"redis://{host.address}:{_REDIS}/0"


def start_provider(host: Host, records: int) -> str:
    """Start a provider with so many records on this host; return its address."""
    serving = ["sampleprovider", "--records", str(records), "--port", str(_PROVIDER)]
    host.start("provider", [sys.executable, str(ROOT / "manage.py"), *serving])
    configuration = host.folder / "nginx.conf"
    configuration.write_text(_DOOR.format(folder=host.folder, address=host.address, port=_PROVIDER))
    host.start("nginx", nginx(configuration))
    wait_until(lambda: "/" in host.log("provider"), "the provider")
    path = next(word for word in host.log("provider").split() if word.startswith("http")).split("/", 3)[3]
    return f"http://{host.address}:{_PROVIDER}/{path}"


def wait_until(condition: Callable[[], bool], what: str, seconds: float = STARTING) -> float:
    """Wait until the condition holds; return the seconds. Raises RuntimeError."""
    begun = time.monotonic()
    while True:
        try:
            if condition():
                return time.monotonic() - begun
        except RuntimeError as problem:
            last = str(problem)
        else:
            last = ""
        if time.monotonic() - begun > seconds:
            raise RuntimeError(f"{what}: not within {seconds:.0f} seconds {last}")
        time.sleep(0.5)


def _accepts(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True
