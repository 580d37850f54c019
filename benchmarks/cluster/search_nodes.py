"""A cluster of OpenSearch on hosts of its own, reached as in real use: TLS, a password, and an authority of our own.

The nodes are those of deploy/opensearch-test, which speak plain HTTP on their own host only; nginx in front of each has
the certificate and asks for the password.
"""

import os
import secrets
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import requests

from benchmarks.cluster.hosts import Host
from sampleprovider.certificates import authority_pem, server_pem

ROOT = Path(__file__).resolve().parents[2]
HEAP = 512  # megabytes of each node
SETTINGS = ROOT / "deploy/opensearch/opensearch.yml"  # of the nodes that we ship
SHIPPED = (
    "cluster.fault_detection.",
    "cluster.follower_lag.",
    "cluster.publish.",
    "transport.connect_timeout",
)  # settings that hold here too
STARTING = 180.0  # seconds for a slow machine
NODE, DOOR = "opensearch", "nginx"  # the programs of a host
_INSIDE, _OUTSIDE, _BETWEEN = 9201, 9200, 9300  # ports
_CONFIGURATION = """
daemon off; pid {folder}/nginx.pid; error_log stderr error; worker_processes 1; user root;
events {{}}
http {{
    access_log off; client_max_body_size 100m; proxy_temp_path {folder}/proxy; client_body_temp_path {folder}/body;
    fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    server {{
        listen {address}:{outside} ssl; ssl_certificate {folder}/server.pem; ssl_certificate_key {folder}/server.pem;
        auth_basic "OpenSearch"; auth_basic_user_file {folder}/users;
        location / {{
            proxy_pass http://127.0.0.1:{inside}; proxy_http_version 1.1; proxy_read_timeout 180s;
            proxy_set_header Connection ""; proxy_set_header Authorization "";
        }}
    }}
}}
"""


def nginx(configuration: Path) -> list[str]:
    """The command that starts nginx."""
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin") or "nginx"
    return [program, "-c", str(configuration), "-e", "stderr"]


def shipped_settings() -> list[str]:
    """How the nodes that we ship notice that one of them is gone, as options of the test node."""
    lines = SETTINGS.read_text().splitlines()
    return [f"-Dset.{line.replace(': ', '=')}" for line in lines if line.startswith(SHIPPED)]


@dataclass(slots=True)
class SearchNodes:
    """folder: of the files that a client needs."""

    hosts: Sequence[Host]
    folder: Path
    password: str = field(default_factory=lambda: secrets.token_hex(12), repr=False)
    class_path: str = ""

    @property
    def settings(self) -> dict[str, str]:
        """The settings of a site that searches here."""
        addresses = ",".join(f"{host.address}:{_OUTSIDE}" for host in self.hosts)
        return {
            "SEARCH_URL": f"https://books@{addresses}/books",
            "SEARCH_PASSWORD_FILE": str(self.folder / "password"),
            "SEARCH_CA_FILE": str(self.folder / "ca.pem"),
        }

    def make(self) -> None:
        """Write the files of all nodes and of their clients."""
        parts = subprocess.run([ROOT / "deploy/opensearch-test/parts"], check=False, capture_output=True, text=True)
        if parts.returncode:
            raise RuntimeError(parts.stderr)
        self.class_path = parts.stdout.strip()
        (self.folder / "password").write_text(self.password)
        (self.folder / "ca.pem").write_text(authority_pem())
        for host in self.hosts:
            (host.folder / "server.pem").write_bytes(server_pem(host.address))
            (host.folder / "users").write_text(f"books:{{PLAIN}}{self.password}\n")
            text = _CONFIGURATION.format(folder=host.folder, address=host.address, outside=_OUTSIDE, inside=_INSIDE)
            (host.folder / "nginx.conf").write_text(text)

    def start(self, host: Host) -> None:
        """Start the node of a host; it joins the others."""
        members = [f"{member.folder.name}={member.address}:{_BETWEEN}" for member in self.hosts]
        data = ("-cp", self.class_path, "TestNode", str(host.disk), host.folder.name, str(_INSIDE), str(_BETWEEN))
        settings = (f"-Dset.network.host={host.address}", "-Dset.cluster.info.update.interval=10s", *shipped_settings())
        host.start(NODE, ["java", f"-Xms{HEAP}m", f"-Xmx{HEAP}m", *settings, *data, *members])
        if DOOR not in host.processes:
            host.start(DOOR, nginx(host.folder / "nginx.conf"))

    def ask(self, host: Host, path: str) -> dict[str, object]:
        """What the node of a host answers. Raises requests.RequestException if it does not."""
        url = f"https://{host.address}:{_OUTSIDE}{path}"
        account, authorities = ("books", self.password), str(self.folder / "ca.pem")
        answer = requests.get(url, auth=account, verify=authorities, timeout=10)
        answer.raise_for_status()
        return dict(answer.json())

    def wait_until_whole(self, seconds: float = STARTING) -> float:
        """Wait until all nodes have found each other and every index has all its copies; return the seconds."""
        begun = time.monotonic()
        while time.monotonic() - begun < seconds:
            if all(map(self._is_whole, self.hosts)):
                return time.monotonic() - begun
            time.sleep(0.5)
        logs = [host.log(NODE)[-1500:] for host in self.hosts]
        raise RuntimeError(f"not whole within {seconds:.0f} seconds: {logs}")

    def _is_whole(self, host: Host) -> bool:
        try:
            health = self.ask(host, "/_cluster/health")
        except requests.RequestException:
            return False
        return health["number_of_nodes"] == len(self.hosts) and health["status"] == "green"


@contextmanager
def search_nodes(machines: Sequence[Host], folder: Path) -> Iterator[SearchNodes]:
    """Start a node on each host and wait until they are a cluster."""
    folder.mkdir(parents=True, exist_ok=True)
    nodes = SearchNodes(machines, folder)
    nodes.make()
    for host in machines:
        nodes.start(host)
    nodes.wait_until_whole()
    yield nodes
