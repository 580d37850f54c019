"""Codes of MARC 21 and their equivalents in DC-NDL: types (leader, 007, 008) and countries. Pure; mostly tables."""

from metadata.formats.common.base import Draft
from metadata.formats.marc.fields import MarcRecord
from metadata.record import BibliographicRecord, MaterialType
from metadata.vocabularies.dcndl import MATERIAL_TYPES

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
_BRAILLE, _NEWSPAPER, _MICROFORM = f"{_NDL}Braille", f"{_NDL}Newspaper", f"{_NDL}MicroForm"
MARC_LARGE_PRINT = "large print"  # the form of a text by 007/01 (b) or 008/23 (d)
UNTYPED = "pm"  # leader 06-07 of mixed materials, which have no single type
OWN_TYPES = "ndltype"  # $2 of a field 655 that names a type by its URI at NDL


def read_type(marc: MarcRecord, draft: Draft) -> None:
    """Read the type of material from the leader, unless it is known. Kits and mixed materials have none."""
    if draft.fields["material_types"]:
        return
    kind, level = marc.leader[6], marc.leader[7]
    uri = _TEXTS.get(level, _TYPES.get(kind, "")) if kind in "at" else _TYPES.get(kind, "")
    if kind in "at":
        uri = _special_text(marc, level) or uri
    if uri:
        draft.fields["material_types"].append(MaterialType(uri=uri, label=MATERIAL_TYPES[uri].ja))


def _special_text(marc: MarcRecord, level: str) -> str:
    """Return the URI of the type for braille and microforms (007) and newspapers (008/21), "" for other texts."""
    carrier = marc.control.get("007", "")
    if carrier.startswith(("tc", "fb")):
        return _BRAILLE
    if carrier.startswith("h"):
        return _MICROFORM
    return _NEWSPAPER if level == "s" and marc.fixed(21, 22) == "n" else ""


def read_text_form(marc: MarcRecord, draft: Draft) -> None:
    is_text = marc.leader[6] in "at"
    is_large = marc.control.get("007", "").startswith("tb") or marc.fixed(23, 24) == "d"
    if is_text and is_large and MARC_LARGE_PRINT not in draft.fields["formats"]:
        draft.fields["formats"].append(MARC_LARGE_PRINT)


# MARC country codes of two letters, current and discontinued → ISO 3166 alpha-2.
_TWO_LETTERS = (
    "aa:AL ae:DZ af:AF ag:AR ai:AM aj:AZ an:AD ao:AO aq:AG at:AU au:AT ba:BH bb:BB be:BE bg:BD bl:BR bn:BA bo:BO br:MM "
    "bs:BW bt:BT bu:BG bw:BY cb:KH cc:CN cd:TD ce:LK ch:TW ci:HR ck:CO cl:CL cm:CM cr:CR cs:CZ cu:CU cy:CY dk:DK dm:BJ "
    "dr:DO ec:EC eg:GQ er:EE es:SV et:ET fi:FI fj:FJ fr:FR gb:KI gh:GH go:GA gr:GR gs:GE gt:GT gv:GN gw:DE gy:GY hk:HK "
    "ho:HN ht:HT hu:HU ic:IS ie:IE ii:IN io:ID iq:IQ ir:IR is:IL it:IT iv:CI ja:JP jm:JM jo:JO ke:KE kg:KG kn:KP ko:KR "
    "ku:KW kz:KZ lb:LR le:LB lh:LI li:LT ls:LA lu:LU lv:LV ly:LY mc:MC mf:MU mg:MG mh:MO mj:MS mk:OM ml:ML mm:MT mo:ME "
    "mp:MN mr:MA mu:MR mv:MD mw:MW mx:MX my:MY mz:MZ ne:NL ng:NE no:NO np:NP nq:NI nr:NG nu:NR nz:NZ pe:PE ph:PH pk:PK "
    "pl:PL pn:PA po:PT pp:PG pr:PR py:PY qa:QA rb:RS rh:ZW rm:RO ru:RU rw:RW sa:ZA sd:SS se:SC sg:SN si:SG sj:SD sl:SL "
    "sm:SM so:SO sp:ES sr:SR su:SA sw:SE sx:NA sy:SY sz:CH ta:TJ tg:TG th:TH ti:TN tk:TM to:TO tr:TT ts:AE tu:TR tz:TZ "
    "ua:EG ug:UG un:UA ur:RU uv:BF uy:UY uz:UZ vc:VA ve:VE vm:VN vb:VG vi:VI xn:MK xo:SK xr:CZ xv:SI ye:YE za:ZM"
)
_LAST_LETTERS = {
    "u": "US",
    "k": "GB",
    "c": "CA",
    "a": "AU",
    "r": "RU",
}  # the last letter of a three-letter code (nyu, enk, onc, vra) shows the country
COUNTRIES = {code: iso for pair in _TWO_LETTERS.split() for code, _colon, iso in [pair.partition(":")]}
COUNTRIES |= {f"xx{end}": iso for end, iso in _LAST_LETTERS.items() if end in "ukc"}
COUNTRIES |= {
    code: _LAST_LETTERS[code[-1]]
    for code in (
        "aku alu aru azu cau cou ctu dcu deu flu gau hiu iau idu ilu inu ksu kyu lau mau mdu meu miu mnu mou msu mtu "
        "nbu ncu ndu nhu nju nmu nvu nyu ohu oku oru pau riu scu sdu tnu txu utu vau vtu wau wiu wvu wyu "
        "enk nik stk wlk abc bcc mbc nfc nkc nsc ntc nuc onc pic quc snc ykc aca qea tma vra wea xga xna xoa xra"
    ).split()
}
_PREFERRED = {"US": "xxu", "GB": "xxk", "CA": "xxc", "AU": "at", "CZ": "xr", "RU": "ru"}
COUNTRY_CODES = {iso: code for code, iso in reversed(COUNTRIES.items())} | _PREFERRED

_LEADERS = {uri: f"{kind}m" for kind, uri in reversed(_TYPES.items())} | {
    uri: f"a{level}" for level, uri in reversed(_TEXTS.items())
}
_LEADERS |= {_TEXTS["s"]: "as", _NEWSPAPER: "as"}


def leader_codes(record: BibliographicRecord) -> str:
    """Return leader 06 and 07 of a record: "am" (a book) if no type has a code, UNTYPED if there is no type."""
    for material_type in record.material_types:
        if material_type.uri in _LEADERS:
            return _LEADERS[material_type.uri]
    return "am" if record.material_types else UNTYPED


def is_newspaper(record: BibliographicRecord) -> bool:
    """Whether the type that the leader stands for is a newspaper, which only 008/21 tells from other serials."""
    known = (material_type.uri for material_type in record.material_types if material_type.uri in _LEADERS)
    return next(known, "") == _NEWSPAPER


def leader_names_type(record: BibliographicRecord) -> bool:
    """Whether the leader, with 008/21 for newspapers, alone expresses the types of the record."""
    types = record.material_types
    known = len(types) == 1 and types[0].uri in _LEADERS and types[0].label == MATERIAL_TYPES[types[0].uri].ja
    return known or not types
