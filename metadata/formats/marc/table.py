"""The table by which a MARC record is read: fields and subfields → fields of the record."""

from collections import defaultdict

from lxml import etree

from metadata.formats.common.base import Draft, Row, Step
from metadata.formats.common.codes import coding_languages
from metadata.formats.marc.codes import read_text_form, read_type
from metadata.formats.marc.fields import MarcRecord
from metadata.formats.marc.holdings import read_items
from metadata.formats.marc.identifiers import (
    read_control_number,
    read_isbn,
    read_issn,
    read_lccn,
    read_national_number,
    read_other_numbers,
    read_system_numbers,
    separate_set_isbn,
)
from metadata.formats.marc.imprint import read_countries, read_editions, read_imprint, read_issued, read_languages
from metadata.formats.marc.links import RELATIONS, read_host, read_links, read_relations
from metadata.formats.marc.names import read_names
from metadata.formats.marc.subjects import CLASS_TAGS, HEADINGS, keep_once, read_classes, read_genres, read_headings
from metadata.formats.marc.texts import (
    LETTERS,
    NOTES,
    joined,
    listed,
    read_cataloging_rule,
    read_degrees,
    read_extents,
    read_notes,
    read_rights,
)
from metadata.formats.marc.titles import (
    OTHER_TITLES,
    read_alternatives,
    read_main_title,
    read_parts,
    read_series,
)

_HEADING = "abcdnptqvxyz012"
_WRONG = "one that is wrong by its form, or that the record declares wrong, is an invalid identifier"
# Parts as "040,042$ab": subfields a and b of two fields. Positions of leader and control fields as "008/06-07".
ROWS: tuple[Row[MarcRecord, Draft], ...] = (
    Row(
        "001 003",
        "identifiers source_identifiers uri",
        "an identifier if 003 is the code of an organisation whose numbers are known; a URL is the URI of the record; "
        "else a number of the provider",
        read_control_number,
    ),
    Row("010$az", "identifiers invalid_identifiers", f"a number of LC (USMARCNO); {_WRONG}", read_lccn),
    Row(
        "020$aqz",
        "identifiers invalid_identifiers",
        f"an ISBN, that of a set if a word after it or $q says so; {_WRONG}",
        read_isbn,
    ),
    Row("022$almyz", "identifiers invalid_identifiers", f"ISSN ($a) and ISSN-L ($l); {_WRONG}", read_issn),
    Row(
        "015$a2z",
        "identifiers invalid_identifiers",
        f"a JPNO, if $2 is jnb or the record is NDL's; {_WRONG}",
        read_national_number,
    ),
    Row(
        "024$a2z",
        "identifiers invalid_identifiers",
        f"of the scheme that $2, else the first indicator names; {_WRONG}",
        read_other_numbers,
    ),
    Row(
        "035$a",
        "identifiers invalid_identifiers",
        "of the scheme of the organisation in brackets; if it is unknown, the brackets stay; a number without brackets "
        "is left out",
        read_system_numbers,
    ),
    Row(
        "245$abcnp",
        "titles volumes volume_titles responsibility alternatives display_title",
        "$a and $b the title, with the reading in katakana; $n `volumes`; $p `volume_titles`; $c `responsibility`; a "
        "parallel title in $b, and a romanised title without reading, are alternatives",
        read_main_title,
    ),
    Row(
        f"{','.join(OTHER_TITLES)},740$abnp",
        "alternatives",
        "once; of 740 only what is not a part; 246 with the second indicator 1 is a parallel title",
        read_alternatives,
    ),
    Row(
        "100,700,720$abcdeq014tnp 110,710$abcden014tp 111,711$acdegjnq014t",
        "creators contributors",
        "main entries (1XX) are creators; added entries are creators if there is no main entry, as in NDL's records, "
        "or by their role; one with $t is neither; roles from $e, in 111 and 711 from $j, else from $4",
        read_names,
    ),
    Row(
        "260,264$abc",
        "publishers dates other_dates",
        "260, and 264 about publication (second indicator 1 or blank), without these any other 264 except copyrights; "
        "places in $a apply to the publishers after them; the date of a copyright goes to `other_dates`",
        read_imprint,
    ),
    Row("250$ab", "editions", "the text, without the punctuation of ISBD", read_editions),
    Row("008/15-17 044$ac", "publication_places", "codes of MARC, in 044$c of ISO 3166", read_countries),
    Row(
        "008/06-14",
        "issued other_dates",
        "the printed date, else the first date of 008, else that of a copyright, is the date of publication; the last "
        "year of a range in 008 is a second one in `other_dates`",
        read_issued,
    ),
    Row(
        "490,440$avx 800,810,811,830$atvx",
        "series relations",
        "490, only if there is none the others; the number in $v follows the name; with an ISSN in $x also a relation",
        read_series,
    ),
    Row(
        "505$atr 700,710$tnp 711$tn 740$anp",
        "contents parts",
        "505 gives the lines of the contents, and parts where titles are in $t, with the responsibility in $r; works "
        "in added entries (second indicator 2, in NDL's records every 740) are parts",
        read_parts,
    ),
    Row(
        f"{','.join(CLASS_TAGS.values())}$a 050$b 084$a2",
        "subjects",
        "of the scheme of the field, of 084 that of $2; others are left out",
        read_classes,
    ),
    Row(
        f"{','.join(HEADINGS)}${_HEADING} 653$a",
        "subjects",
        "headings of the scheme that $2, else the second indicator names, their subdivisions joined by “--”; 653 "
        "keywords",
        read_headings,
    ),
    Row(
        f"655${_HEADING}",
        "genres material_types",
        "as headings; with ndltype in $2 a material type",
        read_genres,
    ),
    Row(
        "041$adh2 008/35-37",
        "languages original_languages",
        "$a, else $d, else the code in 008; originals from $h; codes written together (engfre) are separated",
        read_languages,
    ),
    Row("300$abcef", "extents", "the parts with the punctuation of ISBD between them", read_extents),
    Row(
        f"{','.join(NOTES)}${LETTERS}",
        "notes",
        "the text, without subfields that have a row of their own",
        read_notes,
    ),
    listed("prices", "020", "c"),
    joined("abstracts", "520", "ab"),
    joined("access_rights", "506", "a"),
    joined("spatial", "522", "a"),
    joined("spatial", "255", "c"),
    joined("temporal", "513", "b"),
    joined("volume_ranges", "362", "a"),
    listed("audiences", "521", "a"),
    listed("periodicities", "310", "a"),
    listed("degree_names", "502", "b"),
    listed("dissertation_numbers", "502", "o"),
    Row("502$cd", "degree_grantors other_dates", "$c who granted the degree, $d when", read_degrees),
    Row("540$au 542$nu", "rights licenses", "the text; with the URI of a licence in $u also a licence", read_rights),
    listed("rights_holders", "542", "d"),
    Row("773$tsgxzqi", "host", "the first one is the publication that contains the record", read_host),
    Row(
        f"773$tsgxzqia {','.join(tag for tag in RELATIONS if tag != '773')}$tsaixzwou1",
        "relations",
        "of the kind of the field, or of that in $i; 773 except the first, with the subfields of the others",
        read_relations,
    ),
    Row(
        "856$u3yzq",
        "see_also thumbnails relations formats",
        "pages; pictures of covers by their label; files, and what is only about the resource (second indicator 2), "
        "are relations; $q the media type",
        read_links,
    ),
    Row(
        "850$a 852$abckhijmzu8 866$a8 090$a",
        "items",
        "an item for each 852, with its issues in 866, and for each institution in 850 that no 852 names; without "
        "these, one with the call number in 090, as in NDL's records",
        read_items,
    ),
    Row(
        "leader/06-07 007 008/21",
        "material_types",
        "the type of the record and, for texts, its level and carrier, if 655 has named none",
        read_type,
    ),
    Row("007/00-01 008/23", "formats", "large print", read_text_form),
    Row("040$e", "cataloging_rule", "the first one", read_cataloging_rule),
)
STEPS = (
    Step(
        "identifiers",
        "identifiers",
        "each is kept once; the ISBN of a set is none of the volume",
        separate_set_isbn,
    ),
    Step("subjects", "subjects", "each is kept once", keep_once),
    coding_languages("languages", "marcxml.N010", "041$a"),
    coding_languages("original_languages", "marcxml.N010", "041$h"),
)


def _used() -> dict[str, str]:
    """Return the subfields that are read, by field."""
    used: defaultdict[str, str] = defaultdict(str)
    for part in " ".join(row.sources for row in ROWS).split():
        tags, _, codes = part.partition("$")
        for tag in tags.split(","):
            used[tag] += codes
    return used


USED = _used()


def unmapped(root: etree._Element) -> list[str]:
    """Return the fields and subfields that no reader handles, as "245$h", without repetition.

    $6 and all of 880 are left out, because they belong to other fields.
    """
    names: dict[str, None] = {}
    for field in root:
        tag = field.get("tag") or ""
        if not field.tag.endswith("datafield") or tag == "880":
            continue
        for child in field:
            code = child.get("code") or ""
            if code != "6" and code not in USED.get(tag, "") and "".join(map(str, child.itertext())).strip():
                names[f"{tag}${code}"] = None
    return list(names)
