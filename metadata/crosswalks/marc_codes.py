"""Codes of MARC 21 in those of DC-NDL: types of the leader, countries of 008, relators. Pure tables."""

from metadata.crosswalks.marc_fields import MarcRecord
from metadata.record import BibliographicRecord, MaterialType
from metadata.vocabulary import MATERIAL_TYPES

_NDL = "http://ndl.go.jp/ndltype/"
_DCMI = "http://purl.org/dc/dcmitype/"
_TYPES = {
    "a": f"{_NDL}Book",
    "t": f"{_NDL}Book",
    "c": f"{_NDL}MusicScore",
    "d": f"{_NDL}MusicScore",
    "e": f"{_NDL}Map",
    "f": f"{_NDL}Map",
    "g": f"{_DCMI}MovingImage",
    "i": f"{_DCMI}Sound",
    "j": f"{_DCMI}Sound",
    "k": f"{_DCMI}StillImage",
    "m": f"{_NDL}ElectronicResource",
    "r": f"{_NDL}MuseumMaterial",
}
_TEXTS = {"a": f"{_NDL}Article", "b": f"{_NDL}Journal", "s": f"{_NDL}Journal"}


def material_types(marc: MarcRecord) -> list[MaterialType]:
    """By leader 06 (type of record) and, for texts, 07 (bibliographic level); none for kits and mixtures."""
    kind, level = marc.leader[6], marc.leader[7]
    uri = _TEXTS.get(level, _TYPES.get(kind, "")) if kind in "at" else _TYPES.get(kind, "")
    return [MaterialType(uri=uri, label=MATERIAL_TYPES[uri].ja)] if uri else []


# MARC country codes of the countries that most publications come from → ISO 3166 alpha-2.
COUNTRIES = {
    code: iso
    for pair in (
        "ja:JP xxu:US nyu:US cau:US mau:US ilu:US dcu:US nju:US pau:US mdu:US ctu:US xxk:GB enk:GB stk:GB gw:DE fr:FR "
        "cc:CN ch:TW ko:KR kn:KP it:IT sp:ES ru:RU ur:RU ne:NL be:BE sz:CH au:AT sw:SE no:NO dk:DK fi:FI ic:IS pl:PL "
        "xr:CZ cs:CZ xo:SK hu:HU rm:RO bu:BG gr:GR tu:TR po:PT ie:IE xxc:CA onc:CA quc:CA mx:MX bl:BR ag:AR cl:CL "
        "at:AU vra:AU xna:AU nz:NZ ii:IN th:TH vm:VN io:ID my:MY ph:PH si:SG is:IL ua:EG sa:ZA mp:MN un:UA er:EE lv:LV "
        "li:LT ci:HR xv:SI rb:RS"
    ).split()
    for code, _colon, iso in [pair.partition(":")]
}
COUNTRY_CODES = {iso: code for code, iso in reversed(COUNTRIES.items())}

_LEADERS = {uri: f"{kind}m" for kind, uri in reversed(_TYPES.items())} | {
    uri: f"a{level}" for level, uri in _TEXTS.items()
}


def leader_codes(record: BibliographicRecord) -> str:
    """Leader 06 and 07 of a record: those of a book where no type says otherwise."""
    return next((_LEADERS[each.uri] for each in record.material_types if each.uri in _LEADERS), "am")
