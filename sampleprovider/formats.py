"""The metadata formats a sample provider can announce: schema and namespace of each metadataPrefix. Pure."""

from dataclasses import dataclass

from metadata.formats import CROSSWALKS


@dataclass(frozen=True, slots=True)
class Format:
    """What ListMetadataFormats says of one prefix."""

    prefix: str
    schema: str
    namespace: str


OTHERS = {
    each.prefix: each
    for each in (
        Format(
            "jpcoar_2.0",
            "https://github.com/JPCOAR/schema/blob/master/2.0/jpcoar_scm.xsd",
            "https://github.com/JPCOAR/schema/blob/master/2.0/",
        ),
        Format("junii2", "http://irdb.nii.ac.jp/oai/junii2-3-1.xsd", "http://irdb.nii.ac.jp/oai"),
        Format(
            "marcxml", "http://www.loc.gov/standards/marcxml/schema/MARC21slim.xsd", "http://www.loc.gov/MARC21/slim"
        ),
        Format("mods", "http://www.loc.gov/standards/mods/v3/mods-3-8.xsd", "http://www.loc.gov/mods/v3"),
    )
}


def format_of(prefix: str) -> Format:
    """Our own formats, well-known others, or a made-up one: trials may load anything under any prefix."""
    if prefix in CROSSWALKS:
        return Format(prefix, CROSSWALKS[prefix].schema, CROSSWALKS[prefix].namespace)
    unknown = Format(prefix, f"http://provider.example/{prefix}.xsd", f"http://provider.example/{prefix}/")
    return OTHERS.get(prefix, unknown)
