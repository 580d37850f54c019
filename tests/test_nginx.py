"""Runs nginx with the configuration in deploy/: headers that it passes to the application, addresses that it blocks,
and the page that it serves while the application is down.
"""

import base64
import datetime
import gzip
import http.client
import json
import re
import runpy
import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from django.middleware.csrf import get_token

from tests.test_deploy import DEPLOY, free_port, wait_for

PROGRAM = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin") or ""
pytestmark = pytest.mark.skipif(not PROGRAM, reason="nginx is not installed here")
PAGE = "<p>図書館の本</p>".encode() * 200
MEDIA = {
    "/page.json": "application/json",
    "/page.xml": "application/xml; charset=utf-8",
    "/page.zip": "application/zip",
}
HOST, SECRET = "books.example.jp", "twenty-characters-of-secret"


def make_certificate(folder: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    now = datetime.datetime.now(datetime.UTC)
    certificate = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    certificate = (
        certificate.not_valid_before(now).not_valid_after(now + datetime.timedelta(days=1)).sign(key, hashes.SHA256())
    )
    (folder / "fullchain.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    (folder / "privkey.pem").write_bytes(pem)


class Echo(BaseHTTPRequestHandler):
    """Stands in for the web process; answers with the headers that it received, as JSON."""

    def do_GET(self) -> None:
        body = json.dumps({name.lower(): value for name, value in self.headers.items()}).encode()
        if self.path.startswith("/page"):
            body = PAGE
        self.send_response(503 if self.path == "/busy" else 200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Type", MEDIA.get(self.path, "text/html; charset=utf-8"))
        self.send_header("ETag", '"tag"')
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture(scope="module")
def web() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def write_configuration(folder: Path, upstream: int, name: str) -> tuple[Path, int, int]:
    """Write deploy/nginx.conf with ports and a certificate of the test. Return its path, the plain and the TLS port.

    name: of the person for whom the server takes everybody at the login; "": as the configuration is made.
    """
    plain, tls = free_port(), free_port()
    settings = {"PUBLIC_URL": f"https://{HOST}", "REMOTE_USER_HEADER": "X-Remote-User", "REMOTE_USER_SECRET": SECRET}
    text = runpy.run_path(str(DEPLOY / "new_settings.py"))["nginx"](settings, (DEPLOY / "nginx.conf").read_text())
    text = text.replace(f'"{SECRET} ";', f'"{SECRET} {name}";').replace("/var/log/nginx", str(folder))
    text = re.sub(r"^\s+listen \[::\].*\n", "", text, flags=re.MULTILINE)
    text = text.replace("listen 80;", f"listen 127.0.0.1:{plain};").replace("listen 443 ", f"listen 127.0.0.1:{tls} ")
    text = text.replace("127.0.0.1:8000", f"127.0.0.1:{upstream}").replace(f"/etc/letsencrypt/live/{HOST}", str(folder))
    temp_paths = "".join(
        f"{name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    preamble = f"pid {folder}/pid;\nerror_log {folder}/errors.log;\ndaemon off;\nmaster_process off;\nevents {{}}\n"
    path = folder / "nginx.conf"
    path.write_text(f"{preamble}http {{\n{temp_paths}{text}}}\n")
    make_certificate(folder)
    return path, plain, tls


class Client:
    """Sends requests to nginx over HTTP or HTTPS, as a reader's browser would."""

    def __init__(self, plain: int, tls: int) -> None:
        self.plain, self.tls = plain, tls
        self.trust = ssl._create_unverified_context()  # the certificate is one that this test has made

    def get(self, path: str, *, tls: bool = True, **headers: str) -> http.client.HTTPResponse:
        """Send a request. In `headers`, one underscore stands for a hyphen, two for an underscore."""
        connection = http.client.HTTPConnection("127.0.0.1", self.plain, timeout=60)
        if tls:
            connection = http.client.HTTPSConnection("127.0.0.1", self.tls, timeout=60, context=self.trust)
        header_names = {name.replace("__", "*").replace("_", "-").replace("*", "_"): headers[name] for name in headers}
        connection.request("GET", path, headers={"Host": HOST, **header_names})
        return connection.getresponse()


def start_nginx(folder: Path, upstream: int, name: str = "hanako") -> tuple[subprocess.Popen, Client]:
    path, plain, tls = write_configuration(folder, upstream, name)
    process = subprocess.Popen([PROGRAM, "-e", str(folder / "early.log"), "-p", str(folder), "-c", str(path)])
    nginx = Client(plain, tls)

    def answers() -> bool:
        assert process.poll() is None, (folder / "errors.log").read_text()
        try:
            return nginx.get("/", tls=False).status == 301
        except OSError:
            return False

    wait_for(answers)
    return process, nginx


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("nginx")


@pytest.fixture
def log(folder) -> Path:
    return folder / "access.log"


@pytest.fixture(scope="module")
def nginx(folder, web) -> Iterator[Client]:
    process, nginx = start_nginx(folder, web.server_address[1])
    yield nginx
    process.terminate()
    process.wait(60)


def test_headers_about_the_client_that_a_reader_forges_are_replaced_or_dropped(nginx):
    forged = {"X_Forwarded_For": "10.0.0.1", "X_Forwarded_Proto": "http", "X_Real_IP": "10.0.0.2", "Forwarded": "for=a"}
    received = json.load(nginx.get("/search?q=a", **forged, X_Request_ID="forged"))
    assert received["x-forwarded-for"] == "127.0.0.1"
    assert received["x-forwarded-proto"] == "https"
    assert received["host"] == HOST
    assert "x-real-ip" not in received
    assert "forwarded" not in received
    assert re.fullmatch("[0-9a-f]{32}", received["x-request-id"])


@pytest.mark.parametrize("forged", [{}, {"X_Remote_User": "admin"}, {"X__Remote__User": f"{SECRET} admin"}])
@pytest.mark.parametrize(
    ("path", "name"),
    [("/login", f"{SECRET} hanako"), ("/en/login?next=/", f"{SECRET} hanako"), ("/", None), ("/login/oidc", None)],
)
def test_the_name_of_a_person_is_sent_at_the_login_only_and_never_taken_from_a_browser(nginx, path, name, forged):
    received = json.load(nginx.get(path, **forged))
    assert received.get("x-remote-user") == name
    assert "x_remote_user" not in received


def test_as_it_is_made_the_configuration_believes_no_name_that_a_browser_claims(tmp_path, web):
    process, nginx = start_nginx(tmp_path, web.server_address[1], name="")
    claimed = base64.b64encode(b"admin:").decode()
    received = json.load(nginx.get("/login", Authorization=f"Basic {claimed}"))
    process.terminate()
    process.wait(60)
    assert received["x-remote-user"].strip() == SECRET


@pytest.mark.parametrize("path", ["/page", "/page.json", "/page.xml"])
def test_pages_and_data_are_sent_compressed(nginx, path):
    answer = nginx.get(path, Accept_Encoding="gzip")
    body = answer.read()
    assert answer.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in answer.headers["Vary"]
    assert answer.headers["ETag"] == 'W/"tag"'
    assert gzip.decompress(body) == PAGE
    assert len(body) < len(PAGE) / 5


def test_nothing_is_compressed_for_people_who_are_logged_in(nginx):
    for cookie in ("sessionid=abc", "csrftoken=x; sessionid=abc; y=z"):
        answer = nginx.get("/page", Accept_Encoding="gzip", Cookie=cookie)
        assert answer.status == 200
        assert "Content-Encoding" not in answer.headers
        assert answer.read() == PAGE
    received = json.load(nginx.get("/x", Cookie="sessionid=abc"))
    assert received["x-forwarded-for"] == "127.0.0.1"
    assert received["cookie"] == "sessionid=abc"


def test_nothing_is_compressed_that_the_client_cannot_read_or_that_is_compressed_already(nginx):
    for path, headers in (("/page", {}), ("/page.zip", {"Accept_Encoding": "gzip"})):
        assert "Content-Encoding" not in nginx.get(path, **headers).headers


def test_the_csrf_token_differs_in_every_response(rf):
    """Compression is safe for it only because of that (BREACH); see deploy/nginx.conf."""
    request = rf.get("/login")
    tokens = {get_token(request) for _ in range(20)}
    assert len(tokens) == 20


def test_the_session_cookie_has_the_name_for_which_nginx_does_not_compress(settings):
    assert f"$cookie_{settings.SESSION_COOKIE_NAME})" in (DEPLOY / "nginx.conf").read_text()


def test_the_log_has_no_one_time_links(nginx, log):
    links = ["/invitation/", "/en/password/new/MQ/", "/notices/confirm/", "/ja/notices/stop/"]
    for path in links:
        nginx.get(f"{path}s3cret:token", Referer=f"https://{HOST}{path}s3cret:token").read()
    wait_for(lambda: log.read_text().count("[...]") == len(links))
    assert "s3cret" not in log.read_text()
    assert "/en/password/new/[...]" in log.read_text()


def test_plain_http_leads_to_the_same_page_on_https(nginx):
    answer = nginx.get("/books/R000000001-I1?lang=en", tls=False)
    assert answer.status == 301
    assert answer.headers["Location"] == f"https://{HOST}/books/R000000001-I1?lang=en"


def test_metrics_are_not_public(nginx):
    assert nginx.get("/metrics").status == 404
    assert nginx.get("/metrics?format=text").status == 404


def test_an_error_response_of_the_application_is_passed_on_unchanged(nginx):
    answer = nginx.get("/busy")
    assert answer.status == 503
    assert "host" in json.load(answer)


def test_while_no_web_process_answers_readers_see_when_to_try_again(tmp_path):
    process, nginx = start_nginx(tmp_path, free_port())
    try:
        answer = nginx.get("/")
        text = answer.read().decode()
    finally:
        process.terminate()
        process.wait(60)
    assert answer.status == 503
    assert answer.headers["Retry-After"] == "30"
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "もう一度" in text
    assert "try again" in text
