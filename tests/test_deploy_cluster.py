"""The cluster of OpenSearch in deploy/: its containers, certificates and role fit the program and each other."""

import os
import re
import shutil
import ssl
import stat
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
import yaml

from aggregator.search.opensearch.address import read_address
from aggregator.search.opensearch.generations import Generations
from aggregator.search.opensearch.mapping import SHAPE
from benchmarks.cluster.search_nodes import shipped_settings
from tests.paths import ROOT
from tests.test_deploy import DEPLOY, OURS

CLUSTER = yaml.safe_load((DEPLOY / "compose.cluster.yaml").read_text())
SERVICES = CLUSTER["services"]
NODES = {name: service for name, service in SERVICES.items() if "image" in service}
NODE_SETTINGS = yaml.safe_load((DEPLOY / "opensearch" / "opensearch.yml").read_text())
CONFIG = "/usr/share/opensearch/config/"


def mounts(service: dict) -> dict[str, str]:
    """The place in the container of each file that is mounted there -> the file in deploy/."""
    pairs = [volume.split(":") for volume in service["volumes"]]
    return {pair[1]: pair[0] for pair in pairs if pair[0].startswith("./")}


def test_every_process_of_ours_searches_in_all_nodes(monkeypatch) -> None:
    assert SERVICES.keys() - NODES.keys() == OURS.keys()
    for name in OURS:
        settings = SERVICES[name]["environment"]
        documented = (ROOT / "docs" / "reference" / "settings.md").read_text()
        assert [setting for setting in settings if f"`{setting}`" not in documented] == []
        monkeypatch.delenv("SEARCH_PASSWORD_FILE", raising=False)
        address = read_address(settings["SEARCH_URL"])
        assert address.nodes == tuple(f"https://{node}:9200" for node in NODES)
        secrets = {f"/run/secrets/{secret}" for secret in SERVICES[name]["secrets"]}
        assert {settings["SEARCH_PASSWORD_FILE"], settings["SEARCH_CA_FILE"]} < secrets
        assert set(OURS[name]["secrets"]) < set(SERVICES[name]["secrets"])
    assert CLUSTER["secrets"].keys() == {"search_password", "search_ca"}


def test_the_nodes_know_each_other_and_have_disks_of_their_own() -> None:
    for name, service in NODES.items():
        assert service["hostname"] == service["environment"]["node.name"] == name
        assert f"{name}:/usr/share/opensearch/data" in service["volumes"]
        assert service["mem_limit"]
        assert service["environment"]["DISABLE_INSTALL_DEMO_CONFIG"] == "true"  # its certificates are known to all
        assert "ports" not in service
    assert CLUSTER["volumes"].keys() == NODES.keys()
    for setting in ("discovery.seed_hosts", "cluster.initial_cluster_manager_nodes"):
        assert NODE_SETTINGS[setting] == list(NODES)
    assert NODE_SETTINGS["plugins.security.nodes_dn"] == [f"CN={name}" for name in NODES]


def test_a_machine_that_is_cut_off_is_missed_as_soon_as_in_the_tests() -> None:
    """The tests of tests/cluster measure how long a cluster is away with these settings."""
    tested = dict(option.removeprefix("-Dset.").split("=") for option in shipped_settings())
    assert len(tested) == 5
    assert tested.items() <= NODE_SETTINGS.items()


def test_the_image_is_of_the_tested_version() -> None:
    (tested,) = re.findall(r"<opensearch>(.+)</opensearch>", (DEPLOY / "opensearch-test" / "pom.xml").read_text())
    images = {service["image"] for service in NODES.values()}
    assert images == {f"opensearchproject/opensearch:{tested}"}
    assert images == set(re.findall(r"opensearchproject/\S+", (DEPLOY / "opensearch" / "new_secrets").read_text()))
    assert f"opensearch-security-{tested}" in (DEPLOY / "opensearch-test" / "security.sha256").read_text()


def test_the_role_is_for_the_indexes_of_this_address_only() -> None:
    role = yaml.safe_load((DEPLOY / "opensearch" / "roles.yml").read_text())["books"]
    (rule,) = role["index_permissions"]
    prefix = read_address(SERVICES["web"]["environment"]["SEARCH_URL"]).prefix

    class Client:
        address = read_address(SERVICES["web"]["environment"]["SEARCH_URL"])

    made = Generations(Client())  # type: ignore[arg-type]
    assert made.alias == f"{prefix}books-v{SHAPE}"
    assert rule["index_patterns"] == [f"{prefix}books-*", f"{prefix}building"]
    mapped = yaml.safe_load((DEPLOY / "opensearch" / "roles_mapping.yml").read_text())
    assert mapped["books"] == {"users": ["books"]}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not shutil.which("openssl"):
        pytest.skip("no openssl here")
    folder = tmp_path_factory.mktemp("secrets") / "search"
    hasher = folder.parent / "hash"
    hasher.write_text("#!/bin/sh\nprintf %s \"$PASSWORD\" >../seen\necho '$2y$12$stand-in'\n")
    hasher.chmod(0o755)
    program = DEPLOY / "opensearch" / "new_secrets"
    subprocess.run([program, folder], env={**os.environ, "HASH": str(hasher)}, check=True)
    return folder


def test_every_file_that_is_mounted_exists(made: Path) -> None:
    for name, service in NODES.items():
        for place, file in mounts(service).items():
            path = made / Path(file).name if file.startswith("./search/") else DEPLOY / file
            assert path.is_file(), file
            assert place.startswith(CONFIG)
        own = {Path(file).name for file in mounts(service).values() if file.startswith("./search/")}
        assert own == {"ca.pem", f"{name}.pem", f"{name}.key", "internal_users.yml"}
    keys = ("pemcert", "pemkey", "pemtrustedcas")
    named = {
        NODE_SETTINGS[f"plugins.security.ssl.{layer}.{key}_filepath"] for layer in ("http", "transport") for key in keys
    }
    assert {CONFIG + name for name in named} < mounts(NODES["search-one"]).keys()
    assert {secret["file"].rpartition("/")[2] for secret in CLUSTER["secrets"].values()} == {"password", "ca.pem"}


def test_a_strict_client_accepts_the_certificates_of_the_nodes(made: Path) -> None:
    trusting = ssl.create_default_context(cafile=made / "ca.pem")
    trusting.verify_flags |= ssl.VERIFY_X509_STRICT  # as Python 3.13 has it by default
    for name in NODES:
        serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        serving.load_cert_chain(made / f"{name}.pem", made / f"{name}.key")
        to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
        client = trusting.wrap_bio(to_client, to_server, server_hostname=name)
        server = serving.wrap_bio(to_server, to_client, server_side=True)
        for side in (client, server, client, server):
            with suppress(ssl.SSLWantReadError):
                side.do_handshake()
        assert client.version() == server.version() == "TLSv1.3"


def test_the_certificates_are_for_the_nodes_and_of_the_new_authority(made: Path) -> None:
    for name in NODES:
        command = ["openssl", "verify", "-CAfile", made / "ca.pem", "-verify_hostname", name, made / f"{name}.pem"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert b"BEGIN PRIVATE KEY" in (made / f"{name}.key").read_bytes()  # PKCS#8, which OpenSearch reads


def test_only_the_owner_reads_the_secrets(made: Path) -> None:
    open_to_others = [path.name for path in made.iterdir() if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)]
    assert open_to_others == ["ca.pem"]


def test_the_account_has_the_hash_of_the_password_and_not_the_password(made: Path) -> None:
    password = (made / "password").read_text()
    assert len(password) == 48
    assert (made.parent / "seen").read_text() == password
    accounts = yaml.safe_load((made / "internal_users.yml").read_text())
    assert accounts.keys() == {"_meta", "books"}
    assert accounts["books"]["hash"] == "$2y$12$stand-in"
    assert password not in (made / "internal_users.yml").read_text()


def test_the_how_to_names_the_files(made: Path) -> None:
    text = (ROOT / "docs" / "how-to" / "use-opensearch.md").read_text()
    assert "compose.cluster.yaml" in text
    assert "deploy/opensearch/roles.yml" in text
