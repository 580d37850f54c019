"""Scenarios about XML, encodings and characters (faults.md: X1 to X13)."""

import re
from dataclasses import replace

from sampleprovider.replies import Reply, Request
from sampleprovider.scenarios.base import (
    BOTH,
    COMPLETE,
    EITHER,
    REJECTED,
    REPAIRED,
    REPORTED,
    Change,
    Expected,
    Fault,
    at_place,
    fails,
    row,
)
from sampleprovider.scenarios.edits import TITLE, edited, in_title, on_lists, one_record, replaced

DECLARATION = b'<?xml version="1.0" encoding="UTF-8"?>\n'
NAMESPACE = b' xmlns="http://www.openarchives.org/OAI/2.0/"'
NOTICE = b"<br />\n<b>Notice</b>: Undefined index: from in <b>/var/www/oai.php</b> on line <b>12</b><br />\n"
PROBE = "/forbidden"
HUGE = b"\xe3\x81\x82" * (11 * 1024 * 1024 // 3)  # longer than the text that libxml2 accepts in one node
DEPTH = 400  # more levels than libxml2 accepts
LAUGHS = b'<!ENTITY a0 "ha">' + b"".join(
    b'<!ENTITY a%d "%s">' % (level, b"&a%d;" % (level - 1) * 10) for level in range(1, 10)
)
DC = re.compile(rb' xmlns:(?:oai_dc|dc)="[^"]*"')


def doctype(declared: bytes, used: bytes = b"") -> Change:
    """Add a document type declaration. used: inserted into the first title. %s becomes the address of the server."""

    def change(request: Request, reply: Reply) -> Reply:
        address = request.base.encode()
        declaration = b"<!DOCTYPE OAI-PMH " + declared.replace(b"%s", address) + b">\n"
        shown = TITLE.sub(lambda match: match[0] + used, reply.body, count=1)
        return replace(reply, body=shown.replace(DECLARATION, DECLARATION + declaration, 1))

    return change


def internal(subset: bytes) -> bytes:
    """Return an internal subset with these declarations."""
    return b"[" + subset + b"]"


def encoded(name: str, codec: str, *, declared: bool = True) -> Fault:
    """The whole document in another encoding; characters that it lacks become references."""

    def change(body: bytes) -> bytes:
        text = body.decode()
        if declared:
            text = text.replace('encoding="UTF-8"', f'encoding="{name}"', 1)
        return text.encode(codec, "xmlcharrefreplace")

    return on_lists(change)


def prefixed(body: bytes) -> bytes:
    """The elements of OAI-PMH have a prefix."""
    names = b"OAI-PMH|responseDate|request|ListRecords|record|header|metadata|identifier|datestamp|setSpec|"
    names += b"resumptionToken"
    body = body.replace(NAMESPACE, NAMESPACE.replace(b"xmlns=", b"xmlns:oai="), 1)
    return re.sub(rb"<(/?)(" + names + rb")(?=[\s>/])", rb"<\1oai:\2", body)


def namespaces_on_root(body: bytes) -> bytes:
    """The namespaces of the payloads are declared only on the root element."""
    declarations = sorted(set(DC.findall(body)))
    return DC.sub(b"", body).replace(NAMESPACE, NAMESPACE + b"".join(declarations), 1)


def nested(record: bytes) -> bytes:
    """DEPTH elements nested in each other."""
    return record.replace(b"</dc:title>", b"<x>" * DEPTH + b"</x>" * DEPTH + b"</dc:title>", 1)


def cut_letter(record: bytes) -> bytes:
    """The title ends inside a character, as if a buffer was too small."""
    return record.replace(b"</dc:title>", "本".encode()[:2] + b"</dc:title>", 1)


# The document is refused, or salvaged without the records that use the entity; the entity is never expanded.
UNSAFE = Expected(states=("failed", "succeeded"), codes=("xml.", "oai."), live="any", reported=True)
HARMLESS = Expected(states=("succeeded", "failed"), codes=("xml.",), live="any")
EITHER_WAY = Expected(damaged="harmless")

XML = (
    row("X1", "control-raw", one_record(in_title(b"\x0b")), EITHER, places=BOTH),
    row("X1", "control-reference", one_record(in_title(b"&#x1A;")), EITHER, places=BOTH),
    row("X1", "nul", one_record(in_title(b"\x00")), EITHER, places=BOTH),
    row("X2", "bad-utf8", one_record(in_title(b"\xc3\x28\xff")), EITHER, places=BOTH),
    row("X2", "cut-utf8", one_record(cut_letter), EITHER, places=BOTH),
    row("X2", "cesu8", one_record(in_title(b"\xed\xa1\x82\xed\xbe\xb7")), EITHER, places=BOTH),
    row("X2", "shift-jis-inside", one_record(in_title("日本".encode("shift_jis"))), EITHER, places=BOTH),
    row("X2", "encoding-untrue", encoded("Shift_JIS", "cp932", declared=False), fails("oai.encoding_wrong")),
    row("X2", "encoding-jis", encoded("ISO-2022-JP", "iso-2022-jp", declared=False), fails("oai.encoding_wrong")),
    row("X2", "jis-inside", one_record(in_title("日本".encode("iso-2022-jp"))), EITHER, places=BOTH),
    row(
        "X2",
        "encoding-overridden",
        encoded("Shift_JIS", "cp932", declared=False),
        COMPLETE,
        feed={"encoding": "Shift_JIS"},
    ),
    row("X3", "surrogate-pair", one_record(in_title(b"&#xD842;&#xDFB7;")), REPAIRED, places=BOTH),
    row("X3", "surrogate-lone", one_record(in_title(b"&#xD842;")), EITHER, places=BOTH),
    row("X4", "noncharacter", one_record(in_title(b"\xef\xbf\xbe")), EITHER, places=BOTH),
    row("X4", "noncharacter-reference", one_record(in_title(b"&#65535;")), EITHER, places=BOTH),
    row("X5", "entity-undeclared", one_record(in_title(b"caf&eacute; ")), EITHER, places=BOTH),
    row("X5", "bare-ampersand", one_record(in_title(b"A & B ")), EITHER, places=BOTH),
    row("X5", "html-tags", one_record(in_title(b"one<br>two ")), REJECTED, places=BOTH),
    row(
        "X6",
        "declaration-inside",
        one_record(replaced(b"<metadata>", b'<metadata><?xml version="1.0"?>')),
        EITHER,
        places=BOTH,
    ),
    row(
        "X6",
        "attribute-twice",
        one_record(replaced(b"<dc:title>", b'<dc:title id="a" id="b">', 1)),
        REJECTED,
        places=BOTH,
    ),
    row("X6", "prefix-undeclared", one_record(in_title(b"<foo:b>x</foo:b>")), REJECTED, places=BOTH),
    row("X7", "blank-before", at_place(edited(lambda body: b"\n \n" + body)), COMPLETE),
    row("X7", "notice-before", at_place(edited(lambda body: NOTICE + body)), REPORTED, places=BOTH),
    row("X7", "notice-after", at_place(edited(lambda body: body + NOTICE)), REPORTED, places=BOTH),
    row("X7", "bom", at_place(edited(lambda body: b"\xef\xbb\xbf" + body)), COMPLETE),
    row("X8", "namespace-none", on_lists(replaced(NAMESPACE, b"", 1)), REPORTED),
    row("X8", "namespace-untrue", on_lists(replaced(b'OAI/2.0/"', b'OAI/1.1/"', 1)), REPORTED),
    row("X8", "namespace-prefixed", on_lists(prefixed), COMPLETE),
    row("X9", "namespaces-above", on_lists(namespaces_on_root), COMPLETE),
    row("X10", "utf-16", encoded("UTF-16", "utf-16"), COMPLETE),
    row("X10", "euc-jp", encoded("EUC-JP", "euc_jp"), COMPLETE),
    row("X10", "shift-jis", encoded("Shift_JIS", "shift_jis"), COMPLETE),
    row(
        "X11",
        "private-use",
        one_record(replaced(b"<dc:description>", "<dc:description>\ue000".encode())),
        REPAIRED,
        places=BOTH,
    ),
    row("X11", "non-bmp", one_record(in_title("𠮷".encode())), REPAIRED, places=BOTH),
    row("X11", "decomposed", one_record(in_title("か\u3099き\u3099".encode())), COMPLETE),
    row("X11", "variation", one_record(in_title("葛\U000e0100".encode())), COMPLETE),
    row("X12", "laughs", at_place(doctype(internal(LAUGHS), b"&a9;")), UNSAFE, places=BOTH),
    row(
        "X12",
        "quadratic",
        at_place(doctype(internal(b'<!ENTITY a "' + b"x" * 50_000 + b'">'), b"&a;" * 20_000)),
        UNSAFE,
        places=BOTH,
    ),
    row(
        "X12",
        "xxe-file",
        at_place(doctype(internal(b'<!ENTITY a SYSTEM "file:///etc/hostname">'), b"&a;")),
        UNSAFE,
        places=BOTH,
    ),
    row(
        "X12",
        "xxe-http",
        at_place(doctype(internal(b'<!ENTITY a SYSTEM "%s/forbidden">'), b"&a;")),
        UNSAFE,
        places=BOTH,
        forbidden=PROBE,
    ),
    row(
        "X12",
        "xxe-parameter",
        at_place(doctype(internal(b'<!ENTITY % a SYSTEM "%s/forbidden"> %a;'))),
        UNSAFE,
        places=BOTH,
        forbidden=PROBE,
    ),
    row("X12", "external-dtd", at_place(doctype(b'SYSTEM "%s/forbidden"')), HARMLESS, places=BOTH, forbidden=PROBE),
    row("X12", "doctype-bare", at_place(doctype(b"")), REPORTED, places=BOTH),
    row(
        "X12",
        "xinclude",
        one_record(
            in_title(
                b'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" parse="text" href="file:///etc/hostname"/>'
            )
        ),
        EITHER_WAY,
        places=BOTH,
    ),
    row("X12 T14", "huge-text", one_record(in_title(HUGE)), EITHER, places=BOTH),
    row("X12", "deep", one_record(nested), EITHER, places=BOTH),
    row("X13", "mojibake", one_record(in_title("Ã©\ufffd\ufffd".encode())), REPAIRED, places=BOTH),
    row("X13", "escaped-twice", one_record(in_title(b"A &amp;amp; B ")), REPAIRED, places=BOTH),
    row("X13", "script", one_record(in_title(b"&lt;script&gt;alert(1)&lt;/script&gt;")), REPAIRED, places=BOTH),
    row(
        "X13",
        "script-link",
        one_record(replaced(b"</dc:title>", b"</dc:title><dc:identifier>javascript:alert(1)</dc:identifier>", 1)),
        COMPLETE,
        places=BOTH,
    ),
)
