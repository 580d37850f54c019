"""XML namespaces, their prefixes, and element names in lxml's {namespace}name form."""

from functools import lru_cache

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
DC = "http://purl.org/dc/elements/1.1/"
DCTERMS = "http://purl.org/dc/terms/"
DCNDL = "http://ndl.go.jp/dcndl/terms/"
FOAF = "http://xmlns.com/foaf/0.1/"
OWL = "http://www.w3.org/2002/07/owl#"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
XML = "http://www.w3.org/XML/1998/namespace"
OAI = "http://www.openarchives.org/OAI/2.0/"
OAI_DC = "http://www.openarchives.org/OAI/2.0/oai_dc/"
SRW = "http://www.loc.gov/zing/srw/"
RSS = "http://purl.org/rss/1.0/"
ATOM = "http://www.w3.org/2005/Atom"
PRISM = "http://prismstandard.org/namespaces/basic/2.0/"
CINII = "http://ci.nii.ac.jp/ns/1.0/"
MARC = "http://www.loc.gov/MARC21/slim"
DCNDL_SIMPLE = "http://ndl.go.jp/dcndl/dcndl_simple/"
MODS = "http://www.loc.gov/mods/v3"
XLINK = "http://www.w3.org/1999/xlink"
DATACITE = "https://schema.datacite.org/meta/kernel-4/"
OAIRE = "http://namespace.openaire.eu/schema/oaire/"
RIOXX = "http://www.rioxx.net/schema/v2.0/rioxxterms/"
JUNII2 = "http://irdb.nii.ac.jp/oai"
OLD_JUNII2 = "http://ju.nii.ac.jp/junii2"
# Both hosts occur in records, with and without the slash at the end.
JPCOAR_VERSIONS = {
    f"{host}{version}{slash}": version
    for host in ("https://irdb.nii.ac.jp/schema/jpcoar/", "https://github.com/JPCOAR/schema/blob/master/")
    for version in ("1.0", "2.0", "2.1")
    for slash in ("", "/")
}
JPCOAR = "https://github.com/JPCOAR/schema/blob/master/2.1/"

# The usual prefixes of the namespaces, for messages and for writing.
PREFIXES = {
    RDF: "rdf",
    RDFS: "rdfs",
    DC: "dc",
    DCTERMS: "dcterms",
    DCNDL: "dcndl",
    FOAF: "foaf",
    OWL: "owl",
    XSI: "xsi",
    XML: "xml",
    OAI: "oai",
    OAI_DC: "oai_dc",
    SRW: "srw",
    RSS: "rss",
    ATOM: "atom",
    PRISM: "prism",
    CINII: "cinii",
    MARC: "marc",
    DCNDL_SIMPLE: "dcndl_simple",
    MODS: "mods",
    XLINK: "xlink",
    DATACITE: "datacite",
    OAIRE: "oaire",
    RIOXX: "rioxxterms",
    JUNII2: "junii2",
    **dict.fromkeys(JPCOAR_VERSIONS, "jpcoar"),  # NAMESPACES["jpcoar"] is the last one, 2.1
}
NAMESPACES = {prefix: namespace for namespace, prefix in PREFIXES.items()}

XML_LANG = f"{{{XML}}}lang"


def declare(prefix: str, namespace: str) -> str:
    """Add a namespace, under the prefix that messages show, and return it. A format does so for its own."""
    PREFIXES[namespace] = prefix
    NAMESPACES[prefix] = namespace
    return namespace


@lru_cache(maxsize=4096)  # called for every element that is written
def expand(name: str) -> str:
    """Return lxml's form of a name such as "dc:title"; a name without a prefix is unchanged."""
    prefix, colon, local = name.partition(":")
    return f"{{{NAMESPACES[prefix]}}}{local}" if colon else name


def shorten(tag: str) -> str:
    """Return the inverse of `expand`, for people; an unknown namespace is shown in full."""
    if not tag.startswith("{"):
        return tag
    namespace, _, local = tag[1:].partition("}")
    prefix = PREFIXES.get(namespace)
    return f"{prefix}:{local}" if prefix else tag
