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
    row("X1", "control-raw", one_record(in_title(b"\x0b")), EITHER,
        ("A control character in a title.", "書名に制御文字があります。"), places=BOTH),
    row("X1", "control-reference", one_record(in_title(b"&#x1A;")), EITHER,
        ("A character reference to a control character.", "書名に制御文字の文字参照があります。"), places=BOTH),
    row("X1", "nul", one_record(in_title(b"\x00")), EITHER,
        ("A NUL character in a title.", "書名にNULがあります。"), places=BOTH),
    row("X2", "bad-utf8", one_record(in_title(b"\xc3\x28\xff")), EITHER,
        ("Bytes in a title that are not UTF-8.", "書名にUTF-8でないバイトがあります。"), places=BOTH),
    row("X2", "cut-utf8", one_record(cut_letter), EITHER,
        ("A character in a title whose last byte is missing.",
         "書名の文字が途中のバイトで切れています。"), places=BOTH),
    row("X2", "cesu8", one_record(in_title(b"\xed\xa1\x82\xed\xbe\xb7")), EITHER,
        ("A character outside the Basic Multilingual Plane, in CESU-8.",
         "書名にCESU-8の文字があります。"), places=BOTH),
    row("X2", "shift-jis-inside", one_record(in_title("日本".encode("shift_jis"))), EITHER,
        ("Shift_JIS bytes in a title of a UTF-8 document.", "UTF-8の中にShift_JISの文字があります。"), places=BOTH),
    row("X2", "encoding-untrue", encoded("Shift_JIS", "cp932", declared=False),
        fails("oai.encoding_wrong"),
        ("The declared encoding is UTF-8, but the whole document is Shift_JIS.",
         "UTF-8と宣言し、すべてShift_JISで返します。")),
    row("X2", "encoding-overridden", encoded("Shift_JIS", "cp932", declared=False), COMPLETE,
        ("As encoding-untrue, but the feed is registered with the real encoding.",
         "同じで、正しい文字コードを登録した場合です。"),
        feed={"encoding": "Shift_JIS"}),
    row("X3", "surrogate-pair", one_record(in_title(b"&#xD842;&#xDFB7;")), REPAIRED,
        ("One character written as references to two surrogates.",
         "文字参照がサロゲートの対になっています。"), places=BOTH),
    row("X3", "surrogate-lone", one_record(in_title(b"&#xD842;")), EITHER,
        ("A reference to one half of a surrogate pair.", "サロゲートの片方だけの文字参照があります。"), places=BOTH),
    row("X4", "noncharacter", one_record(in_title(b"\xef\xbf\xbe")), EITHER,
        ("The character U+FFFE in a title.", "書名にU+FFFEがあります。"), places=BOTH),
    row("X4", "noncharacter-reference", one_record(in_title(b"&#65535;")), EITHER,
        ("A character reference to U+FFFF.", "書名にU+FFFFの文字参照があります。"), places=BOTH),
    row("X5", "entity-undeclared", one_record(in_title(b"caf&eacute; ")), EITHER,
        ("An entity that is not declared.", "宣言のない実体参照があります。"), places=BOTH),
    row("X5", "bare-ampersand", one_record(in_title(b"A & B ")), EITHER,
        ("An ampersand that is not escaped.", "エスケープされていない&があります。"), places=BOTH),
    row("X5", "html-tags", one_record(in_title(b"one<br>two ")), REJECTED,
        ("An HTML tag without its end tag.", "閉じられていないHTMLのタグがあります。"), places=BOTH),
    row("X6", "declaration-inside", one_record(replaced(b"<metadata>", b'<metadata><?xml version="1.0"?>')), EITHER,
        ("An XML declaration inside the metadata element.", "metadataの中にXML宣言があります。"), places=BOTH),
    row("X6", "attribute-twice", one_record(replaced(b"<dc:title>", b'<dc:title id="a" id="b">', 1)), REJECTED,
        ("An element with the same attribute twice.", "同じ属性が2つあります。"), places=BOTH),
    row("X6", "prefix-undeclared", one_record(in_title(b"<foo:b>x</foo:b>")), REJECTED,
        ("A namespace prefix that is not declared.", "宣言のない接頭辞があります。"), places=BOTH),
    row("X7", "blank-before", at_place(edited(lambda body: b"\n \n" + body)), COMPLETE,
        ("Blank lines before the XML.", "XMLの前に空行があります。")),
    row("X7", "notice-before", at_place(edited(lambda body: NOTICE + body)), REPORTED,
        ("A warning of the provider's software before the XML.",
         "XMLの前にプログラムの警告文があります。"), places=BOTH),
    row("X7", "notice-after", at_place(edited(lambda body: body + NOTICE)), REPORTED,
        ("A warning of the provider's software after the XML.",
         "XMLの後にプログラムの警告文があります。"), places=BOTH),
    row("X7", "bom", at_place(edited(lambda body: b"\xef\xbb\xbf" + body)), COMPLETE,
        ("A byte order mark before the XML.", "先頭にBOMがあります。")),
    row("X8", "namespace-none", on_lists(replaced(NAMESPACE, b"", 1)), REPORTED,
        ("The response has no namespace.", "OAI-PMHの名前空間がありません。")),
    row("X8", "namespace-untrue", on_lists(replaced(b"OAI/2.0/\"", b"OAI/1.1/\"", 1)), REPORTED,
        ("The response has another namespace than that of OAI-PMH 2.0.", "OAI-PMH 2.0と違う名前空間です。")),
    row("X8", "namespace-prefixed", on_lists(prefixed), COMPLETE,
        ("The OAI-PMH elements have a namespace prefix.", "OAI-PMHの要素に接頭辞が付いています。")),
    row("X9", "namespaces-above", on_lists(namespaces_on_root), COMPLETE,
        ("The namespaces of the records are declared on the root element of the response.",
         "メタデータの名前空間がルート要素で宣言されています。")),
    row("X10", "utf-16", encoded("UTF-16", "utf-16"), COMPLETE,
        ("A document in UTF-16, declared correctly.", "UTF-16で返します（宣言は正しい）。")),
    row("X10", "euc-jp", encoded("EUC-JP", "euc_jp"), COMPLETE,
        ("A document in EUC-JP, declared correctly.", "EUC-JPで返します（宣言は正しい）。")),
    row("X10", "shift-jis", encoded("Shift_JIS", "shift_jis"), COMPLETE,
        ("A document in Shift_JIS, declared correctly.", "Shift_JISで返します（宣言は正しい）。")),
    row("X11", "private-use", one_record(replaced(b"<dc:description>", "<dc:description>\ue000".encode())), REPAIRED,
        ("A private-use character.", "外字（私用領域の文字）があります。"), places=BOTH),
    row("X11", "non-bmp", one_record(in_title("𠮷".encode())), REPAIRED,
        ("A character outside the Basic Multilingual Plane.", "基本多言語面の外の文字があります。"), places=BOTH),
    row("X11", "decomposed", one_record(in_title("か\u3099き\u3099".encode())), COMPLETE,
        ("Kana with combining marks.", "濁点を分けて書いた仮名があります。")),
    row("X11", "variation", one_record(in_title("葛\U000e0100".encode())), COMPLETE,
        ("An ideographic variation sequence.", "異体字セレクターがあります。")),
    row("X12", "laughs", at_place(doctype(internal(LAUGHS), b"&a9;")), UNSAFE,
        ("Nested entities that expand a billionfold.", "10億倍に膨らむ実体宣言があります。"), places=BOTH),
    row("X12", "quadratic",
        at_place(doctype(internal(b'<!ENTITY a "' + b"x" * 50_000 + b'">'), b"&a;" * 20_000)), UNSAFE,
        ("A long entity that is used twenty thousand times.", "長い実体を2万回使っています。"), places=BOTH),
    row("X12", "xxe-file", at_place(doctype(internal(b'<!ENTITY a SYSTEM "file:///etc/hostname">'), b"&a;")), UNSAFE,
        ("An entity that refers to a file on the harvester's machine.",
         "読む側のファイルを指す実体があります。"), places=BOTH),
    row("X12", "xxe-http", at_place(doctype(internal(b'<!ENTITY a SYSTEM "%s/forbidden">'), b"&a;")), UNSAFE,
        ("An external entity that makes a parser send a request.",
         "外部から取得させる実体があります。"), places=BOTH, forbidden=PROBE),
    row("X12", "xxe-parameter", at_place(doctype(internal(b'<!ENTITY % a SYSTEM "%s/forbidden"> %a;'))), UNSAFE,
        ("An external parameter entity that makes a parser send a request.",
         "外部から取得させるパラメーター実体があります。"),
        places=BOTH, forbidden=PROBE),
    row("X12", "external-dtd", at_place(doctype(b'SYSTEM "%s/forbidden"')), HARMLESS,
        ("An external DTD that makes a parser send a request.",
         "外部から取得させるDTDがあります。"), places=BOTH, forbidden=PROBE),
    row("X12", "doctype-bare", at_place(doctype(b"")), REPORTED,
        ("A DOCTYPE without declarations.", "何も宣言しないDOCTYPEがあります。"), places=BOTH),
    row("X12", "xinclude", one_record(in_title(
        b'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" parse="text" href="file:///etc/hostname"/>')),
        EITHER_WAY,
        ("An XInclude that refers to a file on the harvester's machine.",
         "読む側のファイルを取り込ませるXIncludeがあります。"), places=BOTH),
    row("X12 T14", "huge-text", one_record(in_title(HUGE)), EITHER,
        ("A title of 11 MB.", "書名が11MBあります。"), places=BOTH),
    row("X12", "deep", one_record(nested), EITHER,
        ("400 nested elements.", "要素が400重に入れ子になっています。"), places=BOTH),
    row("X13", "mojibake", one_record(in_title("Ã©\ufffd\ufffd".encode())), REPAIRED,
        ("Traces of a wrong character conversion (mojibake).", "文字化けの跡があります。"), places=BOTH),
    row("X13", "escaped-twice", one_record(in_title(b"A &amp;amp; B ")), REPAIRED,
        ("Text that was escaped twice.", "二重にエスケープされた文字があります。"), places=BOTH),
    row("X13", "script", one_record(in_title(b"&lt;script&gt;alert(1)&lt;/script&gt;")), REPAIRED,
        ("A script in the text of a title.", "文字としてスクリプトが書かれています。"), places=BOTH),
    row("X13", "script-link", one_record(replaced(
        b"</dc:title>", b"</dc:title><dc:identifier>javascript:alert(1)</dc:identifier>", 1)), COMPLETE,
        ("A link with a javascript: address.", "リンクがスクリプトになっています。"), places=BOTH),
)  # fmt: skip
