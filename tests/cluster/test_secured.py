"""OpenSearch with the files of deploy/opensearch: TLS, a password, and a role that is enough and no more.

    python3 run.py test -m cluster tests/cluster/test_secured.py

Needs openssl, Java and Maven. Not in CI.
"""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from aggregator.search.base import Document, IndexUnavailable, Query
from aggregator.search.opensearch.address import read_address
from aggregator.search.opensearch.client import Client
from aggregator.search.opensearch.engine import OpenSearchIndex
from tests.paths import ROOT
from tests.test_deploy import free_port

PROGRAMS = ("java", "mvn", "openssl")
FILES = ROOT / "deploy" / "opensearch"
NAME = "search-one"
PLUGIN = "org.opensearch.security.OpenSearchSecurityPlugin"
HASHER = "org.opensearch.security.tools.Hasher"
STARTING = 300.0  # seconds for a slow machine
pytestmark = [pytest.mark.cluster, pytest.mark.slow, pytest.mark.long, pytest.mark.xdist_group("cluster")]


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """One node as compose.cluster.yaml starts it; yields the settings of a site."""
    if missing := [name for name in PROGRAMS if not shutil.which(name)]:
        pytest.skip(f"needs {', '.join(missing)}")
    folder = tmp_path_factory.mktemp("secured")
    made = subprocess.run([ROOT / "deploy/opensearch-test/parts", "security"], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    class_path = made.stdout.strip()
    hashing = {**os.environ, "HASH": f"java -cp {class_path} {HASHER} -env PASSWORD"}
    subprocess.run([FILES / "new_secrets", folder / "search"], env=hashing, check=True)
    put_in_place(folder / NAME / "config", folder / "search")
    port, between = free_port(), free_port()
    java = ["java", "-Xms512m", "-Xmx512m", f"-Dplugin={PLUGIN}", "-cp", class_path, "TestNode", str(folder)]
    with (folder / "node.log").open("wb") as log:
        process = subprocess.Popen(
            [*java, NAME, str(port), str(between), f"{NAME}=127.0.0.1:{between}"], stdout=log, stderr=log
        )
    try:
        yield {
            "SEARCH_URL": f"https://books@{NAME}:{port}/books",
            "SEARCH_PASSWORD_FILE": str(folder / "search" / "password"),
            "SEARCH_CA_FILE": str(folder / "search" / "ca.pem"),
            "log": str(folder / "node.log"),
        }
    finally:
        process.terminate()
        process.wait(60)


def put_in_place(config: Path, made: Path) -> None:
    """The files where the containers have them."""
    shutil.copytree(ROOT / "deploy/opensearch-test/target/security/config", config / "opensearch-security")
    (config / "certificates").mkdir()
    shutil.copy(FILES / "opensearch.yml", config)
    for path in (FILES / "roles.yml", FILES / "roles_mapping.yml", made / "internal_users.yml"):
        shutil.copy(path, config / "opensearch-security")
    for name, of_node in (("ca.pem", "ca.pem"), (f"{NAME}.pem", "node.pem"), (f"{NAME}.key", "node.key")):
        shutil.copy(made / name, config / "certificates" / of_node)


@pytest.fixture
def settings_of_site(node: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The environment of a site, in which the name of the node leads to this machine."""
    resolve = socket.getaddrinfo
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda host, *more, **options: resolve({NAME: "127.0.0.1"}.get(host, host), *more, **options),
    )
    for name, value in node.items():
        monkeypatch.setenv(name, value)
    begun = time.monotonic()
    while True:
        try:
            Client(read_address(node["SEARCH_URL"])).ask("GET", "/")
            return node
        except IndexUnavailable as problem:
            assert time.monotonic() - begun < STARTING, (problem.code, Path(node["log"]).read_text()[-3000:])
            time.sleep(1)


def test_the_role_is_enough_for_everything_that_a_site_does(settings_of_site: dict[str, str]) -> None:
    index = OpenSearchIndex(settings_of_site["SEARCH_URL"])
    assert index.update([Document(id=1, titles=("吾輩は猫である",)), Document(id=2, titles=("こころ",))]) == {1, 2}
    assert index.delete([2]) == {2}
    with index.build_beside() as build:
        build.update([Document(id=number, titles=("吾輩は猫である",)) for number in range(1, 4)])
    index.tidy()
    assert index.facts().documents == index.count() == index.search(Query(q="猫")).total == 3
    assert index.is_current()
    assert index.suggest("吾輩") == ()
    index.remove()
    assert index.facts().generation == ""


@pytest.mark.parametrize("path", ["/_cluster/health", "/_cat/indices", "/other", "/.opendistro_security/_search"])
def test_the_role_allows_nothing_else(settings_of_site: dict[str, str], path: str) -> None:
    with pytest.raises(IndexUnavailable) as refusal:
        Client(read_address(settings_of_site["SEARCH_URL"])).ask("GET", path)
    assert refusal.value.code == "denied"


def test_another_password_or_authority_is_refused(settings_of_site: dict[str, str]) -> None:
    address = read_address(settings_of_site["SEARCH_URL"])
    with pytest.raises(IndexUnavailable) as wrong_password:
        Client(replace(address, password="wrong")).ask("GET", "/")
    assert wrong_password.value.code == "denied"
    with pytest.raises(IndexUnavailable) as unknown_authority:
        Client(replace(address, authorities="")).ask("GET", "/")
    assert unknown_authority.value.code == "unreachable"
