"""Scenarios about connections and bodies (catalogue H4 to H7, H12, H15). A table; the replies are in `wire`."""

from dataclasses import replace

from sampleprovider import wire
from sampleprovider.certificates import authority_pem
from sampleprovider.replies import FIRST, Reply, Request
from sampleprovider.scenarios.base import BOTH, COMPLETE, Expected, Scenario, at_place, fails, status

LOST = fails("net.", "run.", "http.")
# A body whose Content-Encoding is wrong is read nevertheless, and reported.
SNIFFED = Expected(reported=True)


def half(request: Request, reply: Reply) -> Reply:
    """The document is cut off, but the HTTP response is complete."""
    return replace(reply, body=reply.body[: len(reply.body) // 2])


CONNECTIONS = (
    Scenario(
        name="flaky-500",
        rows=("H4",),
        fault=at_place(status(500), 2),
        places=BOTH,
    ),
    Scenario(
        name="flaky-502",
        rows=("H4",),
        fault=at_place(status(502, body=b"<html><title>502 Bad Gateway</title></html>"), 1),
        places=BOTH,
    ),
    Scenario(
        name="flaky-504",
        rows=("H4",),
        fault=at_place(status(504), 1),
        places=BOTH,
    ),
    Scenario(
        name="every-page-500-once",
        rows=("H4",),
        fault=at_place(status(500), 1),
    ),
    Scenario(
        name="500-for-ever",
        rows=("H4",),
        fault=at_place(status(500)),
        places=(FIRST,),
        expected=fails("http.500"),
    ),
    Scenario(
        name="500-on-one-record",
        rows=("H4",),
        fault=lambda request: (
            Reply(b"", 500) if request.is_list and b":000000010<" in request.answer().body else request.answer()
        ),
        expected=Expected(states=("succeeded", "failed", "paused"), live="any", reported=True, requests=400),
    ),
    Scenario(
        name="reset-once",
        rows=("H4",),
        fault=at_place(wire.sent_by(wire.reset), 1),
        places=BOTH,
    ),
    Scenario(
        name="reset-at-once",
        rows=("H4",),
        fault=at_place(wire.sent_by(wire.reset_at_once), 1),
        places=BOTH,
    ),
    Scenario(
        name="closed-for-ever",
        rows=("H4",),
        fault=at_place(wire.sent_by(wire.closed_at_once)),
        places=(FIRST,),
        expected=LOST,
    ),
    Scenario(
        name="no-http",
        rows=("H4",),
        fault=at_place(wire.sent_by(wire.garbage)),
        places=(FIRST,),
        expected=LOST,
    ),
    Scenario(
        name="cut-length",
        rows=("H5",),
        fault=at_place(wire.sent_by(wire.cut), 1),
        places=BOTH,
    ),
    Scenario(
        name="cut-length-for-ever",
        rows=("H5",),
        fault=at_place(wire.sent_by(wire.cut)),
        places=BOTH,
        expected=LOST,
    ),
    Scenario(
        name="cut-chunks",
        rows=("H5",),
        fault=at_place(wire.sent_by(wire.cut_chunks), 1),
        places=BOTH,
    ),
    Scenario(
        name="cut-chunks-for-ever",
        rows=("H5",),
        fault=at_place(wire.sent_by(wire.cut_chunks)),
        places=BOTH,
        expected=LOST,
    ),
    Scenario(
        name="cut-gzip",
        rows=("H5",),
        fault=at_place(wire.gzip_cut, 1),
        places=BOTH,
    ),
    Scenario(
        name="cut-gzip-for-ever",
        rows=("H5",),
        fault=at_place(wire.gzip_cut),
        places=BOTH,
        expected=LOST,
    ),
    Scenario(
        name="chunked",
        rows=("H5",),
        fault=at_place(wire.sent_by(wire.chunks)),
    ),
    Scenario(
        name="until-close",
        rows=("H5",),
        fault=at_place(wire.sent_by(wire.until_close)),
    ),
    Scenario(
        name="cut-whole",
        rows=("H6",),
        fault=at_place(half, 1),
        places=BOTH,
    ),
    Scenario(
        name="cut-whole-for-ever",
        rows=("H6",),
        fault=at_place(half),
        places=BOTH,
        expected=fails("xml.", "oai.", "net.", "run."),
    ),
    Scenario(
        name="trickle",
        rows=("H7",),
        fault=at_place(wire.sent_by(wire.trickle), 1),
        places=BOTH,
    ),
    Scenario(
        name="trickle-for-ever",
        rows=("H7",),
        fault=at_place(wire.sent_by(wire.trickle)),
        places=(FIRST,),
        expected=fails("net.timeout", "run."),
    ),
    Scenario(
        name="hang",
        rows=("H7",),
        fault=at_place(wire.sent_by(wire.hang), 1),
        places=BOTH,
    ),
    Scenario(
        name="stall",
        rows=("H7",),
        fault=at_place(wire.sent_by(wire.stall), 1),
        places=BOTH,
    ),
    Scenario(
        name="slow-head",
        rows=("H7",),
        fault=at_place(wire.sent_by(wire.slow_head), 1),
        places=BOTH,
    ),
    Scenario(
        name="only-continues",
        rows=("H7",),
        fault=at_place(wire.sent_by(wire.only_continues), 1),
        places=(FIRST,),
    ),
    Scenario(
        name="endless",
        rows=("H7", "T14"),
        fault=at_place(wire.sent_by(wire.endless)),
        places=(FIRST,),
        expected=LOST,
    ),
    Scenario(
        name="gzip",
        rows=("H12",),
        fault=at_place(wire.gzipped),
    ),
    Scenario(
        name="gzip-unsaid",
        rows=("H12",),
        fault=at_place(wire.gzip_unsaid),
        expected=SNIFFED,
    ),
    Scenario(
        name="gzip-untrue",
        rows=("H12",),
        fault=at_place(wire.gzip_untrue),
        expected=SNIFFED,
    ),
    Scenario(
        name="gzip-twice",
        rows=("H12",),
        fault=at_place(wire.gzip_twice),
        expected=Expected(states=("succeeded", "failed"), codes=("net.", "oai."), live="any", reported=True),
    ),
    Scenario(
        name="deflate",
        rows=("H12",),
        fault=at_place(wire.deflated),
        expected=COMPLETE,
    ),
    Scenario(
        name="deflate-bare",
        rows=("H12",),
        fault=at_place(wire.deflated_bare),
        expected=COMPLETE,
    ),
    Scenario(
        name="gzip-bomb",
        rows=("H12",),
        fault=at_place(wire.bomb),
        places=(FIRST,),
        expected=fails("net.too_large", "net.encoding", "net.timeout"),
    ),
    Scenario(
        name="tls-expired",
        rows=("H15",),
        fault=lambda request: request.answer(),
        tls="expired",
        expected=fails("net.tls", requests=0),
    ),
    Scenario(
        name="tls-self-signed",
        rows=("H15",),
        fault=lambda request: request.answer(),
        tls="self-signed",
        expected=fails("net.tls", requests=0),
    ),
    Scenario(
        name="tls-no-intermediate",
        rows=("H15",),
        fault=lambda request: request.answer(),
        tls="no-intermediate",
        feed={"ca_certificate": authority_pem()},
        expected=fails("net.tls", requests=0),
    ),
    Scenario(
        name="tls-other-name",
        rows=("H15",),
        fault=lambda request: request.answer(),
        tls="other-name",
        feed={"ca_certificate": authority_pem()},
        expected=fails("net.tls", requests=0),
    ),
    Scenario(
        name="tls-own-ca",
        rows=("H15",),
        fault=lambda request: request.answer(),
        tls="own-ca",
        feed={"ca_certificate": authority_pem()},
    ),
)
