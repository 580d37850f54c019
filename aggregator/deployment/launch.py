"""Start the programs of `run.py demo` and `run.py serve`, in order. No Django, no database access.

Every program is a child process, so that a failed one can be restarted and all are ended together.
"""

import argparse
import gettext
import http.client
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from aggregator.deployment import embedded_valkey
from aggregator.deployment.supervisor import Child, Stopped, Supervisor
from aggregator.deployment.web_server import HOST, PORT
from core.file_locks import try_lock_file

ROOT = Path(__file__).resolve().parents[2]
PROVIDER_PORTS = range(8400, 8500)
PROVIDER_NETWORK = f"127.0.0.0/8:{PROVIDER_PORTS[0]}-{PROVIDER_PORTS[-1]}"
START_SECONDS = 120.0  # a busy or small machine may need this long to load the code of three processes
BACKGROUND_PROCESSES = {
    "worker": ("worker", "default"),
    "aggregation": ("worker", "aggregation"),  # it must not wait for a harvest from a slow provider
    "quick": ("worker", "quick"),  # for jobs that a person waits for, such as trials: they must not wait for a harvest
    "dispatcher": ("dispatch",),
}
INTERRUPTED = 130  # the shell's convention for Ctrl-C


def language() -> str:
    """Return the language of the locale, from the environment variables in the order of POSIX."""
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    return next((os.environ[name] for name in names if os.environ.get(name)), "en")[:2]


_ = gettext.translation("django", ROOT / "locale", [language()], fallback=True).gettext


class LaunchError(Exception):
    """The launch failed. The message is a sentence for the person at the terminal."""


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    folder = Path(os.environ.get("AGGREGATOR_DATA") or ROOT / "var").resolve()
    logs = folder / "log" if options.command == "demo" else None
    try:
        lock = lock_data_folder(folder)
        with lock, Supervisor(environment(folder, options), logs, report_exit) as supervisor:
            supervisor.reload_on_hangup = options.command == "serve" and not is_at_a_terminal()
            return COMMANDS[options.command](supervisor, options, folder)
    except (Stopped, KeyboardInterrupt):
        return INTERRUPTED
    except LaunchError as error:
        print(error, file=sys.stderr)
        return 1


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="run.py")
    commands = top.add_subparsers(dest="command", required=True)
    demo = commands.add_parser("demo", help=_("set up the site, harvest the sample providers and start the server"))
    demo.add_argument(
        "--demo",
        choices=("small", "large"),
        default="small",
        help=_("large: also thousands of descriptions of real books, in more providers"),
    )
    demo.add_argument("--no-serve", action="store_true", help=_("exit after harvesting and print the counts"))
    serve = commands.add_parser(
        "serve", help=_("start the web server, a worker and the dispatcher, without sample data")
    )
    for subparser in (demo, serve):
        subparser.add_argument("--port", type=int, default=PORT, help=_("port of the web pages (8000)"))
    return top


def lock_data_folder(folder: Path) -> TextIO:
    """Allow one launch per data folder: two would write the same search index. Raises LaunchError."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = (folder / "run.lock").open("w")
    except OSError as error:
        text = _("The folder %(folder)s cannot be written (%(reason)s). Set AGGREGATOR_DATA to another folder.")
        raise LaunchError(text % {"folder": folder, "reason": error.strerror or error}) from error
    if not try_lock_file(lock):
        text = _("Another run.py is already running in %(folder)s. Stop it, or set AGGREGATOR_DATA to another folder.")
        raise LaunchError(text % {"folder": folder})
    return lock


def environment(folder: Path, options: argparse.Namespace) -> dict[str, str]:
    """Return the environment of the children. Variables that the user has set are kept; the demo adds the network of
    its sample provider to those that may be harvested, and checks no links, because those of its books lead nowhere.
    """
    values = {"REDIS_URL": embedded_valkey.url(folder), "PUBLIC_URL": f"http://{HOST}:{options.port}"}
    chosen = {name: os.environ.get(name) or value for name, value in values.items()}
    if options.command == "demo":
        allowed = os.environ.get("HARVEST_ALLOWED_NETWORKS", "")
        chosen["HARVEST_ALLOWED_NETWORKS"] = ",".join(filter(None, (allowed, PROVIDER_NETWORK)))
        chosen["LINK_CHECKS_PER_DAY"] = os.environ.get("LINK_CHECKS_PER_DAY") or "0"
    fork_on_macos = {"OBJC_DISABLE_INITIALIZE_FORK_SAFETY": "YES"}  # without it RQ's jobs crash at their start there
    return {**os.environ, **chosen, **fork_on_macos, "AGGREGATOR_DATA": str(folder), "PYTHONUNBUFFERED": "1"}


def is_at_a_terminal() -> bool:
    """Return whether this runs in a terminal: there SIGHUP means that the terminal was closed, and everything ends;
    elsewhere it means that there is new code.
    """
    return sys.stdin is not None and sys.stdin.isatty()


def demo(supervisor: Supervisor, options: argparse.Namespace, folder: Path) -> int:
    if not options.no_serve:
        require_free(options.port)
    start_queue(supervisor, folder)
    port = first_free(PROVIDER_PORTS)
    provider = supervisor.start("sampleprovider", manage("sampleprovider", "--demo", "--port", str(port)))
    wait_until(provider, lambda: is_open(port))
    # No pause between requests: this step harvests only the provider on 127.0.0.1. The worker keeps the usual pause.
    code = supervisor.run(
        manage("prepare", "--demo", f"http://{HOST}:{port}", "--size", options.demo), HARVEST_MIN_PAUSE="0"
    )
    if code or options.no_serve:
        return code
    return serve_pages(supervisor, options)


def serve(supervisor: Supervisor, options: argparse.Namespace, folder: Path) -> int:
    require_free(options.port)
    start_queue(supervisor, folder)
    return supervisor.run(manage("prepare")) or serve_pages(supervisor, options)


def serve_pages(supervisor: Supervisor, options: argparse.Namespace) -> int:
    """Run the web server, the workers and the dispatcher until they are ended. The web server starts first, since the
    user waits for it.
    """
    server = module("aggregator.deployment.web_server", str(options.port))
    web = supervisor.start("web", server, reload_signal=signal.SIGHUP)
    wait_until(web, lambda: is_open(options.port))
    for name, arguments in BACKGROUND_PROCESSES.items():  # `prepare` has already run the checks
        supervisor.start(name, manage(*arguments, "--skip-checks"), reload_signal=signal.SIGTERM)
    if folder := os.environ.get("BACKUP_FOLDER"):
        supervisor.start("backup", manage("backup", "--folder", folder, "--repeat"), reload_signal=signal.SIGTERM)
    print(_("Open %(url)s   (Ctrl-C stops everything)") % {"url": f"http://{HOST}:{options.port}/"}, flush=True)
    try:
        supervisor.watch()
    except Stopped:
        print(_("Stopping …"), flush=True)
        return 0
    return 1


COMMANDS = {"demo": demo, "serve": serve}


def start_queue(supervisor: Supervisor, folder: Path) -> None:
    """Start the embedded queue server, unless REDIS_URL names another."""
    if os.environ.get("REDIS_URL"):
        return
    queue = supervisor.start("queue", module("aggregator.deployment.embedded_valkey", str(folder)))
    wait_until(queue, lambda: embedded_valkey.answers(folder))


def manage(*arguments: str) -> list[str]:
    return [sys.executable, str(ROOT / "manage.py"), *arguments]


def module(name: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", name, *arguments]


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # ignore closed connections of an earlier run
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def first_free(ports: range) -> int:
    for port in ports:
        if is_free(port):
            return port
    text = _("Every port from %(first)d to %(last)d is in use.")
    raise LaunchError(text % {"first": ports[0], "last": ports[-1]})


def require_free(port: int) -> None:
    if not is_free(port):
        text = _("Port %(port)d is in use. Choose another: python3 run.py --port %(other)d")
        raise LaunchError(text % {"port": port, "other": first_free(range(port + 1, port + 100))})


def is_open(port: int) -> bool:
    """Return whether a web server answers on this port, with any status."""
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("HEAD", "/")
        connection.getresponse()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return True


def wait_until(child: Child, ready: Callable[[], bool]) -> None:
    """Wait until the child is ready. Raises LaunchError if it ends first or takes longer than START_SECONDS."""
    deadline = time.monotonic() + START_SECONDS
    while not ready():
        code = child.process.poll()
        if code is not None:
            text = _("%(name)s exited immediately (exit code %(code)d). %(log)s")
            raise LaunchError(text % {"name": child.name, "code": code, "log": child.log_tail()})
        if time.monotonic() > deadline:
            text = _("%(name)s did not answer within %(seconds)d seconds. %(log)s")
            raise LaunchError(text % {"name": child.name, "seconds": START_SECONDS, "log": child.log_tail()})
        time.sleep(0.02)


def report_exit(name: str, code: int | None, gives_up: bool) -> None:
    if code is None:
        print(_("%(name)s is restarting with the new code.") % {"name": name}, flush=True)
        return
    text = _("%(name)s exited (exit code %(code)d) and is being restarted.")
    if gives_up:
        text = _("%(name)s keeps exiting (exit code %(code)d). Stopping everything.")
    print(text % {"name": name, "code": code}, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
